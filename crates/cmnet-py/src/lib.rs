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

/// Adds functions to a module, in this order.
macro_rules! add_functions {
    ($module:ident: $($function:path),+ $(,)?) => {
        $($module.add_function(wrap_pyfunction!($function, $module)?)?;)+
    };
}

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
    module.add_class::<groups::Groups>()?;
    add_functions!(
        module:
        tasks::run_task,
        table::add_surveys, table::surveyed,
        learn::learn, learn::backbone, learn::cross_validate, learn::refuse_column, learn::refuse_option,
        mixture::learn_mixture, mixture::load_any,
        incomplete::learn_incomplete,
        weighted::learn_weighted, weighted::validate_weighted, weighted::fit_weighted,
        weighted::evaluate_weighted,
        bootstrap::bootstrap, bootstrap::bootstrap_weighted,
        posterior::posterior,
        exact::exact,
        groups::draw_groups,
        report::report_table, report::report_model,
        options::option_table, options::seconds,
        ask::query, ask::joint, ask::most_probable, ask::impute, ask::sample, ask::explain, ask::independent,
        ask::compare, ask::factors,
        predict::predict,
        intervals::intervals, intervals::probability_intervals,
        datasets::bundled, datasets::bundled_names,
    );
    Ok(())
}
