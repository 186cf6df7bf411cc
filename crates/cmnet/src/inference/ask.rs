//! How questions are answered: memory, elimination rule, method.

use super::belief::{Belief, BeliefOptions};
use super::evidence::Evidence;
use super::gibbs::{Gibbs, GibbsOptions};
use super::network::Network;
use super::plan::TreeCost;
use super::triangulate::EliminationRule;
use crate::data::Var;
use crate::error::{Error, Result};
use crate::graph::VarSet;
use std::fmt;

/// Memory, elimination rule and treatment of cut edges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ask {
    /// The most memory for tables, in bytes. [default: 1 GiB]
    pub memory: u64,
    /// How variables are ordered; the better of both when not given.
    pub rule: Option<EliminationRule>,
    /// Leave edges in the graph that the evidence cuts: only to see what they would cost.
    pub keep_cut_edges: bool,
}

impl Default for Ask {
    fn default() -> Self {
        Self { memory: 1 << 30, rule: None, keep_cut_edges: false }
    }
}

/// Which method is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum QueryMethod {
    /// Exact when the junction tree fits the memory, else Gibbs sampling.
    #[default]
    Auto,
    /// The junction tree, or a refusal.
    Exact,
    /// Gibbs sampling.
    Gibbs,
    /// Loopy belief propagation.
    Belief,
}

/// Which method answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MethodUsed {
    /// The junction tree.
    Exact,
    /// Gibbs sampling.
    Gibbs,
    /// Loopy belief propagation.
    Belief,
}

impl fmt::Display for MethodUsed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Exact => "exact",
            Self::Gibbs => "gibbs",
            Self::Belief => "bp",
        })
    }
}

/// How good an approximation is.
#[derive(Clone, Debug, PartialEq)]
pub enum Approximation {
    /// What the chains say about themselves.
    Gibbs(Gibbs),
    /// Whether and when messages stopped changing.
    Belief(Belief),
}

/// Marginals with the method that gave them.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The distribution of each target, in the order asked for.
    pub marginals: Vec<(Var, Vec<f64>)>,
    /// The method.
    pub method: MethodUsed,
    /// Why that one.
    pub reason: String,
    /// What the junction tree costs, or would cost.
    pub cost: TreeCost,
    /// The log-probability of the evidence, where the method knows it.
    pub log_evidence: Option<f64>,
    /// What is known about the error of a method that is not exact.
    pub approximation: Option<Approximation>,
}

/// How each method works.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Methods {
    /// Which one.
    pub method: QueryMethod,
    /// Chains, sweeps, seed.
    pub gibbs: GibbsOptions,
    /// Iterations, tolerance, damping.
    pub belief: BeliefOptions,
}

impl Network {
    /// What the tree for a question costs, and whether it is exact: all of that before any
    /// table is allocated.
    pub fn choose(
        &self,
        evidence: &Evidence,
        ask: &Ask,
        method: QueryMethod,
    ) -> (MethodUsed, TreeCost, String) {
        let cost = self.cost(evidence, ask);
        let fits = !cost.at_least && cost.bytes(2) <= ask.memory;
        let (need, have) = (mebibytes(cost.bytes(2)), mebibytes(ask.memory));
        let at_least = if cost.at_least { "at least " } else { "" };
        let size = format!("the junction tree ({cost}) takes {at_least}{need} MiB of {have} MiB");
        match method {
            QueryMethod::Exact => (MethodUsed::Exact, cost, size),
            QueryMethod::Gibbs => (MethodUsed::Gibbs, cost, "asked for".to_owned()),
            QueryMethod::Belief => (MethodUsed::Belief, cost, "asked for".to_owned()),
            QueryMethod::Auto if fits => (MethodUsed::Exact, cost, size),
            QueryMethod::Auto => {
                (MethodUsed::Gibbs, cost, format!("the junction tree ({cost}) does not fit {have} MiB"))
            }
        }
    }

    /// The distributions of some variables given evidence, by the method asked for.
    ///
    /// # Errors
    /// When a target does not exist, stands twice or is given; when the tree does not fit the
    /// memory and the method is exact; when the evidence has probability 0.
    pub fn marginals(
        &self,
        targets: &[Var],
        evidence: &Evidence,
        ask: &Ask,
        methods: &Methods,
    ) -> Result<Answer> {
        self.check_targets(targets, evidence)?;
        let (method, cost, reason) = self.choose(evidence, ask, methods.method);
        let mut answer =
            Answer { marginals: Vec::new(), method, reason, cost, log_evidence: None, approximation: None };
        let of = |all: &[Vec<f64>]| targets.iter().map(|&v| (v, all[v].clone())).collect();
        match method {
            MethodUsed::Exact => {
                let posterior = self.posterior(evidence, ask)?;
                answer.marginals = targets.iter().map(|&v| (v, posterior.marginal(v))).collect();
                answer.log_evidence = posterior.log_evidence(ask).ok();
            }
            MethodUsed::Gibbs => {
                let (all, gibbs) = self.gibbs(evidence, ask, &methods.gibbs)?;
                answer.marginals = of(&all);
                answer.approximation = Some(Approximation::Gibbs(gibbs));
            }
            MethodUsed::Belief => {
                let (all, belief) = self.belief(evidence, ask, &methods.belief)?;
                answer.marginals = of(&all);
                answer.approximation = Some(Approximation::Belief(belief));
            }
        }
        Ok(answer)
    }

    /// The variables with these names, in the order given.
    ///
    /// # Errors
    /// When one does not exist, stands twice or is given.
    pub fn targets(&self, names: &[String], evidence: &Evidence) -> Result<Vec<Var>> {
        let find = |name: &String| super::find_variable(self.schema(), name);
        let targets: Vec<Var> = names.iter().map(find).collect::<Result<_>>()?;
        self.check_targets(&targets, evidence)?;
        if targets.is_empty() && evidence.hard().count() == self.schema().len() {
            let problem = "every variable is given";
            return Err(Error::question(problem, "leave out what you want to know"));
        }
        if targets.is_empty() {
            let free: VarSet = (0..self.schema().len()).filter(|&v| evidence.level(v).is_none()).collect();
            return Ok(free.iter().collect());
        }
        Ok(targets)
    }
}

fn mebibytes(bytes: u64) -> u64 {
    bytes.div_ceil(1 << 20)
}
