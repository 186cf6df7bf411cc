//! Contexts of the search or confirmed ones: what is kept has the higher BIC, and is what that choice alone gives.

use crate::common;
use cmnet::{
    ContextChoice, ContextsChosen, Control, Criterion, Dataset, Edge, Fit, FitMethod, FitOptions, Kappa,
    LearnEvent, LearnObserver, LearnOptions, Learned, ReadOptions, Refine, SearchObserver, Source,
    StopReason, fit, learn, read_csv,
};
use cmnet_paper::generate::{KTree, k_tree};
use std::sync::atomic::{AtomicUsize, Ordering};

fn economic_activity() -> Dataset {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/economic_activity.csv");
    read_csv(&Source::from_argument(path), &ReadOptions::default()).unwrap().data
}

/// A table of a ternary 2-tree: the search finds many contexts that are not there.
fn tree() -> Dataset {
    k_tree(KTree { variables: 8, parents: 2, levels: 3 }, 2000, 1).unwrap().data
}

fn with(contexts: ContextChoice) -> LearnOptions {
    LearnOptions { kappas: vec!["n^-0.5".parse().unwrap()], contexts, ..LearnOptions::default() }
}

/// The file of the first model.
fn file(data: &Dataset, options: &LearnOptions, learned: &Learned) -> String {
    learned.models[0].to_model(data, options, &learned.search).unwrap().to_json().unwrap()
}

#[test]
fn what_is_kept_is_that_choice_alone_and_has_the_higher_bic() {
    for (data, expected) in [(economic_activity(), ContextChoice::All), (tree(), ContextChoice::Confirmed)] {
        let run = |contexts, threads| {
            let options = LearnOptions { threads, ..with(contexts) };
            let learned = learn(&data, &options, &()).unwrap();
            (file(&data, &options, &learned), learned.models[0].clone())
        };
        let ((all_file, all), (confirmed_file, confirmed)) =
            (run(ContextChoice::All, 1), run(ContextChoice::Confirmed, 1));
        let (auto_file, auto) = run(ContextChoice::Auto, 1);
        let chosen = auto.contexts_chosen.unwrap();
        assert_eq!(chosen.kept, expected);
        assert_eq!(auto_file, if expected == ContextChoice::All { all_file } else { confirmed_file });
        assert_eq!(auto.confirmed.is_some(), expected == ContextChoice::Confirmed);
        let by = chosen.by.unwrap();
        let bic = |model: &cmnet::LearnedModel| model.fit.as_ref().unwrap().bic();
        assert_eq!((by.criterion, by.all.bic), (Criterion::Bic, bic(&all)));
        assert_eq!(Some(by.confirmed.bic), Some(bic(&confirmed)));
        assert_eq!(by.all.bic > by.confirmed.bic, expected == ContextChoice::All);
        // Each edge costs the logarithm of d.
        let edges = confirmed.structure.graph().edge_count() as f64;
        let prior = -edges * libm::log(data.variables() as f64);
        assert!((by.confirmed.log_prior - prior).abs() < 1e-9, "{by:?} {prior}");
        assert!(all.contexts_chosen.is_none() && confirmed.contexts_chosen.is_none());
        let (same_file, same) = run(ContextChoice::Auto, 3);
        assert_eq!((same_file, same.contexts_chosen), (auto_file, Some(chosen)));
    }
}

#[test]
fn each_kappa_chooses_for_itself_and_none_has_nothing_to_choose() {
    let data = tree();
    let all = |contexts| {
        let kappas = Kappa::paper_grid();
        learn(&data, &LearnOptions { kappas, ..with(contexts) }, &()).unwrap().models
    };
    let (found, auto) = (all(ContextChoice::All), all(ContextChoice::Auto));
    for (found, auto) in found.iter().zip(&auto) {
        let kept = auto.contexts_chosen.map(|chosen| chosen.kept);
        match (found.prior.kappa(), kept) {
            (Kappa::Epsilon, kept) => assert_eq!((kept, &auto.structure), (None, &found.structure)),
            (_, Some(ContextChoice::All)) => assert_eq!(auto.structure, found.structure),
            (_, kept) => {
                assert_eq!(kept, Some(ContextChoice::Confirmed));
                let by = auto.contexts_chosen.unwrap().by.unwrap();
                assert!(
                    by.confirmed.total() >= by.all.total()
                        && auto.fit.as_ref().map(Fit::bic) == Some(by.confirmed.bic)
                );
            }
        }
    }
    assert_eq!(auto.len(), 4);
}

#[test]
fn both_are_compared_by_the_same_estimate() {
    let data = tree();
    let by_pseudo = FitOptions { method: FitMethod::Pseudo, ..FitOptions::default() };
    let options = LearnOptions { fit: by_pseudo.clone(), ..with(ContextChoice::Auto) };
    let auto = learn(&data, &options, &()).unwrap().models.remove(0);
    let by = auto.contexts_chosen.unwrap().by.unwrap();
    assert_eq!(by.criterion, Criterion::PseudoBic);
    let found = learn(&data, &with(ContextChoice::All), &()).unwrap().models.remove(0);
    assert_eq!(Some(by.all.bic), fit(&found.structure, &data, &by_pseudo).ok().map(|fit| fit.bic()));
}

#[test]
fn a_refined_structure_is_compared_as_it_is() {
    let data = economic_activity();
    let options = |contexts| LearnOptions { refine: Refine::Yes, ..with(contexts) };
    let run = |contexts| learn(&data, &options(contexts), &()).unwrap();
    let (all, auto) = (run(ContextChoice::All), run(ContextChoice::Auto));
    let chosen: ContextsChosen = auto.models[0].contexts_chosen.unwrap();
    assert_eq!(auto.models[0].refinement, all.models[0].refinement);
    let same = if chosen.kept == ContextChoice::All { all } else { run(ContextChoice::Confirmed) };
    let options = options(ContextChoice::Auto);
    assert_eq!(file(&data, &options, &auto), file(&data, &options, &same));
}

/// Is interrupted after so many questions since the search has ended.
struct Impatient {
    patience: usize,
    asked: AtomicUsize,
}

impl SearchObserver for Impatient {}

impl LearnObserver for Impatient {
    fn observe_learning(&self, event: &LearnEvent<'_>) {
        if matches!(event, LearnEvent::Finished(_)) {
            self.asked.store(1, Ordering::Relaxed);
        }
    }
}

impl Control for Impatient {
    fn stop(&self) -> Option<StopReason> {
        let begun = self.asked.load(Ordering::Relaxed) > 0;
        let asked = if begun { self.asked.fetch_add(1, Ordering::Relaxed) } else { 0 };
        (asked > self.patience).then_some(StopReason::Interrupted)
    }
}

#[test]
fn an_interruption_keeps_what_the_search_found_and_says_so() {
    let data = economic_activity();
    let found = learn(&data, &with(ContextChoice::All), &()).unwrap().models.remove(0);
    let free = Impatient { patience: usize::MAX, asked: AtomicUsize::new(0) };
    let whole = learn(&data, &with(ContextChoice::Auto), &free).unwrap();
    assert_eq!((whole.stop, whole.models[0].contexts_chosen.is_some()), (StopReason::Converged, true));
    let questions = free.asked.load(Ordering::Relaxed);
    for patience in [1, questions / 3, questions / 2, questions - 2] {
        let observer = Impatient { patience, asked: AtomicUsize::new(0) };
        let cut = learn(&data, &with(ContextChoice::Auto), &observer).unwrap();
        assert_eq!(cut.stop, StopReason::Interrupted, "{patience} of {questions}");
        let model = &cut.models[0];
        assert_eq!(model.structure, found.structure);
        assert!(model.unconfirmed.is_some() != model.contexts_chosen.is_some(), "{patience} of {questions}");
        let edges: Vec<Edge> = model.structure.graph().edges().collect();
        assert!(!edges.is_empty() && model.confirmed.is_none());
    }
}

#[test]
fn a_search_that_was_interrupted_is_chosen_for_all_the_same_and_the_time_limit_ends_the_choice() {
    let data = tree();
    let found = learn(&data, &with(ContextChoice::All), &()).unwrap().models.remove(0);
    let cut = learn(&data, &with(ContextChoice::Auto), &common::Impatient::interrupting(20)).unwrap();
    assert_eq!(cut.stop, StopReason::Interrupted);
    assert_ne!(cut.models[0].climb.steps.len(), found.climb.steps.len());
    assert!(cut.models[0].contexts_chosen.unwrap().by.is_some());
    let late = learn(&data, &with(ContextChoice::Auto), &common::Impatient::new(20)).unwrap();
    assert_eq!(late.stop, StopReason::TimeLimit);
    assert!(late.models[0].contexts_chosen.is_none() && late.models[0].unconfirmed.is_some());
    assert!(late.models[0].fit.is_some());
}
