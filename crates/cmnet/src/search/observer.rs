//! Who watches a search: progress bars, step recorders, checkpoints.

use super::blanket::BlanketState;
use super::state::GraphClimbState;
use crate::control::Control;
use crate::score::Nats;

/// Something that happened in a search.
#[derive(Debug)]
#[non_exhaustive]
pub enum SearchEvent<'a> {
    /// One neighbour of the present graph was evaluated. Comes from several threads.
    Evaluated {
        /// How many neighbours the present graph has.
        of: usize,
    },
    /// The best neighbour was taken.
    Moved(&'a GraphClimbState),
    /// The search is ended early; this is the last word on where it stands.
    Paused(Standing<'a>),
    /// Mode `blanket` finished a batch of blankets.
    Advanced(&'a BlanketState),
    /// An exact search examined some thousand branches more.
    Bounded {
        /// Branches examined so far.
        branches: u64,
        /// The score of the best structure so far.
        best: Nats,
        /// The bound of the branch that is examined.
        bound: Nats,
    },
}

/// Where a search stands when it is ended early.
#[derive(Clone, Copy, Debug)]
pub enum Standing<'a> {
    /// In the climb of Algorithm 1.
    Climb(&'a GraphClimbState),
    /// In the first phase of mode `blanket`.
    Blankets(&'a BlanketState),
}

/// A control that is told what happens in a search. Implementations are called from several
/// threads.
pub trait SearchObserver: Control {
    /// Told of every event.
    fn observe(&self, event: &SearchEvent<'_>) {
        let _ = event;
    }
}

/// Watches nothing and never ends a search.
impl SearchObserver for () {}
