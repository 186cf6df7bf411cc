//! The parts into which a context climb falls: toggling an edge leaves the others as they
//! were.
//!
//! An element on edge (i,j) changes the scores of i and j alone, and only edges with common
//! neighbours have elements. So the climb splits into one independent part per connected
//! component of "edges with common neighbours that share a node", and a part's outcome
//! depends on nothing but the Markov blankets of its nodes.

use crate::data::Var;
use crate::graph::{Blankets, Edge, Graph};
use crate::partition::DisjointSets;

/// The edges that can have contexts and are linked by shared nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Component {
    /// The nodes, ascending.
    pub(super) nodes: Vec<Var>,
    /// The edges with common neighbours among them, in lexicographic order.
    pub(super) edges: Vec<Edge>,
}

impl Component {
    /// All components of a graph, by smallest node.
    pub(super) fn all(graph: &Graph) -> Vec<Self> {
        let labelled: Vec<Edge> = graph.edges().filter(|&edge| graph.have_common_neighbor(edge)).collect();
        let mut sets = DisjointSets::new(graph.nodes());
        for edge in &labelled {
            sets.join(edge.low(), edge.high());
        }
        let mut place: Vec<Option<usize>> = vec![None; graph.nodes()];
        let mut components: Vec<Self> = Vec::new();
        for edge in labelled {
            let root = sets.find(edge.low());
            let index = *place[root].get_or_insert(components.len());
            if index == components.len() {
                components.push(Self { nodes: Vec::new(), edges: Vec::new() });
            }
            components[index].edges.push(edge);
            components[index].nodes.extend([edge.low(), edge.high()]);
        }
        for component in &mut components {
            component.nodes.sort_unstable();
            component.nodes.dedup();
        }
        components
    }

    /// What the climb's outcome depends on: each node with its Markov blanket.
    pub(super) fn key(&self, graph: &Graph) -> Box<[u32]> {
        let mut key = Vec::new();
        for &node in &self.nodes {
            let blanket = graph.markov_blanket(node);
            key.extend([node as u32, blanket.len() as u32]);
            key.extend(blanket.iter().map(|neighbor| neighbor as u32));
        }
        key.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triangles_that_share_a_node_are_one_component() {
        let mut graph = Graph::empty(9);
        for (i, j) in [(0, 1), (0, 2), (1, 2), (2, 3), (2, 4), (3, 4), (4, 5), (5, 6), (6, 7), (5, 7)] {
            graph.toggle(Edge::new(i, j).unwrap());
        }
        let components = Component::all(&graph);
        let nodes: Vec<_> = components.iter().map(|component| component.nodes.clone()).collect();
        assert_eq!(nodes, [vec![0, 1, 2, 3, 4], vec![5, 6, 7]]);
        assert_eq!(components[0].edges.len(), 6);
    }
}
