//! Maximum likelihood against closed forms and the paper's coronary heart data.

use crate::common::{Random, coronary_heart, coronary_with_contexts, structure};
use cmnet_check::{
    CheckError, Ending, Labelled, LogLinear, Table, likelihood_gradient_norm, log_likelihood,
    maximum_likelihood, restriction_violation,
};

#[test]
fn independent_variables_have_their_frequencies() {
    let rows = vec![vec![0, 0], vec![0, 1], vec![1, 2]];
    let table = Table::new(vec![2, 3], rows, vec![1, 2, 1]).unwrap();
    let model = LogLinear::new(&[2, 3], &Labelled::default()).unwrap();
    let fit = maximum_likelihood(&table, &model).unwrap();
    let log = libm::log;
    let expected = 3.0 * log(0.75) + log(0.25) + 2.0 * log(0.25) + 2.0 * log(0.5);
    assert!((fit.log_likelihood - expected).abs() < 1e-9);
    assert_eq!(fit.ending, Ending::Converged);
    assert!((fit.log_probabilities[1] - log(0.75 * 0.5)).abs() < 1e-9);
}

#[test]
fn coronary_heart_without_contexts() {
    let edges = [(0, 2), (0, 3), (0, 4), (1, 2), (3, 4)];
    expect_fit(&structure(&edges, &[]), 12, -6685.0101);
}

#[test]
fn coronary_heart_with_contexts() {
    expect_fit(&coronary_with_contexts(), 10, -6678.0039);
}

fn expect_fit(structure: &Labelled, parameters: usize, expected: f64) {
    let table = coronary_heart();
    let model = LogLinear::new(&[2; 6], structure).unwrap();
    assert_eq!(model.parameter_count(), parameters);
    let fit = maximum_likelihood(&table, &model).unwrap();
    assert_eq!(fit.ending, Ending::Converged);
    assert!((fit.log_likelihood - expected).abs() < 1e-4, "{}", fit.log_likelihood);
    assert!(fit.gradient_norm <= 1e-10);
    assert!(restriction_violation(&model, &fit.phi).unwrap() < 1e-12);
    let total: f64 = fit.log_probabilities.iter().map(|log_p| libm::exp(*log_p)).sum();
    assert!((total - 1.0).abs() < 1e-12);
}

/// A 2 x 2 table with an empty cell: the saturated model would need phi = -infinity, and the
/// supremum is the entropy of the observed frequencies.
#[test]
fn a_zero_margin_is_reported_as_boundary() {
    let rows = vec![vec![0, 0], vec![0, 1], vec![1, 0]];
    let table = Table::new(vec![2, 2], rows, vec![2, 1, 1]).unwrap();
    let model = LogLinear::new(&[2, 2], &structure(&[(0, 1)], &[])).unwrap();
    let fit = maximum_likelihood(&table, &model).unwrap();
    assert_eq!(fit.ending, Ending::Boundary { terms: vec![2] });
    let supremum = 2.0 * libm::log(0.5) + 2.0 * libm::log(0.25);
    assert!((fit.log_likelihood - supremum).abs() < 1e-8);
    assert!(fit.phi.iter().all(|phi| phi.is_finite()));
}

/// The three judges of a given estimate notice when it is not one.
#[test]
fn wrong_estimates_are_noticed() {
    let mut random = Random(4);
    for _ in 0..50 {
        let table = random.table(4, 3, 200);
        let structure = random.structure(table.cardinalities());
        let model = LogLinear::new(table.cardinalities(), &structure).unwrap();
        let fit = maximum_likelihood(&table, &model).unwrap();
        assert_ne!(fit.ending, Ending::IterationLimit);
        let best = log_likelihood(&table, &model, &fit.phi).unwrap();
        assert!((best - fit.log_likelihood).abs() < 1e-9);
        assert!(likelihood_gradient_norm(&table, &model, &fit.phi, 0.0).unwrap() <= 1e-10);
        assert!(restriction_violation(&model, &fit.phi).unwrap() < 1e-9);
        for direction in model.free_directions() {
            let mut moved = fit.phi.clone();
            for (term, change) in direction {
                moved[term] += 0.1 * change;
            }
            assert!(restriction_violation(&model, &moved).unwrap() < 1e-9);
            assert!(log_likelihood(&table, &model, &moved).unwrap() < best + 1e-6);
        }
        if let Some(restriction) = model.restrictions().first() {
            let mut broken = fit.phi.clone();
            broken[restriction.terms[0]] += 0.5;
            assert!(restriction_violation(&model, &broken).unwrap() > 0.49);
        }
    }
}

#[test]
fn the_gradient_is_the_derivative() {
    let table = coronary_heart();
    let model = LogLinear::new(&[2; 6], &structure(&[(1, 2)], &[])).unwrap();
    let phi = vec![0.1; model.terms().len()];
    let norm = likelihood_gradient_norm(&table, &model, &phi, 0.0).unwrap();
    let slopes = (0..phi.len()).map(|term| {
        let at = |by: f64| {
            let mut moved = phi.clone();
            moved[term] += by;
            log_likelihood(&table, &model, &moved).unwrap()
        };
        ((at(1e-5) - at(-1e-5)) / 2e-5 / 1841.0).abs()
    });
    assert!((slopes.fold(0.0, f64::max) - norm).abs() < 1e-6);
}

#[test]
fn what_does_not_fit_together_is_refused() {
    let table = coronary_heart();
    let model = LogLinear::new(&[2; 6], &Labelled::default()).unwrap();
    let too_few = restriction_violation(&model, &[0.0; 5]);
    assert_eq!(too_few, Err(CheckError::PhiCount { found: 5, expected: 6 }));
    let mut phi = vec![0.0; 6];
    phi[3] = f64::NAN;
    let not_finite = Err(CheckError::PhiNotFinite { term: 3 });
    assert_eq!(log_likelihood(&table, &model, &phi), not_finite);
    let empty = Table::new(vec![2; 6], Vec::new(), Vec::new()).unwrap();
    assert_eq!(maximum_likelihood(&empty, &model), Err(CheckError::NoObservations));
    let other = LogLinear::new(&[2; 5], &Labelled::default()).unwrap();
    assert_eq!(maximum_likelihood(&table, &other), Err(CheckError::NoSuchElement));
}
