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
/// Nodes whose blankets were looked at before are `swept`; only the others cost anything.
pub(in crate::search) fn new_pairs<S: CountSource>(
    (scorer, limits): (&Scorer<'_, S>, BlanketLimits),
    (graph, known): (&Graph, &[Edge]),
    contexts: bool,
    swept: &mut Vec<Option<VarSet>>,
    observer: &dyn Observer,
) -> std::result::Result<Vec<Edge>, Halt> {
    swept.resize(graph.nodes(), None);
    let open: Vec<Var> =
        (0..graph.nodes()).filter(|&node| swept[node].as_ref() != Some(graph.markov_blanket(node))).collect();
    let look = |&node: &Var| match observer.stop() {
        Some(reason) => Err(Halt::Stopped(reason)),
        None => Ok(partners(scorer, limits, (graph, node), contexts)?),
    };
    let found: Vec<Vec<Edge>> = open.par_iter().map(look).collect::<std::result::Result<_, Halt>>()?;
    for node in open {
        swept[node] = Some(graph.markov_blanket(node).clone());
    }
    let pairs: BTreeSet<Edge> =
        found.into_iter().flatten().filter(|edge| known.binary_search(edge).is_err()).collect();
    Ok(pairs.into_iter().collect())
}

fn partners<S: CountSource>(
    scorer: &Scorer<'_, S>,
    limits: BlanketLimits,
    (graph, node): (&Graph, Var),
    contexts: bool,
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
    let better = open.iter().zip(scores).filter(|&(_, score)| score > plain).map(|(&other, _)| other);
    let mut partners: Vec<Var> = better.collect();
    if contexts {
        let beyond = blanket.iter().flat_map(|neighbor| graph.markov_blanket(neighbor).iter());
        partners.extend(beyond.filter(fits));
    }
    partners.into_iter().map(|other| Edge::new(node, other)).collect()
}
