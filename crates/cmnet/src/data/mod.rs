//! Tables of categories: variables, codes, weights (paper, section 2.1).

mod builder;
mod codes;
pub mod collapse;
mod construct;
pub mod dataset;
pub mod describe;
pub mod digest;
mod encode;
pub mod intake;
pub mod quoted;
mod recent;
mod seed;
mod select;
mod sort;
pub mod split;
mod tally;
pub mod variable;
pub mod warning;
mod weights;

pub(crate) use builder::{Misfit, TableBuilder};
pub use codes::Codes;
pub use dataset::Dataset;
pub use describe::Description;
pub use digest::DataDigest;
pub(crate) use encode::{Coder, Found};
pub use intake::{Intake, Levels};
pub use seed::mix;
pub use tally::OnMissing;
pub(crate) use tally::Tally;
pub use variable::{MAX_LEVELS, MAX_ROWS, Schema, Var, Variable};
pub(crate) use variable::{check_levels, check_names};
pub use warning::Warning;
