//! A network as a classifier: one variable from the others, by its Markov blanket.

use super::ask::Ask;
use super::evidence::Evidence;
use super::factors::Factors;
use super::network::Network;
use crate::data::Var;
use crate::error::Result;
use crate::graph::VarSet;
use std::collections::BTreeMap;

/// The distribution of a target given a row.
#[derive(Clone, Debug, PartialEq)]
pub struct Prediction {
    /// The probability of each level.
    pub probabilities: Vec<f64>,
    /// The most probable level, the lowest among equals.
    pub level: u32,
}

impl Prediction {
    fn new(probabilities: Vec<f64>) -> Self {
        let mut level = 0;
        for (other, p) in probabilities.iter().enumerate() {
            if *p > probabilities[level] {
                level = other;
            }
        }
        Self { probabilities, level: level as u32 }
    }
}

/// Predicts one variable from rows in which others may be missing.
///
/// A row with the whole Markov blanket costs a look into the blanket's cliques, whatever the
/// number of variables. Missing cells are summed out exactly; rows that look alike are
/// answered once.
#[derive(Debug)]
pub struct Predictor<'a> {
    network: &'a Network,
    target: Var,
    blanket: VarSet,
    factors: Factors,
    ask: Ask,
    /// A row of which only blanket and target are looked at.
    row: Vec<u32>,
    seen: BTreeMap<Vec<Option<u32>>, Prediction>,
}

/// Rows with missing cells that are remembered.
const MOST_SEEN: usize = 100_000;

impl<'a> Predictor<'a> {
    /// A predictor of one variable.
    ///
    /// # Errors
    /// When the target does not exist, or its cliques' tables do not fit the memory.
    pub fn new(network: &'a Network, target: Var, ask: &Ask) -> Result<Self> {
        network.check_targets(&[target], &Evidence::none())?;
        let blanket = network.structure().markov_blanket(target).clone();
        let factors = network.factors(&Evidence::none(), ask.memory)?;
        let row = vec![0; network.schema().len()];
        Ok(Self { network, target, blanket, factors, ask: ask.clone(), row, seen: BTreeMap::new() })
    }

    /// The target's Markov blanket.
    pub fn blanket(&self) -> &VarSet {
        &self.blanket
    }

    /// The distribution of the target given a row of levels of all variables, `None` where
    /// one is missing. What the row says about the target itself is not looked at.
    ///
    /// # Errors
    /// When cells of the blanket are missing and summing them out does not fit the memory.
    pub fn predict(&mut self, row: &[Option<u32>]) -> Result<Prediction> {
        if self.blanket.iter().all(|v| row[v].is_some()) {
            for v in self.blanket.iter() {
                self.row[v] = row[v].unwrap_or(0);
            }
            let mut probabilities = Vec::new();
            self.factors.conditional(self.target, &self.row, &mut probabilities);
            return Ok(Prediction::new(probabilities));
        }
        let mut key = row.to_vec();
        key[self.target] = None;
        if let Some(known) = self.seen.get(&key) {
            return Ok(known.clone());
        }
        let mut evidence = Evidence::none();
        for (v, level) in key.iter().enumerate() {
            if let Some(level) = *level {
                evidence.observe(self.network.schema(), v, level)?;
            }
        }
        let about: VarSet = [self.target].into_iter().collect();
        let posterior = self.network.posterior_about(&about, &evidence, &self.ask)?;
        let prediction = Prediction::new(posterior.marginal(self.target));
        if self.seen.len() < MOST_SEEN {
            self.seen.insert(key, prediction.clone());
        }
        Ok(prediction)
    }
}
