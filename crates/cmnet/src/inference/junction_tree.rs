//! The junction tree of a triangulated graph, with its size known before anything is
//! allocated.

use super::shape::{Shape, Walk};
use super::triangulate::{EliminationRule, eliminate};
use crate::data::Var;
use crate::error::{Error, Result};
use crate::graph::{Graph, VarSet};
use std::fmt;

/// What a junction tree costs: known from the graph alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreeCost {
    /// Whether counting ended early, at a table beyond the limit: then the numbers are those
    /// of a part of the tree.
    pub at_least: bool,
    /// Cells of all clique tables together; `u64::MAX` when that is beyond counting.
    pub cells: u64,
    /// Cells of the largest clique table.
    pub largest: u64,
    /// Variables of the largest clique by number.
    pub width: usize,
    /// Edges that the triangulation added.
    pub fill: usize,
}

impl TreeCost {
    /// The bytes of this many tables of doubles per clique.
    pub fn bytes(&self, tables: u64) -> u64 {
        self.cells.saturating_mul(8 * tables)
    }
}

impl fmt::Display for TreeCost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let from = if self.at_least { "at least " } else { "" };
        write!(
            f,
            "{from}{} table cells, largest clique {} variables and {} cells",
            self.cells, self.width, self.largest
        )
    }
}

/// One clique of a junction tree.
#[derive(Clone, Debug)]
pub struct Clique {
    pub(super) shape: Shape,
    pub(super) parent: Option<Parent>,
}

/// How a clique hangs on its parent.
#[derive(Clone, Debug)]
pub(super) struct Parent {
    pub(super) clique: usize,
    /// The separator: the front of the clique's own shape.
    pub(super) separator: Shape,
    /// From the parent's cells to the separator's.
    pub(super) walk: Walk,
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
    pub(super) fn separator_cells(&self) -> usize {
        self.separator().map_or(1, Shape::size)
    }
}

/// A forest of cliques, parents before children, in which the cliques that contain a
/// variable are connected.
#[derive(Clone, Debug)]
pub struct JunctionTree {
    cliques: Vec<Clique>,
    cost: TreeCost,
}

/// The members of a clique, with its parent's index and the members shared with it.
type PlannedClique = (Vec<Var>, Option<(usize, VarSet)>);

/// The cliques and separators of a tree before any layout exists.
pub(crate) struct TreePlan {
    cliques: Vec<PlannedClique>,
    pub(crate) cost: TreeCost,
}

impl TreePlan {
    /// Triangulates a part of a graph that is a union of connected components, as far as no
    /// table has more than `most_cells`.
    pub(super) fn new(
        graph: &Graph,
        variables: &VarSet,
        cardinalities: &[u32],
        rule: EliminationRule,
        most_cells: u64,
    ) -> Self {
        let elimination = eliminate(graph, variables, cardinalities, rule, most_cells);
        let mut rank = vec![usize::MAX; graph.nodes()];
        for (position, &node) in elimination.order.iter().enumerate() {
            rank[node] = position;
        }
        let mut cliques: Vec<PlannedClique> = Vec::new();
        let mut clique_of = vec![usize::MAX; graph.nodes()];
        for (position, &node) in elimination.order.iter().enumerate().rev() {
            let later = &elimination.later[position];
            // The clique of the neighbour that goes next contains all of them.
            let first = later.iter().min_by_key(|&other| rank[other]);
            let next = first.map(|first| clique_of[first]).filter(|&clique| clique != usize::MAX);
            clique_of[node] = match next {
                Some(clique) if cliques[clique].0.len() == later.len() => {
                    cliques[clique].0.push(node);
                    clique
                }
                _ => {
                    let members = later.iter().chain([node]).collect();
                    cliques.push((members, next.map(|clique| (clique, later.clone()))));
                    cliques.len() - 1
                }
            };
        }
        let size = |members: &[Var]| {
            members.iter().fold(1u64, |size, &v| size.saturating_mul(u64::from(cardinalities[v])))
        };
        let sizes: Vec<u64> = cliques.iter().map(|(members, _)| size(members)).collect();
        let cost = TreeCost {
            cells: sizes.iter().fold(0, |sum: u64, &size| sum.saturating_add(size)),
            largest: sizes.iter().copied().max().unwrap_or(0),
            width: cliques.iter().map(|(members, _)| members.len()).max().unwrap_or(0),
            fill: elimination.fill,
            at_least: !elimination.finished,
        };
        Self { cliques, cost }
    }

    /// The cost of several trees together.
    pub(crate) fn total_cost(plans: &[Self]) -> TreeCost {
        let none = TreeCost { at_least: false, cells: 0, largest: 0, width: 0, fill: 0 };
        plans.iter().map(|plan| plan.cost).fold(none, |sum, cost| TreeCost {
            at_least: sum.at_least || cost.at_least,
            cells: sum.cells.saturating_add(cost.cells),
            largest: sum.largest.max(cost.largest),
            width: sum.width.max(cost.width),
            fill: sum.fill + cost.fill,
        })
    }

    /// Lays out the tables, two per clique, if they fit a budget of bytes.
    pub(crate) fn build(self, cardinalities: &[u32], budget: u64) -> Result<JunctionTree> {
        if self.cost.at_least || self.cost.bytes(2) > budget {
            return Err(Error::limit(
                format!("the junction tree ({})", self.cost),
                format!("{budget} bytes"),
                "give more memory, or use a method that does without",
            ));
        }
        let mut cliques: Vec<Clique> = Vec::with_capacity(self.cliques.len());
        for (members, parent) in self.cliques {
            let separator: Vec<Var> = parent.as_ref().map_or(Vec::new(), |(_, set)| set.iter().collect());
            let rest = members.iter().copied().filter(|v| !separator.contains(v));
            let mut order = separator.clone();
            let mut rest: Vec<Var> = rest.collect();
            rest.sort_unstable();
            order.extend(rest);
            let parent = parent.map(|(clique, _)| {
                let separator = Shape::new(separator, cardinalities);
                let walk = cliques[clique].shape.walk_onto(&separator);
                Parent { clique, separator, walk }
            });
            cliques.push(Clique { shape: Shape::new(order, cardinalities), parent });
        }
        Ok(JunctionTree { cliques, cost: self.cost })
    }
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
    /// use cmnet::{graph::{Edge, Graph}, inference::JunctionTree};
    /// let mut square = Graph::empty(4);
    /// for (i, j) in [(0, 1), (1, 2), (2, 3), (3, 0)] {
    ///     square.toggle(Edge::new(i, j)?);
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

    /// The cliques, parents before children.
    pub fn cliques(&self) -> &[Clique] {
        &self.cliques
    }
}

/// The smaller of the trees of the two elimination rules, min-fill in a tie. Ends early when a
/// table has more than `most_cells`.
pub(crate) fn best_plan(
    graph: &Graph,
    variables: &VarSet,
    cardinalities: &[u32],
    most_cells: u64,
) -> TreePlan {
    let plan = TreePlan::new(graph, variables, cardinalities, EliminationRule::MinFill, most_cells);
    if plan.cost.fill == 0 && !plan.cost.at_least {
        return plan;
    }
    let other = TreePlan::new(graph, variables, cardinalities, EliminationRule::MinWeight, most_cells);
    let rank = |plan: &TreePlan| (plan.cost.at_least, plan.cost.cells);
    if rank(&other) < rank(&plan) { other } else { plan }
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
