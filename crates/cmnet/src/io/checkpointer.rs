//! Saving a long run now and then, and going on from where it was.

use super::checkpoint_file;
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::learn::{LearnOptions, LearnState, run_identity};
use crate::search::{Event, Observer};
use std::fmt;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Time since some moment, from whoever owns a clock: this library reads none.
pub type Clock = Box<dyn Fn() -> Duration + Send + Sync>;

/// Writes checkpoints while a search goes on.
pub struct Checkpointer {
    path: PathBuf,
    identity: Vec<(&'static str, String)>,
    interval: Duration,
    clock: Clock,
    inner: Mutex<Inner>,
}

struct Inner {
    state: LearnState,
    written: Duration,
    failure: Option<Error>,
}

impl fmt::Debug for Checkpointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Checkpointer").field("path", &self.path).finish_non_exhaustive()
    }
}

impl Checkpointer {
    /// One that writes to a file, with at least `interval` between two checkpoints, of a run
    /// that goes on from a state.
    pub fn new(
        path: PathBuf,
        (data, options): (&Dataset, &LearnOptions),
        state: LearnState,
        (interval, clock): (Duration, Clock),
    ) -> Self {
        let identity = run_identity(data, options);
        let inner = Mutex::new(Inner { state, written: clock(), failure: None });
        Self { path, identity, interval, clock, inner }
    }

    /// The state that a file holds of this run; `None` when there is no such file yet.
    ///
    /// # Errors
    /// When the checkpoint is of another run or damaged.
    pub fn saved(
        path: &std::path::Path,
        data: &Dataset,
        options: &LearnOptions,
    ) -> Result<Option<LearnState>> {
        checkpoint_file::load(path, &run_identity(data, options), &data.schema().cardinalities())
    }

    /// Ends the watch: the first failure to write, if there was one.
    ///
    /// # Errors
    /// When a checkpoint could not be written.
    pub fn finish(&self) -> Result<()> {
        let failure = self.inner.lock().unwrap_or_else(PoisonError::into_inner).failure.take();
        failure.map_or(Ok(()), Err)
    }

    /// Follows an event and writes the state, when that is due. Blankets are taken over in
    /// any case: what is written later goes on from them.
    fn update(&self, always: bool, event: &Event<'_>) {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        let due = always || (self.clock)().saturating_sub(inner.written) >= self.interval;
        if due || matches!(event, Event::Advanced(_)) {
            inner.state.follow(event);
        }
        if !due {
            return;
        }
        if let Err(error) = checkpoint_file::save(&self.path, &self.identity, &inner.state) {
            inner.failure.get_or_insert(error);
        }
        inner.written = (self.clock)();
    }
}

impl Observer for Checkpointer {
    fn observe(&self, event: &Event<'_>) {
        match event {
            Event::Moved(_) | Event::Advanced(_) => self.update(false, event),
            Event::Paused(_) | Event::Finished(_) => self.update(true, event),
            _ => {}
        }
    }
}
