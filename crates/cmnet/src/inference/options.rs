//! How questions are answered: memory, elimination rule, method.

use crate::error::{Error, Expected, OptionName, Result, choices};
use crate::tree::EliminationRule;
use std::fmt;

/// Memory, elimination rule and treatment of cut edges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExactOptions {
    /// The most memory for tables, in bytes. [default: 1 GiB]
    pub memory: u64,
    /// How variables are ordered; the better of both when not given.
    pub rule: Option<EliminationRule>,
    /// Leave edges in the graph that the evidence cuts: only to see what they would cost.
    pub keep_cut_edges: bool,
}

impl Default for ExactOptions {
    fn default() -> Self {
        Self { memory: 1 << 30, rule: None, keep_cut_edges: false }
    }
}

choices! {
    /// Which method is asked for.
    pub enum QueryMethod of Method {
        /// Exact when the tables fit the memory, else gibbs.
        Auto = "auto",
        /// Junction tree or elimination, or a refusal.
        Exact = "exact",
        /// Gibbs sampling; the most probable completion is annealed, then climbs by blocks.
        Gibbs = "gibbs",
        /// Loopy belief propagation; the most probable completion takes maxima, then climbs by blocks.
        Belief = "bp",
    }
}

/// Which method answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InferenceMethod {
    /// The junction tree.
    Exact,
    /// Gibbs sampling.
    Gibbs,
    /// Loopy belief propagation.
    Belief,
}

impl fmt::Display for InferenceMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Exact => "exact",
            Self::Gibbs => "gibbs",
            Self::Belief => "bp",
        })
    }
}

/// How Gibbs sampling runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GibbsOptions {
    /// Chains from different starting points. [default: 4] [range: 2 or more]
    pub chains: usize,
    /// Sweeps per chain that count; rounded up to a multiple of 40. [default: 4000]
    pub sweeps: usize,
    /// Sweeps per chain before. [default: 1000]
    pub warm_up: usize,
    /// What determines the random numbers, whatever the number of threads. [default: 1]
    pub seed: u64,
}

/// More chains or sweeps than this are a slip of the finger.
const MOST_CHAINS: usize = 10_000;
const MOST_SWEEPS: usize = 1_000_000_000;

impl Default for GibbsOptions {
    fn default() -> Self {
        Self { chains: 4, sweeps: 4000, warm_up: 1000, seed: 1 }
    }
}

impl GibbsOptions {
    pub(super) fn check(&self) -> Result<()> {
        if !(2..=MOST_CHAINS).contains(&self.chains) {
            let expected = Expected::Between(2, MOST_CHAINS as u64);
            return Err(Error::option(OptionName::Chains, self.chains.to_string(), expected));
        }
        if !(1..=MOST_SWEEPS).contains(&self.sweeps) {
            let expected = Expected::Between(1, MOST_SWEEPS as u64);
            return Err(Error::option(OptionName::Sweeps, self.sweeps.to_string(), expected));
        }
        if self.warm_up > MOST_SWEEPS {
            let expected = Expected::AtMost(MOST_SWEEPS as u64);
            return Err(Error::option(OptionName::WarmUp, self.warm_up.to_string(), expected));
        }
        Ok(())
    }
}

/// How belief propagation runs.
#[derive(Clone, Debug, PartialEq)]
pub struct BeliefOptions {
    /// The most rounds over all cliques. [default: 1000]
    pub rounds: usize,
    /// Messages that change by no more than this have settled. [default: 1e-9]
    pub tolerance: f64,
    /// The share of the old message that a new one keeps, from the tenth round on.
    /// [default: 0.3]
    pub damping: f64,
}

impl Default for BeliefOptions {
    fn default() -> Self {
        Self { rounds: 1000, tolerance: 1e-9, damping: 0.3 }
    }
}

/// How a probable completion is looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClimbOptions {
    /// Annealed Gibbs chains; 0 leaves max-product messages and the variables for themselves.
    /// [default: 8]
    pub chains: usize,
    /// Sweeps of each chain while it cools. [default: 200]
    pub sweeps: usize,
    /// Blocks without a gain after which a start is done. [default: 20]
    pub patience: usize,
    /// What determines the random numbers, whatever the number of threads. [default: 1]
    pub seed: u64,
}

impl Default for ClimbOptions {
    fn default() -> Self {
        Self { chains: 8, sweeps: 200, patience: 20, seed: 1 }
    }
}

impl ClimbOptions {
    pub(super) fn check(&self) -> Result<()> {
        if self.sweeps == 0 && self.chains > 0 {
            return Err(Error::option(OptionName::Sweeps, "0", Expected::AtLeast(1)));
        }
        if self.chains > MOST_CHAINS {
            let expected = Expected::AtMost(MOST_CHAINS as u64);
            return Err(Error::option(OptionName::Chains, self.chains.to_string(), expected));
        }
        Ok(())
    }
}

/// How a question is answered: by which method, and how each method works.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct QueryOptions {
    /// Memory, which limits every method, and how exact inference works.
    pub exact: ExactOptions,
    /// Which method.
    pub method: QueryMethod,
    /// Chains, sweeps, seed.
    pub gibbs: GibbsOptions,
    /// Iterations, tolerance, damping.
    pub belief: BeliefOptions,
    /// How a probable completion is looked for.
    pub climb: ClimbOptions,
}
