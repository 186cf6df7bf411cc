//! Predictions row by row, and how well they went where the truth is known.

use super::Answer;
use cmnet::{Prediction, Variable};
use serde::Serialize;
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
    pub rows: Vec<PredictedRow<'a>>,
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

/// A predicted level with the probabilities of all levels.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PredictedRow<'a> {
    /// The most probable level.
    pub predicted: &'a str,
    /// The probability of each level.
    pub probabilities: &'a [f64],
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
        let row = |prediction: &'a Prediction| PredictedRow {
            predicted: &variable.levels[prediction.level as usize],
            probabilities: &prediction.probabilities,
        };
        let scores = accuracy.scores();
        Self {
            target: &variable.name,
            method: "exact",
            levels: &variable.levels,
            rows: predictions.iter().map(row).collect(),
            known: accuracy.known(),
            accuracy: scores.map(|(accuracy, _)| accuracy),
            log_loss: scores.map(|(_, loss)| loss).filter(|loss| loss.is_finite()),
            confusion: scores.and_then(|_| accuracy.confusion(variable.levels.len())),
            blanket: used.blanket,
            absent: used.absent,
            tables: used.tables,
        }
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
