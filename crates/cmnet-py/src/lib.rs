//! The extension module behind the Python package `cmnet`.
//!
//! Thin on purpose: it takes tables in, releases the interpreter's lock, calls the library
//! and hands answers back. What a user sees is written in Python, under `python/cmnet`.

#![allow(
    clippy::too_many_arguments,
    clippy::needless_pass_by_value,
    reason = "arguments come from Python one by one, and by value"
)]

mod ask;
mod bootstrap;
mod datasets;
mod dialect;
mod each_row;
mod ensemble;
mod errors;
mod exact;
mod groups;
mod incomplete;
mod intake;
mod intervals;
mod learn;
mod mixture;
mod model;
mod options;
mod posterior;
mod predict;
mod report;
mod rows;
mod table;
mod tasks;
mod threads;
mod value;
mod watch;
mod weighted;
mod work;

use pyo3::prelude::*;

/// The private part of the package.
#[pymodule]
fn _cmnet(module: &Bound<'_, PyModule>) -> PyResult<()> {
    // Once here, so that no signal can come between an answer and the arrays that hold it.
    let _ = numpy::PyArray1::<f64>::zeros(module.py(), 0, false);
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<table::Table>()?;
    module.add_class::<incomplete::IncompleteTable>()?;
    module.add_class::<weighted::WeightedTable>()?;
    module.add_class::<rows::Rows>()?;
    module.add_class::<model::Model>()?;
    module.add_class::<mixture::Mixture>()?;
    module.add_class::<ensemble::Ensemble>()?;
    module.add_class::<learn::Unfinished>()?;
    module.add_class::<tasks::Run>()?;
    module.add_function(wrap_pyfunction!(tasks::run_task, module)?)?;
    module.add_function(wrap_pyfunction!(table::add_surveys, module)?)?;
    module.add_function(wrap_pyfunction!(table::surveyed, module)?)?;
    module.add_function(wrap_pyfunction!(learn::learn, module)?)?;
    module.add_function(wrap_pyfunction!(learn::backbone, module)?)?;
    module.add_function(wrap_pyfunction!(mixture::learn_mixture, module)?)?;
    module.add_function(wrap_pyfunction!(mixture::load_any, module)?)?;
    module.add_function(wrap_pyfunction!(incomplete::learn_incomplete, module)?)?;
    module.add_function(wrap_pyfunction!(weighted::learn_weighted, module)?)?;
    module.add_function(wrap_pyfunction!(weighted::validate_weighted, module)?)?;
    module.add_function(wrap_pyfunction!(weighted::fit_weighted, module)?)?;
    module.add_function(wrap_pyfunction!(weighted::evaluate_weighted, module)?)?;
    module.add_function(wrap_pyfunction!(learn::cross_validate, module)?)?;
    module.add_function(wrap_pyfunction!(bootstrap::bootstrap, module)?)?;
    module.add_function(wrap_pyfunction!(bootstrap::bootstrap_weighted, module)?)?;
    module.add_function(wrap_pyfunction!(posterior::posterior, module)?)?;
    module.add_function(wrap_pyfunction!(exact::exact, module)?)?;
    module.add_class::<groups::Groups>()?;
    module.add_function(wrap_pyfunction!(groups::draw_groups, module)?)?;
    module.add_function(wrap_pyfunction!(report::report_table, module)?)?;
    module.add_function(wrap_pyfunction!(report::report_model, module)?)?;
    module.add_function(wrap_pyfunction!(options::option_table, module)?)?;
    module.add_function(wrap_pyfunction!(options::seconds, module)?)?;
    module.add_function(wrap_pyfunction!(learn::refuse_column, module)?)?;
    module.add_function(wrap_pyfunction!(learn::refuse_option, module)?)?;
    module.add_function(wrap_pyfunction!(ask::query, module)?)?;
    module.add_function(wrap_pyfunction!(ask::joint, module)?)?;
    module.add_function(wrap_pyfunction!(ask::most_probable, module)?)?;
    module.add_function(wrap_pyfunction!(ask::impute, module)?)?;
    module.add_function(wrap_pyfunction!(ask::sample, module)?)?;
    module.add_function(wrap_pyfunction!(predict::predict, module)?)?;
    module.add_function(wrap_pyfunction!(ask::explain, module)?)?;
    module.add_function(wrap_pyfunction!(ask::independent, module)?)?;
    module.add_function(wrap_pyfunction!(ask::compare, module)?)?;
    module.add_function(wrap_pyfunction!(intervals::intervals, module)?)?;
    module.add_function(wrap_pyfunction!(intervals::probability_intervals, module)?)?;
    module.add_function(wrap_pyfunction!(ask::factors, module)?)?;
    module.add_function(wrap_pyfunction!(datasets::bundled, module)?)?;
    module.add_function(wrap_pyfunction!(datasets::bundled_names, module)?)?;
    Ok(())
}
