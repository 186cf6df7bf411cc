//! Exact inference by junction tree: what fitting and questions to a model share.

pub mod junction_tree;
pub mod propagate;
pub mod shape;
pub mod triangulate;

pub use junction_tree::{Clique, JunctionTree, TreeCost};
pub(crate) use junction_tree::{TreePlan, best_plan};
pub use propagate::Propagation;
pub use shape::{Shape, Walk};
pub use triangulate::{Elimination, EliminationRule, eliminate};
