//! How long work is asked to stop, and what it says when it was: the one way for searches,
//! context climbs, fits, cross-validations, sampling and inference.
//!
//! Work takes a [`Control`] and asks it often. What a layer has to tell is the layer's own
//! matter: [`crate::search::SearchObserver`] and [`crate::learn::LearnObserver`] are controls that are
//! told events as well.

use crate::error::Error;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Says whether work is to stop. Implementations are asked from several threads.
///
/// # Example
/// ```
/// use cmnet::{Control, StopReason};
/// use std::sync::atomic::{AtomicBool, Ordering};
///
/// struct Button(AtomicBool);
///
/// impl Control for Button {
///     fn stop(&self) -> Option<StopReason> {
///         self.0.load(Ordering::Relaxed).then_some(StopReason::Interrupted)
///     }
/// }
/// assert_eq!(Button(AtomicBool::new(false)).stop(), None);
/// ```
pub trait Control: Sync {
    /// Asked often, many times a second; a reason ends the work.
    fn stop(&self) -> Option<StopReason> {
        None
    }
}

/// Never stops anything.
impl Control for () {}

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

/// What work that can be stopped gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome<T> {
    /// Its result.
    Done(T),
    /// Nothing: it was stopped.
    Stopped(StopReason),
}

impl<T> Outcome<T> {
    /// The result, where there is one.
    pub fn done(self) -> Option<T> {
        match self {
            Self::Done(result) => Some(result),
            Self::Stopped(_) => None,
        }
    }
}

/// Why a computation gave no result: what `?` carries up to the place that makes it data.
#[derive(Debug)]
pub(crate) enum Halt {
    /// The control asked to stop.
    Stopped(StopReason),
    /// It failed.
    Failed(Error),
}

/// The result of a computation that can be stopped.
pub(crate) type Halting<T> = Result<T, Halt>;

impl From<Error> for Halt {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

/// Ends a computation where its control asks for that.
pub(crate) fn check(control: &dyn Control) -> Halting<()> {
    control.stop().map_or(Ok(()), |reason| Err(Halt::Stopped(reason)))
}

/// Makes data of a stop.
pub(crate) fn outcome<T>(result: Halting<T>) -> crate::error::Result<Outcome<T>> {
    match result {
        Ok(result) => Ok(Outcome::Done(result)),
        Err(Halt::Stopped(reason)) => Ok(Outcome::Stopped(reason)),
        Err(Halt::Failed(error)) => Err(error),
    }
}
