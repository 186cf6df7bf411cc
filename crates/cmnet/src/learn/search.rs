//! One structure per kappa, by the mode that was asked for.

use super::observer::{LearnEvent, LearnObserver};
use super::resume::LearnState;
use super::{LearnOptions, Learned, LearnedModel, SearchMode};
use crate::control::{Control, Outcome, StopReason};
use crate::counts::CountSource;
use crate::data::Var;
use crate::error::Result;
use crate::graph::VarSet;
use crate::score::{ContextPrior, Kappa, Scorer};
use crate::search::{BlanketSearch, BlanketState};
use crate::search::{
    ClimbRecord, ClimbResult, GraphClimb, NodeMemo, SearchObserver, SearchUsed, climb_graph,
};
use crate::structure::Structure;
use std::ops::Range;
use std::sync::Arc;

/// Searches kappa by kappa; `fit` is called whenever a search ended by itself, so that a run that
/// is ended early has fitted what it found.
pub(super) fn run<S: CountSource>(
    state: LearnState,
    counts: &S,
    options: &LearnOptions,
    observer: &dyn LearnObserver,
    mut fit: impl FnMut(&mut Learned) -> Result<()>,
) -> Result<Learned> {
    let scorer = Scorer::with_memory(counts, options.alpha, options.fit.memory);
    let search = Search::new(&scorer, counts, options);
    let (mode, search_reason) = options.mode(counts.cardinalities().len(), counts.distinct_rows());
    let mut learned = Learned {
        models: Vec::new(),
        search: if mode == SearchMode::Blanket { SearchUsed::Blanket } else { SearchUsed::Paper },
        search_reason,
        stop: StopReason::Converged,
        selected: None,
        criterion: None,
        limited: Vec::new(),
    };
    let prior = |kappa| search.prior(kappa);
    for (&kappa, finished) in options.kappas.iter().zip(state.finished) {
        learned.limited.extend(finished.limited.iter().copied());
        learned.models.push(scored(&scorer, prior(kappa), finished)?);
    }
    let (mut climb, mut blankets) = (state.climb, state.blankets.unwrap_or_default());
    for (index, &kappa) in options.kappas.iter().enumerate().skip(learned.models.len()) {
        let (of, name) = (options.kappas.len(), kappa.to_string());
        observer.observe_learning(&LearnEvent::Started { index, of, kappa: &name });
        let found = search.structure(kappa, &mut blankets, climb.take(), observer)?;
        let stop = found.climb.stop;
        if stop == StopReason::Converged {
            observer.observe_learning(&LearnEvent::Finished(&found));
        }
        learned.limited.extend(found.limited.iter().copied());
        if stop != StopReason::Converged {
            learned.stop = stop;
            if !observer.gives_up() {
                learned.models.push(scored(&scorer, prior(kappa), found)?);
            }
            break;
        }
        learned.models.push(scored(&scorer, prior(kappa), found)?);
        fit(&mut learned)?;
        if learned.stop != StopReason::Converged {
            break;
        }
    }
    learned.limited.extend(blankets.limited());
    learned.limited.sort_unstable();
    learned.limited.dedup();
    Ok(learned)
}

/// The structure of the kappa at a place alone, from what is known of the run: what [`run`] finds
/// for it.
pub(crate) fn structure_of<S: CountSource>(
    place: usize,
    known: LearnState,
    counts: &S,
    options: &LearnOptions,
    observer: &dyn SearchObserver,
) -> Result<ClimbResult> {
    let scorer = Scorer::with_memory(counts, options.alpha, options.fit.memory);
    let mut blankets = known.blankets.unwrap_or_default();
    let search = Search::new(&scorer, counts, options);
    search.structure(options.kappas[place], &mut blankets, known.climb, observer)
}

/// The blankets of some variables alone: what [`run`] finds for them in mode `blanket`.
pub(crate) fn blankets_of<S: CountSource>(
    variables: Range<Var>,
    counts: &S,
    options: &LearnOptions,
    control: &dyn Control,
) -> Result<Outcome<Vec<(VarSet, bool)>>> {
    let scorer = Scorer::with_memory(counts, options.alpha, options.fit.memory);
    Search::new(&scorer, counts, options).by_blankets().blankets_of(variables, control)
}

/// What the searches of all kappas share.
struct Search<'a, 'b, S> {
    scorer: &'a Scorer<'b, S>,
    memo: Arc<NodeMemo<'a>>,
    mode: SearchMode,
    options: &'a LearnOptions,
}

impl<'a, 'b, S: CountSource> Search<'a, 'b, S> {
    fn new(scorer: &'a Scorer<'b, S>, counts: &S, options: &'a LearnOptions) -> Self {
        let (mode, _) = options.mode(counts.cardinalities().len(), counts.distinct_rows());
        Self { scorer, memo: Arc::new(NodeMemo::new(scorer)), mode, options }
    }

    fn prior(&self, kappa: Kappa) -> ContextPrior {
        let variables = self.scorer.cardinalities().len();
        ContextPrior::new(kappa, self.scorer.rows()).with_edges(self.options.edge_prior, variables)
    }

    fn by_blankets(&self) -> BlanketSearch<'a, 'b, S> {
        let search = BlanketSearch::new(self.scorer, self.options.limits, self.options.candidates);
        search.with_edge_prior(self.options.edge_prior)
    }

    /// The structure of one kappa; `from` is where its climb stood, when that goes on.
    fn structure(
        &self,
        kappa: Kappa,
        blankets: &mut BlanketState,
        from: Option<ClimbResult>,
        observer: &dyn SearchObserver,
    ) -> Result<ClimbResult> {
        let prior = self.prior(kappa);
        if self.mode == SearchMode::Blanket {
            let start = BlanketStart { prior, memo: &self.memo, from };
            by_blankets(&self.by_blankets(), blankets, start, observer)
        } else {
            by_climb(&GraphClimb::new(self.scorer, prior).sharing(&self.memo), from, observer)
        }
    }
}

fn scored<S: CountSource>(
    scorer: &Scorer<'_, S>,
    prior: ContextPrior,
    found: ClimbResult,
) -> Result<LearnedModel> {
    Ok(LearnedModel {
        prior,
        score: scorer.score(&found.structure, &prior)?,
        structure: found.structure,
        climb: found.climb,
        refinement: None,
        fit: None,
        pseudo_fit: None,
        unfitted: None,
        confirmed: None,
        unconfirmed: None,
    })
}

/// Algorithm 1 from the beginning or from where it stood.
fn by_climb<S: CountSource>(
    climb: &GraphClimb<'_, '_, S>,
    from: Option<ClimbResult>,
    observer: &dyn SearchObserver,
) -> Result<ClimbResult> {
    let mut state = match from {
        Some(saved) => match climb.resume(saved.clone(), observer)? {
            Outcome::Done(state) => state,
            // It stands where it stood.
            Outcome::Stopped(stop) => {
                return Ok(ClimbResult { climb: ClimbRecord { stop, ..saved.climb }, ..saved });
            }
        },
        None => climb.start()?,
    };
    let stop = climb_graph(climb, &mut state, observer)?;
    Ok(ClimbResult::of(&state, stop))
}

/// What the climb after the blankets starts with.
struct BlanketStart<'m, 'a> {
    prior: ContextPrior,
    memo: &'m Arc<NodeMemo<'a>>,
    /// Where it stood, when it goes on.
    from: Option<ClimbResult>,
}

fn by_blankets<'a, S: CountSource>(
    search: &BlanketSearch<'a, '_, S>,
    state: &mut BlanketState,
    start: BlanketStart<'_, 'a>,
    observer: &dyn SearchObserver,
) -> Result<ClimbResult> {
    let stop = search.find_blankets(state, observer)?;
    if stop != StopReason::Converged {
        let structure = Structure::empty(search.cardinalities());
        let (climb, added_candidates, limited) = (ClimbRecord::none(stop), Vec::new(), Vec::new());
        return Ok(ClimbResult { structure, climb, added_candidates, limited });
    }
    by_climb(&search.climb(state, start.prior)?.sharing(start.memo), start.from, observer)
}
