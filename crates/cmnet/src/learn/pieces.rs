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
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// What pieces are cut from.
#[derive(Clone, Copy)]
pub(crate) struct Whole<'a> {
    pub(crate) data: &'a Dataset,
    pub(crate) options: &'a LearnOptions,
}

/// What the climbs of mode `blanket` start from, and the structures after it, as far as they came.
pub(crate) struct Grounded {
    /// The blankets that were not known before.
    pub(crate) blankets: BTreeMap<Var, (VarSet, bool)>,
    /// The graph, once all blankets are known.
    pub(crate) graph: Option<ClimbResult>,
    /// Structures by the places of their kappas.
    pub(crate) kappas: BTreeMap<usize, ClimbResult>,
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
        let ground = known.graph.clone();
        let kappa = self.options.kappas[place];
        let found =
            self.with(known, |search| search.structure(kappa, ClimbStart::of(stood, None), observer))?;
        Ok(has_begun(&found, ground.as_ref()).then_some(found))
    }

    /// The blankets that are not known of the run yet, and the graph that the climbs of mode `blanket` start from; then
    /// the structures of the kappas at these places.
    pub(crate) fn graph_and(
        self,
        places: &[usize],
        known: LearnState,
        observer: &dyn LearnObserver,
    ) -> Result<Grounded> {
        let first = known.blankets.as_ref().map_or(0, |blankets| blankets.blankets().count());
        self.with(known, |search| {
            let (blankets, stop) = search.blankets_from(first, observer)?;
            if stop != StopReason::Converged {
                return Ok(Grounded { blankets, graph: None, kappas: BTreeMap::new() });
            }
            let graph = search.graph(observer)?;
            let (mut kappas, mut stop) = (BTreeMap::new(), graph.climb.stop);
            for &place in places {
                if stop != StopReason::Converged {
                    break;
                }
                let found = search.structure(self.options.kappas[place], ClimbStart::Empty, observer)?;
                stop = found.climb.stop;
                if has_begun(&found, Some(&graph)) {
                    kappas.insert(place, found);
                }
            }
            Ok(Grounded { blankets, graph: Some(graph), kappas })
        })
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

/// Whether a climb came further than its beginning. Stopped while the contexts of the graph were looked for, it stands
/// at the graph, and that is no state of this climb.
fn has_begun(found: &ClimbResult, graph: Option<&ClimbResult>) -> bool {
    found.climb.stop == StopReason::Converged
        || graph.is_none_or(|graph| graph.climb.steps != found.climb.steps)
}
