//! The probability that an ensemble gives to rows.

use super::ask::log_mean;
use super::model::Ensemble;
use super::spread::Spread;
use crate::control::{Control, Pace};
use crate::data::{Dataset, IncompleteTable};
use crate::error::Result;
use crate::evaluate::check_rows;
use crate::loglinear::Evaluator;

/// What an ensemble says of a table. It has no number of parameters of its own, and so no BIC.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EnsembleEvaluation {
    /// The number of rows.
    pub rows: u64,
    /// The mean over rows of the natural logarithm of the networks' mean probability.
    pub log_likelihood: f64,
    /// The mean over rows of the sum of log p(x_j | the others), where p is the mean over the networks, as
    /// predictions are.
    pub pseudo_log_likelihood: f64,
    /// The mean log-probability per row of each network by itself.
    pub alone: Spread,
}

impl Ensemble {
    /// What the ensemble says of a table with its variables and levels.
    ///
    /// # Errors
    /// When the control asks to stop.
    pub fn evaluate(&self, data: &Dataset, control: &dyn Control) -> Result<EnsembleEvaluation> {
        let fits = self.members().iter().filter_map(|member| member.model.fit());
        let networks: Vec<Evaluator> = fits.map(|fit| fit.parameters.evaluator()).collect();
        let mut alone = vec![0.0; networks.len()];
        let (mut whole, mut pseudo) = (0.0, 0.0);
        let mut pace = Pace::new(control);
        for (row, &weight) in data.weights().iter().enumerate() {
            pace.step(64 * data.variables() * networks.len())?;
            let (levels, weight) = (data.row(row), f64::from(weight));
            // Every network is normalised.
            let log = |one: &Evaluator| one.log_probability(&levels).unwrap_or(f64::NEG_INFINITY);
            let logs: Vec<f64> = networks.iter().map(log).collect();
            alone.iter_mut().zip(&logs).for_each(|(sum, log)| *sum += weight * log);
            whole += weight * log_mean(&logs);
            for variable in 0..levels.len() {
                let conditional = |one: &Evaluator| one.log_conditional(variable, &levels);
                pseudo += weight * log_mean(&networks.iter().map(conditional).collect::<Vec<f64>>());
            }
        }
        let rows = data.rows() as f64;
        let alone: Vec<f64> = alone.into_iter().map(|sum: f64| sum / rows).collect();
        Ok(EnsembleEvaluation {
            rows: data.rows(),
            log_likelihood: whole / rows,
            pseudo_log_likelihood: pseudo / rows,
            alone: Spread::of(&alone, self.drawn().scale()),
        })
    }
}

/// What an ensemble says of what is known of rows with holes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EnsembleObserved {
    /// The number of rows.
    pub rows: u64,
    /// Those of them with holes.
    pub incomplete_rows: u64,
    /// The mean over rows of the natural logarithm of the networks' mean probability of what is known.
    pub log_likelihood: f64,
    /// The mean log-probability per row of each network by itself.
    pub alone: Spread,
}

impl Ensemble {
    /// What the ensemble says of what is known of rows with holes: the other cells are summed out.
    ///
    /// # Errors
    /// When the table has other variables or levels or no rows, or a junction tree does not fit the memory; when
    /// the control asks to stop.
    pub fn evaluate_incomplete(
        &self,
        table: &IncompleteTable,
        memory: u64,
        control: &dyn Control,
    ) -> Result<EnsembleObserved> {
        check_rows(self.schema(), table)?;
        let network = self.network()?;
        let rows = table.rows() as f64;
        let (mut logs, mut alone) = (vec![Vec::new(); table.distinct_rows()], Vec::new());
        for network in network.networks() {
            let known = network.log_probabilities(table, memory, control)?;
            let sum: f64 = table.iter().zip(&known).map(|((_, weight), log)| weight as f64 * log).sum();
            alone.push(sum / rows);
            logs.iter_mut().zip(known).for_each(|(logs, log)| logs.push(log));
        }
        let whole: f64 =
            table.iter().zip(&logs).map(|((_, weight), logs)| weight as f64 * log_mean(logs)).sum();
        Ok(EnsembleObserved {
            rows: table.rows(),
            incomplete_rows: table.incomplete_rows(),
            log_likelihood: whole / rows,
            alone: Spread::of(&alone, self.drawn().scale()),
        })
    }
}
