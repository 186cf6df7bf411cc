//! Choices by rows that are held out: the same by hand, and the same for the same seed.

use crate::common::Impatient;
use crate::loglinear_support::{Shape, TINY, generator, sparse_problem, structure, uniform_table};
use cmnet::{
    CountedTable, Criterion, FitOptions, FoldPlan, Folds, Judged, LearnOptions, Outcome, PlaneCounts, Ridge,
    Select, StopReason, Tune, cross_validate, evaluate, fit, learn, learn_counts, tune,
};
use cmnet_paper::generate::two_tree;

#[test]
fn kappa_by_held_out_rows_is_that_by_hand() {
    let mut random = generator(91);
    let data = uniform_table(&mut random, &[2, 2, 3, 2], 80);
    let kappas = ["eps", "n^-0.5", "0.9"].map(|kappa| kappa.parse().unwrap()).to_vec();
    let tune = Tune { seed: 7, ..Tune::NOTHING };
    for (select, parts) in [(Select::Heldout, 1), (Select::Cv, 5)] {
        let options = LearnOptions { kappas: kappas.clone(), select, tune, ..LearnOptions::default() };
        let learned = learn(&data, &options, &()).unwrap();
        let known = learned.by_rows.clone().unwrap();
        assert_eq!((known.parts, known.seed, learned.criterion), (parts, 7, Some(Criterion::Heldout)));
        assert_eq!(learned.models.len(), 1);
        assert_eq!(Some(learned.models[0].prior.kappa()), known.best(data.rows()));
        let folds = Folds::deal(&data, FoldPlan::Drawn { folds: 5, seed: 7 }).unwrap();
        let mut sums = vec![0.0; kappas.len()];
        let mut rows = 0;
        for fold in folds.iter().take(parts).map(Result::unwrap) {
            let bare = LearnOptions { select: Select::None, ..options.clone() };
            for (sum, model) in sums.iter_mut().zip(learn(&fold.training, &bare, &()).unwrap().models) {
                let fitted = fit(&model.structure, &fold.training, &FitOptions::default()).unwrap();
                let found = evaluate(&fitted, &fold.heldout);
                *sum += found.log_likelihood.unwrap() * found.rows as f64;
            }
            rows += fold.heldout.rows();
        }
        for (sum, (kappa, value)) in sums.iter().zip(&known.predictive) {
            assert!((sum / rows as f64 - value.unwrap()).abs() < 1e-7, "{kappa}");
        }
        let again = learn(&data, &options, &()).unwrap();
        assert_eq!(again.by_rows, learned.by_rows);
    }
}

/// Folds that were cut choose nothing, and say how far they came.
#[test]
fn folds_that_are_cut_are_counted() {
    let data = two_tree(6, 120, 4).unwrap().data;
    let kappas = ["eps", "n^-0.5"].map(|kappa| kappa.parse().unwrap()).to_vec();
    let options = LearnOptions { kappas, select: Select::Cv, threads: 1, ..LearnOptions::default() };
    let patient = Impatient::new(usize::MAX);
    let whole = learn(&data, &options, &patient).unwrap().by_rows.unwrap();
    assert_eq!((whole.finished, whole.parts, whole.is_cut()), (5, 5, false));
    let mut finished = Vec::new();
    for twentieth in 0..20 {
        let learned = learn(&data, &options, &Impatient::new(patient.asked() * twentieth / 20)).unwrap();
        let known = learned.by_rows.unwrap();
        finished.push(known.finished);
        if known.is_cut() {
            assert_eq!((learned.stop, known.stop), (StopReason::TimeLimit, StopReason::TimeLimit));
            assert!(known.predictive.is_empty() && known.best(data.rows()).is_none(), "{twentieth}");
            assert_eq!((learned.criterion, learned.selected), (Some(Criterion::Bic), Some(0)), "{twentieth}");
        } else {
            assert_eq!((&known, learned.criterion), (&whole, Some(Criterion::Heldout)), "{twentieth}");
        }
    }
    assert!(finished.is_sorted() && finished[0] == 0 && finished.contains(&3), "{finished:?}");
}

#[test]
fn the_rows_of_kappas_in_a_cross_validation_have_no_tuned_ridge() {
    let data = two_tree(6, 120, 3).unwrap().data;
    let kappas = ["eps", "n^-0.25", "0.9"].map(|kappa| kappa.parse().unwrap()).to_vec();
    let plan = FoldPlan::Drawn { folds: 4, seed: 5 };
    let plain = LearnOptions { kappas, ..LearnOptions::default() };
    let tuned = LearnOptions { tune: Tune { ridge: true, ..Tune::NOTHING }, ..plain.clone() };
    let [plain, tuned] = [&plain, &tuned].map(|options| cross_validate(&data, plan, options, &()).unwrap());
    assert_eq!(plain.rows[1..], tuned.rows[1..]);
    assert_ne!(plain.rows[0], tuned.rows[0], "the choice itself has a ridge");
}

#[test]
fn a_ridge_by_held_out_rows_predicts_no_worse_than_none() {
    let mut random = generator(92);
    for _ in 0..3 {
        let shape = Shape { edge_probability: 1.0, element_probability: 0.0, ..TINY };
        let (structure, data) = sparse_problem(&mut random, shape, 60);
        if data.rows() < 20 {
            continue;
        }
        let judged = Judged { structure: &structure, relearned: &[], data: &data, target: None };
        let both = Tune { order: true, ridge: true, seed: 3 };
        let Outcome::Done(tuned) = tune(judged, &FitOptions::default(), both, &()).unwrap() else { panic!() };
        let plain = tuned.tried.iter().find(|one| one.ridge.is_none()).unwrap().predictive;
        assert!(tuned.predictive() >= plain);
        assert!(!tuned.options.ridge.is_none(), "rows without any structure"); // interactions are noise
        let Outcome::Done(again) = tune(judged, &FitOptions::default(), both, &()).unwrap() else { panic!() };
        assert_eq!(again, tuned);
    }
}

#[test]
fn what_was_tuned_is_what_is_fitted() {
    let mut random = generator(93);
    let data = uniform_table(&mut random, &[2, 2, 2], 60);
    let tune = Tune { order: true, ridge: true, seed: 1 };
    let options = LearnOptions { kappas: vec!["0.99".parse().unwrap()], tune, ..LearnOptions::default() };
    let learned = learn(&data, &options, &()).unwrap();
    let (tuned, model) = (learned.tuned.clone().unwrap(), &learned.models[0]);
    let fitted = model.fit.as_ref().unwrap();
    assert_eq!(fitted.ridge, tuned.options.ridge);
    assert_eq!(fitted.parameters, fit(&model.structure, &data, &tuned.options).unwrap().parameters);
}

#[test]
fn counts_have_no_rows_to_hold_out() {
    let mut random = generator(94);
    let cardinalities = structure(&mut random, TINY).cardinalities().to_vec();
    let data = uniform_table(&mut random, &cardinalities, 30);
    let counts = PlaneCounts::new(&data);
    let table = CountedTable::new(&counts, data.schema()).unwrap();
    let refused = |options: LearnOptions| learn_counts(&table, &options, &()).unwrap_err().to_string();
    let text = refused(LearnOptions { select: Select::Cv, ..LearnOptions::default() });
    assert!(text.contains("none to hold out"), "{text}");
    refused(LearnOptions { target: Some(0), ..LearnOptions::default() });
    let fit = FitOptions { ridge: Ridge::by_order(vec![1.0]).unwrap(), ..FitOptions::default() };
    learn_counts(&table, &LearnOptions { fit, ..LearnOptions::default() }, &()).unwrap();
}
