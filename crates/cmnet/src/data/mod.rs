//! Tables of categories: variables, codes, weights (paper, section 2.1).

mod bins;
mod builder;
mod codes;
mod collapse;
mod configurations;
mod construct;
mod cuts;
mod cutting;
mod dataset;
mod digest;
mod encode;
mod incomplete;
mod intake;
mod loaded;
mod merged;
#[cfg(feature = "csv")]
mod narrow;
mod numbers;
mod packed;
pub(crate) mod quoted;
mod range;
mod raw;
mod raw_incomplete;
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
mod weighted;
mod weights;

pub use bins::{BinRule, Bins};
pub use codes::Codes;
pub use collapse::collapse;
pub(crate) use configurations::numbered_configurations;
pub use cuts::Cuts;
pub use cutting::CutColumn;
pub(crate) use cutting::equal_frequency;
pub use dataset::Dataset;
pub use digest::DataDigest;
pub use incomplete::{IncompleteTable, MissingPattern};
pub(crate) use intake::Origin;
pub use intake::{Intake, Levels, UNNAMED_TABLE};
pub use loaded::{LoadedIncomplete, LoadedTable, LoadedWeighted};
#[cfg(feature = "csv")]
pub(crate) use narrow::NarrowRows;
pub use quoted::quoted_names;
pub use raw::RawTable;
pub use raw_incomplete::RawIncomplete;
pub use row_levels::{OnUnknown, RowLevels};
pub use seed::mix_seed;
pub use split::{Fold, FoldPlan, Folds};
pub(crate) use split::{below, shuffled};
pub use survey::{ListedLevels, Survey, Surveyed};
pub use tally::OnMissing;
#[cfg(feature = "csv")]
pub(crate) use variable::check_names;
pub use variable::{MAX_LEVELS, MAX_ROWS, Schema, Var, Variable};
pub(crate) use variable::{check_cuts, check_levels};
pub use warning::Warning;
pub(crate) use weighted::RealRows;
pub use weighted::{WeightKind, WeightedTable, Weighting};
