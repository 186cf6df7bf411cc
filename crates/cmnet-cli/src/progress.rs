//! Progress on standard error, when that is a terminal, and what ends a search early.

use crate::checkpoint::Checkpointer;
use crate::interrupt;
use cmnet::search::{Event, Observer, StopReason};
use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Watches a search: a line with steps, moves and score; Ctrl-C and the time limit end it.
pub(crate) struct Watch {
    bar: ProgressBar,
    checkpointer: Option<Checkpointer>,
    deadline: Option<Instant>,
    evaluated: AtomicU64,
}

impl Watch {
    /// The same watch, saving checkpoints.
    pub(crate) fn with_checkpoints(mut self, checkpointer: Option<Checkpointer>) -> Self {
        self.checkpointer = checkpointer;
        self
    }

    /// Ends the watch; says when a checkpoint could not be written.
    pub(crate) fn finish(mut self) -> anyhow::Result<()> {
        self.checkpointer.take().map_or(Ok(()), Checkpointer::finish)
    }

    /// Shows progress on a terminal; without one it only listens.
    pub(crate) fn new(time_limit: Option<Duration>) -> Self {
        interrupt::listen();
        Self {
            bar: spinner(),
            checkpointer: None,
            deadline: time_limit.and_then(|limit| Instant::now().checked_add(limit)),
            evaluated: AtomicU64::new(0),
        }
    }
}

/// A progress line on standard error, hidden where nobody looks.
pub(crate) fn spinner() -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new_spinner();
    if let Ok(style) = ProgressStyle::with_template("{spinner} {prefix} {msg} [{elapsed}]") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(120));
    bar
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

impl Observer for Watch {
    fn observe(&self, event: &Event<'_>) {
        if let Some(checkpointer) = &self.checkpointer {
            checkpointer.observe(event);
        }
        match event {
            Event::Started { index, of, kappa } => {
                self.evaluated.store(0, Ordering::Relaxed);
                self.bar.set_prefix(format!("kappa {kappa} ({}/{of})", index + 1));
                self.bar.set_message("evaluating the empty graph's neighbours");
            }
            Event::Evaluated { .. } => {
                self.evaluated.fetch_add(1, Ordering::Relaxed);
            }
            Event::Moved(state) => self.bar.set_message(format!(
                "step {}, {} edges, {} moves evaluated, score {:.3}",
                state.steps().len(),
                state.structure().graph().edge_count(),
                state.moves(),
                state.score().to_f64()
            )),
            Event::Fold { index, of } => self.bar.println(format!("fold {} of {of}", index + 1)),
            Event::Advanced(state) => self.bar.set_message(state.progress_line()),
            Event::Fitting { index, of } => self.bar.set_message(format!("fitting {} of {of}", index + 1)),
            _ => {}
        }
    }

    fn stop(&self) -> Option<StopReason> {
        if interrupt::asked() {
            return Some(StopReason::Interrupted);
        }
        let late = self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        late.then_some(StopReason::TimeLimit)
    }
}
