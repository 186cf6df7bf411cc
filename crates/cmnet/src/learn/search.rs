//! One structure per kappa, by the mode that was asked for.

use super::choose::Fits;
use super::climb::{ClimbStart, by_climb};
use super::ground::Ground;
use super::hopeless::{Kappas, is_hopeless};
use super::observer::{LearnEvent, LearnObserver};
use super::resume::LearnState;
use super::{LearnOptions, Learned, LearnedModel, SearchMode};
use crate::control::{Control, Outcome, StopReason};
use crate::counts::CountSource;
use crate::data::Var;
use crate::error::Result;
use crate::graph::{Graph, VarSet};
use crate::score::{ContextPrior, EdgeRules, Kappa, Scorer};
use crate::search::{
    BlanketSearch, BlanketState, ClimbRecord, ClimbResult, GraphClimb, NodeMemo, SearchObserver, optimum,
};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// Blankets by their variables, each with whether a limit cut it short.
type Found = BTreeMap<Var, (VarSet, bool)>;

/// What is searched with.
pub(super) struct Setting<'a, S> {
    pub(super) counts: &'a S,
    pub(super) options: &'a LearnOptions,
    pub(super) rules: &'a Arc<EdgeRules>,
}

/// Where a search begins.
#[derive(Clone, Default)]
pub(crate) struct Begin<'a> {
    /// Where a run stood that goes on.
    pub(super) state: LearnState,
    /// A graph for each kappa to start at, instead of the empty one.
    pub(super) graphs: &'a [Graph],
    /// Which kappas may be passed over.
    pub(super) kappas: Kappas,
    /// Which structures are fitted.
    pub(super) fits: Fits,
}

impl<'a> Begin<'a> {
    /// With a model for each kappa.
    pub(crate) fn of_all() -> Self {
        Self { kappas: Kappas::All, ..Self::default() }
    }

    /// With a structure for each kappa, of which only the chosen one is asked for; where there are graphs, one for
    /// each kappa, its search starts there.
    pub(crate) fn of_resample(graphs: &'a [Graph]) -> Self {
        Self { graphs, fits: Fits::ToChoose, ..Self::of_all() }
    }
}

/// Searches kappa by kappa; `fit` is called whenever a search ended by itself, so that a run that
/// is ended early has fitted what it found.
pub(super) fn run<S: CountSource>(
    Begin { state, graphs, kappas, fits: _ }: Begin<'_>,
    setting: &Setting<'_, S>,
    observer: &dyn LearnObserver,
    mut fit: impl FnMut(&mut Learned) -> Result<()>,
) -> Result<Learned> {
    let Setting { counts, options, .. } = *setting;
    let scorer = Scorer::with_memory(counts, options.alpha, options.fit.memory);
    let memo = Arc::new(NodeMemo::new(&scorer));
    let LearnState { finished, mut climb, graph, blankets, mut by_tasks, chosen: _ } = state;
    let mut search = Search::new(&scorer, &memo, setting, (blankets, graph));
    let (mode, search_reason) = options.mode(counts.cardinalities().len(), counts.distinct_rows());
    let mut learned = Learned::nothing(mode, search_reason);
    let mut finished = finished.into_iter();
    for (index, &kappa) in options.kappas.iter().enumerate() {
        if kappas.may_pass(options, &learned) && is_hopeless(kappa, &learned, scorer.rows()) {
            learned.passed_over.push(kappa);
            continue;
        }
        // Those that a run had finished, without those that it passed over: which they are is found anew.
        if let Some(known) = finished.next() {
            learned.limited.extend(known.limited.iter().copied());
            learned.models.push(scored(&scorer, search.prior(kappa), known)?);
            if kappas.may_pass(options, &learned) {
                fit(&mut learned)?; // as the run had that stood here
                if learned.stop != StopReason::Converged {
                    break;
                }
            }
            continue;
        }
        let (of, name) = (options.kappas.len(), kappa.to_string());
        observer.observe_learning(&LearnEvent::Started { index, of, kappa: &name });
        let known = by_tasks.remove(&index);
        let found = match known {
            Some(known) if known.climb.stop == StopReason::Converged => known,
            known => {
                let from = ClimbStart::of(climb.take().or(known), graphs.get(index));
                search.structure(kappa, from, observer)?
            }
        };
        let stop = found.climb.stop;
        if stop == StopReason::Converged {
            observer.observe_learning(&LearnEvent::Finished(&found));
        }
        learned.limited.extend(found.limited.iter().copied());
        if stop != StopReason::Converged {
            learned.stop = stop;
            if !observer.gives_up() {
                learned.models.push(scored(&scorer, search.prior(kappa), found)?);
            }
            break;
        }
        learned.models.push(scored(&scorer, search.prior(kappa), found)?);
        fit(&mut learned)?;
        if learned.stop != StopReason::Converged {
            break;
        }
    }
    learned.limited.extend(search.ground.limited());
    learned.limited.sort_unstable();
    learned.limited.dedup();
    Ok(learned)
}

/// What the searches of all kappas share.
pub(super) struct Search<'m, 'a, 'b, S> {
    scorer: &'a Scorer<'b, S>,
    memo: &'m Arc<NodeMemo<'a>>,
    mode: SearchMode,
    /// The prior of graphs without contexts.
    plain: ContextPrior,
    ground: Ground<'m, 'a, 'b, S>,
}

impl<'m, 'a, 'b, S: CountSource> Search<'m, 'a, 'b, S> {
    /// Goes on from the blankets and the graph that are known already.
    pub(super) fn new(
        scorer: &'a Scorer<'b, S>,
        memo: &'m Arc<NodeMemo<'a>>,
        Setting { counts, options, rules }: &Setting<'_, S>,
        known: (Option<BlanketState>, Option<ClimbResult>),
    ) -> Self {
        let (mode, _) = options.mode(counts.cardinalities().len(), counts.distinct_rows());
        let plain = ContextPrior::new(Kappa::Epsilon, scorer.rows())
            .with_edges(options.edge_prior, scorer.cardinalities().len())
            .with_rules(Arc::clone(rules));
        let blankets = BlanketSearch::new(scorer, options.limits, options.candidates)
            .with_edge_prior(plain.clone())
            .within(options.max_cells);
        let ground = Ground::new(blankets, plain.clone(), memo, known);
        Self { scorer, memo, mode, plain, ground }
    }

    fn prior(&self, kappa: Kappa) -> ContextPrior {
        self.plain.clone().with_kappa(kappa, self.scorer.rows())
    }

    /// The structure of one kappa.
    pub(super) fn structure(
        &mut self,
        kappa: Kappa,
        from: ClimbStart<'_>,
        observer: &dyn LearnObserver,
    ) -> Result<ClimbResult> {
        let prior = self.prior(kappa);
        match self.mode {
            SearchMode::Exact => by_proof(self.scorer, &prior, observer),
            SearchMode::Blanket => self.ground.search(prior, from, observer),
            SearchMode::Auto | SearchMode::Paper => {
                by_climb(&GraphClimb::new(self.scorer, prior).sharing(self.memo), from, observer)
            }
        }
    }

    /// Finds the blankets that are not known yet; those from a variable on that are known then, and why there are no more.
    pub(super) fn blankets_from(
        &mut self,
        first: Var,
        observer: &dyn LearnObserver,
    ) -> Result<(Found, StopReason)> {
        let stop = self.ground.find_blankets(observer)?;
        let found = self.ground.blankets().map(|(blanket, limited)| (blanket.clone(), limited));
        Ok((found.enumerate().skip(first).collect(), stop))
    }

    /// The graph without contexts that the climbs of mode `blanket` start from; all blankets are known.
    pub(super) fn graph(&mut self, observer: &dyn LearnObserver) -> Result<ClimbResult> {
        self.ground.graph(ClimbStart::Empty, observer)
    }

    /// The blankets of some variables alone: those that mode `blanket` finds for them.
    pub(super) fn blankets_of(
        &self,
        variables: Range<Var>,
        control: &dyn Control,
    ) -> Result<Outcome<Vec<(VarSet, bool)>>> {
        self.ground.blankets_of(variables, control)
    }
}

fn scored<S: CountSource>(
    scorer: &Scorer<'_, S>,
    prior: ContextPrior,
    found: ClimbResult,
) -> Result<LearnedModel> {
    let score = scorer.score(&found.structure, &prior)?;
    Ok(LearnedModel::found(prior, found.structure, score, found.climb))
}

/// The structure with the highest score. It has no way that led to it.
fn by_proof<S: CountSource>(
    scorer: &Scorer<'_, S>,
    prior: &ContextPrior,
    observer: &dyn SearchObserver,
) -> Result<ClimbResult> {
    let best = optimum(scorer, prior, observer)?;
    let (climb, added_candidates, limited) = (ClimbRecord::none(best.stop), Vec::new(), Vec::new());
    Ok(ClimbResult { structure: best.structure, climb, added_candidates, limited })
}
