//! The referee's word on fitted parameters: restrictions, gradient, likelihood.

use cmnet::loglinear::{Estimate, Fit};
use cmnet_check::{
    Labelled, LogLinear, Table, likelihood_gradient_norm, maximum_likelihood, restriction_violation,
};
use serde::Serialize;

/// Violations and gradients above this are a disagreement.
const TOLERANCE: f64 = 1e-6;
/// By how much the recorded log-likelihood may differ from the referee's.
const LIKELIHOOD_TOLERANCE: f64 = 1e-3;
/// Joint configurations up to which the referee lists the whole space.
const MOST_CELLS: usize = 1 << 20;
/// Cells times squared parameters up to which the referee fits once more by Newton's method.
const MOST_WORK: f64 = 2e9;

/// What the referee found about the parameters.
#[derive(Debug, Serialize)]
pub(super) struct ParameterVerdict {
    /// Free parameters by exact rational rank.
    parameters: usize,
    recorded_parameters: usize,
    /// By how much the values break the contexts' restrictions.
    restriction_violation: f64,
    /// The largest derivative of the log-likelihood per row; `None` where it was not examined.
    gradient: Option<f64>,
    /// How large smoothing allows that derivative to be.
    gradient_allowed: Option<f64>,
    /// The largest log-likelihood by the referee's own optimiser.
    log_likelihood: Option<f64>,
    recorded_log_likelihood: Option<f64>,
}

impl ParameterVerdict {
    pub(super) fn agrees(&self) -> bool {
        let gradient = match (self.gradient, self.gradient_allowed) {
            (Some(found), Some(allowed)) => found <= allowed,
            _ => true,
        };
        let likelihood = match (self.log_likelihood, self.recorded_log_likelihood) {
            (Some(found), Some(recorded)) => (found - recorded).abs() <= LIKELIHOOD_TOLERANCE,
            _ => true,
        };
        self.parameters == self.recorded_parameters
            && self.restriction_violation <= TOLERANCE
            && gradient
            && likelihood
    }

    pub(super) fn as_text(&self) -> String {
        let number =
            |value: Option<f64>| value.map_or("not examined".to_owned(), |value| format!("{value:.3e}"));
        let total =
            |value: Option<f64>| value.map_or("not examined".to_owned(), |value| format!("{value:.6}"));
        format!(
            "parameters              {} (recorded {})\n\
             restrictions broken by  {:.3e}\n\
             gradient per row        {} (allowed {})\n\
             log-likelihood          {} (recorded {})\n",
            self.parameters,
            self.recorded_parameters,
            self.restriction_violation,
            number(self.gradient),
            number(self.gradient_allowed),
            total(self.log_likelihood),
            total(self.recorded_log_likelihood),
        )
    }
}

/// Examines a fit; gradient and likelihood only on the table it was fitted to.
pub(super) fn examine(
    fit: &Fit,
    (table, structure): (&Table, &Labelled),
    same_data: bool,
) -> anyhow::Result<ParameterVerdict> {
    let model = LogLinear::new(table.cardinalities(), structure)?;
    let mut phi = vec![0.0; model.terms().len()];
    for (term, value) in fit.parameters.iter() {
        let levels: Vec<usize> = term.levels.iter().map(|&level| level as usize).collect();
        if let Some(place) = model.term_place(term.variables.as_slice(), &levels) {
            phi[place] = value;
        }
    }
    let mut verdict = ParameterVerdict {
        parameters: model.parameter_count(),
        recorded_parameters: fit.free_parameters,
        restriction_violation: restriction_violation(&model, &phi)?,
        gradient: None,
        gradient_allowed: None,
        log_likelihood: None,
        recorded_log_likelihood: fit.log_likelihood,
    };
    let cells = table.cardinalities().iter().try_fold(1usize, |cells, &r| cells.checked_mul(r));
    let Some(cells) =
        cells.filter(|&cells| cells <= MOST_CELLS && same_data && fit.estimate == Estimate::Exact)
    else {
        return Ok(verdict);
    };
    // At the smoothed optimum each moment may be off by the imagined rows' share.
    let share = fit.smoothing / table.total() as f64;
    let steepest = model
        .free_directions()
        .iter()
        .map(|way| way.iter().map(|(_, change)| change.abs()).sum())
        .fold(0.0, f64::max);
    verdict.gradient = Some(likelihood_gradient_norm(table, &model, &phi)?);
    verdict.gradient_allowed = Some(TOLERANCE + share * steepest);
    let work = cells as f64 * (verdict.parameters * verdict.parameters) as f64;
    if work <= MOST_WORK {
        verdict.log_likelihood = Some(maximum_likelihood(table, &model)?.log_likelihood);
    }
    Ok(verdict)
}
