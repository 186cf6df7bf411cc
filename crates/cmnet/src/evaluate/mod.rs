//! How good a model is, and how two models differ (paper, section 4).

mod difference;
mod divergence;
mod heldout;

pub use difference::{ContextElement, Difference, difference, difference_under};
pub use divergence::{divergence, divergence_from_table, divergence_under};
pub use heldout::{Evaluation, evaluate, evaluate_under};
