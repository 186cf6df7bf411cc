//! Who watches a search for Python: progress, Ctrl-C, the time limit, checkpoints, and what
//! was found so far.

use cmnet::{
    Checkpointer, Control, FoldResult, LearnEvent, LearnObserver, LearnState, SearchEvent, SearchObserver,
    StopReason,
};
use cmnet_report::LongRun;
use serde_json::{Map, Value, json};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The least time between two notes of where a search stands.
const NOTE: Duration = Duration::from_millis(500);

/// Watches one search.
pub(crate) struct Watch {
    /// How often the search was asked to stop.
    asked: AtomicU32,
    run: LongRun,
    inner: Mutex<Inner>,
}

struct Inner {
    progress: Map<String, Value>,
    /// Rises with each change of the progress.
    version: u64,
    state: LearnState,
    noted: Instant,
    /// What the finished folds of a cross-validation gave.
    folds: Vec<FoldResult>,
}

impl Watch {
    pub(crate) fn new(
        time_limit: Option<Duration>,
        checkpointer: Option<Checkpointer>,
        state: LearnState,
    ) -> Self {
        let started = Instant::now();
        Self {
            asked: AtomicU32::new(0),
            run: LongRun::new(time_limit, checkpointer, Box::new(move || started.elapsed())),
            inner: Mutex::new(Inner {
                progress: Map::new(),
                version: 0,
                state,
                noted: started,
                folds: Vec::new(),
            }),
        }
    }

    /// Asks the search to stop and to hand over what it found; asked again, to end at once.
    pub(crate) fn ask_to_stop(&self) {
        self.asked.fetch_add(1, Ordering::Relaxed);
    }

    /// Where the search stands, if that has changed since a version.
    pub(crate) fn progress(&self, since: &mut u64) -> Option<Value> {
        let inner = self.inner();
        let evaluated = self.run.evaluated();
        let version = inner.version + evaluated;
        if version == *since {
            return None;
        }
        *since = version;
        let mut progress = inner.progress.clone();
        progress.insert("evaluated".to_owned(), json!(evaluated));
        Some(Value::Object(progress))
    }

    /// What was found so far.
    pub(crate) fn state(&self) -> LearnState {
        self.inner().state.clone()
    }

    /// What the finished folds of a cross-validation gave.
    pub(crate) fn folds(&self) -> Vec<FoldResult> {
        self.inner().folds.clone()
    }

    /// The first failure to write a checkpoint, if there was one.
    pub(crate) fn finish(&self) -> cmnet::Result<()> {
        self.run.finish()
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn say(&self, facts: Value) {
        let Value::Object(facts) = facts else { return };
        let mut inner = self.inner();
        inner.progress.extend(facts);
        inner.version += 1;
    }

    /// Takes over where the search stands: always when it must not be lost, else now and then.
    fn note(&self, always: bool, follow: impl FnOnce(&mut LearnState)) {
        let mut inner = self.inner();
        if always || inner.noted.elapsed() > NOTE {
            follow(&mut inner.state);
            inner.noted = Instant::now();
        }
    }
}

impl Control for Watch {
    fn stop(&self) -> Option<StopReason> {
        if self.asked.load(Ordering::Relaxed) > 0 {
            return Some(StopReason::Interrupted);
        }
        self.run.stop()
    }
}

impl SearchObserver for Watch {
    fn observe(&self, event: &SearchEvent<'_>) {
        self.run.observe(event);
        match event {
            SearchEvent::Evaluated { .. } => return,
            SearchEvent::Moved(state) => self.say(json!({"steps": state.steps().len(),
                "edges": state.structure().graph().edge_count(), "moves": state.moves(),
                "score": state.score().to_f64()})),
            SearchEvent::Advanced(state) => {
                let (done, of) = state.progress();
                self.say(json!({"message": format!("blankets: {done} of {of}")}));
            }
            _ => {}
        }
        // A search goes on from its blankets, and from where it was ended.
        let always = matches!(event, SearchEvent::Paused(_) | SearchEvent::Advanced(_));
        self.note(always, |state| state.follow(event));
    }
}

impl LearnObserver for Watch {
    fn observe_learning(&self, event: &LearnEvent<'_>) {
        self.run.observe_learning(event);
        match event {
            LearnEvent::Started { index, of, kappa } => {
                self.say(json!({"phase": "search", "kappa": kappa, "index": index, "of": of,
                    "steps": 0, "edges": 0, "moves": 0, "score": null}));
            }
            LearnEvent::Finished(_) | LearnEvent::GraphFound(_) => {
                self.note(true, |state| state.follow_learning(event));
            }
            LearnEvent::Refining { index, of } => {
                self.say(json!({"phase": "refine", "index": index, "of": of}));
            }
            LearnEvent::Fitting { index, of } => self.say(json!({"phase": "fit", "index": index, "of": of})),
            LearnEvent::Fold { index, of } => {
                if *index == 0 {
                    self.inner().folds.clear();
                }
                self.say(json!({"fold": index, "folds": of}));
            }
            LearnEvent::Replicate { finished, of, .. } => {
                self.say(json!({"replicate": finished, "replicates": of}));
            }
            LearnEvent::Member { finished, of } => {
                self.say(json!({"phase": "ensemble", "index": finished, "of": of}));
            }
            LearnEvent::Dropping { index, of } => {
                self.say(json!({"phase": "drop rows", "index": index, "of": of}));
            }
            LearnEvent::Sweep { finished, of } => self.say(json!({"sweep": finished, "sweeps": of})),
            LearnEvent::FoldFinished { result, .. } => self.inner().folds.push((*result).clone()),
            _ => {}
        }
    }

    /// Asked twice to stop: the caller has left, and what was noted is what it keeps.
    fn gives_up(&self) -> bool {
        self.asked.load(Ordering::Relaxed) > 1
    }
}

/// Ends a search before its first step.
pub(crate) struct StopAtOnce;

impl Control for StopAtOnce {
    fn stop(&self) -> Option<StopReason> {
        Some(StopReason::Interrupted)
    }
}

impl SearchObserver for StopAtOnce {}

impl LearnObserver for StopAtOnce {}
