//! Estimates on the boundary: zero margins, rows of very unequal weight, and what is told of them.

use crate::loglinear_support::{
    BARE, Shape, TINY, dataset, generator, in_order, labelled, levels, log_probabilities, plain, referee,
    sparse_problem, structure, table,
};
use cmnet::{
    Dataset, FitMethod, FitOptions, FitStatus, FoldPlan, Folds, LearnOptions, ReadOptions, Source, Structure,
    fit, learn, read_csv,
};
use cmnet_check::{Ending, LogLinear, likelihood_gradient_norm};
use rand::Rng;

/// Problems with so few rows that most lie on the boundary, every second one with contexts.
fn sparse_problems(seed: u64, trials: usize, most_rows: usize) -> impl Iterator<Item = (Structure, Dataset)> {
    let mut random = generator(seed);
    (0..trials).map(move |trial| {
        let shape = Shape { element_probability: [0.0, 0.2][trial % 2], ..TINY };
        sparse_problem(&mut random, shape, most_rows)
    })
}

#[test]
fn sparse_tables_end_at_the_boundary_with_the_supremum_and_finite_numbers() {
    let mut at_boundary = 0;
    for (structure, data) in sparse_problems(23, 150, 40) {
        let expected = referee(&structure, &data);
        for smoothing in [0.0, 1.0] {
            let fitted = fit(&structure, &data, &FitOptions { smoothing, ..BARE }).unwrap();
            let found = fitted.log_likelihood.unwrap();
            assert!((found - expected.log_likelihood).abs() < 1e-5, "{found} {}", expected.log_likelihood);
            let boundary = matches!(expected.ending, Ending::Boundary { .. });
            assert_eq!(fitted.status == FitStatus::Boundary, boundary, "{:?}", expected.ending);
            assert_eq!(fitted.boundary.is_empty(), !boundary);
            at_boundary += usize::from(boundary);
            let logs = log_probabilities(&fitted);
            assert!(logs.iter().all(|log| log.is_finite()));
            let total: f64 = logs.iter().map(|&log| libm::exp(log)).sum();
            assert!((total - 1.0).abs() < 1e-9);
            if smoothing > 0.0 {
                assert!(logs.iter().all(|&log| log > -30.0));
            }
        }
    }
    assert!(at_boundary > 100, "{at_boundary}");
}

/// Where there is no finite estimate the bare one is what pseudo-counts of a ten-millionth of a row
/// for each row makes of it, whatever the way there; by then the stated rule is met.
#[test]
fn a_bare_estimate_at_the_boundary_ends_where_the_stated_rule_is_met() {
    let mut at_boundary = 0;
    for (trial, (structure, data)) in sparse_problems(25, 200, 60).enumerate() {
        let bare = fit(&structure, &data, &BARE).unwrap();
        if bare.status != FitStatus::Boundary {
            continue;
        }
        at_boundary += 1;
        let model = LogLinear::new(&levels(&structure), &labelled(&structure)).unwrap();
        let phi = in_order(&model, &bare);
        let slope =
            |pseudo_counts| likelihood_gradient_norm(&table(&data), &model, &phi, pseudo_counts).unwrap();
        assert!(slope(bare.smoothing) < 1e-10 && slope(0.0) <= 1e-7, "trial {trial}: {:e}", slope(0.0));
        assert!((bare.smoothing - BARE.tolerance * data.rows() as f64).abs() < 1e-15);
        let little = fit(&structure, &data, &FitOptions { smoothing: bare.smoothing, ..BARE }).unwrap();
        assert_eq!(little, bare);
        // Ten times the precision is further out.
        let precise =
            fit(&structure, &data, &FitOptions { tolerance: BARE.tolerance / 10.0, ..BARE }).unwrap();
        assert!(precise.smoothing < bare.smoothing / 5.0);
        assert_eq!(precise.log_likelihood, bare.log_likelihood);
    }
    assert!(at_boundary > 100, "{at_boundary}");
}

#[test]
fn an_unobserved_level_concerns_its_terms_and_only_those() {
    let structure = plain(&[2, 3, 2], &[(0, 1)]);
    let rows = vec![vec![0, 0, 0], vec![0, 1, 1], vec![1, 0, 1], vec![1, 1, 0], vec![1, 1, 1]];
    let data = dataset(&[2, 3, 2], &rows, &[1; 5]);
    let fitted = fit(&structure, &data, &BARE).unwrap();
    assert_eq!(fitted.status, FitStatus::Boundary);
    let concerned: Vec<String> = fitted
        .boundary
        .iter()
        .map(|term| format!("{:?}{:?}", term.variables.as_slice(), term.levels))
        .collect();
    assert_eq!(concerned, ["[1][2]", "[0, 1][1, 2]"]);
    let smoothed = fit(&structure, &data, &FitOptions { smoothing: 1.0, ..BARE }).unwrap();
    assert_eq!(smoothed.log_likelihood, fitted.log_likelihood);
    let log = smoothed.parameters.evaluator().log_probability(&[0, 2, 0]).unwrap();
    // (0 + 1/6) / 6 for the pair, (2 + 1/2) / 6 for the last variable
    assert!((libm::exp(log) - (1.0 / 36.0) * (2.5 / 6.0)).abs() < 1e-12);
}

/// On the way to a boundary the curvature can become singular to rounding before the gain is
/// negligible; the estimate has ended all the same.
#[test]
fn estimates_of_the_mushroom_folds_all_end() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/mushroom.csv");
    let data = read_csv(&Source::from_argument(path), &ReadOptions::default()).unwrap().data;
    let options = LearnOptions { kappas: vec!["n^-0.25".parse().unwrap()], ..LearnOptions::default() };
    let mut boundaries = 0;
    for fold in Folds::deal(&data, FoldPlan::Drawn { folds: 10, seed: 1 }).unwrap().iter() {
        let learned = learn(&fold.unwrap().training, &options, &()).unwrap();
        let fit = learned.models[0].fit.clone().unwrap();
        assert_ne!(fit.status, FitStatus::IterationLimit);
        boundaries += usize::from(fit.status == FitStatus::Boundary);
    }
    assert!(boundaries > 0);
}

/// Most directions of this table have no information at all, and the factor of the curvature
/// must survive that: 828 and 814 terms are not determined by the cells that stay possible, as
/// the ranks of those cells' features say, computed elsewhere by singular values.
#[test]
fn the_terms_of_mushroom_without_an_estimate_are_counted_right() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/mushroom.csv");
    let data = read_csv(&Source::from_argument(path), &ReadOptions::default()).unwrap().data;
    let kappas = ["eps", "n^-0.25"].map(|kappa| kappa.parse().unwrap()).to_vec();
    let learned = learn(&data, &LearnOptions { kappas, ..LearnOptions::default() }, &()).unwrap();
    let counts = learned.models.iter().map(|model| model.fit.as_ref().unwrap().boundary.len());
    assert_eq!(counts.collect::<Vec<_>>(), [828, 814]);
}

/// A few rows, some of them a billion times: the curvature is lost in rounding before the
/// climb is over.
#[test]
fn rows_of_very_unequal_weight_are_fitted_to_the_end() {
    let mut random = generator(26);
    let mut boundaries = 0;
    for trial in 0..600 {
        let shape = Shape {
            variables: (2, 5),
            most_levels: 3,
            edge_probability: 0.8,
            element_probability: [0.0, 0.3][trial % 2],
        };
        let structure = structure(&mut random, shape);
        let cardinalities = structure.cardinalities();
        let distinct = random.random_range(1..5);
        let rows: Vec<Vec<u32>> = (0..distinct)
            .map(|_| cardinalities.iter().map(|&levels| random.random_range(0..levels)).collect())
            .collect();
        let weights: Vec<u32> = (0..distinct).map(|_| 10u32.pow(random.random_range(0..9))).collect();
        let data = dataset(cardinalities, &rows, &weights);
        let unseen = (0..data.variables()).any(|variable| data.level_counts(variable).contains(&0));
        for (method, smoothing) in [
            (FitMethod::Exact, 0.0),
            (FitMethod::Exact, 1.0),
            (FitMethod::Pseudo, 0.0),
            (FitMethod::Pseudo, 1.0),
        ] {
            let what = format!("trial {trial}, {method:?}, {smoothing}: {rows:?} {weights:?}");
            let fitted = fit(&structure, &data, &FitOptions { method, smoothing, ..BARE }).unwrap();
            assert_ne!(fitted.status, FitStatus::IterationLimit, "{what}");
            assert!(fitted.gradient < 1e-6, "{what}: {}", fitted.gradient);
            let boundary = fitted.status == FitStatus::Boundary;
            assert!(boundary || !unseen, "{what}");
            assert_eq!(fitted.boundary.is_empty(), !boundary, "{what}");
            for (variable, counts) in (0..data.variables()).map(|v| (v, data.level_counts(v))) {
                for level in (1..counts.len()).filter(|&level| counts[level] == 0 && counts[0] > 0) {
                    let named = fitted
                        .boundary
                        .iter()
                        .any(|term| term.variables.as_slice() == [variable] && term.levels == [level as u32]);
                    assert!(named, "{what}: variable {variable}, level {level}: {:?}", fitted.boundary);
                }
            }
            assert!(fitted.parameters.values().iter().all(|value| value.abs() < 200.0), "{what}");
            boundaries += usize::from(boundary);
            if let Some(found) = fitted.log_likelihood {
                let referee = referee(&structure, &data).log_likelihood;
                let rounding = 1e-9 * referee.abs() + 3e-12 * data.rows() as f64 + 1e-6;
                assert!(found > referee - rounding, "{what}: {found} {referee}");
            }
        }
    }
    assert!((1000..2400).contains(&boundaries), "{boundaries}");
}
