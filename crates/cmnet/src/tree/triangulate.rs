//! Triangulation: an elimination order and the cliques that it makes (paper, section 1: what
//! is easy on chordal graphs becomes possible on others).

use crate::data::Var;
use crate::error::choices;
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

choices! {
    /// Which variable goes next when a graph is triangulated.
    pub enum EliminationChoice of Elimination {
        /// The better of both.
        Best = "best",
        /// The one that adds the fewest edges.
        MinFill = "min-fill",
        /// The one that makes the smallest table.
        MinWeight = "min-weight",
    }
}

impl EliminationChoice {
    /// The rule to go by; `None` tries both and takes the better.
    pub fn rule(self) -> Option<EliminationRule> {
        match self {
            Self::Best => None,
            Self::MinFill => Some(EliminationRule::MinFill),
            Self::MinWeight => Some(EliminationRule::MinWeight),
        }
    }
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
    eliminate_by(graph, variables, cardinalities, Order { rule, seed: 0 }, most_cells)
}

/// Which variable is eliminated next, and how ties between equal costs are broken.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Order {
    pub(crate) rule: EliminationRule,
    /// 0: by index; else by numbers that the seed determines.
    pub(crate) seed: u64,
}

/// As [`eliminate`], ties broken in any of many ways.
pub(crate) fn eliminate_by(
    graph: &Graph,
    variables: &VarSet,
    cardinalities: &[u32],
    order: Order,
    most_cells: u64,
) -> Elimination {
    let mut state = State::new(graph, variables, cardinalities, order);
    let mut elimination = Elimination { order: Vec::new(), later: Vec::new(), fill: 0, finished: true };
    while let Some((.., tie)) = state.queue.pop_first() {
        let node = tie.node();
        state.waiting[node] = false;
        let neighbors = std::mem::take(&mut state.neighborhoods[node]);
        elimination.order.push(node);
        elimination.later.push(neighbors.iter().copied().collect());
        if state.weight(node, &neighbors) > most_cells {
            elimination.finished = false;
            break;
        }
        elimination.fill += state.remove(node, &neighbors);
    }
    elimination
}

/// A node with its place among nodes of equal costs: the upper half of a number that the seed determines, then its index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Tie(u64);

impl Tie {
    fn new(seed: u64, node: Var) -> Self {
        let place = if seed == 0 { 0 } else { mixed(seed, node as u64) >> 32 };
        Self(place << 32 | node as u64)
    }

    fn node(self) -> Var {
        (self.0 & u64::from(u32::MAX)) as Var
    }
}

/// A number that a seed and a node determine (splitmix64).
fn mixed(seed: u64, node: u64) -> u64 {
    let mut word = (seed << 32 ^ node).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ word >> 31
}

/// What is left of the graph, with the cost of each variable in a queue.
///
/// Neighbourhoods are sorted lists. Whether a node is in one of them is asked of marks, which
/// are laid out once per list: that is most of the work.
struct State<'a> {
    cardinalities: &'a [u32],
    rule: EliminationRule,
    neighborhoods: Vec<Vec<Var>>,
    costs: Vec<(u64, u64)>,
    queue: BTreeSet<(u64, u64, Tie)>,
    ties: Vec<Tie>,
    waiting: Vec<bool>,
    marks: Vec<u64>,
    mark: u64,
}

impl<'a> State<'a> {
    fn new(graph: &Graph, variables: &VarSet, cardinalities: &'a [u32], order: Order) -> Self {
        let nodes = graph.nodes();
        let mut state = Self {
            cardinalities,
            rule: order.rule,
            ties: (0..nodes).map(|node| Tie::new(order.seed, node)).collect(),
            neighborhoods: (0..nodes).map(|v| graph.markov_blanket(v).as_slice().to_vec()).collect(),
            costs: vec![(0, 0); nodes],
            queue: BTreeSet::new(),
            waiting: vec![false; nodes],
            marks: vec![0; nodes],
            mark: 0,
        };
        for node in variables.iter() {
            state.waiting[node] = true;
            state.costs[node] = state.cost(node);
            state.queue.insert((state.costs[node].0, state.costs[node].1, state.ties[node]));
        }
        state
    }

    /// Marks the neighbours of a node.
    fn mark_neighbors(&mut self, node: Var) {
        self.mark += 1;
        for &neighbor in &self.neighborhoods[node] {
            self.marks[neighbor] = self.mark;
        }
    }

    fn is_marked(&self, node: Var) -> bool {
        self.marks[node] == self.mark
    }

    fn cost(&mut self, node: Var) -> (u64, u64) {
        self.mark_neighbors(node);
        let neighbors = &self.neighborhoods[node];
        // Each edge among the neighbours is met from both ends.
        let met = |&one: &Var| self.neighborhoods[one].iter().filter(|&&other| self.is_marked(other)).count();
        let met: usize = neighbors.iter().map(met).sum();
        let all = neighbors.len() * neighbors.len().saturating_sub(1);
        let (fill, weight) = (((all - met) / 2) as u64, self.weight(node, neighbors));
        match self.rule {
            EliminationRule::MinFill => (fill, weight),
            EliminationRule::MinWeight => (weight, fill),
        }
    }

    /// Cells of the table that the elimination of a variable makes.
    fn weight(&self, node: Var, neighbors: &[Var]) -> u64 {
        let own = u64::from(self.cardinalities[node]);
        neighbors.iter().fold(own, |w, &v| w.saturating_mul(self.cardinalities[v].into()))
    }

    /// Removes a node and connects its neighbours; returns how many edges that took.
    fn remove(&mut self, node: Var, neighbors: &[Var]) -> usize {
        for &neighbor in neighbors {
            let list = &mut self.neighborhoods[neighbor];
            if let Ok(place) = list.binary_search(&node) {
                list.remove(place);
            }
        }
        let mut added = Vec::new();
        for (place, &one) in neighbors.iter().enumerate() {
            self.mark_neighbors(one);
            let missing = neighbors[place + 1..].iter().filter(|&&other| !self.is_marked(other));
            added.extend(missing.map(|&other| (one, other)));
        }
        for &(one, other) in &added {
            for (from, to) in [(one, other), (other, one)] {
                let list = &mut self.neighborhoods[from];
                let place = list.partition_point(|&known| known < to);
                list.insert(place, to);
            }
        }
        // A new edge changes the fill of whoever sees both ends.
        let mut stale = neighbors.to_vec();
        for run in added.chunk_by(|a, b| a.0 == b.0) {
            self.mark_neighbors(run[0].0);
            for &(_, other) in run {
                stale.extend(self.neighborhoods[other].iter().copied().filter(|&v| self.is_marked(v)));
            }
        }
        stale.sort_unstable();
        stale.dedup();
        for other in stale {
            self.refresh(other);
        }
        added.len()
    }

    fn refresh(&mut self, node: Var) {
        if !self.waiting[node] {
            return;
        }
        let (new, (first, second)) = (self.cost(node), self.costs[node]);
        if new != (first, second) {
            self.queue.remove(&(first, second, self.ties[node]));
            self.queue.insert((new.0, new.1, self.ties[node]));
            self.costs[node] = new;
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
