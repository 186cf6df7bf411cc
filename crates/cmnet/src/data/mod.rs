//! Tables of categories: variables, codes, weights (paper, section 2.1).

mod builder;
mod codes;
pub mod collapse;
mod construct;
pub mod dataset;
pub mod digest;
mod encode;
pub mod intake;
mod loaded;
pub mod quoted;
mod recent;
mod row_levels;
mod seed;
mod select;
mod sort;
pub mod split;
mod tally;
pub mod variable;
pub mod warning;
mod weights;

pub use codes::Codes;
pub use dataset::Dataset;
pub use digest::DataDigest;
pub(crate) use intake::Origin;
pub use intake::{Intake, Levels};
pub use loaded::LoadedTable;
pub use row_levels::{OnUnknown, RowLevels};
pub use seed::mix_seed;
pub use tally::OnMissing;
pub(crate) use variable::check_levels;
#[cfg(feature = "csv")]
pub(crate) use variable::check_names;
pub use variable::{MAX_LEVELS, MAX_ROWS, Schema, Var, Variable};
pub use warning::Warning;
