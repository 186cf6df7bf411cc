//! A network given hard evidence: terms conditioned, and the edges that the evidence cuts
//! gone (paper, Proposition 2 read backwards).
//!
//! With x_E = e the terms over a set B of unobserved variables become the sum of
//! phi_{B+F}(x_B, e_F) over F inside E: again terms that vanish where a level is 0. When
//! every completion of e to the common neighbours of an edge {i,j} lies in C(i,j), the
//! restrictions say that all conditioned terms over sets with i and j are zero. That is
//! decided from the contexts and never from a number: such terms are dropped, and with them
//! the edge, before anything is triangulated.

use super::evidence::Evidence;
use super::network::Network;
use crate::context::EdgeContext;
use crate::control::{Control, Pace};
use crate::data::Var;
use crate::error::Result;
use crate::graph::{Edge, Graph, VarSet, components};
use crate::loglinear::TermSet;
use crate::structure::Structure;
use crate::table::{Homes, SetTerms, add_along};

/// What is left of a network under evidence.
#[derive(Clone, Debug)]
pub struct Conditioned<'a> {
    network: &'a Network,
    evidence: Evidence,
    free: VarSet,
    graph: Graph,
    cut: Vec<Edge>,
    /// Conditioned values of sets that differ from the network's.
    changed: Vec<Option<Vec<f64>>>,
    /// The sets that are left.
    alive: Vec<usize>,
    constant: f64,
}

impl<'a> Conditioned<'a> {
    /// Conditions a network, and deletes the edges that the evidence cuts if asked to.
    pub(super) fn new(network: &'a Network, evidence: &Evidence, delete_cut: bool) -> Self {
        let structure = network.structure();
        let free: VarSet = (0..structure.variables()).filter(|&v| evidence.level(v).is_none()).collect();
        let cut = if delete_cut { network.cut_edges(evidence) } else { Vec::new() };
        let mut graph = Graph::empty(structure.variables());
        let ends_free = |edge: &Edge| free.contains(edge.low()) && free.contains(edge.high());
        let left =
            structure.graph().edges().filter(ends_free).filter(|edge| cut.binary_search(edge).is_err());
        left.for_each(|edge| {
            graph.add_edge(edge);
        });
        let mut conditioned = Self {
            network,
            evidence: evidence.clone(),
            free,
            graph,
            cut,
            changed: vec![None; network.terms().sets().len()],
            alive: Vec::new(),
            constant: 0.0,
        };
        conditioned.take_terms();
        conditioned
    }

    fn take_terms(&mut self) {
        for (index, set) in self.network.terms().sets().iter().enumerate() {
            if set.variables().iter().all(|v| self.free.contains(v)) {
                if self.cut.is_empty() || self.graph.is_complete(set.variables()) {
                    self.alive.push(index);
                }
            } else {
                self.take_slice(set);
            }
        }
    }

    /// Adds the slice of a set's terms that the evidence selects to the terms of its
    /// unobserved members.
    fn take_slice(&mut self, set: &TermSet) {
        let (network, known) = (self.network, |v| self.evidence.level(v));
        let Some(slice) = set.slice(known) else { return };
        let values = network.parameters().values();
        let variables: VarSet = set.variables().iter().filter(|&v| known(v).is_none()).collect();
        if variables.is_empty() {
            self.constant += values[slice[0]];
            return;
        }
        if !self.cut.is_empty() && !self.graph.is_complete(&variables) {
            return;
        }
        // A subset of a complete set is complete, so that it has terms of its own.
        let Some(home) = network.terms().place(&variables) else { return };
        let unchanged = || network.parameters().of_set(&network.terms().sets()[home]).to_vec();
        let own = self.changed[home].get_or_insert_with(unchanged);
        own.iter_mut().zip(slice).for_each(|(sum, term)| *sum += values[term]);
    }

    /// The unobserved variables.
    pub fn free(&self) -> &VarSet {
        &self.free
    }

    /// The evidence.
    pub fn evidence(&self) -> &Evidence {
        &self.evidence
    }

    /// The network.
    pub fn network(&self) -> &'a Network {
        self.network
    }

    /// The edges that are left between unobserved variables.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// The edges between unobserved variables that the evidence cuts, in order.
    pub fn cut(&self) -> &[Edge] {
        &self.cut
    }

    /// The sum of all terms that the evidence fixes.
    pub(super) fn constant(&self) -> f64 {
        self.constant
    }

    /// The unobserved variables that are connected to some of these without passing through
    /// evidence or a cut edge: all that matters for a question about them.
    pub fn relevant(&self, targets: &VarSet) -> VarSet {
        let parts = components(&self.graph);
        let matters = |part: &&VarSet| targets.iter().any(|target| part.contains(target));
        parts.iter().filter(matters).flat_map(VarSet::iter).collect()
    }

    /// The sets with terms that are left, with the terms.
    pub(super) fn terms(&self) -> impl Iterator<Item = SetTerms<'_>> + '_ {
        self.alive.iter().map(|&index| {
            let set = &self.network.terms().sets()[index];
            let unchanged = || self.network.parameters().of_set(set);
            (set.variables(), self.changed[index].as_deref().unwrap_or_else(unchanged))
        })
    }

    /// Fills tables of zeros, whose variables are unobserved, with log potentials: each set of
    /// terms and each soft observation goes to the first table that contains it. Terms over
    /// variables that no table holds together are left out.
    pub(super) fn fill(
        &self,
        homes: &Homes<'_>,
        tables: &mut [Vec<f64>],
        control: &dyn Control,
    ) -> Result<()> {
        homes.fill(self.terms(), tables, control)?;
        let mut pace = Pace::new(control);
        for (variable, weights) in self.evidence.soft() {
            if let Some((home, shape)) = homes.of_variable(variable) {
                add_along(shape, variable, weights, &mut tables[home], &mut pace)?;
            }
        }
        Ok(())
    }
}

/// The edges between unobserved variables that evidence cuts, in order: those whose context
/// holds whatever the unobserved common neighbours are, and those that the closed structure
/// does without altogether.
///
/// `closed` is the structure with what its contexts imply; the structure itself where that is
/// not known.
pub fn cut_edges(structure: &Structure, closed: &Structure, evidence: &Evidence) -> Vec<Edge> {
    let free = |v| evidence.level(v).is_none();
    let is_cut = |edge: &Edge| {
        let known = |v| evidence.level(v);
        !closed.graph().contains(*edge) || closed.context(*edge).is_some_and(|context| holds(context, known))
    };
    let ends_free = |edge: &Edge| free(edge.low()) && free(edge.high());
    structure.graph().edges().filter(ends_free).filter(is_cut).collect()
}

impl Network {
    /// The edges between unobserved variables that evidence cuts, in order.
    pub fn cut_edges(&self, evidence: &Evidence) -> Vec<Edge> {
        cut_edges(self.structure(), self.closed(), evidence)
    }
}

/// Whether all completions of what is known to the common neighbours are in the context.
pub(super) fn holds(context: &EdgeContext, known: impl Fn(Var) -> Option<u32>) -> bool {
    let space = context.space();
    let mut fixed = Vec::new();
    let mut completions: u64 = 1;
    for (position, v) in space.variables().iter().enumerate() {
        match known(v) {
            Some(level) => fixed.push((position, level)),
            None => completions = completions.saturating_mul(space.cardinalities()[position].into()),
        }
    }
    let fits = |&cell: &u64| fixed.iter().all(|&(position, level)| space.level(cell, position) == level);
    completions <= context.len() as u64 && context.elements().filter(fits).count() as u64 == completions
}
