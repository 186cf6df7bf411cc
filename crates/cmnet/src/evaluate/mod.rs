//! How good a model is, and how two models differ (paper, section 4).

pub mod difference;
pub mod heldout;

pub use difference::{ContextElement, Difference, difference};
pub use heldout::{Evaluation, evaluate};
