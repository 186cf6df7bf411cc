//! Answers of an ensemble: means over the networks of resamples, and how far they spread.

use super::queried::ChosenMethod;
use super::{Answer, names};
use cmnet::{Drawn, Ensemble, EnsembleAnswer, Evidence, Spread, Var};
use serde::Serialize;
use serde_json::{Map, Value, json};

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
pub struct EnsembleMarginals {
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
}

impl Answer for EnsembleMarginals {
    const FORMAT: &'static str = "cmnet-query/1";
}

impl EnsembleMarginals {
    /// The distributions that an ensemble answered with, given evidence.
    pub fn of(ensemble: &Ensemble, evidence: &Evidence, answer: &EnsembleAnswer) -> Self {
        let schema = ensemble.schema();
        let reason = format!("the mean of the exact answers of {} networks", ensemble.members().len());
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
            chosen: ChosenMethod { method: "exact".to_owned(), reason },
            given: names::given(schema, evidence),
            soft: names::soft(schema, evidence),
            log_evidence: answer.log_evidence,
            cut_edges: [],
            approximation: None,
        }
    }
}
