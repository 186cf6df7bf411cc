//! One structure per resample, several at a time; the answer is that of one after the other.

use super::bounded::Bounded;
use super::numbered::{numbered, threads};
use super::options::check_share;
use super::resample::{Resampled, Resampler, WeightedResampler};
use super::settled::{LOOK, is_settled};
use super::{
    Bootstrap, BootstrapOptions, BootstrapState, KappaChoice, KappaCount, Replicate, ReplicateStart, Tally,
};
use crate::control::StopReason;
use crate::data::{Dataset, WeightedTable};
use crate::error::{OptionName, Result};
use crate::graph::Graph;
use crate::learn::{
    Begin, FirstLearning, LearnEvent, LearnObserver, LearnOptions, LearnedModel, SearchMode, Select, in_pool,
};
use crate::loglinear::affordable_canonical;
use crate::score::Kappa;
use crate::structure::Structure;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

/// Learns structures anew from resamples of a table, and says how often each edge and each
/// context element comes back.
///
/// A resample is a part of the rows, or as many rows drawn with replacement (see [`super::Resample`]); it keeps
/// all levels of the table. Each structure is closed (see [`crate::canonical`]) before it is counted, where that is
/// affordable. The answer is determined by table, options and seed: the number of threads changes
/// nothing. An observer that asks to stop ends it with the replicates up to the first that is not
/// finished, as if only so many had been asked for.
///
/// # Errors
/// When an option cannot be used, the table has a single row, or learning fails.
///
/// # Example
/// ```
/// use cmnet::{BootstrapOptions, Dataset, bootstrap};
/// let rows = [["0", "0"], ["1", "1"]].repeat(20);
/// let data = Dataset::from_labels(&["a", "b"], rows)?;
/// let options = BootstrapOptions { replicates: 20, ..BootstrapOptions::default() };
/// let found = bootstrap(&data, &options, &())?;
/// assert_eq!(found.edges[0].found.support(), 1.0);
/// assert_eq!(found.consensus.graph().edge_count(), 1);
/// # Ok::<(), cmnet::Error>(())
/// ```
pub fn bootstrap(
    data: &Dataset,
    options: &BootstrapOptions,
    observer: &dyn LearnObserver,
) -> Result<Bootstrap> {
    bootstrap_from(BootstrapState::default(), data, options, observer)
}

/// As [`bootstrap`], going on from a saved state of the same run: the answer is the same. See
/// [`bootstrap_identity`](super::bootstrap_identity) for what must be the same.
///
/// # Errors
/// As [`bootstrap`].
pub fn bootstrap_from(
    state: BootstrapState,
    data: &Dataset,
    options: &BootstrapOptions,
    observer: &dyn LearnObserver,
) -> Result<Bootstrap> {
    let learn = replicate_options(options)?;
    resampled(state, &Resampler::new(data, options)?, (options, learn), observer)
}

/// As [`bootstrap`], from observations with real-valued weights: a resample draws observations, and each takes its weight
/// along. Weights of a design are scaled to the effective size of the resample. Strata and clusters of a design are not
/// known: observations are drawn independently.
///
/// # Errors
/// As [`bootstrap`]; when the weights are counts that are no whole numbers, of which no observation can be drawn.
///
/// # Example
/// ```
/// use cmnet::{BootstrapOptions, Schema, Variable, WeightKind, WeightedTable, bootstrap_weighted};
/// let variable = |name: &str| Variable { name: name.into(), levels: vec!["no".into(), "yes".into()] };
/// let schema = Schema::new(vec![variable("a"), variable("b")])?;
/// let rows = (0..60).map(|row| (vec![row % 2, row % 2], 0.5 + f64::from(row % 3)));
/// let table = WeightedTable::new(schema, rows, WeightKind::Design)?;
/// let options = BootstrapOptions { replicates: 20, ..BootstrapOptions::default() };
/// let found = bootstrap_weighted(&table, &options, &())?;
/// assert_eq!(found.edges[0].found.support(), 1.0);
/// # Ok::<(), cmnet::Error>(())
/// ```
pub fn bootstrap_weighted(
    table: &WeightedTable,
    options: &BootstrapOptions,
    observer: &dyn LearnObserver,
) -> Result<Bootstrap> {
    let learn = replicate_options(options)?;
    let state = BootstrapState::default();
    resampled(state, &WeightedResampler::new(table, options)?, (options, learn), observer)
}

fn resampled(
    state: BootstrapState,
    rows: &dyn Resampled,
    (options, learn): (&BootstrapOptions, LearnOptions),
    observer: &dyn LearnObserver,
) -> Result<Bootstrap> {
    let first = match state.first {
        Some(first) => Some(first),
        None => first_learning(rows, (options, &learn), observer)?,
    };
    let cardinalities = rows.rows(None)?.cardinalities();
    // Stopped before there was anything to resample for.
    let Some(first) = first else {
        return Bootstrap::over(Vec::new(), &cardinalities, options, observer.stop());
    };
    let found = Work::new(&first, rows, (options, learn), observer).all(state.finished, options)?;
    Bootstrap::over(found, &cardinalities, options, observer.stop())
}

/// How each structure is learned, where everything can be used as it was given.
pub(super) fn replicate_options(options: &BootstrapOptions) -> Result<LearnOptions> {
    options.check()?;
    options.learn.check_without_rows()?;
    let select = if options.learn.kappas.len() == 1 { Select::None } else { Select::Bic };
    let learn = LearnOptions { select, threads: 1, ..options.learn.clone() };
    // Checked as they were given, before any thread starts.
    in_pool(&LearnOptions { threads: options.learn.threads, ..learn.clone() }, || Ok(()))?;
    Ok(learn)
}

/// The mode of a replicate's search. Where it is left to the program it is `blanket`: one graph serves all kappas, so
/// that a replicate takes a fraction of the first learning.
pub(super) fn replicate_search(learn: &LearnOptions) -> SearchMode {
    if learn.search == SearchMode::Auto { SearchMode::Blanket } else { learn.search }
}

/// Whether more replicates would not change the answer.
pub(super) fn settled(
    found: &[&Structure],
    cardinalities: &[u32],
    options: &BootstrapOptions,
) -> Result<bool> {
    Ok(is_settled(&Tally::of(found, cardinalities, options.threshold)?))
}

/// Questions that every replicate may ask: some tenths of a second.
const LEAST_BOUND: u64 = 5_000;

/// Learns from the whole table: with all kappas where each replicate chooses one, and else as learning
/// by itself does, which may pass over some. `None` when that was stopped.
pub(super) fn first_learning(
    rows: &dyn Resampled,
    (options, learn): (&BootstrapOptions, &LearnOptions),
    observer: &dyn LearnObserver,
) -> Result<Option<FirstLearning>> {
    let counted = Bounded::new(observer, u64::MAX);
    let is_kept = options.kappa_choice == KappaChoice::Table;
    let begin = if is_kept { Begin::default() } else { Begin::of_all() };
    let (learned, count) = in_pool(learn, || rows.rows(None)?.learn(begin, learn, &counted))?;
    let Some(kept) = learned.kept(count).filter(|_| learned.stop == StopReason::Converged) else {
        return Ok(None);
    };
    let graph = |model: &LearnedModel| model.structure.graph().clone();
    let graphs = if is_kept { vec![graph(kept)] } else { learned.models.iter().map(graph).collect() };
    let first = FirstLearning { graphs, kappa: kept.prior.kappa(), questions: counted.asked() };
    observer.observe_learning(&LearnEvent::Resampling(&first));
    Ok(Some(first))
}

pub(super) struct Work<'a> {
    rows: &'a dyn Resampled,
    learn: LearnOptions,
    observer: &'a dyn LearnObserver,
    of: u64,
    /// The most questions of a replicate.
    bound: u64,
    /// Where searches start: nothing for the empty graph, else a graph for each kappa of a replicate.
    graphs: &'a [Graph],
    done: AtomicU64,
}

impl<'a> Work<'a> {
    pub(super) fn new(
        first: &'a FirstLearning,
        rows: &'a dyn Resampled,
        (options, learn): (&BootstrapOptions, LearnOptions),
        observer: &'a dyn LearnObserver,
    ) -> Self {
        let search = replicate_search(&learn);
        let learn = match options.kappa_choice {
            KappaChoice::Anew => LearnOptions { search, ..learn },
            KappaChoice::Table => {
                LearnOptions { search, kappas: vec![first.kappa], select: Select::None, ..learn }
            }
        };
        Self {
            rows,
            learn,
            observer,
            of: options.replicates,
            bound: first.questions.saturating_mul(options.bound).max(LEAST_BOUND),
            graphs: if options.start == ReplicateStart::Table { &first.graphs } else { &[] },
            done: AtomicU64::new(0),
        }
    }

    /// The replicates before the first that was not finished, up to where the answer is settled
    /// if that is to end it. Whether it is settled is asked of the first so many replicates, so
    /// that neither threads nor breaks change the answer.
    fn all(&self, mut known: BTreeMap<u64, Replicate>, options: &BootstrapOptions) -> Result<Vec<Replicate>> {
        let threads = threads(options.learn.threads);
        self.done.store(known.range(..self.of).count() as u64, Ordering::Relaxed);
        let look = if options.stop_early { LOOK } else { self.of };
        let mut found: Vec<Replicate> = Vec::new();
        while (found.len() as u64) < self.of {
            let from = found.len() as u64;
            let to = self.of.min(from.saturating_add(look));
            let open: Vec<u64> = (from..to).filter(|number| !known.contains_key(number)).collect();
            known.extend(self.replicates(&open, threads)?);
            found.extend((from..to).map_while(|number| known.remove(&number)));
            if (found.len() as u64) < to {
                break;
            }
            if options.stop_early {
                let structures: Vec<&Structure> = found.iter().map(|one| &one.structure).collect();
                if settled(&structures, &self.rows.rows(None)?.cardinalities(), options)? {
                    break;
                }
            }
        }
        Ok(found)
    }

    /// Those of some replicates that were finished.
    pub(super) fn replicates(&self, open: &[u64], threads: usize) -> Result<BTreeMap<u64, Replicate>> {
        numbered(open, threads, &self.learn, self.observer, |number| {
            let Some(replicate) = self.one(number)? else { return Ok(None) };
            let finished = self.done.fetch_add(1, Ordering::Relaxed) + 1;
            let event = LearnEvent::Replicate { number, found: &replicate, finished, of: self.of };
            self.observer.observe_learning(&event);
            Ok(Some(replicate))
        })
    }

    /// A replicate; `None` when it was stopped.
    fn one(&self, number: u64) -> Result<Option<Replicate>> {
        let control = Bounded::new(self.observer, self.bound);
        let begin = Begin::of_resample(self.graphs);
        let (learned, rows) = self.rows.rows(Some(number))?.learn(begin, &self.learn, &control)?;
        let bounded = control.is_reached();
        // What the observer ended may lack what the bound alone would have left.
        if learned.stop != StopReason::Converged && !(bounded && self.observer.stop().is_none()) {
            return Ok(None);
        }
        let Some(kept) = learned.kept(rows) else { return Ok(None) };
        let closed = affordable_canonical(&kept.structure);
        Ok(Some(Replicate {
            kappa: kept.prior.kappa(),
            closed: closed.is_some(),
            structure: closed.unwrap_or_else(|| kept.structure.clone()),
            bounded,
        }))
    }
}

impl Bootstrap {
    fn over(
        found: Vec<Replicate>,
        cardinalities: &[u32],
        options: &BootstrapOptions,
        stopped: Option<StopReason>,
    ) -> Result<Self> {
        let finished = found.len() as u64;
        let count = |&kappa: &Kappa| {
            let chosen = found.iter().filter(|replicate| replicate.kappa == kappa).count() as u64;
            KappaCount { kappa, chosen }
        };
        let kappas = options.learn.kappas.iter().map(count).collect();
        let count = |is: fn(&Replicate) -> bool| found.iter().filter(|one| is(one)).count() as u64;
        let (unclosed, bounded) = (count(|one| !one.closed), count(|one| one.bounded));
        let structures: Vec<Structure> = found.into_iter().map(|replicate| replicate.structure).collect();
        let tally = Tally::of(&structures, cardinalities, options.threshold)?;
        // An end that nobody asked for is one that was settled.
        let settled = options.stop_early && finished < options.replicates && stopped.is_none();
        let whole = finished == options.replicates || settled;
        Ok(Self {
            asked: options.replicates,
            finished,
            seed: options.seed,
            threshold: options.threshold,
            resample: options.resample,
            share: options.share(),
            start: options.start,
            kappa_choice: options.kappa_choice,
            stop: if whole { StopReason::Converged } else { stopped.unwrap_or(StopReason::Interrupted) },
            kappas,
            settled,
            unclosed,
            bounded,
            edges: tally.edges,
            elements: tally.elements,
            consensus: tally.consensus,
            structures,
        })
    }

    /// The same replicates with another threshold: nothing is learned again.
    ///
    /// # Errors
    /// When the threshold is not above 0 and at most 1.
    pub fn with_threshold(self, threshold: f64) -> Result<Self> {
        check_share(OptionName::Threshold, threshold)?;
        let tally = Tally::of(&self.structures, self.consensus.cardinalities(), threshold)?;
        let (edges, elements, consensus) = (tally.edges, tally.elements, tally.consensus);
        Ok(Self { threshold, edges, elements, consensus, ..self })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replicates_share_one_graph_unless_another_search_is_asked_for() {
        let data = Dataset::from_labels(&["a", "b"], [["0", "0"], ["1", "1"]].repeat(20)).unwrap();
        let first = FirstLearning { graphs: Vec::new(), kappa: Kappa::Epsilon, questions: 1 };
        for kappa_choice in [KappaChoice::Anew, KappaChoice::Table] {
            for (asked, used) in [
                (SearchMode::Auto, SearchMode::Blanket),
                (SearchMode::Paper, SearchMode::Paper),
                (SearchMode::Exact, SearchMode::Exact),
            ] {
                let learn = LearnOptions { search: asked, ..LearnOptions::default() };
                let options = BootstrapOptions { kappa_choice, learn, ..BootstrapOptions::default() };
                let learn = replicate_options(&options).unwrap();
                let resampler = Resampler::new(&data, &options).unwrap();
                let work = Work::new(&first, &resampler, (&options, learn), &());
                assert_eq!(work.learn.search, used);
                let kept = if kappa_choice == KappaChoice::Table { 1 } else { 4 };
                assert_eq!(work.learn.kappas.len(), kept);
            }
        }
    }
}
