//! The fields of a model file, as they stand in the JSON.

use super::confirmed_record::ConfirmedRecord;
use super::fit_record::{FitRecord, FitText};
use super::support_record::SupportRecord;
use crate::data::{Cuts, Schema, Weighting};
use crate::model::Provenance;
use crate::score::{EdgePrior, Knowledge};
use crate::search::StopReason;
use serde::{Deserialize, Serialize};

/// A model file as it is read.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object with the fields of a model")]
pub(super) struct ModelRecord<'a> {
    pub(super) format: String,
    #[serde(default, rename = "program")]
    pub(super) _program: Option<String>,
    #[serde(default)]
    pub(super) learned: Option<LearnedRecord>,
    pub(super) variables: Vec<VariableText>,
    pub(super) edges: Vec<[String; 2]>,
    pub(super) contexts: Vec<ContextRecord>,
    #[serde(default)]
    pub(super) confirmed: Option<ConfirmedRecord>,
    #[serde(default)]
    pub(super) support: Option<SupportRecord>,
    #[serde(borrow, default)]
    pub(super) parameters: Option<FitRecord<'a>>,
}

/// A model file as it is written.
#[derive(Debug, Serialize)]
pub(super) struct ModelText<'a> {
    pub(super) format: &'static str,
    pub(super) program: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) learned: Option<LearnedRecord>,
    pub(super) variables: Vec<VariableRecord<'a>>,
    pub(super) edges: Vec<[String; 2]>,
    pub(super) contexts: Vec<ContextRecord>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) confirmed: Option<ConfirmedRecord>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) support: Option<SupportRecord>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) parameters: Option<FitText<'a>>,
}

/// A variable as it is written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct VariableRecord<'a> {
    /// Its name.
    pub name: &'a str,
    /// The labels of its levels, in their order.
    pub levels: &'a [String],
    /// Where numbers become the levels; absent where they do not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cuts: Option<&'a Cuts>,
}

/// The variables of a schema as they are written, in column order.
pub fn variable_records(schema: &Schema) -> Vec<VariableRecord<'_>> {
    let variables = schema.variables().iter().enumerate();
    variables
        .map(|(place, variable)| VariableRecord {
            name: &variable.name,
            levels: &variable.levels,
            cuts: schema.cuts(place),
        })
        .collect()
}

/// A variable as it is read.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct VariableText {
    pub(super) name: String,
    pub(super) levels: Vec<String>,
    #[serde(default)]
    pub(super) cuts: Option<Vec<f64>>,
}

impl ModelText<'_> {
    /// Whether all numbers can be written: JSON knows no infinity.
    pub(super) fn is_finite(&self) -> bool {
        let learned = self.learned.as_ref().is_none_or(LearnedRecord::is_finite);
        learned && self.parameters.as_ref().is_none_or(FitText::is_finite)
    }
}

/// An edge's context by names: elements give level labels in the order of `given`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContextRecord {
    /// The edge's ends in column order.
    pub edge: [String; 2],
    /// The common neighbours in column order.
    pub given: Vec<String>,
    /// The configurations in which the edge is cut off.
    pub elements: Vec<Vec<String>>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LearnedRecord {
    pub(super) rows: u64,
    pub(super) digest: String,
    /// Absent where they are whole numbers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) weights: Option<Weighting>,
    pub(super) kappa: String,
    pub(super) alpha: String,
    /// Absent where graphs are uniform.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) edge_prior: Option<String>,
    /// Absent where nothing was known.
    #[serde(default, skip_serializing_if = "Knowledge::is_empty")]
    pub(super) knowledge: Knowledge,
    pub(super) search: String,
    pub(super) stop: StopReason,
    /// Absent where the structure is as the search found it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) refined: Option<RefinedRecord>,
    pub(super) log_mpl: f64,
    pub(super) log_prior: f64,
    /// For the reader of the file; the sum of the two above.
    #[serde(default)]
    pub(super) score: Option<f64>,
}

/// What a structure was refined by.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RefinedRecord {
    pub(super) order: usize,
    pub(super) edge_prior: String,
    pub(super) conditional_bic: f64,
}

impl LearnedRecord {
    fn is_finite(&self) -> bool {
        let refined = self.refined.as_ref().map_or(0.0, |refined| refined.conditional_bic);
        [self.log_mpl, self.log_prior, refined].iter().all(|number| number.is_finite())
    }
}

impl From<&Provenance> for LearnedRecord {
    fn from(learned: &Provenance) -> Self {
        Self {
            rows: learned.rows,
            digest: learned.digest.as_str().to_owned(),
            weights: learned.weights,
            kappa: learned.kappa.to_string(),
            alpha: learned.alpha.to_string(),
            edge_prior: (learned.edge_prior != EdgePrior::default()).then(|| learned.edge_prior.to_string()),
            knowledge: learned.knowledge.clone(),
            search: learned.search.to_string(),
            stop: learned.stop,
            refined: learned.refined.map(|refined| RefinedRecord {
                order: refined.options.order,
                edge_prior: refined.options.edge_prior.to_string(),
                conditional_bic: refined.conditional_bic,
            }),
            log_mpl: learned.log_mpl,
            log_prior: learned.log_prior,
            score: Some(learned.score()),
        }
    }
}
