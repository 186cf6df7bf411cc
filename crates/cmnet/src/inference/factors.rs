//! A network as one dense table per maximal clique: what approximate methods and other
//! engines read.

use super::cut_edges::Conditioned;
use super::evidence::Evidence;
use super::network::Network;
use crate::control::{Control, ask};
use crate::data::Var;
use crate::error::{Error, Remedy, Result};
use crate::graph::{Edge, Graph, VarSet, guarded_cliques, maximal_cliques};
use crate::table::{Potentials, softmax};

/// Log potentials over the maximal cliques of what evidence leaves of a graph.
#[derive(Clone, Debug)]
pub struct Factors {
    free: VarSet,
    pub(super) potentials: Potentials,
}

impl Network {
    /// One table of log potentials per maximal clique, given evidence, if they fit a budget
    /// of bytes.
    ///
    /// # Errors
    /// When there are too many cliques, or the tables are too large.
    pub fn factors(&self, evidence: &Evidence, memory: u64) -> Result<Factors> {
        self.factors_under(evidence, memory, &())
    }

    /// As [`Network::factors`], and asks on the way whether to go on.
    pub(super) fn factors_under(
        &self,
        evidence: &Evidence,
        memory: u64,
        control: &dyn Control,
    ) -> Result<Factors> {
        Factors::new(&Conditioned::new(self, evidence, true), memory, control)
    }

    /// The bytes that those tables take, without making them.
    ///
    /// # Errors
    /// When there are too many cliques.
    pub(super) fn factor_bytes(&self, evidence: &Evidence, control: &dyn Control) -> Result<u64> {
        let conditioned = Conditioned::new(self, evidence, true);
        Ok(bytes(&free_cliques(&conditioned, control)?, self.cardinalities()))
    }

    /// The bytes of the tables that a [`super::Predictor`] of a variable holds, without making
    /// them.
    ///
    /// # Errors
    /// When the variable does not exist, or has too many cliques.
    pub fn prediction_bytes(&self, variable: Var) -> Result<u64> {
        self.check_targets(&[variable], &Evidence::none())?;
        Ok(bytes(&cliques_around(self, variable)?, self.cardinalities()))
    }
}

fn free_cliques(conditioned: &Conditioned<'_>, control: &dyn Control) -> Result<Vec<VarSet>> {
    let is_free = |set: &VarSet| set.iter().all(|v| conditioned.free().contains(v));
    let cliques = guarded_cliques(conditioned.graph(), &|_| ask(control))?;
    Ok(cliques.into_iter().filter(is_free).collect())
}

fn bytes(cliques: &[VarSet], cardinalities: &[u32]) -> u64 {
    let size = |set: &VarSet| set.iter().fold(8u64, |s, v| s.saturating_mul(cardinalities[v].into()));
    cliques.iter().fold(0u64, |sum, set| sum.saturating_add(size(set)))
}

/// The maximal cliques with a variable, or the maximal sets that its terms have, where these are
/// smaller.
fn cliques_around(network: &Network, variable: Var) -> Result<Vec<VarSet>> {
    if network.terms().order().limit().is_some() {
        let sets = network.terms().cliques().iter();
        return Ok(sets.filter(|set| set.contains(variable)).cloned().collect());
    }
    let graph = network.closed().graph();
    let mut near = Graph::empty(graph.nodes());
    let blanket = graph.markov_blanket(variable);
    for one in blanket.iter() {
        near.add_edge(Edge::new(one, variable)?);
        for other in graph.markov_blanket(one).intersection(blanket).iter().filter(|&v| v > one) {
            near.add_edge(Edge::new(one, other)?);
        }
    }
    Ok(maximal_cliques(&near)?.into_iter().filter(|set| set.contains(variable)).collect())
}

impl Factors {
    pub(super) fn new(conditioned: &Conditioned<'_>, memory: u64, control: &dyn Control) -> Result<Self> {
        let cardinalities = conditioned.network().cardinalities();
        let zeros = zeros(&free_cliques(conditioned, control)?, cardinalities, memory)?;
        let potentials = zeros.fill(|homes, tables| conditioned.fill(homes, tables, control))?;
        Ok(Self { free: conditioned.free().clone(), potentials })
    }

    /// The tables of a variable's own cliques, with the terms that contain it: all that its
    /// distribution given its Markov blanket takes.
    pub(super) fn around(
        network: &Network,
        variable: Var,
        memory: u64,
        control: &dyn Control,
    ) -> Result<Self> {
        let cardinalities = network.cardinalities();
        let terms = network
            .terms()
            .sets_with(variable)
            .map(|set| (set.variables(), network.parameters().of_set(set)));
        let zeros = zeros(&cliques_around(network, variable)?, cardinalities, memory)?;
        let potentials = zeros.fill(|homes, tables| homes.fill(terms, tables, control))?;
        Ok(Self { free: VarSet::default(), potentials })
    }

    /// The unobserved variables.
    pub fn free(&self) -> &VarSet {
        &self.free
    }

    /// The tables: variables ascending, last one fastest, natural logarithms.
    pub fn tables(&self) -> impl ExactSizeIterator<Item = (&[Var], &[f64])> {
        self.potentials.iter().map(|(shape, table)| (shape.variables(), table))
    }

    /// The number of levels of each variable.
    pub(super) fn cardinalities(&self) -> &[u32] {
        self.potentials.cardinalities()
    }

    /// Replaces `energies` by the probabilities of a variable's levels given a row of the
    /// levels of all others.
    pub(super) fn conditional(&self, variable: Var, row: &[u32], energies: &mut Vec<f64>) {
        self.potentials.energies(variable, row, energies);
        softmax(energies);
    }
}

/// Tables of zeros, if they fit.
fn zeros(cliques: &[VarSet], cardinalities: &[u32], memory: u64) -> Result<Potentials> {
    let bytes = bytes(cliques, cardinalities);
    if bytes > memory {
        return Err(Error::limit(
            format!("{bytes} bytes of clique tables"),
            format!("{memory} bytes"),
            Remedy::MoreMemory,
        ));
    }
    Ok(Potentials::zeros(cliques.iter(), cardinalities))
}
