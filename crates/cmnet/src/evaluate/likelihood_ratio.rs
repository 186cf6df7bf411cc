//! How much better a larger model fits than one inside it, and how well a model fits at all.

use crate::control::Control;
use crate::data::{DataDigest, Dataset};
use crate::error::Result;
use crate::loglinear::{Fit, FitStatus, is_nested_with};
use crate::precision::chi_square_tail;
use crate::structure::Structure;

/// The likelihood-ratio test of a model inside another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LikelihoodRatio {
    /// Which of the two models is inside the other: 0 or 1.
    pub inner: usize,
    /// Twice the difference of the log-likelihoods.
    pub statistic: f64,
    /// The difference of the numbers of free parameters.
    pub degrees: usize,
    /// The probability of at least this difference, if the inner model is right.
    pub p_value: f64,
    /// Whether an estimate lies on the boundary: then parameters without a finite estimate count
    /// as degrees of freedom, and the p-value is too large.
    pub boundary: bool,
}

/// Tests one of two models against the other; `None` when neither is inside the other, or the
/// fits are no maximum likelihood estimates on the same rows.
///
/// # Errors
/// When a structure has too many terms; when the control asks to stop.
pub fn likelihood_ratio(
    one: (&Structure, &Fit),
    other: (&Structure, &Fit),
    control: &dyn Control,
) -> Result<Option<LikelihoodRatio>> {
    let (Some(first), Some(second)) = (one.1.log_likelihood, other.1.log_likelihood) else { return Ok(None) };
    let same_rows = one.1.rows == other.1.rows && one.1.digest.is_some() && one.1.digest == other.1.digest;
    if !same_rows {
        return Ok(None);
    }
    let (first_terms, second_terms) = (one.1.parameters.terms(), other.1.parameters.terms());
    let inner = if is_nested_with((one.0, first_terms), (other.0, second_terms), control)? {
        0
    } else if is_nested_with((other.0, second_terms), (one.0, first_terms), control)? {
        1
    } else {
        return Ok(None);
    };
    let (statistic, degrees) = if inner == 0 {
        (2.0 * (second - first), other.1.free_parameters.saturating_sub(one.1.free_parameters))
    } else {
        (2.0 * (first - second), one.1.free_parameters.saturating_sub(other.1.free_parameters))
    };
    let statistic = statistic.max(0.0);
    let boundary = [one.1, other.1].iter().any(|fit| fit.status == FitStatus::Boundary);
    Ok(Some(LikelihoodRatio {
        inner,
        statistic,
        degrees,
        p_value: chi_square_tail(statistic, degrees),
        boundary,
    }))
}

/// How far a model is from fitting a table as well as any distribution can.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Deviance {
    /// Twice the difference between the largest log-likelihood of any distribution and the
    /// model's on these rows.
    pub deviance: f64,
    /// Free probabilities of the joint table less the parameters of the model; `None` where the
    /// table has too many cells to count.
    pub degrees: Option<u64>,
}

/// The deviance of a maximum likelihood estimate on the table that it was fitted to; `None` for
/// another estimate or table. Where most cells are empty it has no chi-square distribution.
pub fn deviance(fit: &Fit, data: &Dataset) -> Option<Deviance> {
    let own = fit.log_likelihood.filter(|_| fit.digest == Some(DataDigest::of(data)))?;
    let rows = data.rows() as f64;
    let share = |&weight: &u32| f64::from(weight) * libm::log(f64::from(weight) / rows);
    let best: f64 = data.weights().iter().map(share).sum();
    let cells = |cells: u64, &levels: &u32| cells.checked_mul(levels.into());
    let cells = data.schema().cardinalities().iter().try_fold(1u64, cells);
    let degrees = cells.and_then(|cells| (cells - 1).checked_sub(fit.free_parameters as u64));
    Some(Deviance { deviance: (2.0 * (best - own)).max(0.0), degrees })
}
