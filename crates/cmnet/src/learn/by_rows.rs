//! Kappa by rows that were held out of search and estimate.

use super::observer::{FitControl, LearnEvent, LearnObserver, Quiet};
use super::tune::{LEAST_ROWS, PARTS};
use super::{LearnOptions, Learned, Select, Tune, learn_here};
use crate::control::{Outcome, StopReason};
use crate::counts::{CountSource, CountedTable, RowCounts};
use crate::data::{DataDigest, Dataset, FoldPlan, Folds};
use crate::error::{ErrorKind, Result};
use crate::loglinear::{FitRequest, fit_to_predict};
use crate::score::Kappa;
use crate::structure::Structure;
use std::cmp::Ordering;

/// How well the structures of each kappa predicted rows that were held out.
#[derive(Clone, Debug, PartialEq)]
pub struct ByRows {
    /// Parts of the table to be held out, one after the other; each is a fifth.
    pub parts: usize,
    /// Parts that were finished. Where these are fewer, the rest was cut: held-out rows then choose nothing.
    pub finished: usize,
    /// Why it ended.
    pub stop: StopReason,
    /// What determined the parts.
    pub seed: u64,
    /// For each kappa the mean log-probability of a held-out row: of its conditionals, where some
    /// estimate is not exact. `None` where a structure could not be fitted. Empty after a cut.
    pub predictive: Vec<(Kappa, Option<f64>)>,
}

impl ByRows {
    /// Whether it was ended before all parts were held out.
    pub fn is_cut(&self) -> bool {
        self.finished < self.parts
    }

    /// The kappa of the best prediction; of equals the smallest. `None` after a cut.
    pub fn best(&self, rows: u64) -> Option<Kappa> {
        let known = self.predictive.iter().filter_map(|&(kappa, value)| Some((kappa, value?)));
        let better = |best: (Kappa, f64), next: (Kappa, f64)| match next.1.total_cmp(&best.1) {
            Ordering::Greater => next,
            Ordering::Equal if next.0.log(rows) < best.0.log(rows) => next,
            _ => best,
        };
        known.reduce(better).map(|(kappa, _)| kappa)
    }
}

/// Whether rows that are held out choose the kappa.
pub(super) fn applies(data: &Dataset, options: &LearnOptions) -> bool {
    parts_asked(options).is_some() && data.rows() >= LEAST_ROWS
}

/// Judges each kappa by rows that are held out, where that was asked for. `None` where it was
/// not, and where there is one kappa alone or fewer than ten rows.
pub(super) fn judge(
    data: &Dataset,
    options: &LearnOptions,
    observer: &dyn LearnObserver,
) -> Result<Option<ByRows>> {
    let Some(parts) = parts_asked(options).filter(|_| applies(data, options)) else { return Ok(None) };
    holding_out(observer, || judge_parts(parts, data, options, observer)).map(Some)
}

/// Work on parts that are held out, which an observer is told of before and after.
pub(super) fn holding_out<T>(observer: &dyn LearnObserver, work: impl FnOnce() -> T) -> T {
    observer.observe_learning(&LearnEvent::PartsAhead);
    let found = work();
    observer.observe_learning(&LearnEvent::PartsEnded);
    found
}

/// How many parts are held out to choose among kappas, where that was asked for.
pub(super) fn parts_asked(options: &LearnOptions) -> Option<usize> {
    let parts = match options.select {
        Select::Heldout => 1,
        Select::Cv => PARTS,
        Select::Bic | Select::None => return None,
    };
    (options.kappas.len() > 1).then_some(parts)
}

fn judge_parts(
    parts: usize,
    data: &Dataset,
    options: &LearnOptions,
    observer: &dyn LearnObserver,
) -> Result<ByRows> {
    let folds = Folds::deal(data, FoldPlan::Drawn { folds: PARTS, seed: options.tune.seed })?;
    let (mut judging, bare) = (Judging::new(parts, options, observer), bare(options));
    for (index, fold) in folds.iter().take(parts).enumerate() {
        observer.observe_learning(&LearnEvent::Fold { index, of: parts });
        let fold = fold?;
        let learned = learn_here(&fold.training, &bare, &Quiet { observer })?;
        let counts = RowCounts::new(&fold.training);
        let digest = || DataDigest::of(&fold.training);
        let training = CountedTable::with_digest(&counts, fold.training.schema(), digest)?;
        let weight = fold.heldout.rows() as f64;
        let part = Part { training: &training, heldout: &fold.heldout, weight };
        if let Some(stop) = judging.add(&learned, &part)? {
            return Ok(judging.cut(index, stop));
        }
    }
    Ok(judging.finished())
}

/// How structures are learned that are judged by other rows: all of them, and no more than structures.
pub(super) fn bare(options: &LearnOptions) -> LearnOptions {
    LearnOptions { select: Select::None, tune: Tune::NOTHING, target: None, ..options.clone() }
}

/// What rows that were held out say of each kappa, part by part.
pub(super) struct Judging<'a> {
    parts: usize,
    options: &'a LearnOptions,
    observer: &'a dyn LearnObserver,
    /// One for each kappa; `None` where a structure could not be fitted.
    sums: Vec<Option<Sums>>,
    /// The weight of all rows that were held out.
    weight: f64,
}

impl<'a> Judging<'a> {
    pub(super) fn new(parts: usize, options: &'a LearnOptions, observer: &'a dyn LearnObserver) -> Self {
        let sums = vec![Some(Sums::default()); options.kappas.len()];
        Self { parts, options, observer, sums, weight: 0.0 }
    }

    /// Adds a part, by fits of the structures that were learned from the other rows. Says why, where that was ended
    /// early.
    pub(super) fn add<S: CountSource>(
        &mut self,
        learned: &Learned,
        part: &Part<'_, '_, S>,
    ) -> Result<Option<StopReason>> {
        if learned.stop != StopReason::Converged {
            return Ok(Some(learned.stop));
        }
        for (sum, model) in self.sums.iter_mut().zip(&learned.models) {
            let Some(so_far) = sum else { continue };
            match so_far.add(&model.structure, part, self.options, self.observer)? {
                Added::Yes => {}
                Added::Unfitted => *sum = None,
                Added::Stopped(reason) => return Ok(Some(reason)),
            }
        }
        self.weight += part.weight;
        Ok(None)
    }

    /// What so many parts said before the work was ended.
    pub(super) fn cut(self, finished: usize, stop: StopReason) -> ByRows {
        let seed = self.options.tune.seed;
        ByRows { parts: self.parts, finished, stop, seed, predictive: Vec::new() }
    }

    /// What all parts said.
    pub(super) fn finished(self) -> ByRows {
        let (parts, means) = (self.parts, Sums::means(&self.sums, self.weight));
        let predictive = self.options.kappas.iter().copied().zip(means).collect();
        ByRows { predictive, ..self.cut(parts, StopReason::Converged) }
    }
}

/// Log-probabilities of held-out rows, and of their conditionals.
#[derive(Clone, Copy)]
struct Sums {
    exact: Option<f64>,
    pseudo: f64,
}

impl Default for Sums {
    fn default() -> Self {
        Self { exact: Some(0.0), pseudo: 0.0 }
    }
}

/// Rows that are held out, and the others.
pub(super) struct Part<'a, 't, S> {
    pub(super) training: &'a CountedTable<'t, S>,
    pub(super) heldout: &'a Dataset,
    /// How much all rows count that are held out. Units of different parts are worth different weights.
    pub(super) weight: f64,
}

enum Added {
    Yes,
    Unfitted,
    Stopped(StopReason),
}

impl Sums {
    /// For each sum its mean over so many rows: of whole probabilities, where all have them.
    fn means(sums: &[Option<Self>], rows: f64) -> Vec<Option<f64>> {
        let exact = sums.iter().flatten().all(|sums| sums.exact.is_some());
        let mean = |sums: &Option<Self>| {
            let sums = sums.as_ref()?;
            Some(if exact { sums.exact? } else { sums.pseudo } / rows)
        };
        sums.iter().map(mean).collect()
    }

    /// Adds rows that were held out, by a fit to the others.
    fn add<S: CountSource>(
        &mut self,
        structure: &Structure,
        &Part { training, heldout, weight }: &Part<'_, '_, S>,
        options: &LearnOptions,
        observer: &dyn LearnObserver,
    ) -> Result<Added> {
        let request = FitRequest::new(structure, training.counts(), Some(training.schema()), &options.fit);
        let control = FitControl { observer, searched: true, fitted: true };
        let fit = match fit_to_predict(&request, &control) {
            Ok(Outcome::Done(fit)) => fit,
            Ok(Outcome::Stopped(reason)) => return Ok(Added::Stopped(reason)),
            Err(error) if matches!(error.kind(), ErrorKind::Limit(_)) => return Ok(Added::Unfitted),
            Err(error) => return Err(error),
        };
        let (evaluator, unit) = (fit.parameters.evaluator(), weight / heldout.rows() as f64);
        self.exact = self.exact.zip(evaluator.log_likelihood(heldout)).map(|(sum, own)| sum + unit * own);
        self.pseudo += unit * evaluator.pseudo_log_likelihood(heldout);
        Ok(Added::Yes)
    }
}
