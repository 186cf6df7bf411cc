//! Rows drawn from a network, the same for any number of threads.

use super::evidence::Evidence;
use super::factors::Factors;
use super::gibbs::{start, sweep};
use super::network::Network;
use super::options::{GibbsOptions, InferenceMethod, QueryMethod, QueryOptions};
use super::plan::QueryPlan;
use super::posterior::Posterior;
use super::random::stream;
use crate::error::{Error, Result};
use rayon::prelude::*;

/// Rows drawn from one stream of random numbers.
const BLOCK: usize = 1024;

/// Draws rows: exactly through the junction tree where it fits, else by Gibbs sampling.
#[derive(Debug)]
pub struct Sampler<'a> {
    source: Source<'a>,
    evidence: Evidence,
    variables: usize,
    seed: u64,
    reason: String,
}

#[derive(Debug)]
enum Source<'a> {
    Exact(Box<Posterior<'a>>),
    Gibbs(Box<Factors>, GibbsOptions),
}

impl Network {
    /// Something that draws rows given evidence. See [`super::Query::sampler`].
    pub(super) fn sampler(&self, evidence: &Evidence, options: &QueryOptions) -> Result<Sampler<'_>> {
        if options.method == QueryMethod::Belief {
            let problem = "belief propagation draws no rows";
            return Err(Error::question(problem, "use the methods auto, exact or gibbs"));
        }
        let (exact, gibbs) = (&options.exact, &options.gibbs);
        let QueryPlan { method, reason, .. } = self.plan_rows(evidence, options)?;
        let source = match method {
            InferenceMethod::Exact => Source::Exact(Box::new(self.posterior(evidence, exact)?)),
            _ => Source::Gibbs(Box::new(self.factors(evidence, exact.memory)?), gibbs.clone()),
        };
        let variables = self.schema().len();
        Ok(Sampler { source, evidence: evidence.clone(), variables, seed: gibbs.seed, reason })
    }
}

impl Sampler<'_> {
    /// How rows are drawn.
    pub fn method(&self) -> InferenceMethod {
        match self.source {
            Source::Exact(_) => InferenceMethod::Exact,
            Source::Gibbs(..) => InferenceMethod::Gibbs,
        }
    }

    /// Why that way.
    pub fn reason(&self) -> &str {
        &self.reason
    }

    /// Some rows of levels of all variables: those with numbers in a range of a sequence that
    /// the seed determines.
    pub fn rows(&self, range: std::ops::Range<usize>) -> Vec<Vec<u32>> {
        let blocks = range.start / BLOCK..range.end.div_ceil(BLOCK);
        let drawn: Vec<Vec<Vec<u32>>> =
            blocks.clone().into_par_iter().map(|block| self.block(block)).collect();
        let first = blocks.start * BLOCK;
        drawn.into_iter().flatten().skip(range.start - first).take(range.len()).collect()
    }

    fn block(&self, block: usize) -> Vec<Vec<u32>> {
        let mut random = stream(self.seed, block as u64);
        match &self.source {
            Source::Exact(posterior) => (0..BLOCK)
                .map(|_| {
                    let mut row = vec![0; self.variables];
                    posterior.draw(&mut random, &mut row);
                    row
                })
                .collect(),
            Source::Gibbs(factors, options) => {
                let mut row = start(factors, &self.evidence, &mut random);
                let mut buffer = Vec::new();
                (0..options.warm_up).for_each(|_| sweep(factors, &mut random, &mut row, &mut buffer));
                let mut next = || {
                    (0..5).for_each(|_| sweep(factors, &mut random, &mut row, &mut buffer));
                    row.clone()
                };
                (0..BLOCK).map(|_| next()).collect()
            }
        }
    }
}
