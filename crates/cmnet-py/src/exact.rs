//! The structure with the highest score, proven.

use crate::errors::OrRaise;
use crate::learn::limited;
use crate::model::Model;
use crate::options::{Fitting, KnowledgeGiven, knowledge, time_limit};
use crate::table::Table;
use crate::value;
use crate::watch::Watch;
use cmnet::FixedOnly;
use cmnet_report::Proof;
use pyo3::prelude::*;

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
    let kappa = proving.kappa.parse().or_raise(py)?;
    let alpha = proving.alpha.parse().or_raise(py)?;
    let known = knowledge(&proving.require, &proving.forbid, proving.knowledge.as_ref()).or_raise(py)?;
    let options = proving.fitting.fixed(FixedOnly::Proof).or_raise(py)?;
    let limit = time_limit(proving.time_limit.as_deref()).or_raise(py)?;
    let data = table.data.clone();
    let work = move |watch: &Watch| {
        let proof = Proof::of(&data, (kappa, alpha, &known), &options, watch)?;
        Ok((value::of(&proof.answer())?, proof.model))
    };
    limited(py, limit, progress, work)?
        .even_late(py, |(facts, model)| Ok((value::to_python(py, &facts)?, Model::new(model))))
}
