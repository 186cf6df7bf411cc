//! The structure with the highest score, proven.

use crate::errors;
use crate::learn::watched;
use crate::model::Model;
use crate::options::{Fitting, KnowledgeGiven, knowledge};
use crate::table::Table;
use crate::value;
use crate::watch::Watch;
use cmnet::options::OptionName;
use cmnet::{
    Alpha, ContextPrior, DataDigest, Dataset, Error, ErrorKind, Fit, FitControl, FitOptions, FixedOnly,
    Kappa, Knowledge, LearnState, Outcome, PlaneCounts, Result, RowCounts, Scorer, fit_with, optimum,
    parse_duration,
};
use cmnet_report::answer::OptimumAnswer;
use pyo3::prelude::*;
use serde_json::Value;
use std::sync::Arc;

/// What is proven.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Proving {
    kappa: String,
    alpha: String,
    require: String,
    forbid: String,
    knowledge: Option<KnowledgeGiven>,
    time_limit: Option<String>,
    fitting: Fitting,
}

/// Facts and model.
struct Found {
    facts: Value,
    model: cmnet::Model,
}

impl Found {
    fn of(
        data: &Dataset,
        (kappa, alpha, known): (Kappa, Alpha, &Knowledge),
        options: &FitOptions,
        watch: &Watch,
    ) -> Result<Self> {
        let prior = ContextPrior::new(kappa, data.rows()).with_rules(Arc::new(known.rules(data.schema())?));
        let counts = PlaneCounts::new(data);
        let found = optimum(&Scorer::new(&counts, alpha), &prior, watch)?;
        let model = fitted(found.to_model(data, &prior, alpha, known)?, data, options, watch)?;
        let facts = value::of(&OptimumAnswer { found: &found, prior: &prior, alpha, model: &model })?;
        Ok(Self { facts, model })
    }
}

/// The model with parameters, where they can be had.
fn fitted(model: cmnet::Model, data: &Dataset, options: &FitOptions, watch: &Watch) -> Result<cmnet::Model> {
    let control = FitControl { observer: watch, searched: true, fitted: false };
    match fit_with(model.structure(), &RowCounts::new(data), options, &control) {
        Ok(Outcome::Done(fit)) => model.with_fit(Fit { digest: Some(DataDigest::of(data)), ..fit }),
        Ok(Outcome::Stopped(_)) => Ok(model),
        Err(error) if matches!(error.kind(), ErrorKind::Limit { .. }) => Ok(model),
        Err(error) => Err(error),
    }
}

/// Facts and model, and what interrupted the work.
type Answer<'py> = (Option<(Bound<'py, PyAny>, Model)>, Option<PyErr>);

/// Finds and proves the best structure of a packed table.
#[pyfunction]
pub(crate) fn exact<'py>(
    py: Python<'py>,
    table: PyRef<'py, Table>,
    proving: Proving,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Answer<'py>> {
    let to_python = |error: Error| errors::to_python(py, &error);
    let kappa = proving.kappa.parse().map_err(to_python)?;
    let alpha = proving.alpha.parse().map_err(to_python)?;
    let known =
        knowledge(&proving.require, &proving.forbid, proving.knowledge.as_ref()).map_err(to_python)?;
    let options = proving.fitting.fixed(FixedOnly::Proof).map_err(to_python)?;
    let limit = proving.time_limit.as_deref().map(|text| parse_duration(OptionName::TimeLimit, text));
    let limit = limit.transpose().map_err(to_python)?;
    let watch = Arc::new(Watch::new(limit, None, LearnState::default()));
    let (own, data) = (watch.clone(), table.data.clone());
    let work = move || Found::of(&data, (kappa, alpha, &known), &options, &own);
    let (found, raised) = watched(py, &watch, progress, work)?.even_late(py)?;
    let answer =
        |found: Found| -> PyResult<_> { Ok((value::to_python(py, &found.facts)?, Model::new(found.model))) };
    Ok((found.map(answer).transpose()?, raised))
}
