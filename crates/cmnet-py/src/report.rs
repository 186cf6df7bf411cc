//! Pages to attach to a paper.

use crate::dialect::Keywords;
use crate::errors::OrRaise;
use crate::learn::limited;
use crate::model::{Data, Model};
use crate::options::{Learning, Reading};
use crate::table::Table;
use crate::watch::Watch;
use crate::work;
use cmnet::{
    Control, CrossValidation, Dataset, FoldPlan, LearnOptions, Learned, Result, Schema, StopReason,
    cross_validate, learn,
};
use cmnet_report::Report;
use cmnet_report::answer::Description;
use pyo3::prelude::*;
use std::sync::Arc;

/// What a report says besides the model.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Paging {
    title: String,
    /// What makes this report again.
    command: String,
    /// Folds of the cross-validation; 0 leaves it out.
    folds: usize,
    seed: u64,
}

/// A model with the table it is reported on.
struct Subject {
    model: cmnet::Model,
    table: Option<Arc<Dataset>>,
    learned: Option<Learned>,
}

impl Subject {
    fn page(&self, paging: &Paging, options: &LearnOptions, watch: &Watch) -> Result<String> {
        let description = self.table.as_ref().map(|table| Description::of(table).in_words(&Keywords));
        let ended = |stop: Option<StopReason>| stop.is_some_and(|stop| stop != StopReason::Converged);
        let early = ended(self.learned.as_ref().map(|learned| learned.stop));
        let validated: Option<CrossValidation> = match &self.table {
            Some(table) if paging.folds > 0 && !early => {
                let plan = FoldPlan::Drawn { folds: paging.folds, seed: paging.seed };
                Some(cross_validate(table, plan, options, watch)?)
            }
            _ => None,
        };
        let mut report = Report::new(&self.model, &paging.title, &paging.command);
        if let (Some(table), Some(description)) = (&self.table, &description) {
            report = report.with_table(table, description);
        }
        if let Some(learned) = &self.learned {
            report = report.with_learned(learned);
        }
        if let Some(validated) = &validated {
            report = report.with_validation(validated);
        }
        // Work that a time limit ended is reported as far as it came.
        let early = early || ended(validated.as_ref().map(|validated| validated.stop));
        let control: &dyn Control = if early { &() } else { watch };
        report.page(control)
    }
}

/// The page of a table: learns, validates and reports.
#[pyfunction]
pub(crate) fn report_table(
    py: Python<'_>,
    table: PyRef<'_, Table>,
    paging: Paging,
    learning: Learning,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<(String, Model)> {
    let data = table.data.clone();
    let found = run(py, table.data.schema(), learning, progress, move |options, watch| {
        let learned = learn(&data, options, watch)?;
        let kept = learned.kept(data.rows()).ok_or_else(work::interrupted)?;
        let model = kept.to_model(&data, options, &learned.search)?;
        let subject = Subject { model, table: Some(data), learned: Some(learned) };
        Ok((subject.page(&paging, options, watch)?, subject.model))
    })?;
    Ok((found.0, Model::new(found.1)))
}

/// The page of a model, with its table where there is one.
#[pyfunction]
pub(crate) fn report_model(
    py: Python<'_>,
    model: PyRef<'_, Model>,
    data: Option<Data<'_>>,
    reading: Reading,
    paging: Paging,
    learning: Learning,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<String> {
    let table = model.optional_dataset(py, data, &reading)?;
    let model = (*model.model).clone();
    let schema = model.schema().clone();
    run(py, &schema, learning, progress, move |options, watch| {
        Subject { model, table, learned: None }.page(&paging, options, watch)
    })
}

/// Runs long work under a watch; an interruption is raised.
fn run<T: Send + 'static>(
    py: Python<'_>,
    schema: &Schema,
    learning: Learning,
    progress: Option<Bound<'_, PyAny>>,
    work: impl FnOnce(&LearnOptions, &Watch) -> Result<T> + Send + 'static,
) -> PyResult<T> {
    let options = learning.options(schema).or_raise(py)?;
    let limit = learning.time_limit().or_raise(py)?;
    work::value(py, limited(py, limit, progress, move |watch| work(&options, watch))?)
}
