//! The support of a model's edges and context elements, as it stands in the file.

use super::model_error::error_at;
use crate::data::Schema;
use crate::error::{Result, quoted};
use crate::graph::Edge;
use crate::model::Support;
use crate::structure::Structure;
use crate::table::Cell;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SupportRecord {
    replicates: u64,
    seed: u64,
    edges: Vec<EdgeCount>,
    contexts: Vec<ElementCount>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct EdgeCount {
    edge: [String; 2],
    count: u64,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ElementCount {
    edge: [String; 2],
    element: Vec<String>,
    count: u64,
}

impl SupportRecord {
    pub(super) fn new(schema: &Schema, structure: &Structure, support: &Support) -> Self {
        let names = |edge: Edge| [edge.low(), edge.high()].map(|v| schema.name(v).to_owned());
        let edges = support.edges.iter().map(|(&edge, &count)| EdgeCount { edge: names(edge), count });
        let element = |(&(edge, cell), &count): (&(Edge, u64), &u64)| {
            let element = element_labels(schema, structure, edge, cell)?;
            Some(ElementCount { edge: names(edge), element, count })
        };
        Self {
            replicates: support.replicates,
            seed: support.seed,
            edges: edges.collect(),
            contexts: support.elements.iter().filter_map(element).collect(),
        }
    }

    /// The counts by number. That they are those of the structure is checked with the model.
    pub(super) fn to_support(&self, file: &str, schema: &Schema, structure: &Structure) -> Result<Support> {
        let mut support = Support {
            replicates: self.replicates,
            seed: self.seed,
            edges: BTreeMap::new(),
            elements: BTreeMap::new(),
        };
        for (place, record) in self.edges.iter().enumerate() {
            let at = format!("support.edges[{place}]");
            let edge = known_edge(schema, structure, &record.edge)
                .ok_or_else(|| error_at(file, &at, not_an_edge(&record.edge)))?;
            if support.edges.insert(edge, record.count).is_some() {
                return Err(error_at(file, &at, "this edge appears twice".to_owned()));
            }
        }
        for (place, record) in self.contexts.iter().enumerate() {
            let at = format!("support.contexts[{place}]");
            let edge = known_edge(schema, structure, &record.edge)
                .ok_or_else(|| error_at(file, &at, not_an_edge(&record.edge)))?;
            let cell = cell(schema, structure, edge, &record.element).ok_or_else(|| {
                error_at(file, &at, "this is no context element of the model's edge".to_owned())
            })?;
            if support.elements.insert((edge, cell), record.count).is_some() {
                return Err(error_at(file, &at, "this element appears twice".to_owned()));
            }
        }
        support.check(schema, structure).map_err(|error| error_at(file, "support", error.to_string()))?;
        Ok(support)
    }
}

/// The levels of an element's configuration.
pub(super) fn element_labels(
    schema: &Schema,
    structure: &Structure,
    edge: Edge,
    cell: Cell,
) -> Option<Vec<String>> {
    let space = structure.context(edge)?.space();
    let levels = space.variables().iter().zip(space.configuration(cell));
    Some(levels.map(|(v, level)| schema.variable(v).levels[level as usize].clone()).collect())
}

pub(super) fn not_an_edge([one, other]: &[String; 2]) -> String {
    format!("{} - {} is not among the edges of the model", quoted(one), quoted(other))
}

pub(super) fn known_edge(schema: &Schema, structure: &Structure, [one, other]: &[String; 2]) -> Option<Edge> {
    let edge = Edge::new(schema.find(one)?, schema.find(other)?).ok()?;
    structure.graph().contains(edge).then_some(edge)
}

pub(super) fn cell(schema: &Schema, structure: &Structure, edge: Edge, labels: &[String]) -> Option<u64> {
    let context = structure.context(edge)?;
    let space = context.space();
    if space.variables().len() != labels.len() {
        return None;
    }
    let level = |(v, label): (usize, &String)| schema.variable(v).level(label);
    let levels: Option<Vec<u32>> = space.variables().iter().zip(labels).map(level).collect();
    levels.map(|levels| space.cell(&levels)).filter(|&cell| context.contains(cell))
}
