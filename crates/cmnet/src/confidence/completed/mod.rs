//! Structures from tables with holes: cells drawn from a model, a search on each completed table, a model of
//! what was found, and again, until that changes nothing.

mod forest;
mod options;
mod outcome;
mod run;
mod state;

pub use options::CompletionOptions;
pub use outcome::{Agreement, CompletedLearning};
pub use run::{learn_incomplete, learn_incomplete_from};
pub use state::{CompletionState, completion_identity};
