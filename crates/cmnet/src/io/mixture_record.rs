//! The fields of a mixture's file, as they stand in the JSON: variables once, and for each class what a model
//! file has of its network.

use super::confirmed_record::ConfirmedRecord;
use super::fit_record::{FitRecord, FitText};
use super::model_file::FORMAT;
use super::model_record::{
    ContextRecord, LearnedRecord, ModelRecord, ModelText, VariableRecord, VariableText,
};
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
    pub(super) components: Vec<ComponentRecord<'a>>,
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

/// A class as it is read.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ComponentRecord<'a> {
    pub(super) weight: f64,
    #[serde(default)]
    learned: Option<LearnedRecord>,
    edges: Vec<[String; 2]>,
    contexts: Vec<ContextRecord>,
    #[serde(default)]
    confirmed: Option<ConfirmedRecord>,
    #[serde(borrow)]
    parameters: FitRecord<'a>,
}

impl<'a> ComponentRecord<'a> {
    /// The weight, and the record of the network alone.
    pub(super) fn into_model(self, variables: &[VariableText]) -> (f64, ModelRecord<'a>) {
        let model = ModelRecord {
            format: FORMAT.to_owned(),
            _program: None,
            learned: self.learned,
            variables: variables.to_vec(),
            edges: self.edges,
            contexts: self.contexts,
            confirmed: self.confirmed,
            support: None,
            parameters: Some(self.parameters),
        };
        (self.weight, model)
    }
}

/// A mixture's file as it is written.
#[derive(Debug, Serialize)]
pub(super) struct MixtureText<'a> {
    pub(super) format: &'static str,
    pub(super) program: &'static str,
    pub(super) variables: Vec<VariableRecord<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) fit: Option<MixtureFitRecord>,
    pub(super) components: Vec<ComponentText<'a>>,
}

/// A class as it is written.
#[derive(Debug, Serialize)]
pub(super) struct ComponentText<'a> {
    weight: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    learned: Option<LearnedRecord>,
    edges: Vec<[String; 2]>,
    contexts: Vec<ContextRecord>,
    #[serde(skip_serializing_if = "Option::is_none")]
    confirmed: Option<ConfirmedRecord>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parameters: Option<FitText<'a>>,
}

impl<'a> ComponentText<'a> {
    /// A weight, and what a model file would have of the network.
    pub(super) fn new(weight: f64, model: ModelText<'a>) -> Self {
        let ModelText { learned, edges, contexts, confirmed, parameters, .. } = model;
        Self { weight, learned, edges, contexts, confirmed, parameters }
    }
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
