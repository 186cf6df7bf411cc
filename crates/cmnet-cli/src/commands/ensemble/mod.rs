//! What commands do with an ensemble of networks.

pub(crate) mod draw;
pub(crate) mod explain;
pub(crate) mod predict;
pub(crate) mod query;

use super::asking;
use crate::ask_args::TreeArgs;
use cmnet::Ensemble;

/// Says what will be done.
fn announce(arguments: &TreeArgs, ensemble: &Ensemble) {
    let networks = ensemble.members().len();
    asking::announce(arguments, &format!("exact: the mean of the answers of {networks} networks"));
}
