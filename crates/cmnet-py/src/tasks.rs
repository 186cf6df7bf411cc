//! Runs that are divided into tasks, for workers elsewhere: tasks out, what they found in.

use crate::bootstrap::{self, Besides, Resampling};
use crate::errors::{self, OrRaise};
use crate::learn::{Answer, Dealt, Outcome, Unfinished, finished, validated};
use crate::options::Learning;
use crate::table::Table;
use crate::value;
use crate::watch::Watch;
use crate::work::{self, Running};
use cmnet::{
    BootstrapState, CrossValidation, Dataset, Error, Findings, FoldState, Job, LearnState, Part, RunFact,
    StopReason, Task, cross_validate_from,
};
use pyo3::prelude::*;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// What is to be done, as Python says it.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Spec {
    /// `learn`, `cv` or `bootstrap`.
    run: String,
    learning: Learning,
    dealt: Option<Dealt>,
    resampling: Option<Resampling>,
}

impl Spec {
    fn job(&self, data: &Dataset) -> cmnet::Result<Job> {
        let options = self.learning.options(data.schema())?;
        match self.run.as_str() {
            "learn" => {
                self.learning.check_divided()?;
                let job = Job::Learn(options);
                job.check()?;
                Ok(job)
            }
            "cv" => {
                let Some(dealt) = &self.dealt else {
                    return Err(Error::option("dealt", "none", "which rows are held out together"));
                };
                Ok(Job::CrossValidate { plan: dealt.plan(data.schema())?, options })
            }
            "bootstrap" => {
                self.learning.check_divided()?;
                let Some(resampling) = &self.resampling else {
                    return Err(Error::option("resampling", "none", "how the table is resampled"));
                };
                Ok(Job::Bootstrap(resampling.options(options)?))
            }
            other => Err(Error::option("run", other, "learn, cv or bootstrap")),
        }
    }
}

/// A run whose tasks are done elsewhere.
#[pyclass(frozen, module = "cmnet._cmnet")]
pub(crate) struct Run {
    data: Arc<Dataset>,
    job: Job,
    /// Shares of the rows that are dropped where the run ends.
    besides: Besides,
    identity: Vec<(RunFact, String)>,
    known: Mutex<Findings>,
}

#[pymethods]
impl Run {
    #[new]
    fn new(py: Python<'_>, table: PyRef<'_, Table>, spec: Spec) -> PyResult<Self> {
        let data = table.data.clone();
        let job = spec.job(&data).or_raise(py)?;
        let identity = work::guarded(py, || Ok(job.identity(&data)))?;
        let besides = spec.resampling.map(|how| how.besides()).unwrap_or_default();
        Ok(Self { data, job, besides, identity, known: Mutex::default() })
    }

    /// The tasks that so many workers can run now, each with its name; none when all is known.
    fn tasks(&self, py: Python<'_>, workers: usize, pieces: usize) -> PyResult<Vec<(String, String)>> {
        let tasks = self.job.tasks_for(workers, &self.data, &self.known(), pieces);
        let text = |task: &Task| {
            let text =
                serde_json::to_string(task).map_err(|error| errors::internal(py, &error.to_string()))?;
            Ok((text, task.name()))
        };
        tasks.iter().map(text).collect()
    }

    /// What is known about edges, as a text: a file with it may be on this machine alone.
    fn knowledge(&self, py: Python<'_>) -> PyResult<String> {
        let text = serde_json::to_string(&self.job.options().knowledge);
        text.map_err(|error| errors::internal(py, &error.to_string()))
    }

    /// What the tasks need to know, as a text.
    fn needed(&self, py: Python<'_>) -> PyResult<String> {
        // Structures, folds and replicates that are done are nobody's beginning.
        let known = self.known();
        let resamples = BootstrapState { first: known.resamples.first.clone(), ..BootstrapState::default() };
        let (blankets, graph) = (known.blankets.clone(), known.graph.clone());
        let is_open = |place: &usize| !known.has(&Task::Kappa(*place));
        let kappas = known.kappas.iter().filter(|(place, _)| is_open(place));
        let kappas = kappas.map(|(place, climb)| (*place, climb.clone())).collect();
        let needed = Findings { blankets, graph, kappas, folds: FoldState::default(), resamples };
        let text = Part::with_identity(&self.identity, &self.job, &self.data, needed).to_text();
        text.or_raise(py)
    }

    /// Takes what a task found.
    fn add(&self, py: Python<'_>, found: &str) -> PyResult<()> {
        let found = Part::from_text("what a worker found", found);
        let found = found.and_then(|part| part.of_identity(&self.identity, &self.job, &self.data));
        let added = found.and_then(|found| self.known().add(found));
        added.or_raise(py)
    }

    /// Where the run stands.
    fn progress<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let known = self.known();
        let facts = match &self.job {
            Job::Learn(options) => serde_json::json!({"phase": "search", "blankets": known.blankets.len(),
                "variables": self.data.variables(), "of": options.kappas.len(),
                "index": known.kappas.len()}),
            Job::CrossValidate { plan, options } => serde_json::json!({"phase": "search",
                "fold": known.finished_folds(options).len(), "folds": plan.count(&self.data)}),
            Job::Bootstrap(options) => serde_json::json!({"phase": "search",
                "replicate": known.resamples.finished.len(), "replicates": options.replicates}),
        };
        value::to_python(py, &facts)
    }

    /// Ends the run with what is known, in so many seconds at most; what no task did is done here.
    fn learned<'py>(
        &self,
        py: Python<'py>,
        seconds: Option<f64>,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Outcome<'py, Answer<'py>>> {
        let limit = seconds.and_then(within);
        let state = self.known().learn_state();
        let options = self.job.options().clone();
        let watch = Arc::new(Watch::new(limit, None, state.clone()));
        finished(py, self.data.clone(), options, state, &watch, progress)
    }

    /// What was learned before the interruption.
    fn unfinished(&self) -> Unfinished {
        Unfinished::new(self.data.clone(), self.job.options().clone(), self.known().learn_state())
    }

    /// Ends a bootstrap with the replicates that are known, in so many seconds at most; with `interrupted`,
    /// nothing is done beyond them.
    fn bootstrapped<'py>(
        &self,
        py: Python<'py>,
        seconds: Option<f64>,
        interrupted: bool,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<bootstrap::Answer<'py>> {
        let Job::Bootstrap(options) = &self.job else {
            return Err(errors::internal(py, "this run is no bootstrap"));
        };
        let limit = seconds.and_then(within);
        let watch = Arc::new(Watch::new(limit, None, LearnState::default()));
        if interrupted {
            // Asked twice, it fits nothing either: who pressed Ctrl-C does not wait.
            watch.ask_to_stop();
            watch.ask_to_stop();
        }
        let state = self.known().resamples.clone();
        let how = (options.clone(), self.besides.clone());
        bootstrap::finished(py, self.data.clone(), how, state, &watch, progress)
    }

    /// Ends a cross-validation whose folds are known; `stop` says why some are not.
    fn validated<'py>(&self, py: Python<'py>, stop: Option<&str>) -> PyResult<Bound<'py, PyAny>> {
        let Job::CrossValidate { plan, options } = &self.job else {
            return Err(errors::internal(py, "this run is no cross-validation"));
        };
        let known = self.known();
        let found = match stop {
            None => cross_validate_from(&known.folds, &self.data, *plan, options, &()),
            Some(reason) => {
                let reason =
                    if reason == "time-limit" { StopReason::TimeLimit } else { StopReason::Interrupted };
                Ok(CrossValidation::so_far(&known.folds, &self.data, *plan, options, reason))
            }
        };
        validated(py, &found.or_raise(py)?)
    }
}

impl Run {
    fn known(&self) -> MutexGuard<'_, Findings> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// So many seconds, where that is a time.
fn within(seconds: f64) -> Option<Duration> {
    Duration::try_from_secs_f64(seconds.max(0.0)).ok()
}

/// Does one task, in so many seconds at most; what it found, as a text. `look` is called now and then.
/// The task ends when it raises, and hands over what it has when it says so.
#[pyfunction]
#[pyo3(signature = (table, spec, task, needed, threads, seconds, look))]
pub(crate) fn run_task(
    py: Python<'_>,
    table: PyRef<'_, Table>,
    mut spec: Spec,
    task: &str,
    needed: &str,
    threads: usize,
    seconds: Option<f64>,
    look: Option<Bound<'_, PyAny>>,
) -> PyResult<String> {
    let data = table.data.clone();
    drop(table);
    spec.learning.threads = threads;
    let task: Task = serde_json::from_str(task).map_err(|error| errors::internal(py, &error.to_string()))?;
    let limit = seconds.and_then(within);
    let watch = Arc::new(Watch::new(limit, None, LearnState::default()));
    let (own, needed) = (watch.clone(), needed.to_owned());
    let work = move || {
        let job = spec.job(&data)?;
        let identity = job.identity(&data);
        let known = Part::from_text("what a task needs", &needed)?.of_identity(&identity, &job, &data)?;
        let found = job.run(&task, &known, &data, &*own)?;
        Part::with_identity(&identity, &job, &data, found).to_text()
    };
    let mut is_asked = false;
    let asked = || {
        let Some(look) = &look else { return Ok(()) };
        // Asked twice it would give up what it has.
        if look.call0()?.is_truthy()? && !is_asked {
            is_asked = true;
            watch.ask_to_stop();
        }
        Ok(())
    };
    work::value(py, Running::start(py, 1, work)?.wait(py, || watch.ask_to_stop(), asked)?)
}
