//! What will be done to answer a question, and what it takes.

use super::evidence::Evidence;
use super::network::Network;
use super::options::{ExactOptions, InferenceMethod, QueryMethod, QueryOptions};
use crate::control::Under;
use crate::data::Var;
use crate::error::Result;
use crate::tree::TreeCost;

/// What will be done, and what it takes: known before any table is allocated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueryPlan {
    /// The method.
    pub method: InferenceMethod,
    /// Why that one, and its memory.
    pub reason: String,
    /// What exact inference costs, or would cost.
    pub cost: TreeCost,
    /// The bytes of the tables that will be held.
    pub bytes: u64,
}

/// A question: what it is about, what is known, and how it is to be answered.
#[derive(Clone, Copy)]
pub(super) struct Asked<'a, Targets = &'a [Var]> {
    /// Some variables; `None`, where a question allows it, is all; `()` where it has none.
    pub(super) targets: Targets,
    pub(super) evidence: &'a Evidence,
    pub(super) options: Under<'a, QueryOptions>,
}

impl<'a, Targets> Asked<'a, Targets> {
    /// How exact inference is to work.
    pub(super) fn exact(&self) -> Under<'_, ExactOptions> {
        self.options.with(&self.options.exact)
    }

    /// The same question about other variables.
    pub(super) fn about<Others>(self, targets: Others) -> Asked<'a, Others> {
        Asked { targets, evidence: self.evidence, options: self.options }
    }
}

/// What exact inference would take.
#[derive(Clone, Copy, Debug)]
pub(super) struct ExactCost {
    pub(super) what: &'static str,
    pub(super) cost: TreeCost,
    pub(super) bytes: u64,
}

impl Network {
    /// The method for a question of which the exact cost is known.
    ///
    /// # Errors
    /// When a method without a tree is chosen and there are too many cliques to count.
    pub(super) fn plan_by<T: Copy>(&self, exact: ExactCost, asked: Asked<'_, T>) -> Result<QueryPlan> {
        let ExactCost { what, cost, bytes } = exact;
        let (memory, method) = (asked.options.exact.memory, asked.options.method);
        let fits = !cost.at_least && bytes <= memory;
        let have = amount(memory);
        let used = match method {
            QueryMethod::Auto if fits => InferenceMethod::Exact,
            QueryMethod::Exact => InferenceMethod::Exact,
            QueryMethod::Auto | QueryMethod::Gibbs => InferenceMethod::Gibbs,
            QueryMethod::Belief => InferenceMethod::Belief,
        };
        if used == InferenceMethod::Exact {
            let at_least = if cost.at_least { "at least " } else { "" };
            let reason = format!("{what} ({cost}) takes {at_least}{} of {have}", amount(bytes));
            return Ok(QueryPlan { method: used, reason, cost, bytes });
        }
        let why = match method {
            QueryMethod::Auto => format!("{what} ({cost}) does not fit {have}"),
            _ => "asked for".to_owned(),
        };
        let bytes = self.factor_bytes(asked.evidence, asked.options.control())?;
        let reason = format!("{why}; the clique tables take {} of {have}", amount(bytes));
        Ok(QueryPlan { method: used, reason, cost, bytes })
    }
}

/// An amount of memory in words, rounded up.
fn amount(bytes: u64) -> String {
    match bytes {
        0..10_240 => format!("{bytes} bytes"),
        10_240..10_485_760 => format!("{} KiB", bytes.div_ceil(1 << 10)),
        _ => format!("{} MiB", bytes.div_ceil(1 << 20)),
    }
}
