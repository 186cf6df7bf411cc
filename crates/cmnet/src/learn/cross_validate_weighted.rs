//! Cross-validation of observations with real-valued weights.

use super::cross_validate::{by_pseudo_likelihood, fold_options, folds_differ, numbers_of};
use super::{
    CrossValidation, FoldResult, LearnEvent, LearnObserver, LearnOptions, LearnedModel, learn_counts_for_all,
};
use crate::control::{Outcome, StopReason};
use crate::counts::{CountedTable, WeightedCounts};
use crate::data::{FoldPlan, RealRows, Schema, Var, WeightKind, WeightedTable, shuffled};
use crate::error::{Error, Expected, OptionName, Result};

/// Cross-validates a table with real-valued weights. Each observation is dealt with its weight; numbers of a
/// fold go by the weights of its own observations, and means of held-out rows are weighted.
///
/// Folds are drawn as those of whole counts are: the sorted observations are shuffled by the seed.
///
/// # Errors
/// When there are fewer than two folds, or a fold or its complement has no positive weight; as
/// [`learn_counts`](crate::learn_counts).
pub fn cross_validate_weighted(
    table: &WeightedTable,
    plan: FoldPlan,
    options: &LearnOptions,
    observer: &dyn LearnObserver,
) -> Result<CrossValidation> {
    let folds = deal(table, plan)?;
    let mut options = fold_options(options);
    let (mut finished, mut stop) = all(table, &folds, &options, false, observer)?;
    if folds_differ(finished.iter(), &options) {
        options = by_pseudo_likelihood(&options);
        (finished, stop) = all(table, &folds, &options, true, observer)?;
    }
    Ok(CrossValidation::begun(table.units(), plan).over(&finished, options.kappas_of_folds(), stop))
}

/// The observations of each fold, and the variables that stay.
pub(super) struct Dealt {
    schema: Schema,
    folds: Vec<RealRows>,
}

impl Dealt {
    /// The observations of the other folds, and those of one, which count by their share of the weights: what a unit
    /// of these is worth does not matter.
    pub(super) fn split(&self, place: usize, kind: WeightKind) -> Result<(WeightedTable, WeightedTable)> {
        let mut kept = RealRows::new();
        for (_, fold) in self.folds.iter().enumerate().filter(|(number, _)| *number != place) {
            for (row, weights) in fold {
                kept.entry(row.clone()).or_default().extend(weights);
            }
        }
        let training = WeightedTable::of_rows(self.schema.clone(), kept, kind)?;
        Ok((training, WeightedTable::shares(self.schema.clone(), self.folds[place].clone())?))
    }
}

fn deal(table: &WeightedTable, plan: FoldPlan) -> Result<Dealt> {
    match plan {
        FoldPlan::Drawn { folds, seed } => drawn(table, folds, seed),
        FoldPlan::Column(by) => by_column(table, by),
    }
}

pub(super) fn drawn(table: &WeightedTable, folds: usize, seed: u64) -> Result<Dealt> {
    if folds < 2 {
        return Err(Error::option(OptionName::Folds, folds.to_string(), Expected::AtLeast(2)));
    }
    let observations = table.in_order();
    if folds > observations.len() {
        let expected = format!("at most one fold for each of {} rows", observations.len());
        return Err(Error::option(OptionName::Folds, folds.to_string(), expected));
    }
    let mut dealt = vec![RealRows::new(); folds];
    for (place, number) in shuffled(observations.len(), seed).into_iter().enumerate() {
        let (row, weight) = observations[number as usize];
        dealt[place % folds].entry(row.to_vec()).or_default().push(weight);
    }
    Ok(Dealt { schema: table.schema().clone(), folds: dealt })
}

fn by_column(table: &WeightedTable, by: Var) -> Result<Dealt> {
    let schema = table.schema();
    let others: Vec<Var> = (0..schema.len()).filter(|&variable| variable != by).collect();
    let mut dealt = vec![RealRows::new(); schema.variable(by).levels.len()];
    for (row, weights) in table.given() {
        let kept: Vec<f64> = weights.iter().copied().filter(|&weight| weight > 0.0).collect();
        if !kept.is_empty() {
            let own = others.iter().map(|&variable| row[variable]).collect();
            dealt[row[by] as usize].entry(own).or_default().extend(kept);
        }
    }
    dealt.retain(|fold| !fold.is_empty());
    if dealt.len() < 2 || others.is_empty() {
        let expected = "a column with at least two values, beside others";
        return Err(Error::option(OptionName::FoldColumn, schema.name(by), expected));
    }
    Ok(Dealt { schema: table.units().select(&others)?.schema().clone(), folds: dealt })
}

fn all(
    table: &WeightedTable,
    dealt: &Dealt,
    options: &LearnOptions,
    again: bool,
    observer: &dyn LearnObserver,
) -> Result<(Vec<FoldResult>, StopReason)> {
    let mut finished: Vec<FoldResult> = Vec::new();
    for index in 0..dealt.folds.len() {
        observer.observe_learning(&LearnEvent::Fold { index, of: dealt.folds.len() });
        let result = match one(table, dealt, index, options, observer)? {
            Outcome::Done(result) => result,
            Outcome::Stopped(stop) => return Ok((finished, stop)),
        };
        observer.observe_learning(&LearnEvent::FoldFinished { index, again, result: &result });
        finished.push(result);
        if !again && folds_differ(finished.iter(), options) {
            break;
        }
    }
    Ok((finished, StopReason::Converged))
}

fn one(
    table: &WeightedTable,
    dealt: &Dealt,
    place: usize,
    options: &LearnOptions,
    observer: &dyn LearnObserver,
) -> Result<Outcome<FoldResult>> {
    let (training, heldout) = dealt.split(place, table.kind())?;
    let counts = WeightedCounts::new(&training);
    let counted = CountedTable::with_digest(&counts, training.schema(), || training.digest())?;
    let learned = learn_counts_for_all(&counted, options, observer)?;
    if learned.stop != StopReason::Converged {
        return Ok(Outcome::Stopped(learned.stop));
    }
    let exact =
        learned.models.iter().filter_map(LearnedModel::compared).all(|fit| fit.log_likelihood.is_some());
    Ok(Outcome::Done(FoldResult { numbers: numbers_of(&learned, heldout.units()), exact }))
}
