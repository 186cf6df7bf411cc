//! What can be wrong with a table, and where.

use super::shown;
use std::fmt;

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
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if let Some(line) = self.line {
            write!(f, ", line {line}")?;
        }
        match (self.column, &self.name) {
            (Some(column), Some(name)) => write!(f, ", column {column} ({})", shown(name)),
            (Some(column), None) => write!(f, ", column {column}"),
            (None, Some(name)) => write!(f, ", column {}", shown(name)),
            (None, None) => Ok(()),
        }
    }
}

/// What can be wrong with a table.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InputProblem {
    /// Nothing at the path.
    #[error("there is no such file; {hint}")]
    NotFound {
        /// A near name, or what to look at.
        hint: String,
    },
    /// The path is a folder.
    #[error("this is a directory; name a CSV or TSV file in it, or - for standard input")]
    Directory,
    /// Not a text at all, or in another encoding.
    #[error("this is not a UTF-8 text but {what}; save the table as CSV or TSV in UTF-8")]
    NotText {
        /// What it looks like.
        what: &'static str,
    },
    /// A compressed file that does not decompress.
    #[error("the compressed data is damaged: {what}; fetch or compress the file again")]
    Compressed {
        /// What the decompressor said.
        what: String,
    },
    /// Nothing at all in the file.
    #[error("the file is empty; expected a header line and one row per observation")]
    EmptyFile,
    /// A header and nothing below it, or every row dropped.
    #[error("no rows are left ({why}); expected at least one row")]
    NoRows {
        /// How that came about.
        why: String,
    },
    /// A row that is longer or shorter than the first one.
    #[error(
        "this row has {found} field{} where {expected} {} expected ({text}){hint}; \
         add or remove fields, quote a field that contains the delimiter, or give --delimiter",
        if *found == 1 { "" } else { "s" },
        if *expected == 1 { "was" } else { "were" }
    )]
    RaggedRow {
        /// Fields of the first line.
        expected: usize,
        /// Fields of this line.
        found: usize,
        /// The row's first fields.
        text: String,
        /// What may have caused it, where that shows.
        hint: String,
    },
    /// A row too long to be one.
    #[error(
        "this row is longer than {limit} bytes; a quote opened in it is never closed, or this is no table"
    )]
    RowTooLong {
        /// The limit.
        limit: u64,
    },
    /// A quote that is opened and never closed.
    #[error(
        "the quote opened before {text} is never closed; close it, or double a quote that is part of the text"
    )]
    OpenQuote {
        /// The field's beginning, escaped.
        text: String,
    },
    /// Bytes that are not UTF-8.
    #[error("the text {text} is not UTF-8; convert the file to UTF-8")]
    InvalidUtf8 {
        /// The field, escaped.
        text: String,
    },
    /// Two columns with one name.
    #[error(
        "the column name {name} appears twice (first as column {first}); \
         rename one of them, or give --no-header if the first line is a row"
    )]
    DuplicateColumn {
        /// The name, escaped.
        name: String,
        /// Where it stood first.
        first: usize,
    },
    /// A column without a name.
    #[error(
        "this column has no name; name it in the header line, remove it (row numbers, or a delimiter at \
         the end of the line?), or give --no-header if the first line is a row"
    )]
    EmptyColumnName,
    /// The header line again among the rows.
    #[error(
        "this row repeats the header line; remove it (two files were joined?), \
         or give --no-header if the first line is a row"
    )]
    HeaderTwice,
    /// A column asked for that is not there.
    #[error("there is no column {name} ({known}){hint}")]
    UnknownColumn {
        /// The name asked for, escaped.
        name: String,
        /// The names there are.
        known: String,
        /// A near name, where there is one.
        hint: String,
    },
    /// The column of weights asked for as a variable.
    #[error(
        "this column holds the weights and cannot be a variable too; take it out of --columns or --weights"
    )]
    WeightsAsVariable,
    /// No column left to learn from.
    #[error("no column is left to learn from; keep at least one with --columns or --drop")]
    NoColumns,
    /// Empty cells where none are allowed.
    #[error("{0}")]
    Missing(MissingValues),
    /// A weight that is not a count.
    #[error("the weight {text} is not a count; expected a whole number, 0 or more{hint}")]
    Weight {
        /// What stood there, escaped.
        text: String,
        /// What to do.
        hint: &'static str,
    },
    /// More rows by weight than this program counts.
    #[error(
        "the rows add up to {total}, beyond the limit of {limit}; sample the table or divide the weights"
    )]
    TooManyRows {
        /// Rows by weight, as far as they were read.
        total: u64,
        /// The limit.
        limit: u64,
    },
    /// More levels than a variable may have.
    #[error(
        "more than {limit} different values; this column looks like an identifier or a measurement: \
         --drop it or group its values"
    )]
    TooManyLevels {
        /// The limit.
        limit: usize,
    },
    /// A value that the schema does not list.
    #[error(
        "the value {text} is not a level of this variable ({levels}){hint}; mend the row, or learn with this level in a --schema file"
    )]
    UnknownLevel {
        /// The value, escaped.
        text: String,
        /// The levels there are.
        levels: String,
        /// A near level, where there is one.
        hint: String,
    },
    /// A column that holds something else than categories.
    #[error("this column holds {what}, not categories; {hint}")]
    NotCategories {
        /// What it holds.
        what: String,
        /// What to do.
        hint: String,
    },
    /// A level listed twice.
    #[error("the level {level} is listed twice; remove one of them")]
    DuplicateLevel {
        /// The level, escaped.
        level: String,
    },
    /// A variable without a level.
    #[error("this variable has no level; list at least one")]
    NoLevels,
    /// A code beyond the levels of its variable.
    #[error("the code {code} is not a level of this variable; it has {levels} levels, counted from 0")]
    CodeOutOfRange {
        /// The code.
        code: u32,
        /// The number of levels.
        levels: usize,
    },
    /// A schema file that is not one.
    #[error(
        "{what}; expected a TOML table [levels] with a list of texts per column, such as: \
         grade = [\"low\", \"high\"]"
    )]
    Schema {
        /// What is wrong.
        what: String,
    },
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

impl fmt::Display for MissingValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const MOST: usize = 8;
        let mut columns: Vec<String> =
            self.columns.iter().take(MOST).map(|(name, count)| format!("{}: {count}", shown(name))).collect();
        if self.columns.len() > MOST {
            columns.push(format!("and {} more columns", self.columns.len() - MOST));
        }
        write!(
            f,
            "missing values in {} of {} rows, first in line {} ({}); give --on-missing drop to leave those \
             rows out, --drop to leave out a column, or --missing to say which texts mean missing",
            self.rows,
            self.of,
            self.first_line,
            columns.join(", ")
        )
    }
}
