//! The cliques of a junction tree and what they cost, before any table exists.

use super::junction_tree::{Clique, JunctionTree, Parent};
use super::triangulate::{EliminationRule, Order, eliminate_by};
use crate::data::Var;
use crate::error::{Error, Remedy, Result};
use crate::graph::{Graph, VarSet};
use crate::table::Shape;
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

/// Cells above which a fit takes milliseconds for each direction.
const LARGE: u64 = 1 << 18;

impl TreeCost {
    /// Whether sweeps over the tables take so long that their layout matters.
    pub(crate) fn is_large(&self) -> bool {
        self.cells > LARGE
    }

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

/// The members of a clique, with its parent's index and the members shared with it.
type PlannedClique = (Vec<Var>, Option<(usize, VarSet)>);

/// The cliques and separators of a tree before any layout exists.
#[derive(Clone, Debug)]
pub(crate) struct TreePlan {
    cliques: Vec<PlannedClique>,
    pub(crate) cost: TreeCost,
}

impl TreePlan {
    /// Triangulates a part of a graph that is a union of connected components, as far as no
    /// table has more than `most_cells`.
    pub(crate) fn new(
        graph: &Graph,
        variables: &VarSet,
        cardinalities: &[u32],
        rule: EliminationRule,
        most_cells: u64,
    ) -> Self {
        Self::by_order(graph, variables, cardinalities, Order { rule, seed: 0 }, most_cells)
    }

    fn by_order(
        graph: &Graph,
        variables: &VarSet,
        cardinalities: &[u32],
        order: Order,
        most_cells: u64,
    ) -> Self {
        let elimination = eliminate_by(graph, variables, cardinalities, order, most_cells);
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
        self.lay_out(cardinalities, budget, false)
    }

    /// The same for a fit, which goes through the tables hundreds of times. In a large tree each
    /// clique keeps the order of its parent's table, so that walks between tables go along long
    /// runs of cells. Sums are then added up in another order.
    pub(crate) fn build_for_fit(self, cardinalities: &[u32], budget: u64) -> Result<JunctionTree> {
        // Without fill there may be a closed form, which needs no walks.
        let aligned = self.cost.is_large() && self.cost.fill > 0;
        self.lay_out(cardinalities, budget, aligned)
    }

    fn lay_out(self, cardinalities: &[u32], budget: u64, aligned: bool) -> Result<JunctionTree> {
        if self.cost.at_least || self.cost.bytes(2) > budget {
            return Err(Error::limit(
                format!("the junction tree ({})", self.cost),
                format!("{budget} bytes"),
                [Remedy::MoreMemory, "use a method that does without".into()],
            ));
        }
        let mut cliques: Vec<Clique> = Vec::with_capacity(self.cliques.len());
        for (members, parent) in self.cliques {
            let separator: Vec<Var> = match &parent {
                None => Vec::new(),
                Some((_, set)) if !aligned => set.iter().collect(),
                Some((clique, set)) => {
                    let inherited = cliques[*clique].shape.variables().iter();
                    inherited.copied().filter(|&v| set.contains(v)).collect()
                }
            };
            let rest = members.iter().copied().filter(|v| !separator.contains(v));
            let mut order = separator.clone();
            let mut rest: Vec<Var> = rest.collect();
            if !aligned {
                rest.sort_unstable();
            }
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

/// The most orders with random ties that are tried.
const MOST_RESTARTS: u64 = 8;

/// How many orders with random ties a tree is worth: what they take is a small part of what its
/// tables take, so that small trees are worth none. One beyond the limit may have smaller kin.
pub(crate) fn restarts(cost: &TreeCost, variables: usize) -> u64 {
    let order = (variables * cost.width * cost.width) as u64;
    if cost.at_least { 2 } else { (cost.cells / (32 * order).max(1)).min(MOST_RESTARTS) }
}

/// The smaller of the trees of the two elimination rules, min-fill in a tie; where the tables are
/// large, the smallest of some more with ties broken at random, always the same ones. Ends early
/// when a table has more than `most_cells`.
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
    let mut best = if rank(&other) < rank(&plan) { other } else { plan };
    for seed in 1..=restarts(&best.cost, variables.len()) {
        let order = Order { rule: EliminationRule::MinFill, seed };
        let next = TreePlan::by_order(graph, variables, cardinalities, order, most_cells);
        if rank(&next) < rank(&best) {
            best = next;
        }
    }
    best
}

/// Whether the junction tree of a graph has at most so many table cells.
pub(crate) fn is_within(graph: &Graph, cardinalities: &[u32], most_cells: u64) -> bool {
    let all = (0..graph.nodes()).collect();
    let cost = best_plan(graph, &all, cardinalities, most_cells).cost;
    !cost.at_least && cost.cells <= most_cells
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Edge;
    use crate::table::shares_of_levels;
    use crate::tree::Propagation;

    #[test]
    fn large_trees_are_no_larger_by_random_ties_and_small_ones_stay() {
        let side = 16;
        let mut graph = Graph::empty(side * side);
        for node in 0..side * side {
            if node % side + 1 < side {
                graph.add_edge(Edge::new(node, node + 1).unwrap());
            }
            if node + side < side * side {
                graph.add_edge(Edge::new(node, node + side).unwrap());
            }
        }
        let (all, cardinalities) = ((0..side * side).collect(), vec![2; side * side]);
        let plain = |rule| TreePlan::new(&graph, &all, &cardinalities, rule, 1 << 40).cost;
        let rules = [EliminationRule::MinFill, EliminationRule::MinWeight].map(plain);
        let best = best_plan(&graph, &all, &cardinalities, 1 << 40).cost;
        assert!(rules.iter().all(|cost| best.cells <= cost.cells));
        assert!(restarts(&rules[0], all.len()) > 0);
        assert!(best.cells < rules[0].cells, "{best} is not below {}", rules[0]);
        assert_eq!(best, best_plan(&graph, &all, &cardinalities, 1 << 40).cost);
        let small = TreeCost { at_least: false, cells: 4096, largest: 512, width: 9, fill: 40 };
        assert_eq!(restarts(&small, 100), 0);
    }

    /// A table that is a function of levels, whatever the order of the variables.
    fn fill(shape: &Shape, table: &mut [f64]) {
        for (cell, value) in table.iter_mut().enumerate() {
            let levels = shape.variables().iter().zip(shape.levels(cell));
            let sum: usize = levels.map(|(&v, level)| (v * v + 3) * (level as usize + 1)).sum();
            *value = libm::sin(sum as f64);
        }
    }

    #[test]
    fn tables_in_the_order_of_their_parents_say_the_same() {
        let side = 5;
        let mut graph = Graph::empty(side * side);
        for node in 0..side * side {
            if node % side + 1 < side {
                graph.add_edge(Edge::new(node, node + 1).unwrap());
            }
            if node + side < side * side {
                graph.add_edge(Edge::new(node, node + side).unwrap());
            }
        }
        let cardinalities: Vec<u32> = (0..side * side).map(|v| 2 + u32::from(v % 7 == 0)).collect();
        let plan = || best_plan(&graph, &(0..side * side).collect(), &cardinalities, 1 << 20);
        let trees = [false, true].map(|aligned| plan().lay_out(&cardinalities, 1 << 24, aligned).unwrap());
        for clique in trees[1].cliques() {
            let Some(parent) = clique.parent.as_ref() else { continue };
            let separator = parent.separator.variables();
            assert_eq!(&clique.shape.variables()[..separator.len()], separator);
            let above = trees[1].cliques()[parent.clique].shape.variables().iter();
            assert!(above.filter(|v| separator.contains(v)).eq(separator));
        }
        let answers = trees.map(|tree| {
            let mut propagation = Propagation::new(&tree);
            for (index, clique) in tree.cliques().iter().enumerate() {
                fill(&clique.shape, propagation.log_potential(index));
            }
            let mut answers = vec![propagation.collect(&tree)];
            propagation.distribute(&tree);
            for (index, clique) in tree.cliques().iter().enumerate() {
                for variable in (0..side * side).filter(|v| clique.shape.variables().contains(v)) {
                    answers.extend(shares_of_levels(&clique.shape, propagation.marginal(index), variable));
                }
            }
            answers
        });
        assert!(answers[0].len() > 100);
        assert!(answers[0].iter().zip(&answers[1]).all(|(one, other)| (one - other).abs() < 1e-12));
    }

    #[test]
    fn the_smaller_tree_of_the_two_rules_is_taken() {
        let mut state = 7_u32;
        let mut below = |most: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) % most
        };
        let mut by_weight = 0;
        for _ in 0..100 {
            let mut graph = Graph::empty(8);
            for _ in 0..13 {
                let (one, other) = (below(8) as usize, below(8) as usize);
                if one != other {
                    graph.add_edge(Edge::new(one, other).unwrap());
                }
            }
            let cardinalities: Vec<u32> = (0..8).map(|_| 2 + below(6)).collect();
            let all = (0..8).collect();
            let plain = |rule| TreePlan::new(&graph, &all, &cardinalities, rule, 1 << 40).cost.cells;
            let (fill, weight) = (plain(EliminationRule::MinFill), plain(EliminationRule::MinWeight));
            assert!(best_plan(&graph, &all, &cardinalities, 1 << 40).cost.cells <= fill.min(weight));
            by_weight += u32::from(weight < fill);
        }
        assert!(by_weight > 0);
    }

    #[test]
    fn a_chordal_graph_needs_no_edge_by_min_fill_whatever_the_weights() {
        // Two triangles with many levels, joined by a light path over node 3.
        let mut graph = Graph::empty(7);
        for (i, j) in [(0, 1), (0, 2), (1, 2), (2, 3), (3, 4), (4, 5), (4, 6), (5, 6)] {
            graph.add_edge(Edge::new(i, j).unwrap());
        }
        let (all, cardinalities) = ((0..7).collect(), [10, 10, 2, 2, 2, 10, 10]);
        let fill = |rule| TreePlan::new(&graph, &all, &cardinalities, rule, 1 << 40).cost.fill;
        assert_eq!((fill(EliminationRule::MinFill), fill(EliminationRule::MinWeight)), (0, 1));
    }

    #[test]
    fn the_cost_of_several_trees_is_a_part_where_one_of_them_is() {
        let plan = |at_least, cells, width| {
            let cost = TreeCost { at_least, cells, largest: cells, width, fill: 1 };
            TreePlan { cliques: Vec::new(), cost }
        };
        let plans = [plan(false, 4, 3), plan(true, 6, 2)];
        let all = TreeCost { at_least: true, cells: 10, largest: 6, width: 3, fill: 2 };
        assert_eq!(TreePlan::total_cost(&plans), all);
        assert!(!TreePlan::total_cost(&plans[..1]).at_least);
    }
}
