//! Terms of limited order: counts, restrictions and estimates against the referee.

use crate::loglinear_support::{
    BARE, Shape, TINY, full_table, generator, in_order, labelled, levels, log_probabilities, plain,
    structure, table,
};
use cmnet::{
    Coordinates, Edge, FitMethod, FitOptions, FitStatus, Model, Order, OutcomeSpace, RIDGE, Terms, fit,
    largest_violation, parameter_count_of,
};
use cmnet_check::{
    LogLinear, PseudoCounts, likelihood_gradient_norm, maximum_likelihood, maximum_pseudo_likelihood,
    pseudo_gradient_norm,
};

fn order(limit: usize) -> Order {
    Order::at_most(limit).unwrap()
}

#[test]
fn limited_orders_have_the_referees_parameters_on_three_hundred_structures() {
    let mut random = generator(61);
    let mut restricted = 0;
    for trial in 0..300 {
        let shape = Shape { variables: (3, 6), edge_probability: 0.8, ..TINY };
        let structure = structure(&mut random, shape);
        let limit = 2 + trial % 3;
        let terms = Terms::of_order(&structure, order(limit), None).unwrap();
        let referee = LogLinear::of_order(&levels(&structure), &labelled(&structure), limit).unwrap();
        assert_eq!(terms.len(), referee.terms().len());
        let count = parameter_count_of(&structure, &terms, &()).unwrap();
        assert_eq!(count, referee.parameter_count());
        assert_eq!(Coordinates::new(&structure, &terms).unwrap().len(), count);
        restricted += usize::from(count < terms.len());
    }
    assert!(restricted > 100, "{restricted}");
}

#[test]
fn estimates_of_limited_order_are_the_referees() {
    let mut random = generator(62);
    let mut iterated = 0;
    for trial in 0..40 {
        let element_probability = [0.0, 0.3][trial % 2];
        let structure = structure(&mut random, Shape { edge_probability: 0.9, element_probability, ..TINY });
        let limit = 2 + trial % 2;
        let data = full_table(&mut random, structure.cardinalities(), 1);
        let model = LogLinear::of_order(&levels(&structure), &labelled(&structure), limit).unwrap();
        let exact = fit(&structure, &data, &FitOptions { order: order(limit), ..BARE }).unwrap();
        assert_eq!(exact.status, FitStatus::Converged);
        let phi = in_order(&model, &exact);
        assert!(likelihood_gradient_norm(&table(&data), &model, &phi, 0.0).unwrap() < 1e-10);
        let best = maximum_likelihood(&table(&data), &model).unwrap();
        assert!((exact.log_likelihood.unwrap() - best.log_likelihood).abs() < 1e-6, "trial {trial}");
        assert_eq!(exact.free_parameters, model.parameter_count());
        iterated += usize::from(exact.iterations > 0);
        let options = FitOptions { method: FitMethod::Pseudo, order: order(limit), ..FitOptions::default() };
        let pseudo = fit(&structure, &data, &options).unwrap();
        let (phi, counts) = (in_order(&model, &pseudo), PseudoCounts { rows: 1.0, ridge: RIDGE });
        assert!(pseudo_gradient_norm(&table(&data), &model, &phi, counts).unwrap() < 1e-9);
        let best = maximum_pseudo_likelihood(&table(&data), &model, PseudoCounts::NONE).unwrap();
        assert!((pseudo.pseudo_log_likelihood.unwrap() - best).abs() < 1e-6);
    }
    assert!(iterated > 20, "{iterated}");
}

/// A context holds in its configurations at any order: there the edge's log odds ratios are zero.
#[test]
fn contexts_hold_at_any_order() {
    let mut random = generator(63);
    let cardinalities = [2, 3, 2, 2];
    let mut structure = plain(&cardinalities, &[(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]);
    let edge = Edge::new(0, 1).unwrap();
    structure.add_context_element(edge, 3).unwrap(); // both others at their last level
    let data = full_table(&mut random, &cardinalities, 1);
    let space = OutcomeSpace::new((0..4).collect(), &cardinalities).unwrap();
    let mut free = Vec::new();
    for limit in [order(2), order(3), Order::FULL] {
        let fitted = fit(&structure, &data, &FitOptions { order: limit, ..BARE }).unwrap();
        assert!(largest_violation(&structure, fitted.parameters.terms(), fitted.parameters.values()) < 1e-10);
        let logs = log_probabilities(&fitted);
        let at = |row: [u32; 4]| logs[space.cell(&row) as usize];
        let odds = |level: u32, k: u32, l: u32| {
            at([0, 0, k, l]) + at([1, level, k, l]) - at([0, level, k, l]) - at([1, 0, k, l])
        };
        for level in 1..3 {
            assert!(odds(level, 1, 1).abs() < 1e-10);
        }
        // With pairs alone, what vanishes in one configuration vanishes in all.
        let elsewhere = odds(1, 0, 0).abs();
        assert_eq!(elsewhere < 1e-10, limit == order(2), "{limit}: {elsewhere}");
        free.push(fitted.free_parameters);
    }
    assert_eq!(free, [5 + 9 - 2, 5 + 9 + 7 - 2, 23 - 2]);
}

/// An order that no clique goes beyond changes nothing.
#[test]
fn a_large_order_is_the_full_one() {
    let mut random = generator(64);
    for _ in 0..10 {
        let structure = structure(&mut random, TINY);
        let data = full_table(&mut random, structure.cardinalities(), 0);
        let full = fit(&structure, &data, &FitOptions::default()).unwrap();
        let large = fit(&structure, &data, &FitOptions { order: order(5), ..FitOptions::default() }).unwrap();
        assert_eq!(full.parameters.values(), large.parameters.values());
        assert_eq!(Some(full.bic()), Some(large.bic()));
    }
}

#[test]
fn a_model_file_keeps_the_order() {
    let mut random = generator(65);
    let structure = plain(&[2, 2, 3], &[(0, 1), (0, 2), (1, 2)]);
    let data = full_table(&mut random, structure.cardinalities(), 1);
    let fitted = fit(&structure, &data, &FitOptions { order: order(2), ..FitOptions::default() }).unwrap();
    let model = Model::new(data.schema().clone(), structure).unwrap().with_fit(fitted).unwrap();
    let text = model.to_json().unwrap();
    assert!(text.contains("\"order\": 2"), "{text}");
    let read = Model::from_json(&text, "m.json").unwrap();
    assert_eq!((read.order(), read.fit()), (order(2), model.fit()));
    let refused =
        Model::from_json(&text.replace("\"order\": 2", "\"order\": 1"), "m.json").unwrap_err().to_string();
    assert!(refused.contains("parameters.order"), "{refused}");
    Model::from_json(&text.replace("\"order\": 2,", ""), "m.json").unwrap_err(); // the term of three is missing
}
