//! Standard errors and intervals of a fitted model.

use crate::ask::Given;
use crate::model::{Data, Model};
use crate::options::Reading;
use crate::work;
use cmnet::{CountSource, RowCounts, find_variable};
use cmnet_report::answer::Intervals;
use cmnet_report::answer::intervals::{by_level, probabilities};
use pyo3::prelude::*;
use serde_json::Value;

/// Intervals of strengths, odds ratios and terms; the table is needed after pseudo-likelihood.
#[pyfunction]
pub(crate) fn intervals<'py>(
    py: Python<'py>,
    model: &Model,
    data: Option<Data<'py>>,
    reading: Reading,
) -> PyResult<Bound<'py, PyAny>> {
    let table = model.optional_dataset(py, data, &reading)?;
    let model = model.model.clone();
    work::answer(py, 0, move |stop| {
        let counts = table.as_deref().map(RowCounts::new);
        let counts = counts.as_ref().map(|counts| counts as &dyn CountSource);
        Ok(Intervals::of(&model, counts, stop)?.to_json(model.schema()))
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
    let table = model.optional_dataset(py, data, &reading)?;
    let model = model.model.clone();
    work::answer(py, 0, move |stop| {
        let (schema, counts) = (model.schema(), table.as_deref().map(RowCounts::new));
        let counts = counts.as_ref().map(|counts| counts as &dyn CountSource);
        let evidence = given.evidence(schema)?;
        let asked = if targets.is_empty() {
            (0..schema.len()).filter(|&v| evidence.level(v).is_none()).collect()
        } else {
            targets.iter().map(|name| find_variable(schema, name)).collect::<cmnet::Result<Vec<_>>>()?
        };
        let found = probabilities(&model, counts, (&asked, &evidence), stop)?;
        Ok(Value::Object(by_level(schema, &found)))
    })
}
