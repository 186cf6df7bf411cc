//! A run, and the tasks that it is divided into.

use super::findings::{Findings, is_finished};
use super::shard::Shard;
use super::task::Task;
use crate::confidence::{BootstrapOptions, bootstrap_identity, open_replicates};
use crate::data::{Dataset, FoldPlan, Var};
use crate::error::{Error, OptionName, Result};
use crate::learn::{
    LearnOptions, RunFact, SearchMode, Select, cells, fold_options, folds_differ, run_identity,
};
use crate::score::Kappa;
use std::ops::Range;

/// A run that can be divided.
#[derive(Clone, Debug, PartialEq)]
pub enum Job {
    /// Learning: one structure per kappa.
    Learn(LearnOptions),
    /// Cross-validation.
    CrossValidate {
        /// Which observations are held out together.
        plan: FoldPlan,
        /// How each fold is learned.
        options: LearnOptions,
    },
    /// Resamples: a structure of each.
    Bootstrap(BootstrapOptions),
}

/// Variables whose blankets are found between two writes of a share.
const BATCH: usize = 64;

/// Variables squared, times rows, up to which blankets are not worth tasks of their own on one machine: they take some
/// seconds of the processor at most.
const SHORT: u64 = 100_000_000_000;

/// Replicates that are learned between two writes of a share.
const FEW: usize = 8;

impl Job {
    /// The word for this kind of run, as the command is called.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Learn(_) => "learn",
            Self::CrossValidate { .. } => "cv",
            Self::Bootstrap(_) => "bootstrap",
        }
    }

    /// How structures are learned.
    pub fn options(&self) -> &LearnOptions {
        match self {
            Self::Learn(options) | Self::CrossValidate { options, .. } => options,
            Self::Bootstrap(options) => &options.learn,
        }
    }

    /// All that must be the same for findings to belong to the run: see [`run_identity`].
    pub fn identity(&self, data: &Dataset) -> Vec<(RunFact, String)> {
        if let Self::Bootstrap(options) = self {
            return bootstrap_identity(data, options);
        }
        let mut identity = run_identity(data, self.options());
        let mut set = |option: OptionName, value: String| {
            identity.retain(|(fact, _)| *fact != RunFact::Option(option));
            identity.push((RunFact::Option(option), value));
        };
        let Self::CrossValidate { plan, options } = self else { return identity };
        match plan {
            FoldPlan::Drawn { folds, seed } => {
                set(OptionName::Folds, folds.to_string());
                set(OptionName::Seed, seed.to_string());
            }
            FoldPlan::Column(by) => set(OptionName::FoldColumn, data.schema().name(*by).to_owned()),
        }
        set_fitting(data, &fold_options(options), set);
        identity
    }

    /// The tasks that can be run now, given what is known: none when everything is. Work that can be
    /// cut anywhere is cut into so many pieces.
    ///
    /// The blankets come before the graph, the graph before the structures that need it, and folds are learned again when it
    /// shows that not all of them can have exact probabilities. So ask again when these are done.
    pub fn tasks(&self, data: &Dataset, known: &Findings, pieces: usize) -> Vec<Task> {
        self.tasks_for(usize::MAX, data, known, pieces)
    }

    /// The same for so many workers. Structures that would keep only some of them busy in the end are found
    /// together with the graph, for which all but one have to wait anyhow. One worker finds all structures together,
    /// so that they share what they find out, and the blankets with them where these take some seconds at most. So count workers
    /// as one where a task may have the threads of all, as on one machine.
    pub fn tasks_for(&self, workers: usize, data: &Dataset, known: &Findings, pieces: usize) -> Vec<Task> {
        if let Self::Bootstrap(options) = self {
            if known.resamples.first.is_none() {
                return vec![Task::First];
            }
            let open = open_replicates(&known.resamples.finished, data, options);
            return cut(&open, pieces).into_iter().map(Task::Replicates).collect();
        }
        let (whole, open) = (self.whole_tasks(data, known), self.open_variables(data, known));
        let together = open.is_empty() || workers <= 1 && is_short(data.variables(), data.distinct_rows());
        if together && self.needs_graph(data, known, &whole) {
            return vec![self.graph_for(workers, known)];
        }
        if open.is_empty() { whole } else { cut(&open, pieces).into_iter().map(Task::Blankets).collect() }
    }

    /// The tasks of one share of what can be done now. Shares do not depend on how much others have
    /// done: a part that is done already is left out. A task may need what those before it found. Each
    /// share finds the graph for itself, where nobody has found it in an earlier round.
    ///
    /// A share of resamples does all of its replicates, also those that an answer that is settled
    /// early leaves out: nobody can know them beforehand.
    pub fn share(&self, data: &Dataset, known: &Findings, shard: Shard) -> Vec<Task> {
        if let Self::Bootstrap(options) = self {
            let own = shard.part(options.replicates);
            let open: Vec<u64> =
                own.filter(|number| !known.resamples.finished.contains_key(number)).collect();
            let first = (!open.is_empty() && known.resamples.first.is_none()).then_some(Task::First);
            return first.into_iter().chain(ranges(&open, FEW).into_iter().map(Task::Replicates)).collect();
        }
        if !self.open_variables(data, known).is_empty() {
            let own = shard.part(data.variables() as u64);
            let own: Vec<Var> = (own.start as usize..own.end as usize)
                .filter(|variable| !known.blankets.contains_key(variable))
                .collect();
            return ranges(&own, BATCH).into_iter().map(Task::Blankets).collect();
        }
        let mine = |task: &Task| match task {
            Task::Kappa(place) | Task::Fold { place, .. } => *place as u64 % shard.of() == shard.number() - 1,
            Task::Blankets(_) | Task::Graph(_) | Task::First | Task::Replicates(_) => true,
        };
        let own: Vec<Task> = self.whole_tasks(data, known).into_iter().filter(mine).collect();
        let graph = self.needs_graph(data, known, &own).then(|| Task::Graph(Vec::new()));
        graph.into_iter().chain(own).collect()
    }

    /// Variables whose blankets are needed and not known.
    fn open_variables(&self, data: &Dataset, known: &Findings) -> Vec<Var> {
        match self {
            Self::Learn(options) if searches_blankets(data, options) => {
                (0..data.variables()).filter(|variable| !known.blankets.contains_key(variable)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Whether tasks wait for the graph that the climbs of mode `blanket` start from.
    fn needs_graph(&self, data: &Dataset, known: &Findings, tasks: &[Task]) -> bool {
        let waits = tasks.iter().any(|task| matches!(task, Task::Kappa(_)));
        waits && searches_blankets(data, self.options()) && !known.has_graph()
    }

    /// The graph, with the kappas that so many workers cannot share evenly, where there are more kappas than workers; one
    /// worker has nobody to share them with.
    fn graph_for(&self, workers: usize, known: &Findings) -> Task {
        let kappas = &self.options().kappas;
        // The graph itself is the structure of a kappa that allows no contexts.
        let open = |place: &usize| kappas[*place] != Kappa::Epsilon && !known.kappas.contains_key(place);
        let open: Vec<usize> = (0..kappas.len()).filter(open).collect();
        let spare = match workers {
            0 | 1 => open.len(),
            _ if open.len() > workers => open.len() % workers,
            _ => 0,
        };
        Task::Graph(open.into_iter().take(spare).collect())
    }

    /// Refuses a run that cannot be divided.
    ///
    /// # Errors
    /// When rows that are held out choose the kappa of a learning run.
    pub fn check(&self) -> Result<()> {
        match self {
            Self::Learn(options) if matches!(options.select, Select::Heldout | Select::Cv) => {
                let expected = "bic or none: a choice by rows that are held out is not divided into tasks";
                Err(Error::option(OptionName::Select, options.select.to_string(), expected))
            }
            _ => Ok(()),
        }
    }

    /// Tasks that cannot be cut.
    fn whole_tasks(&self, data: &Dataset, known: &Findings) -> Vec<Task> {
        match self {
            Self::Learn(options) => {
                let open = |place: &usize| !known.kappas.get(place).is_some_and(is_finished);
                (0..options.kappas.len()).filter(open).map(Task::Kappa).collect()
            }
            // Its tasks can be cut anywhere.
            Self::Bootstrap(_) => Vec::new(),
            Self::CrossValidate { plan, options } => {
                let count = plan.count(data);
                let open = |again: bool| {
                    let known = if again { &known.folds.by_pseudo_likelihood } else { &known.folds.finished };
                    let places = (0..count).filter(|place| !known.contains_key(place));
                    places.map(|place| Task::Fold { place, again }).collect::<Vec<_>>()
                };
                let first = open(false);
                let differ = first.is_empty() && folds_differ(known.folds.finished.values(), options);
                if differ { open(true) } else { first }
            }
        }
    }
}

/// What fitting and the choice go by, where results depend on them.
fn set_fitting(data: &Dataset, options: &LearnOptions, mut set: impl FnMut(OptionName, String)) {
    let by_rows = |what: &str| format!("{what} with seed {}", options.tune.seed);
    let drawn = matches!(options.select, Select::Heldout | Select::Cv);
    let select = options.select.to_string();
    set(OptionName::Select, if drawn { by_rows(&select) } else { select });
    let (order, ridge) = (options.fit.order.to_string(), options.fit.ridge.to_string());
    set(OptionName::Order, if options.tune.order { by_rows("auto") } else { order });
    set(OptionName::Ridge, if options.tune.ridge { by_rows("auto") } else { ridge });
    if let Some(target) = options.target {
        set(OptionName::Target, by_rows(data.schema().name(target)));
    }
    // Each fold chooses its search for itself.
    set(OptionName::Search, options.search.to_string());
    set(OptionName::MaxNeighbors, options.limits.neighbors.to_string());
    set(OptionName::MaxConfigurations, options.limits.configurations.to_string());
    set(OptionName::Candidates, options.candidates.to_string());
    set(OptionName::Refine, options.refine.to_string());
    set(OptionName::MaxCells, cells(options));
    set(OptionName::Contexts, options.contexts.to_string());
    set(OptionName::Method, options.fit.method.to_string());
    set(OptionName::Smoothing, options.fit.smoothing.to_string());
    set(OptionName::Memory, options.fit.memory.to_string());
}

/// Whether all blankets are found in some seconds of the processor. To divide them takes a good part of that.
fn is_short(variables: usize, distinct_rows: usize) -> bool {
    let pairs = (variables as u64).saturating_pow(2);
    pairs.saturating_mul(distinct_rows as u64) <= SHORT
}

/// Whether a run looks for blankets first.
pub(super) fn searches_blankets(data: &Dataset, options: &LearnOptions) -> bool {
    options.mode(data.variables(), data.distinct_rows() as u64).0 == SearchMode::Blanket
}

/// Numbers that can be counted through.
trait Counted: Copy + PartialEq {
    fn next(self) -> Self;
}

impl Counted for usize {
    fn next(self) -> Self {
        self + 1
    }
}

impl Counted for u64 {
    fn next(self) -> Self {
        self + 1
    }
}

/// Runs of neighbours among ascending numbers, each of at most so many.
fn ranges<T: Counted>(numbers: &[T], most: usize) -> Vec<Range<T>> {
    let neighbours = numbers.chunk_by(|one, other| one.next() == *other);
    let pieces = neighbours.flat_map(|run| run.chunks(most.max(1)));
    pieces.filter_map(|piece| Some(*piece.first()?..piece.last()?.next())).collect()
}

/// The same in about so many pieces.
fn cut<T: Counted>(numbers: &[T], pieces: usize) -> Vec<Range<T>> {
    ranges(numbers, numbers.len().div_ceil(pieces.max(1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_seconds_are_short() {
        assert!(is_short(2_000, 20_000) && is_short(100, 10_000_000));
        assert!(!is_short(2_000, 30_000) && !is_short(10_000, 2_000));
        assert!(!is_short(usize::MAX, usize::MAX));
    }

    #[test]
    fn ranges_hold_neighbours_alone() {
        assert_eq!(ranges(&[0_u64, 1, 2, 3, 4, 7, 8], 3), [0..3, 3..5, 7..9]);
        assert!(ranges::<usize>(&[], 3).is_empty());
        assert_eq!(cut(&[0_usize, 1, 2, 3, 4], 2), [0..3, 3..5]);
    }
}
