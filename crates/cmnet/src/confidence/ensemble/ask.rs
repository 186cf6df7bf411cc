//! Questions to an ensemble: the mean of the networks' answers, and its spread.

use super::spread::Spread;
use crate::control::Under;
use crate::data::{Schema, Var};
use crate::error::Result;
use crate::graph::Edge;
use crate::inference::{Evidence, ExactOptions, Joint, Network};
use crate::mixture::log_sum;
use std::collections::BTreeMap;

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

    /// The mean of the networks' joint distributions of some variables given evidence.
    ///
    /// # Errors
    /// As [`EnsembleNetwork::marginals`].
    pub fn joint<'e>(
        &self,
        targets: &[Var],
        evidence: &Evidence,
        exact: impl Into<Under<'e, ExactOptions>>,
    ) -> Result<Joint> {
        let (exact, share) = (exact.into(), 1.0 / self.networks.len() as f64);
        let parts = self.networks.iter();
        Joint::mixed(parts.map(|network| Ok((share, network.joint_exact(targets, evidence, exact)?))))
    }

    /// How strong each edge is that some network has given evidence: the conditional mutual information of
    /// its ends given everything else, in nats, with its spread over all networks. A network without the edge,
    /// or whose edge the evidence cuts, counts with 0. `None` where a network's table is too large.
    ///
    /// # Errors
    /// When the evidence has probability 0; when the control asks to stop.
    pub fn strengths<'e>(
        &self,
        evidence: &Evidence,
        exact: impl Into<Under<'e, ExactOptions>>,
    ) -> Result<BTreeMap<Edge, Option<Spread>>> {
        let exact = exact.into();
        let mut found: BTreeMap<Edge, Option<Vec<f64>>> = BTreeMap::new();
        for (place, network) in self.networks.iter().enumerate() {
            for strength in network.explain(evidence, exact)?.edges {
                let all = found.entry(strength.edge).or_insert_with(|| Some(vec![0.0; self.networks.len()]));
                match (strength.information, all.as_mut()) {
                    (Some(information), Some(all)) => all[place] = information,
                    _ => *all = None,
                }
            }
        }
        let spread = |all: Option<Vec<f64>>| all.map(|all| self.spread(&all));
        Ok(found.into_iter().map(|(edge, all)| (edge, spread(all))).collect())
    }
}

/// The logarithm of the mean of exponentials.
pub(super) fn log_mean(logs: &[f64]) -> f64 {
    log_sum(logs) - libm::log(logs.len() as f64)
}
