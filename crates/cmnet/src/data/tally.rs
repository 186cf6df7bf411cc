//! Rows met while a table is read, and whether they make a table in the end.

use crate::error::{Error, InputProblem, MissingValues, OptionName, Result, choices};

choices! {
    /// What to do about rows with missing values.
    pub enum OnMissing of OnMissing {
        /// Refuse, saying how many rows and which columns.
        Error = "error",
        /// Leave those rows out.
        Drop = "drop",
        /// Take what is known of them: to describe, discretize, learn, fit and evaluate.
        Model = "model",
    }
}

/// What was met so far.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RowTally {
    /// Rows, whatever their weight.
    pub(crate) rows: u64,
    /// Rows left out for a missing value.
    pub(crate) dropped_rows: u64,
    /// The weight of those rows.
    pub(crate) dropped_weight: u64,
    pub(crate) first_dropped: u64,
}

impl OnMissing {
    /// Refuses to keep rows with missing values, which a complete table cannot do.
    pub(super) fn check_complete(self) -> Result<()> {
        if self != Self::Model {
            return Ok(());
        }
        let expected = "error or drop here: only describe, discretize, learn, fit and evaluate take rows with missing values";
        Err(Error::option(OptionName::OnMissing, self.to_string(), expected))
    }
}

/// What there is of a table whose rows were met.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Met<'a> {
    pub(crate) names: &'a [String],
    /// Missing values in each variable.
    pub(crate) missing: &'a [u64],
    /// Whether no row of positive weight is there.
    pub(crate) is_empty: bool,
}

impl RowTally {
    /// Counts a row that stands in a line.
    #[inline]
    pub(crate) fn add(&mut self, line: impl FnOnce() -> u64, weight: u64, complete: bool) {
        self.rows += 1;
        if !complete {
            if self.dropped_rows == 0 {
                self.first_dropped = line();
            }
            self.dropped_rows += 1;
            self.dropped_weight = self.dropped_weight.saturating_add(weight);
        }
    }

    /// The same rows, none of which was left out.
    pub(crate) fn with_all_kept(self) -> Self {
        Self { rows: self.rows, ..Self::default() }
    }

    /// What keeps the rows from being a table, if anything does; `empty` says why there
    /// might be none.
    pub(crate) fn problem(&self, met: Met<'_>, on_missing: OnMissing, empty: &str) -> Option<InputProblem> {
        let Self { rows, dropped_rows, .. } = *self;
        let no_rows = |why: String| Some(InputProblem::NoRows { why });
        if rows == 0 {
            no_rows(empty.to_owned())
        } else if dropped_rows > 0 && on_missing == OnMissing::Error {
            let columns = met.names.iter().cloned().zip(met.missing.to_vec());
            Some(InputProblem::Missing(MissingValues {
                rows: dropped_rows,
                of: rows,
                first_line: self.first_dropped,
                columns: columns.filter(|&(_, count)| count > 0).collect(),
            }))
        } else if dropped_rows == rows {
            no_rows(format!("all {rows} have missing values and were left out"))
        } else if met.is_empty {
            no_rows("all weights are 0".to_owned())
        } else {
            None
        }
    }
}
