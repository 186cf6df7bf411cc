//! How often a model's edges and context elements came back in resamples of its table.

use crate::data::Schema;
use crate::error::{Error, Result, quoted};
use crate::graph::Edge;
use crate::structure::Structure;
use crate::table::Cell;
use std::collections::BTreeMap;

/// Counts over replicates: see [`crate::bootstrap`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Support {
    /// Resamples that a structure was learned from.
    pub replicates: u64,
    /// The seed that they were drawn with.
    pub seed: u64,
    /// In how many of them each edge of the model was there.
    pub edges: BTreeMap<Edge, u64>,
    /// In how many of them each context element of the model held: its edge was there, and cut
    /// off in that configuration.
    pub elements: BTreeMap<(Edge, Cell), u64>,
}

impl Support {
    /// Whether the counts are those of a structure: one for each edge and element, none above
    /// what it is a part of.
    pub(crate) fn check(&self, schema: &Schema, structure: &Structure) -> Result<()> {
        let refused =
            |problem: String| Err(Error::mismatch(problem, "count again on the table of the model"));
        let name = |edge: Edge| {
            let [low, high] = [edge.low(), edge.high()].map(|v| quoted(schema.name(v)));
            format!("{low} - {high}")
        };
        if self.replicates == 0 {
            return refused("the support comes from no replicate".to_owned());
        }
        if let Some(edge) = structure.graph().edges().find(|edge| !self.edges.contains_key(edge)) {
            return refused(format!("the support has no count for the edge {}", name(edge)));
        }
        if self.edges.len() != structure.graph().edge_count() {
            return refused("the support counts an edge that the model has not".to_owned());
        }
        if let Some((&edge, count)) = self.edges.iter().find(|(_, count)| **count > self.replicates) {
            let of = self.replicates;
            return refused(format!("the edge {} has a count of {count} of {of} replicates", name(edge)));
        }
        let mut elements = structure.contexts().flat_map(|c| c.elements().map(|cell| (c.edge(), cell)));
        if let Some((edge, _)) = elements.find(|element| !self.elements.contains_key(element)) {
            return refused(format!("the support lacks a context element of the edge {}", name(edge)));
        }
        if self.elements.len() != structure.context_elements() {
            return refused("the support counts a context element that the model has not".to_owned());
        }
        let above = |&(&(edge, _), count): &(&(Edge, Cell), &u64)| self.edges[&edge] < *count;
        if let Some((&(edge, _), count)) = self.elements.iter().find(above) {
            let of = self.edges[&edge];
            return refused(format!(
                "a context element of {} has a count of {count}, the edge itself of {of}",
                name(edge)
            ));
        }
        Ok(())
    }
}
