//! Questions to an ensemble: the mean of the networks' answers, and its spread.

use super::spread::Spread;
use crate::control::Under;
use crate::data::{Schema, Var};
use crate::error::Result;
use crate::inference::{Evidence, ExactOptions, Network};

/// An ensemble that questions can be asked of. Every network's answer is exact.
///
/// Made by [`crate::Ensemble::network`].
#[derive(Clone, Debug)]
pub struct EnsembleNetwork {
    networks: Vec<Network>,
    scale: Option<f64>,
}

/// The distributions of variables given what is known.
#[derive(Clone, Debug, PartialEq)]
pub struct EnsembleAnswer {
    /// The variables with the probabilities of their levels.
    pub marginals: Vec<(Var, Vec<Spread>)>,
    /// The logarithm of the mean probability of what is known; with soft evidence, of its expected weight.
    pub log_evidence: f64,
}

impl EnsembleNetwork {
    pub(super) fn new(networks: Vec<Network>, scale: Option<f64>) -> Self {
        Self { networks, scale }
    }

    /// Names and levels.
    pub fn schema(&self) -> &Schema {
        self.networks[0].schema()
    }

    /// The networks.
    pub fn networks(&self) -> &[Network] {
        &self.networks
    }

    pub(super) fn spread(&self, values: &[f64]) -> Spread {
        Spread::of(values, self.scale)
    }

    /// The variables that are not given.
    ///
    /// # Errors
    /// When all are.
    pub fn free(&self, evidence: &Evidence) -> Result<Vec<Var>> {
        self.networks[0].free(evidence)
    }

    /// The distribution of each target given evidence: the mean of what the networks say, and its spread.
    ///
    /// One network is asked after the other, so that the memory is that of one.
    ///
    /// # Errors
    /// When a target does not exist, is asked for twice or is given; when a network's tables do not fit the
    /// memory; when the evidence has probability 0; when the control asks to stop.
    pub fn marginals<'e>(
        &self,
        targets: &[Var],
        evidence: &Evidence,
        exact: impl Into<Under<'e, ExactOptions>>,
    ) -> Result<EnsembleAnswer> {
        let exact = exact.into();
        self.networks[0].check_targets(targets, evidence)?;
        // For each target and level the numbers of all networks.
        let levels = |&target: &Var| vec![Vec::new(); self.schema().variable(target).levels.len()];
        let mut found: Vec<Vec<Vec<f64>>> = targets.iter().map(levels).collect();
        let mut logs = Vec::new();
        for network in &self.networks {
            let posterior = network.posterior(evidence, exact)?;
            logs.push(posterior.log_evidence(exact)?);
            for (&target, levels) in targets.iter().zip(&mut found) {
                levels.iter_mut().zip(posterior.marginal(target)).for_each(|(all, p)| all.push(p));
            }
        }
        let spreads = |levels: &Vec<Vec<f64>>| levels.iter().map(|all| self.spread(all)).collect();
        let marginals = targets.iter().copied().zip(found.iter().map(spreads)).collect();
        Ok(EnsembleAnswer { marginals, log_evidence: log_mean(&logs) })
    }
}

/// The logarithm of the mean of exponentials.
fn log_mean(logs: &[f64]) -> f64 {
    let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if largest == f64::NEG_INFINITY {
        return largest;
    }
    let sum: f64 = logs.iter().map(|log| libm::exp(log - largest)).sum();
    largest + libm::log(sum / logs.len() as f64)
}
