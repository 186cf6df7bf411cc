//! Answers of a mixture: distributions, most probable levels, rows, and what its classes are like.

use super::queried::{ChosenMethod, Information, JointDistribution, together};
use super::written::DrawnRows;
use super::{Answer, names};
use crate::sentence;
use cmnet::{
    ClassChances, ClassEdge, Edge, Evidence, ExactOptions, Joint, Mixture, MixtureAnswer, MixtureMaximum,
    MixtureNetwork, MixtureSampler, Result, Schema, Under, Var, class_edges,
};
use serde::Serialize;
use serde_json::{Map, Value, json};

/// How every question to a mixture is answered.
fn exactly(classes: usize) -> ChosenMethod {
    let reason = format!("the mixture of the exact answers of {classes} networks");
    ChosenMethod { method: "exact".to_owned(), reason }
}

/// `cmnet-query/1` of a mixture: the distribution of each target.
#[derive(Clone, Debug, Serialize)]
pub struct MixtureMarginals<'a> {
    /// Probabilities by variable and level.
    pub marginals: Map<String, Value>,
    /// The method that was used.
    #[serde(flatten)]
    pub chosen: ChosenMethod,
    /// Levels that are given.
    pub given: Value,
    /// Weights of levels that are given.
    pub soft: Value,
    /// The log-probability of what is given.
    pub log_evidence: f64,
    /// The chance of each class given that.
    pub classes: Vec<f64>,
    /// None: evidence cuts edges of some networks and not of others.
    pub cut_edges: [[&'static str; 2]; 0],
    /// Null, since answers are exact.
    pub approximation: Option<f64>,
    /// The joint distribution of the targets, where that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub joint: Option<JointDistribution<'a>>,
    /// Entropies, where they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub information: Option<Information<'a>>,
}

impl Answer for MixtureMarginals<'_> {
    const FORMAT: &'static str = "cmnet-query/1";
}

impl<'a> MixtureMarginals<'a> {
    /// The distributions that a mixture answered with, given evidence.
    pub fn of(schema: &Schema, evidence: &Evidence, answer: &MixtureAnswer) -> Self {
        let distribution =
            |(v, p): &(Var, Vec<f64>)| (schema.name(*v).to_owned(), names::by_level(schema, *v, p));
        Self {
            marginals: answer.marginals.iter().map(distribution).collect(),
            chosen: exactly(answer.classes.chances.len()),
            given: names::given(schema, evidence),
            soft: names::soft(schema, evidence),
            log_evidence: answer.classes.log_evidence,
            classes: answer.classes.chances.clone(),
            cut_edges: [],
            approximation: None,
            joint: None,
            information: None,
        }
    }

    /// The same with the joint distribution of the targets, or what follows from it.
    #[must_use]
    pub fn with_joint(
        self,
        schema: &'a Schema,
        targets: &'a [Var],
        joint: &'a Joint,
        shown: (bool, bool),
    ) -> Self {
        let (joint, information) = together((schema, targets), joint, &self.chosen, shown);
        Self { joint, information, ..self }
    }
}

/// `cmnet-query/1` of a mixture with `--map`: the most probable levels together.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MixtureMostProbable {
    /// Levels by variable.
    pub map: Map<String, Value>,
    /// Whether nothing can be more probable.
    pub proven: bool,
    /// How much larger the log-probability of other levels may be.
    pub gap: f64,
    /// The log-probability of the levels given the evidence.
    pub log_probability: f64,
    /// Null: a mixture has no terms whose sum it would be.
    pub log_weight: Option<f64>,
    /// Branches that were looked at.
    pub branches: usize,
    /// The method that was used.
    #[serde(flatten)]
    pub chosen: ChosenMethod,
    /// Levels that are given.
    pub given: Value,
    /// Weights of levels that are given.
    pub soft: Value,
}

impl Answer for MixtureMostProbable {
    const FORMAT: &'static str = "cmnet-query/1";
}

impl MixtureMostProbable {
    /// The levels that a mixture answered with, given evidence.
    pub fn of(network: &MixtureNetwork, evidence: &Evidence, found: &MixtureMaximum) -> Self {
        let schema = network.schema();
        let label =
            |&known: &(Var, u32)| (schema.name(known.0).to_owned(), names::label(schema, known).into());
        Self {
            map: found.levels.iter().map(label).collect(),
            proven: found.is_proven(),
            gap: found.gap,
            log_probability: found.log_probability,
            log_weight: None,
            branches: found.branches,
            chosen: exactly(network.networks().len()),
            given: names::given(schema, evidence),
            soft: names::soft(schema, evidence),
        }
    }
}

/// `cmnet-sample/1` of a mixture: rows drawn from it.
#[derive(Debug, Serialize)]
pub struct MixtureSampled<'a> {
    /// The method that was used.
    #[serde(flatten)]
    pub chosen: ChosenMethod,
    /// The seed.
    pub seed: u64,
    /// Levels that are given.
    pub given: Value,
    /// Weights of levels that are given.
    pub soft: Value,
    /// The chance of each class given that.
    pub classes: Vec<f64>,
    /// The variables.
    pub variables: Vec<&'a str>,
    /// The rows by labels.
    #[serde(serialize_with = "DrawnRows::serialize")]
    pub rows: DrawnRows<'a>,
}

impl Answer for MixtureSampled<'_> {
    const FORMAT: &'static str = "cmnet-sample/1";
}

impl<'a> MixtureSampled<'a> {
    /// The first `count` rows of a sampler by names, drawn given evidence.
    pub fn of(
        schema: &'a Schema,
        evidence: &Evidence,
        sampler: &'a MixtureSampler<'a>,
        count: usize,
    ) -> Self {
        Self {
            chosen: exactly(sampler.classes().chances.len()),
            seed: sampler.seed(),
            given: names::given(schema, evidence),
            soft: names::soft(schema, evidence),
            classes: sampler.classes().chances.clone(),
            variables: schema.variables().iter().map(|variable| variable.name.as_str()).collect(),
            rows: DrawnRows::by(schema, Box::new(|numbers| sampler.rows(numbers)), count),
        }
    }
}

/// A level that a class has more or less often than the whole.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trait {
    /// The variable and the level.
    pub level: (Var, u32),
    /// Its probability in the class.
    pub here: f64,
    /// Its probability in the mixture.
    pub whole: f64,
}

/// `cmnet-explain/1` of a mixture: what its classes are like and what edges they have.
#[derive(Clone, Debug)]
pub struct ExplainedMixture<'a> {
    /// The mixture that is explained.
    pub mixture: &'a Mixture,
    /// What is known.
    pub evidence: &'a Evidence,
    /// The chances of the classes given that.
    pub classes: ClassChances,
    /// For each class the levels that tell it from the others, the most telling first.
    pub traits: Vec<Vec<Trait>>,
    /// Every edge with the classes that have it.
    pub edges: Vec<ClassEdge>,
}

answer_by_json!(ExplainedMixture, "cmnet-explain/1");

/// Levels that are told of each class.
const MOST_TRAITS: usize = 8;

impl<'a> ExplainedMixture<'a> {
    /// Explains a mixture given evidence.
    ///
    /// # Errors
    /// As [`MixtureNetwork::marginals`].
    pub fn of(mixture: &'a Mixture, evidence: &'a Evidence, exact: Under<'_, ExactOptions>) -> Result<Self> {
        let network = mixture.network()?;
        let classes = network.classes(evidence, exact)?;
        let traits = traits(&network, evidence, exact)?;
        Ok(Self { mixture, evidence, classes, traits, edges: class_edges(mixture) })
    }

    /// The edges that only some classes have.
    pub fn partial(&self) -> impl Iterator<Item = &ClassEdge> {
        let all = self.mixture.components().len();
        self.edges.iter().filter(move |edge| edge.classes.len() < all)
    }

    /// Which classes lack an edge, in words like those of a context: `a and b are independent in class 2, given
    /// their other neighbours`.
    pub fn sentence(&self, schema: &Schema, edge: &ClassEdge) -> String {
        let lacking: Vec<usize> =
            (0..self.mixture.components().len()).filter(|class| !edge.classes.contains(class)).collect();
        let [one, other] = names::edge(schema, edge.edge);
        let (inside, outside) = (in_classes(&edge.classes), in_classes(&lacking));
        format!("{one} and {other} depend directly on each other in {inside} and not in {outside}")
    }

    fn to_json(&self) -> Value {
        let schema = self.mixture.schema();
        let edges = |edge: &ClassEdge| {
            let classes: Vec<usize> = edge.classes.iter().map(|class| class + 1).collect();
            json!({"edge": names::edge(schema, edge.edge), "classes": classes,
                "in_all": edge.classes.len() == self.mixture.components().len()})
        };
        let class = |(place, component): (usize, &cmnet::Component)| {
            let structure = component.model.structure();
            let own: Vec<Edge> = structure.graph().edges().collect();
            let contexts: Vec<String> =
                structure.contexts().map(|context| sentence(schema, context)).collect();
            let level = |one: &Trait| {
                json!({"variable": schema.name(one.level.0), "level": names::label(schema, one.level),
                    "probability": one.here, "in_all": one.whole})
            };
            json!({"class": place + 1, "weight": component.weight,
                "chance": self.classes.chances[place], "edges": names::edges(schema, &own),
                "contexts": contexts, "traits": self.traits[place].iter().map(level).collect::<Value>()})
        };
        json!({
            "given": names::given(schema, self.evidence),
            "soft": names::soft(schema, self.evidence),
            "log_evidence": self.classes.log_evidence,
            "classes": self.mixture.components().iter().enumerate().map(class).collect::<Value>(),
            "edges": self.edges.iter().map(edges).collect::<Value>(),
        })
    }
}

/// `class 2`, `classes 1 and 3`, `classes 1, 3 and 4`.
pub fn in_classes(classes: &[usize]) -> String {
    let names: Vec<String> = classes.iter().map(|class| (class + 1).to_string()).collect();
    match names.split_last() {
        Some((last, [])) => format!("class {last}"),
        Some((last, rest)) => format!("classes {} and {last}", rest.join(", ")),
        None => "no class".to_owned(),
    }
}

/// The levels of each class whose probability differs most from that in the mixture; of two levels of a
/// variable the one that the class has more often.
fn traits(
    network: &MixtureNetwork,
    evidence: &Evidence,
    exact: Under<'_, ExactOptions>,
) -> Result<Vec<Vec<Trait>>> {
    let free: Vec<Var> = (0..network.schema().len()).filter(|&v| evidence.level(v).is_none()).collect();
    if free.is_empty() {
        return Ok(vec![Vec::new(); network.networks().len()]);
    }
    let whole = network.marginals(&free, evidence, exact)?.marginals;
    let of_class = |one: &cmnet::Network| {
        let posterior = one.posterior(evidence, exact)?;
        let mut found: Vec<Trait> = Vec::new();
        for (v, all) in &whole {
            let own = posterior.marginal(*v);
            let levels = (0u32..).zip(own.iter().zip(all));
            let most = levels.max_by(|one, other| (one.1.0 - one.1.1).total_cmp(&(other.1.0 - other.1.1)));
            found.extend(most.map(|(level, (&here, &whole))| Trait { level: (*v, level), here, whole }));
        }
        found.sort_by(|one, other| (other.here - other.whole).total_cmp(&(one.here - one.whole)));
        found.truncate(MOST_TRAITS);
        Ok(found)
    };
    network.networks().iter().map(of_class).collect()
}
