//! Gibbs sampling with several chains that watch each other.

use super::evidence::Evidence;
use super::factors::Factors;
use super::network::Network;
use super::options::GibbsOptions;
use super::plan::Asked;
use super::random::{pick, stream};
use crate::control::{Pace, Under};
use crate::data::Var;
use crate::error::Result;
use rand::Rng;
use rand_pcg::Pcg64Mcg;
use rayon::prelude::*;

/// Batches per chain, of which the spread gives the effective sample size.
pub(crate) const BATCHES: usize = 40;

/// What the chains say about themselves.
#[derive(Clone, Debug, PartialEq)]
pub struct Gibbs {
    /// Chains.
    pub chains: usize,
    /// Sweeps per chain that counted.
    pub sweeps: usize,
    /// Split R-hat of each variable, the largest over its levels: near 1 when the halves of
    /// all chains agree, infinite when they are stuck apart.
    pub r_hat: Vec<f64>,
    /// Effective sample size of each variable, the smallest over its levels, by batch means;
    /// 0 where R-hat is infinite.
    pub effective: Vec<f64>,
}

impl Gibbs {
    /// The largest split R-hat.
    pub fn worst_r_hat(&self) -> f64 {
        self.r_hat.iter().copied().fold(1.0, f64::max)
    }

    /// The smallest effective sample size.
    pub fn least_effective(&self) -> f64 {
        self.effective.iter().copied().fold(f64::INFINITY, f64::min)
    }

    /// Whether the chains agree: split R-hat below 1.01 and 100 effective draws per chain.
    pub fn agrees(&self) -> bool {
        self.worst_r_hat() < 1.01 && self.least_effective() >= 100.0 * self.chains as f64
    }
}

/// What one chain leaves: per variable and level the sum of its conditional probabilities,
/// and how often it was visited in each batch.
struct Chain {
    sums: Vec<Vec<f64>>,
    visits: Vec<Vec<[u32; BATCHES]>>,
}

impl Network {
    /// Estimates all marginals by Gibbs sampling, each as the mean of the conditional
    /// probabilities that the chains met.
    ///
    /// # Errors
    /// When the clique tables do not fit the memory, or there are fewer than two chains.
    pub(super) fn gibbs<T: Copy>(&self, asked: Asked<'_, T>) -> Result<(Vec<Vec<f64>>, Gibbs)> {
        let Asked { evidence, options, .. } = asked;
        options.gibbs.check()?;
        let factors = self.factors_under(evidence, options.exact.memory, options.control())?;
        chains_of(&factors, evidence, options.with(&options.gibbs))
    }
}

/// All marginals by several chains, and what those say about themselves.
///
/// # Errors
/// When there are fewer than two chains, or the control asks to stop.
pub(super) fn chains_of(
    factors: &Factors,
    evidence: &Evidence,
    options: Under<'_, GibbsOptions>,
) -> Result<(Vec<Vec<f64>>, Gibbs)> {
    options.check()?;
    let batch = options.sweeps.div_ceil(BATCHES);
    let chains: Vec<Chain> = (0..options.chains)
        .into_par_iter()
        .map(|chain| run(Walker::start(factors, evidence, options, chain as u64)?, batch))
        .collect::<Result<_>>()?;
    let (marginals, r_hat, effective) = summarize(factors, evidence, &chains, batch);
    let gibbs = Gibbs { chains: options.chains, sweeps: batch * BATCHES, r_hat, effective };
    Ok((marginals, gibbs))
}

/// A row to start from: evidence as given, all else uniform among what is possible.
pub(super) fn start(factors: &Factors, evidence: &Evidence, random: &mut impl Rng) -> Vec<u32> {
    let mut row: Vec<u32> =
        factors.cardinalities().iter().map(|&levels| random.random_range(0..levels)).collect();
    evidence.hard().for_each(|(v, level)| row[v] = level);
    for (v, weights) in evidence.soft().filter(|&(v, _)| evidence.level(v).is_none()) {
        while weights[row[v] as usize] == f64::NEG_INFINITY {
            row[v] = (row[v] + 1) % factors.cardinalities()[v];
        }
    }
    row
}

/// One chain: where it stands, and what it draws with.
pub(super) struct Walker<'a> {
    factors: &'a Factors,
    random: Pcg64Mcg,
    row: Vec<u32>,
    /// Probabilities of a variable's levels.
    buffer: Vec<f64>,
    pace: Pace<'a>,
}

impl<'a> Walker<'a> {
    /// A chain of this number after its warm-up.
    pub(super) fn start(
        factors: &'a Factors,
        evidence: &Evidence,
        options: Under<'a, GibbsOptions>,
        chain: u64,
    ) -> Result<Self> {
        let mut random = stream(options.seed, chain);
        let row = start(factors, evidence, &mut random);
        let pace = Pace::new(options.control());
        let mut walker = Self { factors, random, row, buffer: Vec::new(), pace };
        walker.sweeps(options.warm_up)?;
        Ok(walker)
    }

    /// The levels of all variables as they are now.
    pub(super) fn row(&self) -> &[u32] {
        &self.row
    }

    /// Draws every unobserved variable so many times.
    pub(super) fn sweeps(&mut self, count: usize) -> Result<()> {
        (0..count).try_for_each(|_| self.sweep(|_, _, _| {}))
    }

    /// Draws every unobserved variable once. `seen` is told each with the probabilities of its
    /// levels and the level that was drawn.
    fn sweep(&mut self, mut seen: impl FnMut(Var, &[f64], usize)) -> Result<()> {
        self.pace.step(sweep_work(self.factors))?;
        for v in self.factors.free().iter() {
            self.factors.conditional(v, &self.row, &mut self.buffer);
            let level = pick(&mut self.random, &self.buffer);
            seen(v, &self.buffer, level);
            self.row[v] = level as u32;
        }
        Ok(())
    }
}

/// What a sweep takes, in cells of a table.
pub(super) fn sweep_work(factors: &Factors) -> usize {
    // A draw looks into several tables at places far apart.
    32 * factors.free().len()
}

fn run(mut walker: Walker<'_>, batch: usize) -> Result<Chain> {
    let levels = || walker.factors.cardinalities().iter().map(|&levels| levels as usize);
    let mut result = Chain {
        sums: levels().map(|levels| vec![0.0; levels]).collect(),
        visits: levels().map(|levels| vec![[0; BATCHES]; levels]).collect(),
    };
    for at in 0..batch * BATCHES {
        walker.sweep(|v, probabilities, level| {
            result.sums[v].iter_mut().zip(probabilities).for_each(|(sum, p)| *sum += p);
            result.visits[v][level][at / batch] += 1;
        })?;
    }
    Ok(result)
}

/// Marginals, split R-hat and effective size per variable.
fn summarize(
    factors: &Factors,
    evidence: &Evidence,
    chains: &[Chain],
    batch: usize,
) -> (Vec<Vec<f64>>, Vec<f64>, Vec<f64>) {
    let draws = (chains.len() * batch * BATCHES) as f64;
    let (mut marginals, mut r_hats, mut sizes) = (Vec::new(), Vec::new(), Vec::new());
    for (v, &levels) in factors.cardinalities().iter().enumerate() {
        let mut marginal = vec![0.0; levels as usize];
        if let Some(level) = evidence.level(v) {
            marginal[level as usize] = 1.0;
            r_hats.push(1.0);
            sizes.push(draws);
        } else {
            for chain in chains {
                marginal.iter_mut().zip(&chain.sums[v]).for_each(|(sum, p)| *sum += p / draws);
            }
            let of_level = |level: usize| {
                let series: Vec<&[u32; BATCHES]> =
                    chains.iter().map(|chain| &chain.visits[v][level]).collect();
                rate(&series, batch)
            };
            let both: Vec<(f64, f64)> = (0..levels as usize).map(of_level).collect();
            r_hats.push(both.iter().map(|&(r, _)| r).fold(1.0, f64::max));
            sizes.push(both.iter().map(|&(_, size)| size).fold(f64::INFINITY, f64::min));
        }
        marginals.push(marginal);
    }
    (marginals, r_hats, sizes)
}

/// Split R-hat and effective size of an indicator. Chains that are stuck apart say nothing about
/// how often it holds: they have no effective draws.
pub(crate) fn rate(series: &[&[u32; BATCHES]], batch: usize) -> (f64, f64) {
    let r_hat = split_r_hat(series, batch);
    (r_hat, if r_hat.is_finite() { effective_size(series, batch) } else { 0.0 })
}

/// Split R-hat (Gelman et al., Bayesian Data Analysis, 11.4) of an indicator, from its visits
/// per batch.
fn split_r_hat(series: &[&[u32; BATCHES]], batch: usize) -> f64 {
    let n = (batch * BATCHES / 2) as f64;
    let halves = series.iter().flat_map(|visits| visits.chunks(BATCHES / 2));
    let means: Vec<f64> =
        halves.map(|half| half.iter().map(|&count| f64::from(count)).sum::<f64>() / n).collect();
    let within =
        means.iter().map(|p| p * (1.0 - p) * n / (n - 1.0).max(1.0)).sum::<f64>() / means.len() as f64;
    let between = n * variance(&means);
    if between == 0.0 {
        return 1.0;
    }
    if within == 0.0 {
        return f64::INFINITY;
    }
    (((n - 1.0) / n * within + between / n) / within).sqrt().max(1.0)
}

/// Independent draws that would give a mean as good, by batch means over all chains; never
/// more than there are draws.
fn effective_size(series: &[&[u32; BATCHES]], batch: usize) -> f64 {
    let means: Vec<f64> =
        series.iter().flat_map(|visits| visits.iter().map(|&c| f64::from(c) / batch as f64)).collect();
    let p = means.iter().sum::<f64>() / means.len() as f64;
    let draws = (means.len() * batch) as f64;
    let spread = variance(&means) * batch as f64;
    if spread == 0.0 { draws } else { (draws * p * (1.0 - p) / spread).min(draws) }
}

fn variance(values: &[f64]) -> f64 {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>() / (values.len() as f64 - 1.0)
}
