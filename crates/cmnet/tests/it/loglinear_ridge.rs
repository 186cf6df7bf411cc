//! Estimates with a ridge: the referee's gradient, and that no level is special.

use crate::loglinear_support::{
    BARE, Shape, TINY, dataset, full_table, generator, in_order, labelled, levels, log_probabilities, plain,
    sparse_problem, structure, table,
};
use cmnet::{Dataset, FitMethod, FitOptions, FitStatus, Model, Order, OutcomeSpace, RIDGE, Ridge, fit};
use cmnet_check::{LogLinear, PseudoCounts, likelihood_gradient_norm, pseudo_gradient_norm};

fn ridge(text: &str) -> Ridge {
    text.parse().unwrap()
}

#[test]
fn the_gradient_vanishes_by_the_referee() {
    let mut random = generator(71);
    for trial in 0..60 {
        let shape = Shape { edge_probability: 0.9, element_probability: [0.0, 0.3][trial % 2], ..TINY };
        let (structure, data) = sparse_problem(&mut random, shape, 40);
        let strengths = [vec![1.0], vec![0.3, 4.0], vec![0.0, 2.0], vec![20.0, 0.0, 5.0]][trial % 4].clone();
        let order = [Order::FULL, Order::at_most(2).unwrap(), Order::at_most(3).unwrap()][trial % 3];
        let model = LogLinear::of_order(
            &levels(&structure),
            &labelled(&structure),
            order.limit().unwrap_or(usize::MAX),
        );
        let model = model.unwrap().with_ridge(strengths.clone());
        let options =
            FitOptions { order, ridge: Ridge::by_order(strengths).unwrap(), ..FitOptions::default() };
        let exact = fit(&structure, &data, &options).unwrap();
        let phi = in_order(&model, &exact);
        let gradient = likelihood_gradient_norm(&table(&data), &model, &phi, 1.0).unwrap();
        assert!(gradient < 1e-9, "trial {trial}: {gradient:e}");
        // What is judged stays the bare estimate.
        let plain = fit(&structure, &data, &FitOptions { ridge: Ridge::NONE, ..options.clone() }).unwrap();
        assert_eq!((exact.bic(), &exact.boundary), (plain.bic(), &plain.boundary));
        assert_ne!(exact.status, FitStatus::IterationLimit);
        let pseudo = fit(&structure, &data, &FitOptions { method: FitMethod::Pseudo, ..options }).unwrap();
        let (phi, counts) = (in_order(&model, &pseudo), PseudoCounts { rows: 1.0, ridge: RIDGE });
        let gradient = pseudo_gradient_norm(&table(&data), &model, &phi, counts).unwrap();
        assert!(gradient < 1e-8, "trial {trial}: {gradient:e}");
    }
}

/// The same rows with the levels of every variable in reverse.
fn reversed(data: &Dataset) -> Dataset {
    let cardinalities = data.schema().cardinalities();
    let turn =
        |row: Vec<u32>| row.iter().zip(&cardinalities).map(|(level, levels)| levels - 1 - level).collect();
    let rows: Vec<Vec<u32>> = (0..data.distinct_rows()).map(|row| turn(data.row(row))).collect();
    dataset(&cardinalities, &rows, data.weights())
}

#[test]
fn no_level_is_special() {
    let mut random = generator(72);
    for trial in 0..10 {
        let shape = Shape { edge_probability: 0.9, element_probability: 0.0, ..TINY };
        let structure = structure(&mut random, shape);
        let data = full_table(&mut random, structure.cardinalities(), 0);
        let options = FitOptions { ridge: ridge(["2", "0.5,3"][trial % 2]), ..BARE };
        let one = log_probabilities(&fit(&structure, &data, &options).unwrap());
        let other = log_probabilities(&fit(&structure, &reversed(&data), &options).unwrap());
        let space =
            OutcomeSpace::new((0..structure.variables()).collect(), structure.cardinalities()).unwrap();
        for (cell, log) in one.iter().enumerate() {
            assert!((log - other[space.size() as usize - 1 - cell]).abs() < 1e-9, "trial {trial}");
        }
    }
}

/// A strong ridge leaves the margins of single variables, and nothing else.
#[test]
fn a_strong_ridge_leaves_independent_variables() {
    let data = dataset(&[2, 3], &[vec![0, 0], vec![0, 1], vec![1, 1], vec![1, 2]], &[30, 10, 20, 40]);
    let structure = plain(&[2, 3], &[(0, 1)]);
    let drawn = fit(&structure, &data, &FitOptions { ridge: ridge("1e9"), ..FitOptions::default() }).unwrap();
    let apart = fit(&plain(&[2, 3], &[]), &data, &FitOptions::default()).unwrap();
    for (one, other) in log_probabilities(&drawn).iter().zip(log_probabilities(&apart)) {
        assert!((one - other).abs() < 1e-5, "{one} {other}");
    }
}

#[test]
fn a_model_file_keeps_the_ridge() {
    let mut random = generator(73);
    let structure = plain(&[2, 2, 3], &[(0, 1), (0, 2), (1, 2)]);
    let data = full_table(&mut random, structure.cardinalities(), 1);
    let options = FitOptions { ridge: ridge("0.5,2"), ..FitOptions::default() };
    let fitted = fit(&structure, &data, &options).unwrap();
    let model = Model::new(data.schema().clone(), structure).unwrap().with_fit(fitted).unwrap();
    let text = model.to_json().unwrap();
    let read = Model::from_json(&text, "m.json").unwrap();
    assert_eq!(read.fit(), model.fit());
    assert_eq!(read.fit().unwrap().ridge, ridge("0.5,2"));
    let mut wrong: serde_json::Value = serde_json::from_str(&text).unwrap();
    wrong["parameters"]["ridge"][0] = serde_json::json!(-0.5);
    let refused = Model::from_json(&wrong.to_string(), "m.json").unwrap_err().to_string();
    assert!(refused.contains("parameters.ridge"), "{refused}");
}
