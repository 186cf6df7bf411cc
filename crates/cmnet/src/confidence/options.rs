//! What a user may choose when resampling.

use crate::error::{Error, Expected, OptionName, Result, choices};
use crate::learn::LearnOptions;

/// The most replicates that can be asked for.
const MOST_REPLICATES: u64 = 1_000_000;

choices! {
    /// How a resample is drawn.
    pub enum Resample of Resample {
        /// Some of the rows, each at most once.
        Part = "part",
        /// Rows with replacement.
        Rows = "rows",
    }
}

choices! {
    /// Where the search of a replicate starts.
    pub enum ReplicateStart of Start {
        /// At the empty graph, as the search of the table.
        Empty = "empty",
        /// At the graph that was learned from the whole table.
        Table = "table",
    }
}

choices! {
    /// The kappa of a replicate, where there are several.
    pub enum KappaChoice of KappaChoice {
        /// Each replicate chooses anew by BIC.
        Anew = "anew",
        /// The kappa that was chosen for the whole table: a replicate is one search, and nothing is fitted.
        Table = "table",
    }
}

/// What a user may choose, unchecked.
#[derive(Clone, Debug, PartialEq)]
pub struct BootstrapOptions {
    /// How many resamples. \[default: 200\]
    pub replicates: u64,
    /// What determines the draws. \[default: 1\]
    pub seed: u64,
    /// The support from which on edges and elements are in the consensus. \[default: 0.6\]
    pub threshold: f64,
    /// How a resample is drawn. \[default: part\]
    pub resample: Resample,
    /// Rows of a resample as a share of the table's. \[default: see [`Resample::usual_share`]\]
    pub share: Option<f64>,
    /// Where the search of a replicate starts. \[default: empty\]
    pub start: ReplicateStart,
    /// The kappa of a replicate, where there are several. \[default: anew\]
    pub kappa_choice: KappaChoice,
    /// The work of a replicate, as a multiple of what learning from the whole table takes: a search that
    /// needs more ends there, with what it has found. \[default: 10\]
    pub bound: u64,
    /// Whether to end before all replicates when the answer is settled. \[default: no\]
    pub stop_early: bool,
    /// How each structure is learned: with one kappa, that is fixed and nothing is fitted. Where the mode of the
    /// search is left to the program, a replicate has mode `blanket`.
    pub learn: LearnOptions,
}

impl Default for BootstrapOptions {
    fn default() -> Self {
        Self {
            replicates: 200,
            seed: 1,
            threshold: 0.6,
            resample: Resample::default(),
            share: None,
            start: ReplicateStart::default(),
            kappa_choice: KappaChoice::default(),
            bound: 10,
            stop_early: false,
            learn: LearnOptions::default(),
        }
    }
}

impl Resample {
    /// The share of rows that is drawn where none is given: as many as the table has with
    /// replacement, and as many as are different ones among those where each is drawn at most once.
    pub fn usual_share(self) -> f64 {
        match self {
            Self::Part => 0.632,
            Self::Rows => 1.0,
        }
    }
}

impl BootstrapOptions {
    pub(super) fn check(&self) -> Result<()> {
        if !(1..=MOST_REPLICATES).contains(&self.replicates) {
            let expected = Expected::Between(1, MOST_REPLICATES);
            return Err(Error::option(OptionName::Replicates, self.replicates.to_string(), expected));
        }
        if self.bound == 0 {
            return Err(Error::option(OptionName::Bound, "0", Expected::AtLeast(1)));
        }
        if let Some(share) = self.share {
            check_share(OptionName::Share, share)?;
        }
        check_share(OptionName::Threshold, self.threshold)
    }

    /// The share of rows that is drawn.
    pub fn share(&self) -> f64 {
        self.share.unwrap_or_else(|| self.resample.usual_share())
    }
}

pub(super) fn check_share(option: OptionName, share: f64) -> Result<()> {
    if share > 0.0 && share <= 1.0 {
        return Ok(());
    }
    let expected = "a share above 0 and at most 1";
    Err(Error::option(option, share.to_string(), expected))
}
