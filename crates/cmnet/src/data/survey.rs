//! A first look at a table in parts: which levels each column has, before any row is packed.
//!
//! Levels are ordered by all of them, so a part alone cannot number its own. Surveys of the parts add
//! up, in the order of the parts; then every part is packed with the same levels.

use super::encode::{Coder, Lookup};
use super::tally::{Met, OnMissing, RowTally};
use super::variable::MAX_ROWS;
use crate::error::{Error, InputProblem, Place, Result};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// What a look at a part of a table, or at several, found out.
///
/// # Example
/// ```
/// use cmnet::{ListedLevels, OnMissing, ReadOptions, Source, survey_csv};
/// let part = |text: &'static str| survey_csv(&Source::bytes("part", text), &ReadOptions::default());
/// let survey = part("a,b\n10,x\n")?.then(part("a,b\n9,y\n")?)?;
/// let whole = survey.finish(ListedLevels::First, OnMissing::Error)?;
/// assert_eq!(whole.levels[0], ("a".to_owned(), vec!["9".to_owned(), "10".to_owned()]));
/// # Ok::<(), cmnet::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Survey {
    columns: Vec<SurveyedColumn>,
    rows: SurveyedRows,
}

/// The levels of one column.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SurveyedColumn {
    name: String,
    /// Those that the caller declared: there are no others.
    declared: Option<Vec<String>>,
    /// Those that the first part lists, in its order.
    listed: Option<Vec<String>>,
    /// Those that any part lists, if every part lists some.
    all_listed: Option<Vec<String>>,
    /// Those that occur, as they were written, in the order in which they were met.
    met: Vec<String>,
}

/// The rows that were met.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SurveyedRows {
    /// What complaints about missing values call the source.
    pub(super) file: String,
    pub(super) rows: u64,
    /// Complete rows, by weight.
    pub(super) observed: u64,
    pub(super) dropped_rows: u64,
    pub(super) dropped_weight: u64,
    pub(super) first_dropped: u64,
    pub(super) missing: Vec<u64>,
}

/// Which of the levels count that the parts of a column list themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListedLevels {
    /// Those of the first part; others come behind them where they occur. So a stream is read.
    First,
    /// Those of all parts, if each part lists some. So data frames are put together.
    All,
}

/// What is known of a table when all its parts were looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Surveyed {
    /// Names and levels in their final order.
    pub levels: Vec<(String, Vec<String>)>,
    /// Rows, whatever their weight.
    pub rows: u64,
    /// Rows that are left out for missing values.
    pub dropped_rows: u64,
    /// Missing values per variable.
    pub missing: Vec<u64>,
}

impl SurveyedColumn {
    pub(super) fn new(
        name: String,
        declared: Option<Vec<String>>,
        listed: Option<Vec<String>>,
        met: Vec<String>,
    ) -> Self {
        Self { name, declared, all_listed: listed.clone(), listed, met }
    }

    /// Adds what the next part found; parts without rows have nothing to say about lists.
    fn extend(&mut self, next: Self, is_empty: (bool, bool)) {
        if self.listed.is_none() && is_empty.0 {
            (self.listed, self.all_listed) = (next.listed, next.all_listed);
        } else if !(next.listed.is_none() && is_empty.1) {
            self.all_listed = match (self.all_listed.take(), next.all_listed) {
                (Some(own), Some(other)) => Some(joined(own, other)),
                _ => None,
            };
        }
        self.met = joined(std::mem::take(&mut self.met), next.met);
    }

    fn levels(self, rule: ListedLevels) -> std::result::Result<Vec<String>, InputProblem> {
        if let Some(declared) = self.declared {
            return Ok(declared);
        }
        let listed = match rule {
            ListedLevels::First => self.listed,
            ListedLevels::All => self.all_listed,
        };
        let mut coder = listed.map_or_else(|| Coder::open(&[]), |listed| Coder::kept(&listed, &[]));
        for label in &self.met {
            if coder.find(label.as_bytes()) == Lookup::New {
                coder.add(label.as_bytes())?;
            }
        }
        Ok(coder.finish().levels)
    }
}

/// Two lists without what stands twice.
fn joined(mut own: Vec<String>, other: Vec<String>) -> Vec<String> {
    let known: BTreeSet<&String> = own.iter().collect();
    let new: Vec<String> = other.into_iter().filter(|label| !known.contains(label)).collect();
    own.extend(new);
    own
}

impl Survey {
    pub(super) fn new(columns: impl Iterator<Item = SurveyedColumn>, rows: SurveyedRows) -> Self {
        Self { columns: columns.collect(), rows }
    }

    /// What both parts know, the other one behind this one.
    ///
    /// # Errors
    /// When they have not the same columns.
    pub fn then(mut self, next: Self) -> Result<Self> {
        let names =
            |survey: &Self| survey.columns.iter().map(|column| column.name.clone()).collect::<Vec<_>>();
        if names(&self) != names(&next) {
            let problem = format!(
                "the parts of the table have not the same columns: {:?} and {:?}",
                names(&self),
                names(&next)
            );
            return Err(Error::mismatch(problem, "choose columns that every part has, in one order"));
        }
        let is_empty = (self.rows.rows == 0, next.rows.rows == 0);
        for (own, other) in self.columns.iter_mut().zip(next.columns) {
            own.extend(other, is_empty);
        }
        let (own, other) = (&mut self.rows, next.rows);
        if own.dropped_rows == 0 && other.dropped_rows > 0 {
            // Rows in memory are counted through; lines are those of their file.
            let before = if Place::file(&other.file).is_in_memory() { own.rows } else { 0 };
            (own.first_dropped, own.file) = (before + other.first_dropped, other.file);
        }
        own.rows += other.rows;
        own.observed = own.observed.saturating_add(other.observed);
        own.dropped_rows += other.dropped_rows;
        own.dropped_weight = own.dropped_weight.saturating_add(other.dropped_weight);
        own.missing.iter_mut().zip(other.missing).for_each(|(own, other)| *own += other);
        Ok(self)
    }

    /// Rows that were met, whatever their weight.
    pub fn rows(&self) -> u64 {
        self.rows.rows
    }

    /// The levels that all parts have together, if their rows make a table.
    ///
    /// # Errors
    /// When values are missing and that is an error, no row is left, or there are too many rows or levels.
    pub fn finish(self, listed: ListedLevels, on_missing: OnMissing) -> Result<Surveyed> {
        on_missing.check_complete()?;
        let Self { columns, rows } = self;
        let place = Place::file(rows.file);
        let tally = RowTally {
            rows: rows.rows,
            dropped_rows: rows.dropped_rows,
            dropped_weight: rows.dropped_weight,
            first_dropped: rows.first_dropped,
        };
        let names: Vec<String> = columns.iter().map(|column| column.name.clone()).collect();
        let met = Met { names: &names, missing: &rows.missing, is_empty: rows.observed == 0 };
        if let Some(problem) = tally.problem(met, on_missing, "the table is empty") {
            return Err(Error::input(place, problem));
        }
        if rows.observed > MAX_ROWS {
            let problem = InputProblem::TooManyRows { total: rows.observed, limit: MAX_ROWS };
            return Err(Error::input(place, problem));
        }
        let level = |(number, column): (usize, SurveyedColumn)| {
            let name = column.name.clone();
            let found = column.levels(listed);
            let place = || place.clone().at_column(number + 1, Some(&name));
            Ok((name.clone(), found.map_err(|problem| Error::input(place(), problem))?))
        };
        let levels = columns.into_iter().enumerate().map(level).collect::<Result<_>>()?;
        let (rows, dropped_rows, missing) = (rows.rows, rows.dropped_rows, rows.missing);
        Ok(Surveyed { levels, rows, dropped_rows, missing })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Intake, Levels};

    fn part(listed: Option<&[&str]>, labels: &[&str]) -> Survey {
        let columns = vec![("a".to_owned(), Levels::Observed)];
        let texts = |labels: &[&str]| labels.iter().map(|&label| label.to_owned()).collect::<Vec<_>>();
        let mut intake = Intake::new(columns, &["?".to_owned()]).unwrap().surveying(vec![listed.map(texts)]);
        for label in labels {
            intake.push(1, |_| Some(label.as_bytes())).unwrap();
        }
        intake.survey()
    }

    fn levels(parts: Vec<Survey>, rule: ListedLevels) -> String {
        let whole = parts.into_iter().reduce(|own, next| own.then(next).unwrap()).unwrap();
        whole.finish(rule, OnMissing::Drop).unwrap().levels[0].1.join(" ")
    }

    #[test]
    fn levels_are_those_of_the_whole_table() {
        let parts = || vec![part(None, &["10.0", "2.0"]), part(None, &[]), part(None, &["9.0", "?"])];
        assert_eq!(levels(parts(), ListedLevels::First), "2 9 10");
        let parts = || vec![part(None, &["10.0"]), part(None, &["1.5"])];
        assert_eq!(levels(parts(), ListedLevels::All), "1.5 10.0");
    }

    #[test]
    fn lists_count_as_streams_and_frames_have_it() {
        let parts = || {
            vec![
                part(None, &[]),
                part(Some(&["low", "high"]), &["high"]),
                part(Some(&["mid", "top", "low"]), &["top", "low"]),
            ]
        };
        assert_eq!(levels(parts(), ListedLevels::First), "low high top");
        assert_eq!(levels(parts(), ListedLevels::All), "low high mid top");
        let mixed = vec![part(Some(&["low", "high"]), &["low"]), part(None, &["zero", "high"])];
        assert_eq!(levels(mixed, ListedLevels::All), "high low zero");
    }

    #[test]
    fn complaints_are_those_of_the_whole_table() {
        let whole = part(None, &["x", "y"]).then(part(None, &["x", "?", "?"])).unwrap();
        let text = whole.clone().finish(ListedLevels::First, OnMissing::Error).unwrap_err().to_string();
        assert!(text.contains("missing values in 2 of 5 rows, first in line 4"), "{text}");
        let found = whole.finish(ListedLevels::First, OnMissing::Drop).unwrap();
        assert_eq!((found.rows, found.dropped_rows, found.missing), (5, 2, vec![2]));
        let text = part(None, &[]).finish(ListedLevels::First, OnMissing::Drop).unwrap_err().to_string();
        assert!(text.contains("the table is empty"), "{text}");
    }
}
