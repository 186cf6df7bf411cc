//! Tables with missing values, and learning from them.

use crate::dialect::Keywords;
use crate::each_row::{RowReading, over_rows};
use crate::errors::{self, OrRaise};
use crate::intake::{Packing, Unpacked};
use crate::learn::{Answer, Found, checkpoints, warn, watched};
use crate::model::{Data, Model};
use crate::options::{Completing, Learning, Reading};
use crate::table::{Table, how};
use crate::value;
use crate::watch::Watch;
use crate::work::{self, Stop};
use cmnet::options::OptionName;
use cmnet::{
    Checkpointer, CompletedLearning, CompletionOptions, Dataset, Error, ExactOptions, FitOptions, LearnState,
    LoadedIncomplete, OnMissing, Result, Schema, Session, Under, cut_incomplete_by_graph,
    evaluate_incomplete, evaluate_under, learn_incomplete_from, read_incomplete,
};
use cmnet_report::answer::{EvaluatedAnswer, LearnedSummary, MissingAnswer};
use cmnet_report::{Together, warning_text};
use numpy::PyArray1;
use pyo3::prelude::*;
use std::sync::Arc;

/// A table of categories with its missing values.
#[pyclass(frozen, module = "cmnet._cmnet")]
pub(crate) struct IncompleteTable {
    loaded: Arc<LoadedIncomplete>,
}

#[pymethods]
impl IncompleteTable {
    /// Packs a table.
    #[staticmethod]
    fn read(
        py: Python<'_>,
        source: Unpacked<'_>,
        reading: Reading,
        learning: Learning,
        spared: Option<&str>,
    ) -> PyResult<Self> {
        let (options, learning) = how(py, &reading, Some(&learning), spared)?;
        let bins = options.bins.clone();
        let file = |source: &_, options: Under<'_, _>| read_incomplete(source, options);
        let mut loaded = source.read(py, (0, options), file, Packing::new, Packing::finish_incomplete)?;
        loaded.check_categories().or_raise(py)?;
        let cut = move |stop: &Stop| {
            cut_incomplete_by_graph(&mut loaded, &bins, &learning, stop)?;
            Ok(loaded)
        };
        Ok(Self { loaded: Arc::new(work::call(py, 0, cut)?) })
    }

    /// The same as a packed table, where nothing is missing.
    fn complete(&self) -> Option<Table> {
        self.loaded.complete().map(Table::of)
    }

    #[getter]
    fn warnings(&self) -> Vec<String> {
        let mut texts: Vec<String> =
            self.loaded.warnings.iter().map(|warning| warning_text(warning, &Keywords)).collect();
        texts.extend(MissingAnswer::of(&self.loaded.table).iter().flat_map(MissingAnswer::warnings));
        texts
    }
}

/// What was learned, ready to be handed over.
fn learned(
    found: &CompletedLearning,
    loaded: &LoadedIncomplete,
    options: &CompletionOptions,
) -> Result<Found> {
    let summary = LearnedSummary::of_incomplete(found, &loaded.table, &Keywords);
    let models = (0..found.learned.models.len()).map(|place| found.to_model(place, &loaded.table, options));
    let models: Vec<Option<cmnet::Model>> = models.collect::<Result<_>>()?;
    Ok(Found { facts: value::of(&summary)?, models: models.into_iter().flatten().collect() })
}

/// Learns from a table with missing values: the answer, and what interrupted the work.
#[pyfunction]
pub(crate) fn learn_incomplete<'py>(
    py: Python<'py>,
    table: PyRef<'py, IncompleteTable>,
    completing: Completing,
    learning: Learning,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<(Option<Answer<'py>>, Option<PyErr>)> {
    let loaded = table.loaded.clone();
    let learn = learning.options(loaded.table.schema()).or_raise(py)?;
    if learning.is_stratified().or_raise(py)? {
        let expected = "error or drop: model \"sgm\" needs rows without missing values";
        return Err(errors::to_python(py, &Error::option(OptionName::OnMissing, "model", expected)));
    }
    let options = completing.options(learning.seed, learn);
    let open =
        |path, pace| Checkpointer::open_completion(path, learning.resume, (&loaded.table, &options), pace);
    let (checkpointer, state, note) = checkpoints(&learning, open).or_raise(py)?;
    warn(py, note)?;
    let time_limit = learning.time_limit().or_raise(py)?;
    let watch = Arc::new(Watch::new(time_limit, checkpointer, LearnState::default()));
    let own = watch.clone();
    let work = move || {
        let found = learn_incomplete_from(state, &loaded.table, &options, &*own)?;
        learned(&found, &loaded, &options)
    };
    let ended = watched(py, &watch, progress, work)?;
    // A disk that is full must not swallow the answer.
    warn(py, watch.finish().err().map(|error| error.words(&Keywords)))?;
    Found::handed(py, ended)
}

/// Evaluates rows with their missing values: those of a table without any by one function, others by another.
pub(crate) fn evaluate_known<'py>(
    py: Python<'py>,
    schema: &Schema,
    (data, reading): (Data<'py>, Reading),
    complete: impl FnOnce(&Dataset, &Stop) -> Result<EvaluatedAnswer> + Send + 'static,
    known: impl FnOnce(&cmnet::IncompleteTable, u64, &Stop) -> Result<EvaluatedAnswer> + Send + 'static,
) -> PyResult<Bound<'py, PyAny>> {
    let (how, own) = (RowReading { reading, forgiving: false }, schema.clone());
    let answer = over_rows(py, schema, data, &how, move |rows, stop| {
        let mut table = cmnet::IncompleteTable::new(own);
        rows.each(&mut |levels, weight| table.push(levels, weight))?;
        if let Some(data) = table.complete_rows().filter(|_| table.incomplete_rows() == 0) {
            return value::of(&complete(&data, stop)?);
        }
        value::of(&known(&table, FitOptions::default().memory, stop)?.of_rows(&table))
    })?;
    value::to_python(py, &answer)
}

/// Evaluates rows by networks that answer together.
pub(crate) fn evaluate_together<'py, N: Together + Send + Sync + 'static>(
    py: Python<'py>,
    networks: Arc<N>,
    (data, reading): (Data<'py>, Reading),
) -> PyResult<Bound<'py, PyAny>> {
    if takes_missing(py, &reading)? {
        let (one, other) = (networks.clone(), networks.clone());
        let complete = move |data: &Dataset, stop: &Stop| one.evaluated(data, stop);
        let known = move |table: &_, memory, stop: &Stop| other.evaluated_incomplete(table, memory, stop);
        return evaluate_known(py, networks.first().schema(), (data, reading), complete, known);
    }
    let data = Model::new(networks.first().clone()).dataset(py, data, &reading)?;
    work::answer(py, 1, move |stop| value::of(&networks.evaluated(&data, stop)?))
}

/// Whether what is known of rows with missing values is to be evaluated.
pub(crate) fn takes_missing(py: Python<'_>, reading: &Reading) -> PyResult<bool> {
    let options = reading.options().or_raise(py)?;
    Ok(options.on_missing == OnMissing::Model)
}

impl Model {
    /// How probable the known values of the rows are.
    pub(crate) fn evaluate_incomplete<'py>(
        &self,
        py: Python<'py>,
        data: Data<'py>,
        reading: Reading,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (one, other) = (self.model.clone(), self.model.clone());
        let complete = move |data: &Dataset, stop: &Stop| {
            let fit = one.normalized_fit_under(stop)?;
            Ok(EvaluatedAnswer::from(&evaluate_under(&fit, data, stop)?))
        };
        let known = move |table: &_, memory, stop: &Stop| {
            Ok(EvaluatedAnswer::from(&evaluate_incomplete(&other, table, memory, stop)?))
        };
        evaluate_known(py, self.model.schema(), (data, reading), complete, known)
    }

    /// The log-probability of what is known of each row.
    pub(crate) fn observed_log_prob<'py>(
        &self,
        py: Python<'py>,
        data: Data<'py>,
        rows: &RowReading,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let (network, model) = (self.network(py)?, self.model.clone());
        let answers = over_rows(py, self.model.schema(), data, rows, move |rows, stop| {
            let fit = model.normalized_fit_under(stop)?;
            let evaluator = fit.parameters.evaluator_under(stop)?;
            let mut session: Option<Session<'_>> = None;
            let mut answers = Vec::new();
            rows.each(&mut |levels, _| {
                // A row without holes needs no junction tree, whatever the rows beside it have.
                if let Some(row) = levels.iter().copied().collect::<Option<Vec<u32>>>() {
                    answers.push(evaluator.log_probability(&row).ok_or_else(not_normalised)?);
                    return Ok(());
                }
                let session = match &mut session {
                    Some(session) => session,
                    none => none.insert(Session::under(&network, &ExactOptions::default(), stop)?),
                };
                for (variable, level) in levels.iter().enumerate() {
                    session.retract(variable);
                    if let Some(level) = level {
                        session.observe(variable, *level)?;
                    }
                }
                answers.push(session.log_evidence()?);
                Ok(())
            })?;
            Ok(answers)
        })?;
        Ok(PyArray1::from_vec(py, answers))
    }
}

/// What is wrong with a model whose probabilities are not known.
pub(crate) fn not_normalised() -> Error {
    let hint = "ask for pseudo_log_prob, or fit with method=\"exact\" and more memory";
    Error::question("the model is not normalised: its junction tree is too large", hint)
}
