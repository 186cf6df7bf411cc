//! The Bayesian information criterion, by which kappa is chosen (paper, section 3.2).

use crate::loglinear::Fit;

/// BIC = log-likelihood - (k/2) ln n.
///
/// # Example
/// ```
/// use cmnet::select::bic;
/// assert!((bic(-100.0, 4, 1) + 100.0).abs() < 1e-12);
/// assert!(bic(-100.0, 4, 50) < bic(-100.0, 3, 50));
/// ```
pub fn bic(log_likelihood: f64, free_parameters: usize, rows: u64) -> f64 {
    log_likelihood - free_parameters as f64 / 2.0 * libm::log(rows as f64)
}

impl Fit {
    /// BIC of an exact estimate: the bare maximum of the log-likelihood, less the penalty.
    pub fn bic(&self) -> Option<f64> {
        Some(bic(self.log_likelihood?, self.free_parameters, self.rows))
    }

    /// BIC per observation, as the paper's tables give it.
    pub fn sbic(&self) -> Option<f64> {
        Some(self.bic()? / self.rows as f64)
    }

    /// The same with the pseudo-log-likelihood, where that is what was maximised: comparable
    /// only with itself.
    pub fn pseudo_bic(&self) -> Option<f64> {
        Some(bic(self.pseudo_log_likelihood?, self.free_parameters, self.rows))
    }
}

/// The index of the highest criterion; among equals that of the smallest kappa. Candidates
/// are (log kappa, criterion), with minus infinity for kappa = eps.
///
/// # Example
/// ```
/// use cmnet::select::choose;
/// let eps = f64::NEG_INFINITY;
/// assert_eq!(choose([(eps, -10.0), (-3.0, -9.0), (-7.0, -9.0)]), Some(2));
/// assert_eq!(choose([]), None);
/// ```
pub fn choose(candidates: impl IntoIterator<Item = (f64, f64)>) -> Option<usize> {
    use std::cmp::Ordering::{Equal, Greater, Less};
    let mut best: Option<(usize, f64, f64)> = None;
    for (index, (log_kappa, criterion)) in candidates.into_iter().enumerate() {
        let better = best.is_none_or(|(_, kappa, value)| match criterion.total_cmp(&value) {
            Greater => true,
            Equal => log_kappa < kappa,
            Less => false,
        });
        if better {
            best = Some((index, log_kappa, criterion));
        }
    }
    best.map(|(index, ..)| index)
}
