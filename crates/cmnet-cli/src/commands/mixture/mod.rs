//! What commands do with a mixture of networks.

pub(crate) mod compare;
pub(crate) mod draw;
pub(crate) mod explain;
pub(crate) mod predict;
pub(crate) mod query;
pub(crate) mod sample;

use super::asking;
use crate::ask_args::TreeArgs;
use cmnet::{ExactOptions, Mixture};
use std::fmt::Write as _;

/// Says what will be done, and heeds Ctrl-C from there on.
fn begin(arguments: &TreeArgs, mixture: &Mixture) -> anyhow::Result<ExactOptions> {
    let classes = mixture.components().len();
    asking::begin(arguments, &format!("exact: the mixture of the answers of {classes} networks"))
}

/// The chance of each class, a line each.
fn chances(chances: &[f64]) -> String {
    let mut text = String::new();
    for (class, chance) in (1..).zip(chances) {
        let _ = writeln!(text, "  class {class}  {chance:.6}");
    }
    text
}
