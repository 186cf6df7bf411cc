//! Tables of text: CSV, TSV and their kin, plain or gzip-compressed.
//!
//! The table is read once, row by row; only codes and distinct labels are kept. What the
//! reader takes for granted:
//!
//! - Fields may be quoted with `"`, a quote inside is doubled, a quoted field may run over
//!   several lines. Blanks (ASCII white space) around a field are not part of it, quoted or
//!   not. Lines of nothing but blanks are no rows, in a table of one column neither: write
//!   `NA` or `""` there.
//! - The delimiter is found in the first rows among comma, tab, semicolon and pipe, unless
//!   given. Lines end in `\n`, `\r\n` or `\r`. The text is UTF-8, with or without a byte
//!   order mark.
//! - Variables keep the column order of the file, in whatever order they were selected.
//! - Levels are in the order of the schema; else by value when every label is a finite
//!   number (equal values such as `1` and `1.0` stay distinct); else by bytes. The order of
//!   rows never matters.
//! - A level that occurs only in rows left out for a missing value is no level. A level that
//!   occurs only in rows of weight 0 is one. A level that the schema declares is a level even
//!   where its text would mean "missing" in other columns.
//! - Columns that are not selected are not looked into.

use super::header::Columns;
use super::records::Records;
use super::schema_file::LevelOrder;
use super::source::Source;
use super::text::Text;
pub use crate::data::OnMissing;
use crate::data::{Dataset, Description, MAX_ROWS, Misfit, TableBuilder, Tally, Warning};
use crate::error::{Error, InputProblem, Result, WeightDoubt, quoted_bytes};
use std::io::Read;

/// How to read a table; the default reads a file with a header line and no missing values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadOptions {
    /// What separates fields; found in the first rows when not given.
    pub delimiter: Option<u8>,
    /// Whether the first line holds the names; else they are X1, X2, and so on.
    pub header: bool,
    /// The columns to read; all when not given. Their order does not matter.
    pub columns: Option<Vec<String>>,
    /// Columns to leave out.
    pub drop: Vec<String>,
    /// The column that says how often each row was observed: whole numbers, 0 or more.
    pub weights: Option<String>,
    /// The texts that mean "missing".
    pub missing: Vec<String>,
    /// What to do about missing values.
    pub on_missing: OnMissing,
    /// The levels of some columns, in order.
    pub schema: Option<LevelOrder>,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            delimiter: None,
            header: true,
            columns: None,
            drop: Vec::new(),
            weights: None,
            missing: ["", "NA", "NaN", "?"].map(str::to_owned).to_vec(),
            on_missing: OnMissing::default(),
            schema: None,
        }
    }
}

/// A table with what was met while reading it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Loaded {
    /// The table.
    pub data: Dataset,
    /// What its owner should know.
    pub warnings: Vec<Warning>,
    /// The name of the source.
    pub file: String,
    /// What separates its fields.
    pub delimiter: u8,
    /// Rows in the file, whatever their weight.
    pub file_rows: u64,
    /// Rows of the file left out for their missing values.
    pub dropped_rows: u64,
    /// The weight of those rows.
    pub dropped_weight: u64,
    /// Missing values per variable.
    pub missing: Vec<u64>,
}

impl Loaded {
    /// What the table holds.
    pub fn describe(&self) -> Description {
        let mut description = Description::of(&self.data).with_warnings(&self.warnings);
        description.file = Some(self.file.clone());
        description.dropped_rows = self.dropped_rows;
        description.dropped_weight = self.dropped_weight;
        for (variable, &missing) in description.variables.iter_mut().zip(&self.missing) {
            variable.missing = missing;
        }
        description
    }
}

/// Reads a table.
///
/// # Errors
/// When the source cannot be read or is not a table; every error names file, line,
/// column, the offending text and what to do.
///
/// # Example
/// ```
/// use cmnet::io::{Source, csv, ReadOptions};
/// let source = Source::bytes("example", "smokes,age\nyes,<40\nno,40+\nno,<40\n");
/// let loaded = csv::read(&source, &ReadOptions::default())?;
/// assert_eq!(loaded.data.schema().variable(0).levels, ["no", "yes"]);
/// # Ok::<(), cmnet::Error>(())
/// ```
pub fn read(source: &Source, options: &ReadOptions) -> Result<Loaded> {
    read_text(source.open()?, options)
}

/// Reads a table from any reader; `name` stands for the file in errors.
///
/// # Errors
/// As [`read`].
pub fn read_from(name: &str, reader: impl Read, options: &ReadOptions) -> Result<Loaded> {
    read_text(Text::open(name.to_owned(), reader)?, options)
}

fn read_text(text: Text<'_>, options: &ReadOptions) -> Result<Loaded> {
    let file = text.name.clone();
    let records = Records::open(text, options.delimiter)?;
    let delimiter = records.delimiter();
    let columns = Columns::new(&records, options)?;
    let builder = TableBuilder::new(columns.variable_names(), columns.coders(options));
    let mut table = Table { records, columns, builder, tally: Tally::default() };
    let mut more = !options.header || table.records.advance()?;
    while more {
        table.take_row(options.header)?;
        more = table.records.advance()?;
    }
    table.check(options.on_missing)?;
    let missing = table.builder.missing().to_vec();
    let Tally { rows: file_rows, dropped_rows, dropped_weight, .. } = table.tally;
    let data = table.builder.finish();
    let warnings = Warning::of(&data);
    Ok(Loaded { data, warnings, file, delimiter, file_rows, dropped_rows, dropped_weight, missing })
}

/// A table half read.
struct Table<'a> {
    records: Records<'a>,
    columns: Columns,
    builder: TableBuilder,
    tally: Tally,
}

impl Table<'_> {
    fn take_row(&mut self, has_header: bool) -> Result<()> {
        let width = self.columns.names.len();
        if self.records.len() != width {
            return Err(self.records.ragged(width, has_header && self.tally.rows == 0));
        }
        if has_header && self.columns.are_named_in(&self.records) {
            let place = self.records.place().at_line(self.records.line());
            return Err(Error::input(place, InputProblem::HeaderTwice));
        }
        let weight = self.weight()?;
        let (records, variables) = (&self.records, &self.columns.variables);
        let complete = self
            .builder
            .push(weight, |variable| Some(records.field(variables[variable])))
            .map_err(|misfit| self.error_at(*misfit))?;
        self.tally.add(self.records.line(), weight, complete);
        Ok(())
    }

    fn weight(&self) -> Result<u64> {
        let Some(column) = self.columns.weights else { return Ok(1) };
        let field = self.records.field(column);
        parse_weight(field).map_err(|doubt| {
            let place = self.columns.place(column).at_line(self.records.line());
            Error::input(place, InputProblem::Weight { text: quoted_bytes(field), doubt })
        })
    }

    fn error_at(&self, (variable, problem): Misfit) -> Error {
        let place = match variable {
            Some(variable) => self.columns.place(self.columns.variables[variable]),
            None => self.records.place(),
        };
        Error::input(place.at_line(self.records.line()), problem)
    }

    /// Checks, at the end, that there is a table.
    fn check(&self, on_missing: OnMissing) -> Result<()> {
        let empty = "there is a header line and nothing below it";
        match self.tally.problem(&self.builder, on_missing, empty) {
            Some(problem) => Err(Error::input(self.records.place(), problem)),
            None => Ok(()),
        }
    }
}

/// A weight as digits.
///
/// # Errors
/// What may be wrong with it.
pub fn parse_weight(text: &[u8]) -> std::result::Result<u64, WeightDoubt> {
    let doubt = match text {
        [] => WeightDoubt::Empty,
        [b'-', ..] => WeightDoubt::Negative,
        _ if text.iter().all(u8::is_ascii_digit) => {
            let digits = text.iter().try_fold(0_u64, |value, digit| {
                value.checked_mul(10)?.checked_add(u64::from(digit - b'0')).filter(|&value| value <= MAX_ROWS)
            });
            return digits.ok_or(WeightDoubt::TooLarge { limit: MAX_ROWS });
        }
        _ if str::from_utf8(text).is_ok_and(|text| text.parse::<f64>().is_ok()) => WeightDoubt::NotDigits,
        _ => WeightDoubt::OtherColumn,
    };
    Err(doubt)
}
