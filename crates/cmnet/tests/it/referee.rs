//! Learner and referee: same scores and sequences of steps. (The partitions are compared inside
//! the library, in `score/classes/tests.rs`, where both engines can be seen.)

use crate::common::{Sample, generator, labelled, random_structure};
use cmnet::{
    Alpha, ContextPrior, Control, Dataset, EdgePrior, GraphClimb, GraphClimbState, Kappa, Nats, RowCounts,
    Scorer, SearchEvent, SearchObserver, StopReason, Structure, climb_graph,
};
use cmnet_check::{Labelled, Scoring, graph_hill_climb, node_score, score};
use rand::Rng;
use std::sync::Mutex;

#[test]
fn scores_agree_to_1e_9_on_10_000_structures() {
    let mut rng = generator(2);
    let mut scored = 0;
    let alphas = ["0.5", "0.5", "1", "0.3"];
    let gammas = ["uniform", "uniform", "0.5", "1"];
    while scored < 10_000 {
        let rows = Sample::random(&mut rng);
        let (data, table) = (rows.dataset(), rows.table());
        let counts = RowCounts::new(&data);
        let alpha: Alpha = alphas[rng.random_range(0..4)].parse().unwrap();
        let scorer = Scorer::new(&counts, alpha);
        let edges: EdgePrior = gammas[rng.random_range(0..4)].parse().unwrap();
        let prior =
            ContextPrior::new("n^-0.5".parse().unwrap(), data.rows()).with_edges(edges, data.variables());
        let scoring = Scoring::new(alpha.to_f64(), prior.log_kappa().map(Nats::to_f64)).unwrap();
        let scoring = scoring.with_edge_prior(edges.gamma()).unwrap();
        for _ in 0..20 {
            let structure = random_structure(&mut rng, &rows.cardinalities, 0.6);
            let found = scorer.score(&structure, &prior).unwrap();
            let plain = labelled(&structure);
            let expected = score(&table, &plain, &scoring).unwrap();
            assert_close(found.total().unwrap().to_f64(), expected.total());
            let node = rng.random_range(0..rows.cardinalities.len());
            assert_close(found.nodes[node].to_f64(), node_score(&table, &plain, &scoring, node).unwrap());
            scored += 1;
        }
    }
}

fn assert_close(found: f64, expected: f64) {
    assert!((found - expected).abs() <= 1e-9 * expected.abs().max(1e-3), "{found} and not {expected}");
}

/// Records the structure after every step.
#[derive(Default)]
struct Recorder(Mutex<Vec<Labelled>>);

impl Control for Recorder {}

impl SearchObserver for Recorder {
    fn observe(&self, event: &SearchEvent<'_>) {
        if let SearchEvent::Moved(state) = event {
            self.0.lock().unwrap().push(labelled(state.structure()));
        }
    }
}

fn climb(rows: &Sample, kappa: Kappa, edges: EdgePrior) -> (GraphClimbState, Vec<Labelled>, ContextPrior) {
    let data = rows.dataset();
    let counts = RowCounts::new(&data);
    let scorer = Scorer::new(&counts, Alpha::default());
    let prior = ContextPrior::new(kappa, data.rows()).with_edges(edges, data.variables());
    let climb = GraphClimb::new(&scorer, prior.clone());
    let mut state = climb.start().unwrap();
    let recorder = Recorder::default();
    assert_eq!(climb_graph(&climb, &mut state, &recorder).unwrap(), StopReason::Converged);
    (state, recorder.0.into_inner().unwrap(), prior)
}

#[test]
fn the_learner_takes_the_referees_steps_on_1_000_tables() {
    let mut rng = generator(3);
    let kappas = ["eps", "n^-1", "n^-0.5", "n^-0.25", "1", "0.1"];
    let (mut steps, mut elements, mut ties) = (0, 0, 0);
    for case in 0..1_000 {
        let mut rows = Sample::random(&mut rng);
        let kappa: Kappa = kappas[case % kappas.len()].parse().unwrap();
        if kappas[case % kappas.len()] == "1" {
            // Without a price for contexts the literal climb grows to hundreds of elements.
            rows.rows.truncate(40);
            rows.weights.truncate(40);
        }
        let edges: EdgePrior = ["uniform", "0.5"][case % 2].parse().unwrap();
        let (state, structures, prior) = climb(&rows, kappa, edges);
        let scoring = Scoring::new(0.5, prior.log_kappa().map(Nats::to_f64)).unwrap();
        let scoring = scoring.with_edge_prior(edges.gamma()).unwrap();
        let expected = graph_hill_climb(&rows.table(), &scoring, &mut |_, _| true).unwrap();
        assert_eq!(state.steps().len(), expected.steps.len(), "case {case}, kappa {kappa}");
        for ((step, structure), theirs) in state.steps().iter().zip(&structures).zip(&expected.steps) {
            assert_eq!(
                (step.edge.ends(), step.added),
                (theirs.edge, theirs.added),
                "case {case}, kappa {kappa}"
            );
            assert_eq!(structure.contexts, theirs.contexts, "case {case}, kappa {kappa}");
            assert_close(step.score.to_f64(), theirs.score);
        }
        assert_close(state.score().to_f64(), expected.score);
        steps += state.steps().len();
        elements += state.structure().context_elements();
        ties += usize::from(state.ties() > 0);
    }
    // The cases are not trivial: edges and contexts were found, and ties were met.
    assert!(
        steps > 3_000 && elements > 500 && ties > 50,
        "{steps} steps, {elements} elements, {ties} with ties"
    );
}

#[test]
fn whole_counts_are_scored_by_logarithms_of_integers() {
    let data = Dataset::from_labels(&["a"], [["x"], ["y"]]).unwrap();
    let counts = RowCounts::new(&data);
    let scorer = Scorer::new(&counts, "1".parse().unwrap());
    let prior = ContextPrior::new(Kappa::Power(0.5), data.rows());
    let score = scorer.score(&Structure::empty(&[2]), &prior).unwrap();
    // ln G(2) G(2)^2 / G(4) G(1)^2, to the last digit.
    assert_eq!(score.log_mpl, -(Nats::ln_integer(2) + Nats::ln_integer(3)));
}
