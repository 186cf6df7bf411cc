//! A learned structure with the names, the data and the options it came from (paper,
//! Definition 3).

use crate::data::{DataDigest, Dataset, Schema};
use crate::error::{ErrorKind, Result};
use crate::score::{Alpha, Kappa};
use crate::search::StopReason;
use crate::structure::Structure;

/// A contextual Markov network: named variables and the structure (G, C).
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// Names and levels.
    pub schema: Schema,
    /// Graph and contexts over the schema's variables.
    pub structure: Structure,
    /// Where it came from; `None` for a structure written by hand.
    pub learned: Option<Provenance>,
}

/// The data and options that a structure was learned with, and its score there.
#[derive(Clone, Debug, PartialEq)]
pub struct Provenance {
    /// Observations, by weight.
    pub rows: u64,
    /// What the table contained.
    pub digest: DataDigest,
    /// The prior's weight.
    pub kappa: Kappa,
    /// The Dirichlet hyperparameter.
    pub alpha: Alpha,
    /// The search mode, such as `paper`.
    pub search: String,
    /// Why the search ended.
    pub stop: StopReason,
    /// The log marginal pseudo-likelihood.
    pub log_mpl: f64,
    /// The log prior of the contexts.
    pub log_prior: f64,
}

impl Provenance {
    /// log_mpl + log_prior.
    pub fn score(&self) -> f64 {
        self.log_mpl + self.log_prior
    }
}

impl Model {
    /// Whether a table has this model's variables and levels, in this order.
    ///
    /// # Errors
    /// Names the first difference.
    pub fn check_data(&self, data: &Dataset) -> Result<()> {
        let (own, theirs) = (self.schema.variables(), data.schema().variables());
        let mismatch =
            |problem: String, hint: &str| Err(ErrorKind::Mismatch { problem, hint: hint.to_owned() }.into());
        if own.len() != theirs.len() {
            return mismatch(
                format!("the model has {} variables, the data {}", own.len(), theirs.len()),
                "choose the model's columns with --columns or --drop",
            );
        }
        for (place, (mine, other)) in own.iter().zip(theirs).enumerate() {
            if mine.name != other.name {
                return mismatch(
                    format!(
                        "column {} is {:?} in the model and {:?} in the data",
                        place + 1,
                        mine.name,
                        other.name
                    ),
                    "choose and order the columns as in the model",
                );
            }
            if mine.levels != other.levels {
                return mismatch(
                    format!(
                        "the levels of {:?} are {:?} in the model and {:?} in the data",
                        mine.name, mine.levels, other.levels
                    ),
                    "give the model's levels in a --schema file",
                );
            }
        }
        Ok(())
    }
}
