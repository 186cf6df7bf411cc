//! Answers to questions: distributions, most probable levels, entropies.

use super::Answer;
use super::approximation::{ChainFacts, ErrorFacts};
use super::names;
use cmnet::{Joint, JointAnswer, MapAnswer, MarginalAnswer, Query, QueryPlan, Schema, Var};
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

/// What exact inference costs or would cost, and what is held.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TreeFacts {
    /// Cells of all tables of the tree.
    pub cells: u64,
    /// Variables of its largest clique.
    pub largest_clique: usize,
    /// Cells of its largest table.
    pub largest_table: u64,
    /// Whether the numbers are lower bounds.
    pub at_least: bool,
    /// Bytes of the tables that are held.
    pub bytes: u64,
}

/// The method of an answer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ChosenMethod {
    /// The method that was used.
    pub method: String,
    /// Why that one.
    pub reason: String,
}

/// The method of an answer, and what is given.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Asked {
    /// The method.
    #[serde(flatten)]
    pub chosen: ChosenMethod,
    /// Levels that are given.
    pub given: Value,
    /// Weights of levels that are given.
    pub soft: Value,
}

/// What an answer took, and how far it may be off.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Work<'a> {
    /// Edges that the evidence cuts.
    pub cut_edges: Vec<[&'a str; 2]>,
    /// What exact inference costs.
    pub tree: TreeFacts,
    /// What is known about the error; null when the method is exact.
    pub approximation: Option<ErrorFacts>,
}

/// `cmnet-query/1`: the distribution of each target.
#[derive(Clone, Debug, Serialize)]
pub struct Marginals<'a> {
    /// Probabilities by variable and level.
    pub marginals: Map<String, Value>,
    /// The method that was used, and what is given.
    #[serde(flatten)]
    pub asked: Asked,
    /// The log-probability of what is given, where the method knows it.
    pub log_evidence: Option<f64>,
    /// What it took, and what is known about the error.
    #[serde(flatten)]
    pub work: Work<'a>,
    /// The joint distribution of the targets, where that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub joint: Option<JointDistribution<'a>>,
    /// Entropies, where they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub information: Option<Information<'a>>,
    /// Standard errors and intervals of the probabilities, where they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub intervals: Option<Map<String, Value>>,
}

/// The joint distribution of some variables.
#[derive(Clone, Debug, Serialize)]
pub struct JointDistribution<'a> {
    /// The variables.
    pub variables: Vec<&'a str>,
    /// One cell per configuration.
    #[serde(serialize_with = "JointCells::serialize")]
    pub cells: JointCells<'a>,
    /// The method that was used.
    #[serde(flatten)]
    pub chosen: ChosenMethod,
    /// What is known about the error; null when the method is exact.
    pub approximation: Option<ErrorFacts>,
}

/// The configurations of some variables with their probabilities, each made when it is written.
#[derive(Clone, Debug)]
pub struct JointCells<'a> {
    schema: &'a Schema,
    targets: &'a [Var],
    joint: &'a Joint,
}

/// A configuration and its probability.
#[derive(Serialize)]
struct JointCell<'a> {
    levels: Vec<&'a str>,
    probability: f64,
}

impl JointCells<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.joint.iter().map(|(levels, probability)| {
            let known = self.targets.iter().copied().zip(levels);
            JointCell { levels: known.map(|known| names::label(self.schema, known)).collect(), probability }
        }))
    }
}

/// Entropies and mutual information in nats, all from one joint distribution.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Information<'a> {
    /// The entropy of the variables together.
    pub joint_entropy: f64,
    /// The entropy of each variable.
    #[serde(serialize_with = "as_map")]
    pub entropy: Vec<(&'a str, f64)>,
    /// The mutual information of each pair.
    pub mutual_information: Vec<MutualInformation<'a>>,
}

fn as_map<S: Serializer>(pairs: &[(&str, f64)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(pairs.iter().copied())
}

/// The mutual information of two variables.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MutualInformation<'a> {
    /// The two variables.
    pub pair: [&'a str; 2],
    /// Their mutual information.
    pub nats: f64,
}

/// `cmnet-query/1` with `--map`: the most probable levels together.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MostProbable<'a> {
    /// Levels by variable.
    pub map: Map<String, Value>,
    /// Whether nothing can be more probable.
    pub proven: bool,
    /// How much larger the log weight of other levels may be; null where no bound is known.
    pub gap: Option<f64>,
    /// The log-probability of the levels given the evidence, where a tree has it.
    pub log_probability: Option<f64>,
    /// The log weight of the levels.
    pub log_weight: Option<f64>,
    /// The method that was used, and what is given.
    #[serde(flatten)]
    pub asked: Asked,
    /// What it took, and what is known about the error.
    #[serde(flatten)]
    pub work: Work<'a>,
}

impl Answer for Marginals<'_> {
    const FORMAT: &'static str = "cmnet-query/1";
}

impl Answer for MostProbable<'_> {
    const FORMAT: &'static str = "cmnet-query/1";
}

impl From<&QueryPlan> for TreeFacts {
    fn from(plan: &QueryPlan) -> Self {
        let cost = plan.cost;
        Self {
            cells: cost.cells,
            largest_clique: cost.width,
            largest_table: cost.largest,
            at_least: cost.at_least,
            bytes: plan.bytes,
        }
    }
}

impl From<&QueryPlan> for ChosenMethod {
    fn from(plan: &QueryPlan) -> Self {
        Self { method: plan.method.to_string(), reason: plan.reason.clone() }
    }
}

impl Asked {
    fn of(query: &Query<'_>, plan: &QueryPlan) -> Self {
        let (schema, evidence) = (query.network().schema(), query.known());
        let (given, soft) = (names::given(schema, evidence), names::soft(schema, evidence));
        Self { chosen: plan.into(), given, soft }
    }
}

impl<'a> Work<'a> {
    fn of(query: &'a Query<'_>, plan: &QueryPlan, approximation: Option<ErrorFacts>) -> Self {
        let cut_edges = names::edges(query.network().schema(), &query.cut_edges());
        Self { cut_edges, tree: plan.into(), approximation }
    }
}

impl<'a> Marginals<'a> {
    /// The distributions that a query was answered with.
    pub fn of(query: &'a Query<'_>, answer: &MarginalAnswer) -> Self {
        let schema = query.network().schema();
        let distribution =
            |(v, p): &(Var, Vec<f64>)| (schema.name(*v).to_owned(), names::by_level(schema, *v, p));
        Self {
            marginals: answer.marginals.iter().map(distribution).collect(),
            asked: Asked::of(query, &answer.plan),
            log_evidence: answer.log_evidence,
            work: Work::of(query, &answer.plan, answer.approximation.as_ref().map(ErrorFacts::from)),
            joint: None,
            information: None,
            intervals: None,
        }
    }
}

impl<'a> JointDistribution<'a> {
    /// The joint distribution of these variables that is exact.
    pub fn exact(schema: &'a Schema, targets: &'a [Var], joint: &'a Joint, chosen: ChosenMethod) -> Self {
        let variables = targets.iter().map(|&v| schema.name(v)).collect();
        let cells = JointCells { schema, targets, joint };
        Self { variables, cells, chosen, approximation: None }
    }

    /// The joint distribution of these variables that a network answered with.
    pub fn of(schema: &'a Schema, targets: &'a [Var], answer: &'a JointAnswer) -> Self {
        Self {
            variables: targets.iter().map(|&v| schema.name(v)).collect(),
            cells: JointCells { schema, targets, joint: &answer.joint },
            chosen: (&answer.plan).into(),
            approximation: answer.approximation.as_ref().map(ErrorFacts::from),
        }
    }
}

/// The exact joint distribution of some variables, and what follows from it, where they are to be shown.
pub(super) fn together<'a>(
    (schema, targets): (&'a Schema, &'a [Var]),
    joint: &'a Joint,
    chosen: &ChosenMethod,
    (shown, information): (bool, bool),
) -> (Option<JointDistribution<'a>>, Option<Information<'a>>) {
    let cells = || JointDistribution::exact(schema, targets, joint, chosen.clone());
    (shown.then(cells), information.then(|| Information::of(schema, targets, joint)))
}

impl<'a> Information<'a> {
    /// What a joint distribution of these variables says.
    pub fn of(schema: &'a Schema, targets: &[Var], joint: &Joint) -> Self {
        let alone: Vec<f64> = targets.iter().map(|&v| joint.marginal(&[v]).entropy()).collect();
        let named = targets.iter().zip(&alone).map(|(&v, &entropy)| (schema.name(v), entropy));
        let mut pairs = Vec::new();
        for (place, &one) in targets.iter().enumerate() {
            for (later, &other) in targets.iter().enumerate().skip(place + 1) {
                let both = joint.marginal(&[one, other]).entropy();
                let nats = (alone[place] + alone[later] - both).max(0.0);
                pairs.push(MutualInformation { pair: [schema.name(one), schema.name(other)], nats });
            }
        }
        Self { joint_entropy: joint.entropy(), entropy: named.collect(), mutual_information: pairs }
    }
}

impl<'a> MostProbable<'a> {
    /// The levels that a query was answered with.
    pub fn of(query: &'a Query<'_>, found: &MapAnswer) -> Self {
        let schema = query.network().schema();
        let label =
            |&known: &(Var, u32)| (schema.name(known.0).to_owned(), names::label(schema, known).into());
        let approximation = match (&found.climb, &found.visits) {
            (Some(climb), _) => Some(ErrorFacts::Climbs(climb.into())),
            (_, Some((share, gibbs))) => {
                Some(ErrorFacts::Chains(ChainFacts { share: Some(*share), ..gibbs.into() }))
            }
            _ => None,
        };
        Self {
            map: found.levels.iter().map(label).collect(),
            proven: found.is_proven(),
            gap: found.gap,
            log_probability: found.log_probability,
            log_weight: found.log_weight,
            asked: Asked::of(query, &found.plan),
            work: Work::of(query, &found.plan, approximation),
        }
    }
}
