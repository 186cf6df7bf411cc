//! The fields of one network in a file of several with the same variables: what a model file has of it, and
//! its place among the others.

use super::confirmed_record::ConfirmedRecord;
use super::fit_record::{FitRecord, FitText};
use super::model_error::error_at;
use super::model_file::{FORMAT, Reader};
use super::model_record::{ContextRecord, LearnedRecord, ModelRecord, ModelText, VariableText};
use crate::error::{Error, ErrorKind, Result};
use crate::model::Model;
use serde::{Deserialize, Serialize};

/// What tells a network from the others: of a mixture its weight, of an ensemble the number of its resample.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Head {
    pub(super) weight: Option<f64>,
    pub(super) replicate: Option<u64>,
}

/// A network as it is read.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NetworkRecord<'a> {
    #[serde(default)]
    weight: Option<f64>,
    #[serde(default)]
    replicate: Option<u64>,
    #[serde(default)]
    learned: Option<LearnedRecord>,
    edges: Vec<[String; 2]>,
    contexts: Vec<ContextRecord>,
    #[serde(default)]
    confirmed: Option<ConfirmedRecord>,
    #[serde(borrow)]
    parameters: FitRecord<'a>,
}

impl NetworkRecord<'_> {
    /// The network at a place of a list, and what tells it from the others.
    fn read(self, reader: &Reader<'_>, variables: &[VariableText], at: &str) -> Result<(Head, Model)> {
        let head = Head { weight: self.weight, replicate: self.replicate };
        let record = ModelRecord {
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
        let model = reader.model(&record).map_err(|error| within(error, at))?;
        Ok((head, model))
    }
}

/// The networks of a list, each with the field that tells it from the others, which every one must have.
pub(super) fn read_networks<T>(
    records: Vec<NetworkRecord<'_>>,
    reader: &Reader<'_>,
    variables: &[VariableText],
    (list, field): (&str, &str),
    of: impl Fn(&Head) -> Option<T>,
) -> Result<Vec<(T, Model)>> {
    let read = |(place, record): (usize, NetworkRecord<'_>)| {
        let at = format!("{list}[{place}]");
        let (head, model) = record.read(reader, variables, &at)?;
        let missing = || error_at(reader.file, &at, format!("missing field `{field}`"));
        Ok((of(&head).ok_or_else(missing)?, model))
    };
    records.into_iter().enumerate().map(read).collect()
}

/// A network as it is written.
#[derive(Debug, Serialize)]
pub(super) struct NetworkText<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    weight: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    replicate: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    learned: Option<LearnedRecord>,
    edges: Vec<[String; 2]>,
    contexts: Vec<ContextRecord>,
    #[serde(skip_serializing_if = "Option::is_none")]
    confirmed: Option<ConfirmedRecord>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parameters: Option<FitText<'a>>,
}

impl<'a> NetworkText<'a> {
    /// What tells a network from the others, and what a model file would have of it.
    pub(super) fn new(head: Head, model: ModelText<'a>) -> Self {
        let ModelText { learned, edges, contexts, confirmed, parameters, .. } = model;
        Self {
            weight: head.weight,
            replicate: head.replicate,
            learned,
            edges,
            contexts,
            confirmed,
            parameters,
        }
    }
}

/// An error about one network, with its place.
fn within(error: Error, place: &str) -> Error {
    match error.kind() {
        ErrorKind::Model { file, at, problem, remedies } => ErrorKind::Model {
            file: file.clone(),
            at: format!("{place}.{at}"),
            problem: problem.clone(),
            remedies: remedies.clone(),
        }
        .into(),
        _ => error,
    }
}
