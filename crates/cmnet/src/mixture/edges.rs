//! The edges of a mixture: an edge that only some classes have is cut in the others, as an edge is in a
//! context.

use super::model::Mixture;
use crate::graph::Edge;
use std::collections::BTreeMap;

/// An edge of some classes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassEdge {
    /// The edge.
    pub edge: Edge,
    /// The places of the classes that have it, ascending, from 0 on.
    pub classes: Vec<usize>,
}

/// Every edge that some class has, in column order.
pub fn class_edges(mixture: &Mixture) -> Vec<ClassEdge> {
    let mut found: BTreeMap<Edge, Vec<usize>> = BTreeMap::new();
    for (class, component) in mixture.components().iter().enumerate() {
        for edge in component.model.structure().graph().edges() {
            found.entry(edge).or_default().push(class);
        }
    }
    found.into_iter().map(|(edge, classes)| ClassEdge { edge, classes }).collect()
}
