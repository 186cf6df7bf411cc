//! What a user may choose when a table has holes.

use super::super::options::check_share;
use crate::error::{Error, Expected, OptionName, Result};
use crate::learn::LearnOptions;

/// The most completed tables and rounds that can be asked for.
const MOST: u64 = 10_000;

/// What a user may choose, unchecked.
#[derive(Clone, Debug, PartialEq)]
pub struct CompletionOptions {
    /// Completed tables of each round. \[default: 10\]
    pub completions: u64,
    /// The most rounds. \[default: 10\]
    pub rounds: u64,
    /// What determines the draws. \[default: 1\]
    pub seed: u64,
    /// The share of completed tables from which on edges and context elements are kept.
    /// \[default: 0.6\]
    pub agreement: f64,
    /// How each structure is learned.
    pub learn: LearnOptions,
}

impl Default for CompletionOptions {
    fn default() -> Self {
        Self { completions: 10, rounds: 10, seed: 1, agreement: 0.6, learn: LearnOptions::default() }
    }
}

impl CompletionOptions {
    /// Checks what can be checked without a table.
    pub(super) fn check(&self) -> Result<()> {
        for (option, asked) in
            [(OptionName::Completions, self.completions), (OptionName::Rounds, self.rounds)]
        {
            if !(1..=MOST).contains(&asked) {
                return Err(Error::option(option, asked.to_string(), Expected::Between(1, MOST)));
            }
        }
        check_share(OptionName::Agreement, self.agreement)?;
        self.learn.check()?;
        self.learn.check_without_rows()
    }
}
