//! Learning from observations with real-valued weights, of which some may be held out to choose by.

use super::by_rows::{self, ByRows, Judging, Part, parts_asked};
use super::cross_validate_weighted::drawn;
use super::observer::{LearnEvent, LearnObserver, Quiet};
use super::tune::{LEAST_ROWS, PARTS};
use super::{Begin, Criterion, LearnOptions, Learned, Select, in_pool, search_and_choose};
use crate::control::StopReason;
use crate::counts::{CountedTable, WeightedCounts};
use crate::data::WeightedTable;
use crate::error::Result;

/// As [`learn`](crate::learn), from observations with real-valued weights. Where held-out rows choose the kappa, each
/// observation is dealt with its weight, and means of held-out rows are weighted.
///
/// # Errors
/// As [`learn_counts`](crate::learn_counts); held-out rows choose no order, no ridge and no target.
pub fn learn_weighted(
    table: &WeightedTable,
    options: &LearnOptions,
    observer: &dyn LearnObserver,
) -> Result<Learned> {
    LearnOptions { select: Select::Bic, ..options.clone() }.check_without_rows()?;
    in_pool(options, || {
        let by_rows = judge(table, options, observer)?;
        let cut = by_rows.as_ref().map_or(StopReason::Converged, |known| known.stop);
        let best = by_rows.as_ref().and_then(|known| known.best(table.rows()));
        let kappas = best.map_or_else(|| options.kappas.clone(), |kappa| vec![kappa]);
        let options = LearnOptions { kappas, ..options.clone() };
        let counts = WeightedCounts::new(table);
        let counted = CountedTable::with_digest(&counts, table.schema(), || table.digest())?;
        let mut learned = search_and_choose(Begin::default(), &counted, &options, observer)?;
        if best.is_some() {
            learned.criterion = Some(Criterion::Heldout);
        }
        learned.by_rows = by_rows;
        if learned.stop == StopReason::Converged {
            learned.stop = cut;
        }
        Ok(learned)
    })
}

/// The same with options that were checked, in the threads of the caller.
pub(crate) fn learn_weighted_here(
    begin: Begin<'_>,
    table: &WeightedTable,
    options: &LearnOptions,
    observer: &dyn LearnObserver,
) -> Result<Learned> {
    let counts = WeightedCounts::new(table);
    let counted = CountedTable::with_digest(&counts, table.schema(), || table.digest())?;
    search_and_choose(begin, &counted, options, observer)
}

/// Judges each kappa by observations that are held out, where that was asked for.
fn judge(
    table: &WeightedTable,
    options: &LearnOptions,
    observer: &dyn LearnObserver,
) -> Result<Option<ByRows>> {
    let Some(parts) = parts_asked(options).filter(|_| table.observations() >= LEAST_ROWS) else {
        return Ok(None);
    };
    by_rows::holding_out(observer, || judge_parts(parts, table, options, observer)).map(Some)
}

fn judge_parts(
    parts: usize,
    table: &WeightedTable,
    options: &LearnOptions,
    observer: &dyn LearnObserver,
) -> Result<ByRows> {
    let dealt = drawn(table, PARTS, options.tune.seed)?;
    let (mut judging, bare) = (Judging::new(parts, options, observer), by_rows::bare(options));
    for index in 0..parts {
        observer.observe_learning(&LearnEvent::Fold { index, of: parts });
        let (training, heldout) = dealt.split(index, table.kind())?;
        let counts = WeightedCounts::new(&training);
        let counted = CountedTable::with_digest(&counts, training.schema(), || training.digest())?;
        let learned = search_and_choose(Begin::of_all(), &counted, &bare, &Quiet { observer })?;
        let part = Part { training: &counted, heldout: heldout.units(), weight: heldout.sum() };
        if let Some(stop) = judging.add(&learned, &part)? {
            return Ok(judging.cut(index, stop));
        }
    }
    Ok(judging.finished())
}
