//! Questions to a fitted model: the answers that the command line prints.

use crate::errors;
use crate::model::{Data, Model};
use crate::options::{Reading, choice};
use crate::table::Rows;
use crate::{value, work};
use cmnet::data::{Schema, Var};
use cmnet::evaluate::{ContextElement, difference, divergence, evaluate};
use cmnet::graph::{Edge, VarSet};
use cmnet::inference::ask::Methods;
use cmnet::inference::{
    Approximation, Ask, BeliefOptions, EliminationRule, Evidence, Explanation, GibbsOptions, MethodUsed,
    Network, Predictor, QueryMethod, find_level, find_variable,
};
use cmnet::learn::parse_bytes;
use cmnet::loglinear::FitOptions;
use cmnet::report::sentence;
use cmnet::{Error, ErrorKind, Result};
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use serde_json::{Map, Value, json};

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

/// Which method, and how it works when it is not exact.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Way {
    method: String,
    chains: usize,
    sweeps: usize,
    warm_up: usize,
    seed: u64,
}

impl Way {
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
        })
    }
}

/// Distributions of targets given evidence.
#[pyfunction]
pub(crate) fn query<'py>(
    py: Python<'py>,
    model: &Model,
    targets: Vec<String>,
    given: Given,
    inference: Inference,
    way: Way,
) -> PyResult<Bound<'py, PyAny>> {
    let network = model.network(py)?;
    let answer = work::call(py, 1, move || {
        let (ask, methods) = (inference.ask()?, way.methods()?);
        let evidence = given.evidence(network.schema())?;
        let targets = network.targets(&targets, &evidence)?;
        let (used, ..) = network.choose(&evidence, &ask, methods.method);
        let answer = || marginals(&network, &targets, &evidence, &ask, &methods);
        if used != MethodUsed::Gibbs {
            return answer();
        }
        work::in_pool(0, answer).unwrap_or_else(|what| Err(Error::limit(what, "the system", "try again")))
    })?;
    value::to_python(py, &answer)
}

/// The joint distribution of targets given evidence: labels and probability of each cell.
#[pyfunction]
#[allow(clippy::type_complexity, reason = "plain values, taken apart in Python")]
pub(crate) fn joint(
    py: Python<'_>,
    model: &Model,
    targets: Vec<String>,
    given: Given,
    inference: Inference,
) -> PyResult<(Vec<String>, Vec<(Vec<String>, f64)>)> {
    let network = model.network(py)?;
    work::call(py, 1, move || {
        let schema = network.schema();
        let evidence = given.evidence(schema)?;
        let targets = network.targets(&targets, &evidence)?;
        let joint = network.joint(&targets, &evidence, &inference.ask()?)?;
        let label = |(&v, &level): (&Var, &u32)| schema.variable(v).levels[level as usize].clone();
        let cells = joint.iter().map(|(levels, p)| (targets.iter().zip(&levels).map(label).collect(), p));
        Ok((targets.iter().map(|&v| schema.name(v).to_owned()).collect(), cells.collect()))
    })
}

/// The most probable levels together, and their log-probability.
#[pyfunction]
pub(crate) fn most_probable(
    py: Python<'_>,
    model: &Model,
    targets: Vec<String>,
    given: Given,
    inference: Inference,
) -> PyResult<(Vec<(String, String)>, f64)> {
    let network = model.network(py)?;
    work::call(py, 1, move || {
        let (schema, ask) = (network.schema(), inference.ask()?);
        let evidence = given.evidence(schema)?;
        let chosen = network.targets(&targets, &evidence)?;
        let some = (!targets.is_empty()).then_some(chosen.as_slice());
        let best = network.most_probable(some, &evidence, &ask)?;
        let label = |&(v, level): &(Var, u32)| {
            (schema.name(v).to_owned(), schema.variable(v).levels[level as usize].clone())
        };
        let log_probability = network.log_probability_of(&best, &evidence, &ask)?;
        Ok((best.levels.iter().map(label).collect(), log_probability))
    })
}

/// Rows drawn from the model.
#[pyfunction]
pub(crate) fn sample(
    py: Python<'_>,
    model: &Model,
    rows: usize,
    given: Given,
    inference: Inference,
    way: Way,
) -> PyResult<Rows> {
    let network = model.network(py)?;
    work::call(py, usize::from(rows <= 1024), move || {
        let (ask, methods) = (inference.ask()?, way.methods()?);
        let evidence = given.evidence(network.schema())?;
        let sampler = network.sampler(&evidence, &ask, methods.method, &methods.gibbs)?;
        Ok(Rows::new(network.schema(), &sampler.rows(0..rows)))
    })
}

/// The probabilities of a target's levels in each row, the most probable level, and the
/// level that the row has, -1 where it has none.
#[allow(clippy::type_complexity, reason = "three arrays, taken apart in Python")]
#[pyfunction]
pub(crate) fn predict<'py>(
    py: Python<'py>,
    model: &Model,
    data: Data<'py>,
    target: &str,
    reading: Reading,
    inference: Inference,
    forgiving: bool,
) -> PyResult<(Bound<'py, PyArray2<f64>>, Bound<'py, PyArray1<i32>>, Bound<'py, PyArray1<i32>>)> {
    let network = model.network(py)?;
    let to_python = |error| errors::to_python(py, &error);
    let target = find_variable(network.schema(), target).map_err(to_python)?;
    let ask = inference.ask().map_err(to_python)?;
    let mut predictor = work::guarded(py, || Predictor::new(&network, target, &ask))?;
    let (mut probabilities, mut best, mut truth) = (Vec::new(), Vec::new(), Vec::new());
    model.each_row(py, data, (&reading, forgiving), |levels| {
        let prediction = predictor.predict(levels)?;
        probabilities.extend_from_slice(&prediction.probabilities);
        best.push(prediction.level as i32);
        truth.push(levels[target].map_or(-1, |level| level as i32));
        Ok(())
    })?;
    let shape = [best.len(), network.schema().variable(target).levels.len()];
    let probabilities = PyArray1::from_vec(py, probabilities).reshape(shape)?;
    Ok((probabilities, PyArray1::from_vec(py, best), PyArray1::from_vec(py, truth)))
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
        let explanation = match &network {
            Some(network) => network.explain(&evidence, &inference.ask()?)?,
            None => Explanation::of_structure(&model.structure, &evidence),
        };
        Ok(explained(&model, &evidence, &explanation))
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
        if one.schema != other.schema {
            let problem = "the two models differ in their variables, levels or column order".to_owned();
            let hint = "compare models of one table".to_owned();
            return Err(ErrorKind::Mismatch { problem, hint }.into());
        }
        let kl = [kl_divergence(one, other), kl_divergence(other, one)];
        let means = table.map(|data| {
            let mean = |model: &cmnet::Model| evaluate(model.fit.as_ref()?, &data).log_likelihood;
            [mean(one), mean(other)]
        });
        compared(one, other, kl, means)
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

fn marginals(
    network: &Network,
    targets: &[Var],
    evidence: &Evidence,
    ask: &Ask,
    methods: &Methods,
) -> Result<Value> {
    let schema = network.schema();
    let answer = network.marginals(targets, evidence, ask, methods)?;
    let distribution = |(v, probabilities): &(Var, Vec<f64>)| {
        let labels = schema.variable(*v).levels.iter().cloned();
        let pairs: Map<String, Value> = labels.zip(probabilities.iter().map(|&p| json!(p))).collect();
        (schema.name(*v).to_owned(), Value::Object(pairs))
    };
    let approximation = match &answer.approximation {
        Some(Approximation::Gibbs(gibbs)) => json!({"chains": gibbs.chains, "sweeps": gibbs.sweeps,
            "r_hat": gibbs.worst_r_hat(), "effective": gibbs.least_effective(), "agrees": gibbs.agrees()}),
        Some(Approximation::Belief(belief)) => {
            json!({"converged": belief.converged, "rounds": belief.rounds, "change": belief.change})
        }
        None => Value::Null,
    };
    Ok(json!({"marginals": answer.marginals.iter().map(distribution).collect::<Map<String, Value>>(),
        "method": answer.method.to_string(), "reason": answer.reason, "log_evidence": answer.log_evidence,
        "cut_edges": network.cut_edges(evidence).iter().map(|&edge| edge_names(schema, edge)).collect::<Vec<_>>(),
        "approximation": approximation}))
}

fn edge_names(schema: &Schema, edge: Edge) -> Value {
    json!([schema.name(edge.low()), schema.name(edge.high())])
}

fn explained(model: &cmnet::Model, evidence: &Evidence, explanation: &Explanation) -> Value {
    let schema = &model.schema;
    let list = |set: &VarSet| set.iter().map(|v| schema.name(v)).collect::<Vec<_>>();
    let blanket = |v: Var| (schema.name(v).to_owned(), json!(list(model.structure.markov_blanket(v))));
    let left = |v: Var| (schema.name(v).to_owned(), json!(list(explanation.graph.markov_blanket(v))));
    let edges = explanation.edges.iter().map(|strength| {
        json!({"edge": edge_names(schema, strength.edge), "information": strength.information,
            "given": list(&strength.given), "given_all": strength.given_all})
    });
    let label = |(v, level): (Var, u32)| {
        (schema.name(v).to_owned(), Value::from(schema.variable(v).levels[level as usize].as_str()))
    };
    json!({
        "given": evidence.hard().map(label).collect::<Map<String, Value>>(),
        "blankets": (0..schema.len()).map(blanket).collect::<Map<String, Value>>(),
        "sentences": model.structure.contexts().map(|context| sentence(schema, context)).collect::<Vec<_>>(),
        "cut_edges": explanation.cut.iter().map(|&edge| edge_names(schema, edge)).collect::<Vec<_>>(),
        "edges": edges.collect::<Vec<_>>(),
        "blankets_left": explanation.free.iter().map(left).collect::<Map<String, Value>>(),
        "independent_groups": explanation.groups.iter().map(list).collect::<Vec<_>>(),
    })
}

/// KL divergence in nats where both models are fitted and it can be had.
fn kl_divergence(one: &cmnet::Model, other: &cmnet::Model) -> Option<f64> {
    let (one, other) = (one.fit.as_ref()?, other.fit.as_ref()?);
    divergence(&one.parameters, &other.parameters, FitOptions::default().memory).ok()
}

fn compared(
    one: &cmnet::Model,
    other: &cmnet::Model,
    kl: [Option<f64>; 2],
    means: Option<[Option<f64>; 2]>,
) -> Result<Value> {
    let schema = &one.schema;
    let found = difference(&one.structure, &other.structure)?;
    let element = |element: &ContextElement| {
        let label = |&(v, level): &(Var, u32)| schema.variable(v).levels[level as usize].as_str();
        let given: Vec<&str> = element.given.iter().map(|&(v, _)| schema.name(v)).collect();
        json!({"edge": edge_names(schema, element.edge), "given": given,
            "element": element.given.iter().map(label).collect::<Vec<_>>()})
    };
    let only = |place: usize| {
        let edges: Vec<Value> = found.edges[place].iter().map(|&edge| edge_names(schema, edge)).collect();
        json!({"edges": edges, "elements": found.elements[place].iter().map(element).collect::<Vec<_>>()})
    };
    Ok(json!({"same_model": found.is_empty(),
        "shared": {"edges": found.shared_edges, "elements": found.shared_elements},
        "first_only": only(0), "second_only": only(1), "kl": kl, "log_likelihood": means}))
}
