//! Running one task.

use super::findings::{Findings, is_finished};
use super::job::{Job, searches_blankets};
use super::task::Task;
use crate::confidence::{BootstrapState, first_learning, some_replicates};
use crate::data::{Dataset, Folds};
use crate::error::{Error, Result};
use crate::learn::{
    FoldState, Grounded, LearnObserver, LearnOptions, LearnState, Whole, by_pseudo_likelihood, fold_options,
    fold_result, in_pool,
};
use crate::score::Kappa;
use std::collections::BTreeMap;

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
        self.check()?;
        match (self, task) {
            (Self::Learn(options), Task::Blankets(variables)) if variables.end <= data.variables() => {
                in_pool(options, || {
                    let found = Whole { data, options }.blankets_of(variables.clone(), observer)?;
                    let blankets = variables.clone().zip(found.done().unwrap_or_default()).collect();
                    Ok(Findings { blankets, ..Findings::default() })
                })
            }
            (Self::Learn(options), Task::Graph(then))
                if searches_blankets(data, options)
                    && then.iter().all(|place| *place < options.kappas.len()) =>
            {
                let state = state_for(None, known, data, options)?;
                in_pool(options, || {
                    let found = Whole { data, options }.graph_and(then, state, observer)?;
                    Ok(grounded(found, options))
                })
            }
            (Self::Learn(options), Task::Kappa(place)) if *place < options.kappas.len() => {
                let state = state_for(Some(*place), known, data, options)?;
                in_pool(options, || {
                    let found = Whole { data, options }.structure_of(*place, state, observer)?;
                    let kappas = found.map(|found| (*place, found)).into_iter().collect();
                    Ok(Findings { kappas, ..Findings::default() })
                })
            }
            (Self::CrossValidate { plan, options }, Task::Fold { place, again })
                if *place < plan.count(data) =>
            {
                let usual = fold_options(options);
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
            (Self::Bootstrap(options), Task::First) => {
                let first = first_learning(data, options, observer)?;
                Ok(resampled(BootstrapState { first, ..BootstrapState::default() }))
            }
            (Self::Bootstrap(options), Task::Replicates(numbers)) if numbers.end <= options.replicates => {
                let Some(first) = &known.resamples.first else {
                    return Err(Error::option("known", "nothing", "what the whole table gave"));
                };
                let finished = some_replicates(first, numbers.clone(), data, options, observer)?;
                Ok(resampled(BootstrapState { first: None, finished }))
            }
            _ => Err(Error::option("task", task.name(), "a task of this run")),
        }
    }
}

/// The graph is also the structure of a kappa that allows no contexts.
fn grounded(Grounded { blankets, graph, mut kappas }: Grounded, options: &LearnOptions) -> Findings {
    if let Some(graph) = graph.as_ref().filter(|graph| is_finished(graph)) {
        let allows_none = |place: &usize| options.kappas[*place] == Kappa::Epsilon;
        let places = (0..options.kappas.len()).filter(allows_none);
        kappas.extend(places.map(|place| (place, graph.clone())));
    }
    Findings { blankets, graph, kappas, ..Findings::default() }
}

fn resampled(resamples: BootstrapState) -> Findings {
    Findings { resamples, ..Findings::default() }
}

/// What the search of one kappa starts from, or that of the graph.
fn state_for(
    place: Option<usize>,
    known: &Findings,
    data: &Dataset,
    options: &LearnOptions,
) -> Result<LearnState> {
    let state = known.learn_state();
    if place.is_some() && searches_blankets(data, options) {
        let there = state.blankets.as_ref().map_or(0, |blankets| blankets.blankets().count());
        if there < data.variables() {
            return Err(Error::option("known", format!("{there} blankets"), "the blankets of all variables"));
        }
        if !known.has_graph() {
            return Err(Error::option("known", "no graph", "the graph without contexts"));
        }
    }
    let climb = place.and_then(|place| known.kappas.get(&place).cloned());
    Ok(LearnState { climb, by_tasks: BTreeMap::new(), ..state })
}
