//! Standard errors against brute force: the joint space listed, derivatives by differences, the
//! matrix inverted by elimination.

use crate::common::Impatient;
use crate::loglinear_support::{SMALL, Shape, TINY, dataset, full_table, generator, plain, structure};
use cmnet::{
    Coordinates, Dataset, Edge, ErrorKind, Evidence, Fit, FitMethod, FitOptions, OutcomeSpace, Parameters,
    Precision, RowCounts, Structure, Terms, fit, score_tests,
};

/// A function of the parameters.
type Function<'a> = &'a dyn Fn(&Parameters) -> f64;

struct Brute {
    terms: Terms,
    coordinates: Coordinates,
    beta: Vec<f64>,
    /// The covariance matrix of the betas.
    covariance: Vec<Vec<f64>>,
}

fn inverse(matrix: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let k = matrix.len();
    let unit = |row: usize| (0..k).map(move |column| f64::from(u8::from(row == column)));
    let mut work: Vec<Vec<f64>> =
        matrix.iter().enumerate().map(|(at, row)| row.iter().copied().chain(unit(at)).collect()).collect();
    for column in 0..k {
        let best = (column..k).max_by(|&a, &b| work[a][column].abs().total_cmp(&work[b][column].abs()));
        work.swap(column, best.unwrap());
        let pivot = work[column][column];
        for value in &mut work[column] {
            *value /= pivot;
        }
        let own = work[column].clone();
        for row in (0..k).filter(|&row| row != column) {
            let factor = work[row][column];
            work[row].iter_mut().zip(&own).for_each(|(value, own)| *value -= factor * own);
        }
    }
    work.into_iter().map(|row| row[k..].to_vec()).collect()
}

fn times(one: &[Vec<f64>], other: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let entry = |row: &Vec<f64>, at: usize| row.iter().zip(other).map(|(a, line)| a * line[at]).sum();
    one.iter().map(|row| (0..other[0].len()).map(|at| entry(row, at)).collect()).collect()
}

impl Brute {
    fn start(structure: &Structure, fitted: &Fit) -> Self {
        let terms = Terms::new(structure, None).unwrap();
        let coordinates = Coordinates::new(structure, &terms).unwrap();
        let beta = coordinates.free().iter().map(|&term| fitted.parameters.values()[term]).collect();
        Self { terms, coordinates, beta, covariance: Vec::new() }
    }

    fn at(&self, beta: &[f64]) -> Parameters {
        Parameters::new(self.terms.clone(), self.coordinates.expand(beta), None)
    }

    fn gradient(&self, function: Function<'_>) -> Vec<f64> {
        let step = 1e-5;
        let moved = |at: usize, by: f64| {
            let mut beta = self.beta.clone();
            beta[at] += by;
            function(&self.at(&beta))
        };
        (0..self.beta.len()).map(|at| (moved(at, step) - moved(at, -step)) / (2.0 * step)).collect()
    }

    fn error(&self, function: Function<'_>) -> f64 {
        let gradient = self.gradient(function);
        let moved = times(&self.covariance, &gradient.iter().map(|&g| vec![g]).collect::<Vec<_>>());
        gradient.iter().zip(moved).map(|(g, row)| g * row[0]).sum::<f64>().sqrt()
    }

    /// The inverse of the covariance of the sufficient statistics, by listing.
    fn exact(structure: &Structure, fitted: &Fit) -> Self {
        let mut brute = Self::start(structure, fitted);
        let joint = joint(&fitted.parameters);
        let k = brute.beta.len();
        let (mut means, mut products) = (vec![0.0; k], vec![vec![0.0; k]; k]);
        for (row, p) in joint {
            let mut features = vec![0.0; k];
            for (number, term) in (0..brute.terms.len()).map(|number| (number, brute.terms.term(number))) {
                if term.variables.iter().zip(&term.levels).all(|(v, &level)| row[v] == level) {
                    brute.coordinates.expansion(number).for_each(|(at, factor)| features[at] += factor);
                }
            }
            means.iter_mut().zip(&features).for_each(|(mean, feature)| *mean += p * feature);
            for (row, one) in products.iter_mut().zip(&features) {
                row.iter_mut().zip(&features).for_each(|(sum, other)| *sum += p * one * other);
            }
        }
        let rows = fitted.rows as f64;
        for (row, one) in products.iter_mut().zip(&means) {
            row.iter_mut().zip(&means).for_each(|(sum, other)| *sum = (*sum - one * other) * rows);
        }
        brute.covariance = inverse(&products);
        brute
    }

    /// The sandwich, from the rows' own derivatives by differences.
    fn pseudo(structure: &Structure, fitted: &Fit, data: &Dataset) -> Self {
        let mut brute = Self::start(structure, fitted);
        let k = brute.beta.len();
        let rows: Vec<(Vec<u32>, f64)> =
            (0..data.distinct_rows()).map(|row| (data.row(row), f64::from(data.weights()[row]))).collect();
        let slope = |beta: &[f64]| -> Vec<Vec<f64>> {
            let moved = |at: usize, by: f64| {
                let mut beta = beta.to_vec();
                beta[at] += by;
                let evaluator = brute.at(&beta).evaluator();
                rows.iter().map(|(row, _)| evaluator.pseudo_log_probability(row)).collect::<Vec<f64>>()
            };
            let differences = |at: usize| {
                let (ahead, behind) = (moved(at, 1e-4), moved(at, -1e-4));
                ahead.iter().zip(behind).map(|(a, b)| (a - b) / 2e-4).collect()
            };
            (0..k).map(differences).collect()
        };
        let sum = |by_row: &[f64]| rows.iter().zip(by_row).map(|((_, weight), s)| weight * s).sum::<f64>();
        let scores = slope(&brute.beta);
        let mut curvature = vec![vec![0.0; k]; k];
        for (at, row) in curvature.iter_mut().enumerate() {
            let moved = |by: f64| {
                let mut beta = brute.beta.clone();
                beta[at] += by;
                slope(&beta).iter().map(|by_row| sum(by_row)).collect::<Vec<f64>>()
            };
            let both = moved(1e-3).into_iter().zip(moved(-1e-3));
            *row = both.map(|(ahead, behind)| (behind - ahead) / 2e-3).collect();
        }
        let product = |a: usize, b: usize| {
            let both: Vec<f64> = scores[a].iter().zip(&scores[b]).map(|(x, y)| x * y).collect();
            sum(&both)
        };
        let meat: Vec<Vec<f64>> = (0..k).map(|a| (0..k).map(|b| product(a, b)).collect()).collect();
        let bread = inverse(&curvature);
        brute.covariance = times(&times(&bread, &meat), &bread);
        brute
    }
}

/// Every row of levels with its probability.
fn joint(parameters: &Parameters) -> Vec<(Vec<u32>, f64)> {
    let cardinalities = parameters.terms().cardinalities();
    let space = OutcomeSpace::new((0..cardinalities.len()).collect(), cardinalities).unwrap();
    let rows: Vec<Vec<u32>> = (0..space.size()).map(|cell| space.configuration(cell)).collect();
    let weights: Vec<f64> = rows.iter().map(|row| libm::exp(parameters.energy(row))).collect();
    let total: f64 = weights.iter().sum();
    rows.into_iter().zip(weights.into_iter().map(|weight| weight / total)).collect()
}

fn is_near(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance * expected.abs().max(1e-3), "{found} {expected}");
}

fn compare_linear(precision: &Precision<'_>, brute: &Brute, structure: &Structure, tolerance: f64) {
    for (term, quantity) in precision.terms(&()).unwrap() {
        let expected = brute.error(&|parameters| parameters.value(&term));
        is_near(quantity.error.unwrap(), expected, tolerance);
    }
    for edge in structure.graph().edges() {
        for effect in precision.effects(edge, &()).unwrap() {
            for pair in &effect.pairs {
                let ratio =
                    |parameters: &Parameters| log_odds_ratio(parameters, edge, &effect.given, pair.levels);
                is_near(pair.log_odds_ratio.value, ratio(&brute.at(&brute.beta)), 1e-6);
                is_near(pair.log_odds_ratio.error.unwrap(), brute.error(&ratio), tolerance);
                assert!(!effect.cut || pair.log_odds_ratio.error == Some(0.0));
            }
        }
    }
}

fn log_odds_ratio(parameters: &Parameters, edge: Edge, given: &[(usize, u32)], levels: (u32, u32)) -> f64 {
    let mut row = vec![0; parameters.terms().cardinalities().len()];
    for &(v, level) in given {
        row[v] = level;
    }
    let mut at = |low: u32, high: u32| {
        (row[edge.low()], row[edge.high()]) = (low, high);
        parameters.energy(&row)
    };
    at(levels.0, levels.1) + at(0, 0) - at(levels.0, 0) - at(0, levels.1)
}

#[test]
fn errors_of_terms_and_odds_ratios_are_those_of_the_listed_information() {
    let mut random = generator(71);
    for _ in 0..8 {
        let structure = structure(&mut random, TINY);
        let data = full_table(&mut random, structure.cardinalities(), 2);
        let fitted = fit(&structure, &data, &FitOptions::default()).unwrap();
        let precision = Precision::new(&structure, &fitted, None, &()).unwrap();
        compare_linear(&precision, &Brute::exact(&structure, &fitted), &structure, 1e-6);
    }
}

#[test]
fn errors_of_pseudo_likelihood_estimates_are_those_of_the_sandwich() {
    let mut random = generator(72);
    for _ in 0..3 {
        let structure = structure(&mut random, Shape { variables: (3, 4), most_levels: 2, ..SMALL });
        let data = full_table(&mut random, structure.cardinalities(), 3);
        let options = FitOptions { method: FitMethod::Pseudo, smoothing: 0.0, ..FitOptions::default() };
        let fitted = fit(&structure, &data, &options).unwrap();
        let counts = RowCounts::new(&data);
        let precision = Precision::new(&structure, &fitted, Some(&counts), &()).unwrap();
        compare_linear(&precision, &Brute::pseudo(&structure, &fitted, &data), &structure, 1e-3);
        let refused = Precision::new(&structure, &fitted, None, &()).map(|_| ()).unwrap_err();
        assert!(refused.to_string().contains("take the rows"), "{refused}");
    }
}

/// Sums of a function over the rows that agree with what is known, and of all of those.
fn expectation(parameters: &Parameters, known: &[(usize, u32)], is: &dyn Fn(&[u32]) -> bool) -> f64 {
    let agrees = |row: &[u32]| known.iter().all(|&(v, level)| row[v] == level);
    let all: Vec<(Vec<u32>, f64)> = joint(parameters).into_iter().filter(|(row, _)| agrees(row)).collect();
    let total: f64 = all.iter().map(|(_, p)| p).sum();
    all.iter().filter(|(row, _)| is(row)).map(|(_, p)| p).sum::<f64>() / total
}

#[test]
fn errors_of_probabilities_and_strengths_are_those_of_the_delta_method() {
    let mut random = generator(73);
    for _ in 0..4 {
        let structure = structure(&mut random, Shape { variables: (4, 5), ..SMALL });
        let data = full_table(&mut random, structure.cardinalities(), 2);
        let fitted = fit(&structure, &data, &FitOptions::default()).unwrap();
        let precision = Precision::new(&structure, &fitted, None, &()).unwrap();
        let brute = Brute::exact(&structure, &fitted);
        let mut evidence = Evidence::none();
        evidence.observe(data.schema(), 1, 1).unwrap();
        for (level, quantity) in precision.probabilities(0, &evidence, &()).unwrap().iter().enumerate() {
            let p =
                |parameters: &Parameters| expectation(parameters, &[(1, 1)], &|row| row[0] == level as u32);
            is_near(quantity.value, p(&fitted.parameters), 1e-9);
            is_near(quantity.error.unwrap(), brute.error(&p), 1e-5);
            let [low, high] = quantity.interval.unwrap();
            assert!(low < quantity.value && quantity.value < high);
        }
        for edge in structure.graph().edges().take(2) {
            let strength = precision.strength(edge, &()).unwrap().unwrap();
            let shared = |parameters: &Parameters| shared_information(parameters, edge);
            is_near(strength.value, shared(&fitted.parameters), 1e-9);
            is_near(strength.error.unwrap(), brute.error(&shared), 1e-4);
        }
    }
}

/// The information that the ends of an edge share given everything else.
fn shared_information(parameters: &Parameters, edge: Edge) -> f64 {
    let all = joint(parameters);
    let sum = |row: &[u32], free: &[usize]| -> f64 {
        let same = |other: &[u32]| (0..row.len()).all(|v| free.contains(&v) || row[v] == other[v]);
        all.iter().filter(|(other, _)| same(other)).map(|(_, p)| p).sum()
    };
    let (low, high) = edge.ends();
    let one = |(row, p): &(Vec<u32>, f64)| {
        p * libm::log(p * sum(row, &[low, high]) / (sum(row, &[low]) * sum(row, &[high])))
    };
    all.iter().map(one).sum()
}

/// A triangle in which two ends never have level 1 together where the third has level 0.
#[test]
fn what_the_data_do_not_bound_has_no_error_and_the_rest_has_one() {
    let structure = plain(&[2, 2, 2], &[(0, 1), (0, 2), (1, 2)]);
    let rows: Vec<Vec<u32>> = (0..8u32).map(|cell| (0..3).map(|v| cell >> (2 - v) & 1).collect()).collect();
    let counts = [30, 21, 18, 25, 11, 14, 0, 40];
    let keep = |&(_, count): &(Vec<u32>, u32)| count > 0;
    let (rows, weights): (Vec<_>, Vec<_>) = rows.into_iter().zip(counts).filter(keep).unzip();
    let data = dataset(&[2, 2, 2], &rows, &weights);
    let edge = Edge::new(0, 1).unwrap();
    for smoothing in [0.0, 1.0] {
        let fitted = fit(&structure, &data, &FitOptions { smoothing, ..FitOptions::default() }).unwrap();
        let precision = Precision::new(&structure, &fitted, None, &()).unwrap();
        let effects = precision.effects(edge, &()).unwrap();
        assert_eq!(effects[0].pairs[0].log_odds_ratio.interval, None);
        assert_eq!(effects[0].wald, None);
        let bounded = effects[1].pairs[0].log_odds_ratio;
        let woolf = (1.0 / 21.0 + 1.0 / 25.0 + 1.0 / 14.0 + 1.0 / 40.0_f64).sqrt();
        is_near(bounded.error.unwrap(), woolf, 0.02);
        let wald = effects[1].wald.unwrap();
        is_near(wald.statistic, libm::pow(bounded.value / bounded.error.unwrap(), 2.0), 1e-9);
    }
}

#[test]
fn imported_parameters_have_no_errors_and_a_control_stops_the_work() {
    let structure = plain(&[2, 2, 2], &[(0, 1), (1, 2), (0, 2)]);
    let data = full_table(&mut generator(74), &[2, 2, 2], 2);
    let fitted = fit(&structure, &data, &FitOptions::default()).unwrap();
    let imported = Fit::imported(fitted.parameters.clone(), "elsewhere");
    assert!(Precision::new(&structure, &imported, None, &()).is_err());
    let whole = Impatient::new(usize::MAX);
    Precision::new(&structure, &fitted, None, &whole)
        .unwrap()
        .effects(Edge::new(0, 1).unwrap(), &whole)
        .unwrap();
    assert!(whole.asked() > 5);
    for patience in 0..whole.asked() {
        let control = Impatient::new(patience);
        let found = Precision::new(&structure, &fitted, None, &control)
            .and_then(|precision| precision.effects(Edge::new(0, 1).unwrap(), &control).map(|_| ()));
        assert!(matches!(found.unwrap_err().kind(), ErrorKind::Stopped(_)));
    }
}

/// Pearson's statistic of a table of counts.
fn pearson(table: &[Vec<f64>]) -> f64 {
    let total: f64 = table.iter().flatten().sum();
    let row = |at: usize| table[at].iter().sum::<f64>();
    let column = |at: usize| table.iter().map(|row| row[at]).sum::<f64>();
    let cells = (0..table.len()).flat_map(|i| (0..table[0].len()).map(move |j| (i, j)));
    let one = |(i, j): (usize, usize)| {
        let expected = row(i) * column(j) / total;
        (table[i][j] - expected) * (table[i][j] - expected) / expected
    };
    cells.map(one).sum()
}

#[test]
fn the_score_test_of_independence_is_that_of_pearson() {
    let counts = [[30u32, 12, 9], [8, 17, 25]];
    let rows: Vec<Vec<u32>> = (0..6).map(|cell| vec![cell / 3, cell % 3]).collect();
    let data = dataset(&[2, 3], &rows, &counts.concat());
    let independent = Structure::empty(&[2, 3]);
    for smoothing in [0.0, 6.0] {
        let fitted = fit(&independent, &data, &FitOptions { smoothing, ..FitOptions::default() }).unwrap();
        let tests = score_tests(&independent, &fitted, &RowCounts::new(&data), &()).unwrap();
        let cell = |&count: &u32| f64::from(count) + smoothing / 6.0;
        let table: Vec<Vec<f64>> = counts.iter().map(|row| row.iter().map(cell).collect()).collect();
        assert_eq!((tests.len(), tests[0].degrees), (1, 2));
        is_near(tests[0].statistic, pearson(&table), 1e-9);
    }
}

#[test]
fn evidence_of_probability_0_is_refused() {
    let structure = plain(&[2, 2], &[(0, 1)]);
    let data = full_table(&mut generator(75), &[2, 2], 2);
    let fitted = fit(&structure, &data, &FitOptions::default()).unwrap();
    let precision = Precision::new(&structure, &fitted, None, &()).unwrap();
    // A level of another table, which no row of the model has.
    let other = full_table(&mut generator(75), &[2, 3], 2);
    let mut evidence = Evidence::none();
    evidence.observe(other.schema(), 1, 2).unwrap();
    let refused = precision.probabilities(0, &evidence, &()).unwrap_err().to_string();
    assert!(refused.contains("what is given has probability 0"), "{refused}");
}
