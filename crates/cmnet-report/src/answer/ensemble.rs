//! Answers of an ensemble: means over the networks of resamples, and how far they spread.

use super::bootstrapped::{counted_edges, counted_elements};
use super::queried::{ChosenMethod, Information, JointDistribution, together};
use super::{Answer, names};
use cmnet::{
    Drawn, Edge, Ensemble, EnsembleAnswer, EnsembleConsensus, EnsembleNetwork, Evidence, ExactOptions, Joint,
    Result, Schema, Spread, Under, Var, context_records, edge_names,
};
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// How far a number spreads over the networks.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SpreadNumbers {
    /// The standard deviation over the networks; null of a single one.
    pub deviation: Option<f64>,
    /// The standard error for a table of as many rows as were resampled.
    pub error: Option<f64>,
    /// What 5 % and 95 % of the networks do not exceed.
    pub range: [f64; 2],
}

impl From<&Spread> for SpreadNumbers {
    fn from(spread: &Spread) -> Self {
        Self { deviation: spread.deviation, error: spread.error, range: spread.range }
    }
}

/// The mean of a number over the networks, and how far it spreads.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct MeanNumbers {
    /// The mean.
    pub mean: f64,
    /// Its spread.
    #[serde(flatten)]
    pub spread: SpreadNumbers,
}

impl From<&Spread> for MeanNumbers {
    fn from(spread: &Spread) -> Self {
        Self { mean: spread.mean, spread: SpreadNumbers::from(spread) }
    }
}

/// An ensemble in numbers.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EnsembleFacts {
    /// Networks.
    pub members: usize,
    /// Replicates that are no members, since their tables did not fit the memory.
    pub left_out: u64,
    /// Rows of the table.
    pub rows: u64,
    /// What determined the draws.
    pub seed: u64,
    /// How a resample was drawn.
    pub resample: String,
    /// Its rows as a share of those of the table.
    pub share: f64,
}

impl From<&Ensemble> for EnsembleFacts {
    fn from(ensemble: &Ensemble) -> Self {
        let Drawn { rows, seed, resample, share, .. } = ensemble.drawn();
        Self {
            members: ensemble.members().len(),
            left_out: ensemble.left_out(),
            rows: *rows,
            seed: *seed,
            resample: resample.to_string(),
            share: *share,
        }
    }
}

/// `cmnet-query/1` of an ensemble: the distribution of each target.
#[derive(Clone, Debug, Serialize)]
pub struct EnsembleMarginals<'a> {
    /// Mean probabilities by variable and level.
    pub marginals: Map<String, Value>,
    /// How far each of them spreads.
    pub spread: Map<String, Value>,
    /// The networks that answered.
    pub ensemble: EnsembleFacts,
    /// The method that was used.
    #[serde(flatten)]
    pub chosen: ChosenMethod,
    /// Levels that are given.
    pub given: Value,
    /// Weights of levels that are given.
    pub soft: Value,
    /// The logarithm of the mean probability of what is given.
    pub log_evidence: f64,
    /// None: evidence cuts edges of some networks and not of others.
    pub cut_edges: [[&'static str; 2]; 0],
    /// Null, since answers are exact.
    pub approximation: Option<f64>,
    /// The mean joint distribution of the targets, where that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub joint: Option<JointDistribution<'a>>,
    /// Entropies of that, where they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub information: Option<Information<'a>>,
}

impl Answer for EnsembleMarginals<'_> {
    const FORMAT: &'static str = "cmnet-query/1";
}

/// How every question to an ensemble is answered.
fn exactly(ensemble: &Ensemble) -> ChosenMethod {
    let reason = format!("the mean of the exact answers of {} networks", ensemble.members().len());
    ChosenMethod { method: "exact".to_owned(), reason }
}

impl<'a> EnsembleMarginals<'a> {
    /// The distributions that an ensemble answered with, given evidence.
    pub fn of(ensemble: &Ensemble, evidence: &Evidence, answer: &EnsembleAnswer) -> Self {
        let schema = ensemble.schema();
        let mean = |(v, spreads): &(Var, Vec<Spread>)| {
            let means: Vec<f64> = spreads.iter().map(|spread| spread.mean).collect();
            (schema.name(*v).to_owned(), names::by_level(schema, *v, &means))
        };
        let spread = |(v, spreads): &(Var, Vec<Spread>)| {
            let labels = schema.variable(*v).levels.iter().cloned();
            let numbers = spreads.iter().map(|spread| json!(SpreadNumbers::from(spread)));
            (schema.name(*v).to_owned(), Value::Object(labels.zip(numbers).collect()))
        };
        Self {
            marginals: answer.marginals.iter().map(mean).collect(),
            spread: answer.marginals.iter().map(spread).collect(),
            ensemble: EnsembleFacts::from(ensemble),
            chosen: exactly(ensemble),
            given: names::given(schema, evidence),
            soft: names::soft(schema, evidence),
            log_evidence: answer.log_evidence,
            cut_edges: [],
            approximation: None,
            joint: None,
            information: None,
        }
    }

    /// The same with the joint distribution of the targets, or what follows from it.
    #[must_use]
    pub fn with_joint(self, named: (&'a Schema, &'a [Var]), joint: &'a Joint, shown: (bool, bool)) -> Self {
        let (joint, information) = together(named, joint, &self.chosen, shown);
        Self { joint, information, ..self }
    }
}

/// The joint distribution of some variables that an ensemble answered with.
pub fn ensemble_joint<'a>(
    ensemble: &'a Ensemble,
    targets: &'a [Var],
    joint: &'a Joint,
) -> JointDistribution<'a> {
    JointDistribution::exact(ensemble.schema(), targets, joint, exactly(ensemble))
}

/// `cmnet-explain/1` of an ensemble: what its networks have in common, and how strong their edges are.
#[derive(Clone, Debug)]
pub struct ExplainedEnsemble<'a> {
    /// The ensemble that is explained.
    pub ensemble: &'a Ensemble,
    /// What is known.
    pub evidence: &'a Evidence,
    /// The share of the networks from which on an edge or element is in the consensus.
    pub threshold: f64,
    /// Edges and elements, and how many networks have them.
    pub consensus: EnsembleConsensus,
    /// How strong edges are given what is known, 0 in a network without the edge.
    pub strengths: BTreeMap<Edge, Option<Spread>>,
}

answer_by_json!(ExplainedEnsemble, "cmnet-explain/1");

impl<'a> ExplainedEnsemble<'a> {
    /// Explains an ensemble given evidence.
    ///
    /// # Errors
    /// As [`EnsembleNetwork::strengths`] and [`Ensemble::consensus`].
    pub fn of(
        (ensemble, network): (&'a Ensemble, &EnsembleNetwork),
        evidence: &'a Evidence,
        threshold: f64,
        exact: Under<'_, ExactOptions>,
    ) -> Result<Self> {
        let consensus = ensemble.consensus(threshold)?;
        let strengths = network.strengths(evidence, exact)?;
        Ok(Self { ensemble, evidence, threshold, consensus, strengths })
    }

    /// How strong an edge is; `None` where it is not known, or an end is given.
    pub fn strength(&self, edge: Edge) -> Option<Spread> {
        self.strengths.get(&edge).copied().flatten()
    }

    fn to_json(&self) -> Value {
        let (schema, found) = (self.ensemble.schema(), &self.consensus);
        let mut edges = counted_edges(schema, &found.edges);
        for (fields, known) in edges.as_array_mut().into_iter().flatten().zip(&found.edges) {
            fields["strength"] = json!(self.strength(known.edge).as_ref().map(MeanNumbers::from));
        }
        json!({
            "given": names::given(schema, self.evidence),
            "soft": names::soft(schema, self.evidence),
            "ensemble": EnsembleFacts::from(self.ensemble),
            "threshold": self.threshold,
            "edges": edges,
            "contexts": counted_elements(schema, &found.elements),
            "consensus": {"edges": edge_names(schema, &found.structure),
                "contexts": context_records(schema, &found.structure)},
        })
    }
}
