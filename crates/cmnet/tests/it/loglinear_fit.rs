//! Maximum likelihood against the referee's optimiser, closed forms and golden results.

use crate::loglinear_support::{
    BARE, SMALL, Shape, TINY, dataset, full_table, generator, log_probabilities, plain, referee, structure,
    uniform_table,
};
use cmnet::{
    Edge, Estimate, Fit, FitMethod, FitOptions, FitStatus, Likelihood, OutcomeSpace, Structure, Terms,
    divergence, divergence_from_table, fit, is_chordal, largest_violation,
};
use cmnet_check::Ending;
use rand::Rng;

fn furthest(one: &[f64], other: &[f64]) -> f64 {
    assert_eq!(one.len(), other.len());
    one.iter().zip(other).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

#[test]
fn fitted_probabilities_equal_the_referees_on_interior_problems() {
    let mut random = generator(21);
    let (mut closed, mut worst) = (0, 0.0f64);
    for trial in 0..200 {
        let (edge_probability, element_probability) = ([0.5, 0.8][trial % 2], [0.0, 0.2, 0.4][trial % 3]);
        let shape = Shape { edge_probability, element_probability, ..TINY };
        let structure = structure(&mut random, shape);
        let data = full_table(&mut random, structure.cardinalities(), 1);
        let fitted = fit(&structure, &data, &BARE).unwrap();
        assert_eq!(fitted.status, FitStatus::Converged);
        assert!(fitted.boundary.is_empty() && fitted.gradient < 1e-12);
        let expected = referee(&structure, &data);
        assert_eq!(expected.ending, Ending::Converged);
        worst = worst.max(furthest(&log_probabilities(&fitted), &expected.log_probabilities));
        assert!((fitted.log_likelihood.unwrap() - expected.log_likelihood).abs() < 1e-6);
        let violation = largest_violation(&structure, fitted.parameters.terms(), fitted.parameters.values());
        assert!(violation < 1e-10);
        closed += usize::from(fitted.iterations == 0);
    }
    assert!(worst < 1e-8, "{worst:e}");
    assert!(closed > 20, "{closed} were decomposable");
}

#[test]
fn decomposable_components_equal_the_product_of_margins() {
    let mut random = generator(22);
    let shape = Shape { variables: (4, 6), element_probability: 0.0, edge_probability: 0.5, ..SMALL };
    let mut seen = 0;
    while seen < 40 {
        let structure = structure(&mut random, shape);
        if !is_chordal(structure.graph()) {
            continue;
        }
        seen += 1;
        let data = full_table(&mut random, structure.cardinalities(), 1);
        let fitted = fit(&structure, &data, &BARE).unwrap();
        assert_eq!(fitted.iterations, 0);
        let expected = referee(&structure, &data);
        assert!(furthest(&log_probabilities(&fitted), &expected.log_probabilities) < 1e-8);
        // The gradient of the likelihood vanishes there: no other point has that.
        let likelihood = Likelihood::new(&structure, &data, 1 << 24).unwrap();
        let evaluation = likelihood.evaluate(fitted.parameters.values()); // no contexts: beta = phi
        assert!(evaluation.gradient.iter().all(|slope| slope.abs() < 1e-12));
        assert!((evaluation.log_partition - fitted.parameters.log_partition().unwrap()).abs() < 1e-10);
    }
}

#[test]
fn smoothing_is_maximum_likelihood_on_the_data_and_one_even_observation() {
    let mut random = generator(24);
    for _ in 0..40 {
        let structure = structure(&mut random, Shape { variables: (3, 4), ..SMALL });
        let cells: u32 = structure.cardinalities().iter().product();
        let data = uniform_table(&mut random, structure.cardinalities(), 20);
        let smoothed = fit(&structure, &data, &FitOptions { smoothing: 1.0, ..BARE }).unwrap();
        // The same in whole numbers: every observation `cells` times, and each cell once.
        let space =
            OutcomeSpace::new((0..structure.variables()).collect(), structure.cardinalities()).unwrap();
        let mut rows: Vec<Vec<u32>> = (0..space.size()).map(|cell| space.configuration(cell)).collect();
        let mut weights = vec![1; rows.len()];
        rows.extend((0..data.distinct_rows()).map(|row| data.row(row)));
        weights.extend(data.weights().iter().map(|weight| weight * cells));
        let whole = fit(&structure, &dataset(structure.cardinalities(), &rows, &weights), &BARE).unwrap();
        assert!(furthest(&log_probabilities(&smoothed), &log_probabilities(&whole)) < 1e-8);
    }
}

#[test]
fn weights_count_rows() {
    let mut random = generator(25);
    let structure = structure(&mut random, SMALL);
    let data = uniform_table(&mut random, structure.cardinalities(), 60);
    let rows: Vec<Vec<u32>> = (0..data.distinct_rows()).map(|row| data.row(row)).collect();
    let tripled: Vec<u32> = data.weights().iter().map(|weight| 3 * weight).collect();
    let once = fit(&structure, &data, &BARE).unwrap();
    let thrice = fit(&structure, &dataset(structure.cardinalities(), &rows, &tripled), &BARE).unwrap();
    let difference = 3.0 * once.log_likelihood.unwrap() - thrice.log_likelihood.unwrap();
    assert!(difference.abs() < 1e-5, "{difference}");
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let mut random = generator(26);
    let structure = structure(&mut random, Shape { variables: (8, 8), most_levels: 3, ..SMALL });
    let data = uniform_table(&mut random, structure.cardinalities(), 200);
    for method in [FitMethod::Exact, FitMethod::Pseudo] {
        let options = FitOptions { method, smoothing: 1.0, ..BARE };
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| fit(&structure, &data, &options)).unwrap()
        };
        let (one, other) = (run(1), run(5));
        let bits = |fitted: &Fit| fitted.parameters.values().iter().map(|v| v.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&one), bits(&other));
        assert_eq!(one.log_likelihood.map(f64::to_bits), other.log_likelihood.map(f64::to_bits));
        assert_eq!(one.boundary, other.boundary);
    }
}

#[test]
fn divergence_equals_its_definition() {
    let mut random = generator(27);
    for _ in 0..60 {
        let cardinalities = [2, 3, 2, 3];
        let random_structure = |random: &mut _| {
            let mut structure = Structure::empty(&cardinalities);
            for edge in structure.graph().pairs() {
                if Rng::random_bool(random, 0.6) {
                    structure.toggle_edge(edge).unwrap();
                }
            }
            structure
        };
        let data = full_table(&mut random, &cardinalities, 1);
        let one = fit(&random_structure(&mut random), &data, &BARE).unwrap();
        let other = fit(&random_structure(&mut random), &data, &BARE).unwrap();
        let (p, q) = (log_probabilities(&one), log_probabilities(&other));
        let expected: f64 = p.iter().zip(&q).map(|(p, q)| libm::exp(*p) * (p - q)).sum();
        let found = divergence(&one.parameters, &other.parameters, 1 << 24).unwrap();
        assert!((found - expected).abs() < 1e-10, "{found} {expected}");
        let probabilities: Vec<f64> = p.iter().map(|&log| libm::exp(log)).collect();
        let from_table = divergence_from_table(&probabilities, &other.parameters).unwrap();
        assert!((from_table - expected).abs() < 1e-10);
        assert!(divergence(&one.parameters, &one.parameters, 1 << 24).unwrap() < 1e-12);
    }
    let narrow = fit(&Structure::empty(&[2]), &dataset(&[2], &[vec![0], vec![1]], &[1, 1]), &BARE).unwrap();
    let wide = fit(&Structure::empty(&[3]), &dataset(&[3], &[vec![0], vec![2]], &[1, 1]), &BARE).unwrap();
    assert!(divergence(&narrow.parameters, &wide.parameters, 1 << 20).is_err());
    assert!(divergence_from_table(&[0.5, 0.2], &narrow.parameters).is_err());
}

/// A random partial k-tree: each variable is connected to a few of its predecessors that are
/// connected among themselves, with contexts here and there.
fn sparse_structure(random: &mut rand_pcg::Pcg64Mcg, variables: usize) -> Structure {
    let cardinalities: Vec<u32> = (0..variables).map(|_| random.random_range(2..=3)).collect();
    let mut structure = Structure::empty(&cardinalities);
    for node in 1..variables {
        let anchor = node - random.random_range(1..=node.min(6));
        let mut parents = vec![anchor];
        for other in structure.markov_blanket(anchor).iter().filter(|&v| v < node).collect::<Vec<_>>() {
            let fits = parents
                .iter()
                .all(|&p| structure.graph().contains(Edge::new(p, other).unwrap_or_else(|_| unreachable!())));
            if parents.len() < 3 && fits && random.random_bool(0.7) {
                parents.push(other);
            }
        }
        for parent in parents.into_iter().filter(|_| random.random_bool(0.9)) {
            structure.toggle_edge(Edge::new(parent, node).unwrap()).unwrap();
        }
    }
    for edge in structure.graph().edges().collect::<Vec<_>>() {
        let size = structure.context_space(edge).unwrap().size();
        if size > 1 && random.random_bool(0.3) {
            let cell = random.random_range(0..size);
            structure.add_context_element(edge, cell).unwrap();
        }
    }
    structure
}

#[test]
fn two_hundred_variables_with_moderate_cliques_are_fitted_exactly() {
    let mut random = generator(28);
    let structure = sparse_structure(&mut random, 200);
    let data = uniform_table(&mut random, structure.cardinalities(), 2000);
    let fitted = fit(&structure, &data, &FitOptions { method: FitMethod::Auto, ..BARE }).unwrap();
    assert_eq!(fitted.estimate, Estimate::Exact, "{}", fitted.reason);
    assert_ne!(fitted.status, FitStatus::IterationLimit);
    assert!(structure.context_elements() > 30 && fitted.free_parameters > 1000);
    assert!(fitted.gradient < 1e-7, "{:e}", fitted.gradient);
    let violation = largest_violation(&structure, fitted.parameters.terms(), fitted.parameters.values());
    assert!(violation < 1e-10);
    let by_rows = fitted.parameters.evaluator().log_likelihood(&data).unwrap();
    assert!((by_rows - fitted.log_likelihood.unwrap()).abs() < 1e-6);
}

#[test]
fn bad_input_is_refused_in_words() {
    let structure = plain(&[2, 2], &[(0, 1)]);
    let data = dataset(&[2, 3], &[vec![0, 2]], &[1]);
    let refusal = |result: cmnet::Result<Fit>| result.unwrap_err().words(&crate::command_line::CommandLine);
    assert!(refusal(fit(&structure, &data, &BARE)).contains("has 2 levels in the model and 3 in the data"));
    let data = dataset(&[2], &[vec![0]], &[1]);
    assert!(refusal(fit(&structure, &data, &BARE)).contains("2 variables"));
    let data = dataset(&[2, 2], &[vec![0, 1]], &[1]);
    for (smoothing, tolerance) in [(-1.0, 1e-7), (f64::NAN, 1e-7), (1.0, 0.0), (1.0, f64::INFINITY)] {
        assert!(fit(&structure, &data, &FitOptions { smoothing, tolerance, ..BARE }).is_err());
    }
    // A 16 x 16 grid does not fit a megabyte.
    let grid = crate::loglinear_support::grid(16);
    let data = uniform_table(&mut generator(29), grid.cardinalities(), 10);
    let refusal = refusal(fit(&grid, &data, &FitOptions { memory: 1 << 20, ..BARE }));
    assert!(refusal.contains("--method pseudo") && refusal.contains("1 MiB"), "{refusal}");
    let terms = Terms::new(&grid, None).unwrap();
    assert_eq!(terms.len(), 256 + 480);
}

/// The climb, the steps with help and those without it: one of each where no more are allowed.
#[test]
fn the_steps_of_every_stage_are_counted() {
    let structure = plain(&[2; 4], &[(0, 1), (1, 2), (2, 3), (0, 3)]);
    let data = full_table(&mut generator(28), &[2; 4], 3);
    let options = FitOptions { max_iterations: 1, tolerance: 1e-12, ..FitOptions::default() };
    let fitted = fit(&structure, &data, &options).unwrap();
    assert_eq!((fitted.status, fitted.iterations), (FitStatus::IterationLimit, 3));
}
