//! Predictions row by row, and how well they went where the truth is known.

use super::Answer;
use super::ensemble::SpreadNumbers;
use cmnet::{Prediction, Spread, Variable};
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;

/// The most levels whose confusion matrix is shown.
const MOST_LEVELS: usize = 100;

/// `cmnet-predict/1`: the predictions of one variable.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PredictedAnswer<'a> {
    /// The variable that is predicted.
    pub target: &'a str,
    /// Always `exact`.
    pub method: &'static str,
    /// The levels of the target.
    pub levels: &'a [String],
    /// One prediction per row.
    #[serde(serialize_with = "PredictedRows::serialize")]
    pub rows: PredictedRows<'a>,
    /// Rows by weight whose level is known.
    pub known: u64,
    /// The share of them that is predicted right.
    pub accuracy: Option<f64>,
    /// The mean of minus the log-probability of their levels; null when it is infinite.
    pub log_loss: Option<f64>,
    /// Rows by true level, columns by predicted level; null when that is too large to show.
    pub confusion: Option<Vec<Vec<u64>>>,
    /// The variables that predictions use.
    pub blanket: Vec<&'a str>,
    /// Those of them that the table has no column for.
    pub absent: Vec<&'a str>,
    /// What the predictions took.
    pub tables: PredictionTables,
}

/// Predictions by names, each made when it is written.
#[derive(Clone, Debug, PartialEq)]
pub struct PredictedRows<'a> {
    variable: &'a Variable,
    predictions: &'a [Prediction],
    spreads: &'a [Vec<Spread>],
}

/// A predicted level with the probabilities of all levels, and how far those of an ensemble spread.
#[derive(Serialize)]
struct PredictedRow<'a> {
    predicted: &'a str,
    probabilities: &'a [f64],
    #[serde(skip_serializing_if = "Option::is_none")]
    spread: Option<Vec<SpreadNumbers>>,
}

impl PredictedRows<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let spread = |spreads: &Vec<Spread>| spreads.iter().map(SpreadNumbers::from).collect();
        serializer.collect_seq(self.predictions.iter().enumerate().map(|(row, prediction)| PredictedRow {
            predicted: &self.variable.levels[prediction.level as usize],
            probabilities: &prediction.probabilities,
            spread: self.spreads.get(row).map(spread),
        }))
    }
}

/// The tables that predictions took.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct PredictionTables {
    /// The bytes of the tables of the target and its blanket.
    pub bytes: u64,
    /// Trees made for rows with missing cells.
    pub trees: usize,
    /// The bytes of the largest of them.
    pub largest_tree: u64,
}

impl Answer for PredictedAnswer<'_> {
    const FORMAT: &'static str = "cmnet-predict/1";
}

impl<'a> PredictedAnswer<'a> {
    /// The predictions of a variable and how they compare with the truth.
    pub fn of(
        variable: &'a Variable,
        predictions: &'a [Prediction],
        accuracy: &Accuracy,
        used: PredictionUse<'a>,
    ) -> Self {
        let scores = accuracy.scores();
        Self {
            target: &variable.name,
            method: "exact",
            levels: &variable.levels,
            rows: PredictedRows { variable, predictions, spreads: &[] },
            known: accuracy.known(),
            accuracy: scores.map(|(accuracy, _)| accuracy),
            log_loss: scores.map(|(_, loss)| loss).filter(|loss| loss.is_finite()),
            confusion: scores.and_then(|_| accuracy.confusion(variable.levels.len())),
            blanket: used.blanket,
            absent: used.absent,
            tables: used.tables,
        }
    }

    /// The same with the spread of each prediction of an ensemble.
    #[must_use]
    pub fn with_spreads(self, spreads: &'a [Vec<Spread>]) -> Self {
        Self { rows: PredictedRows { spreads, ..self.rows }, ..self }
    }
}

/// What predictions used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PredictionUse<'a> {
    /// The variables that predictions use.
    pub blanket: Vec<&'a str>,
    /// Those of them that the table has no column for.
    pub absent: Vec<&'a str>,
    /// What the predictions took.
    pub tables: PredictionTables,
}

/// How predictions compare with the truth, by weight.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Accuracy {
    /// How often each pair of a true and a predicted level came up.
    pairs: BTreeMap<(u32, u32), u64>,
    log_loss: f64,
}

impl Accuracy {
    /// Counts a prediction whose true level is known.
    pub fn add(&mut self, truth: u32, prediction: &Prediction, weight: u64) {
        *self.pairs.entry((truth, prediction.level)).or_default() += weight;
        if weight > 0 {
            self.log_loss -= weight as f64 * libm::log(prediction.probabilities[truth as usize]);
        }
    }

    /// Rows by weight whose level is known.
    pub fn known(&self) -> u64 {
        self.pairs.values().sum()
    }

    /// Rows by true level, columns by predicted level; `None` when that is too large to show.
    pub fn confusion(&self, levels: usize) -> Option<Vec<Vec<u64>>> {
        let mut matrix = (levels <= MOST_LEVELS).then(|| vec![vec![0; levels]; levels])?;
        for (&(truth, predicted), &count) in &self.pairs {
            matrix[truth as usize][predicted as usize] = count;
        }
        Some(matrix)
    }

    /// Accuracy and mean log-loss in nats, where a true level is known.
    pub fn scores(&self) -> Option<(f64, f64)> {
        let known = self.known();
        let right: u64 =
            self.pairs.iter().filter(|((truth, level), _)| truth == level).map(|(_, count)| count).sum();
        (known > 0).then(|| (right as f64 / known as f64, self.log_loss / known as f64))
    }
}
