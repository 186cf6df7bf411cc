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
            let edge = Told { file, at: &at, schema, structure }.edge(&record.edge)?;
            if support.edges.insert(edge, record.count).is_some() {
                return Err(error_at(file, &at, "this edge appears twice".to_owned()));
            }
        }
        for (place, record) in self.contexts.iter().enumerate() {
            let at = format!("support.contexts[{place}]");
            let element = Told { file, at: &at, schema, structure }.element(&record.edge, &record.element)?;
            if support.elements.insert(element, record.count).is_some() {
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

/// Where in a model file something is told of the model's edges.
pub(super) struct Told<'a> {
    pub(super) file: &'a str,
    pub(super) at: &'a str,
    pub(super) schema: &'a Schema,
    pub(super) structure: &'a Structure,
}

impl Told<'_> {
    /// The edge between two variables, which the model must have.
    pub(super) fn edge(&self, ends: &[String; 2]) -> Result<Edge> {
        let [one, other] = ends;
        self.named(ends).filter(|&edge| self.structure.graph().contains(edge)).ok_or_else(|| {
            let problem = format!("{} - {} is not among the edges of the model", quoted(one), quoted(other));
            error_at(self.file, self.at, problem)
        })
    }

    /// Two variables, whether or not there is an edge between them.
    pub(super) fn pair(&self, ends: &[String; 2]) -> Result<Edge> {
        let problem = || error_at(self.file, self.at, "these are not two variables of the model".to_owned());
        self.named(ends).ok_or_else(problem)
    }

    fn named(&self, [one, other]: &[String; 2]) -> Option<Edge> {
        Edge::new(self.schema.find(one)?, self.schema.find(other)?).ok()
    }

    /// An element of the context of an edge, which the model must have.
    pub(super) fn element(&self, ends: &[String; 2], labels: &[String]) -> Result<(Edge, Cell)> {
        let edge = self.edge(ends)?;
        let found = cell(self.schema, self.structure, edge, labels).map(|cell| (edge, cell));
        found.ok_or_else(|| {
            error_at(self.file, self.at, "this is no context element of the model's edge".to_owned())
        })
    }
}

fn cell(schema: &Schema, structure: &Structure, edge: Edge, labels: &[String]) -> Option<u64> {
    let context = structure.context(edge)?;
    let space = context.space();
    if space.variables().len() != labels.len() {
        return None;
    }
    let level = |(v, label): (usize, &String)| schema.variable(v).level(label);
    let levels: Option<Vec<u32>> = space.variables().iter().zip(labels).map(level).collect();
    levels.map(|levels| space.cell(&levels)).filter(|&cell| context.contains(cell))
}
