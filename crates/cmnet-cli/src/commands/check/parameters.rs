//! The referee's word on fitted parameters: restrictions, gradient, likelihood.

use cmnet::{Estimate, Fit, FitStatus, RIDGE};
use cmnet_check::{
    CheckError, Ending, Labelled, LogLinear, PseudoCounts, Table, likelihood_gradient_norm,
    maximum_likelihood, maximum_pseudo_likelihood, pseudo_gradient_norm, pseudo_log_likelihood,
    restriction_violation, target_gradient_norm,
};
use cmnet_report::align::decimal;
use serde::Serialize;

/// Violations and gradients above this are a disagreement.
const TOLERANCE: f64 = 1e-6;
/// By how much the recorded log-likelihood may differ from the referee's: in all, and by which
/// share of it, and of the rows, at which the referee's own optimiser ends.
const LIKELIHOOD_TOLERANCE: (f64, f64) = (1e-3, 1e-9);
/// Rows up to which the referee tells whether an estimate is finite.
const MOST_ROWS: u64 = 100_000;
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
    pub(super) restriction_violation: f64,
    /// The largest derivative per row of what the parameters maximise, pseudo-counts and ridge included;
    /// `None` where it was not examined.
    pub(super) gradient: Option<f64>,
    gradient_allowed: f64,
    /// The derivative that the file records; null where the estimate did not converge.
    recorded_gradient: Option<f64>,
    /// The largest log-likelihood, or pseudo-log-likelihood, by the referee's own optimiser.
    log_likelihood: Option<f64>,
    recorded_log_likelihood: Option<f64>,
    /// Whether the referee finds the supremum at infinity; `None` where it was not examined.
    boundary: Option<bool>,
    recorded_boundary: bool,
    /// The rows of the table, where it is the one fitted to.
    rows: Option<u64>,
    recorded_rows: u64,
    /// Why gradient or likelihood were not examined.
    pub(super) not_examined: Option<String>,
}

impl ParameterVerdict {
    pub(super) fn agrees(&self) -> bool {
        let small = |gradient: f64| gradient <= self.gradient_allowed;
        let gradient = self.gradient.is_none_or(small) && self.recorded_gradient.is_none_or(small);
        let likelihood = match (self.log_likelihood, self.recorded_log_likelihood) {
            (Some(found), Some(recorded)) => {
                let (least, share) = LIKELIHOOD_TOLERANCE;
                let rows = self.recorded_rows as f64;
                (found - recorded).abs() <= least.max(share * found.abs().max(rows))
            }
            (Some(_), None) => false,
            (None, _) => true,
        };
        // Its finite end is no proof: a small ridge keeps the referee from running away.
        let boundary = self.boundary != Some(true) || self.recorded_boundary;
        let rows = self.rows.is_none_or(|rows| rows == self.recorded_rows);
        self.parameters == self.recorded_parameters
            && self.restriction_violation <= TOLERANCE
            && gradient
            && likelihood
            && boundary
            && rows
    }

    /// Whether all of it was examined.
    pub(super) fn is_complete(&self) -> bool {
        self.not_examined.is_none()
    }

    pub(super) fn as_text(&self) -> String {
        let number =
            |value: Option<f64>| value.map_or("not examined".to_owned(), |value| format!("{value:.3e}"));
        let total = |value: Option<f64>| value.map_or("not examined".to_owned(), decimal);
        format!(
            "parameters              {} (recorded {})\n\
             restrictions broken by  {:.3e}\n\
             gradient per row        {} (allowed {})\n\
             log-likelihood          {} (recorded {})\n{}{}{}",
            self.parameters,
            self.recorded_parameters,
            self.restriction_violation,
            number(self.gradient),
            number(Some(self.gradient_allowed)),
            total(self.log_likelihood),
            self.recorded_log_likelihood.map_or("none".to_owned(), decimal),
            match self.recorded_gradient.filter(|&recorded| recorded > self.gradient_allowed) {
                Some(recorded) =>
                    format!("The file records the gradient {recorded:.3e}, which is no maximum's.\n"),
                None => String::new(),
            },
            match (self.boundary, self.recorded_boundary) {
                (Some(true), false) => "The estimate lies at infinity, which is not recorded.\n",
                _ => "",
            },
            self.not_examined.as_ref().map(|reason| format!("Not examined: {reason}.\n")).unwrap_or_default(),
        )
    }
}

/// The terms of a fit and their values, in the referee's words.
pub(crate) fn terms_of(
    fit: &Fit,
    table: &Table,
    structure: &Labelled,
) -> Result<(LogLinear, Vec<f64>), CheckError> {
    let order = fit.parameters.terms().order().limit().unwrap_or(usize::MAX);
    let model = LogLinear::of_order(table.cardinalities(), structure, order)?
        .with_ridge(fit.ridge.strengths().to_vec());
    let mut phi = vec![0.0; model.terms().len()];
    for (term, value) in fit.parameters.iter() {
        let levels: Vec<usize> = term.levels.iter().map(|&level| level as usize).collect();
        if let Some(place) = model.term_place(term.variables.as_slice(), &levels) {
            phi[place] = value;
        }
    }
    Ok((model, phi))
}

/// Examines a fit; gradient and likelihood only on the table it was fitted to.
pub(super) fn examine(
    fit: &Fit,
    table: &Table,
    structure: &Labelled,
    same_data: bool,
) -> anyhow::Result<ParameterVerdict> {
    let (model, phi) = terms_of(fit, table, structure)?;
    let converged = matches!(fit.status, FitStatus::Converged | FitStatus::Boundary);
    let mut verdict = ParameterVerdict {
        parameters: model.parameter_count(),
        recorded_parameters: fit.free_parameters,
        restriction_violation: restriction_violation(&model, &phi)?,
        gradient: None,
        gradient_allowed: TOLERANCE,
        recorded_gradient: converged.then_some(fit.gradient),
        log_likelihood: None,
        recorded_log_likelihood: fit.log_likelihood.or(fit.pseudo_log_likelihood),
        boundary: None,
        recorded_boundary: !fit.boundary.is_empty(),
        rows: same_data.then(|| table.size().round() as u64),
        recorded_rows: fit.rows,
        not_examined: None,
    };
    if fit.estimate != Estimate::Imported && !same_data {
        verdict.not_examined =
            Some("gradient and likelihood, since this is not the table fitted to".to_owned());
        return Ok(verdict);
    }
    let fitted = Fitted { table, model: &model, phi: &phi, smoothing: fit.smoothing };
    let examined = match fit.estimate {
        Estimate::Imported => {
            verdict.not_examined =
                Some("gradient and likelihood, since the parameters are imported, not estimated".to_owned());
            Ok(())
        }
        Estimate::Exact => verdict.exactly(fitted),
        Estimate::Pseudo => match fit.target {
            Some(target) => verdict.of_target(fitted, target),
            None => verdict.by_pseudo_likelihood(fitted),
        },
    };
    match examined {
        Err(CheckError::TooLarge { what, limit }) => {
            verdict.not_examined = Some(format!("gradient and likelihood take more than {limit} {what}"));
        }
        other => other?,
    }
    Ok(verdict)
}

/// Parameters and the table they were estimated from, in the referee's words.
#[derive(Clone, Copy)]
struct Fitted<'a> {
    table: &'a Table,
    model: &'a LogLinear,
    phi: &'a [f64],
    smoothing: f64,
}

impl ParameterVerdict {
    /// By listing the joint outcome space.
    fn exactly(&mut self, fitted: Fitted<'_>) -> Result<(), CheckError> {
        let Fitted { table, model, phi, smoothing } = fitted;
        let cells = table.cardinalities().iter().try_fold(1usize, |cells, &r| cells.checked_mul(r));
        let Some(cells) = cells.filter(|&cells| cells <= MOST_CELLS) else {
            return Err(CheckError::TooLarge { what: "joint configurations", limit: MOST_CELLS });
        };
        self.gradient = Some(likelihood_gradient_norm(table, model, phi, smoothing)?);
        let mut ending = Ending::IterationLimit;
        self.maximise(cells, || {
            let found = maximum_likelihood(table, model)?;
            ending = found.ending;
            Ok(found.log_likelihood)
        })?;
        if self.log_likelihood.is_some() && ending == Ending::IterationLimit {
            self.log_likelihood = None;
            self.not_examined = Some("the likelihood, of which the referee finds no maximum".to_owned());
        } else if self.log_likelihood.is_some() && table.size() <= MOST_ROWS as f64 {
            self.boundary = Some(ending != Ending::Converged);
        }
        Ok(())
    }

    /// Row by row, for parameters that were estimated to predict one variable. No bare estimate was
    /// made, so that the likelihood is theirs.
    fn of_target(&mut self, fitted: Fitted<'_>, target: usize) -> Result<(), CheckError> {
        let Fitted { table, model, phi, smoothing } = fitted;
        let pseudo_counts = PseudoCounts { rows: smoothing, ridge: RIDGE };
        self.gradient = Some(target_gradient_norm(table, model, phi, pseudo_counts, target)?);
        self.log_likelihood = Some(pseudo_log_likelihood(table, model, phi)?);
        Ok(())
    }

    /// Row by row.
    fn by_pseudo_likelihood(&mut self, fitted: Fitted<'_>) -> Result<(), CheckError> {
        let Fitted { table, model, phi, smoothing } = fitted;
        let pseudo_counts = PseudoCounts { rows: smoothing, ridge: RIDGE };
        self.gradient = Some(pseudo_gradient_norm(table, model, phi, pseudo_counts)?);
        let levels: usize = table.cardinalities().iter().sum();
        let cells = table.observations().count() * levels;
        self.maximise(cells, || maximum_pseudo_likelihood(table, model, PseudoCounts::NONE))
    }

    /// Has the referee fit once more, unless that takes too long.
    fn maximise(
        &mut self,
        cells: usize,
        maximum: impl FnOnce() -> Result<f64, CheckError>,
    ) -> Result<(), CheckError> {
        if cells as f64 * (self.parameters * self.parameters) as f64 <= MOST_WORK {
            self.log_likelihood = Some(maximum()?);
        } else {
            self.not_examined = Some("the likelihood, which takes too long to maximise once more".to_owned());
        }
        Ok(())
    }
}
