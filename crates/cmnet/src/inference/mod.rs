//! Exact inference by junction tree: what fitting and questions to a model share.

pub mod junction_tree;
mod plan;
pub mod propagate;
pub mod shape;
pub mod triangulate;

pub use junction_tree::{Clique, JunctionTree};
pub use plan::TreeCost;
pub(crate) use plan::{TreePlan, best_plan};
pub use propagate::Propagation;
pub use shape::{Shape, Walk};
pub use triangulate::{Elimination, EliminationRule, eliminate};
