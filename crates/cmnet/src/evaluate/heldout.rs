//! The probability that a fitted model gives to rows, held out or not (paper, section 4).

use crate::control::{Control, Pace};
use crate::data::Dataset;
use crate::error::Result;
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

/// As [`evaluate`], under a control that may stop it.
///
/// # Errors
/// When the control asks to stop.
pub fn evaluate_under(fit: &Fit, data: &Dataset, control: &dyn Control) -> Result<Evaluation> {
    let evaluator = fit.parameters.evaluator_under(control)?;
    // A row takes as long as some tens of cells of a table for each variable.
    let work = 64 * data.variables();
    let mut pace = Pace::new(control);
    let mut each = |of_row: &dyn Fn(&[u32]) -> f64| -> Result<f64> {
        let rows = data.weights().iter().enumerate();
        rows.map(|(row, &weight)| {
            pace.step(work)?;
            Ok(f64::from(weight) * of_row(&data.row(row)))
        })
        .sum()
    };
    let log_likelihood = match fit.parameters.log_partition() {
        Some(_) => Some(each(&|row| evaluator.log_probability(row).unwrap_or(f64::NEG_INFINITY))?),
        None => None,
    };
    let pseudo_log_likelihood = each(&|row| evaluator.pseudo_log_probability(row))?;
    let rows = data.rows() as f64;
    Ok(Evaluation {
        rows: data.rows(),
        log_likelihood: log_likelihood.map(|total| total / rows),
        pseudo_log_likelihood: pseudo_log_likelihood / rows,
        parameters: fit.free_parameters,
    })
}
