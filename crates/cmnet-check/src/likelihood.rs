//! The likelihood of given phi, by listing the joint outcome space (paper, section 2.1 for
//! the parameterization, section 4 for its use).
//!
//! These functions judge an estimate wherever it comes from: it has to satisfy the
//! restrictions, and the gradient along them has to vanish.

use crate::error::CheckError;
use crate::loglinear::LogLinear;
use crate::ridge::ridge_slope;
use crate::space::{configurations, position};
use crate::table::Table;

/// Joint configurations times phi terms that can be gone through in reasonable time.
const MOST_ACTIVE: usize = 1 << 28;

/// The joint space of a model: which phi are active in each cell.
pub(crate) struct Joint {
    pub(crate) active: Vec<Vec<usize>>,
    frequencies: Vec<f64>,
}

impl Joint {
    pub(crate) fn new(table: &Table, model: &LogLinear) -> Result<Self, CheckError> {
        if table.cardinalities() != model.cardinalities() {
            return Err(CheckError::NoSuchElement);
        }
        if table.total() == 0 {
            return Err(CheckError::NoObservations);
        }
        let cells = configurations(model.cardinalities())?;
        if cells.len().saturating_mul(model.terms().len()) > MOST_ACTIVE {
            let what = "joint configurations times phi terms";
            return Err(CheckError::TooLarge { what, limit: MOST_ACTIVE });
        }
        let mut frequencies = vec![0.0; cells.len()];
        for (row, weight) in table.observations() {
            frequencies[position(row, model.cardinalities())] = weight as f64 / table.total() as f64;
        }
        let terms = model.terms();
        let active_in = |x: &Vec<usize>| -> Vec<usize> {
            (0..terms.len()).filter(|&term| terms[term].is_active(x)).collect()
        };
        Ok(Self { active: cells.iter().map(active_in).collect(), frequencies })
    }

    /// The share of the observations in a cell.
    pub(crate) fn frequency(&self, cell: usize) -> f64 {
        self.frequencies[cell]
    }

    /// The same space with other shares of the cells.
    pub(crate) fn with_frequencies(self, frequencies: Vec<f64>) -> Self {
        Self { frequencies, ..self }
    }

    /// Adds pseudo-counts, spread evenly.
    fn add_pseudo_counts(&mut self, pseudo_counts: f64, total: f64) {
        let each = pseudo_counts / self.frequencies.len() as f64;
        for frequency in &mut self.frequencies {
            *frequency = (*frequency * total + each) / (total + pseudo_counts);
        }
    }

    /// log p(x) in every cell: the sum of the active phi, less the logarithm of the sum of all
    /// their exponentials (`phi_0` of the paper).
    pub(crate) fn log_probabilities(&self, phi: &[f64]) -> Vec<f64> {
        let sums = self.active.iter().map(|active| active.iter().map(|&term| phi[term]).sum());
        let energies: Vec<f64> = sums.collect();
        let largest = energies.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let total: f64 = energies.iter().map(|energy| libm::exp(energy - largest)).sum();
        let log_total = largest + libm::log(total);
        energies.into_iter().map(|energy| energy - log_total).collect()
    }

    pub(crate) fn mean_log_likelihood(&self, log_probabilities: &[f64]) -> f64 {
        let observed = self.frequencies.iter().zip(log_probabilities).filter(|(f, _)| **f > 0.0);
        observed.map(|(frequency, log_p)| frequency * log_p).sum()
    }

    /// For every phi, its observed less its expected frequency: the gradient without restrictions.
    fn moment_differences(&self, log_probabilities: &[f64], terms: usize) -> Vec<f64> {
        let mut differences = vec![0.0; terms];
        for (cell, active) in self.active.iter().enumerate() {
            let difference = self.frequencies[cell] - libm::exp(log_probabilities[cell]);
            for &term in active {
                differences[term] += difference;
            }
        }
        differences
    }
}

pub(crate) fn check_phi(model: &LogLinear, phi: &[f64]) -> Result<(), CheckError> {
    let (found, expected) = (phi.len(), model.terms().len());
    if found != expected {
        return Err(CheckError::PhiCount { found, expected });
    }
    match phi.iter().position(|value| !value.is_finite()) {
        Some(term) => Err(CheckError::PhiNotFinite { term }),
        None => Ok(()),
    }
}

/// The largest absolute value of a sum that Proposition 2 wants to be zero.
///
/// # Errors
/// Phi values that do not match the terms or are not finite.
pub fn restriction_violation(model: &LogLinear, phi: &[f64]) -> Result<f64, CheckError> {
    check_phi(model, phi)?;
    let sums = model
        .restrictions()
        .iter()
        .map(|restriction| -> f64 { restriction.terms.iter().map(|&term| phi[term]).sum() });
    Ok(sums.fold(0.0, |largest, sum| f64::max(largest, sum.abs())))
}

/// The log-likelihood of a table under given phi: the sum of log p(x) over its observations.
///
/// # Errors
/// A table that does not fit the model, no observations, phi values that do not match the terms
/// or are not finite, or a joint space too large to list.
pub fn log_likelihood(table: &Table, model: &LogLinear, phi: &[f64]) -> Result<f64, CheckError> {
    check_phi(model, phi)?;
    let joint = Joint::new(table, model)?;
    let mean = joint.mean_log_likelihood(&joint.log_probabilities(phi));
    Ok(mean * table.size())
}

/// How far given phi are from a maximum, with pseudo-counts spread evenly over the joint
/// outcome space: the largest absolute derivative of the log-likelihood, less the model's ridge, per
/// observation along one of [`LogLinear::free_directions`].
///
/// # Errors
/// As for [`log_likelihood`].
pub fn likelihood_gradient_norm(
    table: &Table,
    model: &LogLinear,
    phi: &[f64],
    pseudo_counts: f64,
) -> Result<f64, CheckError> {
    check_phi(model, phi)?;
    let mut joint = Joint::new(table, model)?;
    joint.add_pseudo_counts(pseudo_counts, table.size());
    let log_probabilities = joint.log_probabilities(phi);
    let directions = model.free_directions();
    let mut slope = gradient(&joint, &log_probabilities, phi.len(), &directions);
    let ridge = ridge_slope(model, phi, |_| true)?;
    for (slope, direction) in slope.iter_mut().zip(&directions) {
        let cost: f64 = direction.iter().map(|&(term, change)| change * ridge[term]).sum();
        *slope -= cost / (table.size() + pseudo_counts);
    }
    Ok(largest(&slope))
}

pub(crate) fn gradient(
    joint: &Joint,
    log_probabilities: &[f64],
    terms: usize,
    directions: &[Vec<(usize, f64)>],
) -> Vec<f64> {
    let differences = joint.moment_differences(log_probabilities, terms);
    let along = |direction: &Vec<(usize, f64)>| -> f64 {
        direction.iter().map(|&(term, change)| change * differences[term]).sum()
    };
    directions.iter().map(along).collect()
}

pub(crate) fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |largest, value| f64::max(largest, value.abs()))
}
