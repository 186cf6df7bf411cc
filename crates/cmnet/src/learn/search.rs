//! One structure per kappa, by the mode that was asked for.

use super::climb::{ClimbStart, by_climb};
use super::ground::Ground;
use super::hopeless::{Kappas, is_hopeless};
use super::observer::{LearnEvent, LearnObserver};
use super::resume::LearnState;
use super::{LearnOptions, Learned, LearnedModel, SearchMode};
use crate::control::StopReason;
use crate::counts::CountSource;
use crate::error::Result;
use crate::graph::Graph;
use crate::score::{ContextPrior, EdgeRules, Kappa, Scorer};
use crate::search::{BlanketSearch, ClimbRecord, ClimbResult, GraphClimb, NodeMemo, SearchObserver, optimum};
use std::sync::Arc;

/// What is searched with.
pub(super) struct Setting<'a, S> {
    pub(super) counts: &'a S,
    pub(super) options: &'a LearnOptions,
    pub(super) rules: &'a Arc<EdgeRules>,
}

/// Where a search begins.
#[derive(Clone, Default)]
pub(super) struct Begin<'a> {
    /// Where a run stood that goes on.
    pub(super) state: LearnState,
    /// A graph for each kappa to start at, instead of the empty one.
    pub(super) graphs: &'a [Graph],
    /// Which kappas may be passed over.
    pub(super) kappas: Kappas,
}

/// Searches kappa by kappa; `fit` is called whenever a search ended by itself, so that a run that
/// is ended early has fitted what it found.
pub(super) fn run<S: CountSource>(
    Begin { state, graphs, kappas }: Begin<'_>,
    Setting { counts, options, rules }: Setting<'_, S>,
    observer: &dyn LearnObserver,
    mut fit: impl FnMut(&mut Learned) -> Result<()>,
) -> Result<Learned> {
    let scorer = Scorer::with_memory(counts, options.alpha, options.fit.memory);
    let memo = Arc::new(NodeMemo::new(&scorer));
    let (mode, search_reason) = options.mode(counts.cardinalities().len(), counts.distinct_rows());
    let mut learned = Learned::nothing(mode, search_reason);
    let prior = |kappa| {
        let prior = ContextPrior::new(kappa, scorer.rows());
        prior.with_edges(options.edge_prior, scorer.cardinalities().len()).with_rules(Arc::clone(rules))
    };
    for (&kappa, finished) in options.kappas.iter().zip(state.finished) {
        learned.limited.extend(finished.limited.iter().copied());
        learned.models.push(scored(&scorer, prior(kappa), finished)?);
    }
    let mut climb = state.climb;
    let search = BlanketSearch::new(&scorer, options.limits, options.candidates)
        .with_edge_prior(prior(Kappa::Epsilon));
    let mut ground = Ground::new(search, prior(Kappa::Epsilon), &memo, (state.blankets, state.graph));
    if !learned.models.is_empty() && kappas.may_pass(options, &learned) {
        fit(&mut learned)?; // as the run had that stood here
    }
    for (index, &kappa) in options.kappas.iter().enumerate().skip(learned.models.len()) {
        if kappas.may_pass(options, &learned) && is_hopeless(kappa, &learned, scorer.rows()) {
            learned.passed_over.push(kappa);
            continue;
        }
        let (of, name) = (options.kappas.len(), kappa.to_string());
        observer.observe_learning(&LearnEvent::Started { index, of, kappa: &name });
        let from = ClimbStart::of(climb.take(), graphs.get(index));
        let found = if mode == SearchMode::Exact {
            by_proof(&scorer, &prior(kappa), observer)?
        } else if mode == SearchMode::Blanket {
            ground.search(prior(kappa), from, observer)?
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
    learned.limited.extend(ground.limited());
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
        score: scorer.score(&found.structure, &prior)?,
        prior,
        structure: found.structure,
        climb: found.climb,
        refinement: None,
        fit: None,
        pseudo_fit: None,
        unfitted: None,
        confirmed: None,
        unconfirmed: None,
        target: None,
    })
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
