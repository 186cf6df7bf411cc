//! Saving a long run now and then, and going on from where it was.

use super::checkpoint_file;
use super::lock::Lock;
use crate::control::Control;
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::learn::{LearnEvent, LearnObserver, LearnOptions, LearnState, RunFact, run_identity};
use crate::search::{SearchEvent, SearchObserver};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Time since some moment, from whoever owns a clock: this library reads none.
pub type Clock = Box<dyn Fn() -> Duration + Send + Sync>;

/// What was found where checkpoints go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OpenedCheckpoint {
    /// Nothing that needs a word.
    AsAsked,
    /// A run was to resume, but nothing is saved yet.
    NothingSaved,
    /// The newest checkpoint is damaged, as this says; the run goes on from the one before.
    FromPrevious(String),
    /// A run was not to resume: an earlier checkpoint was kept under this name.
    KeptOld(PathBuf),
}

impl OpenedCheckpoint {
    /// What the owner of the run should be told, if anything.
    pub fn note(&self, path: &str) -> Option<String> {
        match self {
            Self::AsAsked => None,
            Self::NothingSaved => Some(format!("{path}: no checkpoint yet; starting from the beginning")),
            Self::FromPrevious(damage) => {
                Some(format!("{damage}; going on from the checkpoint before it, {path}.previous"))
            }
            Self::KeptOld(old) => Some(format!(
                "{path}: starting from the beginning; the checkpoint that was there is kept as {}",
                old.display()
            )),
        }
    }
}

/// A run: its table and its options.
#[derive(Clone, Copy, Debug)]
pub struct CheckpointedRun<'a> {
    /// The table.
    pub data: &'a Dataset,
    /// The options.
    pub options: &'a LearnOptions,
}

/// How often checkpoints are written.
pub struct CheckpointPace {
    /// The least time between two checkpoints.
    pub interval: Duration,
    /// The time.
    pub clock: Clock,
}

impl fmt::Debug for CheckpointPace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CheckpointPace").field("interval", &self.interval).finish_non_exhaustive()
    }
}

/// Writes checkpoints while a search goes on.
pub struct Checkpointer {
    path: PathBuf,
    identity: Vec<(RunFact, String)>,
    interval: Duration,
    clock: Clock,
    inner: Mutex<Inner>,
    on_failure: Box<dyn Fn(&Error) + Send + Sync>,
    /// Held for as long as checkpoints may be written.
    lock: Option<Lock>,
}

struct Inner {
    state: LearnState,
    written: Duration,
    failure: Option<Error>,
}

impl fmt::Debug for Checkpointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Checkpointer")
            .field("path", &self.path)
            .field("lock", &self.lock)
            .finish_non_exhaustive()
    }
}

impl Checkpointer {
    /// One that writes to a file the checkpoints of a run that goes on from a state.
    pub fn new(path: PathBuf, run: CheckpointedRun<'_>, state: LearnState, pace: CheckpointPace) -> Self {
        let identity = run_identity(run.data, run.options);
        let CheckpointPace { interval, clock } = pace;
        let inner = Mutex::new(Inner { state, written: clock(), failure: None });
        Self { path, identity, interval, clock, inner, on_failure: Box::new(|_| {}), lock: None }
    }

    /// Calls this when a checkpoint could not be written, each time with another error than the
    /// time before. The run goes on, and the next checkpoint is tried.
    #[must_use]
    pub fn on_failure(mut self, told: impl Fn(&Error) + Send + Sync + 'static) -> Self {
        self.on_failure = Box::new(told);
        self
    }

    /// Opens a file for the checkpoints of a run, and says where the run starts: at the state
    /// that the file holds when it is to `resume`, else at the beginning.
    ///
    /// # Errors
    /// When the file cannot be used, or its checkpoint is of another run or damaged.
    pub fn open(
        path: PathBuf,
        resume: bool,
        run: CheckpointedRun<'_>,
        pace: CheckpointPace,
    ) -> Result<(Self, LearnState, OpenedCheckpoint)> {
        let claim = checkpoint_file::claim(&path, resume)?;
        let saved = if resume { Self::saved(&path, run)? } else { None };
        let nothing = resume && saved.is_none();
        let (state, damage) = saved.unwrap_or_default();
        let opened = match (claim.kept, damage) {
            (Some(old), _) => OpenedCheckpoint::KeptOld(old),
            (None, Some(damage)) => OpenedCheckpoint::FromPrevious(damage.to_string()),
            (None, None) if nothing => OpenedCheckpoint::NothingSaved,
            (None, None) => OpenedCheckpoint::AsAsked,
        };
        let checkpointer = Self { lock: Some(claim.lock), ..Self::new(path, run, state.clone(), pace) };
        Ok((checkpointer, state, opened))
    }

    /// What a file holds of this run; `None` when there is no such file yet.
    fn saved(path: &Path, run: CheckpointedRun<'_>) -> Result<Option<(LearnState, Option<Error>)>> {
        let identity = run_identity(run.data, run.options);
        checkpoint_file::load(path, &identity, &run.data.schema().cardinalities())
    }

    /// Ends the watch.
    ///
    /// # Errors
    /// When the last checkpoint could not be written.
    pub fn finish(&self) -> Result<()> {
        let failure = self.inner.lock().unwrap_or_else(PoisonError::into_inner).failure.take();
        failure.map_or(Ok(()), Err)
    }

    /// Writes the state with what happened, when that is due or must be. What must be kept is
    /// taken over in any case: what is written later goes on from it.
    fn update(&self, keep: Keep, follow: impl FnOnce(&mut LearnState)) {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        let elapsed = (self.clock)().saturating_sub(inner.written);
        let due = keep == Keep::Now || elapsed >= self.interval;
        if due || keep == Keep::Always {
            follow(&mut inner.state);
        }
        if !due {
            return;
        }
        match checkpoint_file::save(&self.path, &self.identity, &inner.state) {
            Ok(()) => inner.failure = None,
            Err(error) => {
                let text = error.to_string();
                if inner.failure.replace(error).is_none_or(|before| before.to_string() != text) {
                    inner.failure.iter().for_each(&self.on_failure);
                }
            }
        }
        inner.written = (self.clock)();
    }
}

/// How much what happened matters.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Keep {
    /// It is kept when a checkpoint is due.
    WhenDue,
    /// It is kept, and written when a checkpoint is due.
    Always,
    /// It is written at once.
    Now,
}

impl Control for Checkpointer {}

impl SearchObserver for Checkpointer {
    fn observe(&self, event: &SearchEvent<'_>) {
        let keep = match event {
            SearchEvent::Moved(_) => Keep::WhenDue,
            SearchEvent::Advanced(_) => Keep::Always,
            SearchEvent::Paused(_) => Keep::Now,
            SearchEvent::Evaluated { .. } | SearchEvent::Bounded { .. } => return,
        };
        self.update(keep, |state| state.follow(event));
    }
}

impl LearnObserver for Checkpointer {
    fn observe_learning(&self, event: &LearnEvent<'_>) {
        if matches!(event, LearnEvent::Finished(_) | LearnEvent::GraphFound(_)) {
            self.update(Keep::Now, |state| state.follow_learning(event));
        }
    }
}
