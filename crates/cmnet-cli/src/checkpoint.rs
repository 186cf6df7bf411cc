//! Saving a long run now and then, and going on from where it was.

use crate::args::CheckpointArgs;
use crate::commands::learn::duration;
use crate::exit::Usage;
use crate::output;
use cmnet::data::Dataset;
use cmnet::io::checkpoint_file;
use cmnet::learn::{LearnOptions, LearnState, run_identity};
use cmnet::search::blanket::BlanketState;
use cmnet::search::{Event, Found, Observer, Standing, StopReason};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Writes checkpoints while a search goes on.
pub(crate) struct Checkpointer {
    path: PathBuf,
    identity: Vec<(&'static str, String)>,
    interval: Duration,
    inner: Mutex<Inner>,
}

struct Inner {
    state: LearnState,
    written: Instant,
    failure: Option<cmnet::Error>,
}

/// The checkpointer that the arguments ask for, and the state to start from.
pub(crate) fn open(
    arguments: &CheckpointArgs,
    data: &Dataset,
    options: &LearnOptions,
) -> anyhow::Result<(Option<Checkpointer>, LearnState)> {
    let Some(path) = arguments.checkpoint.clone() else {
        if arguments.resume {
            return Err(Usage("--resume needs --checkpoint FILE to go on from".to_owned()).into());
        }
        return Ok((None, LearnState::default()));
    };
    let identity = run_identity(data, options);
    let mut state = LearnState::default();
    if arguments.resume {
        match checkpoint_file::load(&path, &identity, &data.schema().cardinalities())? {
            Some(saved) => state = saved,
            None => {
                output::note(&format!("{}: no checkpoint yet; starting from the beginning", path.display()));
            }
        }
    }
    let interval = duration("--checkpoint-interval", &arguments.checkpoint_interval)?;
    let inner = Mutex::new(Inner { state: state.clone(), written: Instant::now(), failure: None });
    Ok((Some(Checkpointer { path, identity, interval, inner }), state))
}

impl Checkpointer {
    /// The first failure to write, if there was one.
    pub(crate) fn finish(self) -> anyhow::Result<()> {
        let inner = self.inner.into_inner().unwrap_or_else(PoisonError::into_inner);
        inner.failure.map_or(Ok(()), |error| Err(error.into()))
    }

    /// Keeps the blankets found so far and writes them, when that is due.
    fn keep_blankets(&self, blankets: &BlanketState, always: bool) {
        // They are kept in any case: what is written later goes on from them.
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        inner.state.blankets = Some(blankets.clone());
        drop(inner);
        self.update(always, |_| {});
    }

    /// Changes the state and writes it, when that is due.
    fn update(&self, always: bool, change: impl FnOnce(&mut LearnState)) {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        if !always && inner.written.elapsed() < self.interval {
            return;
        }
        change(&mut inner.state);
        if let Err(error) = checkpoint_file::save(&self.path, &self.identity, &inner.state) {
            inner.failure.get_or_insert(error);
        }
        inner.written = Instant::now();
    }
}

impl Observer for Checkpointer {
    fn observe(&self, event: &Event<'_>) {
        match event {
            Event::Moved(climb) => self.update(false, |state| {
                state.climb = Some(Found::of(climb, StopReason::Interrupted));
            }),
            Event::Advanced(blankets) => self.keep_blankets(blankets, false),
            Event::Paused(Standing::Climb(climb)) => self.update(true, |state| {
                state.climb = Some(Found::of(climb, StopReason::Interrupted));
            }),
            Event::Paused(Standing::Blankets(blankets)) => self.keep_blankets(blankets, true),
            Event::Finished(found) => self.update(true, |state| {
                state.finished.push((*found).clone());
                state.climb = None;
            }),
            _ => {}
        }
    }
}
