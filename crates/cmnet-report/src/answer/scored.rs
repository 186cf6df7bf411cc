//! The score of a structure, and the referee's word on a model.

use super::{Answer, names};
use cmnet::{Alpha, ContextPrior, Nats, Schema, ScoreTest, StructureScore};
use serde::Serialize;
use serde_json::{Map, Value, json};

/// `cmnet-score/1`: the score of a structure, node by node.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ScoredAnswer<'a> {
    /// kappa as it was asked for.
    pub kappa: String,
    /// Its logarithm; null where it is minus infinity.
    pub log_kappa: Option<f64>,
    /// The pseudo-counts of the local priors.
    pub alpha: f64,
    /// The prior of graphs; absent where it is uniform.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edge_prior: Option<String>,
    /// The score of each variable.
    pub nodes: Vec<NodeScore<'a>>,
    /// Their sum, the log marginal pseudo-likelihood.
    pub log_mpl: f64,
    /// The log prior; null where the prior forbids the structure.
    pub log_prior: Option<f64>,
    /// Their sum.
    pub score: Option<f64>,
}

/// log p(x_j | x_mb(j), C(j)).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NodeScore<'a> {
    /// The variable.
    pub name: &'a str,
    /// Its score.
    pub score: f64,
}

impl Answer for ScoredAnswer<'_> {
    const FORMAT: &'static str = "cmnet-score/1";
}

impl<'a> ScoredAnswer<'a> {
    /// The score of a structure over these variables.
    pub fn of(schema: &'a Schema, prior: &ContextPrior, alpha: Alpha, score: &StructureScore) -> Self {
        let nodes = schema.variables().iter().zip(&score.nodes);
        Self {
            kappa: prior.kappa().to_string(),
            log_kappa: prior.log_kappa().map(Nats::to_f64),
            alpha: alpha.to_f64(),
            edge_prior: (!prior.edges().is_uniform()).then(|| prior.edges().to_string()),
            nodes: nodes
                .map(|(variable, node)| NodeScore { name: &variable.name, score: node.to_f64() })
                .collect(),
            log_mpl: score.log_mpl.to_f64(),
            log_prior: score.log_prior.map(Nats::to_f64),
            score: score.total().map(Nats::to_f64),
        }
    }
}

/// `cmnet-check/1`: what the referee found. `P` is what it found about the parameters.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CheckedAnswer<'a, P> {
    /// Whether it agrees.
    pub agrees: bool,
    /// The score by the referee.
    pub score: f64,
    /// Whether the structure is a local optimum; null where that was not examined.
    pub locally_optimal: Option<bool>,
    /// Whether the structure is regular.
    pub regular: bool,
    /// The score by the learner.
    pub learner_score: Option<f64>,
    /// The score in the model file.
    pub recorded_score: Option<f64>,
    /// Whether the table is the one learned from.
    pub same_data: Option<bool>,
    /// Whether the recorded search, made once more, ends at this structure; null where it was not made.
    pub search_repeated: Option<bool>,
    /// What the file records about learning and is not so, in words.
    pub wrong_records: &'a [String],
    /// What was found about the parameters.
    pub parameters: Option<P>,
    /// The better structure in words, where there is one.
    pub finding: Option<String>,
    /// Score tests of edges and context elements, where they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tests: Option<Value>,
}

/// Score tests by names.
pub fn tests(schema: &Schema, tests: &[ScoreTest]) -> Value {
    let one = |test: &ScoreTest| {
        let given = test.element.as_ref().map(|(_, given)| {
            let level = |&known: &(usize, u32)| {
                (schema.name(known.0).to_owned(), Value::from(names::label(schema, known)))
            };
            given.iter().map(level).collect::<Map<_, _>>()
        });
        json!({"edge": names::edge(schema, test.edge), "given": given, "statistic": test.statistic,
            "degrees": test.degrees, "p_value": test.p_value, "adjusted": test.adjusted})
    };
    tests.iter().map(one).collect()
}

impl<P: Serialize> Answer for CheckedAnswer<'_, P> {
    const FORMAT: &'static str = "cmnet-check/1";
}
