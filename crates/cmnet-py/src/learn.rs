//! Learning and cross-validation.

use crate::dialect::Keywords;
use crate::errors::{self, OrRaise};
use crate::model::Model;
use crate::options::Learning;
use crate::table::Table;
use crate::value;
use crate::watch::{StopAtOnce, Watch};
use crate::work::{self, Ended, Running, Stop};
use cmnet::options::OptionName;
use cmnet::{
    ArrowCells, CheckpointPace, CheckpointedRun, Checkpointer, Control, CrossValidation, DataDigest, Dataset,
    Error, Fit, FitControl, FoldPlan, LearnObserver, LearnOptions, LearnState, Learned, OpenedCheckpoint,
    Outcome as Worked, PlaneCounts, Result, RowCounts, Schema, SearchObserver, Select, StopReason,
    cross_validate as validate, find_variable, fit_with, learn_from,
};
use cmnet_paper::sgm::{self, SgmOptions};
use cmnet_report::answer::{CrossValidatedAnswer, FitFacts, LearnedSummary};
use pyo3::exceptions::PyRuntimeWarning;
use pyo3::prelude::*;
use serde_json::{Value, json};
use std::ffi::CString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What was learned: facts, and one model per kappa.
pub(crate) type Answer<'py> = (Bound<'py, PyAny>, Vec<Model>);

/// An answer, or what interrupted the work and what there is of an answer.
#[pyclass(frozen, module = "cmnet._cmnet")]
pub(crate) struct Unfinished {
    data: Arc<Dataset>,
    options: LearnOptions,
    state: LearnState,
}

impl Unfinished {
    pub(crate) fn new(data: Arc<Dataset>, options: LearnOptions, state: LearnState) -> Self {
        Self { data, options, state }
    }
}

#[pymethods]
impl Unfinished {
    /// The structures that were found before the interruption, without parameters.
    fn learned<'py>(&self, py: Python<'py>) -> PyResult<Answer<'py>> {
        let (data, state) = (self.data.clone(), self.state.clone());
        // What held-out rows chose is all that was searched for.
        let kappas = state.chosen.map_or_else(|| self.options.kappas.clone(), |kappa| vec![kappa]);
        let options = LearnOptions { kappas, select: Select::None, ..self.options.clone() };
        let found = work::call(py, 1, move |_| {
            let mut learned = learn_from(state, &data, &options, &StopAtOnce)?;
            learned.stop = StopReason::Interrupted;
            Found::of(&learned, &data, &options)
        })?;
        found.answer(py)
    }
}

/// What was learned, ready to be handed over.
pub(crate) struct Found {
    pub(crate) facts: Value,
    pub(crate) models: Vec<cmnet::Model>,
}

impl Found {
    fn of(learned: &Learned, data: &Dataset, options: &LearnOptions) -> Result<Self> {
        let models = learned.models.iter().map(|model| model.to_model(data, options, &learned.search));
        let summary = LearnedSummary::of(learned, data.schema(), &Keywords);
        Ok(Self { facts: value::of(&summary)?, models: models.collect::<Result<_>>()? })
    }

    fn answer(self, py: Python<'_>) -> PyResult<Answer<'_>> {
        Ok((value::to_python(py, &self.facts)?, self.models.into_iter().map(Model::new).collect()))
    }

    /// The answer for Python, and what interrupted the work.
    pub(crate) fn handed(
        py: Python<'_>,
        ended: Ended<Result<Self>>,
    ) -> PyResult<(Option<Answer<'_>>, Option<PyErr>)> {
        ended.in_time(py, |found| found.answer(py))
    }
}

/// Answer, exception and what is unfinished: the last two only after an interruption.
pub(crate) type Outcome<'py, T> = (Option<T>, Option<PyErr>, Option<Unfinished>);

/// Learns from a packed table; `progress` is called now and then with where the search stands.
#[pyfunction]
pub(crate) fn learn<'py>(
    py: Python<'py>,
    table: PyRef<'py, Table>,
    learning: Learning,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Outcome<'py, Answer<'py>>> {
    let data = table.data.clone();
    let options = learning.options(data.schema()).or_raise(py)?;
    learning.check_sgm(&options).or_raise(py)?;
    let run = CheckpointedRun { data: &data, options: &options };
    let open = |path, pace| Checkpointer::open(path, learning.resume, run, pace);
    let (checkpointer, state, note) = checkpoints(&learning, open).or_raise(py)?;
    warn(py, note)?;
    let time_limit = learning.time_limit().or_raise(py)?;
    let watch = Arc::new(Watch::new(time_limit, checkpointer, state.clone()));
    let stratified = learning.is_stratified().or_raise(py)?.then_some(learning.seed);
    let Some(seed) = stratified else { return finished(py, data, options, state, &watch, progress) };
    let own = watch.clone();
    let ended = watched(py, &watch, progress, move || stratify(&data, seed, &options, &*own))?;
    let (answer, raised) = Found::handed(py, ended)?;
    // The random search of stratified models has no state to go on from.
    Ok((answer, raised, None))
}

/// Ends work at a time limit and when a person asks for it.
pub(crate) struct Either<'a>(pub(crate) &'a Watch, pub(crate) &'a Stop);

impl Control for Either<'_> {
    fn stop(&self) -> Option<StopReason> {
        self.0.stop().or_else(|| self.1.stop())
    }
}

impl SearchObserver for Either<'_> {}

impl LearnObserver for Either<'_> {}

/// The edges that are found first, as pairs of names. It warns where their search was cut.
#[pyfunction]
pub(crate) fn backbone(
    py: Python<'_>,
    table: PyRef<'_, Table>,
    learning: Learning,
) -> PyResult<Vec<(String, String)>> {
    let (data, backbone) = (table.data.clone(), learning.backbone().or_raise(py)?);
    let mut options = learning.options(data.schema()).or_raise(py)?;
    let time_limit = learning.time_limit().or_raise(py)?;
    let watch = Watch::new(time_limit, None, LearnState::default());
    let relearns_parts = options.relearns_parts();
    let (edges, stop) = work::call(py, 1, move |stop| {
        let control = Either(&watch, stop);
        let found = backbone.require(&PlaneCounts::new(&data), data.schema(), &mut options, &control)?;
        let name = |variable| data.schema().name(variable).to_owned();
        let edges = found.iter().flat_map(|found| found.graph.edges());
        let edges: Vec<_> = edges.map(|edge| (name(edge.low()), name(edge.high()))).collect();
        Ok((edges, found.map_or(StopReason::Converged, |found| found.stop)))
    })?;
    let count = edges.len();
    let cut = || format!("backbone: its search was ended early ({stop}) with {count} edges");
    warn(py, (stop != StopReason::Converged).then(cut))?;
    let seen = || {
        "backbone: its edges were found on all rows, those that are held out among them; so the log-probability of \
         held-out rows may look better than it is"
            .to_owned()
    };
    warn(py, relearns_parts.then(seen))?;
    Ok(edges)
}

/// Learns from where a run stands.
pub(crate) fn finished<'py>(
    py: Python<'py>,
    data: Arc<Dataset>,
    options: LearnOptions,
    state: LearnState,
    watch: &Arc<Watch>,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Outcome<'py, Answer<'py>>> {
    let (own, table, plan) = (watch.clone(), data.clone(), options.clone());
    let search = move || Found::of(&learn_from(state, &table, &plan, &*own)?, &table, &plan);
    let ended = watched(py, watch, progress, search)?;
    // A disk that is full must not swallow the answer.
    warn(py, watch.finish().err().map(|error| error.words(&Keywords)))?;
    let (answer, raised) = Found::handed(py, ended)?;
    let unfinished = answer.is_none().then(|| Unfinished { data, options, state: watch.state() });
    Ok((answer, raised, unfinished))
}

/// Runs a search, tells of its progress and stops it when Python says so.
pub(crate) fn watched<T: Send + 'static>(
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
    Running::start(py, 1, search)?.wait(py, || watch.ask_to_stop(), look)
}

/// The same for a search that nothing but a time limit ends, and of which no more is known afterwards.
pub(crate) fn limited<T: Send + 'static>(
    py: Python<'_>,
    time_limit: Option<Duration>,
    progress: Option<Bound<'_, PyAny>>,
    search: impl FnOnce(&Watch) -> T + Send + 'static,
) -> PyResult<Ended<T>> {
    let watch = Arc::new(Watch::new(time_limit, None, LearnState::default()));
    let own = watch.clone();
    watched(py, &watch, progress, move || search(&own))
}

/// Warns, where there is something to tell.
pub(crate) fn warn(py: Python<'_>, note: Option<String>) -> PyResult<()> {
    let Some(note) = note else { return Ok(()) };
    let text = CString::new(note).unwrap_or_default();
    PyErr::warn(py, &py.get_type::<PyRuntimeWarning>(), &text, 2)
}

/// The checkpointer that the options ask for, the state to start from, and what to tell.
pub(crate) fn checkpoints<T: Default>(
    learning: &Learning,
    open: impl FnOnce(PathBuf, CheckpointPace) -> Result<(Checkpointer, T, OpenedCheckpoint)>,
) -> Result<(Option<Checkpointer>, T, Option<String>)> {
    let Some(path) = learning.checkpoint.clone() else {
        if learning.resume {
            let expected = "a checkpoint to go on from, checkpoint=";
            return Err(Error::option(OptionName::Resume, "True without checkpoint", expected));
        }
        return Ok((None, T::default(), None));
    };
    let shown = path.display().to_string();
    let started = Instant::now();
    let clock = Box::new(move || started.elapsed());
    let interval = learning.checkpoint_interval()?;
    let (checkpointer, state, opened) = open(path, CheckpointPace { interval, clock })?;
    Ok((Some(checkpointer), state, opened.note(&shown)))
}

/// The decomposable stratified graphical model of the paper's comparison.
fn stratify(
    data: &Dataset,
    seed: u64,
    options: &LearnOptions,
    observer: &dyn LearnObserver,
) -> Result<Found> {
    let learned = sgm::learn(data, &SgmOptions { seed, ..SgmOptions::default() }, observer)?;
    let structure = learned.best.structure()?;
    let control = FitControl { observer, searched: learned.stop == StopReason::Converged, fitted: false };
    let fitted = match fit_with(&structure, &RowCounts::new(data), &options.fit, &control)? {
        Worked::Done(fitted) => Fit { digest: Some(DataDigest::of(data)), ..fitted },
        Worked::Stopped(_) => return Err(work::interrupted()),
    };
    let mut row = value::of(&FitFacts::from(&fitted))?;
    row["log_posterior"] = json!(learned.best.log_posterior().to_f64());
    row["edges"] = json!(structure.graph().edge_count());
    row["context_elements"] = json!(structure.context_elements());
    let facts = json!({"search": "sgm", "search_reason": "asked for", "stop": learned.stop.to_string(),
        "ties": 0, "selected": 0, "criterion": null, "limited": [], "passed_over": [],
        "scores": [row]});
    let schema = data.schema().clone();
    Ok(Found { facts, models: vec![cmnet::Model::new(schema, structure)?.with_fit(fitted)?] })
}

/// Cross-validates a packed table.
#[pyfunction]
pub(crate) fn cross_validate<'py>(
    py: Python<'py>,
    table: PyRef<'py, Table>,
    dealt: Dealt,
    learning: Learning,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Outcome<'py, Bound<'py, PyAny>>> {
    let data = table.data.clone();
    let options = learning.options(data.schema()).or_raise(py)?;
    let deal = dealt.plan(data.schema()).or_raise(py)?;
    let begun = CrossValidation::begun(&data, deal);
    let validation = Validation { begun, time_limit: learning.time_limit().or_raise(py)?, options };
    let search = move |options: &_, watch: &Watch| validate(&data, deal, options, watch);
    let (found, raised) = validation.run(py, progress, search)?;
    Ok((Some(found), raised, None))
}

/// A cross-validation to be run.
pub(crate) struct Validation {
    pub(crate) begun: CrossValidation,
    pub(crate) time_limit: Option<Duration>,
    pub(crate) options: LearnOptions,
}

impl Validation {
    /// What was found, for Python, and what interrupted the work: then the folds that were finished.
    pub(crate) fn run<'py>(
        self,
        py: Python<'py>,
        progress: Option<Bound<'py, PyAny>>,
        search: impl FnOnce(&LearnOptions, &Watch) -> Result<CrossValidation> + Send + 'static,
    ) -> PyResult<(Bound<'py, PyAny>, Option<PyErr>)> {
        let Self { begun, time_limit, options } = self;
        let watch = Arc::new(Watch::new(time_limit, None, LearnState::default()));
        let (own, kappas) = (watch.clone(), options.kappas_of_folds().to_vec());
        let (found, raised) = match watched(py, &watch, progress, move || search(&options, &own))? {
            Ended::Done(found) => (found.or_raise(py)?, None),
            Ended::Interrupted(raised, Some(Ok(found))) => (found, Some(raised)),
            Ended::Interrupted(raised, _) | Ended::Late(raised, _) => {
                (begun.over(&watch.folds(), &kappas, StopReason::Interrupted), Some(raised))
            }
        };
        Ok((validated(py, &found)?, raised))
    }
}

/// Which observations are held out together, as Python says it.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Dealt {
    folds: usize,
    seed: u64,
    fold_column: Option<String>,
}

impl Dealt {
    pub(crate) fn plan(&self, schema: &Schema) -> Result<FoldPlan> {
        Ok(match &self.fold_column {
            Some(column) => FoldPlan::Column(find_variable(schema, column)?),
            None => FoldPlan::Drawn { folds: self.folds, seed: self.seed },
        })
    }
}

/// What a cross-validation found, for Python.
pub(crate) fn validated<'py>(py: Python<'py>, found: &CrossValidation) -> PyResult<Bound<'py, PyAny>> {
    value::told(py, &CrossValidatedAnswer::of(found, &Keywords))
}

/// The exception about a column that is not one of categories.
#[pyfunction]
pub(crate) fn refuse_column(py: Python<'_>, name: &str, number: usize, what: &str, kind: &str) -> PyErr {
    let place = cmnet::Place::file(cmnet::UNNAMED_TABLE).at_column(number, Some(name));
    errors::to_python(py, &Error::input(place, ArrowCells::refusal(what, kind)))
}

/// The exception about an option.
#[pyfunction]
pub(crate) fn refuse_option(py: Python<'_>, name: &str, found: String, expected: &str) -> PyErr {
    errors::option(py, name, &found, expected)
}
