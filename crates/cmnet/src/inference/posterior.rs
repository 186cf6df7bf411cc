//! All that a junction tree knows once evidence has gone through it.

use super::cut_edges::Conditioned;
use super::evidence::{Evidence, impossible};
use super::network::Network;
use super::options::ExactOptions;
use super::random::pick;
use crate::control::{Under, ask};
use crate::data::Var;
use crate::error::Result;
use crate::graph::VarSet;
use crate::table::{Homes, shares_of_levels};
use crate::tree::{Clique, JunctionTree, Propagation, TreeCost, TreePlan, best_plan};
use rand::Rng;

/// The distribution of the unobserved variables given evidence, as a calibrated tree.
#[derive(Clone, Debug)]
pub struct Posterior<'a> {
    conditioned: Conditioned<'a>,
    tree: JunctionTree,
    propagation: Propagation,
    /// The smallest clique of each variable; none for observed ones.
    homes: Vec<Option<usize>>,
}

impl Network {
    /// What a junction tree for this evidence costs, without building it.
    pub(super) fn cost(&self, evidence: &Evidence, exact: &ExactOptions) -> TreeCost {
        let conditioned = Conditioned::new(self, evidence, !exact.keep_cut_edges);
        plan(&conditioned, conditioned.free(), exact).cost
    }

    /// The tree of [`Network::posterior`], without its tables.
    pub(super) fn tree(&self, evidence: &Evidence, exact: &ExactOptions) -> Result<JunctionTree> {
        let conditioned = Conditioned::new(self, evidence, !exact.keep_cut_edges);
        plan(&conditioned, conditioned.free(), exact).build(self.cardinalities(), exact.memory)
    }

    /// What the tree costs for what matters to some variables only.
    pub(super) fn cost_about(&self, targets: &VarSet, evidence: &Evidence, exact: &ExactOptions) -> TreeCost {
        let conditioned = Conditioned::new(self, evidence, !exact.keep_cut_edges);
        plan(&conditioned, &conditioned.relevant(targets), exact).cost
    }

    /// The distribution of all unobserved variables given evidence, exactly.
    ///
    /// # Errors
    /// When the tree's tables do not fit the memory, before they are allocated; when the
    /// evidence has probability 0; when the control asks to stop.
    pub fn posterior<'e>(
        &self,
        evidence: &Evidence,
        exact: impl Into<Under<'e, ExactOptions>>,
    ) -> Result<Posterior<'_>> {
        let exact = exact.into();
        let conditioned = Conditioned::new(self, evidence, !exact.keep_cut_edges);
        let free = conditioned.free().clone();
        Posterior::new(conditioned, &free, exact)
    }

    /// The same for what matters to some variables only: parts of the network that evidence
    /// and cut edges separate from all of them are skipped.
    ///
    /// # Errors
    /// As [`Network::posterior`].
    pub fn posterior_about<'e>(
        &self,
        targets: &VarSet,
        evidence: &Evidence,
        exact: impl Into<Under<'e, ExactOptions>>,
    ) -> Result<Posterior<'_>> {
        let exact = exact.into();
        let conditioned = Conditioned::new(self, evidence, !exact.keep_cut_edges);
        let relevant = conditioned.relevant(targets);
        Posterior::new(conditioned, &relevant, exact)
    }

    /// What a tree for log Z costs; `None` where none is needed or none that fits.
    pub(super) fn partition_cost(&self, evidence: &Evidence, exact: &ExactOptions) -> Option<TreeCost> {
        if evidence.is_empty() || self.known_partition().is_some() {
            return None;
        }
        let cost = self.cost(&Evidence::none(), exact);
        (!cost.at_least && cost.bytes(2) <= exact.memory).then_some(cost)
    }

    /// The log-probability of evidence of which the log weight is known.
    pub(super) fn log_evidence(
        &self,
        log_weight: f64,
        evidence: &Evidence,
        exact: Under<'_, ExactOptions>,
    ) -> Result<f64> {
        if evidence.is_empty() { Ok(0.0) } else { Ok(log_weight - self.partition(exact)?) }
    }

    /// log Z: as the fit had it, else by a junction tree, which is built once.
    ///
    /// # Errors
    /// When it is not known and the tree does not fit the memory.
    fn partition(&self, exact: Under<'_, ExactOptions>) -> Result<f64> {
        if let Some(known) = self.known_partition() {
            return Ok(known);
        }
        let found = self.posterior(&Evidence::none(), exact)?.log_weight();
        Ok(*self.partition.get_or_init(|| found))
    }

    /// log Z, where the fit or an earlier question had it.
    pub(super) fn known_partition(&self) -> Option<f64> {
        self.parameters().log_partition().or_else(|| self.partition.get().copied())
    }
}

fn plan(conditioned: &Conditioned<'_>, variables: &VarSet, exact: &ExactOptions) -> TreePlan {
    let (graph, cardinalities) = (conditioned.graph(), conditioned.network().cardinalities());
    let most_cells = exact.memory / 16;
    match exact.rule {
        Some(rule) => TreePlan::new(graph, variables, cardinalities, rule, most_cells),
        None => best_plan(graph, variables, cardinalities, most_cells),
    }
}

impl<'a> Posterior<'a> {
    fn new(conditioned: Conditioned<'a>, variables: &VarSet, exact: Under<'_, ExactOptions>) -> Result<Self> {
        let control = exact.control();
        ask(control)?;
        let cardinalities = conditioned.network().cardinalities();
        let tree = plan(&conditioned, variables, &exact).build(cardinalities, exact.memory)?;
        let mut propagation = Propagation::new(&tree);
        let homes = Homes::new(tree.cliques().iter().map(Clique::shape), cardinalities.len());
        conditioned.fill(&homes, propagation.log_potentials(), control)?;
        if propagation.collect_under(&tree, control)? == f64::NEG_INFINITY {
            return Err(impossible());
        }
        propagation.distribute_under(&tree, control)?;
        let mut homes: Vec<Option<usize>> = vec![None; cardinalities.len()];
        let size = |clique: usize| tree.cliques()[clique].shape().size();
        for (index, clique) in tree.cliques().iter().enumerate() {
            for &v in clique.shape().variables() {
                if homes[v].is_none_or(|home| size(index) < size(home)) {
                    homes[v] = Some(index);
                }
            }
        }
        Ok(Self { conditioned, tree, propagation, homes })
    }

    /// The network under the evidence.
    pub fn conditioned(&self) -> &Conditioned<'a> {
        &self.conditioned
    }

    /// What the tree costs.
    pub fn cost(&self) -> TreeCost {
        self.tree.cost()
    }

    /// The junction tree of the unobserved variables.
    pub fn tree(&self) -> &JunctionTree {
        &self.tree
    }

    /// What the tree holds: the distribution of each clique, and that given its separator.
    pub fn propagation(&self) -> &Propagation {
        &self.propagation
    }

    /// The distribution of a variable over its levels; all on one level when that is given.
    ///
    /// # Panics
    /// When the variable does not exist, or is none that the question was about.
    pub fn marginal(&self, variable: Var) -> Vec<f64> {
        let cardinalities = self.conditioned.network().cardinalities();
        let mut certain = vec![0.0; cardinalities[variable] as usize];
        if let Some(level) = self.conditioned.evidence().level(variable) {
            certain[level as usize] = 1.0;
            return certain;
        }
        let home = self.homes[variable];
        assert!(home.is_some(), "variable {variable} was left out of this question");
        let Some(home) = home else { return certain };
        shares_of_levels(self.tree.cliques()[home].shape(), self.propagation.marginal(home), variable)
    }

    /// The distributions of all variables in column order.
    ///
    /// # Panics
    /// When the question was about some variables only.
    pub fn marginals(&self) -> Vec<Vec<f64>> {
        (0..self.homes.len()).map(|variable| self.marginal(variable)).collect()
    }

    /// The log of the sum of exp(energy) over all configurations that agree with the
    /// evidence, soft evidence multiplied in.
    pub(super) fn log_weight(&self) -> f64 {
        let settled = self.conditioned.evidence().settled_weight();
        self.conditioned.constant() + settled + self.propagation.log_partition()
    }

    /// The log-probability of the evidence; with soft evidence, of its expected weight.
    ///
    /// # Errors
    /// When log Z is not known and its tree does not fit the memory.
    pub fn log_evidence<'e>(&self, exact: impl Into<Under<'e, ExactOptions>>) -> Result<f64> {
        let (network, evidence) = (self.conditioned.network(), self.conditioned.evidence());
        network.log_evidence(self.log_weight(), evidence, exact.into())
    }

    /// The log-probability of a row of levels of all variables given the evidence.
    pub fn log_probability(&self, row: &[u32]) -> f64 {
        let evidence = self.conditioned.evidence();
        if evidence.hard().any(|(v, level)| row[v] != level) {
            return f64::NEG_INFINITY;
        }
        let soft: f64 = evidence.soft().map(|(v, weights)| weights[row[v] as usize]).sum();
        self.conditioned.network().parameters().energy(row) + soft - self.log_weight()
    }

    /// The entropy of the unobserved variables together, in nats.
    pub fn entropy(&self) -> f64 {
        let surprise = |(&p, &q): (&f64, &f64)| if p > 0.0 { -p * libm::log(q) } else { 0.0 };
        let clique = |index: usize| -> f64 {
            let pairs = self.propagation.marginal(index).iter().zip(self.propagation.conditional(index));
            pairs.map(surprise).sum()
        };
        (0..self.tree.cliques().len()).map(clique).sum()
    }

    /// What a draw takes, in cells of a table: each clique looks through half a run at most.
    pub(super) fn draw_work(&self) -> usize {
        let run = |clique: &Clique| 16 + clique.shape().size() / clique.separator_cells() / 2;
        self.tree.cliques().iter().map(run).sum()
    }

    /// Draws the unobserved variables into a row of levels; observed ones get theirs.
    ///
    /// Ancestral: each clique given its separator, from the roots outwards. Exact.
    pub fn draw(&self, random: &mut impl Rng, row: &mut [u32]) {
        self.conditioned.evidence().hard().for_each(|(v, level)| row[v] = level);
        for (index, clique) in self.tree.cliques().iter().enumerate() {
            let shape = clique.shape();
            let conditional = self.propagation.conditional(index);
            let run = shape.size() / clique.separator_cells();
            let base = clique.separator().map_or(0, |separator| separator.cell(row)) * run;
            let mut cell = pick(random, &conditional[base..base + run]);
            let own = clique.separator().map_or(0, |separator| separator.variables().len());
            for (place, &v) in shape.variables().iter().enumerate().skip(own) {
                row[v] = (cell / shape.strides()[place]) as u32;
                cell %= shape.strides()[place];
            }
        }
    }
}
