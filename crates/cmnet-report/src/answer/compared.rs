//! What one model has and another has not.

use super::names;
use cmnet::{
    ContextElement, Control, Dataset, Difference, Error, ErrorKind, FitOptions, Model, Result, Schema, Terms,
    difference_under, divergence_under, evaluate_under,
};
use serde_json::{Value, json};

/// Two models of the same variables, compared after closure.
#[derive(Clone, Debug)]
pub struct Compared<'a> {
    /// The variables of both.
    pub schema: &'a Schema,
    /// Edges and context elements.
    pub difference: Difference,
    /// KL(first || second) in nats and KL(second || first), where both are
    /// fitted and it can be had.
    pub kl: [Option<f64>; 2],
    /// Mean log-likelihood per row of both, where rows are given.
    pub log_likelihood: Option<[Option<f64>; 2]>,
}

answer_by_json!(Compared, "cmnet-compare/1");

impl<'a> Compared<'a> {
    /// Compares two models of the same variables, also on rows where some are given.
    ///
    /// # Errors
    /// When the variables differ, naming the first difference; and as [`cmnet::difference`].
    pub fn of(one: &'a Model, other: &Model, rows: Option<&Dataset>) -> Result<Self> {
        Self::under(one, other, rows, &())
    }

    /// As [`Compared::of`], under a control that may stop it.
    ///
    /// # Errors
    /// As [`Compared::of`]; when the control asks to stop.
    pub fn under(
        one: &'a Model,
        other: &Model,
        rows: Option<&Dataset>,
        control: &dyn Control,
    ) -> Result<Self> {
        if let Some(first) = one.schema().first_difference(other.schema()) {
            let problem = format!("the two models do not match: {first}");
            return Err(Error::mismatch(problem, "compare models of one table"));
        }
        // The comparison itself knows no names; a clique that is too large should have them.
        for model in [one, other] {
            Terms::new(model.structure(), Some(model.schema()))?;
        }
        let mean = |model: &Model, rows: &Dataset| {
            let found =
                model.normalized_fit_under(control).and_then(|fit| evaluate_under(&fit, rows, control));
            Ok::<_, Error>(unless_stopped(found)?.and_then(|found| found.log_likelihood))
        };
        Ok(Self {
            schema: one.schema(),
            difference: difference_under(one.structure(), other.structure(), control)?,
            kl: [kl_divergence(one, other, control)?, kl_divergence(other, one, control)?],
            log_likelihood: rows
                .map(|rows| Ok::<_, Error>([mean(one, rows)?, mean(other, rows)?]))
                .transpose()?,
        })
    }

    /// All of it by names.
    fn to_json(&self) -> Value {
        let found = &self.difference;
        let element = |element: &ContextElement| {
            let given = element.given.iter();
            json!({"edge": names::edge(self.schema, element.edge),
                "given": given.clone().map(|&(variable, _)| self.schema.name(variable)).collect::<Value>(),
                "element": given.map(|&known| names::label(self.schema, known)).collect::<Value>()})
        };
        let only = |place: usize| {
            json!({"edges": names::edges(self.schema, &found.edges[place]),
                "elements": found.elements[place].iter().map(element).collect::<Value>()})
        };
        json!({"same_model": found.is_empty(),
            "shared": {"edges": found.shared_edges, "elements": found.shared_elements},
            "first_only": only(0), "second_only": only(1), "kl": self.kl,
            "log_likelihood": self.log_likelihood})
    }
}

fn kl_divergence(one: &Model, other: &Model, control: &dyn Control) -> Result<Option<f64>> {
    let (Some(one), Some(other)) = (one.fit(), other.fit()) else { return Ok(None) };
    let memory = FitOptions::default().memory;
    unless_stopped(divergence_under(&one.parameters, &other.parameters, memory, control))
}

/// What the answer can do without, where it cannot be had; a stop is no such place.
fn unless_stopped<T>(found: Result<T>) -> Result<Option<T>> {
    match found {
        Err(error) if matches!(error.kind(), ErrorKind::Stopped(_)) => Err(error),
        found => Ok(found.ok()),
    }
}
