//! One opaque error with a place, a fact and what to do in every kind.
//!
//! Errors are facts: which option, which place, what was found, what is possible, what may
//! help. `Display` words them in plain English; a front end words them with its own
//! [`Dialect`] through [`Error::words`].
//!
//! What is wrong with a table is worded in `input_words.rs`, a remedy in `remedy.rs`, an option in `option.rs`, a stop in
//! `stop.rs`, and all else here.

mod dialect;
mod input;
mod input_words;
mod option;
mod quoting;
mod remedy;
mod stop;

#[cfg(test)]
pub(crate) use dialect::CommandLine;
pub use dialect::{Action, Dialect, Plain};
pub use input::{InputProblem, MissingValues, Place, RowDoubt, WeightDoubt};
pub(crate) use option::choices;
pub use option::{Choice, ChoiceWord, Expected, OptionName, Subject};
pub use quoting::{nearest, quoted, quoted_bytes, quoted_list};
pub use remedy::{Remedies, Remedy};
pub use stop::StopReason;

use serde::{Deserialize, Serialize};
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

    /// The error in the words of a front end.
    ///
    /// # Example
    /// ```
    /// use cmnet::{OptionName, Plain};
    /// let error = cmnet::Error::option(OptionName::Folds, "1", "a whole number, 2 or more");
    /// assert_eq!(error.words(&Plain), "option folds: \"1\" is not usable; expected a whole number, 2 or more");
    /// ```
    pub fn words(&self, dialect: &dyn Dialect) -> String {
        self.0.words(dialect)
    }

    /// An option or argument that cannot be used as given.
    pub fn option(
        subject: impl Into<Subject>,
        found: impl Into<String>,
        expected: impl Into<Expected>,
    ) -> Self {
        let (subject, found, expected) = (subject.into(), found.into(), expected.into());
        ErrorKind::Option { subject, found, expected }.into()
    }

    /// A table that cannot be read, with the place of the error.
    pub fn input(place: Place, problem: InputProblem) -> Self {
        ErrorKind::Input { place, problem }.into()
    }

    /// A model file that does not describe a model, with the place of the error inside it.
    pub fn model(file: impl Into<String>, at: impl Into<String>, problem: impl Into<String>) -> Self {
        let (file, at, problem) = (file.into(), at.into(), problem.into());
        ErrorKind::Model { file, at, problem, remedies: Remedies::default() }.into()
    }

    /// A model and a table, or two models, that do not speak of the same variables.
    pub fn mismatch(problem: impl Into<String>, remedies: impl Into<Remedies>) -> Self {
        ErrorKind::Mismatch { problem: problem.into(), remedies: remedies.into() }.into()
    }

    /// The operating system refused something about a file.
    pub fn io(path: impl Into<PathBuf>, action: &'static str, source: std::io::Error) -> Self {
        ErrorKind::Io { path: path.into(), action, source }.into()
    }

    /// A question that the model cannot answer as it was asked.
    pub fn question(problem: impl Into<String>, remedies: impl Into<Remedies>) -> Self {
        ErrorKind::Question { problem: problem.into(), remedies: remedies.into() }.into()
    }

    /// A limit that this input or structure goes beyond.
    pub fn limit(what: impl Into<String>, limit: impl fmt::Display, remedies: impl Into<Remedies>) -> Self {
        let (what, limit, remedies) = (what.into(), limit.to_string(), remedies.into());
        ErrorKind::Limit(LimitReached { what, limit, remedies }).into()
    }
}

impl From<ErrorKind> for Error {
    fn from(kind: ErrorKind) -> Self {
        Self(Box::new(kind))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words(&Plain))
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &*self.0 {
            ErrorKind::Io { source, .. } => Some(source),
            _ => None,
        }
    }
}

/// The kinds of error, each with its facts.
#[derive(Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A table that cannot be read as one.
    Input {
        /// File, line and column.
        place: Place,
        /// What is wrong, which says what to do.
        problem: InputProblem,
    },
    /// A model file that does not describe a model.
    Model {
        /// The file, or what stands for it.
        file: String,
        /// The path inside the document, such as `contexts[2].elements[0]`.
        at: String,
        /// What is wrong and what was expected.
        problem: String,
        /// What to do, where that is not plain.
        remedies: Remedies,
    },
    /// An edge or context that the structure cannot hold.
    Structure(StructureProblem),
    /// A model and a table that do not speak of the same variables.
    Mismatch {
        /// The first difference.
        problem: String,
        /// What to do.
        remedies: Remedies,
    },
    /// A checkpoint of another run, or a file that cannot become one.
    Checkpoint {
        /// The checkpoint.
        file: String,
        /// What is wrong.
        problem: CheckpointProblem,
        /// What to do.
        remedies: Remedies,
    },
    /// An option or argument that cannot be used as given.
    Option {
        /// Which.
        subject: Subject,
        /// What was given.
        found: String,
        /// What would have been accepted.
        expected: Expected,
    },
    /// A question that the model cannot answer as it was asked.
    Question {
        /// What is wrong with it.
        problem: String,
        /// What to do.
        remedies: Remedies,
    },
    /// A limit of this program or of the caller's budget.
    Limit(LimitReached),
    /// The work's [control](crate::control::Control) asked it to stop: nothing is wrong.
    Stopped(StopReason),
    /// The operating system refused.
    Io {
        /// The file concerned.
        path: PathBuf,
        /// What was tried, such as `read`.
        action: &'static str,
        /// What the operating system said.
        source: std::io::Error,
    },
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words(&Plain))
    }
}

impl ErrorKind {
    fn words(&self, dialect: &dyn Dialect) -> String {
        match self {
            Self::Input { place, problem } => {
                let at = place.words(dialect);
                // Names that stand at no line are not those of a header line.
                let is_name =
                    matches!(problem, InputProblem::DuplicateColumn { .. } | InputProblem::EmptyColumnName);
                let without_header = place.is_in_memory() || (is_name && place.line.is_none());
                format!("{at}: {}", problem.words(dialect, without_header))
            }
            Self::Model { file, at, problem, remedies } => {
                format!("{file}: {at}: {}", advised(problem, remedies, dialect))
            }
            Self::Structure(problem) => problem.to_string(),
            Self::Mismatch { problem, remedies } | Self::Question { problem, remedies } => {
                advised(problem, remedies, dialect)
            }
            Self::Checkpoint { file, problem, remedies } => {
                format!("{file}: {}", advised(&problem.words(dialect), remedies, dialect))
            }
            Self::Option { subject, found, expected } => {
                let heading = match subject {
                    Subject::Option(option) => dialect.heading(*option),
                    Subject::Setting(option, value) => dialect.setting(*option, value),
                    Subject::Argument(name) => (*name).to_owned(),
                };
                format!("{heading}: {found:?} is not usable; expected {expected}")
            }
            Self::Limit(limit) => limit.words(dialect),
            Self::Stopped(reason) => reason.words(),
            Self::Io { path, action, source } => format!("{}: cannot {action}: {source}", path.display()),
        }
    }
}

fn advised(problem: &str, remedies: &Remedies, dialect: &dyn Dialect) -> String {
    if remedies.as_slice().is_empty() {
        return problem.to_owned();
    }
    format!("{problem}; {}", remedies.words(dialect))
}

/// A limit, what goes beyond it, and what may help.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LimitReached {
    /// What is too large.
    pub what: String,
    /// The limit.
    pub limit: String,
    /// What to do.
    pub remedies: Remedies,
}

impl LimitReached {
    /// The limit in the words of a front end.
    pub fn words(&self, dialect: &dyn Dialect) -> String {
        let fact = format!("{} goes beyond the limit of {}", self.what, self.limit);
        advised(&fact, &self.remedies, dialect)
    }
}

/// Why a structure has no parameters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Unfitted {
    /// Nobody asked for them.
    NotAsked,
    /// The work was interrupted before.
    Interrupted,
    /// The time limit came before.
    OutOfTime,
    /// Fitting it goes beyond a limit.
    Limit(LimitReached),
    /// Of several structures, none could be fitted.
    NoneOfThem,
}

impl Unfitted {
    /// The reason in the words of a front end.
    pub fn words(&self, dialect: &dyn Dialect) -> String {
        match self {
            Self::NotAsked => "it was not fitted".to_owned(),
            Self::Interrupted => "fitting was interrupted".to_owned(),
            Self::OutOfTime => "the time limit came before it was fitted".to_owned(),
            Self::Limit(limit) => limit.words(dialect),
            Self::NoneOfThem => "none of the structures could be fitted".to_owned(),
        }
    }
}

impl fmt::Display for Unfitted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words(&Plain))
    }
}

/// What is wrong with a checkpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CheckpointProblem {
    /// An option that the saved run had otherwise.
    OtherOption {
        /// The option.
        option: OptionName,
        /// Its value in the checkpoint.
        saved: String,
        /// Its value now.
        here: String,
    },
    /// Something else that the saved run had otherwise.
    Other {
        /// What.
        what: String,
        /// Its value in the checkpoint.
        saved: String,
        /// Its value now.
        here: String,
    },
    /// Not a file that checkpoints can go to, as these words say.
    Unusable(&'static str),
    /// Parts that do not make a whole, as these words say.
    Parts(String),
}

impl CheckpointProblem {
    fn words(&self, dialect: &dyn Dialect) -> String {
        let (what, saved, here) = match self {
            Self::OtherOption { option, saved, here } => (dialect.option(*option), saved, here),
            Self::Other { what, saved, here } => (what.clone(), saved, here),
            Self::Unusable(why) => return (*why).to_owned(),
            Self::Parts(why) => return why.clone(),
        };
        format!("this file has another {what}: {saved} there, {here} here")
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
