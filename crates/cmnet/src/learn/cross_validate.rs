//! The paper's protocol for real data: structure, kappa and parameters learned anew in each
//! fold, judged by BIC there and by the probability of what was held out (section 4).

use super::observer::{LearnEvent, LearnObserver};
use super::{LearnOptions, Learned, LearnedModel, Select, in_pool, learn_here};
use crate::control::{Outcome, StopReason};
use crate::data::Dataset;
use crate::data::{FoldPlan, Folds};
use crate::error::{Result, Unfitted};
use crate::loglinear::{Fit, FitMethod, FitOptions};
use crate::score::Kappa;
use serde::Serialize;
use std::collections::BTreeMap;

/// The means over folds for one way of choosing kappa.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CrossValidated {
    /// `CMN` for the choice by BIC, `MN` for eps, else kappa.
    pub method: String,
    /// BIC per training row.
    pub sbic: f64,
    /// Mean log-probability per held-out row; of the pseudo-likelihood where the exact one is
    /// out of reach.
    pub predictive: f64,
    /// Edges.
    pub edges: f64,
    /// Free parameters.
    pub parameters: f64,
    /// Standard deviations over folds of the four numbers above.
    pub spread: [f64; 4],
}

/// What a cross-validation found.
#[derive(Clone, Debug, Serialize)]
pub struct CrossValidation {
    /// How many folds there are.
    pub folds: usize,
    /// Folds that were finished; the means are over these.
    pub finished: usize,
    /// The seed that the folds were drawn with.
    pub seed: Option<u64>,
    /// The column that names the folds.
    pub fold_column: Option<String>,
    /// Whether all probabilities are exact.
    pub exact: bool,
    /// Why it ended.
    pub stop: StopReason,
    /// `CMN` first, then one row per kappa.
    pub rows: Vec<CrossValidated>,
    /// Methods without a row, since a structure of theirs could not be fitted.
    pub left_out: Vec<LeftOut>,
}

/// A way of choosing kappa that some fold has no numbers for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LeftOut {
    /// As in [`CrossValidated::method`].
    pub method: String,
    /// Why the structure could not be fitted, in the first such fold.
    #[serde(serialize_with = "as_text")]
    pub reason: Unfitted,
}

/// The numbers of one method on one fold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FoldNumbers {
    /// BIC per training row.
    pub sbic: f64,
    /// Mean log-probability per held-out row.
    pub predictive: f64,
    /// Edges.
    pub edges: f64,
    /// Free parameters.
    pub parameters: f64,
}

impl FoldNumbers {
    /// The four numbers in the order of [`CrossValidated::spread`].
    fn columns(self) -> [f64; 4] {
        [self.sbic, self.predictive, self.edges, self.parameters]
    }
}

/// What one fold gave.
#[derive(Clone, Debug, PartialEq)]
pub struct FoldResult {
    /// The numbers of the choice by BIC, then of each kappa; or why there are none.
    pub numbers: Vec<std::result::Result<FoldNumbers, Unfitted>>,
    /// Whether all probabilities are exact.
    pub exact: bool,
}

/// Folds that are done, in any order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FoldState {
    /// What folds gave, by their places.
    pub finished: BTreeMap<usize, FoldResult>,
    /// The same by pseudo-likelihood, where that took the place of what was asked for.
    pub by_pseudo_likelihood: BTreeMap<usize, FoldResult>,
}

impl FoldState {
    /// The folds of the pass that counts, in order.
    pub(crate) fn last_pass(&self, options: &LearnOptions) -> Vec<FoldResult> {
        let last = if folds_differ(self.finished.values(), options) {
            &self.by_pseudo_likelihood
        } else {
            &self.finished
        };
        last.values().cloned().collect()
    }
}

/// Cross-validates a table.
///
/// # Errors
/// As [`Folds::deal`] and [`learn`](super::learn).
pub fn cross_validate(
    data: &Dataset,
    plan: FoldPlan,
    options: &LearnOptions,
    observer: &dyn LearnObserver,
) -> Result<CrossValidation> {
    cross_validate_from(&FoldState::default(), data, plan, options, observer)
}

/// As [`cross_validate`], with the results of some folds of the same cross-validation: the answer is
/// the same to the last byte.
///
/// # Errors
/// As [`cross_validate`].
pub fn cross_validate_from(
    known: &FoldState,
    data: &Dataset,
    plan: FoldPlan,
    options: &LearnOptions,
    observer: &dyn LearnObserver,
) -> Result<CrossValidation> {
    let folds = Folds::deal(data, plan)?;
    let options = fold_options(options);
    let mut run = Run { folds: &folds, known: &known.finished, options: &options, again: false, observer };
    let (mut finished, mut stop) = run.all()?;
    if folds_differ(finished.iter(), &options) {
        let options = by_pseudo_likelihood(&options);
        run = Run { known: &known.by_pseudo_likelihood, options: &options, again: true, ..run };
        (finished, stop) = run.all()?;
    }
    Ok(CrossValidation::begun(data, plan).over(&finished, options.kappas_of_folds(), stop))
}

impl LearnOptions {
    /// The kappas that each fold of a cross-validation has numbers for. Where held-out rows choose, each fold has the
    /// structure of its own kappa alone.
    pub fn kappas_of_folds(&self) -> &[Kappa] {
        if matches!(self.select, Select::Heldout | Select::Cv) { &[] } else { &self.kappas }
    }
}

/// How each fold is learned: it always chooses a kappa.
pub(crate) fn fold_options(options: &LearnOptions) -> LearnOptions {
    let select = if options.select == Select::None { Select::Bic } else { options.select };
    LearnOptions { select, ..options.clone() }
}

/// Whether some folds have exact probabilities and others not, where nobody asked for either: means
/// over both would mean nothing, and all folds are judged by the method that all can have.
pub(crate) fn folds_differ<'a>(
    mut finished: impl Iterator<Item = &'a FoldResult>,
    options: &LearnOptions,
) -> bool {
    let Some(first) = finished.next() else { return false };
    options.fit.method == FitMethod::Auto && finished.any(|other| other.exact != first.exact)
}

/// The same options, fitting by pseudo-likelihood.
pub(crate) fn by_pseudo_likelihood(options: &LearnOptions) -> LearnOptions {
    let fit = FitOptions { method: FitMethod::Pseudo, ..options.fit.clone() };
    LearnOptions { fit, ..options.clone() }
}

/// One pass over all folds.
#[derive(Clone, Copy)]
struct Run<'a> {
    folds: &'a Folds<'a>,
    known: &'a BTreeMap<usize, FoldResult>,
    options: &'a LearnOptions,
    /// Whether pseudo-likelihood took the place of what was asked for.
    again: bool,
    observer: &'a dyn LearnObserver,
}

impl Run<'_> {
    /// The folds up to the first that was stopped or shows that another pass is needed.
    fn all(&self) -> Result<(Vec<FoldResult>, StopReason)> {
        let Self { folds, observer, again, .. } = *self;
        let mut finished: Vec<FoldResult> = Vec::new();
        for index in 0..folds.len() {
            observer.observe_learning(&LearnEvent::Fold { index, of: folds.len() });
            let result = match self.known.get(&index) {
                Some(known) => known.clone(),
                None => match fold_result(folds, index, self.options, observer)? {
                    Outcome::Done(result) => result,
                    Outcome::Stopped(stop) => return Ok((finished, stop)),
                },
            };
            observer.observe_learning(&LearnEvent::FoldFinished { index, again, result: &result });
            finished.push(result);
            if !again && folds_differ(finished.iter(), self.options) {
                break;
            }
        }
        Ok((finished, StopReason::Converged))
    }
}

/// What one fold gives, learned with [`fold_options`].
pub(crate) fn fold_result(
    folds: &Folds<'_>,
    place: usize,
    options: &LearnOptions,
    observer: &dyn LearnObserver,
) -> Result<Outcome<FoldResult>> {
    let fold = folds.fold(place)?;
    let learned = in_pool(options, || learn_here(&fold.training, options, observer))?;
    if learned.stop != StopReason::Converged {
        return Ok(Outcome::Stopped(learned.stop));
    }
    let mut fits = learned.models.iter().filter_map(LearnedModel::compared);
    let exact = fits.all(|fit| fit.log_likelihood.is_some());
    Ok(Outcome::Done(FoldResult { numbers: numbers_of(&learned, &fold.heldout), exact }))
}

impl CrossValidation {
    /// What the known folds of a cross-validation come to that was stopped for this reason.
    pub fn so_far(
        known: &FoldState,
        data: &Dataset,
        plan: FoldPlan,
        options: &LearnOptions,
        stop: StopReason,
    ) -> Self {
        Self::begun(data, plan).over(&known.last_pass(options), options.kappas_of_folds(), stop)
    }

    /// A cross-validation of which no fold is finished.
    pub fn begun(data: &Dataset, plan: FoldPlan) -> Self {
        let (seed, fold_column) = match plan {
            FoldPlan::Drawn { seed, .. } => (Some(seed), None),
            FoldPlan::Column(by) => (None, Some(data.schema().name(by).to_owned())),
        };
        Self {
            folds: plan.count(data),
            finished: 0,
            seed,
            fold_column,
            exact: true,
            stop: StopReason::Interrupted,
            rows: Vec::new(),
            left_out: Vec::new(),
        }
    }

    /// The means over the folds that were finished, as [`LearnEvent::FoldFinished`] told them.
    #[must_use]
    pub fn over(self, finished: &[FoldResult], kappas: &[Kappa], stop: StopReason) -> Self {
        let methods = std::iter::once("CMN".to_owned()).chain(kappas.iter().map(method));
        let (mut rows, mut left_out) = (Vec::new(), Vec::new());
        for (place, method) in methods.enumerate() {
            let numbers = finished.iter().filter_map(|fold| fold.numbers.get(place));
            match numbers.cloned().collect::<std::result::Result<Vec<_>, Unfitted>>() {
                Ok(tally) if tally.is_empty() => {}
                Ok(tally) => rows.push(means(method, &tally)),
                Err(reason) => left_out.push(LeftOut { method, reason }),
            }
        }
        Self {
            rows,
            left_out,
            exact: finished.iter().all(|fold| fold.exact),
            stop,
            finished: finished.len(),
            ..self
        }
    }
}

fn method(kappa: &Kappa) -> String {
    match kappa {
        Kappa::Epsilon => "MN".to_owned(),
        other => other.to_string(),
    }
}

/// The numbers of the choice, then of each kappa.
fn as_text<S: serde::Serializer>(reason: &Unfitted, serializer: S) -> std::result::Result<S::Ok, S::Error> {
    serializer.collect_str(reason)
}

pub(super) fn numbers_of(
    learned: &Learned,
    heldout: &Dataset,
) -> Vec<std::result::Result<FoldNumbers, Unfitted>> {
    let none = Unfitted::NoneOfThem;
    let chosen = learned.selected.map_or(Err(none), |place| numbers(&learned.models[place], heldout));
    // Order and ridge were chosen for one kappa alone: the rows of kappas have none of them.
    let each = |(place, model): (usize, &LearnedModel)| match &learned.untuned {
        Some(fit) if learned.selected == Some(place) && model.pseudo_fit.is_none() => {
            Ok(fit_numbers(model, fit, heldout))
        }
        _ => numbers(model, heldout),
    };
    std::iter::once(chosen).chain(learned.models.iter().enumerate().map(each)).collect()
}

fn numbers(model: &LearnedModel, heldout: &Dataset) -> std::result::Result<FoldNumbers, Unfitted> {
    let Some(fit) = model.compared() else {
        return Err(model.unfitted.clone().unwrap_or(Unfitted::NotAsked));
    };
    Ok(fit_numbers(model, fit, heldout))
}

fn fit_numbers(model: &LearnedModel, fit: &Fit, heldout: &Dataset) -> FoldNumbers {
    FoldNumbers {
        sbic: fit.sbic(),
        predictive: predictive(fit, heldout),
        edges: model.structure.graph().edge_count() as f64,
        parameters: fit.free_parameters as f64,
    }
}

/// The mean log-probability of held-out rows.
fn predictive(fit: &Fit, heldout: &Dataset) -> f64 {
    let evaluator = fit.parameters.evaluator();
    let total = evaluator.log_likelihood(heldout).unwrap_or_else(|| evaluator.pseudo_log_likelihood(heldout));
    total / heldout.rows() as f64
}

fn means(method: String, tally: &[FoldNumbers]) -> CrossValidated {
    let tally: Vec<[f64; 4]> = tally.iter().map(|numbers| numbers.columns()).collect();
    let count = tally.len() as f64;
    let mean = |column: usize| tally.iter().map(|row| row[column]).sum::<f64>() / count;
    let spread = |column: usize| {
        let center = mean(column);
        let squares: f64 = tally.iter().map(|row| (row[column] - center) * (row[column] - center)).sum();
        (squares / (count - 1.0).max(1.0)).sqrt()
    };
    CrossValidated {
        method,
        sbic: mean(0),
        predictive: mean(1),
        edges: mean(2),
        parameters: mean(3),
        spread: std::array::from_fn(spread),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::{LimitReached, Remedies};

    #[test]
    fn a_method_that_a_fold_lacks_is_left_out_with_the_reason() {
        let data = Dataset::from_labels(&["a"], [["x"], ["y"]]).unwrap();
        let begun = CrossValidation::begun(&data, FoldPlan::Drawn { folds: 2, seed: 1 });
        let numbers =
            |value: f64| Ok(FoldNumbers { sbic: value, predictive: value, edges: value, parameters: value });
        let too_large = || {
            let (what, limit) = ("the tree".to_owned(), "1 MiB".to_owned());
            Unfitted::Limit(LimitReached { what, limit, remedies: Remedies::default() })
        };
        let folds = [
            FoldResult { numbers: vec![numbers(1.0), numbers(2.0), Err(too_large())], exact: true },
            FoldResult { numbers: vec![numbers(3.0), numbers(2.0), numbers(5.0)], exact: false },
        ];
        let found = begun.over(&folds, &[Kappa::Epsilon, Kappa::Power(0.5)], StopReason::Converged);
        let rows: Vec<(&str, f64)> = found.rows.iter().map(|row| (row.method.as_str(), row.sbic)).collect();
        assert_eq!(rows, [("CMN", 2.0), ("MN", 2.0)]);
        let left_out = LeftOut { method: "n^-0.5".to_owned(), reason: too_large() };
        assert_eq!((found.left_out, found.exact, found.finished), (vec![left_out], false, 2));
    }
}
