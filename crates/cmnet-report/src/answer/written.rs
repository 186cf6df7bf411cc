//! Answers about files: what was drawn, exported, imported or sampled.

use super::approximation::ChainFacts;
use super::queried::TreeFacts;
use super::{Answer, names};
use crate::PageAnswers;
use cmnet::{Gibbs, QueryPlan, Sampler, Schema};
use serde::ser::SerializeSeq;
use serde::{Serialize, Serializer};
use serde_json::Value;
use std::fmt;
use std::ops::Range;

/// `cmnet-draw/1`: a drawing, or the file that it is in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DrawnAnswer {
    /// The file, unless the drawing went to standard output.
    pub file: Option<String>,
    /// The drawing, unless it went to a file.
    pub text: Option<String>,
}

impl Answer for DrawnAnswer {
    const FORMAT: &'static str = "cmnet-draw/1";
}

/// `cmnet-merge/1`: shares of a run that were put together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MergedAnswer {
    /// The kind of run, as the command is called.
    pub run: String,
    /// How many shares there were.
    pub shares: usize,
    /// The file that has what they know together.
    pub file: String,
}

impl Answer for MergedAnswer {
    const FORMAT: &'static str = "cmnet-merge/1";
}

/// `cmnet-explore/1`: a page that answers by itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ExploredAnswer {
    /// The file.
    pub file: String,
    /// How the page answers.
    pub answers: PageAnswers,
    /// The size of the file.
    pub bytes: usize,
}

impl Answer for ExploredAnswer {
    const FORMAT: &'static str = "cmnet-explore/1";
}

/// `cmnet-report/1`: a page to hand on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ReportedAnswer {
    /// The file.
    pub file: String,
    /// The size of the file.
    pub bytes: usize,
    /// Folds of the cross-validation in it.
    pub folds: usize,
}

impl Answer for ReportedAnswer {
    const FORMAT: &'static str = "cmnet-report/1";
}

/// `cmnet-export/1`: a file for other inference engines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ExportedAnswer {
    /// The file.
    pub file: String,
    /// The number of factors in it.
    pub factors: usize,
}

impl Answer for ExportedAnswer {
    const FORMAT: &'static str = "cmnet-export/1";
}

/// `cmnet-import/1`: a model made of another engine's file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ImportedAnswer {
    /// The model file.
    pub file: String,
    /// The number of edges.
    pub edges: usize,
}

impl Answer for ImportedAnswer {
    const FORMAT: &'static str = "cmnet-import/1";
}

/// `cmnet-experiment/1`: the files of an experiment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ExperimentAnswer<'a> {
    /// Which experiment.
    pub experiment: String,
    /// The files that were written.
    pub files: Vec<&'a str>,
}

impl Answer for ExperimentAnswer<'_> {
    const FORMAT: &'static str = "cmnet-experiment/1";
}

/// `cmnet-sample/1`: rows drawn from a model.
#[derive(Debug, Serialize)]
pub struct SampledAnswer<'a> {
    /// The method that was used.
    pub method: String,
    /// Why that one.
    pub reason: &'a str,
    /// The seed.
    pub seed: u64,
    /// Levels that are given.
    pub given: Value,
    /// Weights of levels that are given.
    pub soft: Value,
    /// What exact inference costs.
    pub tree: TreeFacts,
    /// How far chains agree; null when rows are drawn exactly.
    pub approximation: Option<ChainFacts>,
    /// The variables.
    pub variables: Vec<&'a str>,
    /// The rows by labels.
    #[serde(serialize_with = "DrawnRows::serialize")]
    pub rows: DrawnRows<'a>,
}

/// What draws the rows of these numbers.
type Draw<'a> = Box<dyn Fn(Range<usize>) -> cmnet::Result<Vec<Vec<u32>>> + 'a>;

/// Rows by labels, drawn while they are written.
pub struct DrawnRows<'a> {
    schema: &'a Schema,
    draw: Draw<'a>,
    count: usize,
}

impl fmt::Debug for DrawnRows<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DrawnRows").field("count", &self.count).finish_non_exhaustive()
    }
}

impl<'a> DrawnRows<'a> {
    pub(super) fn by(schema: &'a Schema, draw: Draw<'a>, count: usize) -> Self {
        Self { schema, draw, count }
    }

    /// Rows drawn and written at a time.
    const CHUNK: usize = 1 << 16;

    pub(super) fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let label = |(v, level): (usize, u32)| names::label(self.schema, (v, level));
        let mut rows = serializer.serialize_seq(Some(self.count))?;
        for first in (0..self.count).step_by(Self::CHUNK) {
            let drawn = (self.draw)(first..self.count.min(first + Self::CHUNK));
            for row in drawn.map_err(serde::ser::Error::custom)? {
                rows.serialize_element(&row.into_iter().enumerate().map(label).collect::<Vec<&str>>())?;
            }
        }
        rows.end()
    }
}

impl Answer for SampledAnswer<'_> {
    const FORMAT: &'static str = "cmnet-sample/1";
}

impl<'a> SampledAnswer<'a> {
    /// The first `count` rows of a sampler by names, with the plan that it follows and what its
    /// chains say about themselves, where there are some.
    pub fn of(
        schema: &'a Schema,
        plan: &QueryPlan,
        chains: Option<&Gibbs>,
        sampler: &'a Sampler<'a>,
        count: usize,
    ) -> Self {
        Self {
            method: sampler.method().to_string(),
            reason: sampler.reason(),
            seed: sampler.seed(),
            given: names::given(schema, sampler.known()),
            soft: names::soft(schema, sampler.known()),
            tree: plan.into(),
            approximation: chains.map(ChainFacts::from),
            variables: schema.variables().iter().map(|variable| variable.name.as_str()).collect(),
            rows: DrawnRows::by(schema, Box::new(|numbers| sampler.rows(numbers)), count),
        }
    }
}
