//! Structures drawn from their posterior.

use crate::errors;
use crate::learn::watched;
use crate::options::{KnowledgeGiven, knowledge};
use crate::table::Table;
use crate::value;
use crate::watch::Watch;
use cmnet::options::OptionName;
use cmnet::{
    Dataset, Error, LearnState, PosteriorOptions, Result, parse_bytes, parse_duration, structure_posterior,
};
use cmnet_report::answer::PosteriorAnswer;
use pyo3::prelude::*;
use serde_json::Value;
use std::sync::Arc;

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
    let to_python = |error: Error| errors::to_python(py, &error);
    let options = drawing.options().map_err(to_python)?;
    let limit = drawing.time_limit.as_deref();
    let limit =
        limit.map(|text| parse_duration(OptionName::TimeLimit, text)).transpose().map_err(to_python)?;
    let watch = Arc::new(Watch::new(limit, None, LearnState::default()));
    let (own, data) = (watch.clone(), table.data.clone());
    let work = move || facts(&data, &options, &own);
    let (found, raised) = watched(py, &watch, progress, work)?.even_late(py)?;
    Ok((found.map(|facts| value::to_python(py, &facts)).transpose()?, raised))
}

fn facts(data: &Dataset, options: &PosteriorOptions, watch: &Watch) -> Result<Value> {
    let found = structure_posterior(data, options, watch)?;
    value::of(&PosteriorAnswer { schema: data.schema(), found: &found })
}
