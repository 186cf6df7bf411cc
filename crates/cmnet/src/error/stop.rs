//! Why work ended.

use super::{Error, ErrorKind};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Why work ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum StopReason {
    /// It was done: of a search, no neighbour scores better.
    Converged,
    /// The user asked to stop.
    Interrupted,
    /// The time that was given ran out.
    TimeLimit,
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Converged => "converged",
            Self::Interrupted => "interrupted",
            Self::TimeLimit => "time-limit",
        })
    }
}

impl StopReason {
    pub(super) fn words(self) -> String {
        match self {
            Self::TimeLimit => "the time limit was reached before there was a result; allow more time",
            _ => "the work was interrupted before there was a result; start it again",
        }
        .to_owned()
    }
}

impl From<StopReason> for Error {
    fn from(reason: StopReason) -> Self {
        ErrorKind::Stopped(reason).into()
    }
}
