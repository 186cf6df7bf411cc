//! Tables of columns: Parquet and Arrow files, in batches of rows. No more than one batch is held.
//!
//! Cells become the texts that a file of text would have, and go through the same door. A row counts
//! as a line, from 1. Columns that nobody asks for are not read.

mod blocks;
mod cells;
mod messages;
mod open;

use super::table::TableRows;
use crate::control::{Control, ask};
use crate::data::{Levels, check_columns};
use crate::error::{Error, InputProblem, Place, Result};
use arrow_array::RecordBatch;
use arrow_schema::{Field, Schema as ArrowSchema};
pub use cells::{ArrowCells, ArrowLabels};
use open::Opening;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// Rows that are written out at once.
const VIEW: usize = 1 << 10;

/// Batches as their file gives them; a text says why one cannot be read.
type Given<'a> = Box<dyn Iterator<Item = std::result::Result<RecordBatch, String>> + 'a>;

/// The rows of a table of columns.
pub(super) struct Batches<'a> {
    name: String,
    format: &'static str,
    control: &'a dyn Control,
    schema: Arc<ArrowSchema>,
    opening: Option<Opening<'a>>,
    given: Given<'a>,
    /// The columns that are read.
    chosen: Vec<usize>,
    /// For each column its place among those that are read.
    places: Vec<Option<usize>>,
    cells: Vec<ArrowCells<'static>>,
    /// Rows of the batch, the one at hand, and the first in view.
    rows: usize,
    row: usize,
    view: usize,
    /// Rows of the batches before.
    passed: u64,
    begun: bool,
}

impl std::fmt::Debug for Batches<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Batches").field("name", &self.name).finish_non_exhaustive()
    }
}

impl<'a> Batches<'a> {
    fn new(name: String, format: &'static str, opening: Opening<'a>, control: &'a dyn Control) -> Self {
        let schema = opening.schema();
        let places = vec![None; schema.fields().len()];
        Self {
            name,
            format,
            control,
            schema,
            opening: Some(opening),
            given: Box::new(std::iter::empty()),
            chosen: Vec::new(),
            places,
            cells: Vec::new(),
            rows: 0,
            row: 0,
            view: 0,
            passed: 0,
            begun: false,
        }
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// The names of all columns.
    pub(super) fn names(&self) -> Result<Vec<String>> {
        let names: Vec<String> =
            self.schema.fields().iter().map(|field| field.name().trim_ascii().to_owned()).collect();
        check_columns(names.iter().map(String::as_str)).map_err(|(column, problem)| {
            Error::input(Place::file(&self.name).at_column(column, None), problem)
        })?;
        Ok(names)
    }

    /// Begins to read some columns; what the first rows say about the levels of the variables.
    pub(super) fn choose(&mut self, variables: &[usize], weights: Option<usize>) -> Result<Vec<Levels>> {
        let mut chosen: Vec<usize> = variables.iter().copied().chain(weights).collect();
        chosen.sort_unstable();
        chosen.dedup();
        for (place, &column) in chosen.iter().enumerate() {
            self.places[column] = Some(place);
        }
        self.chosen = chosen;
        if let Some(opening) = self.opening.take() {
            self.given = opening.read(&self.chosen)?;
        }
        self.begun = self.next_batch()?;
        let known = |&column: &usize| {
            let cells = self.cells.get(self.places[column]?)?;
            let listed = cells.ordered().filter(|_| self.has_order(self.schema.field(column)))?.list();
            (!listed.is_empty()).then_some(Levels::Ordered(listed))
        };
        Ok(variables.iter().map(|column| known(column).unwrap_or(Levels::Observed)).collect())
    }

    /// Whether the order of a dictionary means something. That of a polars Categorical is the order in which
    /// texts were met, and so is that of a Parquet file unless its writer says otherwise.
    fn has_order(&self, field: &Field) -> bool {
        let is_met = field.metadata().keys().any(|key| key.starts_with("_PL_CATEGORICAL"));
        let is_stored = self.format == open::ARROW
            || field.dict_is_ordered() == Some(true)
            || self.schema.metadata().contains_key("pandas");
        is_stored && !is_met
    }

    fn damaged(&self, what: String) -> Error {
        Error::input(Place::file(&self.name), InputProblem::Columnar { format: self.format, what })
    }

    /// Goes to the first row of the next batch that has one.
    fn next_batch(&mut self) -> Result<bool> {
        loop {
            ask(self.control)?;
            self.passed += self.rows as u64;
            (self.rows, self.row, self.view) = (0, 0, 0);
            let given = &mut self.given;
            let next = unbroken(|| given.next()).map_err(|what| self.damaged(what))?;
            let Some(batch) = next else { return Ok(false) };
            let batch = batch.map_err(|what| self.damaged(what))?;
            if batch.num_rows() > 0 {
                self.take(&batch)?;
                return Ok(true);
            }
        }
    }

    fn take(&mut self, batch: &RecordBatch) -> Result<()> {
        if batch.num_columns() != self.chosen.len() {
            return Err(self.damaged("a batch has other columns than the file".to_owned()));
        }
        self.cells.clear();
        for (&column, array) in self.chosen.iter().zip(batch.columns()) {
            let cells = ArrowCells::of(array, true).map_err(|problem| {
                let name = self.schema.field(column).name();
                Error::input(Place::file(&self.name).at_column(column + 1, Some(name)), problem)
            })?;
            self.cells.push(cells);
        }
        self.rows = batch.num_rows();
        self.look(0);
        Ok(())
    }

    fn look(&mut self, start: usize) {
        self.view = start;
        let length = VIEW.min(self.rows - start);
        self.cells.iter_mut().for_each(|cells| cells.view(start, length));
    }
}

/// Runs what reads bytes that anybody may have written: readers of Arrow give up on some of them.
fn unbroken<T>(read: impl FnOnce() -> T) -> std::result::Result<T, String> {
    catch_unwind(AssertUnwindSafe(read)).map_err(|_| "its content is damaged".to_owned())
}

impl TableRows for Batches<'_> {
    fn begin(&mut self, _has_header: bool) -> Result<bool> {
        Ok(self.begun)
    }

    #[inline]
    fn advance(&mut self) -> Result<bool> {
        self.row += 1;
        if self.row >= self.rows {
            return self.next_batch();
        }
        if self.row - self.view >= VIEW {
            self.look(self.row);
        }
        Ok(true)
    }

    #[inline]
    fn cell(&self, column: usize) -> Option<&[u8]> {
        self.cells[self.places[column]?].get(self.row - self.view)
    }

    fn line(&self) -> u64 {
        self.passed + self.row as u64 + 1
    }

    fn check_width(&self, _names: &[String], _is_first: bool) -> Result<()> {
        Ok(())
    }

    fn check_names(&self, _names: &[String]) -> Result<()> {
        Ok(())
    }
}
