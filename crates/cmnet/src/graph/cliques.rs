//! Maximal cliques of a graph (paper, section 2.1: the phi-terms live on complete subsets).

use super::{Graph, VarSet};
use crate::data::Var;
use crate::error::{Error, Remedy, Result};

/// The most maximal cliques that are listed.
///
/// A graph can have 3^(d/3) of them; a list of that kind serves nobody.
pub const MOST_CLIQUES: usize = 1 << 20;

/// The maximal cliques of a graph in lexicographic order; an isolated node is one of its own.
///
/// Bron-Kerbosch with pivoting, started once from every node.
///
/// # Errors
/// When there are more than [`MOST_CLIQUES`].
///
/// # Example
/// ```
/// use cmnet::{Edge, Graph, maximal_cliques};
/// let mut graph = Graph::empty(4);
/// for (i, j) in [(0, 1), (0, 2), (1, 2), (2, 3)] {
///     graph.toggle(Edge::new(i, j)?);
/// }
/// let cliques = maximal_cliques(&graph)?;
/// assert_eq!(cliques[0].as_slice(), [0, 1, 2]);
/// assert_eq!(cliques[1].as_slice(), [2, 3]);
/// # Ok::<(), cmnet::Error>(())
/// ```
pub fn maximal_cliques(graph: &Graph) -> Result<Vec<VarSet>> {
    guarded_cliques(graph, &|_| Ok(()))
}

/// The same, asking `guard` about every complete set on the way: a refusal ends the search
/// while the set is still small, whatever the size of the clique that it grows into.
pub(crate) fn guarded_cliques(graph: &Graph, guard: &dyn Fn(&[Var]) -> Result<()>) -> Result<Vec<VarSet>> {
    let mut search = Search { graph, guard, found: Vec::new() };
    for node in 0..graph.nodes() {
        let (earlier, later) = graph.markov_blanket(node).iter().partition(|&other| other < node);
        search.extend(&mut vec![node], later, earlier)?;
    }
    search.found.sort_unstable();
    Ok(search.found)
}

struct Search<'a> {
    graph: &'a Graph,
    guard: &'a dyn Fn(&[Var]) -> Result<()>,
    found: Vec<VarSet>,
}

impl Search<'_> {
    /// `clique` can grow by any of `candidates`; what it could have grown by before is `done`.
    fn extend(&mut self, clique: &mut Vec<Var>, mut candidates: Vec<Var>, mut done: Vec<Var>) -> Result<()> {
        (self.guard)(clique)?;
        if candidates.is_empty() {
            return if done.is_empty() { self.report(clique) } else { Ok(()) };
        }
        let pivot = self.pivot(&candidates, &done);
        let branches: Vec<Var> =
            candidates.iter().copied().filter(|&v| v == pivot || !self.adjacent(pivot, v)).collect();
        for node in branches {
            let near = |list: &[Var]| list.iter().copied().filter(|&v| self.adjacent(node, v)).collect();
            let (next_candidates, next_done) = (near(&candidates), near(&done));
            clique.push(node);
            self.extend(clique, next_candidates, next_done)?;
            clique.pop();
            candidates.retain(|&v| v != node);
            done.push(node);
        }
        Ok(())
    }

    /// The node with most neighbours among the candidates, the first such: fewest branches.
    fn pivot(&self, candidates: &[Var], done: &[Var]) -> Var {
        let reach = |node: Var| candidates.iter().filter(|&&v| self.adjacent(node, v)).count();
        let mut best = (candidates[0], reach(candidates[0]));
        for &node in candidates.iter().chain(done).skip(1) {
            let reached = reach(node);
            if reached > best.1 {
                best = (node, reached);
            }
        }
        best.0
    }

    fn adjacent(&self, one: Var, other: Var) -> bool {
        self.graph.markov_blanket(one).contains(other)
    }

    fn report(&mut self, clique: &[Var]) -> Result<()> {
        if self.found.len() == MOST_CLIQUES {
            return Err(Error::limit(
                "the number of maximal cliques of the graph",
                MOST_CLIQUES,
                Remedy::LearnSparserGraph,
            ));
        }
        self.found.push(clique.iter().copied().collect());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Edge;

    fn graph(nodes: usize, edges: &[(Var, Var)]) -> Graph {
        let mut graph = Graph::empty(nodes);
        for &(i, j) in edges {
            graph.toggle(Edge::new(i, j).unwrap());
        }
        graph
    }

    /// Every complete set that no node can be added to, by trying all subsets.
    fn by_definition(graph: &Graph) -> Vec<VarSet> {
        let nodes = graph.nodes();
        let sets =
            (1u32..1 << nodes).map(|mask| (0..nodes).filter(|v| mask >> v & 1 == 1).collect::<VarSet>());
        let complete: Vec<VarSet> = sets.filter(|set| graph.is_complete(set)).collect();
        let maximal =
            |set: &&VarSet| (0..nodes).all(|v| set.contains(v) || !graph.is_complete(&set.toggled(v)));
        let mut cliques: Vec<VarSet> = complete.iter().filter(maximal).cloned().collect();
        cliques.sort();
        cliques
    }

    #[test]
    fn every_graph_on_five_nodes_has_the_cliques_of_the_definition() {
        let pairs: Vec<Edge> = Graph::empty(5).pairs().collect();
        for mask in 0u32..1 << pairs.len() {
            let edges: Vec<_> =
                pairs.iter().enumerate().filter(|(k, _)| mask >> k & 1 == 1).map(|(_, e)| e.ends()).collect();
            let graph = graph(5, &edges);
            assert_eq!(maximal_cliques(&graph).unwrap(), by_definition(&graph));
        }
    }

    #[test]
    fn a_guard_stops_the_search_early() {
        let edges: Vec<_> = Graph::empty(300).pairs().map(Edge::ends).collect();
        let complete = graph(300, &edges);
        let guard = |set: &[Var]| if set.len() > 5 { Err(Error::limit("set", 5, "")) } else { Ok(()) };
        assert!(guarded_cliques(&complete, &guard).is_err());
    }
}
