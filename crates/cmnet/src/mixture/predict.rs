//! One variable from the others, row by row.

use super::ask::MixtureNetwork;
use super::evaluate::{Evaluators, log_sum};
use crate::control::{Control, Under, ask};
use crate::data::Var;
use crate::error::Result;
use crate::inference::{Evidence, ExactOptions, Network, Prediction, Session};

/// Predicts one variable from rows in which others may be missing.
///
/// A row without holes takes one look at each network for each level of the target. Where cells are
/// missing they are summed out in the junction trees.
#[derive(Debug)]
pub struct MixturePredictor<'a> {
    network: &'a MixtureNetwork,
    target: Var,
    control: Under<'a, ()>,
    evaluators: Evaluators,
    exact: ExactOptions,
    /// Made for the first row with holes.
    sessions: Vec<Session<'a>>,
}

impl<'a> MixturePredictor<'a> {
    /// A predictor of one variable that obeys a control.
    ///
    /// # Errors
    /// When the target does not exist.
    pub fn new(
        network: &'a MixtureNetwork,
        target: Var,
        exact: &ExactOptions,
        control: &'a dyn Control,
    ) -> Result<Self> {
        network.networks()[0].check_targets(&[target], &Evidence::none())?;
        let weights = network.log_weights().iter().copied();
        let evaluators = Evaluators::new(weights.zip(network.networks().iter().map(Network::parameters)));
        let control = Under::new(&(), control);
        Ok(Self { network, target, control, evaluators, exact: exact.clone(), sessions: Vec::new() })
    }

    /// The distribution of the target given a row of levels of all variables, `None` where one is missing.
    /// What the row says about the target itself is not looked at.
    ///
    /// # Errors
    /// When cells are missing and a junction tree does not fit the memory; when the control asks to stop.
    ///
    /// # Panics
    /// When the row does not have a place for each variable, or a level that does not exist.
    pub fn predict(&mut self, row: &[Option<u32>]) -> Result<Prediction> {
        ask(self.control.control())?;
        let known: Option<Vec<u32>> = row
            .iter()
            .enumerate()
            .map(|(v, level)| if v == self.target { Some(0) } else { *level })
            .collect();
        let logs = match known {
            Some(levels) => self.of_whole_row(levels),
            None => self.with_holes(row)?,
        };
        let total = log_sum(&logs);
        Ok(Prediction::new(logs.iter().map(|log| libm::exp(log - total)).collect()))
    }

    /// log p(row, level) for each level of the target.
    fn of_whole_row(&self, mut levels: Vec<u32>) -> Vec<f64> {
        let count = self.network.schema().variable(self.target).levels.len();
        let of_level = |level: usize| {
            levels[self.target] = level as u32;
            log_sum(&self.evaluators.logs(&levels))
        };
        (0..count).map(of_level).collect()
    }

    /// The same with missing cells summed out.
    fn with_holes(&mut self, row: &[Option<u32>]) -> Result<Vec<f64>> {
        if self.sessions.is_empty() {
            let control = self.control.control();
            let session = |network: &'a _| Session::under(network, &self.exact, control);
            self.sessions = self.network.networks().iter().map(session).collect::<Result<_>>()?;
        }
        let mut sum = vec![f64::NEG_INFINITY; self.network.schema().variable(self.target).levels.len()];
        for (session, weight) in self.sessions.iter_mut().zip(self.network.log_weights()) {
            for (variable, level) in row.iter().enumerate() {
                match level.filter(|_| variable != self.target) {
                    Some(level) => session.observe_anew(variable, level)?,
                    None if session.evidence().level(variable).is_some() => session.retract(variable),
                    None => {}
                }
            }
            let log = weight + session.log_evidence()?;
            for (sum, p) in sum.iter_mut().zip(session.marginal(self.target)?) {
                *sum = log_sum(&[*sum, log + libm::log(p)]);
            }
        }
        Ok(sum)
    }
}
