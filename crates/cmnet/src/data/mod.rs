//! Tables of categories: variables, codes, weights (paper, section 2.1).

mod builder;
mod codes;
mod collapse;
mod construct;
mod dataset;
mod digest;
mod encode;
mod incomplete;
mod intake;
mod loaded;
mod merged;
mod packed;
pub(crate) mod quoted;
mod recent;
mod row_levels;
mod seed;
mod select;
mod sort;
mod split;
mod survey;
mod tally;
mod variable;
mod warning;
mod weights;

pub use codes::Codes;
pub use collapse::collapse;
pub use dataset::Dataset;
pub use digest::DataDigest;
pub use incomplete::{IncompleteTable, MissingPattern};
pub(crate) use intake::Origin;
pub use intake::{Intake, Levels, UNNAMED_TABLE};
pub use loaded::LoadedTable;
pub use quoted::quoted_names;
pub use row_levels::{OnUnknown, RowLevels};
pub use seed::mix_seed;
pub(crate) use split::below;
pub use split::{Fold, FoldPlan, Folds};
pub use survey::{ListedLevels, Survey, Surveyed};
pub use tally::OnMissing;
pub(crate) use variable::check_levels;
#[cfg(feature = "csv")]
pub(crate) use variable::check_names;
pub use variable::{MAX_LEVELS, MAX_ROWS, Schema, Var, Variable};
pub use warning::Warning;
