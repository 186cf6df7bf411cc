//! One opaque error with a place, a fact and a hint in every kind.

mod input;

pub use input::{InputProblem, MissingValues, Place};

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

    /// A table that cannot be read, with the place of the complaint.
    pub fn input(place: Place, problem: InputProblem) -> Self {
        ErrorKind::Input { place, problem }.into()
    }

    /// The operating system refused something about a file.
    pub fn io(path: impl Into<PathBuf>, action: &'static str, source: std::io::Error) -> Self {
        ErrorKind::Io { path: path.into(), action, source }.into()
    }

    /// A question that the model cannot answer as it was asked.
    pub fn question(problem: impl Into<String>, hint: impl Into<String>) -> Self {
        ErrorKind::Question { problem: problem.into(), hint: hint.into() }.into()
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
    #[error("{problem}; {hint}")]
    Mismatch {
        /// The first difference.
        problem: String,
        /// What to do.
        hint: String,
    },
    /// A checkpoint of another run.
    #[error("{file}: {problem}; {hint}")]
    Checkpoint {
        /// The checkpoint.
        file: String,
        /// What differs.
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
    /// A question that the model cannot answer as it was asked.
    #[error("{problem}; {hint}")]
    Question {
        /// What is wrong with it.
        problem: String,
        /// What to do.
        hint: String,
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

/// Bytes of the user's that need not be UTF-8, escaped and cut, in quotes: safe to print.
pub fn shown_bytes(bytes: &[u8]) -> String {
    const LONGEST: usize = 40;
    let mut pieces: Vec<String> = Vec::new();
    for chunk in bytes.utf8_chunks().take(LONGEST) {
        pieces.extend(chunk.valid().chars().take(LONGEST + 1).map(|c| c.escape_debug().to_string()));
        pieces.extend(chunk.invalid().iter().map(|byte| format!("\\x{byte:02x}")));
    }
    let rest = if pieces.len() > LONGEST { "…" } else { "" };
    pieces.truncate(LONGEST);
    format!("\"{}{rest}\"", pieces.concat())
}

/// The first few of a user's texts, each escaped and cut, and how many more there are.
pub fn shown_list<'a>(texts: impl IntoIterator<Item = &'a str>) -> String {
    const MOST: usize = 8;
    let mut texts = texts.into_iter();
    let mut first: Vec<String> = texts.by_ref().take(MOST).map(shown).collect();
    let more = texts.count();
    if more > 0 {
        first.push(format!("and {more} more"));
    }
    first.join(", ")
}

/// The known name nearest to a mistyped one, if any is near.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = name.to_lowercase();
    // One letter of two is another name, not a slip.
    let limit = match wanted.chars().count() {
        0..=2 => 0,
        letters => (letters / 3).max(1),
    };
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
    fn bytes_are_escaped_and_cut() {
        assert_eq!(shown_bytes(b"caf\xe9\n"), "\"caf\\xe9\\n\"");
        assert_eq!(shown_bytes("né".as_bytes()), "\"né\"");
        assert!(shown_bytes(&[0xff; 1000]).len() < 200);
    }

    #[test]
    fn lists_say_how_many_more() {
        assert_eq!(shown_list(["a", "b"]), "\"a\", \"b\"");
        assert!(shown_list(["a"; 10]).ends_with("and 2 more"));
    }

    #[test]
    fn near_names_are_suggested() {
        assert_eq!(nearest("smokng", ["smoking", "sex"]), Some("smoking"));
        assert_eq!(nearest("zzz", ["smoking", "sex"]), None);
        assert_eq!(nearest("2", ["0", "1"]), None);
        assert_eq!(nearest("no", ["yes", "No"]), Some("No"));
    }
}
