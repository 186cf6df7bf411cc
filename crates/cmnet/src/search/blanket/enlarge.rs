//! Pairs that the first blankets left out and that the graph found now speaks for.

use crate::control::{Control, Halting, check};
use crate::counts::CountSource;
use crate::data::Var;
use crate::error::Result;
use crate::graph::{Edge, Graph, VarSet};
use crate::score::{ContextPrior, Scorer};
use crate::search::limits::BlanketLimits;
use rayon::prelude::*;
use std::collections::BTreeSet;

/// Looks for pairs that could improve a graph.
pub(in crate::search) struct PairSearch<'a, 'b, S> {
    pub(in crate::search) scorer: &'a Scorer<'b, S>,
    pub(in crate::search) limits: BlanketLimits,
    pub(in crate::search) graph: &'a Graph,
    /// The pairs that are candidates already, ascending.
    pub(in crate::search) known: &'a [Edge],
    /// What is known about edges, and how probable they are.
    pub(in crate::search) prior: &'a ContextPrior,
}

impl<S: CountSource> PairSearch<'_, '_, S> {
    /// Pairs that are not candidates yet and could improve the graph: one end's plain score
    /// grows with the other end in its blanket.
    ///
    /// `swept` has the blankets to which no variable was worth adding or all such pairs are
    /// known; only nodes with another blanket are counted for.
    pub(in crate::search) fn new_pairs(
        &self,
        swept: &mut [VarSet],
        control: &dyn Control,
    ) -> Halting<Vec<Edge>> {
        let graph = self.graph;
        let open: Vec<Var> =
            (0..graph.nodes()).filter(|&node| swept[node] != *graph.markov_blanket(node)).collect();
        let look = |&node: &Var| {
            check(control)?;
            Ok(self.improving(node)?)
        };
        let found: Vec<Vec<Edge>> = open.par_iter().map(look).collect::<Halting<_>>()?;
        for node in open {
            swept[node] = graph.markov_blanket(node).clone();
        }
        Ok(self.unknown(found.into_iter().flatten().collect()))
    }

    /// Pairs that are not candidates yet and have a common neighbour, so that the edge can have
    /// contexts and can change others.
    pub(in crate::search) fn two_apart(&self) -> Result<Vec<Edge>> {
        let mut pairs = BTreeSet::new();
        for node in 0..self.graph.nodes() {
            pairs.extend(two_apart(self.graph, node)?);
        }
        Ok(self.unknown(pairs))
    }

    /// Those that are no candidates yet and can be toggled.
    fn unknown(&self, pairs: BTreeSet<Edge>) -> Vec<Edge> {
        let is_new =
            |edge: &Edge| self.prior.rules().is_free(*edge) && self.known.binary_search(edge).is_err();
        pairs.into_iter().filter(is_new).collect()
    }

    /// The pairs of a node with those that its plain score would grow with.
    fn improving(&self, node: Var) -> Result<Vec<Edge>> {
        let (scorer, blanket) = (self.scorer, self.graph.markov_blanket(node));
        let cardinalities = scorer.cardinalities();
        let room = self.limits.room(blanket, cardinalities);
        let fits = |&other: &Var| {
            other != node && u64::from(cardinalities[other]) <= room && !blanket.contains(other)
        };
        let open: Vec<Var> = (0..self.graph.nodes()).filter(fits).collect();
        let plain = scorer.plain_node_score(node, blanket)?;
        let floor = plain - self.prior.highest_edge_end();
        let mut better = Vec::new();
        for (place, score) in scorer.extensions_above(node, blanket, &open, floor)? {
            let edge = Edge::new(node, open[place])?;
            if score + self.prior.edge_end(edge) > plain {
                better.push(edge);
            }
        }
        Ok(better)
    }
}

/// The pairs of a node with those two steps away.
fn two_apart(graph: &Graph, node: Var) -> Result<Vec<Edge>> {
    let blanket = graph.markov_blanket(node);
    let beyond = blanket.iter().flat_map(|neighbor| graph.markov_blanket(neighbor).iter());
    beyond
        .filter(|&other| other > node && !blanket.contains(other))
        .map(|other| Edge::new(node, other))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counts::RowCounts;
    use crate::data::Dataset;
    use crate::score::{Alpha, EdgePattern, EdgeProbability, Kappa, Knowledge};
    use std::sync::Arc;

    #[test]
    fn a_probable_edge_is_found_where_the_counts_speak_against_it() {
        let rows = [["0", "0"], ["0", "1"], ["1", "0"], ["1", "1"]].repeat(5);
        let data = Dataset::from_labels(&["a", "b"], rows).unwrap();
        let counts = RowCounts::new(&data);
        let scorer = Scorer::new(&counts, Alpha::default());
        let uniform = ContextPrior::new(Kappa::Epsilon, data.rows());
        let probable = EdgeProbability { edge: EdgePattern::Ends(["a".into(), "b".into()]), p: 0.999 };
        let knowledge = Knowledge { prior: vec![probable], ..Knowledge::default() };
        let rules = Arc::new(knowledge.rules(data.schema()).unwrap());
        let graph = Graph::empty(2);
        let pairs = |prior: &ContextPrior| {
            let limits = BlanketLimits::default();
            let search = PairSearch { scorer: &scorer, limits, graph: &graph, known: &[], prior };
            let mut swept = [VarSet::from_iter([1]), VarSet::from_iter([0])];
            search.new_pairs(&mut swept, &()).unwrap()
        };
        assert_eq!(pairs(&uniform), []);
        assert_eq!(pairs(&uniform.clone().with_rules(rules)), [Edge::new(0, 1).unwrap()]);
    }
}
