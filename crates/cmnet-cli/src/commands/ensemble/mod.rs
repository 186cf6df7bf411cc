//! What commands do with an ensemble of networks.

pub(crate) mod draw;
pub(crate) mod explain;
pub(crate) mod predict;
pub(crate) mod query;

use super::asking;
use crate::ask_args::TreeArgs;
use cmnet::{Ensemble, ExactOptions};

/// Says what will be done, and heeds Ctrl-C from there on.
fn begin(arguments: &TreeArgs, ensemble: &Ensemble) -> anyhow::Result<ExactOptions> {
    let networks = ensemble.members().len();
    asking::begin(arguments, &format!("exact: the mean of the answers of {networks} networks"))
}
