//! One structure per kappa, by the mode that was asked for.

use super::observer::{LearnEvent, LearnObserver};
use super::resume::LearnState;
use super::{LearnOptions, Learned, LearnedModel, SearchMode};
use crate::control::{Outcome, StopReason};
use crate::counts::CountSource;
use crate::error::Result;
use crate::score::{ContextPrior, Scorer};
use crate::search::{BlanketSearch, BlanketState};
use crate::search::{
    ClimbRecord, ClimbResult, GraphClimb, NodeMemo, SearchObserver, SearchUsed, climb_graph, optimum,
};
use crate::structure::Structure;
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
    let memo = Arc::new(NodeMemo::new(&scorer));
    let (mode, search_reason) = options.mode(counts.cardinalities().len(), counts.distinct_rows());
    let mut learned = Learned {
        models: Vec::new(),
        search: used(mode),
        search_reason,
        stop: StopReason::Converged,
        selected: None,
        criterion: None,
        limited: Vec::new(),
    };
    let prior = |kappa| {
        ContextPrior::new(kappa, scorer.rows()).with_edges(options.edge_prior, scorer.cardinalities().len())
    };
    for (&kappa, finished) in options.kappas.iter().zip(state.finished) {
        learned.limited.extend(finished.limited.iter().copied());
        learned.models.push(scored(&scorer, prior(kappa), finished)?);
    }
    let (mut climb, mut blankets) = (state.climb, state.blankets.unwrap_or_default());
    for (index, &kappa) in options.kappas.iter().enumerate().skip(learned.models.len()) {
        let (of, name) = (options.kappas.len(), kappa.to_string());
        observer.observe_learning(&LearnEvent::Started { index, of, kappa: &name });
        let found = if mode == SearchMode::Exact {
            by_proof(&scorer, &prior(kappa), observer)?
        } else if mode == SearchMode::Blanket {
            let search = BlanketSearch::new(&scorer, options.limits, options.candidates)
                .with_edge_prior(options.edge_prior);
            by_blankets(
                &search,
                &mut blankets,
                BlanketStart { prior: prior(kappa), memo: &memo, from: climb.take() },
                observer,
            )?
        } else {
            let all_pairs = GraphClimb::new(&scorer, prior(kappa));
            by_climb(&all_pairs.sharing(&memo), climb.take(), observer)?
        };
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

/// The search that a mode uses.
fn used(mode: SearchMode) -> SearchUsed {
    match mode {
        SearchMode::Blanket => SearchUsed::Blanket,
        SearchMode::Exact => SearchUsed::Exact,
        SearchMode::Auto | SearchMode::Paper => SearchUsed::Paper,
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
