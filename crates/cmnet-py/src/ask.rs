//! Questions to a fitted model: the answers that the command line prints.

use crate::each_row::{RowReading, over_rows};
use crate::errors;
use crate::model::{Data, Model};
use crate::options::{Reading, choice};
use crate::rows::{Rows, RowsBuilder, check_memory};
use crate::threads::in_pool;
use crate::{value, work};
use cmnet::data::{Schema, Var};
use cmnet::inference::ask::Methods;
use cmnet::inference::{
    Ask, BeliefOptions, ClimbOptions, Evidence, GibbsOptions, MethodUsed, Network, Predictor, QueryMethod,
    find_level, find_variable,
};
use cmnet::learn::parse_bytes;
use cmnet::tree::EliminationRule;
use cmnet::{Error, Result};
use cmnet_report::answer::{Compared, Explained, JointDistribution, Marginals, MostProbable};
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use serde_json::Value;
use std::sync::Arc;

/// What is known: levels by name, and weights of levels by name.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Given {
    given: Vec<(String, String)>,
    soft: Vec<(String, Vec<(String, f64)>)>,
}

impl Given {
    fn evidence(&self, schema: &Schema) -> Result<Evidence> {
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
    fn ask(&self) -> Result<Ask> {
        let rules = [
            ("best", None),
            ("min-fill", Some(EliminationRule::MinFill)),
            ("min-weight", Some(EliminationRule::MinWeight)),
        ];
        let rule = choice("--elimination", &self.elimination, &rules, "best, min-fill or min-weight")?;
        Ok(Ask { memory: parse_bytes("--memory", &self.memory)?, rule, ..Ask::default() })
    }
}

/// What is asked of a model, given what, and by which method.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Question {
    targets: Vec<String>,
    given: Given,
    inference: Inference,
    method: String,
    chains: usize,
    sweeps: usize,
    warm_up: usize,
    seed: u64,
}

/// A question in the terms of one network.
struct Asked {
    network: Arc<Network>,
    /// Every variable that is not given where the question names none.
    targets: Vec<Var>,
    /// Whether the question names its targets.
    named: bool,
    evidence: Evidence,
    ask: Ask,
    methods: Methods,
}

impl Question {
    fn of(&self, network: Arc<Network>) -> Result<Asked> {
        let evidence = self.given.evidence(network.schema())?;
        Ok(Asked {
            targets: network.targets(&self.targets, &evidence)?,
            named: !self.targets.is_empty(),
            evidence,
            ask: self.inference.ask()?,
            methods: self.methods()?,
            network,
        })
    }

    fn methods(&self) -> Result<Methods> {
        let names = [
            ("auto", QueryMethod::Auto),
            ("exact", QueryMethod::Exact),
            ("gibbs", QueryMethod::Gibbs),
            ("bp", QueryMethod::Belief),
        ];
        Ok(Methods {
            method: choice("--method", &self.method, &names, "auto, exact, gibbs or bp")?,
            gibbs: GibbsOptions {
                chains: self.chains,
                sweeps: self.sweeps,
                warm_up: self.warm_up,
                seed: self.seed,
            },
            belief: BeliefOptions::default(),
            climb: ClimbOptions { chains: self.chains, ..ClimbOptions::default() },
        })
    }
}

/// Asks a model a question.
fn answer<'py>(
    py: Python<'py>,
    model: &Model,
    question: Question,
    answer: impl FnOnce(&Asked) -> Result<Value> + Send + 'static,
) -> PyResult<Bound<'py, PyAny>> {
    let network = model.network(py)?;
    let found = work::call(py, 1, move || answer(&question.of(network)?))?;
    value::to_python(py, &found)
}

/// Distributions of targets given evidence.
#[pyfunction]
pub(crate) fn query<'py>(py: Python<'py>, model: &Model, question: Question) -> PyResult<Bound<'py, PyAny>> {
    answer(py, model, question, |asked| {
        let Asked { network, targets, evidence, ask, methods, .. } = asked;
        let choice = network.choose_marginals(targets, evidence, ask, methods.method)?;
        by_threads(choice.method, || asked.marginals())
    })
}

/// The joint distribution of targets given evidence: labels and probability of each cell.
#[pyfunction]
pub(crate) fn joint<'py>(py: Python<'py>, model: &Model, question: Question) -> PyResult<Bound<'py, PyAny>> {
    answer(py, model, question, |asked| {
        let Asked { network, targets, evidence, ask, methods, .. } = asked;
        let choice = network.choose_joint(targets, evidence, ask, methods.method)?;
        by_threads(choice.method, || asked.joint())
    })
}

/// The most probable levels together, and what is known about them.
#[pyfunction]
pub(crate) fn most_probable<'py>(
    py: Python<'py>,
    model: &Model,
    question: Question,
) -> PyResult<Bound<'py, PyAny>> {
    answer(py, model, question, Asked::most_probable)
}

/// Runs a question, on all cores where chains have work for them.
fn by_threads<T: Send>(method: MethodUsed, answer: impl FnOnce() -> Result<T> + Send) -> Result<T> {
    if method != MethodUsed::Gibbs {
        return answer();
    }
    in_pool(0, answer).unwrap_or_else(|what| Err(Error::limit(what, "the system", "try again")))
}

impl Asked {
    fn marginals(&self) -> Result<Value> {
        let found = self.network.marginals(&self.targets, &self.evidence, &self.ask, &self.methods)?;
        value::of(&Marginals::of(&self.network, &self.evidence, &found))
    }

    fn joint(&self) -> Result<Value> {
        let found = self.network.joint_by(&self.targets, &self.evidence, &self.ask, &self.methods)?;
        value::of(&JointDistribution::of(self.network.schema(), &self.targets, &found))
    }

    fn most_probable(&self) -> Result<Value> {
        let targets = self.named.then_some(self.targets.as_slice());
        let found = self.network.completion_by(targets, &self.evidence, &self.ask, &self.methods)?;
        value::of(&MostProbable::of(&self.network, &self.evidence, &found))
    }
}

/// Rows drawn from the model.
#[pyfunction]
pub(crate) fn sample(py: Python<'_>, model: &Model, rows: usize, question: Question) -> PyResult<Rows> {
    let network = model.network(py)?;
    work::stoppable(py, usize::from(rows <= 1024), move |stop| {
        let Asked { network, evidence, ask, methods, .. } = question.of(network)?;
        let sampler = network.sampler(&evidence, &ask, methods.method, &methods.gibbs)?;
        let width = network.schema().len().max(1);
        let block = (DRAWN / width).clamp(1, 64) * 1024;
        let mut drawn = RowsBuilder::new(network.schema());
        for start in (0..rows).step_by(block) {
            stop.check()?;
            let end = rows.min(start + block);
            check_memory(2 * (end - start) * (width + 16) * size_of::<u32>(), start)?;
            sampler.rows(start..end).iter().try_for_each(|row| drawn.push(row))?;
        }
        Ok(drawn.finish())
    })
}

/// Cells that are drawn at once, in thousands.
const DRAWN: usize = 1 << 11;

/// The probabilities of a target's levels in each row, the most probable level, the level
/// that the row has, -1 where it has none, and the row's weight.
#[allow(clippy::type_complexity, reason = "four arrays, taken apart in Python")]
#[pyfunction]
pub(crate) fn predict<'py>(
    py: Python<'py>,
    model: &Model,
    data: Data<'py>,
    target: &str,
    reading: Reading,
    inference: Inference,
    forgiving: bool,
) -> PyResult<(
    Bound<'py, PyArray2<f64>>,
    Bound<'py, PyArray1<i32>>,
    Bound<'py, PyArray1<i32>>,
    Bound<'py, PyArray1<u64>>,
)> {
    let network = model.network(py)?;
    let to_python = |error| errors::to_python(py, &error);
    let target = find_variable(network.schema(), target).map_err(to_python)?;
    let ask = inference.ask().map_err(to_python)?;
    let levels = network.schema().variable(target).levels.len();
    let found =
        over_rows(py, &model.model.schema, data, RowReading::new(&reading, forgiving), move |rows| {
            let mut predictor = Predictor::new(&network, target, &ask)?;
            let mut found = Predicted::default();
            rows.each(&mut |levels, weight| {
                let prediction = predictor.predict(levels)?;
                found.probabilities.extend_from_slice(&prediction.probabilities);
                found.best.push(prediction.level as i32);
                found.truth.push(levels[target].map_or(-1, |level| level as i32));
                found.weights.push(weight);
                Ok(())
            })?;
            Ok(found)
        })?;
    let shape = [found.best.len(), levels];
    let probabilities = PyArray1::from_vec(py, found.probabilities).reshape(shape)?;
    let [best, truth] = [found.best, found.truth].map(|codes| PyArray1::from_vec(py, codes));
    Ok((probabilities, best, truth, PyArray1::from_vec(py, found.weights)))
}

#[derive(Default)]
struct Predicted {
    probabilities: Vec<f64>,
    best: Vec<i32>,
    truth: Vec<i32>,
    weights: Vec<u64>,
}

/// What the model says, and what evidence does to it.
#[pyfunction]
pub(crate) fn explain<'py>(
    py: Python<'py>,
    model: &Model,
    given: Given,
    inference: Inference,
) -> PyResult<Bound<'py, PyAny>> {
    let network = model.model.fit.is_some().then(|| model.network(py)).transpose()?;
    let model = model.model.clone();
    let answer = work::call(py, 1, move || {
        let evidence = given.evidence(&model.schema)?;
        value::of(&Explained::of(&model, network.as_deref(), &evidence, &inference.ask()?)?)
    })?;
    value::to_python(py, &answer)
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
    let table = data.map(|data| model.dataset(py, data, &reading)).transpose()?;
    let models = [model.model.clone(), other.model.clone()];
    let answer = work::call(py, 1, move || {
        let [one, other] = &models;
        value::of(&Compared::of(one, other, table.as_deref())?)
    })?;
    value::to_python(py, &answer)
}

/// One table of log potentials per maximal clique: names, and values, the last fastest.
#[pyfunction]
pub(crate) fn factors(py: Python<'_>, model: &Model, memory: &str) -> PyResult<Vec<(Vec<String>, Vec<f64>)>> {
    let network = model.network(py)?;
    let memory = parse_bytes("--memory", memory).map_err(|error| errors::to_python(py, &error))?;
    work::call(py, 1, move || {
        let factors = network.factors(&Evidence::none(), memory)?;
        let name = |&v: &Var| network.schema().name(v).to_owned();
        let named = factors.tables().map(|(scope, table)| (scope.iter().map(name).collect(), table.to_vec()));
        Ok(named.collect())
    })
}
