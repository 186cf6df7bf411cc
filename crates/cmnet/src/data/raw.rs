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
}

impl RawTable {
    /// A table, and for each column that is to be cut the numbers that its levels stand for.
    pub(crate) fn new(data: Dataset, spans: Vec<Option<Vec<Span>>>) -> Self {
        Self { data, spans }
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
