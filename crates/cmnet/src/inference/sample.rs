//! Rows drawn from a network, the same for any number of threads.

use super::evidence::Evidence;
use super::factors::Factors;
use super::gibbs::{Gibbs, Walker, chains_of};
use super::network::Network;
use super::options::{GibbsOptions, InferenceMethod, QueryMethod, QueryOptions};
use super::plan::QueryPlan;
use super::posterior::Posterior;
use super::random::stream;
use crate::control::{Pace, Under};
use crate::error::{Error, Result};
use rayon::prelude::*;

/// Rows drawn from one stream of random numbers.
const BLOCK: usize = 1024;

/// Draws rows: exactly through the junction tree where it fits, else by Gibbs sampling.
#[derive(Debug)]
pub struct Sampler<'a> {
    source: Source<'a>,
    control: Under<'a, ()>,
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
    pub(super) fn sampler<'a>(
        &'a self,
        evidence: &Evidence,
        options: Under<'_, QueryOptions>,
        control: Under<'a, ()>,
    ) -> Result<Sampler<'a>> {
        if options.method == QueryMethod::Belief {
            let problem = "belief propagation draws no rows";
            return Err(Error::question(problem, "use the methods auto, exact or gibbs"));
        }
        let (exact, gibbs) = (options.with(&options.exact), &options.gibbs);
        let QueryPlan { method, reason, .. } = self.plan_rows(evidence, options)?;
        let source = if method == InferenceMethod::Exact {
            Source::Exact(Box::new(self.posterior(evidence, exact)?))
        } else {
            let factors = self.factors_under(evidence, exact.memory, options.control())?;
            Source::Gibbs(Box::new(factors), gibbs.clone())
        };
        let variables = self.schema().len();
        Ok(Sampler { source, control, evidence: evidence.clone(), variables, seed: gibbs.seed, reason })
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

    /// The seed of the draws.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The evidence that rows are drawn given.
    pub fn known(&self) -> &Evidence {
        &self.evidence
    }

    /// Why that way.
    pub fn reason(&self) -> &str {
        &self.reason
    }

    /// What as many chains as the options ask for say about the drawing of rows, as a query's
    /// chains do; `None` where rows are drawn exactly.
    ///
    /// Rows come from chains like these. Chains that disagree are stuck in parts of the
    /// distribution, and so are the rows.
    ///
    /// # Errors
    /// When an option is out of range; when the control of the query asks to stop.
    pub fn diagnose(&self) -> Result<Option<Gibbs>> {
        let Source::Gibbs(factors, options) = &self.source else { return Ok(None) };
        // A chain alone agrees with itself.
        let options = GibbsOptions { chains: options.chains.max(2), ..options.clone() };
        let (_, gibbs) = chains_of(factors, &self.evidence, self.control.with(&options))?;
        Ok(Some(gibbs))
    }

    /// Some rows of levels of all variables: those with numbers in a range of a sequence that
    /// the seed determines.
    ///
    /// # Errors
    /// When the control of the query asks to stop.
    pub fn rows(&self, range: std::ops::Range<usize>) -> Result<Vec<Vec<u32>>> {
        let blocks = range.start / BLOCK..range.end.div_ceil(BLOCK);
        let drawn: Vec<Vec<Vec<u32>>> =
            blocks.clone().into_par_iter().map(|block| self.block(block)).collect::<Result<_>>()?;
        let first = blocks.start * BLOCK;
        Ok(drawn.into_iter().flatten().skip(range.start - first).take(range.len()).collect())
    }

    fn block(&self, block: usize) -> Result<Vec<Vec<u32>>> {
        match &self.source {
            Source::Exact(posterior) => {
                let mut random = stream(self.seed, block as u64);
                let mut pace = Pace::new(self.control.control());
                let mut next = || {
                    pace.step(posterior.draw_work())?;
                    let mut row = vec![0; self.variables];
                    posterior.draw(&mut random, &mut row);
                    Ok(row)
                };
                (0..BLOCK).map(|_| next()).collect()
            }
            Source::Gibbs(factors, options) => {
                let options = self.control.with(options);
                let mut walker = Walker::start(factors, &self.evidence, options, block as u64)?;
                (0..BLOCK).map(|_| walker.sweeps(5).map(|()| walker.row().to_vec())).collect()
            }
        }
    }
}
