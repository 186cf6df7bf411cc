//! How good a model is, and how two models differ (paper, section 4).

mod difference;
mod divergence;
mod heldout;
mod incomplete;
mod likelihood_ratio;

pub use difference::{ContextElement, Difference, difference, difference_under};
pub use divergence::{divergence, divergence_from_table, divergence_under};
pub use heldout::{Evaluation, evaluate, evaluate_under};
pub(crate) use incomplete::check_rows;
pub use incomplete::{ObservedEvaluation, evaluate_incomplete};
pub use likelihood_ratio::{Deviance, LikelihoodRatio, deviance, likelihood_ratio};
