//! Why a search ended, as data.

use crate::error::Error;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Why a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum StopReason {
    /// No neighbour scores better: a local maximum.
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

/// Why a computation inside a step gave no result.
#[derive(Debug)]
pub(crate) enum Halt {
    /// The observer asked to stop; the step is given up, the state is as before it.
    Stopped(StopReason),
    /// It failed.
    Failed(Error),
}

impl From<Error> for Halt {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}
