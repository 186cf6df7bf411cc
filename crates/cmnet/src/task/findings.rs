//! What is known of a run: the results of its tasks, in any order.

use super::task::Task;
use crate::control::StopReason;
use crate::data::Var;
use crate::error::{Error, Result};
use crate::graph::VarSet;
use crate::learn::{FoldResult, FoldState, LearnState};
use crate::search::{BlanketState, ClimbResult};
use std::collections::BTreeMap;

/// What is known of a run. Findings of different tasks add up, in any order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Findings {
    /// Blankets of variables, each with whether a limit cut it short.
    pub blankets: BTreeMap<Var, (VarSet, bool)>,
    /// Structures by the places of their kappas. One that was ended early is where its climb stood.
    pub kappas: BTreeMap<usize, ClimbResult>,
    /// Folds of a cross-validation.
    pub folds: FoldState,
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
        for (place, found) in other.kappas {
            match self.kappas.get(&place) {
                Some(known) if is_finished(known) => {
                    if is_finished(&found) && *known != found {
                        return Err(contradiction("the structure of kappa", place));
                    }
                }
                // Of two that stand somewhere, the one that is further.
                Some(known) if !is_finished(&found) && known.climb.steps.len() >= found.climb.steps.len() => {
                }
                _ => {
                    self.kappas.insert(place, found);
                }
            }
        }
        add_all(&mut self.folds.finished, other.folds.finished, "fold")?;
        let again = (&mut self.folds.by_pseudo_likelihood, other.folds.by_pseudo_likelihood);
        add_all(again.0, again.1, "fold")
    }

    /// Whether a task is done.
    pub fn has(&self, task: &Task) -> bool {
        match task {
            Task::Blankets(variables) => {
                variables.clone().all(|variable| self.blankets.contains_key(&variable))
            }
            Task::Kappa(place) => self.kappas.get(place).is_some_and(is_finished),
            Task::Fold { place, again: false } => self.folds.finished.contains_key(place),
            Task::Fold { place, again: true } => self.folds.by_pseudo_likelihood.contains_key(place),
        }
    }

    /// Where a learning run stands that knows this: what comes before the first gap.
    pub fn learn_state(&self) -> LearnState {
        let finished: Vec<ClimbResult> = (0..)
            .map_while(|place| self.kappas.get(&place).filter(|found| is_finished(found)).cloned())
            .collect();
        let climb = self.kappas.get(&finished.len()).cloned();
        let blankets: Vec<(VarSet, bool)> =
            (0..).map_while(|variable| self.blankets.get(&variable).cloned()).collect();
        let blankets = (!blankets.is_empty()).then(|| BlanketState::from_blankets(blankets));
        LearnState { finished, climb, blankets }
    }

    /// The folds that are finished, in order: those of the last pass.
    pub fn finished_folds(&self) -> Vec<FoldResult> {
        let again = &self.folds.by_pseudo_likelihood;
        let last = if again.is_empty() { &self.folds.finished } else { again };
        last.values().cloned().collect()
    }
}

/// Whether a climb ended by itself.
pub(super) fn is_finished(found: &ClimbResult) -> bool {
    found.climb.stop == StopReason::Converged
}

fn add_all<K: Ord + Copy + std::fmt::Display, T: PartialEq>(
    known: &mut BTreeMap<K, T>,
    other: BTreeMap<K, T>,
    what: &str,
) -> Result<()> {
    for (place, found) in other {
        if known.get(&place).is_some_and(|known| *known != found) {
            return Err(contradiction(what, place));
        }
        known.insert(place, found);
    }
    Ok(())
}

fn contradiction(what: &str, place: impl std::fmt::Display) -> Error {
    let problem = format!("two results for {what} {place} (counted from 0) differ, and they are of one run");
    Error::mismatch(problem, "run all tasks with the same build of the program")
}
