//! Estimates that predict one variable: the referee's gradient, and logistic regression.

use crate::common::Impatient;
use crate::loglinear_support::{
    Shape, TINY, dataset, generator, in_order, labelled, levels, plain, sparse_problem, table, uniform_table,
};
use cmnet::{
    Dataset, Estimate, FitMethod, FitOptions, FitStatus, FoldPlan, Folds, LearnOptions, Model, Order, RIDGE,
    Ridge, StopReason, fit, learn,
};
use cmnet_check::{LogLinear, PseudoCounts, pseudo_log_likelihood, target_gradient_norm};
use rand::Rng;

fn options(target: usize, order: Order, strengths: Vec<f64>) -> FitOptions {
    let ridge = Ridge::by_order(strengths).unwrap();
    FitOptions { target: Some(target), order, ridge, ..FitOptions::default() }
}

#[test]
fn the_gradient_vanishes_by_the_referee() {
    let mut random = generator(81);
    for trial in 0..40 {
        let shape = Shape { edge_probability: 0.9, element_probability: [0.0, 0.3][trial % 2], ..TINY };
        let (structure, data) = sparse_problem(&mut random, shape, 40);
        let strengths = [vec![1.0], vec![0.3, 4.0], vec![0.0, 2.0]][trial % 3].clone();
        let order = [Order::FULL, Order::at_most(2).unwrap(), Order::at_most(3).unwrap()][trial / 2 % 3];
        let target = trial % structure.variables();
        let fitted = fit(&structure, &data, &options(target, order, strengths.clone())).unwrap();
        assert_eq!((fitted.estimate, fitted.target), (Estimate::Pseudo, Some(target)));
        assert_eq!(fitted.status, FitStatus::Converged);
        let limit = order.limit().unwrap_or(usize::MAX);
        let model = LogLinear::of_order(&levels(&structure), &labelled(&structure), limit).unwrap();
        let model = model.with_ridge(strengths);
        let (phi, counts) = (in_order(&model, &fitted), PseudoCounts { rows: 1.0, ridge: RIDGE });
        let gradient = target_gradient_norm(&table(&data), &model, &phi, counts, target).unwrap();
        assert!(gradient < 1e-8, "trial {trial}: {gradient:e}");
        let value = pseudo_log_likelihood(&table(&data), &model, &phi).unwrap();
        assert!((fitted.pseudo_log_likelihood.unwrap() - value).abs() < 1e-7, "trial {trial}");
    }
}

/// With pairs alone the target's conditional is a logistic regression on the others: edges among
/// these do not matter.
#[test]
fn edges_among_the_others_do_not_move_the_target() {
    let mut random = generator(82);
    let cardinalities = [3, 2, 2, 3];
    let data = uniform_table(&mut random, &cardinalities, 60);
    let pairs = Order::at_most(2).unwrap();
    let conditional = |edges: &[(usize, usize)]| -> Vec<f64> {
        let fitted = fit(&plain(&cardinalities, edges), &data, &options(0, pairs, vec![1.0])).unwrap();
        let evaluator = fitted.parameters.evaluator();
        (0..data.distinct_rows()).flat_map(|row| evaluator.conditional(0, &data.row(row))).collect()
    };
    let star = conditional(&[(0, 1), (0, 2), (0, 3)]);
    let all = conditional(&[(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]);
    for (one, other) in star.iter().zip(&all) {
        assert!((one - other).abs() < 1e-8, "{one} {other}");
    }
}

/// Two binary variables and a ridge: the regression's equation by hand.
#[test]
fn one_feature_is_the_regression_by_hand() {
    let data = dataset(&[2, 2], &[vec![0, 0], vec![0, 1], vec![1, 0], vec![1, 1]], &[30, 10, 15, 45]);
    let pairs = Order::at_most(2).unwrap();
    let fitted = fit(
        &plain(&[2, 2], &[(0, 1)]),
        &data,
        &FitOptions { smoothing: 1e-12, ..options(0, pairs, vec![2.0]) },
    );
    let phi = fitted.unwrap().parameters.values().to_vec();
    // log p(1 | x) / p(0 | x) = phi_0 + phi_01 [x = 1]; each theta is a quarter of phi_01.
    let (own, both) = (phi[0], phi[2]);
    let p = |x: f64| 1.0 / (1.0 + libm::exp(-own - both * x));
    let by_own = 15.0 + 45.0 - 45.0 * p(0.0) - 55.0 * p(1.0);
    let by_both = 45.0 - 55.0 * p(1.0) - 2.0 * 4.0 * (both / 4.0) / 4.0;
    assert!(by_own.abs() < 1e-5 && by_both.abs() < 1e-5, "{by_own} {by_both}");
}

#[test]
fn a_model_file_keeps_the_target() {
    let mut random = generator(83);
    let structure = plain(&[2, 2, 3], &[(0, 1), (0, 2)]);
    let data = uniform_table(&mut random, &[2, 2, 3], 50);
    let fitted = fit(&structure, &data, &options(0, Order::FULL, vec![1.0])).unwrap();
    let model = Model::new(data.schema().clone(), structure.clone()).unwrap().with_fit(fitted).unwrap();
    let text = model.to_json().unwrap();
    assert!(text.contains("\"target\": \"x0\""), "{text}");
    assert_eq!(Model::from_json(&text, "m.json").unwrap().fit(), model.fit());
    let exact = FitOptions { method: FitMethod::Exact, ..options(0, Order::FULL, vec![1.0]) };
    let refused = fit(&structure, &data, &exact).unwrap_err().to_string();
    assert!(refused.contains("conditional likelihood"), "{refused}");
}

/// A class that nine independent signs inform a little each: full tables pay for few of them, and
/// rows that are held out prefer terms with all.
fn weak_signs(rows: usize) -> Dataset {
    let mut random = generator(84);
    let row = |random: &mut rand_pcg::Pcg64Mcg| {
        let signs: Vec<u32> = (0..9).map(|_| random.random_range(0..2u32)).collect();
        let up = f64::from(signs.iter().sum::<u32>());
        let class = u32::from(random.random_bool(1.0 / (1.0 + libm::exp(1.6 * (4.5 - up)))));
        std::iter::once(class).chain(signs).collect()
    };
    let rows: Vec<Vec<u32>> = (0..rows).map(|_| row(&mut random)).collect();
    dataset(&[2; 10], &rows, &vec![1; rows.len()])
}

#[test]
fn learning_with_a_target_is_repeatable_and_predicts() {
    let data = weak_signs(400);
    let options = LearnOptions { target: Some(0), threads: 1, ..LearnOptions::default() };
    let model = |options: &LearnOptions| {
        let learned = learn(&data, options, &()).unwrap();
        let kept = learned.kept(data.rows()).unwrap();
        (kept.target.clone().unwrap(), kept.to_model(&data, options, &learned.search).unwrap())
    };
    let (found, kept) = model(&options);
    assert_eq!(model(&options).1.to_json().unwrap(), kept.to_json().unwrap());
    assert!(found.is_connected, "{:?}", found.tuned);
    assert_eq!(kept.structure().markov_blanket(0).len(), 9);
    assert!(found.predictive().unwrap() > -0.5, "{:?}", found.predictive());
}

#[test]
fn a_target_that_is_ended_early_says_so() {
    let data = weak_signs(200);
    let options = LearnOptions { target: Some(0), threads: 1, ..LearnOptions::default() };
    let patient = Impatient::new(usize::MAX);
    let whole = learn(&data, &options, &patient).unwrap();
    assert_eq!(whole.stop, StopReason::Converged);
    let asked = patient.asked();
    for patience in [asked - 1, asked * 3 / 4, asked / 2] {
        let cut = learn(&data, &options, &Impatient::new(patience)).unwrap();
        assert_eq!(cut.stop, StopReason::TimeLimit, "after {patience} of {asked} questions");
        assert!(cut.models.iter().all(|model| model.target.is_none()));
    }
}

/// The structure as learned is judged by structures that have not seen the rows which judge.
#[test]
fn the_structure_as_learned_is_judged_without_the_held_out_rows() {
    let data = weak_signs(120);
    let options = LearnOptions { target: Some(0), threads: 1, ..LearnOptions::default() };
    let learned = learn(&data, &options, &()).unwrap();
    let found = learned.kept(data.rows()).unwrap().target.clone().unwrap();
    let [Some(as_learned), _] = &found.tuned else { panic!("{:?}", found.tuned) };
    let folds = Folds::deal(&data, FoldPlan::Drawn { folds: 5, seed: options.tune.seed }).unwrap();
    let bare = LearnOptions { target: None, ..options };
    let mut sum = 0.0;
    for fold in folds.iter().map(Result::unwrap) {
        let own = learn(&fold.training, &bare, &()).unwrap();
        let structure = &own.kept(fold.training.rows()).unwrap().structure;
        let fitted = fit(structure, &fold.training, &FitOptions::default()).unwrap();
        let evaluator = fitted.parameters.evaluator();
        for (row, &weight) in fold.heldout.weights().iter().enumerate() {
            let levels = fold.heldout.row(row);
            sum += f64::from(weight) * libm::log(evaluator.conditional(0, &levels)[levels[0] as usize]);
        }
    }
    let without = as_learned.tried.iter().find(|one| one.ridge.is_none()).unwrap();
    assert!((sum / 120.0 - without.predictive.unwrap()).abs() < 1e-7, "{sum} {without:?}");
}
