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
//!    (one end's plain score would grow; or both have a common neighbour, and the edge pays
//!    with the contexts of its own that pay, those of other edges apart), and the climb
//!    goes on, until no pair is new. Other pairs are never scored with contexts: an edge
//!    that only its contexts would make worthwhile, far from all others, can be missed.
//!
//! The graph comes first: 3 and 4 are done once without contexts, for all kappas. The climb of
//! each kappa starts from that graph and goes on with contexts. Candidates are looked at first: those
//! that do not pay with the contexts of their own edge, those of other edges apart, are evaluated
//! when no other improves any more. So the result is a local maximum among the candidates.

mod candidates;
mod enlarge;
mod neighborhood;
mod search;

pub use super::limits::BlanketLimits;
pub use candidates::CandidateRule;
pub(super) use enlarge::PairSearch;
pub use search::{BlanketSearch, BlanketState};
