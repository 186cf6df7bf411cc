//! Who watches a search: progress bars, step recorders, Ctrl-C, time limits.

use super::blanket::BlanketState;
use super::state::{Found, GraphClimbState};
use super::stop::StopReason;

/// Something that happened in a search.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A climb begins for the kappa at this place of the list.
    Started {
        /// Which of the kappas.
        index: usize,
        /// How many there are.
        of: usize,
        /// Kappa as written.
        kappa: &'a str,
    },
    /// One neighbour of the present graph was evaluated. Comes from several threads.
    Evaluated {
        /// How many neighbours the present graph has.
        of: usize,
    },
    /// The best neighbour was taken.
    Moved(&'a GraphClimbState),
    /// A fold of a cross-validation begins.
    Fold {
        /// Which of the folds.
        index: usize,
        /// How many there are.
        of: usize,
    },
    /// A fold of a cross-validation is done.
    FoldFinished {
        /// BIC per training row, mean log-probability per held-out row, edges and free
        /// parameters: of the choice by BIC, then of each kappa. Or why there are none.
        numbers: &'a [Result<[f64; 4], crate::error::Unfitted>],
        /// Whether all probabilities are exact.
        exact: bool,
    },
    /// A structure's parameters are estimated.
    Fitting {
        /// Which of the structures.
        index: usize,
        /// How many there are.
        of: usize,
    },
    /// The search is ended early; this is the last word on where it stands.
    Paused(Standing<'a>),
    /// The structure of one kappa is found.
    Finished(&'a Found),
    /// Mode `blanket` finished a batch of blankets or took a toggle.
    Advanced(&'a BlanketState),
}

/// Where a search stands when it is ended early.
#[derive(Clone, Copy, Debug)]
pub enum Standing<'a> {
    /// In mode `paper`.
    Climb(&'a GraphClimbState),
    /// In mode `blanket`.
    Blankets(&'a BlanketState),
}

/// Watches a search and may end it. Implementations are called from several threads.
pub trait Observer: Sync {
    /// Told of every event.
    fn observe(&self, event: &Event<'_>) {
        let _ = event;
    }

    /// Asked often; a reason ends the search with what was found so far.
    fn stop(&self) -> Option<StopReason> {
        None
    }
}

/// Watches nothing and never ends a search.
impl Observer for () {}
