//! One structure per kappa, by the mode that was asked for.

use super::resume::LearnState;
use super::{LearnOptions, Learned, LearnedModel, SearchMode};
use crate::counts::PlaneCounts;
use crate::data::Dataset;
use crate::error::Result;
use crate::score::{ContextPrior, Kappa, Scorer};
use crate::search::blanket::{BlanketSearch, BlanketState};
use crate::search::{Event, Found, GraphClimb, Observer, SearchUsed, StopReason, run as run_climb};
use crate::structure::Structure;

type TableScorer<'a> = Scorer<'a, PlaneCounts<'a>>;

pub(super) fn run(
    state: LearnState,
    data: &Dataset,
    options: &LearnOptions,
    observer: &dyn Observer,
) -> Result<Learned> {
    let counts = PlaneCounts::new(data);
    let scorer = Scorer::with_memory(&counts, options.alpha, options.fit.memory);
    let (mode, search_reason) = options.mode(data);
    let mut learned = Learned {
        models: Vec::new(),
        search: if mode == SearchMode::Blanket { SearchUsed::Blanket } else { SearchUsed::Paper },
        search_reason,
        stop: StopReason::Converged,
        selected: None,
        criterion: None,
        limited: Vec::new(),
    };
    for (&kappa, finished) in options.kappas.iter().zip(state.finished) {
        learned.limited.extend(finished.limited.iter().copied());
        learned.models.push(scored(&scorer, kappa, finished)?);
    }
    let (mut climb, mut blankets) = (state.climb, state.blankets.unwrap_or_default());
    for (index, &kappa) in options.kappas.iter().enumerate().skip(learned.models.len()) {
        observer.observe(&Event::Started { index, of: options.kappas.len(), kappa: &kappa.to_string() });
        let found = if mode == SearchMode::Blanket {
            by_blankets(&scorer, options, (&mut blankets, kappa, climb.take()), observer)?
        } else {
            let all_pairs = GraphClimb::new(&scorer, ContextPrior::new(kappa, scorer.rows()));
            by_climb(&all_pairs, climb.take(), observer)?
        };
        let stop = found.stop;
        if stop == StopReason::Converged {
            observer.observe(&Event::Finished(&found));
        }
        learned.limited.extend(found.limited.iter().copied());
        learned.models.push(scored(&scorer, kappa, found)?);
        if stop != StopReason::Converged {
            learned.stop = stop;
            break;
        }
    }
    learned.limited.extend(blankets.limited());
    learned.limited.sort_unstable();
    learned.limited.dedup();
    Ok(learned)
}

fn scored(scorer: &TableScorer<'_>, kappa: Kappa, found: Found) -> Result<LearnedModel> {
    let prior = ContextPrior::new(kappa, scorer.rows());
    let Found { structure, steps, moves, ties, stop, .. } = found;
    Ok(LearnedModel {
        prior,
        score: scorer.score(&structure, &prior)?,
        structure,
        steps,
        moves,
        ties,
        stop,
        fit: None,
        pseudo_fit: None,
        unfitted: None,
    })
}

/// Algorithm 1 from the beginning or from where it stood.
fn by_climb(
    climb: &GraphClimb<'_, '_, PlaneCounts<'_>>,
    from: Option<Found>,
    observer: &dyn Observer,
) -> Result<Found> {
    let mut state = match from {
        Some(saved) => climb.resume(saved)?,
        None => climb.start()?,
    };
    let stop = run_climb(climb, &mut state, observer)?;
    Ok(Found::of(&state, stop))
}

fn by_blankets(
    scorer: &TableScorer<'_>,
    options: &LearnOptions,
    (state, kappa, from): (&mut BlanketState, Kappa, Option<Found>),
    observer: &dyn Observer,
) -> Result<Found> {
    let search = BlanketSearch::new(scorer, options.limits, options.candidates);
    let stop = search.find_blankets(state, observer)?;
    if stop != StopReason::Converged {
        let structure = Structure::empty(scorer.cardinalities());
        let (steps, added_candidates, limited) = (Vec::new(), Vec::new(), Vec::new());
        return Ok(Found { structure, steps, added_candidates, moves: 0, ties: 0, stop, limited });
    }
    by_climb(&search.climb(state, ContextPrior::new(kappa, scorer.rows()))?, from, observer)
}
