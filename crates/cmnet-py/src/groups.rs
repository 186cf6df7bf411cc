//! Groups of rows, compared pair by pair.

use crate::errors;
use crate::table::Table;
use crate::value;
use crate::work::{self, Stop};
use cmnet::{GroupOptions, LearnOptions, compare_groups as compare, find_variable};
use cmnet_report::answer::GroupsAnswer;
use pyo3::prelude::*;

/// Compares the groups of a packed table.
#[pyfunction]
pub(crate) fn compare_groups<'py>(
    py: Python<'py>,
    table: PyRef<'py, Table>,
    group: &str,
    block: Option<&str>,
    permutations: u64,
    level: f64,
    seed: u64,
) -> PyResult<Bound<'py, PyAny>> {
    let data = table.data.clone();
    let find = |name: &str| find_variable(data.schema(), name).map_err(|error| errors::to_python(py, &error));
    let block = block.map(find).transpose()?;
    let options = GroupOptions { block, permutations, level, seed, ..GroupOptions::of(find(group)?) };
    let data = table.data.clone();
    let facts = work::call(py, 0, move |stop: &Stop| {
        let found = compare(&data, &options, &LearnOptions::default(), stop)?;
        value::of(&GroupsAnswer::of(&found, &options, data.schema(), None))
    })?;
    value::to_python(py, &facts)
}
