//! Pieces of resampling that are done alone: each is what the whole run finds there.

use super::numbered::threads;
use super::resample::Resampler;
use super::run::{self, Work, replicate_options, settled};
use super::settled::LOOK;
use super::{BootstrapOptions, Replicate};
use crate::data::Dataset;
use crate::error::Result;
use crate::learn::{FirstLearning, LearnObserver};
use crate::structure::Structure;
use std::collections::BTreeMap;
use std::ops::Range;

/// What the whole table gives, before any resample; `None` when that was stopped.
pub(crate) fn first_learning(
    data: &Dataset,
    options: &BootstrapOptions,
    observer: &dyn LearnObserver,
) -> Result<Option<FirstLearning>> {
    let learn = replicate_options(options)?;
    run::first_learning(&Resampler::new(data, options)?, (options, &learn), observer)
}

/// Some replicates alone: those that were finished, which are what the whole run finds there.
pub(crate) fn some_replicates(
    first: &FirstLearning,
    numbers: Range<u64>,
    data: &Dataset,
    options: &BootstrapOptions,
    observer: &dyn LearnObserver,
) -> Result<BTreeMap<u64, Replicate>> {
    let learn = replicate_options(options)?;
    let rows = Resampler::new(data, options)?;
    let work = Work::new(first, &rows, (options, learn), observer);
    work.replicates(&numbers.collect::<Vec<u64>>(), threads(options.learn.threads))
}

/// The replicates that a run needs next: those of the next look where the answer may be settled, and
/// none when it is or all are there.
pub(crate) fn open_replicates(
    known: &BTreeMap<u64, Replicate>,
    data: &Dataset,
    options: &BootstrapOptions,
) -> Vec<u64> {
    let look = if options.stop_early { LOOK } else { options.replicates };
    let mut found: Vec<&Structure> = Vec::new();
    while (found.len() as u64) < options.replicates {
        let from = found.len() as u64;
        let to = options.replicates.min(from.saturating_add(look));
        let open: Vec<u64> = (from..to).filter(|number| !known.contains_key(number)).collect();
        if !open.is_empty() {
            return open;
        }
        found.extend((from..to).filter_map(|number| known.get(&number)).map(|one| &one.structure));
        // What cannot be told here is told where the run ends.
        if options.stop_early && settled(&found, &data.schema().cardinalities(), options).unwrap_or(false) {
            break;
        }
    }
    Vec::new()
}
