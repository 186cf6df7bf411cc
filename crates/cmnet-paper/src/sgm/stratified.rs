//! A stratified graphical model's structure: a chordal graph, its cliques with their labels
//! and its separators.

use super::labels::{LabelSpace, Labels};
use cmnet::{Edge, Graph, Nats, Result, Structure, VarSet};
use std::sync::Arc;

/// A clique with its labels.
#[derive(Clone, Debug)]
pub(super) struct LabelledClique {
    pub(super) members: VarSet,
    pub(super) space: LabelSpace,
    pub(super) labels: Labels,
    pub(super) log_likelihood: Nats,
}

impl LabelledClique {
    /// Conditional distributions that the labels save.
    pub(super) fn merged(&self) -> usize {
        let groups = self.space.groups(&self.labels);
        groups.iter().enumerate().filter(|&(cell, &group)| cell != group).count()
    }

    fn install(&self, structure: &mut Structure) -> Result<()> {
        let members = self.members.as_slice();
        for &label in &self.labels {
            let element = self.space.elements()[label as usize];
            let edge = Edge::new(members[element.low], members[element.high])?;
            let others = (0..members.len()).filter(|&place| place != element.low && place != element.high);
            let levels: Vec<u32> = others.map(|place| (element.cell >> place & 1) as u32).collect();
            // An edge of one clique only: its common neighbours are the clique's other nodes.
            let cell = structure.context_space(edge)?.cell(&levels);
            structure.add_context_element(edge, cell)?;
        }
        Ok(())
    }
}

/// A decomposable stratified graphical model's structure with its posterior.
#[derive(Clone, Debug)]
pub struct Stratified {
    pub(super) graph: Graph,
    pub(super) cliques: Vec<Arc<LabelledClique>>,
    pub(super) separators: Vec<VarSet>,
    /// The log marginal likelihood of graph and labels.
    pub log_marginal_likelihood: Nats,
    /// The log prior, not normalised: (d - f) ln 2.
    pub log_prior: Nats,
}

impl Stratified {
    /// The log of the posterior probability, up to a constant.
    pub fn log_posterior(&self) -> Nats {
        self.log_marginal_likelihood + self.log_prior
    }

    /// The graph, which is chordal.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// Graph and labels as a contextual structure: the same set of distributions.
    ///
    /// # Errors
    /// Never for a structure that the search has made.
    pub fn structure(&self) -> Result<Structure> {
        let mut structure = Structure::from_graph(self.graph.clone(), &vec![2; self.graph.nodes()])?;
        for clique in &self.cliques {
            clique.install(&mut structure)?;
        }
        Ok(structure)
    }

    /// The number of free parameters: those of the chordal graph, less the conditional
    /// distributions that labels merge.
    pub fn free_parameters(&self) -> usize {
        let cliques = self.cliques.iter().map(|clique| &clique.members);
        let merged: usize = self.cliques.iter().map(|clique| clique.merged()).sum();
        chordal_parameters(cliques, &self.separators) - merged
    }
}

/// f = the sum over cliques of 2^|C| - 1, less the same over separators.
pub(super) fn chordal_parameters<'a>(
    cliques: impl Iterator<Item = &'a VarSet>,
    separators: &[VarSet],
) -> usize {
    let size = |set: &VarSet| (1usize << set.len()) - 1;
    cliques.map(size).sum::<usize>() - separators.iter().map(size).sum::<usize>()
}
