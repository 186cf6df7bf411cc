//! Pairs that the first blankets left out and that the graph found now speaks for.

use crate::counts::CountSource;
use crate::data::Var;
use crate::error::Result;
use crate::graph::{Edge, Graph, VarSet};
use crate::score::Scorer;
use crate::search::limits::BlanketLimits;
use crate::search::observer::Observer;
use crate::search::stop::Halt;
use rayon::prelude::*;
use std::collections::BTreeSet;

/// Pairs that are not candidates yet and could improve a graph: one end's plain score grows
/// with the other end in its blanket or, where contexts are allowed, both have a common
/// neighbour, so that the new edge can have contexts and can change others.
///
/// `swept` has the blankets to which no variable was worth adding or all such pairs are
/// known; only nodes with another blanket are counted for.
pub(in crate::search) fn new_pairs<S: CountSource>(
    (scorer, limits): (&Scorer<'_, S>, BlanketLimits),
    (graph, known): (&Graph, &[Edge]),
    contexts: bool,
    swept: &mut [VarSet],
    observer: &dyn Observer,
) -> std::result::Result<Vec<Edge>, Halt> {
    let open: Vec<Var> =
        (0..graph.nodes()).filter(|&node| swept[node] != *graph.markov_blanket(node)).collect();
    let look = |&node: &Var| match observer.stop() {
        Some(reason) => Err(Halt::Stopped(reason)),
        None => Ok(improving(scorer, limits, (graph, node))?),
    };
    let found: Vec<Vec<Edge>> = open.par_iter().map(look).collect::<std::result::Result<_, Halt>>()?;
    for node in open {
        swept[node] = graph.markov_blanket(node).clone();
    }
    let mut pairs: BTreeSet<Edge> = found.into_iter().flatten().collect();
    if contexts {
        for node in 0..graph.nodes() {
            pairs.extend(two_apart(graph, node)?);
        }
    }
    Ok(pairs.into_iter().filter(|edge| known.binary_search(edge).is_err()).collect())
}

/// The pairs of a node with those that its plain score would grow with.
fn improving<S: CountSource>(
    scorer: &Scorer<'_, S>,
    limits: BlanketLimits,
    (graph, node): (&Graph, Var),
) -> Result<Vec<Edge>> {
    let blanket = graph.markov_blanket(node);
    let fits = |&other: &Var| {
        other != node
            && !blanket.contains(other)
            && limits.allow(&blanket.toggled(other), scorer.cardinalities())
    };
    let open: Vec<Var> = (0..graph.nodes()).filter(fits).collect();
    let plain = scorer.plain_node_score(node, blanket)?;
    let scores = scorer.extension_scores(node, blanket, &open)?;
    let better = open.iter().zip(scores).filter(|&(_, score)| score > plain);
    better.map(|(&other, _)| Edge::new(node, other)).collect()
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
