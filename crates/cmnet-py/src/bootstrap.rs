//! Resamples: how sure an edge or a context is.

use crate::dialect::Keywords;
use crate::ensemble::Ensemble;
use crate::errors::OrRaise;
use crate::learn::{checkpoints, warn, watched};
use crate::model::Model;
use crate::options::Learning;
use crate::table::Table;
use crate::value;
use crate::watch::Watch;
use crate::weighted::{WeightedTable, refuse_asked};
use cmnet::options::OptionName;
use cmnet::{
    BootstrapOptions, BootstrapState, Checkpointer, CountedTable, Dataset, LearnEvent, LearnObserver,
    LearnOptions, LearnState, Result, Schema, Stability, WeightedCounts, bootstrap_from,
};
use cmnet_report::answer::BootstrappedAnswer;
use cmnet_report::support_chart;
use pyo3::prelude::*;
use serde_json::Value;
use std::sync::Arc;

/// How a table is resampled.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Resampling {
    replicates: u64,
    seed: u64,
    threshold: f64,
    resample: String,
    share: Option<f64>,
    start: String,
    kappa_choice: String,
    bound: u64,
    stop_early: bool,
    drop_rows: Vec<f64>,
    ensemble: bool,
}

/// What is found besides the supports.
#[derive(Clone, Default)]
pub(crate) struct Besides {
    drop_rows: Vec<f64>,
    ensemble: bool,
}

impl Resampling {
    pub(crate) fn besides(&self) -> Besides {
        Besides { drop_rows: self.drop_rows.clone(), ensemble: self.ensemble }
    }

    pub(crate) fn options(&self, learn: LearnOptions) -> Result<BootstrapOptions> {
        Ok(BootstrapOptions {
            replicates: self.replicates,
            seed: self.seed,
            threshold: self.threshold,
            resample: self.resample.parse()?,
            share: self.share,
            start: self.start.parse()?,
            kappa_choice: self.kappa_choice.parse()?,
            bound: self.bound,
            stop_early: self.stop_early,
            learn,
        })
    }
}

/// What was found, and the consensus where there is one.
struct Found {
    facts: Value,
    plot: String,
    consensus: Option<cmnet::Model>,
    ensemble: Option<cmnet::Ensemble>,
}

impl Found {
    fn of(
        state: BootstrapState,
        data: &Dataset,
        options: &BootstrapOptions,
        besides: &Besides,
        watch: &Watch,
    ) -> Result<Self> {
        if besides.ensemble {
            options.check_ensemble()?;
            watch.observe_learning(&LearnEvent::EnsembleAhead);
        }
        let found = bootstrap_from(state, data, options, watch)?;
        let consensus = found.to_model(data, options, watch)?;
        let ensemble = if besides.ensemble { found.ensemble(data, options, watch)? } else { None };
        let stable = found.stability(data, options, &besides.drop_rows, watch)?;
        Self::told(data.schema(), &found, consensus, (stable.as_ref(), ensemble))
    }

    /// The same of observations with real weights.
    fn weighted(table: &cmnet::WeightedTable, options: &BootstrapOptions, watch: &Watch) -> Result<Self> {
        let found = cmnet::bootstrap_weighted(table, options, watch)?;
        let counts = WeightedCounts::new(table);
        let counted = CountedTable::with_digest(&counts, table.schema(), || table.digest())?;
        let consensus = found.to_model_of(&counted, options, watch)?;
        Self::told(table.schema(), &found, consensus, (None, None))
    }

    fn told(
        schema: &Schema,
        found: &cmnet::Bootstrap,
        consensus: Option<cmnet::Model>,
        (stability, ensemble): (Option<&Stability>, Option<cmnet::Ensemble>),
    ) -> Result<Self> {
        let answer = BootstrappedAnswer {
            schema,
            found,
            consensus: consensus.as_ref(),
            stability,
            ensemble: ensemble.as_ref(),
        };
        let (facts, plot) = (value::of(&answer)?, support_chart(schema, found));
        Ok(Self { facts, plot, consensus, ensemble })
    }
}

/// Facts, consensus, a picture of the supports, and the ensemble.
type Handed<'py> = (Bound<'py, PyAny>, Option<Model>, String, Option<Ensemble>);

/// What was found, and what interrupted the work.
pub(crate) type Answer<'py> = (Option<Handed<'py>>, Option<PyErr>);

/// Learns structures anew from resamples of a packed table.
#[pyfunction]
pub(crate) fn bootstrap<'py>(
    py: Python<'py>,
    table: PyRef<'py, Table>,
    resampling: Resampling,
    learning: Learning,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Answer<'py>> {
    let learn = learning.options(table.data.schema()).or_raise(py)?;
    let options = resampling.options(learn).or_raise(py)?;
    let time_limit = learning.time_limit().or_raise(py)?;
    let data = table.data.clone();
    let open = |path, pace| Checkpointer::open_bootstrap(path, learning.resume, (&data, &options), pace);
    let (checkpointer, state, note) = checkpoints(&learning, open).or_raise(py)?;
    warn(py, note)?;
    let watch = Arc::new(Watch::new(time_limit, checkpointer, LearnState::default()));
    finished(py, data, (options, resampling.besides()), state, &watch, progress)
}

/// Resamples from where a run stands.
pub(crate) fn finished<'py>(
    py: Python<'py>,
    data: Arc<Dataset>,
    (options, besides): (BootstrapOptions, Besides),
    state: BootstrapState,
    watch: &Arc<Watch>,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Answer<'py>> {
    let own = watch.clone();
    handed(py, watch, progress, move || Found::of(state, &data, &options, &besides, &own))
}

/// Learns structures anew from resamples of a table with real weights.
#[pyfunction]
pub(crate) fn bootstrap_weighted<'py>(
    py: Python<'py>,
    table: PyRef<'py, WeightedTable>,
    resampling: Resampling,
    learning: Learning,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Answer<'py>> {
    let loaded = table.loaded.clone();
    let learn = learning.options(loaded.table.schema()).or_raise(py)?;
    let options = resampling.options(learn).or_raise(py)?;
    let refused = [
        (OptionName::Checkpoint, "a file", learning.checkpoint.is_some()),
        (OptionName::Ensemble, "True", resampling.ensemble),
        (OptionName::DropRows, "shares", !resampling.drop_rows.is_empty()),
    ];
    refuse_asked(&refused).or_raise(py)?;
    let time_limit = learning.time_limit().or_raise(py)?;
    let watch = Arc::new(Watch::new(time_limit, None, LearnState::default()));
    let own = watch.clone();
    handed(py, &watch, progress, move || Found::weighted(&loaded.table, &options, &own))
}

/// Works, and hands over what was found.
fn handed<'py>(
    py: Python<'py>,
    watch: &Arc<Watch>,
    progress: Option<Bound<'py, PyAny>>,
    work: impl FnOnce() -> Result<Found> + Send + 'static,
) -> PyResult<Answer<'py>> {
    let ended = watched(py, watch, progress, work)?;
    warn(py, watch.finish().err().map(|error| error.words(&Keywords)))?;
    // Asked twice, it gives the replicates that were finished, and fits nothing.
    ended.even_late(py, |found| {
        let facts = value::to_python(py, &found.facts)?;
        Ok((facts, found.consensus.map(Model::new), found.plot, found.ensemble.map(Ensemble::new)))
    })
}
