//! Estimated parameters: how they were found, and how well they fit.

use super::Answer;
use super::ensemble::MeanNumbers;
use super::missing::MissingAnswer;
use cmnet::{
    EnsembleEvaluation, EnsembleObserved, Estimate, Evaluation, Fit, FitStatus, IncompleteTable,
    ObservedEvaluation, Schema, Term,
};
use serde::Serialize;

/// `cmnet-fit/1`: an estimate.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FittedAnswer {
    /// By which method.
    pub method: Estimate,
    /// Why that method.
    pub reason: String,
    /// How the estimate ended.
    pub status: FitStatus,
    /// How well it fits.
    #[serde(flatten)]
    pub quality: FitQuality,
    /// The largest derivative per row at the end.
    pub gradient: f64,
    /// Iterations of the optimiser.
    pub iterations: u64,
    /// Terms without a finite estimate.
    pub boundary: Vec<String>,
    /// What is missing of the table, where something is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing: Option<MissingAnswer>,
}

/// How well an estimate fits its rows, for how many parameters.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FitQuality {
    /// The number of rows.
    pub rows: u64,
    /// Free parameters.
    pub parameters: usize,
    /// The most variables of a term, where that is limited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order: Option<usize>,
    /// The strengths of the ridge from order 2 on, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ridge: Option<Vec<f64>>,
    /// The log-likelihood.
    pub log_likelihood: Option<f64>,
    /// The pseudo-log-likelihood.
    pub pseudo_log_likelihood: Option<f64>,
    /// The Bayesian information criterion.
    pub bic: f64,
    /// The criterion per row.
    pub sbic: f64,
    /// Pseudo-counts in the parameters.
    pub smoothing: f64,
}

impl From<&Fit> for FitQuality {
    fn from(fit: &Fit) -> Self {
        Self {
            rows: fit.rows,
            parameters: fit.free_parameters,
            order: fit.parameters.terms().order().limit(),
            ridge: (!fit.ridge.is_none()).then(|| fit.ridge.strengths().to_vec()),
            log_likelihood: fit.log_likelihood,
            pseudo_log_likelihood: fit.pseudo_log_likelihood,
            bic: fit.bic(),
            sbic: fit.sbic(),
            smoothing: fit.smoothing,
        }
    }
}

impl Answer for FittedAnswer {
    const FORMAT: &'static str = "cmnet-fit/1";
}

impl FittedAnswer {
    /// An estimate for variables of these names.
    pub fn of(schema: &Schema, fit: &Fit) -> Self {
        Self {
            method: fit.estimate,
            reason: fit.reason.to_string(),
            status: fit.status,
            quality: fit.into(),
            gradient: fit.gradient,
            iterations: fit.iterations,
            boundary: fit.boundary.iter().map(|term| term_text(schema, term)).collect(),
            missing: None,
        }
    }

    /// The same with what is missing of the table.
    #[must_use]
    pub fn of_incomplete(self, table: &IncompleteTable) -> Self {
        Self { missing: MissingAnswer::of(table), ..self }
    }
}

/// A term of the log-linear form by names: `smoking = yes, pressure = high`.
pub fn term_text(schema: &Schema, term: &Term) -> String {
    let part = |(variable, &level): (usize, &u32)| {
        let variable = schema.variable(variable);
        format!("{} = {}", variable.name, variable.levels[level as usize])
    };
    term.variables.iter().zip(&term.levels).map(part).collect::<Vec<_>>().join(", ")
}

/// What is known of a model's estimate, in numbers alone.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FitFacts {
    method: Estimate,
    status: FitStatus,
    reason: String,
    #[serde(flatten)]
    quality: FitQuality,
    log_partition: Option<f64>,
    iterations: u64,
    gradient: f64,
    boundary: usize,
}

impl From<&Fit> for FitFacts {
    fn from(fit: &Fit) -> Self {
        Self {
            method: fit.estimate,
            status: fit.status,
            reason: fit.reason.to_string(),
            quality: fit.into(),
            log_partition: fit.parameters.log_partition(),
            iterations: fit.iterations,
            gradient: fit.gradient,
            boundary: fit.boundary.len(),
        }
    }
}

/// `cmnet-evaluate/1`: how probable a fitted model finds some rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct EvaluatedAnswer {
    /// The number of rows.
    pub rows: u64,
    /// Rows with missing values, of which what is known was evaluated; absent where they are no rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub incomplete_rows: Option<u64>,
    /// Missing values as a share of all values; absent where none is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing_share: Option<f64>,
    /// The mean log-probability per row, of its known values; null when the model is not normalised.
    pub log_likelihood: Option<f64>,
    /// The mean pseudo-log-probability per row; null where values are missing.
    pub pseudo_log_likelihood: Option<f64>,
    /// Free parameters; null of an ensemble, whose networks have theirs.
    pub parameters: Option<usize>,
    /// The Bayesian information criterion on these rows.
    pub bic: Option<f64>,
    /// The criterion per row.
    pub sbic: Option<f64>,
    /// The mean log-probability per row by each network of an ensemble alone; absent where it is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alone: Option<MeanNumbers>,
}

impl Answer for EvaluatedAnswer {
    const FORMAT: &'static str = "cmnet-evaluate/1";
}

impl From<&Evaluation> for EvaluatedAnswer {
    fn from(found: &Evaluation) -> Self {
        Self {
            rows: found.rows,
            log_likelihood: found.log_likelihood,
            pseudo_log_likelihood: Some(found.pseudo_log_likelihood),
            parameters: Some(found.parameters),
            bic: found.bic(),
            sbic: found.sbic(),
            ..Self::default()
        }
    }
}

impl From<&EnsembleEvaluation> for EvaluatedAnswer {
    fn from(found: &EnsembleEvaluation) -> Self {
        Self {
            rows: found.rows,
            log_likelihood: Some(found.log_likelihood),
            pseudo_log_likelihood: Some(found.pseudo_log_likelihood),
            alone: Some(MeanNumbers::from(&found.alone)),
            ..Self::default()
        }
    }
}

impl From<&ObservedEvaluation> for EvaluatedAnswer {
    fn from(found: &ObservedEvaluation) -> Self {
        Self {
            rows: found.rows,
            incomplete_rows: Some(found.incomplete_rows),
            log_likelihood: Some(found.log_likelihood),
            parameters: Some(found.parameters),
            bic: Some(found.bic()),
            sbic: Some(found.sbic()),
            ..Self::default()
        }
    }
}

impl From<&EnsembleObserved> for EvaluatedAnswer {
    fn from(found: &EnsembleObserved) -> Self {
        Self {
            rows: found.rows,
            incomplete_rows: Some(found.incomplete_rows),
            log_likelihood: Some(found.log_likelihood),
            alone: Some(MeanNumbers::from(&found.alone)),
            ..Self::default()
        }
    }
}

impl EvaluatedAnswer {
    /// The same answer, which tells what share of the values of its rows is missing.
    #[must_use]
    pub fn of_rows(self, table: &IncompleteTable) -> Self {
        let missing: u64 = (0..table.schema().len()).map(|variable| table.missing(variable)).sum();
        let all = table.rows() as f64 * table.schema().len() as f64;
        Self { missing_share: Some(missing as f64 / all), ..self }
    }
}
