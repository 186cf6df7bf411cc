//! Standard errors and intervals of a fitted model.

use crate::ask::Given;
use crate::model::{Data, Model};
use crate::options::Reading;
use crate::work::{self, Stop};
use cmnet::{CountSource, Result, RowCounts, find_variable};
use cmnet_report::answer::Intervals;
use cmnet_report::answer::intervals::{by_level, probabilities};
use pyo3::prelude::*;
use serde_json::Value;

/// Answers about a model, with the counts of the table that it was fitted to where that is given.
fn answer<'py>(
    py: Python<'py>,
    model: &Model,
    table: (Option<Data<'py>>, &Reading),
    find: impl FnOnce(&cmnet::Model, Option<&dyn CountSource>, &Stop) -> Result<Value> + Send + 'static,
) -> PyResult<Bound<'py, PyAny>> {
    let table = model.optional_dataset(py, table.0, table.1)?;
    let model = model.model.clone();
    work::answer(py, 0, move |stop| {
        let counts = table.as_deref().map(RowCounts::new);
        find(&model, counts.as_ref().map(|counts| counts as &dyn CountSource), stop)
    })
}

/// Intervals of strengths, odds ratios and terms; the table is needed after pseudo-likelihood.
#[pyfunction]
pub(crate) fn intervals<'py>(
    py: Python<'py>,
    model: &Model,
    data: Option<Data<'py>>,
    reading: Reading,
) -> PyResult<Bound<'py, PyAny>> {
    answer(py, model, (data, &reading), |model, counts, stop| {
        Ok(Intervals::of(model, counts, stop)?.to_json(model.schema()))
    })
}

/// The distributions of targets given evidence, with intervals.
#[pyfunction]
pub(crate) fn probability_intervals<'py>(
    py: Python<'py>,
    model: &Model,
    targets: Vec<String>,
    given: Given,
    data: Option<Data<'py>>,
    reading: Reading,
) -> PyResult<Bound<'py, PyAny>> {
    answer(py, model, (data, &reading), move |model, counts, stop| {
        let schema = model.schema();
        let evidence = given.evidence(schema)?;
        let asked = if targets.is_empty() {
            (0..schema.len()).filter(|&v| evidence.level(v).is_none()).collect()
        } else {
            targets.iter().map(|name| find_variable(schema, name)).collect::<Result<Vec<_>>>()?
        };
        let found = probabilities(model, counts, (&asked, &evidence), stop)?;
        Ok(Value::Object(by_level(schema, &found)))
    })
}
