//! Search mode `blanket`: for more variables than Algorithm 1 can toggle pair by pair.
//!
//! Four phases. What is exact and what is heuristic:
//!
//! 1. `neighborhood`: a Markov blanket per node by greedy addition and deletion of plain
//!    node scores (as Pensar et al. do for plain Markov networks). Exact given the greedy
//!    rule and the limits; the rule is a heuristic.
//! 2. `candidates`: the edges that one end (OR) or both (AND) asked for. Pairs outside are
//!    never looked at again: an edge that only contexts make worthwhile can be missed.
//! 3. `graph_search`: edge toggles among the candidates, first without contexts from the
//!    empty graph, then with them: a toggle re-climbs the contexts of the edges at its two
//!    ends, all other contexts stay. Warm contexts make this a different search from
//!    Algorithm 1.
//! 4. `polish`: Algorithm 2 from the empty context on the final graph, per component; the
//!    better of both sets of contexts is kept.

mod candidates;
mod graph_search;
mod neighborhood;
mod phases;
mod polish;
mod saved;

pub use candidates::CandidateRule;
pub use neighborhood::BlanketLimits;
pub use phases::{BlanketSearch, BlanketState};
pub use saved::{SavedBlankets, SavedProgress};
