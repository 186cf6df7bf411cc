//! Tables whose weights are real numbers, and what is done with them.

use crate::dialect::Keywords;
use crate::errors::OrRaise;
use crate::intake::{Packing, Unpacked};
use crate::learn::{Answer, Dealt, Found, Validation, limited};
use crate::model::Model;
use crate::options::{Fitting, Learning, Reading};
use crate::table::{Levels, cuts, levels};
use crate::value;
use crate::watch::Watch;
use crate::work;
use cmnet::options::OptionName;
use cmnet::{
    CountedTable, CrossValidation, Error, Evaluation, Fit, FixedOnly, LearnOptions, LoadedWeighted, Outcome,
    Result, Under, WeightKind, WeightedCounts, cross_validate_weighted, evaluate_under, fit_with,
    learn_weighted as learn, read_weighted,
};
use cmnet_report::answer::{EvaluatedAnswer, LearnedSummary};
use pyo3::prelude::*;
use std::sync::Arc;

/// A table of categories whose weights are real numbers.
#[pyclass(frozen, module = "cmnet._cmnet")]
pub(crate) struct WeightedTable {
    pub(crate) loaded: Arc<LoadedWeighted>,
}

fn kind(py: Python<'_>, word: Option<&str>) -> PyResult<Option<WeightKind>> {
    word.map(|word| word.parse().or_raise(py)).transpose()
}

#[pymethods]
impl WeightedTable {
    /// Packs a table.
    #[staticmethod]
    fn read(
        py: Python<'_>,
        source: Unpacked<'_>,
        reading: Reading,
        weights_as: Option<&str>,
    ) -> PyResult<Self> {
        let (options, kind) = (reading.options().or_raise(py)?, kind(py, weights_as)?);
        let file = move |source: &_, options: Under<'_, _>| read_weighted(source, options, kind);
        let finish = |packing: Packing, py: Python<'_>| packing.finish_weighted(py, kind);
        let loaded = source.read(py, (1, options), file, Packing::weighing, finish)?;
        Ok(Self { loaded: Arc::new(loaded) })
    }

    #[getter]
    fn levels(&self) -> Levels {
        levels(self.loaded.table.schema())
    }

    #[getter]
    fn rows(&self) -> u64 {
        self.loaded.table.rows()
    }

    #[getter]
    fn observations(&self) -> u64 {
        self.loaded.table.observations()
    }

    #[getter]
    fn sum(&self) -> f64 {
        self.loaded.table.sum()
    }

    #[getter]
    fn effective(&self) -> f64 {
        self.loaded.table.effective()
    }

    #[getter]
    fn weights_as(&self) -> String {
        self.loaded.table.kind().to_string()
    }

    #[getter]
    fn digest(&self) -> String {
        self.loaded.table.digest().as_str().to_owned()
    }

    #[getter]
    fn cuts(&self) -> Vec<(String, Vec<f64>)> {
        cuts(self.loaded.table.schema())
    }

    #[getter]
    fn dropped_rows(&self) -> u64 {
        self.loaded.dropped_rows
    }
}

/// Refuses the first of some options that was asked for.
pub(crate) fn refuse_asked(options: &[(OptionName, &str, bool)]) -> Result<()> {
    match options.iter().find(|(_, _, asked)| *asked) {
        Some(&(option, found, _)) => {
            Err(Error::option(option, found, "nothing: not with weights that are no whole numbers"))
        }
        None => Ok(()),
    }
}

/// What was learned, ready to be handed over.
fn learned(loaded: &LoadedWeighted, options: &LearnOptions, watch: &Watch) -> Result<Found> {
    let table = &loaded.table;
    let counts = WeightedCounts::new(table);
    let counted = CountedTable::with_digest(&counts, table.schema(), || table.digest())?;
    let learned = learn(table, options, watch)?;
    let models = learned.models.iter().map(|model| model.to_model_of(&counted, options, &learned.search));
    let summary = LearnedSummary::of(&learned, table.schema(), &Keywords);
    Ok(Found { facts: value::of(&summary)?, models: models.collect::<Result<_>>()? })
}

/// Learns from a table with real weights: the answer, and what interrupted the work.
#[pyfunction]
pub(crate) fn learn_weighted<'py>(
    py: Python<'py>,
    table: PyRef<'py, WeightedTable>,
    learning: Learning,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<(Option<Answer<'py>>, Option<PyErr>)> {
    let loaded = table.loaded.clone();
    let options = learning.options(loaded.table.schema()).or_raise(py)?;
    let refused = [
        (OptionName::Model, "sgm", learning.is_stratified().or_raise(py)?),
        (OptionName::Target, "a variable", options.target.is_some()),
        (OptionName::Checkpoint, "a file", learning.checkpoint.is_some()),
    ];
    refuse_asked(&refused).or_raise(py)?;
    let time_limit = learning.time_limit().or_raise(py)?;
    let work = move |watch: &Watch| learned(&loaded, &options, watch);
    Found::handed(py, limited(py, time_limit, progress, work)?)
}

/// Cross-validates a table with real weights: what was found, and what interrupted the work.
#[pyfunction]
pub(crate) fn validate_weighted<'py>(
    py: Python<'py>,
    table: PyRef<'py, WeightedTable>,
    dealt: Dealt,
    learning: Learning,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<(Bound<'py, PyAny>, Option<PyErr>)> {
    let loaded = table.loaded.clone();
    let schema = loaded.table.schema();
    let options = learning.options(schema).or_raise(py)?;
    let plan = dealt.plan(schema).or_raise(py)?;
    let begun = CrossValidation::begun(loaded.table.units(), plan);
    let validation = Validation { begun, time_limit: learning.time_limit().or_raise(py)?, options };
    let search =
        move |options: &_, watch: &Watch| cross_validate_weighted(&loaded.table, plan, options, watch);
    validation.run(py, progress, search)
}

/// The parameters of a model from a table with real weights.
#[pyfunction]
pub(crate) fn fit_weighted(
    py: Python<'_>,
    model: PyRef<'_, Model>,
    table: PyRef<'_, WeightedTable>,
    fitting: Fitting,
) -> PyResult<Model> {
    let options = fitting.fixed(FixedOnly::RealWeights).or_raise(py)?;
    let (own, loaded) = (model.model.clone(), table.loaded.clone());
    let fitted = work::call(py, 0, move |stop| {
        let table = loaded.table.arranged(own.schema())?;
        match fit_with(own.structure(), &WeightedCounts::new(&table), &options, stop)? {
            Outcome::Done(fitted) => (*own).clone().with_fit(Fit { digest: Some(table.digest()), ..fitted }),
            Outcome::Stopped(_) => Err(work::interrupted()),
        }
    })?;
    Ok(Model::new(fitted))
}

/// How probable a model finds the rows of a table with real weights.
#[pyfunction]
pub(crate) fn evaluate_weighted<'py>(
    py: Python<'py>,
    model: PyRef<'py, Model>,
    table: PyRef<'py, WeightedTable>,
) -> PyResult<Bound<'py, PyAny>> {
    let (own, loaded) = (model.model.clone(), table.loaded.clone());
    work::answer(py, 1, move |stop| {
        let table = loaded.table.arranged(own.schema())?;
        let found = evaluate_under(&own.normalized_fit_under(stop)?, table.units(), stop)?;
        value::of(&EvaluatedAnswer::from(&Evaluation { rows: table.rows(), ..found }))
    })
}
