//! The bundled tables; `data/README.md` says where each comes from.

use crate::errors;
use cmnet::{Error, Remedy};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

macro_rules! tables {
    ($($name:literal),*) => {
        [$(($name, include_bytes!(concat!("../../../data/", $name, ".csv")).as_slice())),*]
    };
}

const TABLES: [(&str, &[u8]); 8] = tables!(
    "car",
    "congressional_voting",
    "contraceptive",
    "coronary_heart",
    "economic_activity",
    "mushroom",
    "soybean",
    "wisconsin_breast_cancer"
);

/// The names of the bundled tables.
#[pyfunction]
pub(crate) fn bundled_names() -> Vec<&'static str> {
    TABLES.iter().map(|(name, _)| *name).collect()
}

/// The bytes of a bundled table's CSV file.
#[pyfunction]
pub(crate) fn bundled<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyBytes>> {
    if let Some((_, bytes)) = TABLES.iter().find(|(known, _)| *known == name) {
        return Ok(PyBytes::new(py, bytes));
    }
    let near = cmnet::nearest(name, TABLES.iter().map(|(known, _)| *known));
    let remedy = near.map_or_else(
        || Remedy::Advice(format!("there are {}", bundled_names().join(", ")).into()),
        |near| Remedy::DidYouMean(near.to_owned()),
    );
    let problem = format!("there is no bundled table {}", cmnet::quoted(name));
    Err(errors::to_python(py, &Error::question(problem, remedy)))
}
