//! Mode `blanket`: near mode `paper` on small tables, the same bytes for any threads, and
//! counting engines that agree.

use crate::common::{Impatient, Sample, edge, generator};
use cmnet::{
    Control, CountSource, Dataset, LearnEvent, LearnObserver, LearnOptions, LearnState, Learned,
    LearnedModel, Nats, PlaneCounts, RowCounts, SearchEvent, SearchMode, SearchObserver, SearchUsed, Select,
    StopReason, learn, learn_from,
};
use cmnet_paper::generate::{Hubs, hubs, recovery, two_tree};
use std::sync::Mutex;

#[test]
fn planes_and_rows_count_the_same_with_and_without_weights() {
    let mut rng = generator(41);
    for _ in 0..300 {
        let (sample, data) = Sample::random_dataset(&mut rng);
        let (planes, rows) = (PlaneCounts::new(&data), RowCounts::new(&data));
        let (child, blanket) = sample.random_family(&mut rng);
        assert_eq!(planes.family(child, &blanket).unwrap(), rows.family(child, &blanket).unwrap());
        let always = PlaneCounts::always(&data);
        assert_eq!(always.family(child, &blanket).unwrap(), rows.family(child, &blanket).unwrap());
        let variables = 0..sample.cardinalities.len();
        let open: Vec<usize> = variables.filter(|&v| v != child && !blanket.contains(v)).collect();
        let levels = sample.cardinalities[child] as usize;
        let extended = |source: &dyn CountSource| {
            let mut all: Vec<Vec<Vec<u32>>> = vec![Vec::new(); open.len()];
            source
                .extensions(child, &blanket, &open, &mut |place, counts| {
                    let mut classes: Vec<Vec<u32>> = counts
                        .chunks(levels)
                        .map(<[u32]>::to_vec)
                        .filter(|class| class.iter().any(|&n| n > 0))
                        .collect();
                    classes.sort();
                    all[place] = classes;
                })
                .unwrap();
            all
        };
        assert_eq!(extended(&planes), extended(&rows));
    }
}

/// b tells nothing about w by itself, but does beside a: it is found when all candidates are looked at again.
#[test]
fn a_variable_that_matters_only_beside_another_is_found() {
    let mut rows = Vec::new();
    for (a, b, ones) in [("0", "0", 60), ("0", "1", 100), ("1", "0", 180), ("1", "1", 140)] {
        for row in 0..200 {
            // c is noise.
            let noise = if row % 2 == 0 { "0" } else { "1" };
            rows.push([if row < ones { "1" } else { "0" }, a, b, noise]);
        }
    }
    let data = Dataset::from_labels(&["w", "a", "b", "c"], rows).unwrap();
    let options =
        LearnOptions { search: SearchMode::Blanket, select: Select::None, ..LearnOptions::default() };
    let learned = learn(&data, &options, &()).unwrap();
    let graph = learned.models[0].structure.graph();
    assert!(graph.contains(edge(0, 1)) && graph.contains(edge(0, 2)), "{graph:?}");
    assert!((0..3).all(|other| !graph.contains(edge(other, 3))), "{graph:?}");
}

fn by(search: SearchMode, threads: usize, sample: &Sample) -> Learned {
    let options = LearnOptions { search, threads, select: Select::None, ..LearnOptions::default() };
    learn(&sample.dataset(), &options, &()).unwrap()
}

#[test]
fn the_score_is_never_far_below_mode_paper_and_usually_equal() {
    let mut rng = generator(42);
    let (mut equal, mut all) = (0, 0);
    for _ in 0..60 {
        let sample = Sample::random(&mut rng);
        let (paper, blanket) = (by(SearchMode::Paper, 1, &sample), by(SearchMode::Blanket, 1, &sample));
        for (one, other) in paper.models.iter().zip(&blanket.models) {
            let total = |model: &LearnedModel| model.score.total().map(Nats::to_f64).unwrap();
            let below = (total(one) - total(other)) / total(one).abs().max(1.0);
            assert!(below < 0.02, "{below}");
            equal += usize::from(one.score.total() == other.score.total());
            all += 1;
        }
    }
    assert!(equal * 10 > all * 7, "{equal} of {all} equal");
}

#[test]
fn threads_do_not_change_the_answer() {
    let tree = two_tree(40, 600, 5).unwrap();
    let text = |threads: usize| {
        let options = LearnOptions {
            search: SearchMode::Blanket,
            threads,
            select: Select::None,
            ..LearnOptions::default()
        };
        let learned = learn(&tree.data, &options, &()).unwrap();
        let model = |m: &LearnedModel| {
            let model = m.to_model(&tree.data, &options, &SearchUsed::Blanket);
            model.unwrap().to_json().unwrap()
        };
        learned.models.iter().map(model).collect::<Vec<_>>()
    };
    let one = text(1);
    for threads in [2, 3, 8] {
        assert_eq!(one, text(threads));
    }
}

#[test]
fn a_known_tree_with_contexts_is_found_again() {
    let tree = two_tree(80, 5_000, 2).unwrap();
    let options = LearnOptions {
        kappas: vec!["n^-0.5".parse().unwrap()],
        search: SearchMode::Blanket,
        select: Select::None,
        ..LearnOptions::default()
    };
    let learned = learn(&tree.data, &options, &()).unwrap();
    let found = recovery(&tree.structure, &learned.models[0].structure);
    assert!(found.edges.f1() > 0.97, "{found:?}");
    assert!(found.elements.recall > 0.9, "{found:?}");
}

#[test]
fn a_limit_is_kept_and_reported() {
    let tree = two_tree(30, 2_000, 4).unwrap();
    let mut options =
        LearnOptions { search: SearchMode::Blanket, select: Select::None, ..LearnOptions::default() };
    options.limits.neighbors = 2;
    let learned = learn(&tree.data, &options, &()).unwrap();
    assert!(!learned.limited.is_empty());
    let largest = |m: &LearnedModel| (0..30).map(|v| m.structure.markov_blanket(v).len()).max();
    assert!(learned.models.iter().all(|model| largest(model) <= Some(2)));
}

/// Three hubs with about twenty neighbours each.
fn hub_table() -> cmnet_paper::generate::Known {
    hubs(Hubs { variables: 60, hubs: 3, levels: 2 }, 2_000, 3).unwrap()
}

fn plain(neighbors: usize) -> LearnOptions {
    let mut options = LearnOptions {
        kappas: vec!["eps".parse().unwrap()],
        search: SearchMode::Blanket,
        select: Select::None,
        ..LearnOptions::default()
    };
    options.limits.neighbors = neighbors;
    options
}

#[test]
fn a_limit_that_binds_while_the_graph_grows_is_told() {
    let known = hub_table();
    // No blanket alone asks for more than the limit; the leaves ask for a hub that is full.
    let bound = learn(&known.data, &plain(12), &()).unwrap();
    let full = |hub: usize| bound.models[0].structure.markov_blanket(hub).len() == 12;
    assert!((0..3).any(full));
    for hub in (0..3).filter(|&hub| full(hub)) {
        assert!(bound.limited.contains(&hub), "{:?}", bound.limited);
    }
    let free = learn(&known.data, &plain(LearnOptions::default().limits.neighbors), &()).unwrap();
    assert!(free.limited.is_empty(), "{:?}", free.limited);
    let total = |learned: &Learned| learned.models[0].score.total().unwrap();
    assert!(total(&free) > total(&bound));
}

#[test]
fn hubs_score_as_mode_paper_scores_them() {
    let known = hub_table();
    let usual = LearnOptions::default().limits.neighbors;
    let blanket = learn(&known.data, &plain(usual), &()).unwrap();
    let paper = LearnOptions { search: SearchMode::Paper, ..plain(usual) };
    let paper = learn(&known.data, &paper, &()).unwrap();
    let total = |learned: &Learned| learned.models[0].score.total().unwrap().to_f64();
    assert!(total(&blanket) > total(&paper) - 0.005 * total(&paper).abs());
    let found = recovery(&known.structure, &blanket.models[0].structure);
    assert!(found.edges.f1() > 0.8, "{found:?}");
}

/// Keeps where a run stands.
#[derive(Default)]
struct Keeper(Mutex<LearnState>);

impl Control for Keeper {
    fn stop(&self) -> Option<StopReason> {
        None
    }
}

impl SearchObserver for Keeper {
    fn observe(&self, event: &SearchEvent<'_>) {
        self.0.lock().unwrap().follow(event);
    }
}

impl LearnObserver for Keeper {
    fn observe_learning(&self, event: &LearnEvent<'_>) {
        self.0.lock().unwrap().follow_learning(event);
    }
}

#[test]
fn a_kappa_after_a_fall_of_bic_is_passed_over_and_told() {
    let data = two_tree(24, 1_000, 6).unwrap().data;
    let kappas = ["eps", "n^-0.25", "0.9", "0.95"].map(|kappa| kappa.parse().unwrap()).to_vec();
    let auto = LearnOptions { kappas, threads: 1, ..LearnOptions::default() };
    let every = LearnOptions { search: SearchMode::Blanket, ..auto.clone() };
    let every = learn(&data, &every, &()).unwrap();
    assert!(every.passed_over.is_empty() && every.models.len() == 4);
    let bic = |model: &LearnedModel| model.compared().unwrap().bic();
    let fall = every.models.windows(2).position(|pair| bic(&pair[1]) < bic(&pair[0])).unwrap();
    assert!(fall + 2 < 4, "BIC falls at {fall}");

    let keeper = Keeper::default();
    let learned = learn(&data, &auto, &keeper).unwrap();
    assert_eq!(learned.search, SearchUsed::Blanket);
    let told = |learned: &Learned| {
        let structures = learned.models.iter().map(|model| model.structure.clone()).collect::<Vec<_>>();
        (structures, learned.passed_over.clone(), learned.stop)
    };
    let kept = every.models[..fall + 2].iter().map(|model| model.structure.clone()).collect();
    assert_eq!(told(&learned), (kept, auto.kappas[fall + 2..].to_vec(), StopReason::Converged));
    // A run that goes on from its end passes them over again.
    let state = keeper.0.into_inner().unwrap();
    assert_eq!(state.finished.len(), fall + 2);
    assert!(state.graph.is_some());
    assert_eq!(told(&learn_from(state, &data, &auto, &()).unwrap()), told(&learned));
}

#[test]
fn what_is_resumed_after_a_kappa_that_was_passed_over_stays_with_its_own_kappa() {
    let data = two_tree(24, 1_000, 6).unwrap().data;
    let kappas = ["eps", "n^-0.25", "0.9", "0.95", "n^-1"].map(|kappa| kappa.parse().unwrap()).to_vec();
    let options = LearnOptions { kappas, threads: 1, ..LearnOptions::default() };
    let keeper = Keeper::default();
    let learned = learn(&data, &options, &keeper).unwrap();
    let told = |learned: &Learned| {
        let each = learned.models.iter().map(|model| (model.prior.kappa(), model.structure.clone()));
        (each.collect::<Vec<_>>(), learned.passed_over.clone())
    };
    assert!(!learned.passed_over.is_empty());
    assert_eq!(learned.models.last().unwrap().prior.kappa(), options.kappas[4], "n^-1 comes after them");
    let state = keeper.0.into_inner().unwrap();
    assert_eq!(told(&learn_from(state, &data, &options, &()).unwrap()), told(&learned));
}

#[test]
fn a_search_that_ends_before_it_begins_has_the_required_edges() {
    let data = two_tree(24, 400, 6).unwrap().data;
    let mut options = plain(8);
    options.knowledge.require.push("x1-x5".into());
    let learned = learn(&data, &options, &Impatient::new(0)).unwrap();
    assert_eq!(learned.stop, StopReason::TimeLimit);
    assert!(learned.models[0].structure.graph().contains(edge(1, 5)));
    assert!(learned.models[0].score.log_prior.is_some());
}
