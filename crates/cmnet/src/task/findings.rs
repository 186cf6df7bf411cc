//! What is known of a run: the results of its tasks, in any order.

use super::task::Task;
use crate::confidence::BootstrapState;
use crate::control::StopReason;
use crate::data::Var;
use crate::error::{Error, Result};
use crate::graph::VarSet;
use crate::learn::{FoldResult, FoldState, LearnOptions, LearnState};
use crate::search::{BlanketState, ClimbResult};
use std::collections::BTreeMap;

/// What is known of a run. Findings of different tasks add up, in any order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Findings {
    /// Blankets of variables, each with whether a limit cut it short.
    pub blankets: BTreeMap<Var, (VarSet, bool)>,
    /// The graph that the climbs of mode `blanket` start from, as far as it is found.
    pub graph: Option<ClimbResult>,
    /// Structures by the places of their kappas. One that was ended early is where its climb stood.
    pub kappas: BTreeMap<usize, ClimbResult>,
    /// Folds of a cross-validation.
    pub folds: FoldState,
    /// Replicates of a bootstrap, and what the whole table gave before them.
    pub resamples: BootstrapState,
}

impl Findings {
    /// Adds other findings of the same run. What both know is the same, since tasks are pure; of a
    /// structure that one of them has finished, the finished one stays.
    ///
    /// # Errors
    /// When they contradict each other: then they are not of the same run, or of other programs.
    ///
    /// # Example
    /// ```
    /// use cmnet::Findings;
    /// let mut known = Findings::default();
    /// known.add(Findings::default())?;
    /// assert_eq!(known, Findings::default());
    /// # Ok::<(), cmnet::Error>(())
    /// ```
    pub fn add(&mut self, other: Self) -> Result<()> {
        add_all(&mut self.blankets, other.blankets, "the blanket of variable")?;
        if let Some(found) = other.graph {
            let replaces = replaces(self.graph.as_ref(), &found);
            if replaces.ok_or_else(|| contradiction("the graph without contexts"))? {
                self.graph = Some(found);
            }
        }
        for (place, found) in other.kappas {
            let replaces = replaces(self.kappas.get(&place), &found);
            if replaces.ok_or_else(|| contradiction(&numbered("the structure of kappa", place)))? {
                self.kappas.insert(place, found);
            }
        }
        add_all(&mut self.folds.finished, other.folds.finished, "fold")?;
        let again = (&mut self.folds.by_pseudo_likelihood, other.folds.by_pseudo_likelihood);
        add_all(again.0, again.1, "fold")?;
        if let Some(found) = other.resamples.first {
            if self.resamples.first.as_ref().is_some_and(|known| *known != found) {
                return Err(contradiction("learning from the whole table"));
            }
            self.resamples.first = Some(found);
        }
        add_all(&mut self.resamples.finished, other.resamples.finished, "replicate")
    }

    /// Whether a task is done.
    pub fn has(&self, task: &Task) -> bool {
        match task {
            Task::Blankets(variables) => {
                variables.clone().all(|variable| self.blankets.contains_key(&variable))
            }
            Task::Graph(then) => self.has_graph() && then.iter().all(|place| self.has(&Task::Kappa(*place))),
            Task::Kappa(place) => self.kappas.get(place).is_some_and(is_finished),
            Task::Fold { place, again: false } => self.folds.finished.contains_key(place),
            Task::Fold { place, again: true } => self.folds.by_pseudo_likelihood.contains_key(place),
            Task::First => self.resamples.first.is_some(),
            Task::Replicates(numbers) => {
                numbers.clone().all(|number| self.resamples.finished.contains_key(&number))
            }
        }
    }

    /// Whether the graph is found that the climbs of mode `blanket` start from.
    pub(super) fn has_graph(&self) -> bool {
        self.graph.as_ref().is_some_and(is_finished)
    }

    /// Where a learning run stands that knows this.
    pub fn learn_state(&self) -> LearnState {
        let blankets: Vec<(VarSet, bool)> =
            (0..).map_while(|variable| self.blankets.get(&variable).cloned()).collect();
        LearnState {
            finished: Vec::new(),
            climb: None,
            graph: self.graph.clone(),
            blankets: (!blankets.is_empty()).then(|| BlanketState::from_blankets(blankets)),
            by_tasks: self.kappas.clone(),
            chosen: None,
        }
    }

    /// The folds that are finished, in order: those of the last pass. Folds that show that all must be judged by
    /// pseudo-likelihood are none of it, as in [`cross_validate`](crate::cross_validate).
    pub fn finished_folds(&self, options: &LearnOptions) -> Vec<FoldResult> {
        self.folds.last_pass(options)
    }
}

/// Whether a climb ended by itself.
pub(super) fn is_finished(found: &ClimbResult) -> bool {
    found.climb.stop == StopReason::Converged
}

/// Whether something found is to take the place of what is known: of two that stand somewhere, the one
/// that is further stays. `None` when they contradict each other.
fn replaces(known: Option<&ClimbResult>, found: &ClimbResult) -> Option<bool> {
    match known {
        None => Some(true),
        Some(known) if is_finished(known) => (!is_finished(found) || known == found).then_some(false),
        Some(known) => Some(is_finished(found) || known.climb.steps.len() < found.climb.steps.len()),
    }
}

fn add_all<K: Ord + Copy + std::fmt::Display, T: PartialEq>(
    known: &mut BTreeMap<K, T>,
    other: BTreeMap<K, T>,
    what: &str,
) -> Result<()> {
    for (place, found) in other {
        if known.get(&place).is_some_and(|known| *known != found) {
            return Err(contradiction(&numbered(what, place)));
        }
        known.insert(place, found);
    }
    Ok(())
}

fn numbered(what: &str, place: impl std::fmt::Display) -> String {
    format!("{what} {place} (counted from 0)")
}

fn contradiction(what: &str) -> Error {
    let problem = format!("two results for {what} differ, and they are of one run");
    Error::mismatch(problem, "run all tasks with the same build of the program")
}
