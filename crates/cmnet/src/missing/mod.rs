//! Tables with holes: parameters from the cells that are known, and holes filled by a model.
//!
//! All of it assumes that cells are missing at random: whether a cell is missing may depend on
//! what is known of its row, but not on the value that is missing.

mod em;
mod expected;
mod impute;
mod informative;

pub(crate) use em::fit_for_draws;
pub use em::{IncompleteFit, fit_incomplete};
pub(crate) use expected::observed_log_likelihood;
pub use impute::{Fill, Imputer};
pub use informative::{MissingTest, missing_tests};
