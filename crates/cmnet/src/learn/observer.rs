//! Who watches learning: all that watches a search is told of, and what comes around it.

use super::{CompletedTable, CompletionRound, FirstLearning, FoldResult, Replicate};
use crate::control::{Control, StopReason};
use crate::score::Kappa;
use crate::search::{ClimbResult, SearchObserver};

/// Something that happened in learning, outside of the searches.
#[derive(Debug)]
#[non_exhaustive]
pub enum LearnEvent<'a> {
    /// A search begins for the kappa at this place of the list.
    Started {
        /// Which of the kappas.
        index: usize,
        /// How many there are.
        of: usize,
        /// Kappa as written.
        kappa: &'a str,
    },
    /// Rows that were held out chose the one kappa that is searched for.
    KappaChosen(Kappa),
    /// The graph without contexts is found from which mode `blanket` searches for every kappa.
    GraphFound(&'a ClimbResult),
    /// The structure of one kappa is found.
    Finished(&'a ClimbResult),
    /// A structure is refined.
    Refining {
        /// Which of the structures.
        index: usize,
        /// How many there are.
        of: usize,
    },
    /// A structure's parameters are estimated.
    Fitting {
        /// Which of the structures.
        index: usize,
        /// How many there are.
        of: usize,
    },
    /// A structure is learned from the rows of one class of a mixture. An observer that ends work at a
    /// deadline may set one for each class.
    Component {
        /// Which of the classes.
        index: usize,
        /// How many there are.
        of: usize,
    },
    /// The parameters of a mixture have gone a step of EM.
    Mixed {
        /// How many classes it has.
        components: usize,
        /// How many steps were gone.
        steps: u64,
        /// The mean log-probability of a row.
        log_likelihood: f64,
    },
    /// Parts of the rows are learned from and judged by the others, and all rows are learned from after that. An
    /// observer that ends work at a deadline may keep time for the latter.
    PartsAhead,
    /// The parts are judged, or that was cut.
    PartsEnded,
    /// A fold of a cross-validation begins.
    Fold {
        /// Which of the folds.
        index: usize,
        /// How many there are.
        of: usize,
    },
    /// A fold of a cross-validation is done.
    FoldFinished {
        /// Which of the folds.
        index: usize,
        /// Whether all folds are learned again, by pseudo-likelihood.
        again: bool,
        /// What it gave.
        result: &'a FoldResult,
    },
    /// A chain over structures has finished a sweep. Comes from several threads.
    Sweep {
        /// How many this chain has done.
        finished: u64,
        /// How many it is to do.
        of: u64,
    },
    /// Structures are learned from parts of the rows, the same share of them dropped from each.
    Dropping {
        /// Which of the shares.
        index: usize,
        /// How many there are.
        of: usize,
    },
    /// The whole table was learned, and resamples are next.
    Resampling(&'a FirstLearning),
    /// A structure was learned from a resample. Comes from several threads.
    Replicate {
        /// The number of the resample, from 0 on.
        number: u64,
        /// What was found.
        found: &'a Replicate,
        /// How many are done.
        finished: u64,
        /// How many are asked for.
        of: u64,
    },
    /// Networks are to be fitted after the resamples are learned. An observer that ends work at a deadline may
    /// keep time for that.
    EnsembleAhead,
    /// The network of a resample was fitted; none of them yet when `finished` is 0. Comes from several threads.
    Member {
        /// How many are fitted.
        finished: u64,
        /// How many there are.
        of: u64,
    },
    /// Missing cells are drawn, and structures are learned from the completed tables.
    Round {
        /// The round, from 0 on.
        round: usize,
        /// The most rounds.
        of: u64,
    },
    /// Structures were learned from a completed table. Comes from several threads.
    Completed {
        /// The number of the table, from 0 on.
        number: u64,
        /// What was found.
        found: &'a CompletedTable,
        /// How many tables are done in this round.
        finished: u64,
        /// How many there are.
        of: u64,
    },
    /// All completed tables of a round are done.
    RoundFinished(&'a CompletionRound),
}

/// A control that is told what happens in learning. Implementations are called from several
/// threads.
pub trait LearnObserver: SearchObserver {
    /// Told of every event outside of the searches; those inside go to [`SearchObserver::observe`].
    fn observe_learning(&self, event: &LearnEvent<'_>) {
        let _ = event;
    }

    /// Asked after a search was ended early and while structures are fitted: whether nobody
    /// waits for a result any more. Then what was not finished is neither scored nor fitted.
    ///
    /// By default it is: an early end keeps what was found, with parameters.
    fn gives_up(&self) -> bool {
        false
    }
}

/// Watches nothing and never ends anything.
impl LearnObserver for () {}

/// Stops with an observer, and tells it nothing: searches on parts of a table, or on resamples, are not
/// those that a checkpoint keeps.
pub(crate) struct Quiet<'a> {
    pub(crate) observer: &'a dyn LearnObserver,
}

impl Control for Quiet<'_> {
    fn stop(&self) -> Option<StopReason> {
        self.observer.stop()
    }
}

impl SearchObserver for Quiet<'_> {}

impl LearnObserver for Quiet<'_> {
    fn gives_up(&self) -> bool {
        self.observer.gives_up()
    }
}

/// What the fits that follow a search ask. An interruption ends them. The time limit ends them
/// where something is fitted already. A search that was ended early is otherwise fitted all the
/// same, since it is what there is, unless the observer gives up.
#[derive(Clone, Copy)]
pub struct FitControl<'a> {
    /// Who watches.
    pub observer: &'a dyn LearnObserver,
    /// Whether the search of the structures ended by itself.
    pub searched: bool,
    /// Whether there is a fitted structure already.
    pub fitted: bool,
}

impl std::fmt::Debug for FitControl<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FitControl")
            .field("searched", &self.searched)
            .field("fitted", &self.fitted)
            .finish_non_exhaustive()
    }
}

impl Control for FitControl<'_> {
    fn stop(&self) -> Option<StopReason> {
        if self.observer.gives_up() {
            return Some(StopReason::Interrupted);
        }
        self.observer.stop().filter(|&reason| match reason {
            StopReason::Converged => false,
            StopReason::Interrupted => self.searched,
            StopReason::TimeLimit => self.fitted,
        })
    }
}
