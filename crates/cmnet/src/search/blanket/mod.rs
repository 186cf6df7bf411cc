//! Search mode `blanket`: for more variables than Algorithm 1 can toggle pair by pair.
//!
//! What is exact and what is heuristic:
//!
//! 1. `neighborhood`: a Markov blanket per node by greedy addition and deletion of plain
//!    node scores (as Pensar et al. do for plain Markov networks). Exact given the greedy
//!    rule and the limits; the rule is a heuristic.
//! 2. `candidates`: the edges that one end (OR) or both (AND) asked for.
//! 3. Algorithm 1 as in mode `paper`, but over the candidates alone, and no toggle may make
//!    a blanket larger than the limits. Each toggle is scored with the contexts that
//!    Algorithm 2 finds for it from the empty context, so that the contexts of the result
//!    are those of mode `paper` for the same graph: nothing is left to improve.
//! 4. `enlarge`: when no candidate improves, pairs are added that the graph now speaks for
//!    (one end's plain score would grow; or both have a common neighbour), and the climb
//!    goes on, until no pair is new. Other pairs are never scored with contexts: an edge
//!    that only its contexts would make worthwhile, far from all others, can be missed.

mod candidates;
mod enlarge;
mod neighborhood;
mod search;

pub use super::limits::BlanketLimits;
pub use candidates::CandidateRule;
pub(super) use enlarge::PairSearch;
pub use search::{BlanketSearch, BlanketState};
