//! The marginal pseudo-likelihood of a structure and the prior on contexts (paper, sections
//! 3.1 and 3.2, eq. (7)).

use std::collections::{BTreeMap, BTreeSet};

use libm::lgamma;

use crate::error::CheckError;
use crate::partition::flood;
use crate::space::{pick, position};
use crate::structure::{Edge, Labelled};
use crate::table::Table;

/// The free choices in the score: the Dirichlet parameter, kappa, the prior of edges, and what is
/// known about edges.
#[derive(Debug, Clone, PartialEq)]
pub struct Scoring {
    alpha: f64,
    log_kappa: Option<f64>,
    gamma: f64,
    known: KnownEdges,
}

/// What is known about edges beforehand. (Not in the paper.)
#[derive(Debug, Clone, Default, PartialEq)]
pub struct KnownEdges {
    /// Edges that every graph has.
    pub required: BTreeSet<Edge>,
    /// Edges that no graph has.
    pub forbidden: BTreeSet<Edge>,
    /// Edges that have no contexts.
    pub without_contexts: BTreeSet<Edge>,
    /// The logarithm of the prior odds of edges that have their own, instead of gamma.
    pub log_odds: BTreeMap<Edge, f64>,
}

impl KnownEdges {
    /// Whether a search may add and remove an edge.
    pub fn is_free(&self, edge: Edge) -> bool {
        !self.required.contains(&edge) && !self.forbidden.contains(&edge)
    }
}

/// A score in its two parts (section 3.2).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Score {
    /// Logarithm of the marginal pseudo-likelihood, eq. (7).
    pub log_mpl: f64,
    /// Logarithm of the unnormalised prior p(C | G) p(G).
    pub log_prior: f64,
}

impl Score {
    /// Their sum, which the search maximises.
    pub fn total(&self) -> f64 {
        self.log_mpl + self.log_prior
    }
}

impl Scoring {
    /// Jeffreys' prior (alpha = 1/2) and no contexts at all, kappa = eps: the plain Markov network.
    pub fn without_contexts() -> Self {
        Self { alpha: 0.5, log_kappa: None, gamma: 0.0, known: KnownEdges::default() }
    }

    /// Jeffreys' prior (alpha = 1/2) and a kappa in (0, 1].
    ///
    /// # Errors
    /// [`CheckError::BadKappa`].
    pub fn with_kappa(kappa: f64) -> Result<Self, CheckError> {
        if kappa > 0.0 && kappa <= 1.0 {
            Self::new(0.5, Some(libm::log(kappa)))
        } else {
            Err(CheckError::BadKappa(kappa))
        }
    }

    /// Any Dirichlet parameter, the same for every level in every class, and the logarithm of
    /// kappa (`None` for kappa = eps, no contexts).
    ///
    /// # Errors
    /// [`CheckError::BadAlpha`] and [`CheckError::BadKappa`].
    pub fn new(alpha: f64, log_kappa: Option<f64>) -> Result<Self, CheckError> {
        if !(alpha.is_finite() && alpha > 0.0) {
            return Err(CheckError::BadAlpha(alpha));
        }
        match log_kappa {
            Some(log) if !(log.is_finite() && log <= 0.0) => Err(CheckError::BadKappa(libm::exp(log))),
            _ => Ok(Self { alpha, log_kappa, gamma: 0.0, known: KnownEdges::default() }),
        }
    }

    /// The same with a prior of graphs: each end of each edge has the weight d^-gamma, d the
    /// number of variables. Gamma 0 is the paper's uniform prior.
    ///
    /// # Errors
    /// [`CheckError::BadGamma`].
    pub fn with_edge_prior(self, gamma: f64) -> Result<Self, CheckError> {
        if gamma.is_finite() && gamma >= 0.0 {
            Ok(Self { gamma, ..self })
        } else {
            Err(CheckError::BadGamma(gamma))
        }
    }

    /// The same with what is known about edges.
    #[must_use]
    pub fn with_known(self, known: KnownEdges) -> Self {
        Self { known, ..self }
    }

    /// What is known about edges.
    pub fn known(&self) -> &KnownEdges {
        &self.known
    }

    /// The Dirichlet parameter of every level.
    pub fn alpha(&self) -> f64 {
        self.alpha
    }

    /// The logarithm of kappa; `None` when contexts are forbidden.
    pub fn log_kappa(&self) -> Option<f64> {
        self.log_kappa
    }
}

/// The whole score: the sum of all node scores, and the log prior.
///
/// # Errors
/// An irregular structure, contexts under kappa = eps, or a space too large to list.
pub fn score(table: &Table, structure: &Labelled, scoring: &Scoring) -> Result<Score, CheckError> {
    structure.require_regular(table.cardinalities())?;
    let mut log_mpl = 0.0;
    for node in 0..table.variables() {
        log_mpl += bare_node_score(table, structure, scoring, node)?;
    }
    let log_prior = log_prior(table.cardinalities(), structure, scoring)?;
    Ok(Score { log_mpl, log_prior })
}

/// `log p(C | G) = log(kappa) * sum over edges of |C(i, j)| (r_i - 1)(r_j - 1)`, unnormalised
/// (section 3.2). The paper's prior over graphs is uniform; with a gamma, each of the two ends of
/// every edge adds `-gamma log d`.
///
/// # Errors
/// An irregular structure, or [`CheckError::ContextsForbidden`] under kappa = eps.
pub fn log_prior(
    cardinalities: &[usize],
    structure: &Labelled,
    scoring: &Scoring,
) -> Result<f64, CheckError> {
    structure.require_regular(cardinalities)?;
    let weight: f64 = structure
        .contexts
        .iter()
        .map(|(&(i, j), context)| context.len() as f64 * edge_weight(cardinalities, i, j))
        .sum();
    let known = &scoring.known;
    if !known.required.is_subset(&structure.edges) || !known.forbidden.is_disjoint(&structure.edges) {
        return Err(CheckError::KnownOtherwise);
    }
    let two_ends =
        if scoring.gamma == 0.0 { 0.0 } else { -2.0 * scoring.gamma * libm::log(cardinalities.len() as f64) };
    let edges: f64 = structure.edges.iter().map(|edge| known.log_odds.get(edge).unwrap_or(&two_ends)).sum();
    let contexts = structure.non_empty_contexts();
    if contexts.keys().any(|edge| known.without_contexts.contains(edge)) {
        return Err(CheckError::ContextsForbidden);
    }
    match scoring.log_kappa {
        Some(log_kappa) => Ok(log_kappa * weight + edges),
        None if contexts.is_empty() => Ok(edges),
        None => Err(CheckError::ContextsForbidden),
    }
}

/// `(r_i - 1)(r_j - 1)`, the weight of one context element in the prior.
pub(crate) fn edge_weight(cardinalities: &[usize], i: usize, j: usize) -> f64 {
    (cardinalities[i] - 1) as f64 * (cardinalities[j] - 1) as f64
}

/// `log p(x_j | x_mb(j), C(j))`, one node's part of the logarithm of eq. (7).
///
/// # Errors
/// An irregular structure, a node that does not exist, or a space too large to list.
pub fn node_score(
    table: &Table,
    structure: &Labelled,
    scoring: &Scoring,
    node: usize,
) -> Result<f64, CheckError> {
    structure.require_regular(table.cardinalities())?;
    if node >= table.variables() {
        return Err(CheckError::NoSuchElement);
    }
    bare_node_score(table, structure, scoring, node)
}

/// Eq. (7) for one node of a structure known to be regular.
pub(crate) fn bare_node_score(
    table: &Table,
    structure: &Labelled,
    scoring: &Scoring,
    node: usize,
) -> Result<f64, CheckError> {
    let blanket = structure.markov_blanket(node);
    let add_up = |counts: Vec<Vec<f64>>| counts.iter().map(|n| class_score(n, scoring)).sum();
    // With no context around the node, every configuration is a class of its own (section
    // 3.2), and the space need not be listed.
    if blanket.iter().all(|&i| structure.context(i, node).is_none()) {
        let counts = class_counts(table, node, &blanket, |y| y);
        return Ok(add_up(counts.into_values().collect()));
    }
    let numbers = flood(table.cardinalities(), structure, node)?;
    let sizes = pick(table.cardinalities(), &blanket);
    let counts = class_counts(table, node, &blanket, |y| numbers[position(&y, &sizes)]);
    Ok(add_up(counts.into_values().collect()))
}

/// One class's part of the logarithm of eq. (7), from the counts `n_ijl` of its levels. The
/// Dirichlet parameter is alpha for every level in **every** class, however many
/// configurations the class holds.
pub(crate) fn class_score(counts: &[f64], scoring: &Scoring) -> f64 {
    let n_jl: f64 = counts.iter().sum();
    let alpha_ijl = scoring.alpha;
    let alpha_jl = alpha_ijl * counts.len() as f64;
    let levels = counts.iter().map(|&n_ijl| lgamma(n_ijl + alpha_ijl) - lgamma(alpha_ijl));
    lgamma(alpha_jl) - lgamma(n_jl + alpha_jl) + levels.sum::<f64>()
}

/// The counts `n_ijl`: for every observed class l, how often `X_j` took each level i. A class
/// without observations adds nothing to eq. (7) and is left out.
pub(crate) fn class_counts<C: Ord>(
    table: &Table,
    node: usize,
    blanket: &[usize],
    class_of: impl Fn(Vec<usize>) -> C,
) -> BTreeMap<C, Vec<f64>> {
    let mut counts = BTreeMap::new();
    for (row, weight) in table.observations() {
        let class = class_of(pick(row, blanket));
        let levels = counts.entry(class).or_insert_with(|| vec![0.0; table.cardinalities()[node]]);
        levels[row[node]] += weight as f64;
    }
    counts.values_mut().flatten().for_each(|count| *count *= table.unit());
    counts
}
