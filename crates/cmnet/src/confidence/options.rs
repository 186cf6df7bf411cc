//! What a user may choose when resampling.

use crate::error::{Error, Expected, OptionName, Result};
use crate::learn::LearnOptions;

/// The most replicates that can be asked for.
const MOST_REPLICATES: u64 = 1_000_000;

/// What a user may choose, unchecked.
#[derive(Clone, Debug, PartialEq)]
pub struct BootstrapOptions {
    /// How many resamples. \[default: 200\]
    pub replicates: u64,
    /// What determines the draws. \[default: 1\]
    pub seed: u64,
    /// The support from which on edges and elements are in the consensus. \[default: 0.6\]
    pub threshold: f64,
    /// How each structure is learned: with one kappa, that is fixed and nothing is fitted; with
    /// several, each replicate chooses anew by BIC.
    pub learn: LearnOptions,
}

impl Default for BootstrapOptions {
    fn default() -> Self {
        Self { replicates: 200, seed: 1, threshold: 0.6, learn: LearnOptions::default() }
    }
}

impl BootstrapOptions {
    pub(super) fn check(&self) -> Result<()> {
        if !(1..=MOST_REPLICATES).contains(&self.replicates) {
            let expected = Expected::Between(1, MOST_REPLICATES);
            return Err(Error::option(OptionName::Replicates, self.replicates.to_string(), expected));
        }
        check_threshold(self.threshold)
    }
}

pub(super) fn check_threshold(threshold: f64) -> Result<()> {
    if threshold > 0.0 && threshold <= 1.0 {
        return Ok(());
    }
    let expected = "a share above 0 and at most 1";
    Err(Error::option(OptionName::Threshold, threshold.to_string(), expected))
}
