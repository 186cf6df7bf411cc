//! Where a learning run stands: finished kappas and the climb under way. Saved between any
//! two steps, it lets another process go on to the same result.

use super::observer::LearnEvent;
use super::{LearnOptions, SearchMode};
use crate::control::StopReason;
use crate::data::{DataDigest, Dataset};
use crate::search::blanket::BlanketState;
use crate::search::{ClimbResult, Event, Standing};

/// A run between two steps.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LearnState {
    /// The kappas that are done, in order.
    pub finished: Vec<ClimbResult>,
    /// The climb of Algorithm 1 under way.
    pub climb: Option<ClimbResult>,
    /// The blankets found so far, in mode `blanket`.
    pub blankets: Option<BlanketState>,
}

impl LearnState {
    /// Takes over what an event of a search says about where the run stands.
    pub fn follow(&mut self, event: &Event<'_>) {
        match event {
            Event::Moved(climb) | Event::Paused(Standing::Climb(climb)) => {
                self.climb = Some(ClimbResult::of(climb, StopReason::Interrupted));
            }
            Event::Advanced(blankets) | Event::Paused(Standing::Blankets(blankets)) => {
                self.blankets = Some((*blankets).clone());
            }
            Event::Evaluated { .. } => {}
        }
    }

    /// Takes over what an event outside of the searches says.
    pub fn follow_learning(&mut self, event: &LearnEvent<'_>) {
        if let LearnEvent::Finished(found) = event {
            self.finished.push((*found).clone());
            self.climb = None;
        }
    }
}

/// All that must be the same for a run to go on: named values, compared one by one.
///
/// Threads, fitting and selection are not among them: they do not change the search.
pub fn run_identity(data: &Dataset, options: &LearnOptions) -> Vec<(&'static str, String)> {
    let (mode, _) = options.mode(data.variables(), data.distinct_rows() as u64);
    let kappas: Vec<String> = options.kappas.iter().map(ToString::to_string).collect();
    let mut identity = vec![
        ("program version", env!("CARGO_PKG_VERSION").to_owned()),
        ("data", DataDigest::of(data).as_str().to_owned()),
        ("--kappa", kappas.join(",")),
        ("--alpha", options.alpha.to_string()),
        ("--search", if mode == SearchMode::Blanket { "blanket" } else { "paper" }.to_owned()),
    ];
    if mode == SearchMode::Blanket {
        identity.push(("--max-neighbors", options.limits.neighbors.to_string()));
        identity.push(("--max-configurations", options.limits.configurations.to_string()));
        identity.push(("--candidates", format!("{:?}", options.candidates).to_lowercase()));
    }
    identity
}
