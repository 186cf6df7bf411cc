//! Tables of categories: variables, codes, weights (paper, section 2.1).

pub mod collapse;
pub mod dataset;
pub mod digest;
pub mod encode;
pub mod variable;

pub use dataset::{Codes, Dataset};
pub use digest::DataDigest;
pub use variable::{MAX_LEVELS, MAX_ROWS, Schema, Var, Variable};
