//! Files that are a network's, a mixture's or an ensemble's.

use super::model_file::{ENSEMBLE, MIXTURE, read_text};
use crate::confidence::Ensemble;
use crate::data::Schema;
use crate::error::Result;
use crate::mixture::Mixture;
use crate::model::Model;
use serde::Deserialize;
use std::path::Path;

/// What a model file can hold.
#[derive(Clone, Debug, PartialEq)]
pub enum AnyModel {
    /// One network.
    Network(Box<Model>),
    /// A mixture of networks.
    Mixture(Mixture),
    /// The networks of resamples.
    Ensemble(Ensemble),
}

#[derive(Deserialize)]
struct Declared {
    format: String,
}

impl AnyModel {
    /// Reads and checks a file of any kind.
    ///
    /// # Errors
    /// As [`Model::load`].
    pub fn load(path: &Path) -> Result<Self> {
        Self::from_json(&read_text(path)?, &path.display().to_string())
    }

    /// Reads and checks the text of such a file; `file` names it in errors.
    ///
    /// # Errors
    /// As [`Model::from_json`].
    pub fn from_json(text: &str, file: &str) -> Result<Self> {
        match serde_json::from_str::<Declared>(text) {
            Ok(declared) if declared.format == MIXTURE => Mixture::from_json(text, file).map(Self::Mixture),
            Ok(declared) if declared.format == ENSEMBLE => {
                Ensemble::from_json(text, file).map(Self::Ensemble)
            }
            _ => Model::from_json(text, file).map(|model| Self::Network(Box::new(model))),
        }
    }

    /// Names and levels.
    pub fn schema(&self) -> &Schema {
        match self {
            Self::Network(model) => model.schema(),
            Self::Mixture(mixture) => mixture.schema(),
            Self::Ensemble(ensemble) => ensemble.schema(),
        }
    }
}
