//! Maximum pseudo-likelihood: where it must equal maximum likelihood, that it is a maximum,
//! and that it goes where exact fitting can not.

use crate::loglinear_support::{
    SMALL, Shape, TINY, dataset, full_table, generator, grid, in_order, labelled, levels, plain,
    sparse_problem, structure, table,
};
use cmnet::{
    Coordinates, Dataset, Estimate, Fit, FitMethod, FitOptions, FitStatus, Parameters, RIDGE, Structure,
    Terms, fit, largest_violation,
};
use cmnet_check::{LogLinear, PseudoCounts, maximum_pseudo_likelihood, pseudo_gradient_norm};
use rand::Rng;
use rand_pcg::Pcg64Mcg;

fn options(method: FitMethod, smoothing: f64) -> FitOptions {
    FitOptions { method, smoothing, ..FitOptions::default() }
}

#[test]
fn a_complete_graph_has_one_estimate() {
    let mut random = generator(31);
    let edges: Vec<(usize, usize)> = (0..4).flat_map(|i| (i + 1..4).map(move |j| (i, j))).collect();
    let structure = plain(&[2, 3, 2, 2], &edges);
    let data = full_table(&mut random, structure.cardinalities(), 1);
    let exact = fit(&structure, &data, &options(FitMethod::Exact, 0.0)).unwrap();
    let pseudo = fit(&structure, &data, &options(FitMethod::Pseudo, 0.0)).unwrap();
    assert_eq!((exact.estimate, pseudo.estimate), (Estimate::Exact, Estimate::Pseudo));
    for (one, other) in exact.parameters.values().iter().zip(pseudo.parameters.values()) {
        assert!((one - other).abs() < 1e-8);
    }
    assert!(pseudo.log_likelihood.is_none() && pseudo.parameters.log_partition().is_none());
    let normalized = pseudo.parameters.clone().normalized(structure.graph(), 1 << 20).unwrap();
    let found = normalized.evaluator().log_likelihood(&data).unwrap();
    assert!((found - exact.log_likelihood.unwrap()).abs() < 1e-6);
}

/// The pseudo-log-likelihood per row at a beta, straight from the conditionals.
fn pseudo_at(structure: &Structure, data: &Dataset, beta: &[f64]) -> f64 {
    let terms = Terms::new(structure, None).unwrap();
    let coordinates = Coordinates::new(structure, &terms).unwrap();
    let parameters = Parameters::new(terms, coordinates.expand(beta), None);
    parameters.evaluator().pseudo_log_likelihood(data) / data.rows() as f64
}

#[test]
fn no_direction_leads_uphill_and_the_restrictions_hold() {
    let mut random = generator(32);
    for trial in 0..40 {
        let shape = Shape { variables: (3, 6), element_probability: [0.0, 0.3][trial % 2], ..SMALL };
        let structure = structure(&mut random, shape);
        let data = full_table(&mut random, structure.cardinalities(), 1);
        let fitted = fit(&structure, &data, &options(FitMethod::Pseudo, 0.0)).unwrap();
        assert_eq!(fitted.status, FitStatus::Converged);
        let values = fitted.parameters.values();
        assert!(largest_violation(&structure, fitted.parameters.terms(), values) < 1e-10);
        let coordinates = Coordinates::new(&structure, fitted.parameters.terms()).unwrap();
        let beta: Vec<f64> = coordinates.free().iter().map(|&term| values[term]).collect();
        let top = pseudo_at(&structure, &data, &beta);
        assert!((top * data.rows() as f64 - fitted.pseudo_log_likelihood.unwrap()).abs() < 1e-6);
        for _ in 0..10 {
            let step = 1e-4;
            let direction: Vec<f64> = beta.iter().map(|_| random.random_range(-1.0..1.0)).collect();
            let moved = |sign: f64| {
                let beta: Vec<f64> = beta.iter().zip(&direction).map(|(b, d)| b + sign * step * d).collect();
                pseudo_at(&structure, &data, &beta)
            };
            let (ahead, behind) = (moved(1.0), moved(-1.0));
            assert!(ahead < top && behind < top);
            assert!((ahead - behind).abs() / (2.0 * step) < 1e-6); // the slope
        }
    }
}

/// Rows of a grid whose neighbours agree with log odds `coupling`, by sweeps of Gibbs sampling.
fn ising_rows(random: &mut Pcg64Mcg, structure: &Structure, coupling: f64, rows: usize) -> Dataset {
    let mut row: Vec<u32> = structure.cardinalities().iter().map(|_| random.random_range(0..2)).collect();
    let mut drawn = Vec::new();
    for _ in 0..rows + 20 {
        for _ in 0..3 {
            for node in 0..row.len() {
                let blanket = structure.markov_blanket(node);
                let ones = blanket.iter().filter(|&v| row[v] == 1).count() as f64;
                let log_odds = coupling * (2.0 * ones - blanket.len() as f64);
                row[node] = u32::from(random.random_bool(1.0 / (1.0 + libm::exp(-log_odds))));
            }
        }
        drawn.push(row.clone());
    }
    dataset(structure.cardinalities(), &drawn[20..], &vec![1; rows])
}

#[test]
fn a_sixteen_by_sixteen_grid_is_fitted_by_pseudo_likelihood() {
    let structure = grid(16);
    let data = ising_rows(&mut generator(33), &structure, 0.4, 1000);
    let small = FitOptions { memory: 1 << 20, ..FitOptions::default() };
    let fitted: Fit = fit(&structure, &data, &small).unwrap();
    assert_eq!(fitted.estimate, Estimate::Pseudo);
    assert!(fitted.reason.to_string().contains("does not fit 1 MiB"), "{}", fitted.reason);
    assert_eq!(fitted.status, FitStatus::Converged);
    assert_eq!(fitted.free_parameters, 256 + 480);
    // phi_ij(1,1) is twice the coupling in 0/1 coding; 480 estimates scatter around it.
    let pairs: Vec<f64> = fitted
        .parameters
        .iter()
        .filter(|(term, _)| term.variables.len() == 2)
        .map(|(_, value)| value)
        .collect();
    let mean = pairs.iter().sum::<f64>() / pairs.len() as f64;
    assert!((mean - 0.8).abs() < 0.05, "{mean}");
    let evaluator = fitted.parameters.evaluator();
    assert!(evaluator.log_probability(&data.row(0)).is_none());
    let total = evaluator.pseudo_log_likelihood(&data);
    assert!(total.is_finite() && total <= fitted.pseudo_log_likelihood.unwrap());
}

#[test]
fn unobserved_levels_are_a_boundary_here_too() {
    let structure = plain(&[2, 3], &[(0, 1)]);
    let data = dataset(&[2, 3], &[vec![0, 0], vec![0, 1], vec![1, 0], vec![1, 1]], &[3, 1, 1, 4]);
    let fitted = fit(&structure, &data, &options(FitMethod::Pseudo, 1.0)).unwrap();
    assert_eq!(fitted.status, FitStatus::Boundary);
    assert!(fitted.boundary.iter().all(|term| term.variables.contains(1) && term.levels.contains(&2)));
    assert!(!fitted.boundary.is_empty());
    assert!(fitted.parameters.values().iter().all(|value| value.abs() < 20.0));
}

/// Few rows for many blankets: most were never observed, so that the rows leave directions
/// open. The referee sums over rows from the definition and climbs by itself.
#[test]
fn sparse_tables_are_fitted_as_the_referee_does() {
    let mut random = generator(34);
    let (mut boundaries, mut furthest) = (0, 0.0f64);
    for trial in 0..400 {
        let (edge_probability, element_probability) = ([1.0, 0.7][trial % 2], [0.0, 0.3][trial / 2 % 2]);
        let shape = Shape { edge_probability, element_probability, ..TINY };
        let (structure, data) = sparse_problem(&mut random, shape, 26);
        let model = LogLinear::new(&levels(&structure), &labelled(&structure)).unwrap();
        let bare = fit(&structure, &data, &options(FitMethod::Pseudo, 0.0)).unwrap();
        assert_ne!(bare.status, FitStatus::IterationLimit, "trial {trial}");
        boundaries += usize::from(bare.status == FitStatus::Boundary);
        let best = maximum_pseudo_likelihood(&table(&data), &model, PseudoCounts::NONE).unwrap();
        let off = (bare.pseudo_log_likelihood.unwrap() - best).abs();
        assert!(off < 1e-6, "trial {trial}: {:?} {best}", bare.pseudo_log_likelihood);
        // Where there is no finite estimate, the pseudo-counts are so small that the stated rule is met.
        let phi = in_order(&model, &bare);
        let slope = |rows| {
            let pseudo_counts = PseudoCounts { rows, ridge: RIDGE };
            pseudo_gradient_norm(&table(&data), &model, &phi, pseudo_counts).unwrap()
        };
        assert!(slope(bare.smoothing) < 1e-8 && slope(0.0) < 2e-7, "trial {trial}: {:e}", slope(0.0));
        for smoothing in [0.5, 1.0] {
            let smoothed = fit(&structure, &data, &options(FitMethod::Pseudo, smoothing)).unwrap();
            assert_eq!(smoothed.pseudo_log_likelihood, bare.pseudo_log_likelihood);
            let pseudo_counts = PseudoCounts { rows: smoothing, ridge: RIDGE };
            let phi = in_order(&model, &smoothed);
            let gradient = pseudo_gradient_norm(&table(&data), &model, &phi, pseudo_counts).unwrap();
            assert!(gradient < 1e-9, "trial {trial}: {gradient:e}");
            let largest = phi.iter().fold(0.0, |largest: f64, value| largest.max(value.abs()));
            furthest = furthest.max(largest);
        }
    }
    assert!((100..400).contains(&boundaries), "{boundaries}");
    // Every probability stays away from zero, seen or unseen.
    assert!(furthest < 60.0, "{furthest}");
}
