//! Rounds: cells drawn from a model, a search on each completed table, and the graph of the next model.
//!
//! A table and an observation have the same random numbers in every round. So a round is determined by
//! the graph that it draws from, and a graph that comes back ends the run: the next round would find what
//! is found already.

use super::super::bounded::Bounded;
use super::super::numbered::{numbered, threads};
use super::forest::forest;
use super::{CompletedLearning, CompletionOptions, CompletionState};
use crate::control::{Control, Halt, Halting, Outcome, StopReason, outcome};
use crate::data::{Dataset, IncompleteTable, mix_seed};
use crate::error::{Error, ErrorKind, Result};
use crate::graph::Graph;
use crate::inference::Network;
use crate::learn::{
    CompletedStructure, CompletedTable, CompletionRound, LearnEvent, LearnObserver, LearnOptions,
    LearnedModel, Select, in_pool, learn, learn_here,
};
use crate::loglinear::affordable_canonical;
use crate::missing::{Imputer, fit_for_draws};
use crate::structure::Structure;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

/// Learns from a table with holes. Its missing cells are drawn from a model, several times; structures are
/// learned from each completed table; a model with the edges of any of them is estimated from the known
/// cells, and the next round draws from that. The first round draws from the forest of the strongest
/// pairs. Rounds end when the graph does not change.
///
/// Each kappa then has the structure of the edges and context elements that enough completed tables agree
/// on. Its parameters maximise the likelihood of the known cells, and BIC of that likelihood chooses
/// among the kappas. The answer is determined by table, options and seed: the number of threads changes
/// nothing. A table without holes gives what [`learn`](crate::learn) gives.
///
/// Cells must be missing at random. An observer that asks to stop ends it with the last round that is
/// finished, or with the completed tables of the first that are.
///
/// # Errors
/// When an option cannot be used, every value of a variable is missing, or learning fails.
///
/// # Example
/// ```
/// use cmnet::{CompletionOptions, IncompleteTable, Schema, Variable, learn_incomplete};
/// let variable = |name: &str| Variable { name: name.into(), levels: vec!["no".into(), "yes".into()] };
/// let mut table = IncompleteTable::new(Schema::new(vec![variable("a"), variable("b")])?);
/// for (row, weight) in [([Some(0), Some(0)], 20), ([Some(1), Some(1)], 20), ([Some(1), None], 5)] {
///     table.push(&row, weight)?;
/// }
/// let found = learn_incomplete(&table, &CompletionOptions::default(), &())?;
/// assert_eq!(found.learned.models[0].structure.graph().edge_count(), 1);
/// assert_eq!(found.agreement[0].edges[0].found.support(), 1.0);
/// assert!(found.stable);
/// # Ok::<(), cmnet::Error>(())
/// ```
pub fn learn_incomplete(
    table: &IncompleteTable,
    options: &CompletionOptions,
    observer: &dyn LearnObserver,
) -> Result<CompletedLearning> {
    learn_incomplete_from(CompletionState::default(), table, options, observer)
}

/// As [`learn_incomplete`], going on from a saved state of the same run: the answer is the same. See
/// [`completion_identity`](super::completion_identity) for what must be the same.
///
/// # Errors
/// As [`learn_incomplete`].
pub fn learn_incomplete_from(
    state: CompletionState,
    table: &IncompleteTable,
    options: &CompletionOptions,
    observer: &dyn LearnObserver,
) -> Result<CompletedLearning> {
    options.check()?;
    if let Some(data) = table.complete_rows().filter(|_| table.incomplete_rows() == 0) {
        let learned = learn(&data, &options.learn, observer)?;
        return Ok(CompletedLearning::complete(learned, data.rows(), options));
    }
    let work = Work::new(table, options, observer);
    in_pool(&options.learn, || {
        let ended = work.rounds(state)?;
        CompletedLearning::of(&work, ended)
    })
}

/// What rounds are made with.
pub(super) struct Work<'a> {
    pub(super) table: &'a IncompleteTable,
    pub(super) options: &'a CompletionOptions,
    pub(super) observer: &'a dyn LearnObserver,
    /// How a completed table is learned: in one thread.
    learn: LearnOptions,
    seeds: Vec<u64>,
}

/// Where the rounds ended.
pub(super) struct Ended {
    /// Those that are finished; the last may have been ended early.
    pub(super) rounds: Vec<CompletionRound>,
    /// Whether the last round drew from the graph that it found.
    pub(super) stable: bool,
    /// Why they ended.
    pub(super) stop: StopReason,
    /// The completed tables of the last round, where they are still there.
    pub(super) data: Option<Vec<Dataset>>,
}

impl<'a> Work<'a> {
    fn new(
        table: &'a IncompleteTable,
        options: &'a CompletionOptions,
        observer: &'a dyn LearnObserver,
    ) -> Self {
        let select = if options.learn.kappas.len() == 1 { Select::None } else { Select::Bic };
        let learn = LearnOptions { select, threads: 1, ..options.learn.clone() };
        let seeds =
            (0..options.completions).map(|number| mix_seed(options.seed ^ mix_seed(number))).collect();
        Self { table, options, observer, learn, seeds }
    }

    fn rounds(&self, state: CompletionState) -> Result<Ended> {
        let mut ended =
            Ended { rounds: state.rounds, stable: false, stop: StopReason::Converged, data: None };
        let mut known = state.tables;
        let most = usize::try_from(self.options.rounds).unwrap_or(usize::MAX);
        ended.rounds.truncate(most);
        while ended.rounds.len() < most {
            let graph = match ended.rounds.last().map(CompletionRound::union) {
                Some(graph) => graph,
                None => match outcome(forest(self.table, self.observer))? {
                    Outcome::Done(graph) => graph,
                    Outcome::Stopped(reason) => {
                        ended.stop = reason;
                        break;
                    }
                },
            };
            // A graph that comes back after others would lead in a circle.
            if ended.rounds.iter().any(|round| round.drawn_from == graph) {
                ended.stable = ended.rounds.last().is_some_and(|round| round.drawn_from == graph);
                break;
            }
            let (round, of) = (ended.rounds.len(), self.options.rounds);
            self.observer.observe_learning(&LearnEvent::Round { round, of });
            match self.round(graph, std::mem::take(&mut known), &mut ended) {
                Ok(()) => {}
                Err(Halt::Stopped(reason)) => {
                    ended.stop = reason;
                    break;
                }
                // A graph too large for a junction tree: the rounds before it are what there is.
                Err(Halt::Failed(error)) if is_too_large(&error) && !ended.rounds.is_empty() => break,
                Err(Halt::Failed(error)) => return Err(error),
            }
        }
        if ended.rounds.len() == most && !ended.stable {
            ended.stable = ended.rounds.last().is_some_and(|round| round.drawn_from == round.union());
        }
        Ok(ended)
    }

    /// One round, which is added to those that are finished; of the first also a part.
    fn round(&self, graph: Graph, known: BTreeMap<u64, CompletedTable>, ended: &mut Ended) -> Halting<()> {
        let data = self.completed(&graph, self.observer)?;
        let mut tables = self.tables(&data, known)?;
        let tables: Vec<CompletedTable> =
            (0..self.options.completions).map_while(|number| tables.remove(&number)).collect();
        let whole = tables.len() == data.len();
        let first = ended.rounds.is_empty();
        if whole || first && !tables.is_empty() {
            let round = CompletionRound { drawn_from: graph, tables };
            if whole {
                self.observer.observe_learning(&LearnEvent::RoundFinished(&round));
            }
            ended.rounds.push(round);
            ended.data = Some(data);
        }
        if whole {
            Ok(())
        } else {
            Err(Halt::Stopped(self.observer.stop().unwrap_or(StopReason::Interrupted)))
        }
    }

    /// The completed tables of a round that draws from a graph.
    pub(super) fn completed(&self, graph: &Graph, control: &dyn Control) -> Halting<Vec<Dataset>> {
        let structure = Structure::from_graph(graph.clone(), &self.table.schema().cardinalities())?;
        let fit = &self.options.learn.fit;
        let parameters = fit_for_draws(&structure, self.table, fit, control)?;
        let network = Network::new(self.table.schema(), &structure, parameters)?;
        Ok(Imputer::new(&network, fit.memory).draws(self.table, &self.seeds, control)?)
    }

    /// What was found in the completed tables, those that are known included.
    fn tables(
        &self,
        data: &[Dataset],
        mut known: BTreeMap<u64, CompletedTable>,
    ) -> Result<BTreeMap<u64, CompletedTable>> {
        let of = self.options.completions;
        known.retain(|&number, _| number < of);
        let open: Vec<u64> = (0..of).filter(|number| !known.contains_key(number)).collect();
        let done = AtomicU64::new(known.len() as u64);
        let threads = threads(self.options.learn.threads);
        let found = numbered(&open, threads, &self.learn, self.observer, |number| {
            let Some(found) = self.one(&data[number as usize])? else { return Ok(None) };
            let finished = done.fetch_add(1, Ordering::Relaxed) + 1;
            let event = LearnEvent::Completed { number, found: &found, finished, of };
            self.observer.observe_learning(&event);
            Ok(Some(found))
        })?;
        known.extend(found);
        Ok(known)
    }

    /// The structures of a completed table; `None` when that was stopped.
    fn one(&self, data: &Dataset) -> Result<Option<CompletedTable>> {
        let learned = learn_here(data, &self.learn, &Bounded::new(self.observer, u64::MAX))?;
        if learned.stop != StopReason::Converged {
            return Ok(None);
        }
        let Some(kept) = learned.kept(data.rows()) else { return Ok(None) };
        let chosen = learned.models.iter().position(|model| model.prior.kappa() == kept.prior.kappa());
        let found = |model: &LearnedModel| CompletedStructure {
            structure: affordable_canonical(&model.structure).unwrap_or_else(|| model.structure.clone()),
            moves: model.climb.moves,
            ties: model.climb.ties,
        };
        Ok(Some(CompletedTable {
            found: learned.models.iter().map(found).collect(),
            chosen: chosen.unwrap_or(0),
            limited: learned.limited,
        }))
    }
}

fn is_too_large(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::Limit(_))
}
