//! A table with missing values whose columns of numbers are not cut for good yet.

use super::builder::HoledRows;
use super::cuts::Cuts;
use super::incomplete::IncompleteTable;
use super::raw::RawTable;
use super::variable::Schema;
use crate::control::Control;
use crate::error::Result;

/// A table with missing values in which each number of a column that is to be cut is a level of its own.
#[derive(Clone, Debug)]
pub struct RawIncomplete {
    complete: RawTable,
    holed: HoledRows,
}

impl RawIncomplete {
    /// Complete rows, and those with missing values.
    pub(crate) fn new(complete: RawTable, holed: HoledRows) -> Self {
        Self { complete: complete.with_known_cells(&holed), holed }
    }

    /// The rows without missing values.
    pub(crate) fn complete(&self) -> &RawTable {
        &self.complete
    }

    /// The rows with missing values as levels of a schema that has cut points.
    pub(crate) fn holed_when_cut(&self, schema: &Schema) -> HoledRows {
        let cut = |row: &[Option<u32>]| {
            let cells = row.iter().enumerate();
            let level = |(variable, cell): (usize, &Option<u32>)| {
                cell.map(|level| self.complete.level_when_cut(variable, level, schema.cuts(variable)))
            };
            cells.map(level).collect()
        };
        self.holed.iter().map(|(row, weight)| (cut(row), *weight)).collect()
    }

    /// The table cut at these points, one entry for each column.
    ///
    /// # Errors
    /// When the control asks to stop.
    pub(crate) fn cut(&self, cuts: &[Option<Cuts>], control: &dyn Control) -> Result<IncompleteTable> {
        let data = self.complete.cut(cuts, control)?;
        let mut table = IncompleteTable::of(&data);
        for (row, weight) in self.holed_when_cut(data.schema()) {
            table.push(&row, weight)?;
        }
        Ok(table)
    }
}
