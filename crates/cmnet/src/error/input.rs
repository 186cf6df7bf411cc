//! What can be wrong with a table, and where.

use super::dialect::{Action, Dialect, Plain};
use super::option::OptionName;
use super::remedy::{Remedies, Remedy};
use super::text::quoted;
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
    /// It is no number: perhaps another column was meant.
    OtherColumn,
}

impl WeightDoubt {
    fn words(self, dialect: &dyn Dialect) -> String {
        match self {
            Self::Empty => "; write 0, or remove the row".to_owned(),
            Self::Negative => "; a count cannot be negative".to_owned(),
            Self::TooLarge { limit } => format!(", at most {limit}; divide the weights"),
            Self::NotDigits => " in plain digits; round or multiply the weights".to_owned(),
            Self::OtherColumn => {
                format!("; is this the right {} column?", dialect.option(OptionName::Weights))
            }
        }
    }
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
    /// Nothing at all in the file.
    EmptyFile,
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
    /// Empty cells where none are allowed.
    Missing(MissingValues),
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

impl InputProblem {
    /// The problem and what to do about it, in the words of a front end; `in_memory` for a
    /// table that is in no file.
    pub fn words(&self, dialect: &dyn Dialect, in_memory: bool) -> String {
        match self {
            Self::NotFound { .. }
            | Self::Directory
            | Self::NotText { .. }
            | Self::Compressed { .. }
            | Self::EmptyFile
            | Self::InvalidUtf8 { .. }
            | Self::Schema { .. } => self.words_of_file(dialect),
            Self::NoRows { .. }
            | Self::RaggedRow { .. }
            | Self::RowTooLong { .. }
            | Self::OpenQuote { .. }
            | Self::HeaderTwice
            | Self::TooManyRows { .. }
            | Self::Weight { .. } => self.words_of_row(dialect),
            Self::Missing(missing) => missing.words(dialect, in_memory),
            _ => self.words_of_column(dialect, in_memory),
        }
    }

    fn words_of_file(&self, dialect: &dyn Dialect) -> String {
        match self {
            Self::NotFound { remedy } => format!("there is no such file; {}", remedy.words(dialect)),
            Self::Directory => format!(
                "this is a directory; name a CSV or TSV file in it, {}",
                dialect.action(Action::PassTable)
            ),
            Self::NotText { what } => {
                format!("this is not a UTF-8 text but {what}; save the table as CSV or TSV in UTF-8")
            }
            Self::Compressed { what } => {
                format!("the compressed data is damaged: {what}; fetch or compress the file again")
            }
            Self::InvalidUtf8 { text } => format!("the text {text} is not UTF-8; convert the file to UTF-8"),
            Self::Schema { what } => format!(
                "{what}; expected a TOML table [levels] with a list of texts per column, such as: \
                 grade = [\"low\", \"high\"]"
            ),
            _ => "the file is empty; expected a header line and one row per observation".to_owned(),
        }
    }

    fn words_of_row(&self, dialect: &dyn Dialect) -> String {
        match self {
            Self::NoRows { why } => format!("no rows are left ({why}); expected at least one row"),
            Self::RaggedRow { expected, found, text, doubt } => {
                let fields = if *found == 1 { "field" } else { "fields" };
                let were = if *expected == 1 { "was" } else { "were" };
                let doubt = match doubt {
                    Some(RowDoubt::RowNames) => {
                        "; are these row names without a name in the header line?".to_owned()
                    }
                    Some(RowDoubt::RunsOnTo(line)) => format!("; a quote makes it run on to line {line}"),
                    None => String::new(),
                };
                format!(
                    "this row has {found} {fields} where {expected} {were} expected ({text}){doubt}; \
                     add or remove fields, quote a field that contains the delimiter, or give {}",
                    dialect.option(OptionName::Delimiter)
                )
            }
            Self::RowTooLong { limit } => format!(
                "this row is longer than {limit} bytes; a quote opened in it is never closed, or this is no table"
            ),
            Self::OpenQuote { text } => format!(
                "the quote opened before {text} is never closed; close it, or double a quote that is part of the text"
            ),
            Self::TooManyRows { total, limit } => format!(
                "the rows add up to {total}, beyond the limit of {limit}; sample the table or divide the weights"
            ),
            Self::Weight { text, doubt } => format!(
                "the weight {text} is not a count; expected a whole number, 0 or more{}",
                doubt.words(dialect)
            ),
            _ => format!(
                "this row repeats the header line; remove it (two files were joined?), or {}",
                no_header(dialect)
            ),
        }
    }

    fn words_of_column(&self, dialect: &dyn Dialect, in_memory: bool) -> String {
        let option = |option| dialect.option(option);
        match self {
            Self::DuplicateColumn { name, first } => {
                let or = if in_memory { String::new() } else { format!(", or {}", no_header(dialect)) };
                format!(
                    "the column name {name} appears twice (first as column {first}); rename one of them{or}"
                )
            }
            Self::EmptyColumnName if in_memory => "this column has no name; rename it".to_owned(),
            Self::EmptyColumnName => format!(
                "this column has no name; name it in the header line, remove it (row numbers, or a \
                 delimiter at the end of the line?), or {}",
                no_header(dialect)
            ),
            Self::UnknownColumn { name, known, near } => {
                let near = near.as_deref().map(quoted);
                let hint =
                    near.map_or("check the spelling".to_owned(), |near| format!("did you mean {near}?"));
                format!("there is no column {name} (the table has {known}); {hint}")
            }
            Self::WeightsAsVariable => format!(
                "this column holds the weights and cannot be a variable too; take it out of {} or {}",
                option(OptionName::Columns),
                option(OptionName::Weights)
            ),
            Self::TooManyLevels { limit } => format!(
                "more than {limit} different values; this column looks like an identifier or a measurement: \
                 {} it or group its values",
                option(OptionName::Drop)
            ),
            Self::UnknownLevel { text, levels, near } => {
                let near = near.as_deref().map(quoted);
                let hint = near.map_or(String::new(), |near| format!("; did you mean {near}?"));
                format!(
                    "the value {text} is not a level of this variable ({levels}){hint}; mend the row, or \
                     learn with this level in {}",
                    dialect.file(OptionName::Schema)
                )
            }
            Self::NotCategories { what, remedies } => {
                format!("this column holds {what}, not categories; {}", remedies.words(dialect))
            }
            Self::DuplicateLevel { level } => {
                format!("the level {level} is listed twice; remove one of them")
            }
            Self::NoLevels => "this variable has no level; list at least one".to_owned(),
            Self::CodeOutOfRange { code, levels } => {
                format!(
                    "the code {code} is not a level of this variable; it has {levels} levels, counted from 0"
                )
            }
            _ => format!(
                "no column is left to learn from; keep at least one with {} or {}",
                option(OptionName::Columns),
                option(OptionName::Drop)
            ),
        }
    }
}

fn no_header(dialect: &dyn Dialect) -> String {
    format!("give {} if the first line is a row", dialect.switch(OptionName::NoHeader))
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

impl MissingValues {
    fn words(&self, dialect: &dyn Dialect, in_memory: bool) -> String {
        const MOST: usize = 8;
        let mut columns: Vec<String> = self
            .columns
            .iter()
            .take(MOST)
            .map(|(name, count)| format!("{}: {count}", quoted(name)))
            .collect();
        if self.columns.len() > MOST {
            columns.push(format!("and {} more columns", self.columns.len() - MOST));
        }
        format!(
            "missing values in {} of {} rows, first in {} ({}); give {} to leave those rows out, {} to leave \
             out a column, or {} to say which texts mean missing",
            self.rows,
            self.of,
            dialect.line(self.first_line, in_memory),
            columns.join(", "),
            dialect.setting(OptionName::OnMissing, "drop"),
            dialect.option(OptionName::Drop),
            dialect.option(OptionName::Missing)
        )
    }
}
