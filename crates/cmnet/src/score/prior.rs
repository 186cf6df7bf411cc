//! The structure prior: p(C|G) is kappa to the number of restricted interactions (paper,
//! section 3.2), and p(G) is uniform or falls with the number of edges.

use super::decimal::Decimal;
use super::edge_rules::EdgeRules;
use super::kappa::Kappa;
use super::nats::Nats;
use crate::error::{Error, OptionName, Result};
use crate::graph::{Edge, Graph};
use crate::structure::Structure;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// The prior of graphs: d^-gamma for each end of each edge, d the number of variables, not
/// normalised. Gamma 0 is the paper's uniform prior. Of d variables, each has d - 1 possible
/// neighbours, and a larger gamma asks for more evidence where there are more of them.
///
/// # Example
/// ```
/// use cmnet::EdgePrior;
/// let prior: EdgePrior = "0.5".parse()?;
/// assert!((prior.log_end(100).to_f64() + 0.5 * 100f64.ln()).abs() < 1e-12);
/// assert!("uniform".parse::<EdgePrior>()?.is_uniform());
/// # Ok::<(), cmnet::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EdgePrior(Option<Decimal>);

/// The largest gamma: far beyond what leaves an edge in a graph.
const LARGEST_GAMMA: f64 = 1000.0;

impl EdgePrior {
    /// Whether all graphs are equally probable.
    pub fn is_uniform(self) -> bool {
        self.0.is_none_or(|gamma| gamma.numerator == 0)
    }

    /// What a refinement takes where no number is given: see docs/accuracy.md.
    pub(crate) fn for_refinement() -> Self {
        Self(Some(Decimal { numerator: 1, denominator: 1 }))
    }

    /// Gamma.
    pub fn gamma(self) -> f64 {
        self.0.map_or(0.0, Decimal::to_f64)
    }

    /// The log prior of one end of an edge among so many variables: -gamma ln(d).
    pub fn log_end(self, variables: usize) -> Nats {
        if self.is_uniform() {
            return Nats::ZERO;
        }
        Nats::from_f64(-self.gamma() * Nats::ln_integer(variables as u64).to_f64())
    }
}

impl fmt::Display for EdgePrior {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(gamma) => gamma.fmt(f),
            None => f.write_str("uniform"),
        }
    }
}

impl FromStr for EdgePrior {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let trimmed = text.trim();
        if trimmed.eq_ignore_ascii_case("uniform") {
            return Ok(Self::default());
        }
        Decimal::parse(trimmed)
            .filter(|gamma| gamma.to_f64() <= LARGEST_GAMMA)
            .map(|gamma| Self(Some(gamma)))
            .ok_or_else(|| {
                let expected = "uniform, or a number from 0 to 1000 such as 0.5";
                Error::option(OptionName::EdgePrior, text, expected)
            })
    }
}

/// log p(C|G) = log(kappa) times the sum over edges of |C(i,j)| (r_i-1)(r_j-1), not
/// normalised. Graphs are uniform, unless [`ContextPrior::with_edges`] or
/// [`ContextPrior::with_rules`] says otherwise.
#[derive(Clone, Debug, PartialEq)]
pub struct ContextPrior {
    kappa: Kappa,
    log_kappa: Option<Nats>,
    edges: EdgePrior,
    /// The log prior of one end of an edge.
    end: Nats,
    rules: Arc<EdgeRules>,
}

impl ContextPrior {
    /// The prior for n observations.
    pub fn new(kappa: Kappa, rows: u64) -> Self {
        let (edges, end, rules) = (EdgePrior::default(), Nats::ZERO, Arc::default());
        Self { kappa, log_kappa: kappa.log(rows), edges, end, rules }
    }

    /// The same prior of graphs with another prior of contexts, for so many rows.
    #[must_use]
    pub(crate) fn with_kappa(self, kappa: Kappa, rows: u64) -> Self {
        Self { kappa, log_kappa: kappa.log(rows), ..self }
    }

    /// The same prior of contexts with a prior of the edges among so many variables.
    #[must_use]
    pub fn with_edges(self, edges: EdgePrior, variables: usize) -> Self {
        Self { edges, end: edges.log_end(variables), ..self }
    }

    /// The prior of graphs.
    pub fn edges(&self) -> EdgePrior {
        self.edges
    }

    /// The same prior, with what is known about edges: graphs that do not keep to it have
    /// probability 0.
    #[must_use]
    pub fn with_rules(self, rules: Arc<EdgeRules>) -> Self {
        Self { rules, ..self }
    }

    /// What is known about edges.
    pub fn rules(&self) -> &EdgeRules {
        &self.rules
    }

    /// The log prior of an edge.
    pub fn edge(&self, edge: Edge) -> Nats {
        self.edge_end(edge) * 2
    }

    /// The log prior of one end of an edge.
    pub(crate) fn edge_end(&self, edge: Edge) -> Nats {
        self.rules.log_end(edge).unwrap_or(self.end)
    }

    /// The highest log prior that one end of an edge can have.
    pub(crate) fn highest_edge_end(&self) -> Nats {
        self.rules.log_ends().fold(self.end, Nats::max)
    }

    /// The log prior of a graph's edges, not normalised, where the graph keeps to the rules.
    pub(crate) fn edges_of(&self, graph: &Graph) -> Nats {
        if self.rules.is_empty() {
            return self.end * 2 * graph.edge_count() as u64;
        }
        graph.edges().map(|edge| self.edge(edge)).sum()
    }

    /// The highest log prior that a graph can have.
    pub(crate) fn highest(&self) -> Nats {
        let own = self.rules.log_odds().map(|(_, odds)| odds);
        own.filter(|&odds| odds > Nats::ZERO).sum()
    }

    /// Kappa as given.
    pub fn kappa(&self) -> Kappa {
        self.kappa
    }

    /// log(kappa); `None` for eps, where contexts are not allowed.
    pub fn log_kappa(&self) -> Option<Nats> {
        self.log_kappa
    }

    /// What one element on this edge adds to the log prior; `None` where it is forbidden.
    pub fn element(&self, edge: Edge, cardinalities: &[u32]) -> Option<Nats> {
        let factor = |end: usize| u64::from(cardinalities[end].saturating_sub(1));
        if !self.rules.allows_contexts(edge) {
            return None;
        }
        Some(self.log_kappa? * (factor(edge.low()) * factor(edge.high())))
    }

    /// The log prior of a structure; `None` (probability 0) for a context under eps or where the
    /// rules allow none, and for a graph that does not keep to the rules.
    pub fn log_prior(&self, structure: &Structure) -> Option<Nats> {
        if !self.rules.hold(structure.graph()) {
            return None;
        }
        let elements = structure.contexts().map(|context| {
            Some(self.element(context.edge(), structure.cardinalities())? * context.len() as u64)
        });
        let contexts: Nats = elements.sum::<Option<Nats>>()?;
        Some(contexts + self.edges_of(structure.graph()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_edge_prior_reads_what_it_writes() {
        for text in ["uniform", "0", "0.5", "1", "1/3"] {
            assert_eq!(text.parse::<EdgePrior>().unwrap().to_string(), text);
        }
        assert!("0".parse::<EdgePrior>().unwrap().is_uniform());
        for text in ["", "-1", "nan", "1001", "flat"] {
            assert!(text.parse::<EdgePrior>().is_err(), "{text}");
        }
    }

    #[test]
    fn each_end_of_each_edge_costs_gamma_times_the_logarithm_of_d() {
        let mut structure = Structure::empty(&[2; 10]);
        for (i, j) in [(0, 1), (1, 2), (4, 9)] {
            structure.toggle_edge(Edge::new(i, j).unwrap()).unwrap();
        }
        let prior = ContextPrior::new(Kappa::Epsilon, 100).with_edges("0.5".parse().unwrap(), 10);
        let expected = -0.5 * 6.0 * libm::log(10.0);
        assert!((prior.log_prior(&structure).unwrap().to_f64() - expected).abs() < 1e-12);
    }
}
