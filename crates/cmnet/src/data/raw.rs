//! A table whose columns of numbers are not cut yet.

use super::codes::Codes;
use super::collapse::merge_equal_rows;
use super::cuts::{Cuts, between};
use super::dataset::Dataset;
use super::numbers::Span;
use super::variable::{Schema, Var, Variable};
use super::weights::Weights;
use crate::control::Control;
use crate::error::Result;

/// A table in which each number of a column that is to be cut is a level of its own. Cut points are
/// chosen on it.
#[derive(Clone, Debug)]
pub struct RawTable {
    data: Dataset,
    spans: Vec<Option<Vec<Span>>>,
    /// Cells of rows that the table has not, by column and level.
    more: Vec<Vec<u64>>,
}

impl RawTable {
    /// A table, and for each column that is to be cut the numbers that its levels stand for.
    pub(crate) fn new(data: Dataset, spans: Vec<Option<Vec<Span>>>) -> Self {
        Self { data, spans, more: Vec::new() }
    }

    /// The same table, whose frequencies also count what is known of rows with missing values.
    pub(crate) fn with_known_cells(mut self, rows: &[(Vec<Option<u32>>, u64)]) -> Self {
        let levels = |variable: &Variable| vec![0; variable.levels.len()];
        self.more = self.data.schema().variables().iter().map(levels).collect();
        for (row, weight) in rows {
            for (counts, level) in self.more.iter_mut().zip(row) {
                if let Some(level) = level {
                    counts[*level as usize] += weight;
                }
            }
        }
        self
    }

    /// How often each level of a column was observed.
    pub(crate) fn level_counts(&self, variable: Var) -> Vec<u64> {
        let mut counts = self.data.level_counts(variable);
        let more = self.more.get(variable).into_iter().flatten();
        counts.iter_mut().zip(more).for_each(|(count, more)| *count += more);
        counts
    }

    /// The level of a cut column that a level of this table becomes.
    pub(crate) fn level_when_cut(&self, variable: Var, level: u32, cuts: Option<&Cuts>) -> u32 {
        match (cuts, self.spans(variable).get(level as usize)) {
            (Some(cuts), Some(span)) => cuts.level(span.low),
            _ => level,
        }
    }

    /// The table as it is.
    pub fn data(&self) -> &Dataset {
        &self.data
    }

    /// The table as it is.
    pub(crate) fn into_data(self) -> Dataset {
        self.data
    }

    /// The columns that are to be cut.
    pub fn numbers(&self) -> impl Iterator<Item = Var> + '_ {
        (0..self.spans.len()).filter(|&variable| self.spans[variable].is_some())
    }

    /// How many different numbers a column has that is to be cut.
    pub(crate) fn spans(&self, variable: Var) -> &[Span] {
        self.spans[variable].as_deref().unwrap_or_default()
    }

    /// The cut points between these numbers of a column and those before them, ascending.
    pub(crate) fn cuts_before(&self, variable: Var, numbers: &[usize]) -> Option<Cuts> {
        let spans = self.spans(variable);
        let points = numbers.iter().map(|&number| between(spans[number - 1].high, spans[number].low));
        Cuts::new(points.collect()).ok()
    }

    /// The table with columns cut at these points, one entry for each column. A column of numbers that
    /// is not cut keeps its numbers as levels.
    ///
    /// # Errors
    /// When the control asks to stop.
    pub(crate) fn cut(&self, cuts: &[Option<Cuts>], control: &dyn Control) -> Result<Dataset> {
        let schema = self.data.schema();
        let (mut variables, mut columns) = (Vec::new(), Vec::new());
        for (variable, cuts) in cuts.iter().enumerate() {
            let mut column: Codes = self.data.column(variable).clone();
            let mut own: Variable = schema.variable(variable).clone();
            if let Some(cuts) = cuts {
                let levels = self.spans(variable).iter().map(|span| cuts.level(span.low) as u16);
                column.recode(&levels.collect::<Vec<u16>>());
                own.levels = cuts.labels();
            }
            variables.push(own);
            columns.push(column);
        }
        let known =
            (0..cuts.len()).map(|variable| cuts[variable].as_ref().or(schema.cuts(variable)).cloned());
        let schema = Schema::new_unchecked(variables).with_all_cuts(known.collect::<Vec<_>>());
        let weights = Weights::from(self.data.weights().to_vec());
        let (columns, weights) = merge_equal_rows(columns, &weights, control)?;
        Ok(Dataset::from_collapsed(schema, columns, weights))
    }
}
