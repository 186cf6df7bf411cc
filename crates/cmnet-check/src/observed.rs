//! Maximum likelihood of rows with holes, by listing the joint outcome space: the sum over rows of the
//! logarithm of the sum of p(x) over all x that agree with the row. (Not in the paper.) The climb is
//! BFGS with halving of steps, from the uniform distribution; no EM.

use crate::error::CheckError;
use crate::likelihood::largest;
use crate::loglinear::LogLinear;
use crate::space::configurations;

/// The gradient per observation at which the climb ends.
const GRADIENT_ZERO: f64 = 1e-9;
const MOST_ITERATIONS: usize = 2000;
/// The share of the promised gain that a step must keep (Armijo).
const KEPT: f64 = 1e-4;
const MOST_HALVINGS: usize = 60;

/// A row with holes and how often it was observed.
pub type HoledRow = (Vec<Option<usize>>, u64);

/// A maximum of the likelihood of what is known.
#[derive(Debug, Clone, PartialEq)]
pub struct ObservedFit {
    /// The log-likelihood of what is known, without pseudo-counts.
    pub log_likelihood: f64,
    /// log p(x) of every joint configuration, in the order of [`crate::configurations`].
    pub log_probabilities: Vec<f64>,
    /// The largest derivative per observation along a free direction.
    pub gradient_norm: f64,
}

/// Maximises the log-likelihood of what is known, with pseudo-counts that are spread evenly over the
/// joint outcome space and complete. The function need not be concave: the result is the maximum
/// that is reached from the uniform distribution.
///
/// # Errors
/// No observations, a row that does not fit, or a joint space too large to list.
pub fn observed_maximum(
    model: &LogLinear,
    rows: &[HoledRow],
    pseudo_counts: f64,
) -> Result<ObservedFit, CheckError> {
    let problem = Problem::new(model, rows, pseudo_counts)?;
    let free = problem.directions.len();
    let mut beta = vec![0.0; free];
    let (mut value, mut gradient) = problem.evaluate(&beta);
    // The inverse of the curvature, as BFGS learns it.
    let mut inverse = identity(free);
    for _ in 0..MOST_ITERATIONS {
        if largest(&gradient) < GRADIENT_ZERO {
            break;
        }
        let mut step = product(&inverse, &gradient);
        if dot(&step, &gradient) <= 0.0 {
            inverse = identity(free);
            step.clone_from(&gradient);
        }
        let Some((moved, next, next_gradient)) = problem.along(&beta, &step, value, dot(&step, &gradient))
        else {
            if is_identity(&inverse) {
                break;
            }
            inverse = identity(free);
            continue;
        };
        let change: Vec<f64> = moved.iter().zip(&beta).map(|(new, old)| new - old).collect();
        let bend: Vec<f64> = gradient.iter().zip(&next_gradient).map(|(old, new)| old - new).collect();
        learn(&mut inverse, &change, &bend);
        (beta, value, gradient) = (moved, next, next_gradient);
    }
    let log_probabilities = problem.log_probabilities(&beta);
    let log_likelihood = problem.known(&log_probabilities);
    Ok(ObservedFit { log_likelihood, log_probabilities, gradient_norm: largest(&gradient) })
}

struct Problem {
    /// For every cell the change of its energy along each direction.
    features: Vec<Vec<f64>>,
    directions: Vec<Vec<(usize, f64)>>,
    /// For every row the cells that agree with it, and its weight.
    rows: Vec<(Vec<usize>, f64)>,
    total: f64,
    pseudo_counts: f64,
}

impl Problem {
    fn new(model: &LogLinear, rows: &[HoledRow], pseudo_counts: f64) -> Result<Self, CheckError> {
        let cells = configurations(model.cardinalities())?;
        let directions = model.free_directions();
        let feature = |x: &Vec<usize>, direction: &Vec<(usize, f64)>| -> f64 {
            direction
                .iter()
                .filter(|(term, _)| model.terms()[*term].is_active(x))
                .map(|(_, change)| change)
                .sum()
        };
        let features = cells
            .iter()
            .map(|x| directions.iter().map(|direction| feature(x, direction)).collect())
            .collect();
        let mut listed = Vec::new();
        for (row, weight) in rows {
            if row.len() != model.cardinalities().len() {
                return Err(CheckError::NoSuchElement);
            }
            let agrees =
                |x: &Vec<usize>| row.iter().zip(x).all(|(known, level)| known.is_none_or(|k| k == *level));
            let own: Vec<usize> = (0..cells.len()).filter(|&cell| agrees(&cells[cell])).collect();
            listed.push((own, *weight as f64));
        }
        let total: f64 = listed.iter().map(|(_, weight)| weight).sum();
        if total == 0.0 {
            return Err(CheckError::NoObservations);
        }
        Ok(Self { features, directions, rows: listed, total, pseudo_counts })
    }

    fn log_probabilities(&self, beta: &[f64]) -> Vec<f64> {
        let energies: Vec<f64> = self.features.iter().map(|feature| dot(feature, beta)).collect();
        let log_total = log_sum(energies.iter().copied());
        energies.into_iter().map(|energy| energy - log_total).collect()
    }

    /// The log-likelihood of what is known.
    fn known(&self, log_p: &[f64]) -> f64 {
        self.rows.iter().map(|(own, weight)| weight * log_sum(own.iter().map(|&cell| log_p[cell]))).sum()
    }

    /// What is maximised, per observation, and its gradient: the expected features given what is known,
    /// less the expected features.
    fn evaluate(&self, beta: &[f64]) -> (f64, Vec<f64>) {
        let log_p = self.log_probabilities(beta);
        let each = self.pseudo_counts / log_p.len() as f64;
        let value = self.known(&log_p) + each * log_p.iter().sum::<f64>();
        let all = self.total + self.pseudo_counts;
        let mut weights: Vec<f64> = log_p.iter().map(|log| each - all * libm::exp(*log)).collect();
        for (own, weight) in &self.rows {
            let log_row = log_sum(own.iter().map(|&cell| log_p[cell]));
            for &cell in own {
                weights[cell] += weight * libm::exp(log_p[cell] - log_row);
            }
        }
        let mut gradient = vec![0.0; beta.len()];
        for (feature, weight) in self.features.iter().zip(&weights) {
            gradient.iter_mut().zip(feature).for_each(|(sum, f)| *sum += weight * f / all);
        }
        (value / all, gradient)
    }

    /// The first of ever shorter steps that gains enough.
    fn along(&self, beta: &[f64], step: &[f64], value: f64, slope: f64) -> Option<(Vec<f64>, f64, Vec<f64>)> {
        let mut length = 1.0;
        for _ in 0..MOST_HALVINGS {
            let moved: Vec<f64> = beta.iter().zip(step).map(|(b, s)| b + length * s).collect();
            let (next, gradient) = self.evaluate(&moved);
            if next > value && next >= value + KEPT * length * slope {
                return Some((moved, next, gradient));
            }
            length /= 2.0;
        }
        None
    }
}

/// The formula of Broyden, Fletcher, Goldfarb and Shanno; left alone where the function is not concave.
fn learn(inverse: &mut [Vec<f64>], change: &[f64], bend: &[f64]) {
    let along = dot(change, bend);
    if along <= 1e-300 {
        return;
    }
    let turned = product(inverse, bend);
    let scale = (1.0 + dot(bend, &turned) / along) / along;
    for (i, row) in inverse.iter_mut().enumerate() {
        for (j, entry) in row.iter_mut().enumerate() {
            *entry += scale * change[i] * change[j] - (turned[i] * change[j] + change[i] * turned[j]) / along;
        }
    }
}

fn identity(size: usize) -> Vec<Vec<f64>> {
    (0..size).map(|i| (0..size).map(|j| f64::from(u8::from(i == j))).collect()).collect()
}

fn is_identity(matrix: &[Vec<f64>]) -> bool {
    *matrix == identity(matrix.len())
}

fn product(matrix: &[Vec<f64>], vector: &[f64]) -> Vec<f64> {
    matrix.iter().map(|row| dot(row, vector)).collect()
}

fn dot(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(a, b)| a * b).sum()
}

fn log_sum(values: impl Iterator<Item = f64> + Clone) -> f64 {
    let most = values.clone().fold(f64::NEG_INFINITY, f64::max);
    most + libm::log(values.map(|value| libm::exp(value - most)).sum())
}
