//! The stratified graphical models: against the published posterior, against every chordal
//! graph, and against the general estimation of contextual networks.

use cmnet::{
    Dataset, Edge, FitOptions, Graph, Nats, ReadOptions, RowCounts, Source, fit, parameter_count, read_csv,
};
use cmnet_paper::sgm::{
    Kept, LabelTiming, LearnedSgm, Proposal, Reading, SgmOptions, SgmScorer, SizePrior, learn,
};
use std::path::Path;

fn table(name: &str) -> Dataset {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data").join(name);
    read_csv(&Source::Path(path), &ReadOptions::default()).unwrap().data
}

fn graphs(nodes: usize) -> impl Iterator<Item = Graph> {
    let pairs: Vec<Edge> = Graph::empty(nodes).pairs().collect();
    (0u32..1 << pairs.len()).map(move |mask| {
        let mut graph = Graph::empty(nodes);
        pairs.iter().enumerate().filter(|(k, _)| mask >> k & 1 == 1).for_each(|(_, &edge)| {
            graph.toggle(edge);
        });
        graph
    })
}

/// The posteriors of all chordal graphs with their best labels, highest first.
fn posteriors(data: &Dataset, options: &SgmOptions) -> Vec<(f64, Graph)> {
    let counts = RowCounts::new(data);
    let mut scorer = SgmScorer::new(&counts, options).unwrap();
    let mut found: Vec<(f64, Graph)> = graphs(data.variables())
        .filter_map(|graph| scorer.stratify(&graph).unwrap())
        .map(|model| (model.log_posterior().to_f64(), model.graph().clone()))
        .collect();
    found.sort_by(|one, other| other.0.total_cmp(&one.0));
    found
}

#[test]
fn every_chordal_graph_of_the_coronary_heart_data() {
    let data = table("coronary_heart.csv");
    let all = posteriors(&data, &SgmOptions::default());
    assert_eq!(all.len(), 18_154); // labelled chordal graphs on six nodes
    assert!((all[0].0 + 6715.90).abs() < 0.005, "{}", all[0].0);
    assert!((all[1].0 + 6716.66).abs() < 0.005, "{}", all[1].0);
    let plain = posteriors(&data, &SgmOptions { label_iterations: 0, ..SgmOptions::default() });
    assert!((plain[0].0 + 6720.182).abs() < 0.0005, "{}", plain[0].0);
}

#[test]
fn the_search_finds_the_best_model_of_the_coronary_heart_data() {
    let data = table("coronary_heart.csv");
    let learned = learn(&data, &SgmOptions::default(), &()).unwrap();
    let structure = learned.best.structure().unwrap();
    let edges: Vec<_> = structure.graph().edges().map(|e| (e.low() + 1, e.high() + 1)).collect();
    assert_eq!(edges, [(1, 3), (1, 4), (1, 5), (2, 3), (3, 5), (4, 5)]);
    let labelled: Vec<_> = structure.contexts().map(|c| (c.edge().low() + 1, c.edge().high() + 1)).collect();
    assert_eq!(labelled, [(1, 4), (4, 5)]);
    assert!((learned.best.log_posterior().to_f64() + 6715.90).abs() < 0.005);
    let again = learn(&data, &SgmOptions::default(), &()).unwrap();
    assert_eq!(again.best.structure().unwrap(), structure);
    assert_eq!(again.accepted, learned.accepted);
}

#[test]
fn the_closed_form_is_the_general_estimate() {
    for (name, seed) in
        [("coronary_heart.csv", 1), ("economic_activity.csv", 2), ("economic_activity.csv", 3)]
    {
        let data = table(name);
        let learned = learn(&data, &SgmOptions { seed, ..SgmOptions::default() }, &()).unwrap();
        let structure = learned.best.structure().unwrap();
        assert!(structure.context_elements() > 0);
        assert_eq!(parameter_count(&structure).unwrap(), learned.best.free_parameters());
        for smoothing in [0.0, 1.0] {
            let closed = learned.best.fit(&data, smoothing).unwrap();
            let general = fit(&structure, &data, &FitOptions { smoothing, ..FitOptions::default() }).unwrap();
            let log_likelihood = general.log_likelihood.unwrap();
            assert!((closed.log_likelihood - log_likelihood).abs() < 1e-3, "{name} {log_likelihood}");
            assert_eq!(closed.free_parameters, general.free_parameters);
            let evaluator = general.parameters.evaluator();
            let total: f64 = (0..1u32 << data.variables())
                .map(|cell| {
                    let row: Vec<u32> = (0..data.variables()).map(|v| cell >> v & 1).collect();
                    let log = closed.log_probability(&row);
                    if smoothing > 0.0 {
                        // Probabilities, since a rare cell is as near as its derivative per row.
                        let expected = evaluator.log_probability(&row).unwrap();
                        let off = (libm::exp(log) - libm::exp(expected)).abs();
                        assert!(off < 1e-8, "{name} {row:?} {log} {expected}");
                    }
                    libm::exp(log)
                })
                .sum();
            assert!((total - 1.0).abs() < 1e-9, "{name}: probabilities add up to {total}");
        }
    }
}

#[test]
fn other_readings_of_the_search_do_what_they_say() {
    let data = table("coronary_heart.csv");
    let read = |reading: Reading, label_iterations: u32| -> LearnedSgm {
        let options =
            SgmOptions { reading, graph_iterations: 100, label_iterations, ..SgmOptions::default() };
        learn(&data, &options, &()).unwrap()
    };
    let ours = Reading::default();
    // Labels at the end stand on the graph that is best without them.
    let last = read(Reading { labels: LabelTiming::Last, ..ours }, 100);
    let plain = read(ours, 0);
    assert_eq!(last.best.graph(), plain.best.graph());
    assert!(last.best.log_posterior() >= plain.best.log_posterior());
    let uniform = read(Reading { prior: SizePrior::Uniform, ..ours }, 100);
    assert_eq!(uniform.best.log_prior, Nats::ZERO);
    let labelled = read(Reading { prior: SizePrior::Labelled, ..ours }, 100).best;
    let surplus = labelled.free_parameters() as f64 - data.variables() as f64;
    assert!((labelled.log_prior.to_f64() + surplus * libm::log(2.0)).abs() < 1e-9);
    // A state that is only the last one is no better than the best.
    let kept = read(Reading { kept: Kept::Last, ..ours }, 100);
    assert!(kept.best.log_posterior() <= read(ours, 100).best.log_posterior());
    for proposal in [Proposal::Walk, Proposal::Refuse] {
        let found = read(Reading { proposal, ..ours }, 100);
        assert_eq!(found.proposals, 100);
        assert!(found.accepted > 0 && found.best.graph().edge_count() > 0);
    }
    let anew = read(Reading { labels: LabelTiming::Anew, ..ours }, 100);
    assert_ne!(anew.accepted, 0);
}

#[test]
fn tables_with_three_levels_are_refused() {
    let error = learn(&table("car.csv"), &SgmOptions::default(), &()).unwrap_err();
    assert!(error.to_string().contains("two levels"), "{error}");
}
