//! A learned structure with the names, the data and the options it came from (paper,
//! Definition 3).

use crate::data::{DataDigest, Dataset, Schema, Var};
use crate::error::{Error, ErrorKind, Result, shown, shown_list};
use crate::inference::Network;
use crate::loglinear::{Fit, FitOptions, affordable_canonical};
use crate::score::{Alpha, Kappa};
use crate::search::StopReason;
use crate::structure::Structure;

/// A contextual Markov network (G, C, P) with named variables.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// Names and levels.
    pub schema: Schema,
    /// Graph and contexts over the schema's variables.
    pub structure: Structure,
    /// Where it came from; `None` for a structure written by hand.
    pub learned: Option<Provenance>,
    /// The parameters P; `None` for a structure that was not fitted.
    pub fit: Option<Fit>,
}

/// The data and options that a structure was learned with, and its score there.
#[derive(Clone, Debug, PartialEq)]
pub struct Provenance {
    /// Observations, by weight.
    pub rows: u64,
    /// What the table contained.
    pub digest: DataDigest,
    /// The prior's weight.
    pub kappa: Kappa,
    /// The Dirichlet hyperparameter.
    pub alpha: Alpha,
    /// The search mode, such as `paper`.
    pub search: String,
    /// Why the search ended.
    pub stop: StopReason,
    /// The log marginal pseudo-likelihood.
    pub log_mpl: f64,
    /// The log prior of the contexts.
    pub log_prior: f64,
}

impl Provenance {
    /// log_mpl + log_prior.
    pub fn score(&self) -> f64 {
        self.log_mpl + self.log_prior
    }
}

fn no_parameters() -> Error {
    let hint = "estimate them from a table first: cmnet fit MODEL DATA -o MODEL";
    Error::question("the model has no parameters, only a structure", hint)
}

impl Model {
    /// The parameters, normalised where a junction tree fits: pseudo-likelihood leaves log Z
    /// unknown.
    ///
    /// # Errors
    /// When the model has no parameters.
    pub fn normalized_fit(&self) -> Result<Fit> {
        let mut fit = self.fit.clone().ok_or_else(no_parameters)?;
        if fit.parameters.log_partition().is_none() {
            let memory = FitOptions::default().memory;
            let normalized = fit.parameters.clone().normalized(self.structure.graph(), memory);
            fit.parameters = normalized.unwrap_or(fit.parameters);
        }
        Ok(fit)
    }

    /// The model as something that answers questions.
    ///
    /// # Errors
    /// When the model has no parameters.
    ///
    /// # Example
    /// ```
    /// use cmnet::{Model, Structure, graph::Edge, io::{Source, csv, ReadOptions}, loglinear};
    /// use cmnet::inference::{Ask, Evidence};
    /// let table = Source::bytes("table", "rain,wet\nno,no\nno,yes\nno,no\nyes,yes\nyes,no\nyes,yes\n");
    /// let data = csv::read(&table, &ReadOptions::default())?.data;
    /// let mut structure = Structure::empty(&[2, 2]);
    /// structure.toggle_edge(Edge::new(0, 1)?)?;
    /// let options = loglinear::FitOptions { smoothing: 0.0, ..Default::default() };
    /// let fit = loglinear::fit(&structure, &data, &options)?;
    /// let model = Model { schema: data.schema().clone(), structure, learned: None, fit: Some(fit) };
    /// let network = model.network()?;
    /// let given = Evidence::read(network.schema(), "rain=yes")?;
    /// let posterior = network.posterior(&given, &Ask::default())?;
    /// assert!((posterior.marginal(1)[1] - 2.0 / 3.0).abs() < 1e-10);
    /// # Ok::<(), cmnet::Error>(())
    /// ```
    pub fn network(&self) -> Result<Network> {
        let fit = self.fit.as_ref().ok_or_else(no_parameters)?;
        let network = Network::new(&self.schema, &self.structure, fit.parameters.clone())?;
        match affordable_canonical(&self.structure) {
            Some(closed) => network.with_closure(closed),
            None => Ok(network),
        }
    }

    /// A table that has this model's variables and levels, with its columns in the model's
    /// order.
    ///
    /// # Errors
    /// Names the first difference in variables or levels.
    pub fn arrange(&self, data: Dataset) -> Result<Dataset> {
        let mismatch = |problem: String, hint: &str| ErrorKind::Mismatch { problem, hint: hint.to_owned() };
        if data.variables() != self.schema.len() {
            let problem =
                format!("the model has {} variables, the data {}", self.schema.len(), data.variables());
            return Err(mismatch(problem, "choose the model's columns with --columns or --drop").into());
        }
        let mut order: Vec<Var> = Vec::new();
        for mine in self.schema.variables() {
            let Some(place) = data.schema().find(&mine.name) else {
                let problem = format!("the data have no column {}", shown(&mine.name));
                return Err(mismatch(
                    problem,
                    "rename the column, or give the table the model was learned from",
                )
                .into());
            };
            let theirs = &data.schema().variable(place).levels;
            if &mine.levels != theirs {
                let (name, own, other) = (
                    shown(&mine.name),
                    shown_list(mine.levels.iter().map(String::as_str)),
                    shown_list(theirs.iter().map(String::as_str)),
                );
                let problem = format!("the levels of {name} are {own} in the model and {other} in the data");
                return Err(mismatch(problem, "give the model's levels in a --schema file").into());
            }
            order.push(place);
        }
        if order.is_sorted() { Ok(data) } else { data.select(&order) }
    }
}
