//! Resamples: deterministic, obedient, right where the truth is known; and the consensus as a
//! model file.

use crate::common::{Sample, edge, generator};
use cmnet::{
    Bootstrap, BootstrapOptions, BootstrapState, CheckpointPace, Checkpointer, Control, Dataset, Edge, Kappa,
    KappaChoice, LearnEvent, LearnObserver, LearnOptions, Model, OpenedCheckpoint, ReplicateStart, Resample,
    SearchObserver, StopReason, Verdict, WeightKind, WeightedTable, bootstrap, bootstrap_from,
    bootstrap_weighted, learn,
};
use cmnet_paper::generate::two_tree;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

fn options(replicates: u64, kappas: &[Kappa]) -> BootstrapOptions {
    let learn = LearnOptions { kappas: kappas.to_vec(), threads: 1, ..LearnOptions::default() };
    BootstrapOptions { replicates, learn, ..BootstrapOptions::default() }
}

fn with_threads(threads: usize, options: &BootstrapOptions) -> BootstrapOptions {
    let learn = LearnOptions { threads, ..options.learn.clone() };
    BootstrapOptions { learn, ..options.clone() }
}

#[test]
fn threads_do_not_change_the_answer() {
    let mut rng = generator(51);
    for round in 0..3 {
        let data = Sample::random(&mut rng).dataset();
        if data.rows() < 2 {
            continue;
        }
        let grid = Kappa::paper_grid();
        let asked = options(8, if round % 2 == 0 { &grid } else { &grid[2..3] });
        let found = bootstrap(&data, &asked, &()).unwrap();
        assert_eq!((found.finished, found.stop), (8, StopReason::Converged));
        let text = |found: &Bootstrap, threads| {
            let model = found.to_model(&data, &with_threads(threads, &asked), &()).unwrap().unwrap();
            model.to_json().unwrap()
        };
        for threads in [2, 3] {
            let again = bootstrap(&data, &with_threads(threads, &asked), &()).unwrap();
            assert_eq!(again, found);
            assert_eq!(text(&again, threads), text(&found, 1));
        }
        let strict = BootstrapOptions { threshold: 0.9, ..asked.clone() };
        assert_eq!(found.with_threshold(0.9).unwrap(), bootstrap(&data, &strict, &()).unwrap());
    }
}

/// The first of many replicates are those of a run that asks for fewer.
struct Until {
    enough: u64,
    finished: AtomicU64,
}

impl Control for Until {
    fn stop(&self) -> Option<StopReason> {
        (self.finished.load(Ordering::Relaxed) >= self.enough).then_some(StopReason::Interrupted)
    }
}

impl SearchObserver for Until {}

impl LearnObserver for Until {
    fn observe_learning(&self, event: &LearnEvent<'_>) {
        if let LearnEvent::Replicate { .. } = event {
            self.finished.fetch_add(1, Ordering::Relaxed);
        }
    }
}

#[test]
fn what_is_finished_when_it_stops_is_a_shorter_run() {
    let data = two_tree(8, 300, 3).unwrap().data;
    for threads in [1, 3] {
        for enough in [0, 1, 7] {
            let asked = with_threads(threads, &options(40, &[Kappa::Power(0.5)]));
            let stopper = Until { enough, finished: AtomicU64::new(0) };
            let found = bootstrap(&data, &asked, &stopper).unwrap();
            assert_eq!((found.stop, found.asked), (StopReason::Interrupted, 40));
            assert!(found.finished <= enough + threads as u64);
            let model = found.to_model(&data, &asked, &stopper).unwrap();
            assert_eq!(model.is_some(), found.finished > 0);
            if found.finished > 0 {
                let fewer = BootstrapOptions { replicates: found.finished, ..asked };
                let whole = bootstrap(&data, &fewer, &()).unwrap();
                assert_eq!((&whole.edges, &whole.elements), (&found.edges, &found.elements));
                assert_eq!(whole.consensus, found.consensus);
            }
        }
    }
}

#[test]
fn true_edges_come_back_and_others_do_not() {
    let known = two_tree(12, 3000, 11).unwrap();
    let found = bootstrap(&known.data, &options(60, &[Kappa::Power(0.5)]), &()).unwrap();
    let support = |edge: Edge| {
        found.edges.iter().find(|known| known.edge == edge).map_or(0.0, |known| known.found.support())
    };
    let graph = known.structure.graph();
    let strong = graph.edges().filter(|&edge| support(edge) > 0.9).count();
    assert!(strong * 10 >= graph.edge_count() * 8, "{strong} of {}", graph.edge_count());
    for wrong in found.edges.iter().filter(|known| !graph.contains(known.edge)) {
        assert!(wrong.found.verdict() != Verdict::Conclusive, "{wrong:?}");
    }
    for element in &found.elements {
        let whole = found.edges.iter().find(|known| known.edge == element.edge).unwrap();
        assert_eq!(element.found.count + element.holds.count, whole.found.count);
    }
}

#[test]
fn a_consensus_is_saved_with_its_support() {
    let data = two_tree(12, 2000, 1).unwrap().data;
    let asked = options(20, &[Kappa::Power(0.5)]);
    let found = bootstrap(&data, &asked, &()).unwrap();
    let model = found.to_model(&data, &asked, &()).unwrap().unwrap();
    assert!(model.structure().context_elements() > 0 && model.fit().is_some());
    let text = model.to_json().unwrap();
    let loaded = Model::from_json(&text, "model.json").unwrap();
    assert_eq!(loaded, model);
    assert_eq!(loaded.to_json().unwrap(), text);
    let support = loaded.support().unwrap();
    assert_eq!(support.replicates, 20);
    assert!(support.edges.values().chain(support.elements.values()).all(|&count| count >= 12));
    let learned = learn(&data, &asked.learn, &()).unwrap();
    let plain = learned.models[0].to_model(&data, &asked.learn, &learned.search).unwrap();
    assert!(plain.support().is_none() && !plain.to_json().unwrap().contains("\"support\""));
}

#[test]
fn a_file_with_impossible_support_is_refused() {
    let text = |support: &str| {
        format!(
            r#"{{"format": "cmnet-model/1", "variables": [
            {{"name": "a", "levels": ["0", "1"]}}, {{"name": "b", "levels": ["0", "1"]}},
            {{"name": "c", "levels": ["0", "1"]}}], "edges": [["a", "b"], ["a", "c"], ["b", "c"]],
            "contexts": [{{"edge": ["a", "b"], "given": ["c"], "elements": [["1"]]}}], "support": {support}}}"#
        )
    };
    let counts = |ab: u64, bc: &str, element: &str| {
        format!(
            r#"{{"replicates": 10, "seed": 1, "edges": [{{"edge": ["a", "b"], "count": {ab}}},
            {{"edge": ["a", "c"], "count": 9}}{bc}], "contexts": [{element}]}}"#
        )
    };
    let (bc, element) =
        (r#", {"edge": ["c", "b"], "count": 10}"#, r#"{"edge": ["a", "b"], "element": ["1"], "count": 7}"#);
    let good = Model::from_json(&text(&counts(8, bc, element)), "m").unwrap();
    assert_eq!(good.support().unwrap().elements[&(edge(0, 1), 1)], 7);
    let cases = [
        (counts(11, bc, element), "11 of 10 replicates"),
        (counts(6, bc, element), "a count of 7, the edge itself of 6"),
        (counts(8, "", element), "no count for the edge \"b\" - \"c\""),
        (counts(8, bc, ""), "lacks a context element"),
        (counts(8, bc, &element.replace("[\"1\"]", "[\"0\"]")), "support.contexts[0]"),
        (counts(8, bc, &format!("{element}, {element}")), "appears twice"),
        (counts(8, &bc.replace("\"c\"", "\"d\""), element), "support.edges[2]"),
        (counts(8, bc, element).replace("10,", "0,"), "no replicate"),
    ];
    for (support, words) in cases {
        let refused = Model::from_json(&text(&support), "m").unwrap_err().to_string();
        assert!(refused.contains(words), "{refused}");
    }
}

#[test]
fn what_can_not_be_resampled_is_refused() {
    let data = two_tree(4, 50, 1).unwrap().data;
    let refused =
        |data: &Dataset, options: &BootstrapOptions| bootstrap(data, options, &()).unwrap_err().to_string();
    let usual = options(5, &[Kappa::Epsilon]);
    let none = refused(&data, &BootstrapOptions { replicates: 0, ..usual.clone() });
    assert!(none.contains("replicates") && none.contains("from 1 to"), "{none}");
    for threshold in [0.0, -0.1, 1.01, f64::NAN, f64::INFINITY] {
        let text = refused(&data, &BootstrapOptions { threshold, ..usual.clone() });
        assert!(text.contains("threshold") && text.contains("at most 1"), "{text}");
    }
    for share in [0.0, 1.5, f64::NAN] {
        let text = refused(&data, &BootstrapOptions { share: Some(share), ..usual.clone() });
        assert!(text.contains("share") && text.contains("at most 1"), "{text}");
    }
    assert!(refused(&data, &BootstrapOptions { bound: 0, ..usual.clone() }).contains("bound"));
    let one = Dataset::from_labels(&["a", "b"], [["x", "y"]]).unwrap();
    assert!(refused(&one, &usual).contains("at least two observations"));
    let none = BootstrapOptions { learn: LearnOptions { kappas: vec![], ..usual.learn.clone() }, ..usual };
    assert!(refused(&data, &none).contains("kappa"));
}

/// A level that one row in forty has is missing in a third of the resamples: the column is
/// constant there, and no replicate fails.
#[test]
fn a_column_that_is_constant_in_a_resample_is_no_failure() {
    let rows: Vec<[&str; 3]> = (0..40)
        .map(|row| [["0", "1"][row % 2], ["0", "1"][row / 2 % 2], if row == 0 { "rare" } else { "usual" }])
        .collect();
    let data = Dataset::from_labels(&["a", "b", "c"], rows).unwrap();
    let found = bootstrap(&data, &options(50, &Kappa::paper_grid()), &()).unwrap();
    assert_eq!(found.finished, 50);
    assert_eq!(found.kappas.iter().map(|count| count.chosen).sum::<u64>(), 50);
}

#[test]
fn every_way_to_draw_and_to_start_gives_replicates() {
    let data = two_tree(8, 400, 2).unwrap().data;
    let mut found = Vec::new();
    for resample in [Resample::Part, Resample::Rows] {
        for start in [ReplicateStart::Empty, ReplicateStart::Table] {
            let asked = BootstrapOptions { resample, start, ..options(6, &[Kappa::Power(0.5)]) };
            let one = bootstrap(&data, &asked, &()).unwrap();
            assert_eq!(one, bootstrap(&data, &with_threads(3, &asked), &()).unwrap());
            assert_eq!((one.finished, one.bounded, one.resample), (6, 0, resample));
            assert!(!one.edges.is_empty());
            found.push(one);
        }
    }
    assert!(found[0].edges != found[2].edges);
}

#[test]
fn the_kappa_of_the_table_is_that_of_every_replicate() {
    let data = two_tree(12, 400, 3).unwrap().data;
    let anew = options(12, &Kappa::paper_grid());
    let learned = learn(&data, &anew.learn, &()).unwrap();
    let kappa = learned.kept(data.rows()).unwrap().prior.kappa();
    let others = bootstrap(&data, &anew, &()).unwrap().kappas;
    assert!(others.iter().any(|count| count.kappa != kappa && count.chosen > 0), "{others:?}");
    for start in [ReplicateStart::Empty, ReplicateStart::Table] {
        let asked = BootstrapOptions { kappa_choice: KappaChoice::Table, start, ..anew.clone() };
        let found = bootstrap(&data, &asked, &()).unwrap();
        assert_eq!(found.kappa_choice, KappaChoice::Table);
        for count in &found.kappas {
            assert_eq!(count.chosen, if count.kappa == kappa { 12 } else { 0 }, "{count:?}");
        }
        assert_eq!(found, bootstrap(&data, &with_threads(3, &asked), &()).unwrap());
        let alone = bootstrap(&data, &BootstrapOptions { start, ..options(12, &[kappa]) }, &()).unwrap();
        assert_eq!((&found.structures, found.bounded), (&alone.structures, 0));
    }
}

#[test]
fn observations_with_weights_keep_the_kappa_of_their_table_too() {
    let data = two_tree(8, 300, 3).unwrap().data;
    let row = |row: usize| (data.row(row), f64::from(data.weights()[row]) * (0.5 + (row % 3) as f64));
    let rows = (0..data.distinct_rows()).map(row);
    let table = WeightedTable::new(data.schema().clone(), rows, WeightKind::Design).unwrap();
    let anew = options(10, &Kappa::paper_grid());
    let several = bootstrap_weighted(&table, &anew, &()).unwrap().kappas;
    assert!(several.iter().filter(|count| count.chosen > 0).count() > 1, "{several:?}");
    let asked = BootstrapOptions { kappa_choice: KappaChoice::Table, ..anew };
    let kept = bootstrap_weighted(&table, &asked, &()).unwrap();
    let one = kept.kappas.iter().find(|count| count.chosen == 10).unwrap().kappa;
    let alone = bootstrap_weighted(&table, &options(10, &[one]), &()).unwrap();
    assert_eq!(kept.structures, alone.structures);
}

#[test]
fn of_one_kappa_there_is_no_choice() {
    let data = two_tree(10, 300, 7).unwrap().data;
    let anew = options(10, &[Kappa::Power(0.5)]);
    let table = BootstrapOptions { kappa_choice: KappaChoice::Table, ..anew.clone() };
    let [one, other] = [anew, table].map(|asked| {
        let found = bootstrap(&data, &asked, &()).unwrap();
        let model = found.to_model(&data, &asked, &()).unwrap().unwrap();
        (Bootstrap { kappa_choice: KappaChoice::Anew, ..found }, model.to_json().unwrap())
    });
    assert_eq!(one, other);
}

/// On a table whose rows are nearly all different, rows that are drawn twice look like dependence:
/// the search of a resample goes on and on. The bound ends it, at the same place for any threads.
#[test]
fn a_search_that_explodes_ends_at_its_bound() {
    let mut random = generator(4);
    let columns: Vec<Vec<u32>> =
        (0..12).map(|_| (0..100).map(|_| rand::Rng::random_range(&mut random, 0..3)).collect()).collect();
    let rows: Vec<Vec<String>> =
        (0..100).map(|row| columns.iter().map(|column| column[row].to_string()).collect()).collect();
    let names: Vec<String> = (0..12).map(|v| format!("v{v}")).collect();
    let data = Dataset::from_labels(&names.iter().map(String::as_str).collect::<Vec<_>>(), rows).unwrap();
    let mut asked = BootstrapOptions { resample: Resample::Rows, ..options(4, &[Kappa::Power(0.25)]) };
    asked.learn.search = cmnet::SearchMode::Paper;
    let found = bootstrap(&data, &asked, &()).unwrap();
    assert!(found.bounded > 0, "{found:?}");
    assert_eq!(bootstrap(&data, &with_threads(2, &asked), &()).unwrap(), found);
    let part = BootstrapOptions { resample: Resample::Part, ..asked };
    let quiet = bootstrap(&data, &part, &()).unwrap();
    assert_eq!(quiet.bounded, 0);
}

#[test]
fn an_answer_that_is_settled_is_that_of_fewer_replicates() {
    let data = two_tree(6, 2000, 5).unwrap().data;
    let asked = BootstrapOptions { stop_early: true, ..options(5000, &[Kappa::Epsilon]) };
    let found = bootstrap(&data, &asked, &()).unwrap();
    assert!(
        found.settled && found.finished < 5000 && found.finished.is_multiple_of(50),
        "{}",
        found.finished
    );
    assert_eq!(found.stop, StopReason::Converged);
    assert_eq!(bootstrap(&data, &with_threads(3, &asked), &()).unwrap(), found);
    let fewer = BootstrapOptions { replicates: found.finished, stop_early: false, ..asked };
    assert_eq!(bootstrap(&data, &fewer, &()).unwrap().edges, found.edges);
}

/// Saves checkpoints, and ends after so many replicates.
struct Saving {
    checkpointer: Checkpointer,
    until: Until,
}

impl Control for Saving {
    fn stop(&self) -> Option<StopReason> {
        self.until.stop()
    }
}

impl SearchObserver for Saving {}

impl LearnObserver for Saving {
    fn observe_learning(&self, event: &LearnEvent<'_>) {
        self.checkpointer.observe_learning(event);
        self.until.observe_learning(event);
    }
}

fn opened(
    path: &Path,
    data: &Dataset,
    asked: &BootstrapOptions,
) -> cmnet::Result<(Checkpointer, BootstrapState, OpenedCheckpoint)> {
    // Nothing is due before an hour: what is there is what was written at the end.
    let pace = CheckpointPace { interval: Duration::from_secs(3600), clock: Box::new(|| Duration::ZERO) };
    Checkpointer::open_bootstrap(path.to_owned(), true, (data, asked), pace)
}

#[test]
fn a_run_that_was_ended_goes_on_to_the_same_answer() {
    for kappa_choice in [KappaChoice::Anew, KappaChoice::Table] {
        goes_on(&BootstrapOptions { kappa_choice, ..options(14, &Kappa::paper_grid()) });
    }
}

fn goes_on(asked: &BootstrapOptions) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.checkpoint");
    let data = two_tree(7, 300, 6).unwrap().data;
    let whole = bootstrap(&data, asked, &()).unwrap();
    for enough in [3, 5] {
        let (checkpointer, state, found) = opened(&path, &data, asked).unwrap();
        assert_eq!(found == OpenedCheckpoint::NothingSaved, enough == 3);
        let watch = Saving { checkpointer, until: Until { enough, finished: AtomicU64::new(0) } };
        let part = bootstrap_from(state, &data, &with_threads(2, asked), &watch).unwrap();
        assert_eq!(part.stop, StopReason::Interrupted);
        watch.checkpointer.finish().unwrap();
    }
    let (_, state, _) = opened(&path, &data, asked).unwrap();
    assert!((8..14).contains(&state.finished.len()) && state.first.is_some());
    assert_eq!(bootstrap_from(state, &data, asked, &()).unwrap(), whole);
    let other = BootstrapOptions { seed: 2, ..asked.clone() };
    assert!(opened(&path, &data, &other).unwrap_err().to_string().contains("seed"));
    let kappa_choice = match asked.kappa_choice {
        KappaChoice::Anew => KappaChoice::Table,
        KappaChoice::Table => KappaChoice::Anew,
    };
    let other = BootstrapOptions { kappa_choice, ..asked.clone() };
    assert!(opened(&path, &data, &other).unwrap_err().to_string().contains("kappa-choice"));
    let more = BootstrapOptions { replicates: 20, ..asked.clone() };
    assert!(opened(&path, &data, &more).is_ok(), "more replicates may follow");
}

#[test]
fn options_that_change_a_replicate_are_in_its_identity() {
    let data = Dataset::from_labels(&["a", "b"], [["x", "0"], ["y", "1"]].repeat(8)).unwrap();
    let usual = BootstrapOptions::default();
    let known = cmnet::bootstrap_identity(&data, &usual);
    let mut others = vec![usual.clone(); 4];
    others[0].learn.fit.order = cmnet::Order::at_most(2).unwrap();
    others[1].learn.max_cells = Some(60);
    others[2].learn.search = cmnet::SearchMode::Paper; // what auto picks for this table, but not for each
    others[3].kappa_choice = KappaChoice::Table;
    for other in &others {
        assert_ne!(cmnet::bootstrap_identity(&data, other), known);
    }
    let mut names: Vec<String> = known.iter().map(|(fact, _)| fact.key()).collect();
    names.sort();
    let count = names.len();
    names.dedup();
    assert_eq!(names.len(), count, "each fact stands there once");
}
