//! The rows of a file, whatever its format: what every reader of tables goes over.

#[cfg(feature = "parquet")]
use super::arrow::Batches;
use super::columns::Columns;
use super::header;
use super::read_options::ReadOptions;
use super::records::Records;
use super::source::Source;
use crate::control::Under;
#[cfg(feature = "parquet")]
use crate::data::Origin;
use crate::data::{Levels, NarrowRows};
use crate::error::{Error, InputProblem, Result};

/// The rows of a table one after another.
pub(super) trait TableRows {
    /// Goes to the first row below the names; `false` where there is none.
    fn begin(&mut self, has_header: bool) -> Result<bool>;
    /// Goes to the next row; `false` at the end.
    fn advance(&mut self) -> Result<bool>;
    /// The text in a column of the row; `None` where it is missing.
    fn cell(&self, column: usize) -> Option<&[u8]>;
    /// The line of the row.
    fn line(&self) -> u64;
    /// Refuses a row that does not fit the names; `is_first` for the first row below them.
    fn check_width(&self, names: &[String], is_first: bool) -> Result<()>;
    /// Refuses a row that is the names again.
    fn check_names(&self, names: &[String]) -> Result<()>;
    /// The rows at hand behind this one whose fields have one byte each.
    fn narrow(&self) -> NarrowRows<'_> {
        NarrowRows::default()
    }
    /// Goes past so many of these rows; the row stays the one it was.
    fn pass(&mut self, _rows: usize) {}
}

impl TableRows for Records<'_> {
    fn begin(&mut self, has_header: bool) -> Result<bool> {
        Ok(!has_header || self.advance()?)
    }

    #[inline]
    fn advance(&mut self) -> Result<bool> {
        Records::advance(self)
    }

    #[inline]
    fn cell(&self, column: usize) -> Option<&[u8]> {
        Some(self.raw(column))
    }

    fn line(&self) -> u64 {
        Records::line(self)
    }

    #[inline]
    fn check_width(&self, names: &[String], is_first: bool) -> Result<()> {
        if self.len() == names.len() { Ok(()) } else { Err(self.ragged(names.len(), is_first)) }
    }

    #[inline]
    fn check_names(&self, names: &[String]) -> Result<()> {
        if header::is_header(self, names) {
            let place = self.place().at_line(Records::line(self));
            return Err(Error::input(place, InputProblem::HeaderTwice));
        }
        Ok(())
    }

    fn narrow(&self) -> NarrowRows<'_> {
        Records::narrow(self)
    }

    fn pass(&mut self, rows: usize) {
        Records::pass(self, rows);
    }
}

/// An open file of rows.
#[derive(Debug)]
pub(super) enum Opened<'a> {
    Text(Records<'a>),
    #[cfg(feature = "parquet")]
    Arrow(Batches<'a>),
}

/// Calls a function that takes any kind of rows.
macro_rules! each_kind {
    ($opened:expr, $rows:ident => $work:expr) => {
        match $opened {
            $crate::io::table::Opened::Text($rows) => $work,
            #[cfg(feature = "parquet")]
            $crate::io::table::Opened::Arrow($rows) => $work,
        }
    };
}
pub(super) use each_kind;

impl<'a> Opened<'a> {
    /// Opens a source by its content; several files stand for their first one.
    pub(super) fn open(source: &'a Source, options: Under<'a, ReadOptions>) -> Result<Self> {
        #[cfg(feature = "parquet")]
        if let Some(batches) = Batches::open(source, options.control())? {
            return Ok(Self::Arrow(batches));
        }
        Ok(Self::Text(Records::open(source.open(options.control())?, options.delimiter)?))
    }

    /// Which columns are variables and weights.
    pub(super) fn columns(&self, options: &ReadOptions) -> Result<Columns> {
        match self {
            Self::Text(records) => header::columns(records, options),
            #[cfg(feature = "parquet")]
            Self::Arrow(batches) => {
                let origin = Origin::File { name: batches.name().to_owned(), delimiter: None };
                Columns::of(origin, batches.names()?, options)
            }
        }
    }

    /// Says which columns will be asked for; what the file itself knows of their levels.
    pub(super) fn choose(&mut self, columns: &Columns, variables: &[usize]) -> Result<Vec<Levels>> {
        match self {
            Self::Text(_) => {
                let _ = columns;
                Ok(vec![Levels::Observed; variables.len()])
            }
            #[cfg(feature = "parquet")]
            Self::Arrow(batches) => batches.choose(variables, columns.weights()),
        }
    }
}
