//! What can be wrong with a table, and where.

use super::dialect::{Dialect, Plain};
use super::quoting::quoted;
use super::remedy::{Remedies, Remedy};
use std::fmt;

/// What stands for a file in the place of a table that is in none.
const IN_MEMORY: &str = "the table";

/// Where in a text file something stands. Lines and columns count from 1.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The file's path as given, or `standard input`.
    pub file: String,
    /// The line, where one is known.
    pub line: Option<u64>,
    /// The column's number, where one is known.
    pub column: Option<usize>,
    /// The column's name, where one is known.
    pub name: Option<String>,
}

impl Place {
    /// A file as a whole.
    pub fn file(file: impl Into<String>) -> Self {
        Self { file: file.into(), ..Self::default() }
    }

    /// Whether the table is in no file: it then has rows, but no lines and no header line.
    pub fn is_in_memory(&self) -> bool {
        self.file == IN_MEMORY
    }

    /// The same file at a line.
    #[must_use]
    pub fn at_line(mut self, line: u64) -> Self {
        self.line = Some(line);
        self
    }

    /// The same line at a column.
    #[must_use]
    pub fn at_column(mut self, column: usize, name: Option<&str>) -> Self {
        self.column = Some(column);
        self.name = name.map(str::to_owned);
        self
    }

    /// The place in the words of a front end.
    pub fn words(&self, dialect: &dyn Dialect) -> String {
        let line = self.line.map(|line| dialect.line(line, self.is_in_memory()));
        let column = match (self.column, &self.name) {
            (Some(column), Some(name)) => Some(format!("column {column} ({})", quoted(name))),
            (Some(column), None) => Some(format!("column {column}")),
            (None, Some(name)) => Some(format!("column {}", quoted(name))),
            (None, None) => None,
        };
        let parts = [Some(self.file.clone()), line, column];
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words(&Plain))
    }
}

/// What may have made a row longer or shorter than the first one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RowDoubt {
    /// The first row below the header has one field more: row names without a column name?
    RowNames,
    /// A quote makes the row run on to this line.
    RunsOnTo(u64),
}

/// What may be wrong with a weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WeightDoubt {
    /// Nothing stands there.
    Empty,
    /// It is below zero.
    Negative,
    /// It is more than this program counts.
    TooLarge {
        /// The largest weight.
        limit: u64,
    },
    /// It is a number, but not in plain digits.
    NotDigits,
    /// It is infinite, or not a number.
    NotFinite,
    /// It is no number: perhaps another column was meant.
    OtherColumn,
}

/// What can be wrong with a table.
#[derive(Debug)]
#[non_exhaustive]
pub enum InputProblem {
    /// Nothing at the path.
    NotFound {
        /// A near name, or what to look at.
        remedy: Remedy,
    },
    /// The path is a folder.
    Directory,
    /// Not a text at all, or in another encoding.
    NotText {
        /// What it looks like.
        what: &'static str,
    },
    /// A compressed file that does not decompress.
    Compressed {
        /// What the decompressor said.
        what: String,
    },
    /// A file of columns that is not whole, or is none.
    Columnar {
        /// The format that it has, or should have.
        format: &'static str,
        /// What is wrong.
        what: String,
    },
    /// Nothing at all in the file.
    EmptyFile,
    /// One of several files that has other columns than the first.
    OtherColumns {
        /// The first file.
        first: String,
        /// Its columns, escaped, the first few.
        columns: String,
    },
    /// A header and nothing below it, or every row dropped.
    NoRows {
        /// How that came about.
        why: String,
    },
    /// A row that is longer or shorter than the first one.
    RaggedRow {
        /// Fields of the first line.
        expected: usize,
        /// Fields of this line.
        found: usize,
        /// The row's first fields.
        text: String,
        /// What may have caused it, where that shows.
        doubt: Option<RowDoubt>,
    },
    /// A row too long to be one.
    RowTooLong {
        /// The limit.
        limit: u64,
    },
    /// A quote that is opened and never closed.
    OpenQuote {
        /// The field's beginning, escaped.
        text: String,
    },
    /// Text that follows the closing quote of a field.
    TextAfterQuote,
    /// Bytes that are not UTF-8.
    InvalidUtf8 {
        /// The field, escaped.
        text: String,
    },
    /// Two columns with one name.
    DuplicateColumn {
        /// The name, escaped.
        name: String,
        /// Where it stood first.
        first: usize,
    },
    /// A column without a name.
    EmptyColumnName,
    /// The header line again among the rows.
    HeaderTwice,
    /// A column asked for that is not there.
    UnknownColumn {
        /// The name asked for, escaped.
        name: String,
        /// The names there are, escaped, the first few.
        known: String,
        /// A near name, where there is one.
        near: Option<String>,
    },
    /// The column of weights asked for as a variable.
    WeightsAsVariable,
    /// No column left to learn from.
    NoColumns,
    /// More columns than are read, or than can be variables.
    TooManyColumns {
        /// The limit.
        limit: usize,
    },
    /// Empty cells where none are allowed.
    Missing(MissingValues),
    /// A column of which no value is known.
    AllMissing,
    /// A weight that is not a count.
    Weight {
        /// What stood there, escaped.
        text: String,
        /// What may be wrong with it.
        doubt: WeightDoubt,
    },
    /// More rows by weight than this program counts.
    TooManyRows {
        /// Rows by weight, as far as they were read.
        total: u64,
        /// The limit.
        limit: u64,
    },
    /// More levels than a variable may have.
    TooManyLevels {
        /// The limit.
        limit: usize,
    },
    /// A value that the schema does not list.
    UnknownLevel {
        /// The value, escaped.
        text: String,
        /// The levels there are, escaped, the first few.
        levels: String,
        /// A near level, where there is one.
        near: Option<String>,
    },
    /// A text in a column of numbers that are cut.
    NotANumber {
        /// The text, escaped.
        text: String,
        /// The labels of the classes, escaped, where they are known.
        levels: Option<String>,
    },
    /// Cut points that do not fit the levels between them.
    CutsAndLevels {
        /// How many levels.
        levels: usize,
        /// How many cut points.
        points: usize,
    },
    /// A column that holds something else than categories.
    NotCategories {
        /// What it holds.
        what: String,
        /// What to do.
        remedies: Remedies,
    },
    /// A level listed twice.
    DuplicateLevel {
        /// The level, escaped.
        level: String,
    },
    /// A variable without a level.
    NoLevels,
    /// A code beyond the levels of its variable.
    CodeOutOfRange {
        /// The code.
        code: u32,
        /// The number of levels.
        levels: usize,
    },
    /// A file of knowledge that is not one.
    Knowledge {
        /// What is wrong.
        what: String,
    },
    /// Cut points of a schema file that are none.
    Points {
        /// What was expected instead.
        what: String,
    },
    /// A schema file that is not one.
    Schema {
        /// What is wrong.
        what: String,
    },
}

impl fmt::Display for InputProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words(&Plain, false))
    }
}

/// Missing values met where none are allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingValues {
    /// Rows of the file with at least one missing value.
    pub rows: u64,
    /// Rows of the file in all.
    pub of: u64,
    /// The line of the first of them.
    pub first_line: u64,
    /// Columns concerned, each with its number of missing values.
    pub columns: Vec<(String, u64)>,
}
