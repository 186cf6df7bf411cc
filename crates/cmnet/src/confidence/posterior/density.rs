//! The posterior density of a structure, up to a constant.
//!
//! exponent times the log marginal pseudo-likelihood, plus the log prior. Unlike the score of a
//! search, the prior of contexts is divided by its sum over all contexts of the graph: so graphs have
//! the prior that is asked for, however many contexts they allow.

use super::PosteriorOptions;
use crate::counts::CountSource;
use crate::data::Var;
use crate::error::Result;
use crate::graph::{Blankets, Edge};
use crate::score::{BoundedCache, ContextPrior, EdgeRules, Nats, Scorer};
use crate::structure::Structure;
use libm::{exp, log, log1p};
use std::sync::Arc;

/// Scores nodes, and remembers them for all chains.
pub(super) struct Density<'a, S> {
    pub(super) scorer: &'a Scorer<'a, S>,
    pub(super) prior: ContextPrior,
    exponent: f64,
    nodes: BoundedCache<Box<[u64]>, Nats>,
}

impl<'a, S: CountSource> Density<'a, S> {
    pub(super) fn new(scorer: &'a Scorer<'a, S>, options: &PosteriorOptions, rules: EdgeRules) -> Self {
        let prior = ContextPrior::new(options.kappa, scorer.rows())
            .with_edges(options.edge_prior, scorer.cardinalities().len())
            .with_rules(Arc::new(rules));
        Self { scorer, prior, exponent: options.exponent, nodes: BoundedCache::new(scorer.memo_bytes()) }
    }

    /// The score of a node, to the power that is asked for.
    ///
    /// # Errors
    /// When its blanket has too many configurations.
    pub(super) fn node(&self, structure: &Structure, node: Var) -> Result<f64> {
        Ok(self.exponent * self.score(structure, node)?.to_f64())
    }

    fn score(&self, structure: &Structure, node: Var) -> Result<Nats> {
        if structure.contexts_at(node).next().is_none() {
            return self.scorer.plain_node_score(node, structure.markov_blanket(node));
        }
        let mut key: Vec<u64> = vec![node as u64];
        key.extend(structure.markov_blanket(node).iter().map(|v| v as u64));
        for (neighbor, context) in structure.contexts_at(node) {
            key.extend([u64::MAX, neighbor as u64]);
            // The same cells are others over other common neighbours.
            key.extend(context.space().variables().iter().map(|v| v as u64));
            key.push(u64::MAX);
            key.extend(context.elements());
        }
        if let Some(score) = self.nodes.get(&key[..]) {
            return Ok(score);
        }
        let score = self.scorer.node_score(structure, node)?;
        let bytes = 64 + size_of_val(&key[..]);
        self.nodes.insert(key.into(), score, bytes);
        Ok(score)
    }

    /// The log prior of a structure that keeps to what is known.
    ///
    /// # Errors
    /// When a context's outcome space is too large to be numbered.
    pub(super) fn log_prior(&self, structure: &Structure) -> Result<f64> {
        let mut sum = self.prior.edges_of(structure.graph()).to_f64();
        for edge in structure.graph().edges() {
            let elements = structure.context(edge).map_or(0, |context| context.len() as u64);
            sum += self.log_prior_at(structure, edge, elements)?;
        }
        Ok(sum)
    }

    /// The log prior of an edge's context with so many elements, given the graph.
    fn log_prior_at(&self, structure: &Structure, edge: Edge, elements: u64) -> Result<f64> {
        let Some(cost) = self.element(edge) else {
            return Ok(if elements == 0 { 0.0 } else { f64::NEG_INFINITY });
        };
        if !structure.graph().have_common_neighbor(edge) {
            return Ok(0.0);
        }
        let size = structure.context_space(edge)?.size() as f64;
        Ok(cost * elements as f64 - log_sum(cost, size))
    }

    /// What one element on an edge costs; `None` where there may be none.
    pub(super) fn element(&self, edge: Edge) -> Option<f64> {
        Some(self.prior.element(edge, self.scorer.cardinalities())?.to_f64())
    }

    /// The prior odds of one element of a context over so many configurations, given the graph.
    pub(super) fn element_odds(&self, edge: Edge, size: u64) -> Option<f64> {
        let cost = self.element(edge)?;
        let size = size as f64;
        // Of all contexts, those with the element: kappa times any subset but the full one.
        let with = cost + log_sum(cost, size - 1.0);
        let chance = exp(with - log_sum(cost, size));
        Some(chance / (1.0 - chance))
    }
}

/// ln of the sum over all contexts but the full one: (1 + k)^size - k^size, for cost = ln k.
fn log_sum(cost: f64, size: f64) -> f64 {
    let all = size * log1p(exp(cost));
    let full = exp(cost * size - all);
    all + log(1.0 - full)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_prior_of_contexts_sums_to_one() {
        for (k, size) in [(0.3f64, 2u32), (0.05, 4), (1.0, 3)] {
            let mut sum = 0.0;
            for mask in 0u32..(1 << size) - 1 {
                sum += k.powi(mask.count_ones() as i32);
            }
            assert!((log_sum(log(k), f64::from(size)) - log(sum)).abs() < 1e-12);
        }
    }
}
