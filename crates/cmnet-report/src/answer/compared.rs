//! What one model has and another has not.

use super::names;
use cmnet::{
    ContextElement, Dataset, Difference, Error, FitOptions, Model, Result, Schema, Terms, difference,
    divergence, evaluate,
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
    /// When the variables differ, naming the first difference; and as [`difference()`].
    pub fn of(one: &'a Model, other: &Model, rows: Option<&Dataset>) -> Result<Self> {
        if let Some(first) = one.schema().first_difference(other.schema()) {
            let problem = format!("the two models do not match: {first}");
            return Err(Error::mismatch(problem, "compare models of one table"));
        }
        // The comparison itself knows no names; a clique that is too large should have them.
        for model in [one, other] {
            Terms::new(model.structure(), Some(model.schema()))?;
        }
        let mean = |model: &Model, rows| evaluate(&model.normalized_fit().ok()?, rows).log_likelihood;
        Ok(Self {
            schema: one.schema(),
            difference: difference(one.structure(), other.structure())?,
            kl: [kl_divergence(one, other), kl_divergence(other, one)],
            log_likelihood: rows.map(|rows| [mean(one, rows), mean(other, rows)]),
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

fn kl_divergence(one: &Model, other: &Model) -> Option<f64> {
    let (one, other) = (one.fit()?, other.fit()?);
    divergence(&one.parameters, &other.parameters, FitOptions::default().memory).ok()
}
