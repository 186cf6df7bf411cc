//! The junction tree of a triangulated graph, with its size known before anything is
//! allocated.

use super::plan::{TreeCost, best_plan};
use crate::control::{PIECE, Pace};
use crate::data::Var;
use crate::error::Result;
use crate::graph::{Graph, VarSet};
use crate::table::{Shape, Walk};

/// One clique of a junction tree.
#[derive(Clone, Debug)]
pub struct Clique {
    pub(crate) shape: Shape,
    pub(crate) parent: Option<Parent>,
}

/// How a clique hangs on its parent.
#[derive(Clone, Debug)]
pub(crate) struct Parent {
    pub(crate) clique: usize,
    /// The separator: the front of the clique's own shape.
    pub(crate) separator: Shape,
    /// From the parent's cells to the separator's.
    pub(crate) walk: Walk,
}

impl Parent {
    /// Turns a clique's conditional distribution given its separator into its marginal, by the
    /// marginal of the parent.
    pub(crate) fn weigh(
        &self,
        parent_marginal: &[f64],
        conditional: &mut [f64],
        pace: &mut Pace<'_>,
    ) -> Result<()> {
        let mut separator = vec![0.0; self.separator.size()];
        self.walk.gather_under(parent_marginal, &mut separator, pace)?;
        let run = conditional.len() / separator.len();
        if conditional.len() <= PIECE {
            pace.step(conditional.len())?;
            for (values, &weight) in conditional.chunks_exact_mut(run).zip(&separator) {
                for value in values {
                    *value *= weight;
                }
            }
            return Ok(());
        }
        for (values, &weight) in conditional.chunks_exact_mut(run).zip(&separator) {
            for piece in values.chunks_mut(PIECE) {
                pace.step(piece.len())?;
                for value in piece {
                    *value *= weight;
                }
            }
        }
        Ok(())
    }
}

impl Clique {
    /// The layout of the clique's table: separator first, then the rest.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The clique towards the root, if any.
    pub fn parent(&self) -> Option<usize> {
        self.parent.as_ref().map(|parent| parent.clique)
    }

    /// The variables shared with the parent: they come first in the clique's own shape.
    pub fn separator(&self) -> Option<&Shape> {
        self.parent.as_ref().map(|parent| &parent.separator)
    }

    /// Configurations of the separator towards the parent; 1 for a root.
    pub(crate) fn separator_cells(&self) -> usize {
        self.separator().map_or(1, Shape::size)
    }
}

/// A forest of cliques, parents before children, in which the cliques that contain a
/// variable are connected.
#[derive(Clone, Debug)]
pub struct JunctionTree {
    pub(crate) cliques: Vec<Clique>,
    pub(crate) cost: TreeCost,
}

impl JunctionTree {
    /// The junction tree of a graph, when its tables fit a budget of bytes.
    ///
    /// Both elimination rules are tried; the smaller tree wins, min-fill in a tie. Each
    /// clique is counted with the two tables that [`super::Propagation`] holds.
    ///
    /// # Errors
    /// When the tables do not fit.
    ///
    /// # Example
    /// ```
    /// use cmnet::{Edge, Graph, JunctionTree};
    /// let mut square = Graph::empty(4);
    /// for (i, j) in [(0, 1), (1, 2), (2, 3), (3, 0)] {
    ///     square.add_edge(Edge::new(i, j)?);
    /// }
    /// let tree = JunctionTree::new(&square, &[2; 4], 1 << 20)?;
    /// assert_eq!((tree.cliques().len(), tree.cost().cells, tree.cost().fill), (2, 16, 1));
    /// # Ok::<(), cmnet::Error>(())
    /// ```
    pub fn new(graph: &Graph, cardinalities: &[u32], budget: u64) -> Result<Self> {
        let all: VarSet = (0..graph.nodes()).collect();
        best_plan(graph, &all, cardinalities, budget / 16).build(cardinalities, budget)
    }

    /// What the tree costs.
    pub fn cost(&self) -> TreeCost {
        self.cost
    }

    /// The first clique that contains all of these variables.
    pub fn home(&self, variables: &[Var]) -> Option<usize> {
        let holds = |clique: &Clique| variables.iter().all(|v| clique.shape.variables().contains(v));
        self.cliques.iter().position(holds)
    }

    /// The cliques, parents before children.
    pub fn cliques(&self) -> &[Clique] {
        &self.cliques
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{Edge, maximal_cliques};

    #[test]
    fn a_chordal_graph_keeps_its_cliques_and_separators_are_shared() {
        let mut graph = Graph::empty(6);
        for (i, j) in [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3), (3, 4)] {
            graph.toggle(Edge::new(i, j).unwrap());
        }
        let tree = JunctionTree::new(&graph, &[2, 3, 2, 2, 5, 7], 1 << 20).unwrap();
        let mut cliques: Vec<VarSet> = tree
            .cliques()
            .iter()
            .map(|clique| clique.shape().variables().iter().copied().collect())
            .collect();
        cliques.sort();
        assert_eq!(cliques, maximal_cliques(&graph).unwrap());
        for (index, clique) in tree.cliques().iter().enumerate() {
            let Some(parent) = clique.parent() else { continue };
            assert!(parent < index);
            let shared = clique
                .shape()
                .variables()
                .iter()
                .take_while(|v| tree.cliques()[parent].shape().variables().contains(v));
            let cells: usize = shared.map(|&v| [2, 3, 2, 2, 5, 7][v]).product();
            assert_eq!(cells, clique.separator_cells());
        }
        assert_eq!(tree.cost().cells, 12 + 12 + 10 + 7);
    }

    #[test]
    fn a_tree_beyond_the_budget_is_refused_before_it_is_built() {
        let mut graph = Graph::empty(100);
        graph.pairs().for_each(|edge| {
            graph.toggle(edge);
        });
        let refusal = JunctionTree::new(&graph, &[9; 100], 1 << 30).unwrap_err().to_string();
        assert!(refusal.contains("at least"), "{refusal}");
    }
}
