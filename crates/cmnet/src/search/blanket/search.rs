//! The blankets of all nodes, found in batches over a state that can be saved between any
//! two of them.

use super::candidates::{CandidateRule, candidates};
use super::neighborhood::{Bounds, Neighborhood, climb};
use crate::control::{Control, Halt, Halting, Outcome, StopReason, outcome};
use crate::counts::CountSource;
use crate::data::Var;
use crate::error::Result;
use crate::graph::{Edge, VarSet};
use crate::score::{ContextPrior, Kappa, Scorer};
use crate::search::graph_climb::GraphClimb;
use crate::search::limits::BlanketLimits;
use crate::search::observer::{SearchEvent, SearchObserver, Standing};
use rayon::prelude::*;
use std::ops::Range;

/// Nodes whose blankets are found between two looks at the clock.
const BATCH: usize = 64;

/// A search in mode `blanket`.
#[derive(Debug)]
pub struct BlanketSearch<'a, 'b, S> {
    scorer: &'a Scorer<'b, S>,
    limits: BlanketLimits,
    rule: CandidateRule,
    prior: ContextPrior,
    max_cells: Option<u64>,
}

/// The blankets found so far, which serve every kappa.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BlanketState {
    blankets: Vec<Neighborhood>,
    of: usize,
}

impl BlanketState {
    /// The state in which these blankets are known, each with whether a limit cut it short.
    pub fn from_blankets(blankets: impl IntoIterator<Item = (VarSet, bool)>) -> Self {
        let neighborhood = |(blanket, limited)| Neighborhood { blanket, limited };
        Self { blankets: blankets.into_iter().map(neighborhood).collect(), of: 0 }
    }

    /// The blankets found so far, by node, each with whether a limit cut it short.
    pub fn blankets(&self) -> impl Iterator<Item = (&VarSet, bool)> {
        self.blankets.iter().map(|found| (&found.blanket, found.limited))
    }

    /// The nodes whose blankets a limit cut short.
    pub fn limited(&self) -> Vec<Var> {
        let limited = self.blankets.iter().enumerate().filter(|(_, found)| found.limited);
        limited.map(|(node, _)| node).collect()
    }

    /// How many blankets are known, and how many there will be.
    pub fn progress(&self) -> (usize, usize) {
        (self.blankets.len(), self.of)
    }
}

impl<'a, 'b, S: CountSource> BlanketSearch<'a, 'b, S> {
    /// A search with these limits and this rule for candidate edges.
    pub fn new(scorer: &'a Scorer<'b, S>, limits: BlanketLimits, rule: CandidateRule) -> Self {
        let prior = ContextPrior::new(Kappa::Epsilon, scorer.rows());
        Self { scorer, limits, rule, prior, max_cells: None }
    }

    /// The same search among graphs whose junction tree has at most so many table cells.
    #[must_use]
    pub fn within(self, max_cells: Option<u64>) -> Self {
        Self { max_cells, ..self }
    }

    /// The same search with what a prior says about edges; its kappa does not matter here.
    #[must_use]
    pub fn with_edge_prior(self, prior: ContextPrior) -> Self {
        Self { prior, ..self }
    }

    /// The number of levels of each variable.
    pub fn cardinalities(&self) -> &[u32] {
        self.scorer.cardinalities()
    }

    /// Finds the blankets that a state lacks; a reason other than convergence leaves the
    /// state ready to go on.
    ///
    /// # Errors
    /// When an outcome space is too large.
    pub fn find_blankets(
        &self,
        state: &mut BlanketState,
        observer: &dyn SearchObserver,
    ) -> Result<StopReason> {
        match self.batches(state, observer) {
            Ok(()) => Ok(StopReason::Converged),
            Err(Halt::Stopped(reason)) => {
                observer.observe(&SearchEvent::Paused(Standing::Blankets(state)));
                Ok(reason)
            }
            Err(Halt::Failed(error)) => Err(error),
        }
    }

    fn batches(&self, state: &mut BlanketState, observer: &dyn SearchObserver) -> Halting<()> {
        state.of = self.scorer.cardinalities().len();
        while state.blankets.len() < state.of {
            let batch = state.blankets.len()..state.of.min(state.blankets.len() + BATCH);
            state.blankets.extend(self.neighborhoods(batch, observer)?);
            observer.observe(&SearchEvent::Advanced(state));
        }
        Ok(())
    }

    /// The blankets of some nodes alone, each with whether a limit cut it short: those that
    /// [`BlanketSearch::find_blankets`] finds for them.
    ///
    /// # Errors
    /// When an outcome space is too large.
    pub fn blankets_of(
        &self,
        nodes: Range<Var>,
        control: &dyn Control,
    ) -> Result<Outcome<Vec<(VarSet, bool)>>> {
        let found = self.neighborhoods(nodes, control);
        outcome(found.map(|all| all.into_iter().map(|found| (found.blanket, found.limited)).collect()))
    }

    fn neighborhoods(&self, nodes: Range<Var>, control: &dyn Control) -> Halting<Vec<Neighborhood>> {
        let bounds = Bounds { limits: self.limits, prior: &self.prior };
        nodes.into_par_iter().map(|node| climb(self.scorer, node, bounds, control)).collect()
    }

    /// The edges that the blankets propose, in lexicographic order.
    ///
    /// # Errors
    /// When a blanket has its own node.
    pub fn candidates(&self, state: &BlanketState) -> Result<Vec<Edge>> {
        let mut edges = candidates(&state.blankets, self.rule)?;
        edges.retain(|&edge| self.prior.rules().is_free(edge));
        Ok(edges)
    }

    /// Algorithm 1 over the edges that the blankets propose. The prior has its own word on edges.
    ///
    /// # Errors
    /// When a blanket has its own node.
    pub fn climb(&self, state: &BlanketState, prior: ContextPrior) -> Result<GraphClimb<'a, 'b, S>> {
        let blankets = state.blankets.iter().map(|found| found.blanket.clone()).collect();
        let climb = GraphClimb::among(self.scorer, prior, self.limits, self.candidates(state)?, blankets);
        Ok(climb.within(self.max_cells))
    }
}
