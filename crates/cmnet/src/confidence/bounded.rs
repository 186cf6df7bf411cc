//! The bound of a replicate's work.
//!
//! A resample may have rows twice and more, which look like strong dependence. Its search then finds
//! ever more edges, and takes ever longer. Work is counted in questions to the control, which are
//! the same for any machine and any number of threads: a replicate has one thread.

use crate::control::{Control, StopReason};
use crate::learn::LearnObserver;
use crate::search::SearchObserver;
use std::sync::atomic::{AtomicU64, Ordering};

/// Stops when the observer asks for it or after so many questions, and tells the observer nothing:
/// the steps of several searches at a time would only confuse.
pub(super) struct Bounded<'a> {
    observer: &'a dyn LearnObserver,
    most: u64,
    asked: AtomicU64,
}

impl<'a> Bounded<'a> {
    pub(super) fn new(observer: &'a dyn LearnObserver, most: u64) -> Self {
        Self { observer, most, asked: AtomicU64::new(0) }
    }

    /// How many questions were asked.
    pub(super) fn asked(&self) -> u64 {
        self.asked.load(Ordering::Relaxed)
    }

    /// Whether the bound was reached.
    pub(super) fn is_reached(&self) -> bool {
        self.asked() > self.most
    }
}

impl Control for Bounded<'_> {
    fn stop(&self) -> Option<StopReason> {
        let asked = self.asked.fetch_add(1, Ordering::Relaxed) + 1;
        // A limit of time, as far as the search can tell: it hands over what it has found.
        self.observer.stop().or_else(|| (asked > self.most).then_some(StopReason::TimeLimit))
    }
}

impl SearchObserver for Bounded<'_> {}

impl LearnObserver for Bounded<'_> {
    /// Nobody waits for a replicate that is not finished.
    fn gives_up(&self) -> bool {
        self.observer.stop().is_some()
    }
}
