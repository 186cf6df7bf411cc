//! Distributions of single variables by the best method that fits.

use super::belief::Belief;
use super::evidence::Evidence;
use super::gibbs::Gibbs;
use super::network::Network;
use super::options::{InferenceMethod, QueryMethod, QueryOptions};
use super::plan::{Asked, ExactCost, QueryPlan};
use super::posterior::Posterior;
use crate::control::{Control, Under, ask};
use crate::data::Var;
use crate::error::{ErrorKind, Result};
use crate::graph::VarSet;
use crate::tree::TreeCost;

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
pub struct MarginalAnswer {
    /// The distribution of each target, in the order asked for.
    pub marginals: Vec<(Var, Vec<f64>)>,
    /// The method, why that one, and what it cost.
    pub plan: QueryPlan,
    /// The log-probability of the evidence, where the method knows it.
    pub log_evidence: Option<f64>,
    /// What is known about the error of a method that is not exact.
    pub approximation: Option<Approximation>,
}

impl Network {
    /// What rows drawn under this evidence will take, and by which method.
    ///
    /// # Errors
    /// When a method without a tree is chosen and there are too many cliques to count.
    pub(super) fn plan_rows(
        &self,
        evidence: &Evidence,
        options: Under<'_, QueryOptions>,
    ) -> Result<QueryPlan> {
        let cost = self.cost(evidence, &options.exact);
        let exact = ExactCost { what: "the junction tree", cost, bytes: cost.bytes(2) };
        self.plan_by(exact, Asked { targets: (), evidence, options })
    }

    /// What the marginals of some variables will take, and by which method: where the tree of
    /// all unobserved variables does not fit, that of what matters to these may.
    ///
    /// # Errors
    /// When a method without a tree is chosen and there are too many cliques to count.
    pub(super) fn plan_marginals(&self, asked: Asked<'_>) -> Result<QueryPlan> {
        Ok(self.plan_part(asked)?.0)
    }

    /// The same, with whether it is about all unobserved variables.
    fn plan_part(&self, asked: Asked<'_>) -> Result<(QueryPlan, bool)> {
        let Asked { targets, evidence, options } = asked;
        let exact = |what, cost: TreeCost| ExactCost { what, cost, bytes: cost.bytes(2) };
        // The probability of the evidence takes a tree without it, built when this one is gone.
        let with_partition = |exact: ExactCost| {
            let partition = self.partition_cost(evidence, &options.exact).map_or(0, |cost| cost.bytes(2));
            ExactCost { bytes: exact.bytes.max(partition), ..exact }
        };
        let fits = |cost: TreeCost| !cost.at_least && cost.bytes(2) <= options.exact.memory;
        let whole = self.cost(evidence, &options.exact);
        if matches!(options.method, QueryMethod::Auto | QueryMethod::Exact) && !fits(whole) {
            let cost = self.cost_about(&targets.iter().copied().collect(), evidence, &options.exact);
            if fits(cost) {
                let exact = exact("the junction tree of what matters to the targets", cost);
                return Ok((self.plan_by(exact, asked)?, false));
            }
        }
        let exact = exact("the junction tree", whole);
        let exact = if fits(whole) { with_partition(exact) } else { exact };
        Ok((self.plan_by(exact, asked)?, true))
    }

    /// The distributions of some variables given evidence, by the method asked for.
    ///
    /// # Errors
    /// When a target does not exist, stands twice or is given; when the tree does not fit the
    /// memory and the method is exact; when the evidence has probability 0.
    pub(super) fn marginals(&self, asked: Asked<'_>) -> Result<MarginalAnswer> {
        let (Asked { targets, evidence, .. }, exact) = (asked, asked.exact());
        self.check_targets(targets, evidence)?;
        let (plan, whole) = self.plan_part(asked)?;
        let method = plan.method;
        let mut answer =
            MarginalAnswer { marginals: Vec::new(), plan, log_evidence: None, approximation: None };
        let of = |all: &[Vec<f64>]| targets.iter().map(|&v| (v, all[v].clone())).collect();
        match method {
            InferenceMethod::Exact if whole => {
                let posterior = self.posterior(evidence, exact)?;
                answer.marginals = each_marginal(&posterior, targets, exact.control())?;
                let log_weight = posterior.log_weight();
                drop(posterior);
                answer.log_evidence = unless_stopped(self.log_evidence(log_weight, evidence, exact))?;
            }
            InferenceMethod::Exact => {
                let about: VarSet = targets.iter().copied().collect();
                let posterior = self.posterior_about(&about, evidence, exact)?;
                answer.marginals = each_marginal(&posterior, targets, exact.control())?;
            }
            InferenceMethod::Gibbs => {
                let (all, gibbs) = self.gibbs(asked)?;
                answer.marginals = of(&all);
                answer.approximation = Some(Approximation::Gibbs(gibbs));
            }
            InferenceMethod::Belief => {
                let (all, belief) = self.belief(asked)?;
                answer.marginals = of(&all);
                answer.approximation = Some(Approximation::Belief(belief));
            }
        }
        Ok(answer)
    }
}

fn each_marginal(
    posterior: &Posterior<'_>,
    targets: &[Var],
    control: &dyn Control,
) -> Result<Vec<(Var, Vec<f64>)>> {
    let one = |&v: &Var| ask(control).map(|()| (v, posterior.marginal(v)));
    targets.iter().map(one).collect()
}

/// What an answer can do without, where it cannot be had; a stop is no such place.
pub(super) fn unless_stopped<T>(found: Result<T>) -> Result<Option<T>> {
    match found {
        Err(error) if matches!(error.kind(), ErrorKind::Stopped(_)) => Err(error),
        found => Ok(found.ok()),
    }
}
