//! Chordality: whether every cycle of four or more nodes has a chord (paper, section 1: the
//! decomposable special case, where maximum likelihood has a closed form).

use super::{Graph, VarSet};
use crate::data::Var;
use std::collections::BTreeSet;

/// An order in which every node's later neighbours are complete, or `None` when the graph
/// is not chordal.
///
/// Maximum cardinality search (Tarjan and Yannakakis 1984), lowest node first among equals,
/// then the test that the order is perfect.
///
/// # Example
/// ```
/// use cmnet::{Edge, Graph, perfect_elimination_order};
/// let mut square = Graph::empty(4);
/// for (i, j) in [(0, 1), (1, 2), (2, 3), (3, 0)] {
///     square.toggle(Edge::new(i, j)?);
/// }
/// assert!(perfect_elimination_order(&square).is_none());
/// square.toggle(Edge::new(0, 2)?);
/// assert!(perfect_elimination_order(&square).is_some());
/// # Ok::<(), cmnet::Error>(())
/// ```
pub fn perfect_elimination_order(graph: &Graph) -> Option<Vec<Var>> {
    let mut order = maximum_cardinality_order(graph);
    order.reverse();
    let mut rank = vec![0; graph.nodes()];
    for (position, &node) in order.iter().enumerate() {
        rank[node] = position;
    }
    for &node in &order {
        let later = |other: &Var| rank[*other] > rank[node];
        let first = graph.markov_blanket(node).iter().filter(later).min_by_key(|&other| rank[other]);
        if let Some(first) = first {
            let perfect = graph
                .markov_blanket(node)
                .iter()
                .filter(later)
                .all(|other| other == first || graph.markov_blanket(first).contains(other));
            if !perfect {
                return None;
            }
        }
    }
    Some(order)
}

/// Whether every cycle of four or more nodes has a chord.
pub fn is_chordal(graph: &Graph) -> bool {
    perfect_elimination_order(graph).is_some()
}

/// The maximal cliques of a chordal graph and the separators of a junction tree of them.
///
/// Separators stand as often as they separate; empty ones, between components, are left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decomposition {
    /// The maximal cliques, in an order with the running intersection property.
    pub cliques: Vec<VarSet>,
    /// The separators that are not empty.
    pub separators: Vec<VarSet>,
}

/// Cliques and separators, or `None` when the graph is not chordal.
///
/// Read off a maximum cardinality search (Blair and Peyton 1993): a node with no more earlier
/// neighbours than the node before it begins a new clique, and they are the separator.
///
/// # Example
/// ```
/// use cmnet::{Edge, Graph, decompose};
/// let mut path = Graph::empty(3);
/// path.toggle(Edge::new(0, 1)?);
/// path.toggle(Edge::new(1, 2)?);
/// let parts = decompose(&path).unwrap();
/// assert_eq!(parts.cliques.len(), 2);
/// assert_eq!(parts.separators[0].as_slice(), [1]);
/// # Ok::<(), cmnet::Error>(())
/// ```
pub fn decompose(graph: &Graph) -> Option<Decomposition> {
    let mut order = perfect_elimination_order(graph)?;
    order.reverse();
    let mut visited = vec![false; graph.nodes()];
    let mut parts = Decomposition { cliques: Vec::new(), separators: Vec::new() };
    let mut clique = VarSet::default();
    for node in order {
        let earlier: VarSet = graph.markov_blanket(node).iter().filter(|&other| visited[other]).collect();
        if earlier.len() < clique.len() {
            parts.cliques.push(std::mem::take(&mut clique));
            if !earlier.is_empty() {
                parts.separators.push(earlier.clone());
            }
            clique = earlier;
        }
        clique = clique.toggled(node);
        visited[node] = true;
    }
    if !clique.is_empty() {
        parts.cliques.push(clique);
    }
    Some(parts)
}

/// Nodes in an order in which each has the most neighbours among those before it.
fn maximum_cardinality_order(graph: &Graph) -> Vec<Var> {
    let nodes = graph.nodes();
    let mut visited_neighbors = vec![0usize; nodes];
    let mut visited = vec![false; nodes];
    let mut order = Vec::with_capacity(nodes);
    let mut buckets: Vec<BTreeSet<Var>> = vec![(0..nodes).collect()];
    while order.len() < nodes {
        while buckets.last().is_some_and(BTreeSet::is_empty) {
            buckets.pop();
        }
        let Some(node) = buckets.last_mut().and_then(BTreeSet::pop_first) else { break };
        visited[node] = true;
        order.push(node);
        for neighbor in graph.markov_blanket(node).iter().filter(|&v| !visited[v]) {
            let count = visited_neighbors[neighbor];
            buckets[count].remove(&neighbor);
            if buckets.len() == count + 1 {
                buckets.push(BTreeSet::new());
            }
            buckets[count + 1].insert(neighbor);
            visited_neighbors[neighbor] = count + 1;
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Edge;

    /// Chordal when nodes with complete neighbourhoods can be taken away until none is left.
    fn by_definition(graph: &Graph) -> bool {
        let mut left: Vec<Var> = (0..graph.nodes()).collect();
        while !left.is_empty() {
            let simplicial = left.iter().copied().find(|&v| {
                graph.is_complete(
                    &graph.markov_blanket(v).iter().filter(|other| left.contains(other)).collect(),
                )
            });
            let Some(node) = simplicial else { return false };
            left.retain(|&v| v != node);
        }
        true
    }

    #[test]
    fn every_graph_on_five_nodes_is_judged_rightly() {
        let pairs: Vec<Edge> = Graph::empty(5).pairs().collect();
        let mut chordal = 0;
        for mask in 0u32..1 << pairs.len() {
            let mut graph = Graph::empty(5);
            pairs.iter().enumerate().filter(|(k, _)| mask >> k & 1 == 1).for_each(|(_, &edge)| {
                graph.toggle(edge);
            });
            assert_eq!(is_chordal(&graph), by_definition(&graph));
            chordal += usize::from(is_chordal(&graph));
        }
        assert_eq!(chordal, 822); // labelled chordal graphs on five nodes
    }

    #[test]
    fn every_complete_set_is_in_one_more_clique_than_separator() {
        let pairs: Vec<Edge> = Graph::empty(5).pairs().collect();
        for mask in 0u32..1 << pairs.len() {
            let mut graph = Graph::empty(5);
            pairs.iter().enumerate().filter(|(k, _)| mask >> k & 1 == 1).for_each(|(_, &edge)| {
                graph.toggle(edge);
            });
            let Some(parts) = decompose(&graph) else { continue };
            let mut cliques = parts.cliques.clone();
            cliques.sort();
            assert_eq!(cliques, crate::graph::maximal_cliques(&graph).unwrap());
            for subset in 1u32..32 {
                let set: VarSet = (0..5).filter(|v| subset >> v & 1 == 1).collect();
                let within = |sets: &[VarSet]| sets.iter().filter(|s| s.intersection(&set) == set).count();
                let expected = usize::from(graph.is_complete(&set));
                assert_eq!(within(&parts.cliques), within(&parts.separators) + expected);
            }
        }
    }
}
