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
    /// When the present class of a mixture has had its share of the time, in milliseconds.
    share: AtomicU64,
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
        Self { checkpointer, clock, deadline, share: AtomicU64::new(u64::MAX), evaluated: AtomicU64::new(0) }
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

    /// Lets the present part of the work last until then.
    fn share_until(&self, time: Duration) {
        self.share.store(u64::try_from(time.as_millis()).unwrap_or(u64::MAX), Ordering::Relaxed);
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
        let deadline = self.deadline?;
        let share = Duration::from_millis(self.share.load(Ordering::Relaxed));
        ((self.clock)() >= deadline.min(share)).then_some(StopReason::TimeLimit)
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
        // The classes that are left and the estimate after them have equal shares of the time.
        if let (LearnEvent::Component { index, of }, Some(left)) = (event, self.remaining()) {
            let shares = u32::try_from(of.saturating_sub(*index) + 1).unwrap_or(u32::MAX);
            self.share_until((self.clock)() + left / shares);
        }
        // Half of the time is kept for the networks of an ensemble, which then have all that is left.
        match (event, self.remaining()) {
            (LearnEvent::EnsembleAhead, Some(left)) => self.share_until((self.clock)() + left / 2),
            (LearnEvent::Member { finished: 0, .. }, _) => self.share.store(u64::MAX, Ordering::Relaxed),
            _ => {}
        }
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
        now.store(20, Ordering::Relaxed); // 45 seconds are left for two classes and the estimate
        limited.observe_learning(&LearnEvent::Component { index: 0, of: 2 });
        now.store(34, Ordering::Relaxed);
        assert_eq!(limited.stop(), None);
        now.store(35, Ordering::Relaxed);
        assert_eq!(limited.stop(), Some(StopReason::TimeLimit));
        limited.observe_learning(&LearnEvent::Component { index: 1, of: 2 });
        assert_eq!(limited.stop(), None);
        limited.observe_learning(&LearnEvent::EnsembleAhead); // 30 seconds are left
        now.store(50, Ordering::Relaxed);
        assert_eq!(limited.stop(), Some(StopReason::TimeLimit));
        limited.observe_learning(&LearnEvent::Member { finished: 0, of: 9 });
        assert_eq!(limited.stop(), None);
        now.store(65, Ordering::Relaxed);
        assert_eq!(limited.stop(), Some(StopReason::TimeLimit));
        assert_eq!(LongRun::new(Some(Duration::MAX), None, clock(5)).remaining(), None, "beyond the end");
    }
}
