//! Joint distributions, and probable levels of some variables, by counting what Gibbs chains
//! visit.

use super::gibbs::{BATCHES, Gibbs, Walker, rate};
use super::joint::Joint;
use super::network::Network;
use super::plan::Asked;
use crate::data::Var;
use crate::error::{Error, Result};
use crate::table::Shape;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Visits of one configuration per batch.
type Visits = [u32; BATCHES];

/// How often each configuration of some variables was visited, chain by chain.
pub(super) struct Tally {
    chains: Vec<BTreeMap<Vec<u32>, Visits>>,
    batch: usize,
}

impl Tally {
    pub(super) fn new(network: &Network, asked: Asked<'_>) -> Result<Self> {
        let (memory, options) = (asked.options.exact.memory, asked.options.with(&asked.options.gibbs));
        options.check()?;
        let factors = network.factors_under(asked.evidence, memory, options.control())?;
        let batch = options.sweeps.div_ceil(BATCHES);
        let visits = |chain: usize| {
            let walker = Walker::start(&factors, asked.evidence, options, chain as u64)?;
            count(walker, asked.targets, batch)
        };
        let chains = (0..options.chains).into_par_iter().map(visits).collect::<Result<_>>()?;
        Ok(Self { chains, batch })
    }

    fn draws(&self) -> f64 {
        (self.chains.len() * self.batch * BATCHES) as f64
    }

    /// Visits of all chains together, by configuration.
    pub(super) fn totals(&self) -> BTreeMap<&[u32], u64> {
        let mut totals = BTreeMap::new();
        for (levels, visits) in self.chains.iter().flatten() {
            *totals.entry(levels.as_slice()).or_insert(0) +=
                visits.iter().map(|&n| u64::from(n)).sum::<u64>();
        }
        totals
    }

    /// The share of visits that a configuration had.
    pub(super) fn share(&self, levels: &[u32]) -> f64 {
        let visits = self.chains.iter().filter_map(|chain| chain.get(levels)).flatten();
        visits.map(|&n| f64::from(n)).sum::<f64>() / self.draws()
    }

    /// What the chains say about the shares of some configurations.
    pub(super) fn gibbs<'a>(&self, configurations: impl Iterator<Item = &'a [u32]>) -> Gibbs {
        let none = [0; BATCHES];
        let (mut r_hat, mut effective) = (Vec::new(), Vec::new());
        for levels in configurations {
            let series: Vec<&Visits> =
                self.chains.iter().map(|chain| chain.get(levels).unwrap_or(&none)).collect();
            let (r, size) = rate(&series, self.batch);
            r_hat.push(r);
            effective.push(size);
        }
        Gibbs { chains: self.chains.len(), sweeps: self.batch * BATCHES, r_hat, effective }
    }
}

/// One chain's visits of the targets' configurations.
fn count(mut walker: Walker<'_>, targets: &[Var], batch: usize) -> Result<BTreeMap<Vec<u32>, Visits>> {
    let mut visited: BTreeMap<Vec<u32>, Visits> = BTreeMap::new();
    let mut levels = Vec::new();
    for at in 0..batch * BATCHES {
        walker.sweeps(1)?;
        levels.clear();
        levels.extend(targets.iter().map(|&v| walker.row()[v]));
        if !visited.contains_key(&levels) {
            visited.insert(levels.clone(), [0; BATCHES]);
        }
        if let Some(visits) = visited.get_mut(&levels) {
            visits[at / batch] += 1;
        }
    }
    Ok(visited)
}

impl Network {
    /// Estimates the joint distribution of some variables by how often Gibbs chains visit
    /// each configuration; split R-hat and effective size are per visited configuration.
    ///
    /// # Errors
    /// When a target does not exist, stands twice or is given; when the tables do not fit the
    /// memory; when there are fewer than two chains.
    pub(super) fn gibbs_joint(&self, asked: Asked<'_>) -> Result<(Joint, Gibbs)> {
        let targets = asked.targets;
        self.check_targets(targets, asked.evidence)?;
        check_size(self, targets, asked.options.exact.memory / 8)?;
        let tally = Tally::new(self, asked)?;
        let shape = Shape::new(targets.to_vec(), self.cardinalities());
        let mut probabilities = vec![0.0; shape.size()];
        let totals = tally.totals();
        for (&levels, &visits) in &totals {
            probabilities[shape.cell_of(levels)] = visits as f64 / tally.draws();
        }
        let gibbs = tally.gibbs(totals.keys().copied());
        Ok((Joint { shape, probabilities }, gibbs))
    }
}

/// Refuses a joint table beyond some cells.
pub(super) fn check_size(network: &Network, targets: &[Var], most_cells: u64) -> Result<()> {
    let cells = targets.iter().fold(1u64, |size, &v| size.saturating_mul(network.cardinalities()[v].into()));
    if cells <= most_cells {
        return Ok(());
    }
    Err(Error::limit(
        format!("the joint distribution ({cells} configurations)"),
        format!("{most_cells} configurations"),
        "ask about fewer variables together",
    ))
}
