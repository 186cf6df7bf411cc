//! Maximum likelihood under the restrictions (paper, section 4): Newton's method in the free
//! coordinates beta, phi = N beta, with the columns of N from [`LogLinear::free_directions`].
//! All quantities are per observation.

use crate::error::CheckError;
use crate::likelihood::{Joint, gradient, largest};
use crate::loglinear::LogLinear;
use crate::table::Table;

/// How the optimiser ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ending {
    /// At the maximum: the gradient is zero and Newton's method has nowhere to go.
    Converged,
    /// The supremum lies at infinity (a margin of the table is zero): the gradient vanished,
    /// but Newton's method still moves the phi at these places by a constant amount.
    Boundary {
        /// The places of the phi that run away.
        terms: Vec<usize>,
    },
    /// Neither happened within the permitted number of iterations.
    IterationLimit,
}

/// A maximum likelihood estimate.
#[derive(Debug, Clone, PartialEq)]
pub struct Fit {
    /// The log-likelihood of the table, natural logarithm, without multinomial coefficient.
    pub log_likelihood: f64,
    /// log p(x) of every joint configuration, in the order of [`crate::configurations`].
    pub log_probabilities: Vec<f64>,
    /// The phi, in the order of [`LogLinear::terms`].
    pub phi: Vec<f64>,
    /// The largest derivative per observation along a free direction.
    pub gradient_norm: f64,
    /// Newton iterations made.
    pub iterations: usize,
    /// Why the optimiser ended.
    pub ending: Ending,
}

/// The gradient per observation at which the optimiser ends.
const GRADIENT_ZERO: f64 = 1e-10;
/// A Newton step shorter than this, at a zero gradient, means that the maximum is finite. (On
/// the way to infinity every step has length of order 1: Newton's method on exp(-t) is t + 1.)
const STEP_ZERO: f64 = 1e-2;
/// Added to the diagonal of the information matrix, which is near singular at a boundary.
const RIDGE: f64 = 1e-13;
const MOST_ITERATIONS: usize = 500;

/// The maximum likelihood estimate under all restrictions, by Newton's method with step
/// halving from the uniform distribution. The log-likelihood is concave, so the maximum is the
/// only one; where a margin of the table is zero it lies at infinity, and the estimate is a
/// point on the way there whose log-likelihood is the supremum to about 1e-10 per observation.
///
/// # Errors
/// A table that does not fit the model, no observations, or a joint space too large to list.
pub fn maximum_likelihood(table: &Table, model: &LogLinear) -> Result<Fit, CheckError> {
    let joint = Joint::new(table, model)?;
    let directions = model.free_directions();
    let features = free_features(&joint, &directions, model.terms().len());
    let mut phi = vec![0.0; model.terms().len()];
    let mut ending = Ending::IterationLimit;
    let mut iterations = 0;
    while iterations < MOST_ITERATIONS {
        let log_probabilities = joint.log_probabilities(&phi);
        let slope = gradient(&joint, &log_probabilities, phi.len(), &directions);
        let information = covariance(&features, &log_probabilities, directions.len());
        let step = phi_step(&solve(&information, &slope), &directions, phi.len());
        if largest(&slope) <= GRADIENT_ZERO {
            ending = ending_at(&step);
            break;
        }
        phi = halve_until_better(&joint, &phi, &step);
        iterations += 1;
    }
    let log_probabilities = joint.log_probabilities(&phi);
    Ok(Fit {
        log_likelihood: joint.mean_log_likelihood(&log_probabilities) * table.size(),
        gradient_norm: largest(&gradient(&joint, &log_probabilities, phi.len(), &directions)),
        log_probabilities,
        phi,
        iterations,
        ending,
    })
}

/// What the last Newton step says about the place where the gradient vanished.
fn ending_at(step: &[f64]) -> Ending {
    let terms: Vec<usize> = (0..step.len()).filter(|&term| step[term].abs() > STEP_ZERO).collect();
    if terms.is_empty() { Ending::Converged } else { Ending::Boundary { terms } }
}

/// For every cell the derivatives of its sum of phi along the free directions, zeros left out.
fn free_features(joint: &Joint, directions: &[Vec<(usize, f64)>], terms: usize) -> Vec<Vec<(usize, f64)>> {
    let mut directions_of_term = vec![Vec::new(); terms];
    for (number, direction) in directions.iter().enumerate() {
        for &(term, change) in direction {
            directions_of_term[term].push((number, change));
        }
    }
    let features_of = |active: &Vec<usize>| {
        let mut dense = vec![0.0; directions.len()];
        for &term in active {
            for &(number, change) in &directions_of_term[term] {
                dense[number] += change;
            }
        }
        dense.into_iter().enumerate().filter(|(_, value)| *value != 0.0).collect()
    };
    joint.active.iter().map(features_of).collect()
}

/// The covariance matrix of the features: minus the second derivative of the log-likelihood.
fn covariance(features: &[Vec<(usize, f64)>], log_probabilities: &[f64], size: usize) -> Vec<Vec<f64>> {
    let mut means = vec![0.0; size];
    let mut products = vec![vec![0.0; size]; size];
    for (cell, log_p) in features.iter().zip(log_probabilities) {
        let p = libm::exp(*log_p);
        for &(a, value_a) in cell {
            means[a] += p * value_a;
            for &(b, value_b) in cell {
                products[a][b] += p * value_a * value_b;
            }
        }
    }
    for (a, row) in products.iter_mut().enumerate() {
        for (b, entry) in row.iter_mut().enumerate() {
            *entry -= means[a] * means[b];
        }
    }
    products
}

/// Solves (matrix + ridge) x = right by Cholesky's method, with ten times the ridge as often
/// as rounding makes the matrix indefinite.
pub(crate) fn solve(matrix: &[Vec<f64>], right: &[f64]) -> Vec<f64> {
    let mut ridge = RIDGE;
    loop {
        if let Some(root) = cholesky(matrix, ridge) {
            return solve_triangular(&root, right);
        }
        ridge *= 10.0;
    }
}

fn cholesky(matrix: &[Vec<f64>], ridge: f64) -> Option<Vec<Vec<f64>>> {
    let mut root = vec![vec![0.0; matrix.len()]; matrix.len()];
    for a in 0..matrix.len() {
        for b in 0..=a {
            let known: f64 = (0..b).map(|c| root[a][c] * root[b][c]).sum();
            let rest = matrix[a][b] - known;
            if a == b {
                let pivot = rest + ridge;
                if pivot <= 0.0 {
                    return None;
                }
                root[a][a] = pivot.sqrt();
            } else {
                root[a][b] = rest / root[b][b];
            }
        }
    }
    Some(root)
}

/// Solves L L' x = right.
fn solve_triangular(root: &[Vec<f64>], right: &[f64]) -> Vec<f64> {
    let mut x = right.to_vec();
    for a in 0..x.len() {
        let known: f64 = (0..a).map(|c| root[a][c] * x[c]).sum();
        x[a] = (x[a] - known) / root[a][a];
    }
    for a in (0..x.len()).rev() {
        let known: f64 = (a + 1..x.len()).map(|c| root[c][a] * x[c]).sum();
        x[a] = (x[a] - known) / root[a][a];
    }
    x
}

/// A step in the free coordinates as a step in phi.
fn phi_step(beta_step: &[f64], directions: &[Vec<(usize, f64)>], terms: usize) -> Vec<f64> {
    let mut step = vec![0.0; terms];
    for (direction, length) in directions.iter().zip(beta_step) {
        for &(term, change) in direction {
            step[term] += length * change;
        }
    }
    step
}

/// The point a whole, half, quarter, ... step away that does not lower the log-likelihood by
/// more than rounding; the point itself if there is none.
fn halve_until_better(joint: &Joint, phi: &[f64], step: &[f64]) -> Vec<f64> {
    let value = |phi: &[f64]| joint.mean_log_likelihood(&joint.log_probabilities(phi));
    let rounding = 1e-13;
    let before = value(phi);
    let mut length = 1.0;
    while length > 1e-12 {
        let moved: Vec<f64> = phi.iter().zip(step).map(|(at, by)| at + length * by).collect();
        if value(&moved) >= before - rounding {
            return moved;
        }
        length /= 2.0;
    }
    phi.to_vec()
}
