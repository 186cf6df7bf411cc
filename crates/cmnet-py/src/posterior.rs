//! Structures drawn from their posterior.

use crate::errors::OrRaise;
use crate::learn::limited;
use crate::options::{KnowledgeGiven, knowledge, time_limit};
use crate::table::Table;
use crate::value;
use crate::watch::Watch;
use cmnet::options::OptionName;
use cmnet::{Dataset, PosteriorOptions, Result, parse_bytes, structure_posterior};
use cmnet_report::answer::PosteriorAnswer;
use pyo3::prelude::*;
use serde_json::Value;

/// How structures are drawn.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Drawing {
    kappa: String,
    alpha: String,
    edge_prior: String,
    require: String,
    forbid: String,
    knowledge: Option<KnowledgeGiven>,
    exponent: f64,
    chains: usize,
    sweeps: usize,
    warm_up: usize,
    rungs: usize,
    seed: u64,
    threads: usize,
    time_limit: Option<String>,
    memory: String,
}

impl Drawing {
    fn options(&self) -> Result<PosteriorOptions> {
        Ok(PosteriorOptions {
            kappa: self.kappa.parse()?,
            alpha: self.alpha.parse()?,
            edge_prior: self.edge_prior.parse()?,
            knowledge: knowledge(&self.require, &self.forbid, self.knowledge.as_ref())?,
            exponent: self.exponent,
            chains: self.chains,
            sweeps: self.sweeps,
            warm_up: self.warm_up,
            rungs: self.rungs,
            seed: self.seed,
            threads: self.threads,
            memory: parse_bytes(OptionName::Memory, &self.memory)?,
        })
    }
}

/// Facts, and what interrupted the work.
type Answer<'py> = (Option<Bound<'py, PyAny>>, Option<PyErr>);

/// Draws structures of a packed table.
#[pyfunction]
pub(crate) fn posterior<'py>(
    py: Python<'py>,
    table: PyRef<'py, Table>,
    drawing: Drawing,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Answer<'py>> {
    let options = drawing.options().or_raise(py)?;
    let limit = time_limit(drawing.time_limit.as_deref()).or_raise(py)?;
    let data = table.data.clone();
    let work = move |watch: &Watch| facts(&data, &options, watch);
    limited(py, limit, progress, work)?.even_late(py, |facts| value::to_python(py, &facts))
}

fn facts(data: &Dataset, options: &PosteriorOptions, watch: &Watch) -> Result<Value> {
    let found = structure_posterior(data, options, watch)?;
    value::of(&PosteriorAnswer { schema: data.schema(), found: &found })
}
