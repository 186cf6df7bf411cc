//! How long work is asked to stop, and what it says when it was: the one way for searches,
//! context climbs, fits, cross-validations, sampling and inference.
//!
//! Work takes a [`Control`] and asks it often. What a layer has to tell is the layer's own
//! matter: [`crate::search::SearchObserver`] and [`crate::learn::LearnObserver`] are controls that are
//! told events as well.
//!
//! A stop is data where work has something to hand over: [`Outcome`], or the state of a search.
//! Elsewhere it is an error of the kind [`crate::ErrorKind::Stopped`], which [`Outcome::of`]
//! makes data of.

pub use crate::error::StopReason;
use crate::error::{Error, ErrorKind, Result};
use std::fmt;
use std::ops::Deref;

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

/// What work that can be stopped gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome<T> {
    /// Its result.
    Done(T),
    /// Nothing: it was stopped.
    Stopped(StopReason),
}

impl<T> Outcome<T> {
    /// Makes data of the error that says that work was stopped.
    ///
    /// # Errors
    /// Every other error.
    ///
    /// # Example
    /// ```
    /// use cmnet::{Outcome, StopReason};
    /// let stopped: cmnet::Result<u8> = Err(StopReason::Interrupted.into());
    /// assert_eq!(Outcome::of(stopped)?, Outcome::Stopped(StopReason::Interrupted));
    /// # Ok::<(), cmnet::Error>(())
    /// ```
    pub fn of(result: Result<T>) -> Result<Self> {
        outcome(result.map_err(Halt::from))
    }

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
pub(crate) type Halting<T> = std::result::Result<T, Halt>;

impl From<Error> for Halt {
    fn from(error: Error) -> Self {
        match error.kind() {
            ErrorKind::Stopped(reason) => Self::Stopped(*reason),
            _ => Self::Failed(error),
        }
    }
}

impl From<Halt> for Error {
    fn from(halt: Halt) -> Self {
        match halt {
            Halt::Stopped(reason) => reason.into(),
            Halt::Failed(error) => error,
        }
    }
}

/// Ends a computation where its control asks for that.
pub(crate) fn check(control: &dyn Control) -> Halting<()> {
    control.stop().map_or(Ok(()), |reason| Err(Halt::Stopped(reason)))
}

/// Makes data of a stop.
pub(crate) fn outcome<T>(result: Halting<T>) -> Result<Outcome<T>> {
    match result {
        Ok(result) => Ok(Outcome::Done(result)),
        Err(Halt::Stopped(reason)) => Ok(Outcome::Stopped(reason)),
        Err(Halt::Failed(error)) => Err(error),
    }
}

/// As [`check`], where a stop is an error like others.
pub(crate) fn ask(control: &dyn Control) -> Result<()> {
    control.stop().map_or(Ok(()), |reason| Err(reason.into()))
}

/// Cells that are worked on between two questions to a control: some milliseconds.
pub(crate) const PIECE: usize = 1 << 18;

/// Asks a control once in so many cells, so that small steps cost no question each.
pub(crate) struct Pace<'a> {
    control: &'a dyn Control,
    done: usize,
}

impl<'a> Pace<'a> {
    pub(crate) fn new(control: &'a dyn Control) -> Self {
        // The first step asks: work that is not wanted does not begin.
        Self { control, done: PIECE }
    }

    /// Says that so many cells are next.
    #[inline]
    pub(crate) fn step(&mut self, cells: usize) -> Result<()> {
        self.done = self.done.saturating_add(cells);
        if self.done < PIECE {
            return Ok(());
        }
        self.done = 0;
        ask(self.control)
    }
}

/// Options together with the control that their work obeys.
///
/// A function that takes `impl Into<Under<..>>` takes a reference to the options alone, and
/// then nothing stops it; or both.
///
/// # Example
/// ```
/// use cmnet::{Control, ReadOptions, Source, StopReason, Under, read_csv};
/// struct Never;
/// impl Control for Never {
///     fn stop(&self) -> Option<StopReason> {
///         Some(StopReason::Interrupted)
///     }
/// }
/// let (table, options) = (Source::bytes("table", "a,b\n0,1\n1,0\n"), ReadOptions::default());
/// assert!(read_csv(&table, &options).is_ok());
/// let stopped = read_csv(&table, Under::new(&options, &Never)).unwrap_err();
/// assert!(matches!(stopped.kind(), cmnet::ErrorKind::Stopped(StopReason::Interrupted)));
/// ```
pub struct Under<'a, T> {
    options: &'a T,
    control: &'a dyn Control,
}

impl<'a, T> Under<'a, T> {
    /// Options and a control.
    pub fn new(options: &'a T, control: &'a dyn Control) -> Self {
        Self { options, control }
    }

    /// The control.
    pub fn control(&self) -> &'a dyn Control {
        self.control
    }

    /// Other options, such as a part of these, and the same control.
    pub(crate) fn with<'b, P>(&self, options: &'b P) -> Under<'b, P>
    where
        'a: 'b,
    {
        Under { options, control: self.control }
    }
}

impl<'a, T> From<&'a T> for Under<'a, T> {
    fn from(options: &'a T) -> Self {
        Self { options, control: &() }
    }
}

impl<T> Clone for Under<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Under<'_, T> {}

impl<T> Deref for Under<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.options
    }
}

impl<T: fmt::Debug> fmt::Debug for Under<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Under").field("options", self.options).finish_non_exhaustive()
    }
}
