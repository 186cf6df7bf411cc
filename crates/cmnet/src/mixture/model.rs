//! A mixture of networks with names.

use super::ask::MixtureNetwork;
use crate::data::{DataDigest, Dataset, Schema};
use crate::error::{Error, Result};
use crate::graph::Edge;
use crate::inference::Network;
use crate::loglinear::Fit;
use crate::model::Model;
use crate::structure::Structure;

/// A class of a mixture.
#[derive(Clone, Debug, PartialEq)]
pub struct Component {
    /// The share of the class.
    pub weight: f64,
    /// The network of its rows, with parameters.
    pub model: Model,
}

/// How the parameters of a mixture were estimated.
#[derive(Clone, Debug, PartialEq)]
pub struct MixtureFit {
    /// Observations, by weight.
    pub rows: u64,
    /// What the table contained.
    pub digest: DataDigest,
    /// What determined the starts.
    pub seed: u64,
    /// The log-likelihood of the table under the parameters, smoothed as they are.
    pub log_likelihood: f64,
    /// Steps of EM.
    pub steps: u64,
    /// What the last step gained per row.
    pub gain: f64,
    /// Whether that is less than was asked for.
    pub converged: bool,
}

/// A latent class with a contextual Markov network for each of its values.
///
/// Made by [`crate::learn_mixture`] or [`crate::AnyModel::load`]. Every network has parameters that are
/// normalised.
///
/// # Example
/// ```
/// use cmnet::{Dataset, Evidence, ExactOptions, LearnOptions, MixtureOptions, learn_mixture};
/// let kinds = [["a", "a", "a", "x"], ["b", "b", "b", "y"]];
/// let rows = kinds.iter().flat_map(|row| vec![*row; 30]).collect::<Vec<_>>();
/// let data = Dataset::from_labels(&["1", "2", "3", "4"], rows)?;
/// let two = MixtureOptions { components: "2".parse()?, ..MixtureOptions::default() };
/// let learned = learn_mixture(&data, &LearnOptions::default(), &two, &())?;
/// let network = learned.mixture.network()?;
/// let given = Evidence::read(network.schema(), "1=a")?;
/// let answer = network.marginals(&[3], &given, &ExactOptions::default())?;
/// assert!(answer.marginals[0].1[0] > 0.9);
/// assert!(answer.classes.chances.iter().any(|&chance| chance > 0.9));
/// # Ok::<(), cmnet::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Mixture {
    components: Vec<Component>,
    fit: Option<MixtureFit>,
}

/// By how much weights may miss the sum 1.
const ROUNDING: f64 = 1e-9;

impl Mixture {
    /// Puts networks of the same variables together.
    ///
    /// # Errors
    /// When there is none, weights are not positive with sum 1, variables differ, or a network has no
    /// parameters or is not normalised.
    pub fn new(components: Vec<Component>, fit: Option<MixtureFit>) -> Result<Self> {
        let refuse = |problem: String| Err(Error::mismatch(problem, "give normalised networks of one table"));
        let Some(first) = components.first() else {
            return refuse("a mixture has at least one network".to_owned());
        };
        for (place, component) in (1..).zip(&components) {
            if component.model.schema() != first.model.schema() {
                return refuse(format!("class {place} has other variables or levels than class 1"));
            }
            let log_partition = component.model.fit().and_then(|fit| fit.parameters.log_partition());
            if log_partition.is_none() {
                return refuse(format!("the network of class {place} has no normalised parameters"));
            }
            if !(component.weight > 0.0 && component.weight <= 1.0) {
                return refuse(format!("the weight of class {place} is {:?}", component.weight));
            }
        }
        let sum: f64 = components.iter().map(|component| component.weight).sum();
        if (sum - 1.0).abs() > ROUNDING {
            return refuse(format!("the weights of the classes sum to {sum:?} and not to 1"));
        }
        Ok(Self { components, fit })
    }

    /// Names and levels.
    pub fn schema(&self) -> &Schema {
        self.components[0].model.schema()
    }

    /// The classes, from class 1 on.
    pub fn components(&self) -> &[Component] {
        &self.components
    }

    /// How the parameters were estimated; `None` where that is not known.
    pub fn fit(&self) -> Option<&MixtureFit> {
        self.fit.as_ref()
    }

    /// Free parameters: those of the networks and of the weights.
    pub fn free_parameters(&self) -> usize {
        self.fits().map(|fit| fit.free_parameters).sum::<usize>() + self.components.len() - 1
    }

    /// The Bayesian information criterion of the table that it was fitted to: ll - k/2 ln n, of the
    /// parameters as they are; `None` where the table is not known.
    pub fn bic(&self) -> Option<f64> {
        let fit = self.fit.as_ref()?;
        Some(fit.log_likelihood - self.free_parameters() as f64 / 2.0 * libm::log(fit.rows as f64))
    }

    /// The parameters of each network.
    pub(super) fn fits(&self) -> impl Iterator<Item = &Fit> {
        self.components.iter().filter_map(|component| component.model.fit())
    }

    /// The mixture as something that many questions can be asked of.
    ///
    /// # Errors
    /// When a parameter is so large that its sums mean nothing.
    pub fn network(&self) -> Result<MixtureNetwork> {
        let networks: Vec<Network> =
            self.components.iter().map(|component| component.model.network()).collect::<Result<_>>()?;
        let weights = self.components.iter().map(|component| libm::log(component.weight)).collect();
        Ok(MixtureNetwork::new(weights, networks))
    }

    /// A table that has this mixture's variables and levels, with its columns in the mixture's order.
    ///
    /// # Errors
    /// Names the first difference in variables or levels.
    pub fn arrange(&self, data: Dataset) -> Result<Dataset> {
        self.components[0].model.arrange(data)
    }

    /// The graph with the edges of every class, without contexts.
    ///
    /// # Errors
    /// When the structures cannot be put together; those of one schema always can.
    pub fn union(&self) -> Result<Structure> {
        let mut whole = Structure::empty(&self.schema().cardinalities());
        for component in &self.components {
            let edges: Vec<Edge> = component.model.structure().graph().edges().collect();
            for edge in edges {
                whole.add_edge(edge)?;
            }
        }
        Ok(whole)
    }
}
