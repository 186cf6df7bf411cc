//! Triangulation and the junction tree: the engine of exact sums over a joint distribution,
//! which fitting and questions share.

mod junction_tree;
mod plan;
mod propagate;
mod triangulate;

pub use junction_tree::{Clique, JunctionTree};
pub use plan::TreeCost;
pub(crate) use plan::{TreePlan, best_plan, is_within};
pub use propagate::Propagation;
pub(crate) use propagate::normalize;
pub use triangulate::{Elimination, EliminationChoice, EliminationRule, eliminate};
