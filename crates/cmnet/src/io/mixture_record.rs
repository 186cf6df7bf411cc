//! The fields of a mixture's file, as they stand in the JSON: variables once, and for each class what a model
//! file has of its network.

use super::model_record::{VariableRecord, VariableText};
use super::network_record::{NetworkRecord, NetworkText};
use crate::mixture::MixtureFit;
use serde::{Deserialize, Serialize};

/// A mixture's file as it is read.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object with the fields of a mixture")]
pub(super) struct MixtureRecord<'a> {
    pub(super) format: String,
    #[serde(default, rename = "program")]
    _program: Option<String>,
    pub(super) variables: Vec<VariableText>,
    #[serde(default)]
    pub(super) fit: Option<MixtureFitRecord>,
    #[serde(borrow)]
    pub(super) components: Vec<NetworkRecord<'a>>,
}

/// How the parameters were estimated.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MixtureFitRecord {
    pub(super) rows: u64,
    pub(super) digest: String,
    pub(super) seed: u64,
    pub(super) log_likelihood: f64,
    pub(super) steps: u64,
    pub(super) gain: f64,
    pub(super) converged: bool,
}

/// A mixture's file as it is written.
#[derive(Debug, Serialize)]
pub(super) struct MixtureText<'a> {
    pub(super) format: &'static str,
    pub(super) program: &'static str,
    pub(super) variables: Vec<VariableRecord<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) fit: Option<MixtureFitRecord>,
    pub(super) components: Vec<NetworkText<'a>>,
}

impl From<&MixtureFit> for MixtureFitRecord {
    fn from(fit: &MixtureFit) -> Self {
        Self {
            rows: fit.rows,
            digest: fit.digest.as_str().to_owned(),
            seed: fit.seed,
            log_likelihood: fit.log_likelihood,
            steps: fit.steps,
            gain: fit.gain,
            converged: fit.converged,
        }
    }
}
