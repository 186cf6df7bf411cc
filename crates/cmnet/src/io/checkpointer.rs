//! Saving a long run now and then, and going on from where it was.

use super::bootstrap_record::BootstrapRecord;
use super::checkpoint_file::{self, FORMAT};
use super::checkpoint_record::{Checked, CheckpointRecord};
use super::completion_record::CompletionRecord;
use super::lock::Lock;
use crate::confidence::{
    BootstrapOptions, BootstrapState, CompletionOptions, CompletionState, bootstrap_identity,
    completion_identity,
};
use crate::control::Control;
use crate::data::{Dataset, IncompleteTable};
use crate::error::{Error, Result};
use crate::learn::{LearnEvent, LearnObserver, LearnOptions, LearnState, RunFact, run_identity};
use crate::search::{SearchEvent, SearchObserver};
use serde::de::DeserializeOwned;
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
    state: RunState,
    /// Whether it knows more than the file.
    unwritten: bool,
    written: Duration,
    failure: Option<Error>,
}

/// Where a run stands.
enum RunState {
    Learning(Box<LearnState>),
    Resampling(BootstrapState, Box<[u32]>),
    Completing(CompletionState, Box<[u32]>),
}

impl RunState {
    fn save(&self, path: &Path, identity: &[(RunFact, String)]) -> Result<()> {
        match self {
            Self::Learning(state) => {
                checkpoint_file::save(path, &CheckpointRecord::new(FORMAT, identity, state))
            }
            Self::Resampling(state, cardinalities) => {
                let record = BootstrapRecord::new(FORMAT, identity, state, cardinalities);
                checkpoint_file::save(path, &record)
            }
            Self::Completing(state, cardinalities) => {
                let record = CompletionRecord::new(FORMAT, identity, state, cardinalities);
                checkpoint_file::save(path, &record)
            }
        }
    }
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
        Self::of(path, run_identity(run.data, run.options), RunState::Learning(Box::new(state)), pace)
    }

    fn of(path: PathBuf, identity: Vec<(RunFact, String)>, state: RunState, pace: CheckpointPace) -> Self {
        let CheckpointPace { interval, clock } = pace;
        let inner = Mutex::new(Inner { state, unwritten: false, written: clock(), failure: None });
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
        let identity = run_identity(run.data, run.options);
        let cardinalities = run.data.schema().cardinalities();
        let read = |record: CheckpointRecord| record.state(&cardinalities);
        let hold = |state| RunState::Learning(Box::new(state));
        Self::open_as((path, resume), (identity, pace), read, hold)
    }

    /// Opens a file for a run of this identity: `read` finds its state in a record, and `hold` keeps it.
    fn open_as<R: DeserializeOwned, T: Clone + Default>(
        (path, resume): (PathBuf, bool),
        (identity, pace): (Vec<(RunFact, String)>, CheckpointPace),
        read: impl Fn(R) -> Checked<T>,
        hold: impl FnOnce(T) -> RunState,
    ) -> Result<(Self, T, OpenedCheckpoint)> {
        let Opened { state, lock, found } =
            opened(&path, resume, || checkpoint_file::load(&path, &identity, read))?;
        let held = Self::of(path, identity, hold(state.clone()), pace);
        Ok((Self { lock: Some(lock), ..held }, state, found))
    }

    /// The same for resampling.
    ///
    /// # Errors
    /// As [`Checkpointer::open`].
    pub fn open_bootstrap(
        path: PathBuf,
        resume: bool,
        (data, options): (&Dataset, &BootstrapOptions),
        pace: CheckpointPace,
    ) -> Result<(Self, BootstrapState, OpenedCheckpoint)> {
        let identity = bootstrap_identity(data, options);
        let cardinalities = data.schema().cardinalities();
        let read = |record: BootstrapRecord| record.state(&cardinalities);
        let hold = |state| RunState::Resampling(state, cardinalities.as_slice().into());
        Self::open_as((path, resume), (identity, pace), read, hold)
    }

    /// The same for learning from a table with holes.
    ///
    /// # Errors
    /// As [`Checkpointer::open`].
    pub fn open_completion(
        path: PathBuf,
        resume: bool,
        (table, options): (&IncompleteTable, &CompletionOptions),
        pace: CheckpointPace,
    ) -> Result<(Self, CompletionState, OpenedCheckpoint)> {
        let identity = completion_identity(table, options);
        let cardinalities = table.schema().cardinalities();
        let read = |record: CompletionRecord| record.state(&cardinalities);
        let hold = |state| RunState::Completing(state, cardinalities.as_slice().into());
        Self::open_as((path, resume), (identity, pace), read, hold)
    }

    /// Ends the watch, and writes what was not written yet.
    ///
    /// # Errors
    /// When the last checkpoint could not be written.
    pub fn finish(&self) -> Result<()> {
        if self.inner.lock().unwrap_or_else(PoisonError::into_inner).unwritten {
            self.update(Keep::Now, |_| {});
        }
        let failure = self.inner.lock().unwrap_or_else(PoisonError::into_inner).failure.take();
        failure.map_or(Ok(()), Err)
    }

    /// Writes the state with what happened, when that is due or must be. What must be kept is
    /// taken over in any case: what is written later goes on from it.
    fn update(&self, keep: Keep, follow: impl FnOnce(&mut RunState)) {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        let elapsed = (self.clock)().saturating_sub(inner.written);
        let due = keep == Keep::Now || elapsed >= self.interval;
        if due || keep == Keep::Always {
            follow(&mut inner.state);
            inner.unwritten = keep == Keep::Always;
        }
        if !due {
            return;
        }
        match inner.state.save(&self.path, &self.identity) {
            Ok(()) => (inner.failure, inner.unwritten) = (None, false),
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

/// What was found where checkpoints go, and the state that a run starts at.
pub(super) struct Opened<T> {
    pub(super) state: T,
    pub(super) lock: Lock,
    pub(super) found: OpenedCheckpoint,
}

/// Claims the file, and reads what it holds of a run that is to go on.
pub(super) fn opened<T: Default>(
    path: &Path,
    resume: bool,
    load: impl FnOnce() -> Result<Option<(T, Option<Error>)>>,
) -> Result<Opened<T>> {
    let claim = checkpoint_file::claim(path, resume)?;
    let saved = if resume { load()? } else { None };
    let nothing = resume && saved.is_none();
    let (state, damage) = saved.unwrap_or_default();
    let found = match (claim.kept, damage) {
        (Some(old), _) => OpenedCheckpoint::KeptOld(old),
        (None, Some(damage)) => OpenedCheckpoint::FromPrevious(damage.to_string()),
        (None, None) if nothing => OpenedCheckpoint::NothingSaved,
        (None, None) => OpenedCheckpoint::AsAsked,
    };
    Ok(Opened { state, lock: claim.lock, found })
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
        self.update(keep, |state| {
            if let RunState::Learning(state) = state {
                state.follow(event);
            }
        });
    }
}

impl LearnObserver for Checkpointer {
    fn observe_learning(&self, event: &LearnEvent<'_>) {
        let keep = match event {
            LearnEvent::Finished(_)
            | LearnEvent::GraphFound(_)
            | LearnEvent::Resampling(_)
            | LearnEvent::RoundFinished(_) => Keep::Now,
            LearnEvent::Replicate { .. } | LearnEvent::Completed { .. } => Keep::Always,
            _ => return,
        };
        self.update(keep, |state| match state {
            RunState::Learning(state) => state.follow_learning(event),
            RunState::Resampling(state, _) => _ = state.follow(event),
            RunState::Completing(state, _) => _ = state.follow(event),
        });
    }
}
