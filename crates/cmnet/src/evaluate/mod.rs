//! How good a model is, and how two models differ (paper, section 4).

mod difference;
mod divergence;
mod heldout;

pub use difference::{ContextElement, Difference, difference};
pub use divergence::{divergence, divergence_from_table};
pub use heldout::{Evaluation, evaluate};
