//! A mixture of log-linear models, by listing the joint outcome space: its log-likelihood, and how far it is
//! from where a step of EM would leave it.

use crate::error::CheckError;
use crate::likelihood::{Joint, check_phi, gradient, largest};
use crate::loglinear::LogLinear;
use crate::ridge::ridge_slope;
use crate::table::Table;

/// A class: its weight, the terms of its model, their values, and the pseudo-counts behind them.
#[derive(Clone, Debug)]
pub struct Class {
    /// The share of the class.
    pub weight: f64,
    /// Its terms and restrictions.
    pub model: LogLinear,
    /// The value of each term.
    pub phi: Vec<f64>,
    /// Pseudo-counts in all, spread evenly over the joint outcome space.
    pub pseudo_counts: f64,
}

/// What the referee found about a mixture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MixtureFound {
    /// The log-likelihood of the table.
    pub log_likelihood: f64,
    /// The largest difference between a weight and the mean chance of its class.
    pub weight_gap: f64,
    /// The largest absolute derivative per observation of the log-likelihood with pseudo-counts, less the
    /// ridges, along a free direction of a class.
    pub gradient: f64,
}

/// Lists the joint outcome space: p(x) = sum over classes of weight times p_k(x).
///
/// # Errors
/// As for [`crate::log_likelihood`], for any of the classes.
pub fn mixture(table: &Table, classes: &[Class]) -> Result<MixtureFound, CheckError> {
    let mut joints = Vec::new();
    let mut logs = Vec::new();
    for class in classes {
        check_phi(&class.model, &class.phi)?;
        let joint = Joint::new(table, &class.model)?;
        logs.push(joint.log_probabilities(&class.phi));
        joints.push(joint);
    }
    let cells = logs.first().map_or(0, Vec::len);
    let total = table.size();
    let mut found = MixtureFound { log_likelihood: 0.0, weight_gap: 0.0, gradient: 0.0 };
    // The part of each cell's observations that belongs to each class.
    let mut parts = vec![vec![0.0; cells]; classes.len()];
    for cell in 0..cells {
        let frequency = joints[0].frequency(cell);
        if frequency == 0.0 {
            continue;
        }
        let shares: Vec<f64> =
            classes.iter().zip(&logs).map(|(class, log)| class.weight * libm::exp(log[cell])).collect();
        let sum: f64 = shares.iter().sum();
        found.log_likelihood += total * frequency * libm::log(sum);
        for (part, share) in parts.iter_mut().zip(&shares) {
            part[cell] = frequency * share / sum;
        }
    }
    for (((class, joint), log), part) in classes.iter().zip(joints).zip(&logs).zip(&parts) {
        let share: f64 = part.iter().sum();
        found.weight_gap = f64::max(found.weight_gap, (share - class.weight).abs());
        found.gradient = f64::max(found.gradient, slope(class, joint, log, part, total)?);
    }
    Ok(found)
}

/// The largest derivative per observation for one class, whose observations are a part of the table's.
fn slope(
    class: &Class,
    joint: Joint,
    log_probabilities: &[f64],
    part: &[f64],
    total: f64,
) -> Result<f64, CheckError> {
    let each = class.pseudo_counts / part.len() as f64;
    let own: f64 = part.iter().sum::<f64>() * total + class.pseudo_counts;
    let joint = joint.with_frequencies(part.iter().map(|part| (part * total + each) / own).collect());
    let directions = class.model.free_directions();
    let mut slopes = gradient(&joint, log_probabilities, class.phi.len(), &directions);
    let ridge = ridge_slope(&class.model, &class.phi, |_| true)?;
    for (slope, direction) in slopes.iter_mut().zip(&directions) {
        let cost: f64 = direction.iter().map(|&(term, change)| change * ridge[term]).sum();
        *slope = (*slope * own - cost) / total;
    }
    Ok(largest(&slopes))
}
