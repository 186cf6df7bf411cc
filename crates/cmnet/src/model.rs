//! A learned structure with the names, the data and the options it came from (paper,
//! Definition 3).

mod confirmed;
mod support;

pub use confirmed::Confirmed;
pub use support::Support;

use crate::control::Control;
use crate::data::{DataDigest, Dataset, Schema, Var, Weighting};
use crate::error::{Error, ErrorKind, Remedy, Result, quoted, quoted_list};
use crate::graph::{Edge, VarSet};
use crate::inference::{Network, Query};
use crate::loglinear::{Fit, FitOptions, Order, affordable_canonical};
use crate::refine::RefineOptions;
use crate::score::{Alpha, EdgePrior, Kappa, Knowledge};
use crate::search::{SearchUsed, StopReason};
use crate::structure::Structure;

/// A contextual Markov network (G, C, P) with named variables.
///
/// Names, structure and parameters always belong together: a model in which they disagree
/// cannot be built.
///
/// # Example
/// ```
/// use cmnet::{Model, Schema, Structure, Variable};
/// let yes_or_no = Variable { name: "rain".into(), levels: vec!["no".into(), "yes".into()] };
/// let schema = Schema::new(vec![yes_or_no])?;
/// assert!(Model::new(schema.clone(), Structure::empty(&[2])).is_ok());
/// let refused = Model::new(schema, Structure::empty(&[3])).unwrap_err();
/// assert!(refused.to_string().contains("\"rain\" has 2 levels by name and 3 in the structure"));
/// # Ok::<(), cmnet::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    schema: Schema,
    structure: Structure,
    provenance: Option<Provenance>,
    fit: Option<Fit>,
    support: Option<Support>,
    confirmed: Option<Confirmed>,
}

/// The data and options that a structure was learned with, and its score there.
#[derive(Clone, Debug, PartialEq)]
pub struct Provenance {
    /// Observations, by weight.
    pub rows: u64,
    /// What the table contained.
    pub digest: DataDigest,
    /// What its weights were, where they are real numbers.
    pub weights: Option<Weighting>,
    /// The prior's weight.
    pub kappa: Kappa,
    /// The Dirichlet hyperparameter.
    pub alpha: Alpha,
    /// The prior of graphs.
    pub edge_prior: EdgePrior,
    /// What was known about edges.
    pub knowledge: Knowledge,
    /// The search.
    pub search: SearchUsed,
    /// Why the search ended.
    pub stop: StopReason,
    /// The score that it was refined by; `None` where it is as the search found it.
    pub refined: Option<RefinedScore>,
    /// The log marginal pseudo-likelihood.
    pub log_mpl: f64,
    /// The log prior of contexts and edges.
    pub log_prior: f64,
}

/// The score that a structure was refined by, and what it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RefinedScore {
    /// How structures were judged.
    pub options: RefineOptions,
    /// The conditional BIC.
    pub conditional_bic: f64,
}

impl Provenance {
    /// log_mpl + log_prior.
    pub fn score(&self) -> f64 {
        self.log_mpl + self.log_prior
    }
}

fn no_parameters() -> Error {
    Error::question("the model has no parameters, only a structure", Remedy::EstimateParameters)
}

impl Model {
    /// A structure over named variables, without parameters and written by hand.
    ///
    /// # Errors
    /// When the names have other variables or numbers of levels than the structure.
    pub fn new(schema: Schema, structure: Structure) -> Result<Self> {
        let hint = "give the names and levels of the structure's own variables";
        if schema.len() != structure.variables() {
            let (named, own) = (schema.len(), structure.variables());
            return Err(Error::mismatch(
                format!("{named} variables have names and the structure has {own}"),
                hint,
            ));
        }
        let pairs = schema.cardinalities().into_iter().zip(structure.cardinalities());
        if let Some((v, (named, own))) = pairs.enumerate().find(|(_, (named, own))| named != *own) {
            let name = quoted(schema.name(v));
            let problem = format!("{name} has {named} levels by name and {own} in the structure");
            return Err(Error::mismatch(problem, hint));
        }
        Ok(Self { schema, structure, provenance: None, fit: None, support: None, confirmed: None })
    }

    /// The same structure with parameters.
    ///
    /// # Errors
    /// When the parameters are those of another graph or of other variables.
    pub fn with_fit(mut self, fit: Fit) -> Result<Self> {
        let (terms, graph) = (fit.parameters.terms(), self.structure.graph());
        let same_variables = terms.cardinalities() == self.structure.cardinalities();
        let varies = |v: Var| self.structure.cardinalities()[v] > 1;
        let has_terms = |edge: Edge| {
            let (low, high) = edge.ends();
            !varies(low) || !varies(high) || terms.set(&VarSet::from_iter([low, high])).is_some()
        };
        let same_graph =
            || terms.cliques().iter().all(|clique| graph.is_complete(clique)) && graph.edges().all(has_terms);
        if !same_variables || !same_graph() {
            let problem = "the parameters are those of another structure".to_owned();
            return Err(Error::mismatch(problem, "fit the structure of this model"));
        }
        self.fit = Some(fit);
        Ok(self)
    }

    /// The most variables of a term: that of the parameters, where there are some.
    pub fn order(&self) -> Order {
        self.fit.as_ref().map_or(Order::FULL, |fit| fit.parameters.terms().order())
    }

    /// The same model without parameters.
    #[must_use]
    pub fn without_fit(self) -> Self {
        Self { fit: None, ..self }
    }

    /// The same model with what is known about where its structure came from.
    #[must_use]
    pub fn with_provenance(self, provenance: Provenance) -> Self {
        Self { provenance: Some(provenance), ..self }
    }

    /// The same model with how often its edges and context elements came back in resamples.
    ///
    /// # Errors
    /// When the counts are not those of this model's edges and elements, or are impossible.
    pub fn with_support(self, support: Support) -> Result<Self> {
        support.check(&self.schema, &self.structure)?;
        Ok(Self { support: Some(support), ..self })
    }

    /// The same model with what its table says about each context element.
    ///
    /// # Errors
    /// When the effects are not those of this model's elements, or are impossible.
    pub fn with_confirmed(self, confirmed: Confirmed) -> Result<Self> {
        confirmed.check(&self.schema, &self.structure)?;
        Ok(Self { confirmed: Some(confirmed), ..self })
    }

    /// Names and levels.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Graph and contexts over the schema's variables.
    pub fn structure(&self) -> &Structure {
        &self.structure
    }

    /// Where the structure came from; `None` when it was written by hand.
    pub fn provenance(&self) -> Option<&Provenance> {
        self.provenance.as_ref()
    }

    /// The parameters P; `None` when the structure was not fitted.
    pub fn fit(&self) -> Option<&Fit> {
        self.fit.as_ref()
    }

    /// How often its edges and context elements came back in resamples; `None` when nobody
    /// counted.
    pub fn support(&self) -> Option<&Support> {
        self.support.as_ref()
    }

    /// What its table says about each context element; `None` when the contexts were not
    /// confirmed.
    pub fn confirmed(&self) -> Option<&Confirmed> {
        self.confirmed.as_ref()
    }

    /// The parameters, normalised where a junction tree fits: pseudo-likelihood leaves log Z
    /// unknown.
    ///
    /// # Errors
    /// When the model has no parameters.
    pub fn normalized_fit(&self) -> Result<Fit> {
        self.normalized_fit_under(&())
    }

    /// As [`Model::normalized_fit`], under a control that may stop it.
    ///
    /// # Errors
    /// As [`Model::normalized_fit`]; when the control asks to stop.
    pub fn normalized_fit_under(&self, control: &dyn Control) -> Result<Fit> {
        let mut fit = self.fit.clone().ok_or_else(no_parameters)?;
        if fit.parameters.log_partition().is_none() {
            let memory = FitOptions::default().memory;
            let own = fit.parameters.clone();
            match own.normalized_under(self.structure.graph(), memory, control) {
                Ok(normalized) => fit.parameters = normalized,
                Err(error) if matches!(error.kind(), ErrorKind::Stopped(_)) => return Err(error),
                Err(_) => {}
            }
        }
        Ok(fit)
    }

    /// A question to the model.
    ///
    /// # Errors
    /// When the model has no parameters.
    ///
    /// # Example
    /// ```
    /// use cmnet::{Edge, FitOptions, Model, ReadOptions, Source, Structure, fit, read_csv};
    /// let table = Source::bytes("table", "rain,wet\nno,no\nno,yes\nno,no\nyes,yes\nyes,no\nyes,yes\n");
    /// let data = read_csv(&table, &ReadOptions::default())?.data;
    /// let mut structure = Structure::empty(&[2, 2]);
    /// structure.toggle_edge(Edge::new(0, 1)?)?;
    /// let options = FitOptions { smoothing: 0.0, ..Default::default() };
    /// let fit = fit(&structure, &data, &options)?;
    /// let model = Model::new(data.schema().clone(), structure)?.with_fit(fit)?;
    /// let answer = model.query()?.given("rain=yes")?.target("wet")?.run()?;
    /// assert!((answer.marginals[0].1[1] - 2.0 / 3.0).abs() < 1e-10);
    /// # Ok::<(), cmnet::Error>(())
    /// ```
    pub fn query(&self) -> Result<Query<'static>> {
        Ok(self.network()?.into_query())
    }

    /// The model as something that many questions can be asked of.
    ///
    /// # Errors
    /// When the model has no parameters.
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
        if data.variables() != self.schema.len() {
            let problem =
                format!("the model has {} variables, the data {}", self.schema.len(), data.variables());
            return Err(Error::mismatch(problem, Remedy::ChooseColumns));
        }
        let mut order: Vec<Var> = Vec::new();
        for mine in self.schema.variables() {
            let Some(place) = data.schema().find(&mine.name) else {
                let problem = format!("the data have no column {}", quoted(&mine.name));
                return Err(Error::mismatch(
                    problem,
                    "rename the column, or give the table the model was learned from",
                ));
            };
            let theirs = &data.schema().variable(place).levels;
            if &mine.levels != theirs {
                let (name, own, other) = (
                    quoted(&mine.name),
                    quoted_list(mine.levels.iter().map(String::as_str)),
                    quoted_list(theirs.iter().map(String::as_str)),
                );
                let problem = format!("the levels of {name} are {own} in the model and {other} in the data");
                return Err(Error::mismatch(problem, Remedy::GiveLevels));
            }
            order.push(place);
        }
        if order.is_sorted() { Ok(data) } else { data.select(&order) }
    }
}
