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
    /// When the parts of a table have had theirs.
    parts: AtomicU64,
    /// How often parts are divided into parts now, and the share that they are within.
    depth: AtomicU64,
    around: AtomicU64,
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
        let never = || AtomicU64::new(u64::MAX);
        let none = || AtomicU64::new(0);
        let (share, parts, around) = (never(), never(), never());
        Self { checkpointer, clock, deadline, share, parts, depth: none(), around, evaluated: none() }
    }

    /// The time until the deadline, where there is one; in parts of a table, until theirs.
    pub fn remaining(&self) -> Option<Duration> {
        self.deadline().map(|deadline| deadline.saturating_sub((self.clock)()))
    }

    fn deadline(&self) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.min(Duration::from_millis(self.parts.load(Ordering::Relaxed))))
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
        self.share.store(milliseconds(time), Ordering::Relaxed);
    }

    /// When the present part of the work has to end.
    fn end(&self) -> Option<Duration> {
        Some(self.deadline()?.min(Duration::from_millis(self.share.load(Ordering::Relaxed))))
    }

    /// Keeps an eighth of the time for all rows while parts of them are judged. Parts of parts are within that.
    fn begin_parts(&self) {
        if self.depth.fetch_add(1, Ordering::Relaxed) > 0 {
            return;
        }
        self.around.store(self.share.load(Ordering::Relaxed), Ordering::Relaxed);
        if let Some(end) = self.end() {
            let now = (self.clock)();
            let until = now + end.saturating_sub(now) / 8 * 7;
            self.parts.store(milliseconds(until), Ordering::Relaxed);
        }
    }

    /// Gives all rows what is left.
    fn end_parts(&self) {
        if self.depth.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.parts.store(u64::MAX, Ordering::Relaxed);
            self.share.store(self.around.load(Ordering::Relaxed), Ordering::Relaxed);
        }
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
        ((self.clock)() >= self.end()?).then_some(StopReason::TimeLimit)
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
            (LearnEvent::PartsAhead, _) => self.begin_parts(),
            (LearnEvent::PartsEnded, _) => self.end_parts(),
            _ => {}
        }
        if let Some(checkpointer) = &self.checkpointer {
            checkpointer.observe_learning(event);
        }
    }
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
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

    #[test]
    fn parts_of_a_table_leave_time_for_all_rows() {
        let now = Arc::new(AtomicU64::new(0));
        let shown = Arc::clone(&now);
        let run = LongRun::new(
            Some(Duration::from_secs(80)),
            None,
            Box::new(move || Duration::from_secs(shown.load(Ordering::Relaxed))),
        );
        let left = |seconds: u64| {
            now.store(seconds, Ordering::Relaxed);
            (run.remaining().unwrap().as_secs(), run.stop().is_some())
        };
        run.observe_learning(&LearnEvent::PartsAhead);
        assert_eq!(left(10), (60, false));
        run.observe_learning(&LearnEvent::PartsAhead); // of a part
        assert_eq!(left(69), (1, false));
        run.observe_learning(&LearnEvent::PartsEnded);
        assert_eq!(left(70), (0, true));
        run.observe_learning(&LearnEvent::PartsEnded);
        assert_eq!(left(70), (10, false));
        // A class that has half of what is left, and parts of its rows.
        run.observe_learning(&LearnEvent::Component { index: 0, of: 1 });
        run.observe_learning(&LearnEvent::PartsAhead);
        assert_eq!((left(74), left(75)), ((0, false), (0, true)));
        run.observe_learning(&LearnEvent::PartsEnded);
        assert_eq!(left(74), (6, false));
        assert_eq!(left(75), (5, true));
    }
}
