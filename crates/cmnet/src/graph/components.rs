//! Connected components: what is independent of the rest is handled on its own.

use super::{Graph, VarSet};

/// The connected components of a graph, by lowest member.
///
/// # Example
/// ```
/// use cmnet::{Edge, Graph, components};
/// let mut graph = Graph::empty(4);
/// graph.toggle(Edge::new(0, 2)?);
/// let parts = components(&graph);
/// assert_eq!(parts.len(), 3);
/// assert_eq!(parts[0].as_slice(), [0, 2]);
/// # Ok::<(), cmnet::Error>(())
/// ```
pub fn components(graph: &Graph) -> Vec<VarSet> {
    let mut seen = vec![false; graph.nodes()];
    let mut parts = Vec::new();
    for start in 0..graph.nodes() {
        if seen[start] {
            continue;
        }
        seen[start] = true;
        let mut members = vec![start];
        let mut next = 0;
        while let Some(&node) = members.get(next) {
            next += 1;
            for neighbor in graph.markov_blanket(node).iter() {
                if !seen[neighbor] {
                    seen[neighbor] = true;
                    members.push(neighbor);
                }
            }
        }
        parts.push(members.into_iter().collect());
    }
    parts
}
