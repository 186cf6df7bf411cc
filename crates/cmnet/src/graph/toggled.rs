//! A graph seen with one edge toggled, without copying it.

use super::{Edge, Graph, VarSet};
use crate::data::Var;

/// Whatever has Markov blankets: a graph, or a graph seen with a change.
pub trait Blankets: Sync {
    /// The Markov blanket mb(j): the neighbours of a node, ascending.
    fn markov_blanket(&self, node: Var) -> &VarSet;

    /// The common neighbours cn(i,j) of two nodes, ascending.
    fn common_neighbors(&self, edge: Edge) -> VarSet {
        self.markov_blanket(edge.low()).intersection(self.markov_blanket(edge.high()))
    }

    /// Whether two nodes have a common neighbour.
    fn have_common_neighbor(&self, edge: Edge) -> bool {
        let other = self.markov_blanket(edge.high());
        self.markov_blanket(edge.low()).iter().any(|neighbor| other.contains(neighbor))
    }
}

impl Blankets for Graph {
    fn markov_blanket(&self, node: Var) -> &VarSet {
        Graph::markov_blanket(self, node)
    }
}

/// A graph with one edge toggled.
#[derive(Clone, Debug)]
pub struct Toggled<'a> {
    graph: &'a Graph,
    edge: Edge,
    low: VarSet,
    high: VarSet,
}

impl<'a> Toggled<'a> {
    /// The view of `graph` in which `edge` is present if it was absent, and the reverse.
    pub fn new(graph: &'a Graph, edge: Edge) -> Self {
        let (low, high) = edge.ends();
        Self {
            graph,
            edge,
            low: graph.markov_blanket(low).toggled(high),
            high: graph.markov_blanket(high).toggled(low),
        }
    }
}

impl Blankets for Toggled<'_> {
    fn markov_blanket(&self, node: Var) -> &VarSet {
        match node {
            node if node == self.edge.low() => &self.low,
            node if node == self.edge.high() => &self.high,
            node => self.graph.markov_blanket(node),
        }
    }
}
