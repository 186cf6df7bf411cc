//! The best labels of one clique: a non-reversible Markov chain over regular maximal labels.

use super::clique::labelled;
use super::factorials::LogFactorials;
use super::labels::{LabelSpace, Labels};
use cmnet::Nats;
use rand::Rng;
use std::collections::BTreeMap;

/// Changes after which a proposal that is still not regular and maximal is given up.
const PATIENCE: usize = 1000;

/// Searches the labels of a clique with these counts; returns the best visited with its log
/// marginal likelihood.
///
/// A proposal adds or removes random elements, each with probability 1/2, until the labels
/// are regular and maximal; it is accepted with the ratio of marginal likelihoods.
pub(super) fn best_labels(
    factorials: &LogFactorials,
    table: &[u32],
    space: &LabelSpace,
    iterations: u32,
    rng: &mut impl Rng,
) -> (Labels, Nats) {
    let mut scores: BTreeMap<Labels, Nats> = BTreeMap::new();
    let mut current = (Labels::new(), labelled(factorials, table, space, &Labels::new()));
    let mut best = current.clone();
    if space.elements().is_empty() {
        return best;
    }
    for _ in 0..iterations {
        let Some(labels) = propose(space, &current.0, rng) else { continue };
        let score = *scores
            .entry(labels.clone())
            .or_insert_with_key(|labels| labelled(factorials, table, space, labels));
        if !accepted(score - current.1, rng) {
            continue;
        }
        current = (labels, score);
        if current.1 > best.1 {
            best.clone_from(&current);
        }
    }
    best
}

/// Whether a step with this log ratio is taken.
pub(super) fn accepted(log_ratio: Nats, rng: &mut impl Rng) -> bool {
    let draw: f64 = rng.random();
    log_ratio >= Nats::ZERO || draw < libm::exp(log_ratio.to_f64())
}

fn propose(space: &LabelSpace, labels: &Labels, rng: &mut impl Rng) -> Option<Labels> {
    let mut proposal = labels.clone();
    for _ in 0..PATIENCE {
        let addable = space.addable(&proposal);
        let removes = addable.is_empty() || (!proposal.is_empty() && rng.random_bool(0.5));
        if removes {
            proposal.remove(rng.random_range(0..proposal.len() as u32) as usize);
        } else {
            let element = addable[rng.random_range(0..addable.len() as u32) as usize];
            let place = proposal.partition_point(|&other| other < element);
            proposal.insert(place, element);
        }
        if space.is_regular_and_maximal(&proposal) {
            return Some(proposal);
        }
    }
    None
}
