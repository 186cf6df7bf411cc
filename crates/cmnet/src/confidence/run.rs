//! One structure per resample, several at a time; the answer is that of one after the other.

use super::options::check_threshold;
use super::resample::Resampler;
use super::tally::Tally;
use super::{Bootstrap, BootstrapOptions, KappaCount};
use crate::control::{Control, StopReason};
use crate::data::Dataset;
use crate::error::Result;
use crate::learn::{LearnEvent, LearnObserver, LearnOptions, Select, in_pool, learn_here};
use crate::loglinear::affordable_canonical;
use crate::score::Kappa;
use crate::search::SearchObserver;
use crate::structure::Structure;
use std::collections::BTreeMap;
use std::num::NonZero;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

/// Learns structures anew from resamples of a table, and says how often each edge and each
/// context element comes back.
///
/// A resample draws as many rows as the table has, with replacement, and keeps all levels of the
/// table. Each structure is closed (see [`crate::canonical`]) before it is counted, where that is
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
    options.check()?;
    options.learn.check_without_rows()?;
    let resampler = Resampler::new(data, options.seed)?;
    let select = if options.learn.kappas.len() == 1 { Select::None } else { Select::Bic };
    let learn = LearnOptions { select, threads: 1, ..options.learn.clone() };
    // Checked as they were given, before any thread starts.
    in_pool(&LearnOptions { threads: options.learn.threads, ..learn.clone() }, || Ok(()))?;
    let work = Work {
        resampler,
        learn,
        observer,
        of: options.replicates,
        next: AtomicU64::new(0),
        done: AtomicU64::new(0),
    };
    let found = work.replicates(threads(options.learn.threads))?;
    Bootstrap::over(found, data, options, observer.stop())
}

/// Threads to use; 0 takes one per core.
fn threads(asked: usize) -> usize {
    if asked > 0 { asked } else { thread::available_parallelism().map_or(1, NonZero::get) }
}

/// The structure that one resample gave.
struct Replicate {
    kappa: Kappa,
    structure: Structure,
    is_closed: bool,
}

struct Work<'a> {
    resampler: Resampler<'a>,
    learn: LearnOptions,
    observer: &'a dyn LearnObserver,
    of: u64,
    next: AtomicU64,
    done: AtomicU64,
}

impl Work<'_> {
    /// The replicates before the first that was not finished.
    fn replicates(&self, threads: usize) -> Result<Vec<Replicate>> {
        let threads = threads.min(usize::try_from(self.of).unwrap_or(usize::MAX));
        // Threads of our own, each with a pool of one: replicates that wait for their parts in a
        // shared pool would begin others meanwhile, and all be in memory at once.
        let parts: Vec<Result<BTreeMap<u64, Replicate>>> = thread::scope(|scope| {
            let started: Vec<_> =
                (0..threads).map(|_| scope.spawn(|| in_pool(&self.learn, || self.some()))).collect();
            let joined = |handle: thread::ScopedJoinHandle<'_, _>| {
                handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            started.into_iter().map(joined).collect()
        });
        let mut all = BTreeMap::new();
        for part in parts {
            all.extend(part?);
        }
        let whole = all.into_iter().zip(0..).take_while(|((number, _), place)| number == place);
        Ok(whole.map(|((_, replicate), _)| replicate).collect())
    }

    /// Takes one number after the other until there is none or the work is to stop.
    fn some(&self) -> Result<BTreeMap<u64, Replicate>> {
        let mut found = BTreeMap::new();
        while self.observer.stop().is_none() {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            if number >= self.of {
                break;
            }
            let Some(replicate) = self.one(number)? else { break };
            found.insert(number, replicate);
            let finished = self.done.fetch_add(1, Ordering::Relaxed) + 1;
            self.observer.observe_learning(&LearnEvent::Replicate { finished, of: self.of });
        }
        Ok(found)
    }

    /// A replicate; `None` when it was stopped.
    fn one(&self, number: u64) -> Result<Option<Replicate>> {
        let data = self.resampler.draw(number)?;
        let learned = learn_here(&data, &self.learn, &Quiet(self.observer))?;
        if learned.stop != StopReason::Converged {
            return Ok(None);
        }
        let Some(kept) = learned.kept(data.rows()) else { return Ok(None) };
        let closed = affordable_canonical(&kept.structure);
        Ok(Some(Replicate {
            kappa: kept.prior.kappa(),
            is_closed: closed.is_some(),
            structure: closed.unwrap_or_else(|| kept.structure.clone()),
        }))
    }
}

/// Stops when the observer asks for it, and tells it nothing: the steps of several searches at a
/// time would only confuse. Nobody waits for a replicate that is not finished.
struct Quiet<'a>(&'a dyn LearnObserver);

impl Control for Quiet<'_> {
    fn stop(&self) -> Option<StopReason> {
        self.0.stop()
    }
}

impl SearchObserver for Quiet<'_> {}

impl LearnObserver for Quiet<'_> {
    fn gives_up(&self) -> bool {
        self.0.stop().is_some()
    }
}

impl Bootstrap {
    fn over(
        found: Vec<Replicate>,
        data: &Dataset,
        options: &BootstrapOptions,
        stopped: Option<StopReason>,
    ) -> Result<Self> {
        let finished = found.len() as u64;
        let count = |&kappa: &Kappa| {
            let chosen = found.iter().filter(|replicate| replicate.kappa == kappa).count() as u64;
            KappaCount { kappa, chosen }
        };
        let kappas = options.learn.kappas.iter().map(count).collect();
        let unclosed = found.iter().filter(|replicate| !replicate.is_closed).count() as u64;
        let structures: Vec<Structure> = found.into_iter().map(|replicate| replicate.structure).collect();
        let tally = Tally::of(&structures, &data.schema().cardinalities(), options.threshold)?;
        let whole = finished == options.replicates;
        Ok(Self {
            asked: options.replicates,
            finished,
            seed: options.seed,
            threshold: options.threshold,
            stop: if whole { StopReason::Converged } else { stopped.unwrap_or(StopReason::Interrupted) },
            kappas,
            unclosed,
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
        check_threshold(threshold)?;
        let tally = Tally::of(&self.structures, self.consensus.cardinalities(), threshold)?;
        let (edges, elements, consensus) = (tally.edges, tally.elements, tally.consensus);
        Ok(Self { threshold, edges, elements, consensus, ..self })
    }
}
