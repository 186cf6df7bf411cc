//! What the command and the Python package do alike while something long runs.

use cmnet::{
    Checkpointer, Clock, Control, LearnEvent, LearnObserver, SearchEvent, SearchObserver, StopReason,
};
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// A run that saves checkpoints, counts the toggles that it evaluates, and ends at a deadline.
pub struct LongRun {
    checkpointer: Option<Checkpointer>,
    clock: Clock,
    deadline: Option<Duration>,
    evaluated: AtomicU64,
}

impl fmt::Debug for LongRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LongRun").field("deadline", &self.deadline).finish_non_exhaustive()
    }
}

impl LongRun {
    /// A run that begins now.
    pub fn new(time_limit: Option<Duration>, checkpointer: Option<Checkpointer>, clock: Clock) -> Self {
        let deadline = time_limit.and_then(|limit| clock().checked_add(limit));
        Self { checkpointer, clock, deadline, evaluated: AtomicU64::new(0) }
    }

    /// The time until the deadline, where there is one.
    pub fn remaining(&self) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.saturating_sub((self.clock)()))
    }

    /// Toggles evaluated since the count began.
    pub fn evaluated(&self) -> u64 {
        self.evaluated.load(Ordering::Relaxed)
    }

    /// Counts toggles from 0.
    pub fn count_anew(&self) {
        self.evaluated.store(0, Ordering::Relaxed);
    }

    /// Ends the run.
    ///
    /// # Errors
    /// The first failure to write a checkpoint, if there was one.
    pub fn finish(&self) -> cmnet::Result<()> {
        self.checkpointer.as_ref().map_or(Ok(()), Checkpointer::finish)
    }
}

impl Control for LongRun {
    fn stop(&self) -> Option<StopReason> {
        let late = self.deadline.is_some_and(|deadline| (self.clock)() >= deadline);
        late.then_some(StopReason::TimeLimit)
    }
}

impl SearchObserver for LongRun {
    fn observe(&self, event: &SearchEvent<'_>) {
        if let Some(checkpointer) = &self.checkpointer {
            checkpointer.observe(event);
        }
        if let SearchEvent::Evaluated { .. } = event {
            self.evaluated.fetch_add(1, Ordering::Relaxed);
        }
    }
}

impl LearnObserver for LongRun {
    fn observe_learning(&self, event: &LearnEvent<'_>) {
        if let Some(checkpointer) = &self.checkpointer {
            checkpointer.observe_learning(event);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn it_counts_toggles_and_ends_at_its_deadline() {
        let clock = |seconds: u64| -> Clock { Box::new(move || Duration::from_secs(seconds)) };
        let run = LongRun::new(None, None, clock(5));
        run.observe(&SearchEvent::Evaluated { of: 3 });
        run.observe(&SearchEvent::Evaluated { of: 3 });
        assert_eq!((run.evaluated(), run.remaining(), run.stop()), (2, None, None));
        run.count_anew();
        assert_eq!(run.evaluated(), 0);
        assert!(run.finish().is_ok());

        let now = Arc::new(AtomicU64::new(5));
        let shown = Arc::clone(&now);
        let clock_on_a_wall = Box::new(move || Duration::from_secs(shown.load(Ordering::Relaxed)));
        let limited = LongRun::new(Some(Duration::from_secs(60)), None, clock_on_a_wall);
        now.store(64, Ordering::Relaxed);
        assert_eq!((limited.remaining(), limited.stop()), (Some(Duration::from_secs(1)), None));
        now.store(65, Ordering::Relaxed);
        assert_eq!(
            (limited.remaining(), limited.stop()),
            (Some(Duration::ZERO), Some(StopReason::TimeLimit))
        );
        assert_eq!(LongRun::new(Some(Duration::MAX), None, clock(5)).remaining(), None, "beyond the end");
    }
}
