//! Rows drawn from a network, the same for any number of threads.

use super::ask::{Ask, Choice, MethodUsed, QueryMethod};
use super::evidence::Evidence;
use super::factors::Factors;
use super::gibbs::{GibbsOptions, start, sweep};
use super::network::Network;
use super::posterior::Posterior;
use crate::data::mix;
use crate::error::{Error, Result};
use rand_pcg::Pcg64Mcg;
use rayon::prelude::*;

/// Rows drawn from one stream of random numbers.
const BLOCK: usize = 1024;

/// The generator of one task: streams of different tasks of a seed have nothing in common.
pub(super) fn stream(seed: u64, task: u64) -> Pcg64Mcg {
    let words = [seed, task, !seed].map(mix);
    let high = mix(words[0] ^ words[1].rotate_left(17));
    let low = mix(words[2] ^ words[1]);
    Pcg64Mcg::new(u128::from(high) << 64 | u128::from(low))
}

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
    /// Something that draws rows given evidence.
    ///
    /// By Gibbs sampling, each block of 1,024 rows is a chain of its own: it starts with the
    /// options' warm-up, and keeps every fifth sweep. The options' number of sweeps is not
    /// used, and their seed is the sampler's.
    ///
    /// # Errors
    /// As [`Network::posterior`].
    pub fn sampler(
        &self,
        evidence: &Evidence,
        ask: &Ask,
        method: QueryMethod,
        options: &GibbsOptions,
    ) -> Result<Sampler<'_>> {
        if method == QueryMethod::Belief {
            let problem = "belief propagation draws no rows";
            return Err(Error::question(problem, "use the methods auto, exact or gibbs"));
        }
        let Choice { method, reason, .. } = self.choose(evidence, ask, method)?;
        let source = match method {
            MethodUsed::Exact => Source::Exact(Box::new(self.posterior(evidence, ask)?)),
            _ => Source::Gibbs(Box::new(self.factors(evidence, ask.memory)?), options.clone()),
        };
        let variables = self.schema().len();
        Ok(Sampler { source, evidence: evidence.clone(), variables, seed: options.seed, reason })
    }
}

impl Sampler<'_> {
    /// How rows are drawn.
    pub fn method(&self) -> MethodUsed {
        match self.source {
            Source::Exact(_) => MethodUsed::Exact,
            Source::Gibbs(..) => MethodUsed::Gibbs,
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
