//! Chordality: whether every cycle of four or more nodes has a chord (paper, section 1: the
//! decomposable special case, where maximum likelihood has a closed form).

use super::Graph;
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
/// use cmnet::graph::{Edge, Graph, perfect_elimination_order};
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
}
