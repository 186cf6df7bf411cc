//! Kappa by rows that were held out of search and estimate.

use super::observer::{FitControl, LearnEvent, LearnObserver, Quiet};
use super::tune::{LEAST_ROWS, PARTS};
use super::{LearnOptions, Select, Tune, learn_here};
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
    observer.observe_learning(&LearnEvent::PartsAhead);
    let judged = judge_parts(parts, data, options, observer);
    observer.observe_learning(&LearnEvent::PartsEnded);
    judged.map(Some)
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
    let seed = options.tune.seed;
    let folds = Folds::deal(data, FoldPlan::Drawn { folds: PARTS, seed })?;
    let mut sums = vec![Some(Sums::default()); options.kappas.len()];
    let mut rows = 0.0;
    let cut = |finished, stop| Ok(ByRows { parts, finished, stop, seed, predictive: Vec::new() });
    for (index, fold) in folds.iter().take(parts).enumerate() {
        observer.observe_learning(&LearnEvent::Fold { index, of: parts });
        let fold = fold?;
        let (tune, target) = (Tune::NOTHING, None);
        let bare = LearnOptions { select: Select::None, tune, target, ..options.clone() };
        let learned = learn_here(&fold.training, &bare, &[], &Quiet { observer })?;
        if learned.stop != StopReason::Converged {
            return cut(index, learned.stop);
        }
        let counts = RowCounts::new(&fold.training);
        let digest = || DataDigest::of(&fold.training);
        let counted = CountedTable::with_digest(&counts, fold.training.schema(), digest)?;
        for (sum, model) in sums.iter_mut().zip(&learned.models) {
            let Some(so_far) = sum else { continue };
            let part = Part { training: &counted, heldout: &fold.heldout, unit: 1.0 };
            match so_far.add(&model.structure, &part, options, observer)? {
                Added::Yes => {}
                Added::Unfitted => *sum = None,
                Added::Stopped(reason) => return cut(index, reason),
            }
        }
        rows += fold.heldout.rows() as f64;
    }
    let predictive = options.kappas.iter().copied().zip(Sums::means(&sums, rows)).collect();
    Ok(ByRows { parts, finished: parts, stop: StopReason::Converged, seed, predictive })
}

/// Log-probabilities of held-out rows, and of their conditionals.
#[derive(Clone, Copy)]
pub(super) struct Sums {
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
    /// How much one of the rows counts that are held out.
    pub(super) unit: f64,
}

pub(super) enum Added {
    Yes,
    Unfitted,
    Stopped(StopReason),
}

impl Sums {
    /// For each sum its mean over so many rows: of whole probabilities, where all have them.
    pub(super) fn means(sums: &[Option<Self>], rows: f64) -> Vec<Option<f64>> {
        let exact = sums.iter().flatten().all(|sums| sums.exact.is_some());
        let mean = |sums: &Option<Self>| {
            let sums = sums.as_ref()?;
            Some(if exact { sums.exact? } else { sums.pseudo } / rows)
        };
        sums.iter().map(mean).collect()
    }

    /// Adds rows that were held out, by a fit to the others.
    pub(super) fn add<S: CountSource>(
        &mut self,
        structure: &Structure,
        &Part { training, heldout, unit }: &Part<'_, '_, S>,
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
        let evaluator = fit.parameters.evaluator();
        self.exact = self.exact.zip(evaluator.log_likelihood(heldout)).map(|(sum, own)| sum + unit * own);
        self.pseudo += unit * evaluator.pseudo_log_likelihood(heldout);
        Ok(Added::Yes)
    }
}
