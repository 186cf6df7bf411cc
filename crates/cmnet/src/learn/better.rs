//! Which of two structures is better, by the BIC of both fits.

use super::observer::FitControl;
use super::{Criterion, Step};
use crate::control::{Control, Outcome};
use crate::counts::CountSource;
use crate::error::{ErrorKind, Result};
use crate::loglinear::{Estimate, Fit, FitMethod, FitOptions, FitRequest, fit_named};
use crate::score::EdgeRules;
use crate::structure::Structure;

/// What a structure is worth beside another over the same variables.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StructureBic {
    /// The Bayesian information criterion of its fit.
    pub bic: f64,
    /// The logarithm of the prior of its edges.
    pub log_prior: f64,
}

impl StructureBic {
    /// What structures are compared by.
    pub fn total(&self) -> f64 {
        self.bic + self.log_prior
    }
}

/// Whether one structure is better than another. Not where one cannot be fitted.
pub(super) fn is_better<S: CountSource>(
    one: &Structure,
    other: &Structure,
    rules: &EdgeRules,
    step: &Step<'_, '_, S>,
) -> Result<bool> {
    let control = FitControl { observer: step.observer, searched: true, fitted: false };
    let known = compared([one, other], rules, step, &control)?;
    Ok(known.is_some_and(|(_, [one, other])| one.total() > other.total()))
}

/// What two structures are worth: the BIC of both fits, which are by the same estimate, and the prior of their edges,
/// by which a refinement judges too. BIC alone would keep the false edges of a search among many variables. `None`
/// where one cannot be fitted, or a fit was stopped.
pub(super) fn compared<S: CountSource>(
    [one, other]: [&Structure; 2],
    rules: &EdgeRules,
    step: &Step<'_, '_, S>,
    control: &dyn Control,
) -> Result<Option<(Criterion, [StructureBic; 2])>> {
    let usual = step.options.fit.clone();
    let fit = |structure, options: &FitOptions| fitted(structure, options, step, control);
    let (mut first, mut second) = (fit(one, &usual)?, fit(other, &usual)?);
    let estimate = |fit: &Option<Fit>| fit.as_ref().map(|fit| fit.estimate);
    if estimate(&first) != estimate(&second) {
        let pseudo = FitOptions { method: FitMethod::Pseudo, ..usual };
        (first, second) = (fit(one, &pseudo)?, fit(other, &pseudo)?);
    }
    let (Some(first), Some(second)) = (first, second) else { return Ok(None) };
    // A likelihood has the evidence for an edge once, a pseudo-likelihood at both of its ends.
    let (criterion, ends) =
        if first.estimate == Estimate::Exact { (Criterion::Bic, 1.0) } else { (Criterion::PseudoBic, 2.0) };
    let usual = step.options.refinement().edge_prior.log_end(one.variables());
    let prior = |structure: &Structure| {
        let end = |edge| rules.log_end(edge).unwrap_or(usual).to_f64();
        ends * structure.graph().edges().map(end).sum::<f64>()
    };
    let worth =
        |fit: &Fit, structure: &Structure| StructureBic { bic: fit.bic(), log_prior: prior(structure) };
    Ok(Some((criterion, [worth(&first, one), worth(&second, other)])))
}

fn fitted<S: CountSource>(
    structure: &Structure,
    options: &FitOptions,
    step: &Step<'_, '_, S>,
    control: &dyn Control,
) -> Result<Option<Fit>> {
    let names = Some(step.table.schema());
    let request = FitRequest::new(structure, step.table.counts(), names, options);
    match fit_named(&request, control) {
        Ok(Outcome::Done(fit)) => Ok(Some(fit)),
        Ok(Outcome::Stopped(_)) => Ok(None),
        Err(error) if matches!(error.kind(), ErrorKind::Limit(_)) => Ok(None),
        Err(error) => Err(error),
    }
}
