//! Running one task.

use super::findings::Findings;
use super::job::{Job, searches_blankets};
use super::task::Task;
use crate::counts::PlaneCounts;
use crate::data::{Dataset, Folds};
use crate::error::{Error, Result};
use crate::learn::{
    FoldState, LearnObserver, LearnOptions, LearnState, Select, blankets_of, by_pseudo_likelihood,
    fold_result, in_pool, structure_of,
};

impl Job {
    /// Runs a task, given what is known, in the threads that the options say. A task that was stopped
    /// finds nothing, or where its climb stands.
    ///
    /// # Errors
    /// When an option cannot be used, the task is none of this run, or what it needs is not known.
    pub fn run(
        &self,
        task: &Task,
        known: &Findings,
        data: &Dataset,
        observer: &dyn LearnObserver,
    ) -> Result<Findings> {
        match (self, task) {
            (Self::Learn(options), Task::Blankets(variables)) if variables.end <= data.variables() => {
                in_pool(options, || {
                    let counts = PlaneCounts::new(data);
                    let found = blankets_of(variables.clone(), &counts, options, &Asked(observer))?;
                    let blankets = variables.clone().zip(found.done().unwrap_or_default()).collect();
                    Ok(Findings { blankets, ..Findings::default() })
                })
            }
            (Self::Learn(options), Task::Kappa(place)) if *place < options.kappas.len() => {
                let state = state_for(*place, known, data, options)?;
                in_pool(options, || {
                    let found = structure_of(*place, state, &PlaneCounts::new(data), options, observer)?;
                    Ok(Findings { kappas: [(*place, found)].into(), ..Findings::default() })
                })
            }
            (Self::CrossValidate { plan, options }, Task::Fold { place, again })
                if *place < plan.count(data) =>
            {
                let usual = LearnOptions { select: Select::Bic, ..options.clone() };
                let options = if *again { by_pseudo_likelihood(&usual) } else { usual };
                let folds = Folds::deal(data, *plan)?;
                let found = fold_result(&folds, *place, &options, observer)?;
                let found = found.done().map(|result| (*place, result)).into_iter().collect();
                let folds = if *again {
                    FoldState { by_pseudo_likelihood: found, ..FoldState::default() }
                } else {
                    FoldState { finished: found, ..FoldState::default() }
                };
                Ok(Findings { folds, ..Findings::default() })
            }
            _ => Err(Error::option("task", task.name(), "a task of this run")),
        }
    }
}

/// What the search of one kappa starts from.
fn state_for(place: usize, known: &Findings, data: &Dataset, options: &LearnOptions) -> Result<LearnState> {
    let state = known.learn_state();
    let needed = if searches_blankets(data, options) { data.variables() } else { 0 };
    let there = state.blankets.as_ref().map_or(0, |blankets| blankets.blankets().count());
    if there < needed {
        return Err(Error::option("known", format!("{there} blankets"), "the blankets of all variables"));
    }
    Ok(LearnState { finished: Vec::new(), climb: known.kappas.get(&place).cloned(), ..state })
}

/// The observer as the control that it is.
struct Asked<'a>(&'a dyn LearnObserver);

impl crate::control::Control for Asked<'_> {
    fn stop(&self) -> Option<crate::control::StopReason> {
        self.0.stop()
    }
}
