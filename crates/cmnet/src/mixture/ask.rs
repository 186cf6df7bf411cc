//! Questions to a mixture: the chances of the classes given what is known, and the mixture of the networks'
//! answers.

use super::evaluate::log_sum;
use crate::control::Under;
use crate::data::{Schema, Var};
use crate::error::Result;
use crate::graph::VarSet;
use crate::inference::{Evidence, ExactOptions, Joint, Network, Posterior};

/// A mixture that questions can be asked of. Every answer is exact.
///
/// Made by [`crate::Mixture::network`].
#[derive(Clone, Debug)]
pub struct MixtureNetwork {
    /// The logarithms of the weights.
    weights: Vec<f64>,
    networks: Vec<Network>,
}

/// The chances of the classes given what is known.
#[derive(Clone, Debug, PartialEq)]
pub struct ClassChances {
    /// One per class; they sum to 1.
    pub chances: Vec<f64>,
    /// The log-probability of what is known; with soft evidence, of its expected weight.
    pub log_evidence: f64,
}

/// The distributions of variables given what is known.
#[derive(Clone, Debug, PartialEq)]
pub struct MixtureAnswer {
    /// The variables with the probabilities of their levels.
    pub marginals: Vec<(Var, Vec<f64>)>,
    /// The chances of the classes.
    pub classes: ClassChances,
}

impl MixtureNetwork {
    pub(super) fn new(weights: Vec<f64>, networks: Vec<Network>) -> Self {
        Self { weights, networks }
    }

    /// Names and levels.
    pub fn schema(&self) -> &Schema {
        self.networks[0].schema()
    }

    /// The network of each class.
    pub fn networks(&self) -> &[Network] {
        &self.networks
    }

    /// The logarithms of the weights of the classes.
    pub(super) fn log_weights(&self) -> &[f64] {
        &self.weights
    }

    /// The variables that are not given.
    ///
    /// # Errors
    /// When all are.
    pub fn free(&self, evidence: &Evidence) -> Result<Vec<Var>> {
        self.networks[0].free(evidence)
    }

    /// The distribution of all variables in each class given evidence.
    pub(super) fn posteriors(
        &self,
        evidence: &Evidence,
        exact: Under<'_, ExactOptions>,
    ) -> Result<Vec<Posterior<'_>>> {
        self.networks.iter().map(|network| network.posterior(evidence, exact)).collect()
    }

    /// The chances of the classes, from what the networks say of the evidence.
    pub(super) fn chances(
        &self,
        posteriors: &[Posterior<'_>],
        exact: Under<'_, ExactOptions>,
    ) -> Result<ClassChances> {
        let logs: Vec<f64> = self
            .weights
            .iter()
            .zip(posteriors)
            .map(|(weight, posterior)| Ok(weight + posterior.log_evidence(exact)?))
            .collect::<Result<_>>()?;
        let log_evidence = log_sum(&logs);
        let chances = logs.iter().map(|log| libm::exp(log - log_evidence)).collect();
        Ok(ClassChances { chances, log_evidence })
    }

    /// The chances of the classes given evidence.
    ///
    /// # Errors
    /// When a network's tables do not fit the memory; when the evidence has probability 0; when the control
    /// asks to stop.
    pub fn classes<'e>(
        &self,
        evidence: &Evidence,
        exact: impl Into<Under<'e, ExactOptions>>,
    ) -> Result<ClassChances> {
        let exact = exact.into();
        self.chances(&self.posteriors(evidence, exact)?, exact)
    }

    /// The distribution of each target given evidence.
    ///
    /// # Errors
    /// When a target does not exist, is asked for twice or is given; and as [`MixtureNetwork::classes`].
    pub fn marginals<'e>(
        &self,
        targets: &[Var],
        evidence: &Evidence,
        exact: impl Into<Under<'e, ExactOptions>>,
    ) -> Result<MixtureAnswer> {
        let exact = exact.into();
        self.networks[0].check_targets(targets, evidence)?;
        let posteriors = self.posteriors(evidence, exact)?;
        let classes = self.chances(&posteriors, exact)?;
        let mixed = |&target: &Var| {
            let mut sum = vec![0.0; self.schema().variable(target).levels.len()];
            for (chance, posterior) in classes.chances.iter().zip(&posteriors) {
                sum.iter_mut().zip(posterior.marginal(target)).for_each(|(sum, p)| *sum += chance * p);
            }
            (target, sum)
        };
        Ok(MixtureAnswer { marginals: targets.iter().map(mixed).collect(), classes })
    }

    /// The joint distribution of some variables given evidence.
    ///
    /// # Errors
    /// As [`MixtureNetwork::marginals`].
    pub fn joint<'e>(
        &self,
        targets: &[Var],
        evidence: &Evidence,
        exact: impl Into<Under<'e, ExactOptions>>,
    ) -> Result<Joint> {
        let exact = exact.into();
        let chances = self.classes(evidence, exact)?.chances;
        let parts = chances.into_iter().zip(&self.networks);
        Joint::mixed(
            parts.map(|(chance, network)| Ok((chance, network.joint_exact(targets, evidence, exact)?))),
        )
    }

    /// Whether these are all variables that are not given.
    pub(super) fn is_all(&self, targets: &[Var], evidence: &Evidence) -> bool {
        let wanted: VarSet = targets.iter().copied().collect();
        (0..self.schema().len()).all(|v| wanted.contains(v) || evidence.level(v).is_some())
    }
}
