//! The joint distribution by listing every configuration: the small case, and the oracle
//! that the junction tree is tested against.

use super::coordinates::Coordinates;
use super::term::Terms;
use crate::error::{Error, Result};
use crate::graph::VarSet;
use crate::table::{OutcomeSpace, log_sum};

/// The most configurations that are listed.
pub(super) const MOST_LISTED: u64 = 1 << 24;

/// A joint distribution as a list.
#[derive(Clone, Debug)]
pub struct Enumeration {
    /// The joint outcome space; its cells number the list.
    pub space: OutcomeSpace,
    /// log p(x) of every configuration.
    pub log_probabilities: Vec<f64>,
    /// log Z: minus the paper's phi_0.
    pub log_partition: f64,
}

impl Enumeration {
    /// Lists log p(x), the sum of the terms of each x (paper, eq. 1).
    ///
    /// # Errors
    /// When there are more than 2^24 configurations.
    pub fn new(terms: &Terms, phi: &[f64]) -> Result<Self> {
        let variables: VarSet = (0..terms.cardinalities().len()).collect();
        let space = OutcomeSpace::new(variables, terms.cardinalities())?;
        if space.size() > MOST_LISTED {
            return Err(Error::limit(
                "the number of joint configurations to list",
                MOST_LISTED,
                "use the junction tree",
            ));
        }
        let energy = |cell: u64| {
            let row = space.configuration(cell);
            terms.sets().iter().filter_map(|set| set.active(&row)).map(|term| phi[term]).sum()
        };
        let mut log_probabilities: Vec<f64> = (0..space.size()).map(energy).collect();
        let log_partition = log_sum(&log_probabilities);
        for value in &mut log_probabilities {
            *value -= log_partition;
        }
        Ok(Self { space, log_probabilities, log_partition })
    }

    /// The probability of each term: that X_A = x_A.
    pub fn expected(&self, terms: &Terms) -> Vec<f64> {
        let mut expected = vec![0.0; terms.len()];
        for (cell, &log_probability) in self.log_probabilities.iter().enumerate() {
            let row = self.space.configuration(cell as u64);
            let probability = libm::exp(log_probability);
            for term in terms.sets().iter().filter_map(|set| set.active(&row)) {
                expected[term] += probability;
            }
        }
        expected
    }

    /// The gradient of the mean log-likelihood with respect to beta, given the observed share
    /// of each term.
    pub fn gradient(&self, terms: &Terms, coordinates: &Coordinates, means: &[f64]) -> Vec<f64> {
        let expected = self.expected(terms);
        let difference: Vec<f64> = means.iter().zip(&expected).map(|(mean, e)| mean - e).collect();
        coordinates.pull_back(&difference)
    }
}
