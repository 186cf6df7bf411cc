//! One structure per kappa, by the mode that was asked for.

use super::observer::{LearnEvent, LearnObserver};
use super::resume::LearnState;
use super::{LearnOptions, Learned, LearnedModel, SearchMode};
use crate::control::{Outcome, StopReason};
use crate::counts::CountSource;
use crate::error::{ErrorKind, Result};
use crate::graph::Graph;
use crate::score::{ContextPrior, Scorer};
use crate::search::{BlanketSearch, BlanketState};
use crate::search::{
    ClimbRecord, ClimbResult, GraphClimb, NodeMemo, SearchObserver, SearchUsed, climb_graph,
};
use crate::structure::Structure;
use std::sync::Arc;

/// Where a search begins.
#[derive(Clone, Default)]
pub(super) struct Begin<'a> {
    /// Where a run stood that goes on.
    pub(super) state: LearnState,
    /// A graph for each kappa to start at, instead of the empty one.
    pub(super) graphs: &'a [Graph],
}

/// Where a climb begins.
enum ClimbStart<'a> {
    Empty,
    Graph(&'a Graph),
    Saved(ClimbResult),
}

impl<'a> ClimbStart<'a> {
    fn of(saved: Option<ClimbResult>, graph: Option<&'a Graph>) -> Self {
        saved.map_or_else(|| graph.map_or(Self::Empty, Self::Graph), Self::Saved)
    }
}

/// Searches kappa by kappa; `fit` is called whenever a search ended by itself, so that a run that
/// is ended early has fitted what it found.
pub(super) fn run<S: CountSource>(
    Begin { state, graphs }: Begin<'_>,
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
        search: if mode == SearchMode::Blanket { SearchUsed::Blanket } else { SearchUsed::Paper },
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
        let from = ClimbStart::of(climb.take(), graphs.get(index));
        let found = if mode == SearchMode::Blanket {
            let search = BlanketSearch::new(&scorer, options.limits, options.candidates)
                .with_edge_prior(options.edge_prior);
            by_blankets(
                &search,
                &mut blankets,
                BlanketStart { prior: prior(kappa), memo: &memo, from },
                observer,
            )?
        } else {
            let all_pairs = GraphClimb::new(&scorer, prior(kappa));
            by_climb(&all_pairs.sharing(&memo), from, observer)?
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

/// Algorithm 1 from the beginning, from a graph or from where it stood.
fn by_climb<S: CountSource>(
    climb: &GraphClimb<'_, '_, S>,
    from: ClimbStart<'_>,
    observer: &dyn SearchObserver,
) -> Result<ClimbResult> {
    let mut state = match from {
        ClimbStart::Saved(saved) => match climb.resume(saved.clone(), observer)? {
            Outcome::Done(state) => state,
            // It stands where it stood.
            Outcome::Stopped(stop) => {
                return Ok(ClimbResult { climb: ClimbRecord { stop, ..saved.climb }, ..saved });
            }
        },
        ClimbStart::Graph(graph) => match climb.start_at(graph, observer) {
            Ok(Outcome::Done(state)) => state,
            Ok(Outcome::Stopped(stop)) => {
                return Ok(ClimbResult::of(&climb.start()?, stop));
            }
            // Fewer rows may not allow as many configurations as the table's own.
            Err(error) if matches!(error.kind(), ErrorKind::Limit(_)) => climb.start()?,
            Err(error) => return Err(error),
        },
        ClimbStart::Empty => climb.start()?,
    };
    let stop = climb_graph(climb, &mut state, observer)?;
    Ok(ClimbResult::of(&state, stop))
}

/// What the climb after the blankets starts with.
struct BlanketStart<'m, 'a> {
    prior: ContextPrior,
    memo: &'m Arc<NodeMemo<'a>>,
    from: ClimbStart<'a>,
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
