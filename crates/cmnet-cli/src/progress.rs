//! Progress on standard error, when that is a terminal, and what ends a search early.

use crate::interrupt::{self, Interrupt};
use cmnet::{
    Checkpointer, Control, GraphClimbState, LearnEvent, LearnObserver, SearchEvent, SearchObserver,
    StopReason,
};
use cmnet_report::LongRun;
use indicatif::{HumanDuration, ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Watches a search: a line with phase, score, rate and time left; Ctrl-C and the time limit
/// end it.
pub(crate) struct Watch {
    bar: ProgressBar,
    /// Counts the toggles of the present climb.
    run: LongRun,
    /// When that began.
    since: Mutex<Instant>,
}

impl Watch {
    /// Shows progress on a terminal; without one it only listens.
    pub(crate) fn new(time_limit: Option<Duration>) -> Self {
        Self::with_checkpoints(time_limit, None)
    }

    /// The same, saving checkpoints.
    pub(crate) fn with_checkpoints(time_limit: Option<Duration>, checkpointer: Option<Checkpointer>) -> Self {
        interrupt::listen();
        let started = Instant::now();
        let run = LongRun::new(time_limit, checkpointer, Box::new(move || started.elapsed()));
        Self { bar: spinner(), run, since: Mutex::new(started) }
    }

    /// Ends the watch; says when a checkpoint could not be written.
    pub(crate) fn finish(self) -> anyhow::Result<()> {
        Ok(self.run.finish()?)
    }

    /// A phase begins.
    fn restart(&self) {
        self.run.count_anew();
        *self.since.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    /// Seconds since the phase began.
    fn elapsed(&self) -> f64 {
        self.since.lock().unwrap_or_else(PoisonError::into_inner).elapsed().as_secs_f64().max(1e-3)
    }

    /// Rate and time left of work that is `done` of `of`.
    fn pace(&self, done: f64, of: f64, unit: &str) -> String {
        let rate = done / self.elapsed();
        format!("{rate:.0} {unit}/s, {}", self.left((of - done) / rate.max(1e-9)))
    }

    /// An estimate in words, cut by the time limit.
    fn left(&self, seconds: f64) -> String {
        match self.run.remaining() {
            Some(limit) if limit.as_secs_f64() < seconds => {
                format!("time limit in {}", HumanDuration(limit))
            }
            _ => format!("about {} left", HumanDuration(Duration::from_secs_f64(seconds.clamp(0.0, 1e9)))),
        }
    }

    /// Where a climb stands, how fast it goes, and how long it may yet take: one step for
    /// every toggle that would improve the score now, at the pace so far.
    fn climb_line(&self, state: &GraphClimbState) -> String {
        let (steps, elapsed) = (state.steps().len(), self.elapsed());
        let rate = self.run.evaluated() as f64 / elapsed;
        let left = state.promising().saturating_sub(1) as f64 * elapsed / steps.max(1) as f64;
        format!(
            "step {steps}, {} edges, {} context elements, score {:.3}; {rate:.0} toggles/s, {}",
            state.structure().graph().edge_count(),
            state.structure().context_elements(),
            state.score().to_f64(),
            self.left(left)
        )
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

impl Control for Watch {
    fn stop(&self) -> Option<StopReason> {
        Interrupt.stop().or_else(|| self.run.stop())
    }
}

impl SearchObserver for Watch {
    fn observe(&self, event: &SearchEvent<'_>) {
        self.run.observe(event);
        match event {
            SearchEvent::Moved(state) => self.bar.set_message(self.climb_line(state)),
            SearchEvent::Advanced(state) => {
                let (done, of) = state.progress();
                let pace = self.pace(done as f64, of as f64, "blankets");
                self.bar.set_message(format!("blankets: {done} of {of}, {pace}"));
                if done == of {
                    self.restart();
                }
            }
            SearchEvent::Bounded { branches, best, bound } => self.bar.set_message(format!(
                "{branches} branches, best {:.3}, bound {:.3}",
                best.to_f64(),
                bound.to_f64()
            )),
            _ => {}
        }
    }
}

impl LearnObserver for Watch {
    fn observe_learning(&self, event: &LearnEvent<'_>) {
        self.run.observe_learning(event);
        match event {
            LearnEvent::Started { index, of, kappa } => {
                self.restart();
                self.bar.set_prefix(format!("kappa {kappa} ({}/{of})", index + 1));
                self.bar.set_message("evaluating the empty graph's neighbours");
            }
            LearnEvent::Refining { index, of } => {
                self.bar.set_message(format!("refining structure {} of {of}", index + 1));
            }
            LearnEvent::Fitting { index, of } => {
                self.bar.set_message(format!("fitting {} of {of}", index + 1));
            }
            LearnEvent::Component { index, of } if index < of => {
                self.bar.println(format!("class {} of {of}", index + 1));
            }
            LearnEvent::Mixed { components, steps, log_likelihood } => {
                self.bar.set_prefix(format!("{components} classes"));
                self.bar
                    .set_message(format!("step {steps} of EM, log-likelihood per row {log_likelihood:.6}"));
            }
            LearnEvent::Replicate { finished, of, .. } => {
                let pace = self.pace(*finished as f64, *of as f64, "replicates");
                self.bar.set_message(format!("replicate {finished} of {of}, {pace}"));
            }
            LearnEvent::Member { finished, of } => {
                self.bar.set_message(format!("fitting replicates, {finished} of {of}"));
            }
            LearnEvent::Dropping { index, of } => {
                self.bar.set_message(format!("dropping rows, share {} of {of}", index + 1));
            }
            LearnEvent::Round { round, of } => {
                self.restart();
                self.bar.set_prefix(format!("round {} (at most {of})", round + 1));
                self.bar.set_message("drawing missing values");
            }
            LearnEvent::Completed { finished, of, .. } => {
                let pace = self.pace(*finished as f64, *of as f64, "tables");
                self.bar.set_message(format!("completed table {finished} of {of}, {pace}"));
            }
            LearnEvent::Sweep { finished, of } => {
                let pace = self.pace(*finished as f64, *of as f64, "sweeps");
                self.bar.set_message(format!("sweep {finished} of {of}, {pace}"));
            }
            LearnEvent::Fold { index, of } => self.bar.println(format!("fold {} of {of}", index + 1)),
            _ => {}
        }
    }
}
