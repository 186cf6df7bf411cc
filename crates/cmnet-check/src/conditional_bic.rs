//! The score of a refinement, from its definition: every node's conditional distribution with the
//! log-linear terms of at most so many variables, its largest likelihood, and what its free
//! parameters and its neighbours cost. (Not in the paper; the terms and restrictions are those of
//! section 2.2.)

use std::collections::BTreeMap;

use crate::error::CheckError;
use crate::loglinear::LogLinear;
use crate::newton::solve;
use crate::structure::{Edge, Labelled};
use crate::table::Table;

/// A gain of the log-likelihood at which the optimiser ends.
const GAIN_ZERO: f64 = 1e-9;
const MOST_ITERATIONS: usize = 200;
/// Rows times squared phi that can be gone through in reasonable time.
const MOST_WORK: usize = 1 << 28;

/// How a refinement judges.
#[derive(Debug, Clone, PartialEq)]
pub struct ConditionalBic {
    /// The most variables of a term.
    pub order: usize,
    /// What an end of an edge costs, in units of log d.
    pub gamma: f64,
    /// The logarithm of the prior odds of edges that have their own, instead of gamma.
    pub log_odds: BTreeMap<Edge, f64>,
}

/// The sum over nodes of `max log p(x_j | x_mb(j)) - (k_j / 2) log n - gamma |mb(j)| log d`. The
/// maximum is over the phi of sets with j, under the restrictions of the contexts of j's edges, and
/// `k_j` is how many of them are free.
///
/// # Errors
/// An irregular structure, no observations, or a list that is too long.
pub fn conditional_bic(
    table: &Table,
    structure: &Labelled,
    rule: &ConditionalBic,
) -> Result<f64, CheckError> {
    if table.total() == 0 {
        return Err(CheckError::NoObservations);
    }
    let model = LogLinear::of_order(table.cardinalities(), structure, rule.order)?;
    let rows = table.observations().count();
    if rows.saturating_mul(model.terms().len()).saturating_mul(model.terms().len()) > MOST_WORK {
        return Err(CheckError::TooLarge { what: "rows times squared phi terms", limit: MOST_WORK });
    }
    let log_rows = libm::log(table.size());
    let log_variables = libm::log(table.variables() as f64);
    let mut sum = 0.0;
    for node in 0..table.variables() {
        let (terms, directions) = model.of_node(node)?;
        sum += largest_likelihood(table, &model, node, (&terms, &directions));
        sum -= directions.len() as f64 / 2.0 * log_rows;
        for other in structure.markov_blanket(node) {
            let own = rule.log_odds.get(&(node.min(other), node.max(other)));
            sum += own.map_or(-rule.gamma * log_variables, |odds| odds / 2.0);
        }
    }
    Ok(sum)
}

/// A free direction: (place among the node's terms, change).
type Direction = Vec<(usize, f64)>;

/// For every row and level of the node, the derivatives of the level's energy.
fn features(
    table: &Table,
    model: &LogLinear,
    node: usize,
    (terms, directions): (&[usize], &[Direction]),
) -> Vec<Vec<Vec<f64>>> {
    let mut all = Vec::new();
    for (row, _) in table.observations() {
        let of_level = |level: usize| {
            let mut x = row.to_vec();
            x[node] = level;
            let active: Vec<bool> = terms.iter().map(|&term| model.terms()[term].is_active(&x)).collect();
            let along = |direction: &Direction| -> f64 {
                direction.iter().filter(|(term, _)| active[*term]).map(|(_, change)| change).sum()
            };
            directions.iter().map(along).collect()
        };
        all.push((0..table.cardinalities()[node]).map(of_level).collect());
    }
    all
}

fn largest_likelihood(table: &Table, model: &LogLinear, node: usize, free: (&[usize], &[Direction])) -> f64 {
    let features = features(table, model, node, free);
    let seen: Vec<(usize, f64)> =
        table.observations().map(|(row, weight)| (row[node], weight as f64 * table.unit())).collect();
    let mut beta = vec![0.0; free.1.len()];
    let mut value = at(&features, &seen, &beta).0;
    for _ in 0..MOST_ITERATIONS {
        let (_, gradient, information) = at(&features, &seen, &beta);
        let step = solve(&information, &gradient);
        let gain: f64 = step.iter().zip(&gradient).map(|(by, slope)| by * slope / 2.0).sum();
        if gain < GAIN_ZERO {
            break;
        }
        let mut length = 1.0;
        loop {
            let moved: Vec<f64> = beta.iter().zip(&step).map(|(at, by)| at + length * by).collect();
            let there = at(&features, &seen, &moved).0;
            if there >= value || length < 1e-9 {
                (beta, value) = (moved, there.max(value));
                break;
            }
            length /= 2.0;
        }
    }
    value
}

/// The log-likelihood, its derivatives, and minus its second derivatives.
fn at(features: &[Vec<Vec<f64>>], seen: &[(usize, f64)], beta: &[f64]) -> (f64, Vec<f64>, Vec<Vec<f64>>) {
    let size = beta.len();
    let (mut value, mut gradient) = (0.0, vec![0.0; size]);
    let mut information = vec![vec![0.0; size]; size];
    for (levels, &(level, weight)) in features.iter().zip(seen) {
        let energies: Vec<f64> =
            levels.iter().map(|own| own.iter().zip(beta).map(|(f, b)| f * b).sum()).collect();
        let highest = energies.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = energies.iter().map(|energy| libm::exp(energy - highest)).sum();
        let p: Vec<f64> = energies.iter().map(|energy| libm::exp(energy - highest) / sum).collect();
        value += weight * (energies[level] - highest - libm::log(sum));
        let mean: Vec<f64> =
            (0..size).map(|a| levels.iter().zip(&p).map(|(own, p)| p * own[a]).sum()).collect();
        for a in 0..size {
            gradient[a] += weight * (levels[level][a] - mean[a]);
            for b in 0..size {
                let product: f64 = levels.iter().zip(&p).map(|(own, p)| p * own[a] * own[b]).sum();
                information[a][b] += weight * (product - mean[a] * mean[b]);
            }
        }
    }
    (value, gradient, information)
}
