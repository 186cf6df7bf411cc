//! Standard errors and intervals of what a fitted model says.

use super::fitted::term_text;
use super::names;
use cmnet::{
    Control, CountSource, Edge, EdgeEffect, ErrorKind, Evidence, Model, Precision, Quantity, Remedy, Result,
    Schema, Term, Var,
};
use serde_json::{Map, Value, json};

/// An edge with its strength and its odds ratios.
#[derive(Clone, Debug)]
pub struct EdgeIntervals {
    /// The edge.
    pub edge: Edge,
    /// The information in nats that its ends share given everything else; `None` when that takes
    /// too large a table.
    pub strength: Option<Quantity>,
    /// Its log odds ratios in each configuration of the common neighbours; `None` when there are
    /// too many.
    pub effects: Option<Vec<EdgeEffect>>,
}

/// The precision of all numbers of a model.
#[derive(Clone, Debug)]
pub struct Intervals {
    /// The edges, in column order.
    pub edges: Vec<EdgeIntervals>,
    /// The terms of the log-linear form.
    pub terms: Vec<(Term, Quantity)>,
}

impl Intervals {
    /// The precision of a fitted model; the counts are those of its table, and maximum likelihood
    /// estimates do without.
    ///
    /// # Errors
    /// When the model has no parameters, and as [`Precision::new`].
    pub fn of(model: &Model, counts: Option<&dyn CountSource>, control: &dyn Control) -> Result<Self> {
        let precision = precision(model, counts, control)?;
        let edge = |edge: Edge| {
            Ok(EdgeIntervals {
                edge,
                strength: within_limits(precision.strength(edge, control))?.flatten(),
                effects: within_limits(precision.effects(edge, control))?,
            })
        };
        Ok(Self {
            edges: model.structure().graph().edges().map(edge).collect::<Result<_>>()?,
            terms: precision.terms(control)?,
        })
    }

    /// All of it by names.
    pub fn to_json(&self, schema: &Schema) -> Value {
        let edge = |known: &EdgeIntervals| {
            let effects = known.effects.as_ref();
            json!({"edge": names::edge(schema, known.edge), "strength": known.strength.map(quantity),
                "effects": effects.map(|all| all.iter().map(|one| effect(schema, one)).collect::<Value>())})
        };
        let term = |(term, known): &(Term, Quantity)| {
            let mut fields = quantity(*known);
            fields["term"] = json!(term_text(schema, term));
            fields
        };
        json!({"edges": self.edges.iter().map(edge).collect::<Value>(),
            "terms": self.terms.iter().map(term).collect::<Value>()})
    }
}

/// The precision of a model's fit.
fn precision<'a>(
    model: &'a Model,
    counts: Option<&'a dyn CountSource>,
    control: &dyn Control,
) -> Result<Precision<'a>> {
    let no_parameters = || {
        cmnet::Error::question("the model has no parameters, only a structure", Remedy::EstimateParameters)
    };
    Precision::new(model.structure(), model.fit().ok_or_else(no_parameters)?, counts, control)
}

/// What the answer can do without, where it is too large.
fn within_limits<T>(found: Result<T>) -> Result<Option<T>> {
    match found {
        Err(error) if matches!(error.kind(), ErrorKind::Limit(_)) => Ok(None),
        found => found.map(Some),
    }
}

/// A number with its standard error and interval; null where the data do not bound it.
pub fn quantity(known: Quantity) -> Value {
    json!({"value": known.value, "error": known.error, "interval": known.interval})
}

/// The dependence in one configuration.
fn effect(schema: &Schema, effect: &EdgeEffect) -> Value {
    let level = |&known: &(Var, u32)| (schema.name(known.0).to_owned(), json!(names::label(schema, known)));
    let (low, high) = effect.edge.ends();
    let pair = |pair: &cmnet::PairEffect| {
        let mut fields = quantity(pair.log_odds_ratio);
        let (one, other) = pair.levels;
        fields["levels"] = json!([names::label(schema, (low, one)), names::label(schema, (high, other))]);
        fields
    };
    let wald = effect
        .wald
        .map(|wald| json!({"statistic": wald.statistic, "degrees": wald.degrees, "p_value": wald.p_value}));
    json!({"given": effect.given.iter().map(level).collect::<Map<_, _>>(), "cut": effect.cut,
        "log_odds_ratios": effect.pairs.iter().map(pair).collect::<Value>(), "wald": wald})
}

/// The distributions of some variables given evidence, with intervals.
pub type Distributions = Vec<(Var, Vec<Quantity>)>;

/// The distributions of some variables given evidence, with intervals.
///
/// # Errors
/// When the model has no parameters, and as [`Precision::probabilities`].
pub fn probabilities(
    model: &Model,
    counts: Option<&dyn CountSource>,
    (targets, evidence): (&[Var], &Evidence),
    control: &dyn Control,
) -> Result<Distributions> {
    let precision = precision(model, counts, control)?;
    let one = |&target: &Var| Ok((target, precision.probabilities(target, evidence, control)?));
    targets.iter().map(one).collect()
}

/// The same by name and level.
pub fn by_level(schema: &Schema, found: &Distributions) -> Map<String, Value> {
    let one = |(target, levels): &(Var, Vec<Quantity>)| {
        let labels = schema.variable(*target).levels.iter().cloned();
        let by_level: Map<String, Value> = labels.zip(levels.iter().map(|&level| quantity(level))).collect();
        (schema.name(*target).to_owned(), Value::Object(by_level))
    };
    found.iter().map(one).collect()
}
