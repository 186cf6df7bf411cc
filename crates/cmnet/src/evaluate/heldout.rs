//! The probability that a fitted model gives to rows, held out or not (paper, section 4).

use crate::data::Dataset;
use crate::loglinear::Fit;

/// What a fitted model says of a table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Evaluation {
    /// The number of rows.
    pub rows: u64,
    /// The mean natural-log probability per row; `None` when the model is not normalised.
    pub log_likelihood: Option<f64>,
    /// The mean over rows of the sum of log p(x_j | x_mb(j)).
    pub pseudo_log_likelihood: f64,
    /// The number of free parameters.
    pub parameters: usize,
}

impl Evaluation {
    /// The Bayesian information criterion on these rows.
    pub fn bic(&self) -> Option<f64> {
        let rows = self.rows as f64;
        Some(self.log_likelihood? * rows - self.parameters as f64 / 2.0 * libm::log(rows))
    }

    /// The criterion per row.
    pub fn sbic(&self) -> Option<f64> {
        Some(self.bic()? / self.rows as f64)
    }
}

/// Evaluates a fitted model on rows with its variables and levels.
pub fn evaluate(fit: &Fit, data: &Dataset) -> Evaluation {
    let evaluator = fit.parameters.evaluator();
    let rows = data.rows() as f64;
    Evaluation {
        rows: data.rows(),
        log_likelihood: evaluator.log_likelihood(data).map(|total| total / rows),
        pseudo_log_likelihood: evaluator.pseudo_log_likelihood(data) / rows,
        parameters: fit.free_parameters,
    }
}
