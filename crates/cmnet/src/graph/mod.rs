//! The undirected graph G = (V, E) with Markov blankets and common neighbours (paper,
//! section 2.1).

mod chordal;
mod cliques;
mod components;
mod disjoint_sets;
mod edge;
mod toggled;
mod varset;

pub use chordal::{Decomposition, decompose, is_chordal, perfect_elimination_order};
pub(crate) use cliques::guarded_cliques;
pub use cliques::{MOST_CLIQUES, maximal_cliques};
pub use components::components;
pub use disjoint_sets::DisjointSets;
pub use edge::Edge;
pub use toggled::{Blankets, Toggled};
pub use varset::VarSet;

use crate::data::Var;

/// An undirected graph without loops, as one sorted neighbourhood per node.
///
/// # Example
/// ```
/// use cmnet::{Edge, Graph};
/// let mut graph = Graph::empty(3);
/// assert!(graph.add_edge(Edge::new(0, 2)?));
/// assert!(!graph.add_edge(Edge::new(2, 0)?)); // there already
/// assert_eq!(graph.markov_blanket(2).as_slice(), [0]);
/// # Ok::<(), cmnet::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Graph {
    neighborhoods: Vec<VarSet>,
}

impl Graph {
    /// The graph with this many nodes and no edge.
    pub fn empty(nodes: usize) -> Self {
        Self { neighborhoods: vec![VarSet::default(); nodes] }
    }

    /// The number of nodes d.
    pub fn nodes(&self) -> usize {
        self.neighborhoods.len()
    }

    /// The Markov blanket mb(j): the neighbours of a node, ascending.
    pub fn markov_blanket(&self, node: Var) -> &VarSet {
        &self.neighborhoods[node]
    }

    /// The common neighbours cn(i,j) of two nodes, ascending.
    pub fn common_neighbors(&self, edge: Edge) -> VarSet {
        self.neighborhoods[edge.low()].intersection(&self.neighborhoods[edge.high()])
    }

    /// Whether two nodes are connected.
    pub fn contains(&self, edge: Edge) -> bool {
        self.neighborhoods[edge.low()].contains(edge.high())
    }

    /// Adds an edge; returns whether it was absent.
    pub fn add_edge(&mut self, edge: Edge) -> bool {
        !self.contains(edge) && self.toggle(edge)
    }

    /// Removes an edge; returns whether it was present.
    pub fn remove_edge(&mut self, edge: Edge) -> bool {
        self.contains(edge) && !self.toggle(edge)
    }

    /// Adds the edge if it is absent, removes it if it is present; returns whether it is
    /// present afterwards.
    pub fn toggle(&mut self, edge: Edge) -> bool {
        let (low, high) = edge.ends();
        self.neighborhoods[low].toggle(high);
        self.neighborhoods[high].toggle(low)
    }

    /// The edges in lexicographic order.
    pub fn edges(&self) -> impl Iterator<Item = Edge> + '_ {
        self.neighborhoods.iter().enumerate().flat_map(|(low, neighborhood)| {
            neighborhood
                .iter()
                .filter(move |&high| high > low)
                .filter_map(move |high| Edge::new(low, high).ok())
        })
    }

    /// The number of edges.
    pub fn edge_count(&self) -> usize {
        self.neighborhoods.iter().map(VarSet::len).sum::<usize>() / 2
    }

    /// Every pair of nodes in lexicographic order, connected or not.
    pub fn pairs(&self) -> impl Iterator<Item = Edge> + use<> {
        let nodes = self.nodes();
        (0..nodes).flat_map(move |low| (low + 1..nodes).filter_map(move |high| Edge::new(low, high).ok()))
    }

    /// Whether every two of these nodes are connected.
    pub fn is_complete(&self, nodes: &VarSet) -> bool {
        nodes
            .iter()
            .all(|node| nodes.iter().all(|other| node == other || self.neighborhoods[node].contains(other)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn toggling_twice_changes_nothing() {
        let mut graph = Graph::empty(4);
        let edge = Edge::new(3, 1).unwrap();
        assert!(graph.toggle(edge));
        assert_eq!(graph.edges().collect::<Vec<_>>(), [edge]);
        assert!(!graph.toggle(edge));
        assert_eq!(graph, Graph::empty(4));
    }

    #[test]
    fn pairs_come_in_lexicographic_order() {
        let pairs: Vec<_> = Graph::empty(3).pairs().map(Edge::ends).collect();
        assert_eq!(pairs, [(0, 1), (0, 2), (1, 2)]);
    }
}
