//! Kappas that are passed over: once BIC falls, a larger kappa is not searched for.
//!
//! A larger kappa gives more contexts. Where the last larger kappa made BIC lower, still more
//! contexts are expected to make it lower still, and they take the most time. This is a rule of
//! experience: it holds where the BIC of a table rises with kappa up to one value and falls after it.

use super::{LearnOptions, Learned, SearchMode, SearchReason, Select};
use crate::score::Kappa;
use crate::search::SearchUsed;

/// Which kappas a run may pass over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Kappas {
    /// None: the caller counts on a model for each.
    All,
    /// Those that are hopeless, where mode `auto` left the way to the program and picked mode
    /// `blanket`, but not for the sake of a refinement alone.
    #[default]
    Promising,
}

impl Kappas {
    /// Whether the kappa that is next may be passed over.
    pub(super) fn may_pass(self, options: &LearnOptions, learned: &Learned) -> bool {
        let left = options.search == SearchMode::Auto && learned.search == SearchUsed::Blanket;
        let is_long = learned.search_reason != SearchReason::Refinement;
        self == Self::Promising && left && is_long && options.select == Select::Bic
    }
}

/// Whether a kappa is hopeless: the BIC of the last structure is lower than that of the one before,
/// which has a smaller kappa, and the kappa is larger than both.
pub(super) fn is_hopeless(kappa: Kappa, learned: &Learned, rows: u64) -> bool {
    let [.., one, other] = &learned.models[..] else { return false };
    let log = |kappa: Kappa| kappa.log(rows);
    let rising = log(one.prior.kappa()) < log(other.prior.kappa()) && log(other.prior.kappa()) < log(kappa);
    let (Some(one), Some(other)) = (one.compared(), other.compared()) else { return false };
    rising && one.estimate == other.estimate && other.bic() < one.bic()
}
