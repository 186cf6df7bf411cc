//! Pieces of a run that are done alone: each is what the whole run finds there.

use super::LearnOptions;
use super::climb::ClimbStart;
use super::observer::LearnObserver;
use super::resume::LearnState;
use super::search::{Search, Setting};
use crate::control::{Control, Outcome, StopReason};
use crate::counts::PlaneCounts;
use crate::data::{Dataset, Var};
use crate::error::Result;
use crate::graph::VarSet;
use crate::score::Scorer;
use crate::search::{ClimbResult, NodeMemo};
use std::ops::Range;
use std::sync::Arc;

/// What pieces are cut from.
#[derive(Clone, Copy)]
pub(crate) struct Whole<'a> {
    pub(crate) data: &'a Dataset,
    pub(crate) options: &'a LearnOptions,
}

impl Whole<'_> {
    /// The structure of the kappa at a place, from what is known of the run. `None` where it was stopped
    /// before its climb began.
    pub(crate) fn structure_of(
        self,
        place: usize,
        mut known: LearnState,
        observer: &dyn LearnObserver,
    ) -> Result<Option<ClimbResult>> {
        let stood = known.climb.take();
        let ground = known.graph.as_ref().map(|graph| graph.climb.steps.clone());
        let kappa = self.options.kappas[place];
        let found =
            self.with(known, |search| search.structure(kappa, ClimbStart::of(stood, None), observer))?;
        // Stopped while the contexts of the graph were looked for, it stands at the graph, and that is
        // no state of this climb.
        let not_begun = found.climb.stop != StopReason::Converged
            && ground.is_some_and(|steps| steps == found.climb.steps);
        Ok((!not_begun).then_some(found))
    }

    /// The graph that the climbs of mode `blanket` start from, from what is known of the run.
    pub(crate) fn graph(self, known: LearnState, observer: &dyn LearnObserver) -> Result<ClimbResult> {
        self.with(known, |search| search.graph(observer))
    }

    /// The blankets of some variables, each with whether a limit cut it short.
    pub(crate) fn blankets_of(
        self,
        variables: Range<Var>,
        control: &dyn Control,
    ) -> Result<Outcome<Vec<(VarSet, bool)>>> {
        self.with(LearnState::default(), |search| search.blankets_of(variables, control))
    }

    fn with<T>(
        self,
        known: LearnState,
        work: impl FnOnce(&mut Search<'_, '_, '_, PlaneCounts>) -> Result<T>,
    ) -> Result<T> {
        let Self { data, options } = self;
        let counts = PlaneCounts::new(data);
        let rules = Arc::new(options.knowledge.rules(data.schema())?);
        let scorer = Scorer::with_memory(&counts, options.alpha, options.fit.memory);
        let memo = Arc::new(NodeMemo::new(&scorer));
        let setting = Setting { counts: &counts, options, rules: &rules };
        work(&mut Search::new(&scorer, &memo, &setting, (known.blankets, known.graph)))
    }
}
