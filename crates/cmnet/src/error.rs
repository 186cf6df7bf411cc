//! One opaque error with a place, a fact and a hint in every kind.

use std::fmt;
use std::path::PathBuf;

/// The result of everything in this crate that can fail.
pub type Result<T> = std::result::Result<T, Error>;

/// What went wrong, where, what was expected and what to do.
///
/// One pointer wide; look inside with [`Error::kind`].
#[derive(Debug)]
pub struct Error(Box<ErrorKind>);

impl Error {
    /// The facts of this error, to match on.
    pub fn kind(&self) -> &ErrorKind {
        &self.0
    }

    /// An option that cannot be used as given.
    pub fn option(name: &'static str, found: impl Into<String>, expected: &'static str) -> Self {
        ErrorKind::Option { name, found: found.into(), expected }.into()
    }

    /// A limit that this input or structure goes beyond.
    pub fn limit(what: impl Into<String>, limit: impl fmt::Display, hint: impl Into<String>) -> Self {
        ErrorKind::Limit { what: what.into(), limit: limit.to_string(), hint: hint.into() }.into()
    }
}

impl From<ErrorKind> for Error {
    fn from(kind: ErrorKind) -> Self {
        Self(Box::new(kind))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        std::error::Error::source(&*self.0)
    }
}

/// The kinds of error, each with its facts.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A table that cannot be read as one.
    #[error("{place}: {problem}")]
    Input {
        /// File, line and column of the complaint.
        place: Place,
        /// What is wrong and what to do.
        problem: InputProblem,
    },
    /// A model file that does not describe a model.
    #[error("{file}: {at}: {problem}")]
    Model {
        /// The file, or what stands for it.
        file: String,
        /// The path inside the document, such as `contexts[2].elements[0]`.
        at: String,
        /// What is wrong and what was expected.
        problem: String,
    },
    /// An edge or context that the structure cannot hold.
    #[error("{0}")]
    Structure(StructureProblem),
    /// A model and a table that do not speak of the same variables.
    #[error("the model and the data do not match: {problem}; {hint}")]
    Mismatch {
        /// The first difference.
        problem: String,
        /// What to do.
        hint: String,
    },
    /// An option that cannot be used as given.
    #[error("{name}: {found:?} is not usable; expected {expected}")]
    Option {
        /// The option's name.
        name: &'static str,
        /// What was given.
        found: String,
        /// What would have been accepted.
        expected: &'static str,
    },
    /// A limit of this program or of the caller's budget.
    #[error("{what} goes beyond the limit of {limit}; {hint}")]
    Limit {
        /// What is too large.
        what: String,
        /// The limit.
        limit: String,
        /// What to do.
        hint: String,
    },
    /// The operating system refused.
    #[error("{}: cannot {action}: {source}", path.display())]
    Io {
        /// The file concerned.
        path: PathBuf,
        /// What was tried, such as `read`.
        action: &'static str,
        /// What the operating system said.
        source: std::io::Error,
    },
}

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
    /// Nothing at all in the file.
    #[error("the file is empty; expected a header line and one row per observation")]
    EmptyFile,
    /// A header and nothing below it, or every row dropped.
    #[error("no rows are left ({why}); expected at least one row")]
    NoRows {
        /// How that came about.
        why: String,
    },
    /// The path is a folder.
    #[error("this is a directory; name a CSV or TSV file in it, or - for standard input")]
    Directory,
    /// A row that is longer or shorter than the first one.
    #[error(
        "this row has {found} fields where {expected} were expected ({text}); \
         add or remove fields, quote a field that contains the delimiter, or give --delimiter"
    )]
    RaggedRow {
        /// Fields of the first line.
        expected: usize,
        /// Fields of this line.
        found: usize,
        /// The row's first fields.
        text: String,
    },
    /// Two columns with one name.
    #[error("the column name {name} appears twice (first as column {first}); rename one of them")]
    DuplicateColumn {
        /// The name, escaped.
        name: String,
        /// Where it stood first.
        first: usize,
    },
    /// A column without a name.
    #[error("this column has no name; name it in the header line, or give --no-header")]
    EmptyColumnName,
    /// The header line again among the rows.
    #[error("this row repeats the header line; remove it (two files were joined?)")]
    HeaderTwice,
    /// Bytes that are not UTF-8.
    #[error("the bytes {text} are not UTF-8; convert the file to UTF-8")]
    InvalidUtf8 {
        /// The bytes, escaped.
        text: String,
    },
    /// A quote that is opened and never closed.
    #[error(
        "the quote opened in {text} is never closed; close it, or double a quote that is part of the text"
    )]
    OpenQuote {
        /// The field's beginning, escaped.
        text: String,
    },
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
        /// Rows by weight.
        total: u64,
        /// The limit.
        limit: u64,
    },
    /// More levels than a variable may have.
    #[error(
        "more than {limit} different values; this column looks like an identifier or a measurement: --drop it or group its values"
    )]
    TooManyLevels {
        /// The limit.
        limit: usize,
    },
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
    /// No column left to learn from.
    #[error("no column is left to learn from; keep at least one with --columns or --drop")]
    NoColumns,
    /// A value that the schema does not list.
    #[error(
        "the value {text} is not a level of this variable ({levels}); add it to the schema or mend the row"
    )]
    UnknownLevel {
        /// The value, escaped.
        text: String,
        /// The levels there are.
        levels: String,
    },
    /// A schema file that is not one.
    #[error(
        "{what}; expected a TOML table [levels] with a list of texts per column, such as: grade = [\"low\", \"high\"]"
    )]
    Schema {
        /// What is wrong.
        what: String,
    },
    /// A compressed file that does not decompress.
    #[error("the compressed data is damaged: {what}; fetch or compress the file again")]
    Compressed {
        /// What the decompressor said.
        what: String,
    },
}

/// Missing values met where none are allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingValues {
    /// Rows with at least one missing value.
    pub rows: u64,
    /// Rows in all.
    pub of: u64,
    /// Columns concerned, each with its number of missing values.
    pub columns: Vec<(String, u64)>,
}

impl fmt::Display for MissingValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let total = self.columns.len();
        let mut columns: Vec<String> =
            self.columns.iter().take(8).map(|(name, count)| format!("{}: {count}", shown(name))).collect();
        if total > columns.len() {
            columns.push(format!("and {} more columns", total - columns.len()));
        }
        write!(
            f,
            "missing values in {} of {} rows ({}); give --on-missing drop to leave those rows out, \
             --drop to leave out a column, or --missing to say which texts mean missing",
            self.rows,
            self.of,
            columns.join(", ")
        )
    }
}

/// What a structure cannot hold (paper, Definition 2 and regularity).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StructureProblem {
    /// An edge from a variable to itself.
    #[error("variable {0} cannot have an edge to itself")]
    Loop(usize),
    /// A variable that is not there.
    #[error("variable {variable} does not exist; there are {count}, counted from 0")]
    UnknownVariable {
        /// The index asked for.
        variable: usize,
        /// How many there are.
        count: usize,
    },
    /// A context where there is no edge.
    #[error("variables {low} and {high} are not connected, so there is no edge context to add to")]
    NotAnEdge {
        /// The lower variable.
        low: usize,
        /// The higher variable.
        high: usize,
    },
    /// A configuration outside the outcome space of the common neighbours.
    #[error("configuration {cell} does not exist; the common neighbours have {size} configurations")]
    CellOutOfRange {
        /// The configuration's number.
        cell: u64,
        /// The size of the outcome space.
        size: u64,
    },
    /// The last missing element: the edge would be cut off everywhere.
    #[error(
        "the context of edge {low}-{high} would cover all {size} configurations of the common neighbours, \
         which means no edge at all (regularity)"
    )]
    FullContext {
        /// The lower variable.
        low: usize,
        /// The higher variable.
        high: usize,
        /// The size of the outcome space.
        size: u64,
    },
}

impl From<StructureProblem> for Error {
    fn from(problem: StructureProblem) -> Self {
        ErrorKind::Structure(problem).into()
    }
}

/// A text of the user's, escaped and cut, in quotes: safe to print.
pub fn shown(text: &str) -> String {
    const LONGEST: usize = 40;
    let mut cut: String = text.chars().take(LONGEST).flat_map(char::escape_debug).collect();
    if text.chars().nth(LONGEST).is_some() {
        cut.push('…');
    }
    format!("\"{cut}\"")
}

/// The known name nearest to a mistyped one, if any is near.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = name.to_lowercase();
    let limit = (wanted.chars().count() / 3).max(1);
    known
        .into_iter()
        .map(|candidate| (edit_distance(&wanted, &candidate.to_lowercase()), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

fn edit_distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (i, l) in left.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, r) in right.iter().enumerate() {
            let substituted = diagonal + usize::from(l != *r);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_escaped_and_cut() {
        assert_eq!(shown("a\tb"), "\"a\\tb\"");
        assert!(shown(&"x".repeat(100)).chars().count() < 50);
    }

    #[test]
    fn near_names_are_suggested() {
        assert_eq!(nearest("smokng", ["smoking", "sex"]), Some("smoking"));
        assert_eq!(nearest("zzz", ["smoking", "sex"]), None);
    }
}
