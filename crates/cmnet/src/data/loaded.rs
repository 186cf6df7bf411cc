//! A table that was read, and what was met while reading it.

use super::cutting::CutColumn;
use super::dataset::Dataset;
use super::incomplete::IncompleteTable;
use super::measured::MeasuredColumn;
use super::raw::RawTable;
use super::raw_incomplete::RawIncomplete;
use super::warning::Warning;
use super::weighted::WeightedTable;
use crate::error::Result;

/// A table with what was met while reading it, whether it came from a file, from a data frame
/// or from labels in memory.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LoadedTable {
    /// The table.
    pub data: Dataset,
    /// What its owner should know.
    pub warnings: Vec<Warning>,
    /// The name of the source: of the file, or what stands for it.
    pub file: String,
    /// What separates the fields of the file; `None` for a table from memory.
    pub delimiter: Option<u8>,
    /// Rows of the source, whatever their weight.
    pub file_rows: u64,
    /// Rows of the source left out for their missing values.
    pub dropped_rows: u64,
    /// The weight of those rows.
    pub dropped_weight: u64,
    /// Missing values per variable.
    pub missing: Vec<u64>,
    /// The columns of numbers that were cut.
    pub cuts: Vec<CutColumn>,
    /// The columns that hold measurements and were not cut.
    pub measured: Vec<MeasuredColumn>,
    /// The table before it was cut, where the graph is to find cut points.
    pub raw: Option<Box<RawTable>>,
}

impl LoadedTable {
    /// Refuses a table with a column of measurements that was not cut: nothing can be learned from it.
    ///
    /// # Errors
    /// Names the first such column, and how it is cut.
    pub fn check_categories(&self) -> Result<()> {
        MeasuredColumn::refuse(&self.measured, &self.file)
    }
}

/// A table whose rows may have missing values, with what was met while reading it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LoadedIncomplete {
    /// The table.
    pub table: IncompleteTable,
    /// The columns of numbers that were cut.
    pub cuts: Vec<CutColumn>,
    /// The columns that hold measurements and were not cut.
    pub measured: Vec<MeasuredColumn>,
    /// What its owner should know.
    pub warnings: Vec<Warning>,
    /// The name of the source: of the file, or what stands for it.
    pub file: String,
    /// What separates the fields of the file; `None` for a table from memory.
    pub delimiter: Option<u8>,
    /// Rows of the source, whatever their weight.
    pub file_rows: u64,
    /// Missing values per variable, in rows of any weight.
    pub missing: Vec<u64>,
    /// The table before it was cut, where the graph is to find cut points.
    pub raw: Option<Box<RawIncomplete>>,
}

impl LoadedIncomplete {
    /// As [`LoadedTable::check_categories`].
    ///
    /// # Errors
    /// Names the first such column, and how it is cut.
    pub fn check_categories(&self) -> Result<()> {
        MeasuredColumn::refuse(&self.measured, &self.file)
    }

    /// The same as a table that has no missing values; `None` where it has some.
    pub fn complete(&self) -> Option<LoadedTable> {
        let data = self.table.complete_rows().filter(|_| self.table.incomplete_rows() == 0)?;
        Some(LoadedTable {
            cuts: self.cuts.clone(),
            measured: self.measured.clone(),
            raw: None,
            data,
            warnings: self.warnings.clone(),
            file: self.file.clone(),
            delimiter: self.delimiter,
            file_rows: self.file_rows,
            dropped_rows: 0,
            dropped_weight: 0,
            missing: self.missing.clone(),
        })
    }
}

/// A table whose weights are real numbers, with what was met while reading it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LoadedWeighted {
    /// The table.
    pub table: WeightedTable,
    /// The columns of numbers that were cut.
    pub cuts: Vec<CutColumn>,
    /// The name of the source: of the file, or what stands for it.
    pub file: String,
    /// Rows of the source, whatever their weight.
    pub file_rows: u64,
    /// Rows of the source left out for their missing values.
    pub dropped_rows: u64,
}
