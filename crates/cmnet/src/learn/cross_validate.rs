//! The paper's protocol for real data: structure, kappa and parameters learned anew in each
//! fold, judged by BIC there and by the probability of what was held out (section 4).

use super::{LearnOptions, Learned, LearnedModel, Select, learn};
use crate::data::Dataset;
use crate::data::split::{Deal, Folds};
use crate::error::{Error, Result};
use crate::loglinear::Fit;
use crate::score::Kappa;
use crate::search::{Event, Observer, StopReason};
use serde::Serialize;

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
}

/// Cross-validates a table.
///
/// # Errors
/// As [`Folds::deal`] and [`learn`].
pub fn cross_validate(
    data: &Dataset,
    deal: Deal,
    options: &LearnOptions,
    observer: &dyn Observer,
) -> Result<CrossValidation> {
    let options = LearnOptions { select: Select::Bic, ..options.clone() };
    let mut finished: Vec<(Vec<[f64; 4]>, bool)> = Vec::new();
    let mut stop = StopReason::Converged;
    let folds = Folds::deal(data, deal)?;
    for (place, fold) in folds.iter().enumerate() {
        observer.observe(&Event::Fold { index: place, of: folds.len() });
        let fold = fold?;
        let learned = learn(&fold.training, &options, observer)?;
        if learned.stop != StopReason::Converged {
            stop = learned.stop;
            break;
        }
        let exact = learned.models.iter().all(|m| m.fit.as_ref().is_some_and(|f| f.log_likelihood.is_some()));
        let numbers = chosen_then_all(&learned).map(|model| numbers(model, &fold.heldout));
        let numbers = numbers.collect::<Result<Vec<_>>>()?;
        observer.observe(&Event::FoldFinished { numbers: &numbers, exact });
        finished.push((numbers, exact));
    }
    Ok(CrossValidation::begun(data, deal).over(&finished, &options.kappas, stop))
}

impl CrossValidation {
    /// A cross-validation of which no fold is finished.
    pub fn begun(data: &Dataset, deal: Deal) -> Self {
        let (seed, fold_column) = match deal {
            Deal::Drawn { seed, .. } => (Some(seed), None),
            Deal::Column(by) => (None, Some(data.schema().name(by).to_owned())),
        };
        Self {
            folds: deal.count(data),
            finished: 0,
            seed,
            fold_column,
            exact: true,
            stop: StopReason::Interrupted,
            rows: Vec::new(),
        }
    }

    /// The means over the folds that were finished: of each the numbers that
    /// [`Event::FoldFinished`] told, and whether they are exact.
    #[must_use]
    pub fn over(self, finished: &[(Vec<[f64; 4]>, bool)], kappas: &[Kappa], stop: StopReason) -> Self {
        let methods = std::iter::once("CMN".to_owned()).chain(kappas.iter().map(method));
        let row = |(place, method): (usize, String)| {
            let tally: Option<Vec<[f64; 4]>> =
                finished.iter().map(|(numbers, _)| numbers.get(place).copied()).collect();
            tally.filter(|tally| !tally.is_empty()).map(|tally| means(method, &tally))
        };
        Self {
            rows: methods.enumerate().filter_map(row).collect(),
            exact: finished.iter().all(|&(_, exact)| exact),
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

fn chosen_then_all(learned: &Learned) -> impl Iterator<Item = &LearnedModel> {
    let chosen = learned.selected.map(|place| &learned.models[place]);
    chosen.into_iter().chain(&learned.models)
}

fn numbers(model: &LearnedModel, heldout: &Dataset) -> Result<[f64; 4]> {
    let Some(fit) = &model.fit else {
        let reason = model.unfitted.clone().unwrap_or_default();
        let hint = "leave out the kappas with such structures, or learn sparser graphs: a larger --alpha";
        return Err(Error::limit(
            format!("cross-validation, since a structure cannot be fitted: {reason}"),
            "fitted models",
            hint,
        ));
    };
    let edges = model.structure.graph().edge_count() as f64;
    Ok([fit.sbic(), predictive(fit, heldout), edges, fit.free_parameters as f64])
}

/// The mean log-probability of held-out rows.
fn predictive(fit: &Fit, heldout: &Dataset) -> f64 {
    let evaluator = fit.parameters.evaluator();
    let total = evaluator.log_likelihood(heldout).unwrap_or_else(|| evaluator.pseudo_log_likelihood(heldout));
    total / heldout.rows() as f64
}

fn means(method: String, tally: &[[f64; 4]]) -> CrossValidated {
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
