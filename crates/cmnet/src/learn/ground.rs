//! Mode `blanket`, kappa by kappa: the graph first, once for all kappas, then contexts from there.

use super::climb::{ClimbStart, by_climb, go_on};
use super::observer::{LearnEvent, LearnObserver};
use crate::control::{Control, Outcome, StopReason};
use crate::counts::CountSource;
use crate::data::Var;
use crate::error::Result;
use crate::graph::VarSet;
use crate::score::{ContextPrior, Kappa};
use crate::search::{BlanketSearch, BlanketState, ClimbRecord, ClimbResult, NodeMemo};
use crate::structure::Structure;
use std::ops::Range;
use std::sync::Arc;

/// What the searches of all kappas stand on.
pub(super) struct Ground<'m, 'a, 'b, S> {
    search: BlanketSearch<'a, 'b, S>,
    /// The prior of graphs without contexts.
    plain: ContextPrior,
    memo: &'m Arc<NodeMemo<'a>>,
    blankets: BlanketState,
    /// The climb without contexts, as far as it came.
    graph: Option<ClimbResult>,
}

impl<'m, 'a, 'b, S: CountSource> Ground<'m, 'a, 'b, S> {
    /// Goes on from what is known already.
    pub(super) fn new(
        search: BlanketSearch<'a, 'b, S>,
        plain: ContextPrior,
        memo: &'m Arc<NodeMemo<'a>>,
        (blankets, graph): (Option<BlanketState>, Option<ClimbResult>),
    ) -> Self {
        Self { search, plain, memo, blankets: blankets.unwrap_or_default(), graph }
    }

    /// The blankets of some variables alone.
    pub(super) fn blankets_of(
        &self,
        variables: Range<Var>,
        control: &dyn Control,
    ) -> Result<Outcome<Vec<(VarSet, bool)>>> {
        self.search.blankets_of(variables, control)
    }

    /// Finds the blankets that are not known yet; a reason other than convergence leaves some of them open.
    pub(super) fn find_blankets(&mut self, observer: &dyn LearnObserver) -> Result<StopReason> {
        self.search.find_blankets(&mut self.blankets, observer)
    }

    /// The blankets that are known, those of the first variables, each with whether a limit cut it short.
    pub(super) fn blankets(&self) -> impl Iterator<Item = (&VarSet, bool)> {
        self.blankets.blankets()
    }

    /// The nodes whose blankets a limit cut short.
    pub(super) fn limited(&self) -> Vec<Var> {
        self.blankets.limited()
    }

    /// Searches under a prior, from the beginning or from where it stood.
    ///
    /// Ended early before contexts are looked for, it has the graph as far as that came.
    pub(super) fn search(
        &mut self,
        prior: ContextPrior,
        from: ClimbStart<'_>,
        observer: &dyn LearnObserver,
    ) -> Result<ClimbResult> {
        let stop = self.find_blankets(observer)?;
        if stop != StopReason::Converged {
            return self.nothing(stop);
        }
        if prior.kappa() == Kappa::Epsilon {
            return self.graph(from, observer);
        }
        let climb = self.search.climb(&self.blankets, prior)?.sharing(self.memo);
        if !matches!(from, ClimbStart::Empty) {
            return by_climb(&climb, from, observer);
        }
        let graph = self.graph(ClimbStart::Empty, observer)?;
        if graph.climb.stop != StopReason::Converged {
            return Ok(graph);
        }
        let start = climb.start_from(&graph, observer)?;
        go_on(&climb, start, graph, observer)
    }

    /// The climb without contexts.
    pub(super) fn graph(
        &mut self,
        from: ClimbStart<'_>,
        observer: &dyn LearnObserver,
    ) -> Result<ClimbResult> {
        let (known, start) = match from {
            ClimbStart::Saved(saved) => (Some(saved), None),
            ClimbStart::Graph(graph) => (self.graph.take(), Some(graph)),
            ClimbStart::Empty => (self.graph.take(), None),
        };
        if let Some(found) = known.as_ref().filter(|found| found.climb.stop == StopReason::Converged) {
            let found = found.clone();
            self.graph = known;
            return Ok(found);
        }
        let climb =
            self.search.climb(&self.blankets, self.plain.clone())?.sharing(self.memo).for_other_climbs();
        let found = by_climb(&climb, ClimbStart::of(known, start), observer)?;
        if found.climb.stop == StopReason::Converged {
            observer.observe_learning(&LearnEvent::GraphFound(&found));
        }
        self.graph = Some(found.clone());
        Ok(found)
    }

    /// The result of a search that was ended before its climb: the required edges alone.
    fn nothing(&self, stop: StopReason) -> Result<ClimbResult> {
        let graph = self.plain.rules().required_graph(self.search.cardinalities().len());
        Ok(ClimbResult {
            structure: Structure::from_graph(graph, self.search.cardinalities())?,
            climb: ClimbRecord::none(stop),
            added_candidates: Vec::new(),
            limited: Vec::new(),
        })
    }
}
