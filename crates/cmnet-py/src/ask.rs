//! Questions to a fitted model: the answers that the command line prints.

use crate::each_row::{RowReading, over_rows};
use crate::errors::OrRaise;
use crate::model::{Data, Model};
use crate::options::Reading;
use crate::rows::{Rows, RowsBuilder, check_memory};
use crate::threads::in_pool;
use crate::work::Stop;
use crate::{value, work};
use cmnet::options::OptionName;
use cmnet::{
    ClimbOptions, EliminationChoice, Error, Evidence, ExactOptions, Fill, GibbsOptions, Imputer,
    IncompleteTable, IndependenceQuestion, InferenceMethod, Network, Query, QueryOptions, Question as Asked,
    Result, Schema, Under, Var, VarSet, find_level, find_variable, independent as independence, parse_bytes,
};
use cmnet_report::answer::{
    Compared, Explained, IndependentAnswer, JointDistribution, Marginals, Mathematics, MissingAnswer,
    MostProbable, Shown,
};
use pyo3::prelude::*;
use serde_json::Value;

/// What is known: levels by name, and weights of levels by name.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Given {
    given: Vec<(String, String)>,
    soft: Vec<(String, Vec<(String, f64)>)>,
}

impl Given {
    pub(crate) fn evidence(&self, schema: &Schema) -> Result<Evidence> {
        let mut evidence = Evidence::none();
        for (name, label) in &self.given {
            let variable = find_variable(schema, name)?;
            evidence.observe(schema, variable, find_level(schema, variable, label)?)?;
        }
        for (name, listed) in &self.soft {
            let variable = find_variable(schema, name)?;
            let mut weights = vec![0.0; schema.variable(variable).levels.len()];
            for (label, weight) in listed {
                weights[find_level(schema, variable, label)? as usize] = *weight;
            }
            evidence.weigh(schema, variable, &weights)?;
        }
        Ok(evidence)
    }
}

/// How inference works.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Inference {
    memory: String,
    elimination: String,
}

impl Inference {
    pub(crate) fn exact(&self) -> Result<ExactOptions> {
        let rule = self.elimination.parse::<EliminationChoice>()?.rule();
        let memory = parse_bytes(OptionName::Memory, &self.memory)?;
        Ok(ExactOptions { memory, rule, ..ExactOptions::default() })
    }
}

/// What is asked of a model, given what, and by which method.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Question {
    pub(crate) targets: Vec<String>,
    pub(crate) given: Given,
    pub(crate) inference: Inference,
    pub(crate) method: String,
    chains: usize,
    sweeps: usize,
    warm_up: usize,
    pub(crate) seed: u64,
}

impl Question {
    /// The question in the terms of one network.
    fn of<'a>(&self, network: &'a Network, stop: &'a Stop) -> Result<Query<'a>> {
        let evidence = self.given.evidence(network.schema())?;
        let query = network.query().control(stop).evidence(evidence).targets(&self.targets)?;
        query.variables()?;
        Ok(query.options(self.options()?))
    }

    fn options(&self) -> Result<QueryOptions> {
        Ok(QueryOptions {
            exact: self.inference.exact()?,
            method: self.method.parse()?,
            gibbs: GibbsOptions {
                chains: self.chains,
                sweeps: self.sweeps,
                warm_up: self.warm_up,
                seed: self.seed,
            },
            climb: ClimbOptions { chains: self.chains, ..ClimbOptions::default() },
            ..QueryOptions::default()
        })
    }
}

/// Asks a model a question.
fn answer<'py>(
    py: Python<'py>,
    model: &Model,
    question: Question,
    answer: impl FnOnce(&Query<'_>) -> Result<Value> + Send + 'static,
) -> PyResult<Bound<'py, PyAny>> {
    let network = model.network(py)?;
    work::answer(py, 1, move |stop| answer(&question.of(&network, stop)?))
}

/// Distributions of targets given evidence.
#[pyfunction]
pub(crate) fn query<'py>(py: Python<'py>, model: &Model, question: Question) -> PyResult<Bound<'py, PyAny>> {
    answer(py, model, question, |query| by_threads(query.plan(Asked::Marginals)?.method, || marginals(query)))
}

/// The joint distribution of targets given evidence: labels and probability of each cell.
#[pyfunction]
pub(crate) fn joint<'py>(py: Python<'py>, model: &Model, question: Question) -> PyResult<Bound<'py, PyAny>> {
    answer(py, model, question, |query| by_threads(query.plan(Asked::Joint)?.method, || joint_cells(query)))
}

/// The most probable levels together, and what is known about them.
#[pyfunction]
pub(crate) fn most_probable<'py>(
    py: Python<'py>,
    model: &Model,
    question: Question,
) -> PyResult<Bound<'py, PyAny>> {
    answer(py, model, question, completion)
}

/// Runs a question, on all cores where chains have work for them.
fn by_threads<T: Send>(method: InferenceMethod, answer: impl FnOnce() -> Result<T> + Send) -> Result<T> {
    if method != InferenceMethod::Gibbs {
        return answer();
    }
    in_pool(0, answer).unwrap_or_else(|what| Err(Error::limit(what, "the system", "try again")))
}

fn marginals(query: &Query<'_>) -> Result<Value> {
    value::of(&Marginals::of(query, &query.run()?))
}

fn joint_cells(query: &Query<'_>) -> Result<Value> {
    value::of(&JointDistribution::of(query.network().schema(), &query.variables()?, &query.joint()?))
}

fn completion(query: &Query<'_>) -> Result<Value> {
    value::of(&MostProbable::of(query, &query.map()?))
}

/// Rows drawn from the model.
#[pyfunction]
pub(crate) fn sample(py: Python<'_>, model: &Model, rows: usize, question: Question) -> PyResult<Rows> {
    let network = model.network(py)?;
    work::call(py, usize::from(rows <= 1024), move |stop| {
        let query = question.of(&network, stop)?;
        let sampler = query.sampler()?;
        let width = network.schema().len().max(1);
        let block = (DRAWN / width).clamp(1, 64) * 1024;
        let mut drawn = RowsBuilder::new(network.schema());
        for start in (0..rows).step_by(block) {
            stop.check()?;
            let end = rows.min(start + block);
            check_memory(2 * (end - start) * (width + 16) * size_of::<u32>(), start)?;
            sampler.rows(start..end)?.iter().try_for_each(|row| drawn.push(row))?;
        }
        Ok(drawn.finish())
    })
}

/// Rows with missing values filled: by draws of a seed, else by the most probable values.
#[pyfunction]
pub(crate) fn impute<'py>(
    py: Python<'py>,
    model: &Model,
    data: Data<'py>,
    rows: RowReading,
    seed: Option<u64>,
    inference: Inference,
) -> PyResult<(Rows, Option<Bound<'py, PyAny>>)> {
    let network = model.network(py)?;
    let exact = inference.exact().or_raise(py)?;
    let (filled, missing) = over_rows(py, model.model.schema(), data, &rows, move |rows, stop| {
        let imputer = Imputer::new(&network, exact.memory);
        let fill = seed.map_or(Fill::MostProbable, |seed| Fill::Draw { seed });
        let (mut filled, mut number) = (RowsBuilder::new(network.schema()), 0);
        let mut table = IncompleteTable::new(network.schema().clone());
        rows.each(&mut |levels, weight| {
            table.push(levels, weight)?;
            filled.push(&imputer.fill(levels, fill, number, stop)?)?;
            number += 1;
            Ok(())
        })?;
        let missing = MissingAnswer::of(&table).map(|missing| value::of(&missing)).transpose()?;
        Ok((filled.finish(), missing))
    })?;
    Ok((filled, missing.map(|missing| value::to_python(py, &missing)).transpose()?))
}

/// Cells that are drawn at once, in thousands.
const DRAWN: usize = 1 << 11;

/// Which of a model's mathematics is to be shown.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct ToShow {
    restrictions: bool,
    classes: Option<String>,
    terms: bool,
}

impl ToShow {
    fn shown(&self, schema: &Schema) -> Result<Shown> {
        let classes = self.classes.as_deref().map(|name| find_variable(schema, name)).transpose()?;
        Ok(Shown { restrictions: self.restrictions, classes, terms: self.terms })
    }
}

/// What the model says, and what evidence does to it.
#[pyfunction]
pub(crate) fn explain<'py>(
    py: Python<'py>,
    model: &Model,
    given: Given,
    inference: Inference,
    show: ToShow,
    data: Option<Data<'py>>,
    reading: Reading,
) -> PyResult<Bound<'py, PyAny>> {
    let table = model.optional_dataset(py, data, &reading)?;
    let network = model.model.fit().is_some().then(|| model.network(py)).transpose()?;
    let model = model.model.clone();
    work::answer(py, 1, move |stop| {
        let (evidence, exact) = (given.evidence(model.schema())?, inference.exact()?);
        let shown = show.shown(model.schema())?;
        let explained = Explained::of(&model, network.as_deref(), &evidence, Under::new(&exact, stop))?;
        let mathematics = if shown.is_empty() {
            None
        } else {
            Some(Mathematics::of(&model, shown, table.as_deref(), stop)?)
        };
        value::of(&Explained { mathematics, ..explained })
    })
}

/// Whether variables are independent of others given variables and a context, and why.
#[pyfunction]
pub(crate) fn independent<'py>(
    py: Python<'py>,
    model: &Model,
    variables: Vec<String>,
    of: Vec<String>,
    given: Vec<String>,
    context: Given,
) -> PyResult<Bound<'py, PyAny>> {
    let model = model.model.clone();
    work::answer(py, 1, move |stop| {
        let schema = model.schema();
        let find = |names: &[String]| -> Result<VarSet> {
            names.iter().map(|name| find_variable(schema, name)).collect()
        };
        let question = IndependenceQuestion {
            one: find(&variables)?,
            other: find(&of)?,
            given: find(&given)?,
            context: context.evidence(schema)?,
        };
        question.check(schema)?;
        let found = independence(model.structure(), &question, stop)?;
        value::of(&IndependentAnswer { schema, question: &question, found: &found })
    })
}

/// What one model has and another has not, after closure.
#[pyfunction]
pub(crate) fn compare<'py>(
    py: Python<'py>,
    model: &Model,
    other: PyRef<'py, Model>,
    data: Option<Data<'py>>,
    reading: Reading,
) -> PyResult<Bound<'py, PyAny>> {
    let table = model.optional_dataset(py, data, &reading)?;
    let models = [model.model.clone(), other.model.clone()];
    work::answer(py, 1, move |stop| {
        let [one, other] = &models;
        value::of(&Compared::under(one, other, table.as_deref(), stop)?)
    })
}

/// One table of log potentials per maximal clique: names, and values, the last fastest.
#[pyfunction]
pub(crate) fn factors(py: Python<'_>, model: &Model, memory: &str) -> PyResult<Vec<(Vec<String>, Vec<f64>)>> {
    let network = model.network(py)?;
    let memory = parse_bytes(OptionName::Memory, memory).or_raise(py)?;
    work::call(py, 1, move |stop| {
        let factors = network.factors(&Evidence::none(), memory)?;
        stop.check()?;
        let name = |&v: &Var| network.schema().name(v).to_owned();
        let named = factors.tables().map(|(scope, table)| (scope.iter().map(name).collect(), table.to_vec()));
        Ok(named.collect())
    })
}
