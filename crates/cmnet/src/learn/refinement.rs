//! Structures that the search found, refined by the log-linear score.

use super::better::is_better;
use super::observer::{LearnEvent, LearnObserver};
use super::{LearnOptions, Learned, Step};
use crate::control::StopReason;
use crate::counts::CountSource;
use crate::error::{Result, choices};
use crate::graph::Edge;
use crate::model::RefinedScore;
use crate::refine::{RefineOptions, Refined, refine};
use crate::score::{EdgePrior, Scorer};
use crate::structure::Structure;

choices! {
    /// Whether structures are refined after the search.
    pub enum Refine of Refine {
        /// Keep each structure as the search found it.
        No = "no",
        /// Toggle edges of each structure while that raises the conditional BIC.
        Yes = "yes",
        /// Refine each structure, and keep what came out where its BIC, less what the prior asks for its
        /// edges, is higher.
        Auto = "auto",
    }
}

/// What a refinement did to one structure.
#[derive(Clone, Debug, PartialEq)]
pub struct Refinement {
    /// How structures were judged.
    pub options: RefineOptions,
    /// The conditional BIC of the structure that the search found.
    pub before: f64,
    /// The conditional BIC of the refined structure.
    pub after: f64,
    /// Edges that were added.
    pub added: Vec<Edge>,
    /// Edges that were removed.
    pub removed: Vec<Edge>,
    /// Whether the refined structure is kept.
    pub kept: bool,
}

/// Refines every structure, each different one once.
pub(super) fn run<S: CountSource>(learned: &mut Learned, step: &Step<'_, '_, S>) -> Result<()> {
    if step.options.refine == Refine::No {
        return Ok(());
    }
    let work = Work { step, scorer: scorer(step.table.counts(), step.options) };
    let of = learned.models.len();
    for place in 0..of {
        if learned.stop != StopReason::Converged {
            break;
        }
        step.observer.observe_learning(&LearnEvent::Refining { index: place, of });
        work.one(learned, place)?;
    }
    learned.limited.sort_unstable();
    learned.limited.dedup();
    Ok(())
}

fn scorer<'a, S: CountSource>(counts: &'a S, options: &LearnOptions) -> Scorer<'a, S> {
    Scorer::with_memory(counts, options.alpha, options.fit.memory)
}

struct Work<'a, 't, S> {
    step: &'a Step<'a, 't, S>,
    scorer: Scorer<'a, S>,
}

impl<S: CountSource> Work<'_, '_, S> {
    fn one(&self, learned: &mut Learned, place: usize) -> Result<()> {
        let judged = self.step.options.refinement();
        let found = learned.models[place].structure.clone();
        let rules = learned.models[place].prior.rules();
        let refined = refine(&found, self.step.table.counts(), &judged, rules, &Asked(self.step.observer))?;
        learned.limited.extend(&refined.limited);
        if refined.stop != StopReason::Converged {
            learned.stop = refined.stop;
            learned.models[place].climb.stop = refined.stop;
        }
        let kept = self.keeps(learned, place, &refined)?;
        let model = &mut learned.models[place];
        model.refinement = Some(Refinement::of(&found, &refined, judged, kept));
        if kept {
            model.score = self.scorer.score(&refined.structure, &model.prior)?;
            model.structure = refined.structure;
        }
        Ok(())
    }

    /// Whether the refined structure is to be kept: always, or by [`is_better`].
    fn keeps(&self, learned: &Learned, place: usize, refined: &Refined) -> Result<bool> {
        let model = &learned.models[place];
        if refined.structure == model.structure || self.step.options.refine == Refine::Yes {
            return Ok(refined.structure != model.structure);
        }
        is_better(&refined.structure, &model.structure, model.prior.rules(), self.step)
    }
}

impl Refinement {
    /// What a refinement made of a structure.
    pub(super) fn of(found: &Structure, refined: &Refined, options: RefineOptions, kept: bool) -> Self {
        let toggled = |one: &Structure, other: &Structure| {
            one.graph().edges().filter(|&edge| !other.graph().contains(edge)).collect::<Vec<Edge>>()
        };
        Self {
            options,
            before: refined.before,
            after: refined.score,
            added: toggled(&refined.structure, found),
            removed: toggled(found, &refined.structure),
            kept,
        }
    }
}

/// The observer as the control that it is.
struct Asked<'a>(&'a dyn LearnObserver);

impl crate::control::Control for Asked<'_> {
    fn stop(&self) -> Option<StopReason> {
        self.0.stop()
    }
}

impl RefinedScore {
    /// What the model file keeps of a refinement.
    pub(super) fn of(refinement: &Refinement) -> Self {
        // The budget has no part in the score.
        let options = RefineOptions { max_cells: None, ..refinement.options };
        Self { options, conditional_bic: refinement.after }
    }
}

impl LearnOptions {
    /// How a refinement judges structures: by the prior of edges, where a number was given, and by
    /// terms of no more variables than those of the fit.
    pub fn refinement(&self) -> RefineOptions {
        let usual = RefineOptions::default();
        let edge_prior =
            if self.edge_prior == EdgePrior::default() { usual.edge_prior } else { self.edge_prior };
        let order = self.fit.order.limit().map_or(usual.order, |order| order.min(usual.order));
        RefineOptions { order, edge_prior, max_cells: self.max_cells }
    }
}
