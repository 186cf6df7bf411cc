//! What is known about edges: the referee's steps within it, the best of all graphs within it, and
//! every search keeps to it.

use crate::common::{Sample, edge, generator, labelled, schema};
use cmnet::{
    Alpha, ContextPrior, Edge, EdgePattern, EdgeProbability, EdgeRules, Graph, GraphClimb, Kappa, Knowledge,
    LearnOptions, Model, Nats, Refine, RowCounts, Scorer, SearchMode, Structure, climb_graph, learn, optimum,
    run_identity,
};
use cmnet_check::{KnownEdges, Scoring, graph_hill_climb, is_locally_optimal, score};
use rand::Rng;
use std::sync::Arc;

fn named(edge: Edge) -> EdgePattern {
    EdgePattern::Ends([edge.low(), edge.high()].map(|end| format!("x{end}")))
}

/// Something about every third pair of variables.
fn random_knowledge(rng: &mut impl Rng, variables: usize) -> Knowledge {
    let mut known = Knowledge::default();
    for edge in Graph::empty(variables).pairs() {
        match rng.random_range(0..10) {
            0 => known.require.push(named(edge)),
            1 => known.forbid.push(named(edge)),
            2 => known.no_contexts.push(named(edge)),
            3 => known.prior.push(EdgeProbability { edge: named(edge), p: rng.random_range(0.01..0.99) }),
            _ => {}
        }
    }
    known
}

fn known_to_referee(rules: &EdgeRules) -> KnownEdges {
    KnownEdges {
        required: rules.required().map(Edge::ends).collect(),
        forbidden: rules.forbidden().map(Edge::ends).collect(),
        without_contexts: rules.without_contexts().map(Edge::ends).collect(),
        log_odds: rules.log_odds().map(|(edge, odds)| (edge.ends(), odds.to_f64())).collect(),
    }
}

fn scoring(prior: &ContextPrior) -> Scoring {
    let scoring = Scoring::new(0.5, prior.log_kappa().map(Nats::to_f64)).unwrap();
    scoring.with_edge_prior(prior.edges().gamma()).unwrap().with_known(known_to_referee(prior.rules()))
}

#[test]
fn the_learner_takes_the_referees_steps_within_what_is_known() {
    let mut rng = generator(181);
    let kappas = ["eps", "n^-1", "n^-0.5", "n^-0.25"];
    let (mut required, mut elements, mut steps) = (0, 0, 0);
    for case in 0..200 {
        let rows = Sample::random(&mut rng);
        let data = rows.dataset();
        let counts = RowCounts::new(&data);
        let scorer = Scorer::new(&counts, Alpha::default());
        let rules = random_knowledge(&mut rng, data.variables()).rules(data.schema()).unwrap();
        let kappa: Kappa = kappas[case % kappas.len()].parse().unwrap();
        let prior =
            ContextPrior::new(kappa, data.rows()).with_edges("0.5".parse().unwrap(), data.variables());
        let prior = prior.with_rules(Arc::new(rules));
        let climb = GraphClimb::new(&scorer, prior.clone());
        let mut state = climb.start().unwrap();
        climb_graph(&climb, &mut state, &()).unwrap();
        let expected = graph_hill_climb(&rows.table(), &scoring(&prior), &mut |_, _| true).unwrap();
        assert_eq!(labelled(state.structure()), expected.structure, "case {case}");
        let theirs: Vec<_> = expected.steps.iter().map(|step| (step.edge, step.added)).collect();
        assert_eq!(state.steps().iter().map(|s| (s.edge.ends(), s.added)).collect::<Vec<_>>(), theirs);
        assert!((state.score().to_f64() - expected.score).abs() < 1e-9 * expected.score.abs().max(1.0));
        assert!(prior.rules().hold(state.structure().graph()));
        required += prior.rules().required().count();
        elements += state.structure().context_elements();
        steps += theirs.len();
    }
    assert!(required > 50 && elements > 50 && steps > 300, "{required} {elements} {steps}");
}

#[test]
fn the_exact_search_finds_the_best_graph_within_what_is_known() {
    let mut rng = generator(182);
    for case in 0..40 {
        let mut rows = Sample::random(&mut rng);
        let variables = rows.cardinalities.len().min(4);
        rows.cardinalities = vec![2; variables];
        for row in &mut rows.rows {
            row.truncate(variables);
            for level in row.iter_mut() {
                *level %= 2;
            }
        }
        let data = rows.dataset();
        let counts = RowCounts::new(&data);
        let scorer = Scorer::new(&counts, Alpha::default());
        let known = random_knowledge(&mut rng, variables);
        let rules = Arc::new(known.rules(data.schema()).unwrap());
        let kappa: Kappa = ["eps", "n^-0.5"][case % 2].parse().unwrap();
        let prior = ContextPrior::new(kappa, data.rows())
            .with_edges("0.5".parse().unwrap(), variables)
            .with_rules(Arc::clone(&rules));
        let found = optimum(&scorer, &prior, &()).unwrap();
        assert!(found.is_proven() && rules.hold(found.structure.graph()), "case {case}");
        assert_eq!(scorer.score(&found.structure, &prior).unwrap().total(), Some(found.score), "case {case}");
        let pairs: Vec<Edge> = Graph::empty(variables).pairs().collect();
        let mut best: Option<Nats> = None;
        for set in 0..1u32 << pairs.len() {
            let mut graph = Structure::empty(&rows.cardinalities);
            for (_, &edge) in pairs.iter().enumerate().filter(|(place, _)| set >> place & 1 == 1) {
                graph.toggle_edge(edge).unwrap();
            }
            best = best.max(scorer.score(&graph, &prior).unwrap().total());
        }
        // Without contexts the two are equal; with contexts the optimum is no worse.
        let best = best.unwrap();
        assert!(found.score >= best && (case % 2 == 1 || found.score == best), "case {case}");
        let theirs = score(&rows.table(), &labelled(&found.structure), &scoring(&prior)).unwrap().total();
        assert!((theirs - found.score.to_f64()).abs() < 1e-9 * theirs.abs().max(1.0));
    }
}

#[test]
fn every_search_and_refinement_keeps_to_what_is_known() {
    let mut rng = generator(183);
    for case in 0..30 {
        let data = Sample::random(&mut rng).dataset();
        let knowledge = random_knowledge(&mut rng, data.variables());
        let rules = knowledge.rules(data.schema()).unwrap();
        let search = [SearchMode::Paper, SearchMode::Blanket][case % 2];
        let refine = [Refine::No, Refine::Yes, Refine::Auto][case % 3];
        let options = LearnOptions { knowledge, search, refine, ..LearnOptions::default() };
        let learned = learn(&data, &options, &()).unwrap();
        for model in &learned.models {
            assert!(rules.hold(model.structure.graph()), "case {case}");
            let mut cut = model.structure.contexts().map(cmnet::EdgeContext::edge);
            assert!(cut.all(|edge| rules.allows_contexts(edge)), "case {case}");
            assert!(model.score.total().is_some());
        }
    }
}

#[test]
fn the_model_file_and_the_run_know_what_was_known() {
    let mut rng = generator(184);
    let rows = Sample::random(&mut rng);
    let data = rows.dataset();
    let knowledge = Knowledge { require: vec!["x0-x1".into()], ..Knowledge::default() };
    let options = LearnOptions { knowledge: knowledge.clone(), ..LearnOptions::default() };
    let learned = learn(&data, &options, &()).unwrap();
    let kept = learned.kept(data.rows()).unwrap();
    assert!(kept.structure.graph().contains(edge(0, 1)));
    let model = kept.to_model(&data, &options, &learned.search).unwrap();
    let text = model.to_json().unwrap();
    let read = Model::from_json(&text, "model").unwrap();
    assert_eq!(read.provenance().unwrap().knowledge, knowledge);
    assert_eq!(read.to_json().unwrap(), text);
    let refused = Model::from_json(&text.replace("x0-x1", "x0-x9"), "model").unwrap_err().to_string();
    assert!(refused.contains("learned.knowledge") && refused.contains("x9"), "{refused}");
    assert_ne!(run_identity(&data, &options), run_identity(&data, &LearnOptions::default()));
    let optimality =
        is_locally_optimal(&rows.table(), &labelled(&kept.structure), &scoring(&kept.prior), &mut |_, _| {
            true
        });
    assert!(matches!(optimality.unwrap(), cmnet_check::Optimality::Local { .. }));
    // A file says the same, and a bad one names its line.
    let file = Knowledge::parse("known.toml", "require = [\"x0-x1\"]").unwrap();
    assert_eq!(file, knowledge);
    let bad = Knowledge::parse("known.toml", "forbid = []\nrequires = ['x0-x1']").unwrap_err().to_string();
    assert!(bad.contains("known.toml") && bad.contains('2') && bad.contains("requires"), "{bad}");
    assert!(file.rules(&schema(&[2])).is_err());
}
