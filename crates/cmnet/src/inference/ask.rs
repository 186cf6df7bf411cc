//! How questions are answered: memory, elimination rule, method.

use super::belief::{Belief, BeliefOptions};
use super::climb::ClimbOptions;
use super::evidence::{Evidence, find_variable};
use super::gibbs::{Gibbs, GibbsOptions};
use super::network::Network;
use crate::data::{Var, quoted};
use crate::error::{Error, Result, choices};
use crate::graph::VarSet;
use crate::tree::EliminationRule;
use crate::tree::TreeCost;
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

/// What will be done, and what it takes: known before any table is allocated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The method.
    pub method: MethodUsed,
    /// Why that one, and its memory.
    pub reason: String,
    /// What exact inference costs, or would cost.
    pub cost: TreeCost,
    /// The bytes of the tables that will be held.
    pub bytes: u64,
}

/// Marginals with the method that gave them.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The distribution of each target, in the order asked for.
    pub marginals: Vec<(Var, Vec<f64>)>,
    /// The method, why that one, and what it cost.
    pub choice: Choice,
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
    /// How a probable completion is looked for.
    pub climb: ClimbOptions,
}

/// What exact inference would take.
#[derive(Clone, Copy, Debug)]
pub(super) struct Exact {
    pub(super) what: &'static str,
    pub(super) cost: TreeCost,
    pub(super) bytes: u64,
}

impl Network {
    /// What marginals and samples under this evidence will take, and by which method.
    ///
    /// # Errors
    /// When a method without a tree is chosen and there are too many cliques to count.
    pub fn choose(&self, evidence: &Evidence, ask: &Ask, method: QueryMethod) -> Result<Choice> {
        let cost = self.cost(evidence, ask);
        self.choose_by(Exact { what: "the junction tree", cost, bytes: cost.bytes(2) }, evidence, ask, method)
    }

    /// What the marginals of some variables will take, and by which method: where the tree of
    /// all unobserved variables does not fit, that of what matters to these may.
    ///
    /// # Errors
    /// As [`Network::choose`].
    pub fn choose_marginals(
        &self,
        targets: &[Var],
        evidence: &Evidence,
        ask: &Ask,
        method: QueryMethod,
    ) -> Result<Choice> {
        Ok(self.choose_part(targets, evidence, ask, method)?.0)
    }

    /// The same, with whether it is about all unobserved variables.
    fn choose_part(
        &self,
        targets: &[Var],
        evidence: &Evidence,
        ask: &Ask,
        method: QueryMethod,
    ) -> Result<(Choice, bool)> {
        let exact = |what, cost: TreeCost| Exact { what, cost, bytes: cost.bytes(2) };
        let fits = |cost: TreeCost| !cost.at_least && cost.bytes(2) <= ask.memory;
        let whole = self.cost(evidence, ask);
        if matches!(method, QueryMethod::Auto | QueryMethod::Exact) && !fits(whole) {
            let cost = self.cost_about(&targets.iter().copied().collect(), evidence, ask);
            if fits(cost) {
                let exact = exact("the junction tree of what matters to the targets", cost);
                return Ok((self.choose_by(exact, evidence, ask, method)?, false));
            }
        }
        Ok((self.choose_by(exact("the junction tree", whole), evidence, ask, method)?, true))
    }

    pub(super) fn choose_by(
        &self,
        exact: Exact,
        evidence: &Evidence,
        ask: &Ask,
        method: QueryMethod,
    ) -> Result<Choice> {
        let Exact { what, cost, bytes } = exact;
        let fits = !cost.at_least && bytes <= ask.memory;
        let have = amount(ask.memory);
        let used = match method {
            QueryMethod::Auto if fits => MethodUsed::Exact,
            QueryMethod::Exact => MethodUsed::Exact,
            QueryMethod::Auto | QueryMethod::Gibbs => MethodUsed::Gibbs,
            QueryMethod::Belief => MethodUsed::Belief,
        };
        if used == MethodUsed::Exact {
            let at_least = if cost.at_least { "at least " } else { "" };
            let reason = format!("{what} ({cost}) takes {at_least}{} of {have}", amount(bytes));
            return Ok(Choice { method: used, reason, cost, bytes });
        }
        let why = match method {
            QueryMethod::Auto => format!("{what} ({cost}) does not fit {have}"),
            _ => "asked for".to_owned(),
        };
        let bytes = self.factor_bytes(evidence)?;
        let reason = format!("{why}; the clique tables take {} of {have}", amount(bytes));
        Ok(Choice { method: used, reason, cost, bytes })
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
        let (choice, whole) = self.choose_part(targets, evidence, ask, methods.method)?;
        let method = choice.method;
        let mut answer = Answer { marginals: Vec::new(), choice, log_evidence: None, approximation: None };
        let of = |all: &[Vec<f64>]| targets.iter().map(|&v| (v, all[v].clone())).collect();
        match method {
            MethodUsed::Exact if whole => {
                let posterior = self.posterior(evidence, ask)?;
                answer.marginals = targets.iter().map(|&v| (v, posterior.marginal(v))).collect();
                answer.log_evidence = posterior.log_evidence(ask).ok();
            }
            MethodUsed::Exact => {
                let about: VarSet = targets.iter().copied().collect();
                let posterior = self.posterior_about(&about, evidence, ask)?;
                answer.marginals = targets.iter().map(|&v| (v, posterior.marginal(v))).collect();
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

    /// The variables with these names, in the order given; all that are not given when there
    /// are none. A text may hold several names with commas between, in double quotes those
    /// that contain commas themselves.
    ///
    /// # Errors
    /// When one does not exist, stands twice or is given.
    pub fn targets(&self, names: &[String], evidence: &Evidence) -> Result<Vec<Var>> {
        let mut targets: Vec<Var> = Vec::new();
        for text in names {
            match self.schema().find(text) {
                Some(whole) => targets.push(whole),
                None => {
                    for name in quoted::names(text) {
                        targets.push(find_variable(self.schema(), &name)?);
                    }
                }
            }
        }
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

/// An amount of memory in words, rounded up.
pub(super) fn amount(bytes: u64) -> String {
    match bytes {
        0..10_240 => format!("{bytes} bytes"),
        10_240..10_485_760 => format!("{} KiB", bytes.div_ceil(1 << 10)),
        _ => format!("{} MiB", bytes.div_ceil(1 << 20)),
    }
}
