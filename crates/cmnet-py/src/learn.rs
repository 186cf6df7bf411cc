//! Learning and cross-validation.

use crate::errors;
use crate::model::{Model, fit_facts, nats};
use crate::options::Learning;
use crate::table::Table;
use crate::value;
use crate::watch::{StopAtOnce, Watch};
use crate::work::{self, Ended, Running};
use cmnet::data::Dataset;
use cmnet::data::split::Deal;
use cmnet::inference::find_variable;
use cmnet::io::Checkpointer;
use cmnet::learn::{
    CrossValidation, LearnOptions, LearnState, Learned, Select, cross_validate as validate, learn_from,
};
use cmnet::loglinear::fit;
use cmnet::search::{Observer, StopReason};
use cmnet::{Error, Result};
use cmnet_paper::sgm::{self, SgmOptions};
use pyo3::exceptions::PyRuntimeWarning;
use pyo3::prelude::*;
use serde_json::{Map, Value, json};
use std::ffi::CString;
use std::sync::Arc;
use std::time::Instant;

/// What was learned: facts, and one model per kappa.
pub(crate) type Answer<'py> = (Bound<'py, PyAny>, Vec<Model>);

/// An answer, or what interrupted the work and what there is of an answer.
#[pyclass(frozen, module = "cmnet._cmnet")]
pub(crate) struct Unfinished {
    data: Arc<Dataset>,
    options: LearnOptions,
    state: LearnState,
}

#[pymethods]
impl Unfinished {
    /// The structures that were found before the interruption, without parameters.
    fn learned<'py>(&self, py: Python<'py>) -> PyResult<Answer<'py>> {
        let (data, state) = (self.data.clone(), self.state.clone());
        let options = LearnOptions { select: Select::None, ..self.options.clone() };
        let found = work::call(py, 1, move || {
            let mut learned = learn_from(state, &data, &options, &StopAtOnce)?;
            learned.stop = StopReason::Interrupted;
            Found::of(&learned, &data, &options)
        })?;
        found.answer(py)
    }
}

/// What was learned, ready to be handed over.
struct Found {
    facts: Value,
    models: Vec<cmnet::Model>,
}

impl Found {
    fn of(learned: &Learned, data: &Dataset, options: &LearnOptions) -> Result<Self> {
        let schema = data.schema();
        let models = learned.models.iter().map(|model| model.to_model(data, options, learned.search));
        let row = |model: &cmnet::learn::LearnedModel| {
            let mut row = json!({"kappa": model.prior.kappa().to_string(), "log_kappa": nats(model.prior.log_kappa()),
                "edges": model.structure.graph().edge_count(),
                "context_elements": model.structure.context_elements(),
                "log_mpl": model.score.log_mpl.to_f64(), "log_prior": nats(model.score.log_prior),
                "score": nats(model.score.total()), "steps": model.steps.len(), "moves": model.moves,
                "ties": model.ties, "stop": model.stop.to_string(), "pseudo_bic": model.pseudo_bic(),
                "unfitted": model.unfitted.as_deref().map(errors::in_python_words)});
            let fitted = model.fit.as_ref().map_or(Value::Null, fit_facts);
            for name in
                ["parameters", "log_likelihood", "pseudo_log_likelihood", "bic", "sbic", "method", "status"]
            {
                row[name] = fitted.get(name).cloned().unwrap_or_default();
            }
            row
        };
        let facts = json!({"search": learned.search, "search_reason": learned.search_reason,
            "stop": learned.stop.to_string(), "ties": learned.ties(), "selected": learned.selected,
            "criterion": learned.criterion,
            "limited": learned.limited.iter().map(|&v| schema.name(v)).collect::<Vec<_>>(),
            "scores": learned.models.iter().map(row).collect::<Vec<_>>()});
        Ok(Self { facts, models: models.collect::<Result<_>>()? })
    }

    fn answer(self, py: Python<'_>) -> PyResult<Answer<'_>> {
        Ok((value::to_python(py, &self.facts)?, self.models.into_iter().map(Model::new).collect()))
    }
}

/// Answer, exception and what is unfinished: the last two only after an interruption.
type Outcome<'py, T> = (Option<T>, Option<PyErr>, Option<Unfinished>);

/// Learns from a packed table; `progress` is called now and then with where the search stands.
#[pyfunction]
pub(crate) fn learn<'py>(
    py: Python<'py>,
    table: PyRef<'py, Table>,
    learning: Learning,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Outcome<'py, Answer<'py>>> {
    let to_python = |error: Error| errors::to_python(py, &error);
    let data = table.data.clone();
    let options = learning.options().map_err(to_python)?;
    learning.check_sgm(&options).map_err(to_python)?;
    let (checkpointer, state, note) = checkpoints(&learning, &data, &options).map_err(to_python)?;
    if let Some(note) = note {
        let text = CString::new(note).unwrap_or_default();
        PyErr::warn(py, &py.get_type::<PyRuntimeWarning>(), &text, 2)?;
    }
    let time_limit = learning.time_limit().map_err(to_python)?;
    let watch = Arc::new(Watch::new(time_limit, checkpointer, state.clone()));
    let stratified = learning.is_stratified().map_err(to_python)?.then_some(learning.seed);
    let (own, table, plan) = (watch.clone(), data.clone(), options.clone());
    let search = move || {
        let found = match stratified {
            Some(seed) => stratify(&table, seed, &plan, &*own)?,
            None => Found::of(&learn_from(state, &table, &plan, &*own)?, &table, &plan)?,
        };
        Ok(found)
    };
    let ended = watched(py, &watch, progress, search)?;
    // A disk that is full must not swallow the answer.
    if let Err(error) = watch.finish() {
        let text = CString::new(error.to_string()).unwrap_or_default();
        PyErr::warn(py, &py.get_type::<PyRuntimeWarning>(), &text, 2)?;
    }
    match ended {
        Ended::Done(found) => Ok((Some(found.map_err(to_python)?.answer(py)?), None, None)),
        Ended::Interrupted(raised, Some(Ok(found))) => Ok((Some(found.answer(py)?), Some(raised), None)),
        Ended::Interrupted(raised, _) => {
            // The random search of stratified models has no state to go on from.
            let unfinished = stratified.is_none().then(|| Unfinished { data, options, state: watch.state() });
            Ok((None, Some(raised), unfinished))
        }
    }
}

/// Runs a search, tells of its progress and stops it when Python says so.
fn watched<T: Send + 'static>(
    py: Python<'_>,
    watch: &Arc<Watch>,
    progress: Option<Bound<'_, PyAny>>,
    search: impl FnOnce() -> T + Send + 'static,
) -> PyResult<Ended<T>> {
    let mut version = 0;
    let look = || {
        if let (Some(tell), Some(facts)) = (&progress, watch.progress(&mut version)) {
            tell.call1((value::to_python(py, &facts)?,))?;
        }
        Ok(())
    };
    Running::start(py, 1, search)?.wait(py, || watch.stop(), look)
}

/// The checkpointer that the options ask for, the state to start from, and what to tell.
fn checkpoints(
    learning: &Learning,
    data: &Arc<Dataset>,
    options: &LearnOptions,
) -> Result<(Option<Checkpointer>, LearnState, Option<String>)> {
    let Some(path) = learning.checkpoint.clone() else {
        if learning.resume {
            let expected = "a checkpoint to go on from, checkpoint=";
            return Err(Error::option("--resume", "True without checkpoint", expected));
        }
        return Ok((None, LearnState::default(), None));
    };
    let shown = std::path::Path::new(&path).display().to_string();
    let started = Instant::now();
    let clock = Box::new(move || started.elapsed());
    let interval = learning.checkpoint_interval()?;
    let (checkpointer, state, opened) =
        Checkpointer::open((path, learning.resume), (data, options), (interval, clock))?;
    Ok((Some(checkpointer), state, opened.note(&shown)))
}

/// The decomposable stratified graphical model of the paper's comparison.
fn stratify(data: &Dataset, seed: u64, options: &LearnOptions, observer: &dyn Observer) -> Result<Found> {
    let learned = sgm::learn(data, &SgmOptions { seed, ..SgmOptions::default() }, observer)?;
    let structure = learned.best.structure()?;
    let fitted = fit(&structure, data, &options.fit)?;
    let mut row = fit_facts(&fitted);
    row["log_posterior"] = json!(learned.best.log_posterior().to_f64());
    row["edges"] = json!(structure.graph().edge_count());
    row["context_elements"] = json!(structure.context_elements());
    let facts = json!({"search": "sgm", "search_reason": "asked for", "stop": learned.stop.to_string(),
        "ties": 0, "selected": 0, "criterion": null, "limited": [], "scores": [row]});
    let schema = data.schema().clone();
    Ok(Found { facts, models: vec![cmnet::Model::new(schema, structure)?.with_fit(fitted)?] })
}

/// Cross-validates a packed table.
#[pyfunction]
pub(crate) fn cross_validate<'py>(
    py: Python<'py>,
    table: PyRef<'py, Table>,
    folds: usize,
    seed: u64,
    fold_column: Option<String>,
    learning: Learning,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Outcome<'py, Bound<'py, PyAny>>> {
    let to_python = |error: Error| errors::to_python(py, &error);
    let options = learning.options().map_err(to_python)?;
    let data = table.data.clone();
    let deal = match fold_column {
        Some(column) => Deal::Column(find_variable(data.schema(), &column).map_err(to_python)?),
        None => Deal::Drawn { folds, seed },
    };
    let begun = CrossValidation::begun(&data, deal);
    let time_limit = learning.time_limit().map_err(to_python)?;
    let watch = Arc::new(Watch::new(time_limit, None, LearnState::default()));
    let own = watch.clone();
    let kappas = options.kappas.clone();
    let search = move || validate(&data, deal, &options, &*own);
    let (found, raised) = match watched(py, &watch, progress, search)? {
        Ended::Done(found) => (found.map_err(to_python)?, None),
        Ended::Interrupted(raised, Some(Ok(found))) => (found, Some(raised)),
        Ended::Interrupted(raised, _) => {
            (begun.over(&watch.folds(), &kappas, StopReason::Interrupted), Some(raised))
        }
    };
    Ok((Some(value::to_python(py, &json!(found))?), raised, None))
}

/// The defaults of the library's options, by the names that Python uses.
#[pyfunction]
pub(crate) fn defaults(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    let learn = LearnOptions::default();
    let kappas: Vec<String> = learn.kappas.iter().map(ToString::to_string).collect();
    let mut all = Map::new();
    let mut put = |name: &str, value: Value| all.insert(name.to_owned(), value);
    put("kappa", json!(kappas));
    put("alpha", json!(learn.alpha.to_string()));
    put("search", json!(format!("{:?}", learn.search).to_lowercase()));
    put("select", json!(format!("{:?}", learn.select).to_lowercase()));
    put("threads", json!(learn.threads));
    put("max_neighbors", json!(learn.limits.neighbors));
    put("max_configurations", json!(learn.limits.configurations));
    put("candidates", json!(format!("{:?}", learn.candidates).to_lowercase()));
    put("method", json!(format!("{:?}", learn.fit.method).to_lowercase()));
    put("smoothing", json!(learn.fit.smoothing));
    put("memory", json!(learn.fit.memory));
    put("seed", json!(SgmOptions::default().seed));
    put("missing", json!(cmnet::io::ReadOptions::default().missing));
    value::to_python(py, &Value::Object(all))
}

/// Raises the complaint about a column that is not one of categories.
#[pyfunction]
pub(crate) fn refuse_column(py: Python<'_>, name: &str, number: usize, what: &str, kind: &str) -> PyErr {
    let place = cmnet::error::Place::file(cmnet::data::intake::TABLE).at_column(number, Some(name));
    errors::to_python(py, &Error::input(place, crate::cells::not_categories(what, kind)))
}

/// Raises the complaint about an option.
#[pyfunction]
pub(crate) fn refuse_option(py: Python<'_>, name: &str, found: String, expected: &str) -> PyErr {
    errors::option(py, name, &found, expected)
}
