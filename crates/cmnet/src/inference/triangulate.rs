//! Triangulation: an elimination order and the cliques that it makes (paper, section 1: what
//! is easy on chordal graphs becomes possible on others).

use crate::data::Var;
use crate::graph::{Graph, VarSet};
use std::collections::BTreeSet;

/// Which variable is eliminated next. Ties go to the other criterion, then the lowest index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EliminationRule {
    /// The one whose elimination adds the fewest edges.
    #[default]
    MinFill,
    /// The one whose elimination makes the smallest table.
    MinWeight,
}

/// An elimination order with the neighbours that each variable had left when it went.
#[derive(Clone, Debug)]
pub struct Elimination {
    /// The variables in order.
    pub order: Vec<Var>,
    /// For each variable *by position in the order*, its later neighbours in the
    /// triangulated graph.
    pub later: Vec<VarSet>,
    /// The number of edges that were added; 0 when the graph is chordal.
    pub fill: usize,
    /// Whether all variables were eliminated, no table being too large.
    pub finished: bool,
}

/// Eliminates some variables of a graph, ascending, which must be a union of components.
///
/// Min-fill adds no edge to a chordal graph. Deterministic. Ends early, with what it has,
/// after a table of more than `most_cells` cells.
///
/// # Complexity
/// For a graph whose cliques stay at w variables, O(d w^3 + d w log d).
pub fn eliminate(
    graph: &Graph,
    variables: &VarSet,
    cardinalities: &[u32],
    rule: EliminationRule,
    most_cells: u64,
) -> Elimination {
    let mut state = State::new(graph, variables, cardinalities, rule);
    let mut elimination = Elimination { order: Vec::new(), later: Vec::new(), fill: 0, finished: true };
    while let Some((.., node)) = state.queue.pop_first() {
        let neighbors = state.neighborhoods[node].clone();
        elimination.order.push(node);
        elimination.later.push(neighbors.iter().copied().collect());
        if state.weight(node) > most_cells {
            elimination.finished = false;
            break;
        }
        elimination.fill += state.complete(&neighbors);
        state.remove(node, &neighbors);
    }
    elimination
}

/// What is left of the graph, with the cost of each variable in a queue.
struct State<'a> {
    cardinalities: &'a [u32],
    rule: EliminationRule,
    neighborhoods: Vec<BTreeSet<Var>>,
    costs: Vec<(u64, u64)>,
    queue: BTreeSet<(u64, u64, Var)>,
}

impl<'a> State<'a> {
    fn new(graph: &Graph, variables: &VarSet, cardinalities: &'a [u32], rule: EliminationRule) -> Self {
        let neighborhoods = (0..graph.nodes()).map(|v| graph.markov_blanket(v).iter().collect()).collect();
        let costs = vec![(0, 0); graph.nodes()];
        let mut state = Self { cardinalities, rule, neighborhoods, costs, queue: BTreeSet::new() };
        for node in variables.iter() {
            state.costs[node] = state.cost(node);
            state.queue.insert((state.costs[node].0, state.costs[node].1, node));
        }
        state
    }

    fn cost(&self, node: Var) -> (u64, u64) {
        let neighbors = &self.neighborhoods[node];
        let missing = |&one: &Var| {
            neighbors.range(one + 1..).filter(|other| !self.neighborhoods[one].contains(other)).count() as u64
        };
        let fill: u64 = neighbors.iter().map(missing).sum();
        match self.rule {
            EliminationRule::MinFill => (fill, self.weight(node)),
            EliminationRule::MinWeight => (self.weight(node), fill),
        }
    }

    /// Cells of the table that the elimination of a variable makes.
    fn weight(&self, node: Var) -> u64 {
        let own = u64::from(self.cardinalities[node]);
        self.neighborhoods[node].iter().fold(own, |w, &v| w.saturating_mul(self.cardinalities[v].into()))
    }

    /// Connects all of these nodes; returns how many edges that took.
    fn complete(&mut self, nodes: &BTreeSet<Var>) -> usize {
        let mut added = Vec::new();
        for &one in nodes {
            for &other in nodes.range(one + 1..) {
                if self.neighborhoods[one].insert(other) {
                    self.neighborhoods[other].insert(one);
                    added.push((one, other));
                }
            }
        }
        // A new edge changes the fill of whoever sees both ends.
        let mut stale: BTreeSet<Var> = BTreeSet::new();
        for &(one, other) in &added {
            stale.extend(self.neighborhoods[one].intersection(&self.neighborhoods[other]));
        }
        for node in stale {
            self.refresh(node);
        }
        added.len()
    }

    fn remove(&mut self, node: Var, neighbors: &BTreeSet<Var>) {
        for &neighbor in neighbors {
            self.neighborhoods[neighbor].remove(&node);
        }
        for &neighbor in neighbors {
            self.refresh(neighbor);
        }
    }

    fn refresh(&mut self, node: Var) {
        let (first, second) = self.costs[node];
        if self.queue.remove(&(first, second, node)) {
            self.costs[node] = self.cost(node);
            self.queue.insert((self.costs[node].0, self.costs[node].1, node));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{Edge, is_chordal};

    fn grid(side: usize) -> Graph {
        let mut graph = Graph::empty(side * side);
        for node in 0..side * side {
            if node % side + 1 < side {
                graph.toggle(Edge::new(node, node + 1).unwrap());
            }
            if node + side < side * side {
                graph.toggle(Edge::new(node, node + side).unwrap());
            }
        }
        graph
    }

    #[test]
    fn the_filled_graph_is_chordal_and_chordal_graphs_are_not_filled() {
        for rule in [EliminationRule::MinFill, EliminationRule::MinWeight] {
            let graph = grid(6);
            let elimination = eliminate(&graph, &(0..36).collect(), &[2; 36], rule, 1 << 20);
            let mut filled = Graph::empty(36);
            for (&node, later) in elimination.order.iter().zip(&elimination.later) {
                later.iter().for_each(|other| {
                    filled.toggle(Edge::new(node, other).unwrap());
                });
            }
            assert!(graph.edges().all(|edge| filled.contains(edge)));
            assert_eq!(filled.edge_count(), graph.edge_count() + elimination.fill);
            assert!(is_chordal(&filled));
            let again = eliminate(&filled, &(0..36).collect(), &[2; 36], EliminationRule::MinFill, 1 << 20);
            assert_eq!(again.fill, 0);
            assert!(elimination.later.iter().map(VarSet::len).max() <= Some(9));
        }
    }
}
