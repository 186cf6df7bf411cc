//! What a user may choose when structures are drawn from their posterior.

use crate::error::{Error, Expected, OptionName, Result};
use crate::score::{Alpha, EdgePrior, Kappa, Knowledge};

/// More than these are a slip of the finger.
const MOST_CHAINS: u64 = 1000;
const MOST_SWEEPS: u64 = 100_000_000;
const MOST_RUNGS: u64 = 20;

/// What a user may choose, unchecked.
#[derive(Clone, Debug, PartialEq)]
pub struct PosteriorOptions {
    /// The prior of contexts. \[default: n^-0.5\]
    pub kappa: Kappa,
    /// The Dirichlet hyperparameter per level. \[default: 0.5\]
    pub alpha: Alpha,
    /// The prior of graphs. \[default: uniform\]
    pub edge_prior: EdgePrior,
    /// What is known about edges: structures that do not keep to it have probability 0. \[default: nothing\]
    pub knowledge: Knowledge,
    /// The power of the marginal pseudo-likelihood: above 0, at most 1. \[default: 1\]
    pub exponent: f64,
    /// Chains from different graphs. \[default: 4\] \[range: 2 or more\]
    pub chains: usize,
    /// Sweeps of each chain that count; a multiple of 40 of them is used. \[default: 2000\]
    pub sweeps: usize,
    /// Sweeps of each chain before. \[default: 500\]
    pub warm_up: usize,
    /// Temperatures of each chain: chains at higher ones move freely and hand over what they find.
    /// 1 is no tempering. \[default: 3\]
    pub rungs: usize,
    /// What determines the random numbers, whatever the number of threads. \[default: 1\]
    pub seed: u64,
    /// Threads; 0 takes one per core. \[default: 0\]
    pub threads: usize,
    /// The most memory for what is remembered, in bytes. \[default: 256 MiB\]
    pub memory: u64,
}

impl Default for PosteriorOptions {
    fn default() -> Self {
        Self {
            kappa: Kappa::Power(0.5),
            alpha: Alpha::default(),
            edge_prior: EdgePrior::default(),
            knowledge: Knowledge::default(),
            exponent: 1.0,
            chains: 4,
            sweeps: 2000,
            warm_up: 500,
            rungs: 3,
            seed: 1,
            threads: 0,
            memory: 256 << 20,
        }
    }
}

impl PosteriorOptions {
    pub(super) fn check(&self) -> Result<()> {
        let within = |option, value: usize, low: u64, high: u64| {
            if (low..=high).contains(&(value as u64)) {
                return Ok(());
            }
            Err(Error::option(option, value.to_string(), Expected::Between(low, high)))
        };
        within(OptionName::Chains, self.chains, 2, MOST_CHAINS)?;
        within(OptionName::Sweeps, self.sweeps, 40, MOST_SWEEPS)?;
        within(OptionName::WarmUp, self.warm_up, 0, MOST_SWEEPS)?;
        within(OptionName::Rungs, self.rungs, 1, MOST_RUNGS)?;
        if self.exponent > 0.0 && self.exponent <= 1.0 {
            return Ok(());
        }
        let expected = "a number above 0 and at most 1";
        Err(Error::option(OptionName::Exponent, self.exponent.to_string(), expected))
    }
}
