//! Exit codes, as the manual lists them.

use crate::dialect::CommandLine;
use crate::output;
use cmnet::{Error, ErrorKind, StopReason};
use cmnet_check::CheckError;
use std::process::ExitCode;

/// How a command ended when it did not fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Done.
    Done,
    /// Done, and the answer is "no".
    No,
    /// Ended by a limit that the user set, with what was found so far.
    Limited,
    /// Interrupted, with what was found so far saved.
    Interrupted,
}

impl Outcome {
    /// How a command ends whose work ended for this reason.
    pub(crate) fn of(stop: StopReason) -> Self {
        match stop {
            StopReason::Interrupted => Self::Interrupted,
            StopReason::TimeLimit => Self::Limited,
            _ => Self::Done,
        }
    }
}

/// The process's exit code; errors go to standard error.
pub(crate) fn code(result: anyhow::Result<Outcome>) -> ExitCode {
    let error = match result {
        Ok(outcome) => {
            return ExitCode::from(match outcome {
                Outcome::Done => 0,
                Outcome::No => 1,
                Outcome::Limited => 3,
                Outcome::Interrupted => 130,
            });
        }
        Err(error) => error,
    };
    if is_broken_pipe(&error) {
        return ExitCode::SUCCESS;
    }
    let fact = error.downcast_ref::<Error>();
    // An error of the library says its cause itself; others say theirs when asked.
    match fact {
        Some(fact) => output::note(&fact.words(&CommandLine)),
        None => output::note(&format!("{error:#}")),
    }
    ExitCode::from(match fact.map(Error::kind) {
        Some(ErrorKind::Stopped(StopReason::Interrupted)) => 130,
        Some(ErrorKind::Limit { .. } | ErrorKind::Stopped(_)) => 3,
        Some(_) => 2,
        None => match error.downcast_ref::<CheckError>() {
            Some(CheckError::TooLarge { .. }) => 3,
            Some(_) => 2,
            None if error.downcast_ref::<Usage>().is_some() => 2,
            None => 70,
        },
    })
}

/// A reader that closes early, such as `head`, is not a failure.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let kind = |cause: &(dyn std::error::Error + 'static)| {
        cause.downcast_ref::<std::io::Error>().map(std::io::Error::kind)
    };
    error.chain().any(|cause| kind(cause) == Some(std::io::ErrorKind::BrokenPipe))
}

/// Arguments that do not go together.
#[derive(Debug)]
pub(crate) struct Usage(pub(crate) String);

impl std::fmt::Display for Usage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}
