//! How parameters are estimated: what can be asked for, and what came of it.

use super::order::Order;
use super::parameters::Parameters;
use super::ridge::Ridge;
use super::term::Term;
use crate::data::{DataDigest, Var, Weighting};
use crate::error::{Error, Expected, OptionName, Result, choices};
use serde::{Deserialize, Serialize};
use std::fmt;

choices! {
    /// Which estimate is asked for.
    pub enum FitMethod of Method {
        /// Exact when the junction tree fits the memory, else pseudo.
        Auto = "auto",
        /// Maximum likelihood, or a refusal.
        Exact = "exact",
        /// Maximum pseudo-likelihood.
        Pseudo = "pseudo",
    }
}

/// How parameters are estimated.
#[derive(Clone, Debug, PartialEq)]
pub struct FitOptions {
    /// Which estimate. [default: auto]
    pub method: FitMethod,
    /// The most variables of a term; the free parameters are those of the other terms under the
    /// contexts' restrictions. \[default: full\]
    pub order: Order,
    /// A variable that is to be predicted from the others. Its terms are then estimated by its
    /// conditional likelihood, the other terms by the pseudo-likelihood of the other variables
    /// given those. \[default: none\]
    ///
    /// No bare estimate is made: the pseudo-log-likelihood is that of the parameters.
    pub target: Option<Var>,
    /// How strongly interactions are drawn towards zero in the parameters. The log-likelihood and
    /// BIC stay those of the bare estimate, without ridge and pseudo-counts. \[default: none\]
    pub ridge: Ridge,
    /// The sum of the pseudo-counts that keep every probability positive; 0 asks for the bare
    /// maximum likelihood estimate. [default: 1] [range: 0 or more]
    ///
    /// They are spread evenly over the joint outcome space, so that a configuration whose
    /// margins were never observed gets a small, finite probability; where everything was
    /// observed they change little. (With 1 it is the posterior mode under Perks' prior; ten-fold
    /// predictive accuracy on the paper's tables hardly moves between 0.5 and 5, and falls
    /// towards 0.) Maximum pseudo-likelihood imagines each variable's levels equally often in
    /// every *observed* blanket. BIC never sees any of this: its log-likelihood is that of the
    /// bare estimate.
    pub smoothing: f64,
    /// Relative change of the log-likelihood, and largest derivative per observation, that
    /// count as zero. [default: 1e-7] [range: above 0]
    ///
    /// That is what "converged" promises; the optimiser goes on to the last digits where it
    /// can. Where there is no finite estimate, the bare one ends where this rule is met term by
    /// term: it is the smoothed one with pseudo-counts of `tolerance` for each observation
    /// (and no more than one), so that an exact estimate expects every term as often as it was observed to within this
    /// share of the rows.
    pub tolerance: f64,
    /// The most iterations per connected component. [default: 1000]
    pub max_iterations: u64,
    /// The most memory for tables, in bytes. [default: 256 MiB]
    pub memory: u64,
}

impl Default for FitOptions {
    fn default() -> Self {
        Self {
            method: FitMethod::Auto,
            order: Order::FULL,
            target: None,
            ridge: Ridge::NONE,
            smoothing: 1.0,
            tolerance: 1e-7,
            max_iterations: 1000,
            memory: 256 << 20,
        }
    }
}

/// Pseudo-counts that can be computed with.
const SMOOTHING: std::ops::RangeInclusive<f64> = 1e-12..=1e12;

/// Refuses a number of pseudo-counts that is none, or so small that dividing by it overflows.
///
/// # Errors
/// When the number is neither 0 nor between 1e-12 and 1e12.
pub fn check_smoothing(smoothing: f64) -> Result<()> {
    if smoothing == 0.0 || SMOOTHING.contains(&smoothing) {
        return Ok(());
    }
    let expected = "0, or a sum of pseudo-counts between 1e-12 and 1e12";
    Err(Error::option(OptionName::Smoothing, format!("{smoothing:?}"), expected))
}

impl FitOptions {
    pub(crate) fn check(&self) -> Result<()> {
        check_smoothing(self.smoothing)?;
        if !(self.tolerance > 0.0 && self.tolerance.is_finite()) {
            return Err(Error::option(
                OptionName::Tolerance,
                format!("{:?}", self.tolerance),
                "a number above 0",
            ));
        }
        if self.max_iterations == 0 {
            return Err(Error::option(OptionName::MaxIterations, "0", Expected::AtLeast(1)));
        }
        Ok(())
    }

    /// The sum of the pseudo-counts of the parameters that are used: those asked for; and if none
    /// are, on a boundary as many as the rule of convergence allows, and no more than one.
    pub(crate) fn pseudo_counts(&self, boundary: bool, rows: u64) -> f64 {
        if boundary && self.smoothing == 0.0 {
            (self.tolerance * rows as f64).clamp(*SMOOTHING.start(), 1.0)
        } else {
            self.smoothing
        }
    }
}

/// Which estimate it became.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Estimate {
    /// Maximum likelihood.
    Exact,
    /// Maximum pseudo-likelihood.
    Pseudo,
    /// None: the parameters were read from elsewhere, and no table stands behind them.
    Imported,
}

impl fmt::Display for Estimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Exact => "exact",
            Self::Pseudo => "pseudo",
            Self::Imported => "imported",
        })
    }
}

/// How the optimisation of the bare (pseudo-)likelihood ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FitStatus {
    /// At the maximum.
    Converged,
    /// The supremum lies at infinity, since margins of the data are zero; the value is the
    /// supremum all the same.
    Boundary,
    /// Stopped before the maximum.
    IterationLimit,
    /// Nothing was optimised: the parameters are imported.
    NotEstimated,
}

impl fmt::Display for FitStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Converged => "converged",
            Self::Boundary => "boundary",
            Self::IterationLimit => "iteration-limit",
            Self::NotEstimated => "not-estimated",
        })
    }
}

/// Why an estimate is the one that it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FitReason {
    /// The caller asked for it.
    AskedFor,
    /// As these words say: what the junction tree takes, or where the parameters come from.
    Stated(String),
}

impl From<&str> for FitReason {
    fn from(text: &str) -> Self {
        if text == ASKED_FOR { Self::AskedFor } else { Self::Stated(text.to_owned()) }
    }
}

/// How model files and answers say that something was asked for.
const ASKED_FOR: &str = "asked for";

impl fmt::Display for FitReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::AskedFor => ASKED_FOR,
            Self::Stated(text) => text,
        })
    }
}

impl Serialize for FitReason {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A fitted structure.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// The parameters to use, smoothed as asked for.
    pub parameters: Parameters,
    /// Which estimate it is.
    pub estimate: Estimate,
    /// Why that one.
    pub reason: FitReason,
    /// The sum of the pseudo-counts that smooth the parameters: those asked for, or where none were and
    /// there is no finite estimate, those of [`FitOptions::tolerance`].
    pub smoothing: f64,
    /// The variable whose conditional likelihood its terms were estimated by.
    pub target: Option<Var>,
    /// The ridge of the parameters.
    pub ridge: Ridge,
    /// The number of free parameters k.
    pub free_parameters: usize,
    /// The number of observations n; 0 when the parameters are imported.
    pub rows: u64,
    /// The content of the table that they were estimated from; `None` when that is not known.
    pub digest: Option<DataDigest>,
    /// What the weights of the table were, where they are real numbers.
    pub weights: Option<Weighting>,
    /// The largest log-likelihood of the data, in all, without smoothing; `None` when the
    /// estimate is not exact.
    pub log_likelihood: Option<f64>,
    /// The largest pseudo-log-likelihood, in all, without smoothing; `None` when the estimate
    /// is exact.
    pub pseudo_log_likelihood: Option<f64>,
    /// How the optimisations ended, with smoothing and without; the worse of the two.
    pub status: FitStatus,
    /// The terms without a finite estimate, when that is a boundary.
    pub boundary: Vec<Term>,
    /// The largest derivative per observation that is left at the parameters.
    pub gradient: f64,
    /// Iterations over all components and both optimisations.
    pub iterations: u64,
}

impl Fit {
    /// Parameters that were not estimated but come from elsewhere, as `source` says.
    pub fn imported(parameters: Parameters, source: impl Into<String>) -> Self {
        Self {
            free_parameters: parameters.values().len(),
            parameters,
            estimate: Estimate::Imported,
            reason: FitReason::Stated(source.into()),
            smoothing: 0.0,
            target: None,
            ridge: Ridge::NONE,
            rows: 0,
            digest: None,
            weights: None,
            log_likelihood: None,
            pseudo_log_likelihood: None,
            status: FitStatus::NotEstimated,
            boundary: Vec::new(),
            gradient: 0.0,
            iterations: 0,
        }
    }

    /// The Bayesian information criterion: ll - k/2 ln n, natural logarithms; of the
    /// pseudo-log-likelihood where the estimate is not exact. Not a number for imported
    /// parameters, behind which there is no table.
    pub fn bic(&self) -> f64 {
        let fitted = self.log_likelihood.or(self.pseudo_log_likelihood).unwrap_or(f64::NAN);
        bic(fitted, self.free_parameters, self.rows)
    }

    /// The criterion per observation.
    pub fn sbic(&self) -> f64 {
        self.bic() / self.rows as f64
    }
}

/// The Bayesian information criterion of a log-likelihood.
pub(super) fn bic(log_likelihood: f64, free_parameters: usize, rows: u64) -> f64 {
    log_likelihood - free_parameters as f64 / 2.0 * libm::log(rows as f64)
}
