//! The probability that a mixture gives to rows.

use super::model::Mixture;
use crate::control::{Control, Pace};
use crate::data::{Dataset, IncompleteTable, Var};
use crate::error::Result;
use crate::evaluate::{Evaluation, ObservedEvaluation, check_rows};
use crate::loglinear::{Evaluator, Parameters};

/// log of the sum of exponentials.
pub(crate) fn log_sum(logs: &[f64]) -> f64 {
    let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if largest == f64::NEG_INFINITY {
        return largest;
    }
    largest + libm::log(logs.iter().map(|log| libm::exp(log - largest)).sum())
}

/// Weights and networks, ready to be evaluated row by row.
#[derive(Clone, Debug)]
pub(super) struct Evaluators(Vec<(f64, Evaluator)>);

impl Evaluators {
    /// Of the logarithms of weights and the parameters that go with them.
    pub(super) fn new<'a>(classes: impl Iterator<Item = (f64, &'a Parameters)>) -> Self {
        Self(classes.map(|(weight, parameters)| (weight, parameters.evaluator())).collect())
    }

    pub(super) fn of(mixture: &Mixture) -> Self {
        let weights = mixture.components().iter().map(|component| libm::log(component.weight));
        Self::new(weights.zip(mixture.fits().map(|fit| &fit.parameters)))
    }

    /// log of weight times probability of a row, by class.
    pub(super) fn logs(&self, levels: &[u32]) -> Vec<f64> {
        let of_class = |(weight, evaluator): &(f64, Evaluator)| {
            weight + evaluator.log_probability(levels).unwrap_or(f64::NEG_INFINITY)
        };
        self.0.iter().map(of_class).collect()
    }

    /// log of weight times probability of all variables but one, by class, from that of the whole row.
    fn logs_without(&self, variable: Var, levels: &[u32], joint: &[f64]) -> Vec<f64> {
        // p(x without x_j) of a class is p(x) / p(x_j | the others).
        let without =
            |((_, one), joint): (&(f64, Evaluator), &f64)| joint - one.log_conditional(variable, levels);
        self.0.iter().zip(joint).map(without).collect()
    }
}

/// The mean log-probability of a row.
pub(super) fn mean_log_likelihood(mixture: &Mixture, data: &Dataset) -> f64 {
    let evaluators = Evaluators::of(mixture);
    let row = |(row, &weight): (usize, &u32)| f64::from(weight) * log_sum(&evaluators.logs(&data.row(row)));
    data.weights().iter().enumerate().map(row).sum::<f64>() / data.rows() as f64
}

impl Mixture {
    /// What the mixture says of a table with its variables and levels.
    ///
    /// # Errors
    /// When the control asks to stop.
    pub fn evaluate(&self, data: &Dataset, control: &dyn Control) -> Result<Evaluation> {
        let evaluators = Evaluators::of(self);
        let mut pace = Pace::new(control);
        let (mut whole, mut pseudo) = (0.0, 0.0);
        for (row, &weight) in data.weights().iter().enumerate() {
            pace.step(64 * data.variables() * self.components().len())?;
            let levels = data.row(row);
            let joint = evaluators.logs(&levels);
            let log_probability = log_sum(&joint);
            whole += f64::from(weight) * log_probability;
            for variable in 0..levels.len() {
                let others = log_sum(&evaluators.logs_without(variable, &levels, &joint));
                pseudo += f64::from(weight) * (log_probability - others);
            }
        }
        let rows = data.rows() as f64;
        Ok(Evaluation {
            rows: data.rows(),
            log_likelihood: Some(whole / rows),
            pseudo_log_likelihood: pseudo / rows,
            parameters: self.free_parameters(),
        })
    }
}

impl Mixture {
    /// What the mixture says of what is known of rows with holes: the other cells are summed out.
    ///
    /// # Errors
    /// When the table has other variables or levels or no rows, or a junction tree does not fit the memory; when
    /// the control asks to stop.
    pub fn evaluate_incomplete(
        &self,
        table: &IncompleteTable,
        memory: u64,
        control: &dyn Control,
    ) -> Result<ObservedEvaluation> {
        check_rows(self.schema(), table)?;
        let network = self.network()?;
        let mut logs = vec![Vec::new(); table.distinct_rows()];
        for (network, weight) in network.networks().iter().zip(network.log_weights()) {
            let known = network.log_probabilities(table, memory, control)?;
            logs.iter_mut().zip(known).for_each(|(logs, log)| logs.push(weight + log));
        }
        let total: f64 =
            table.iter().zip(&logs).map(|((_, weight), logs)| weight as f64 * log_sum(logs)).sum();
        Ok(ObservedEvaluation {
            rows: table.rows(),
            incomplete_rows: table.incomplete_rows(),
            log_likelihood: total / table.rows() as f64,
            parameters: self.free_parameters(),
        })
    }
}
