//! One variable from the others, row by row, by every network of an ensemble.

use super::ask::EnsembleNetwork;
use super::spread::Spread;
use crate::control::Control;
use crate::data::Var;
use crate::error::Result;
use crate::inference::{ExactOptions, Prediction, Predictor};

/// The distribution of a target given a row, and how far it spreads over the networks.
#[derive(Clone, Debug, PartialEq)]
pub struct EnsemblePrediction {
    /// The mean distribution, and its most probable level.
    pub prediction: Prediction,
    /// The probability of each level with its spread.
    pub spreads: Vec<Spread>,
}

/// Predicts one variable from rows in which others may be missing.
///
/// The networks share the memory and what is remembered of rows with missing cells.
#[derive(Debug)]
pub struct EnsemblePredictor<'a> {
    network: &'a EnsembleNetwork,
    predictors: Vec<Predictor<'a>>,
}

impl<'a> EnsemblePredictor<'a> {
    /// A predictor of one variable that obeys a control.
    ///
    /// # Errors
    /// When the target does not exist, or the tables of its cliques do not fit a network's share of the memory.
    pub fn new(
        network: &'a EnsembleNetwork,
        target: Var,
        exact: &ExactOptions,
        control: &'a dyn Control,
    ) -> Result<Self> {
        let count = network.networks().len();
        let share = ExactOptions { memory: exact.memory / count as u64, ..exact.clone() };
        let one = |network: &'a _| Ok(Predictor::under(network, target, &share, control)?.sharing(count));
        Ok(Self { network, predictors: network.networks().iter().map(one).collect::<Result<_>>()? })
    }

    /// The distribution of the target given a row of levels of all variables, `None` where one is missing.
    /// What the row says about the target itself is not looked at.
    ///
    /// # Errors
    /// When cells are missing and summing them out does not fit the memory; when the control asks to stop.
    ///
    /// # Panics
    /// When the row does not have a place for each variable, or a level that does not exist.
    pub fn predict(&mut self, row: &[Option<u32>]) -> Result<EnsemblePrediction> {
        let mut found: Vec<Vec<f64>> = Vec::new();
        for predictor in &mut self.predictors {
            let probabilities = predictor.predict(row)?.probabilities;
            found.resize(probabilities.len(), Vec::new());
            found.iter_mut().zip(probabilities).for_each(|(all, p)| all.push(p));
        }
        let spreads: Vec<Spread> = found.iter().map(|all| self.network.spread(all)).collect();
        let prediction = Prediction::new(spreads.iter().map(|spread| spread.mean).collect());
        Ok(EnsemblePrediction { prediction, spreads })
    }
}
