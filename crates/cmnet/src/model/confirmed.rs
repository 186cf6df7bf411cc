//! What a table says about the context elements of a model that were confirmed by it.

use crate::data::Schema;
use crate::error::{Error, Result, quoted};
use crate::graph::Edge;
use crate::precision::ElementEffect;
use crate::structure::Structure;
use crate::table::Cell;
use std::collections::BTreeMap;

/// The context elements of a model whose contexts were confirmed, each with its effect: see
/// [`crate::ContextChoice::Confirmed`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Confirmed {
    /// Configurations of common neighbours that were tested, one by one for each edge.
    pub tested: usize,
    /// The elements that are left.
    pub elements: BTreeMap<(Edge, Cell), ElementEffect>,
    /// Edges of the search that were left out, since there is probably no dependence in any configuration.
    pub removed: Vec<Edge>,
}

impl Confirmed {
    /// Whether the effects are those of a structure, one for each element, and possible numbers.
    pub(crate) fn check(&self, schema: &Schema, structure: &Structure) -> Result<()> {
        let refused = |problem: String| Err(Error::mismatch(problem, "learn the model again"));
        let mut elements = structure.contexts().flat_map(|c| c.elements().map(|cell| (c.edge(), cell)));
        if let Some((edge, _)) = elements.find(|element| !self.elements.contains_key(element)) {
            let [low, high] = [edge.low(), edge.high()].map(|v| quoted(schema.name(v)));
            return refused(format!("a context element of {low} - {high} has no effect"));
        }
        if self.elements.len() != structure.context_elements() {
            return refused("there is an effect of a context element that the model has not".to_owned());
        }
        if self.tested < self.elements.len() {
            return refused(format!("{} elements are left of {} tested", self.elements.len(), self.tested));
        }
        if let Some(&edge) = self.removed.iter().find(|&&edge| structure.graph().contains(edge)) {
            let [low, high] = [edge.low(), edge.high()].map(|v| quoted(schema.name(v)));
            return refused(format!("{low} - {high} is an edge of the model, and was left out"));
        }
        let share = |value: f64| (0.0..=1.0).contains(&value);
        let possible = |effect: &ElementEffect| {
            let ratio = effect
                .log_odds_ratio
                .is_none_or(|(value, error)| value.is_finite() && error >= 0.0 && error.is_finite());
            ratio && share(effect.p_value) && share(effect.probability)
        };
        if !self.elements.values().all(possible) {
            return refused("the effect of a context element is no possible number".to_owned());
        }
        Ok(())
    }
}
