//! The part of a network that a question about one variable depends on, renumbered, so that
//! its cost does not grow with what lies beyond.

use super::cut_edges::holds;
use super::network::Network;
use crate::control::Control;
use crate::data::Var;
use crate::error::Result;
use crate::graph::{Edge, Graph, VarSet};
use crate::table::{Homes, shares_of_levels};
use crate::tree::{Clique, JunctionTree, Propagation, best_plan};
use std::collections::BTreeMap;

/// The unobserved variables that are connected to a variable without passing through observed
/// ones or cut edges, and the observed ones next to them: given these, nothing else matters.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Region {
    /// The unobserved variables, ascending, with the variable asked about.
    members: VarSet,
    /// The edges that are left among them, by place in `members`.
    edges: Vec<(usize, usize)>,
}

/// The levels of the observed variables next to a region, ascending.
pub(super) type Border = Vec<(Var, u32)>;

impl Region {
    /// The region around an unobserved variable. `level` says what is known of others.
    pub(super) fn around(
        network: &Network,
        target: Var,
        level: &impl Fn(Var) -> Option<u32>,
    ) -> (Self, Border) {
        let closed = network.closed();
        let mut members = VarSet::from_iter([target]);
        let mut border: BTreeMap<Var, u32> = BTreeMap::new();
        let mut pairs: Vec<(Var, Var)> = Vec::new();
        let mut open = vec![target];
        while let Some(one) = open.pop() {
            for other in closed.markov_blanket(one).iter() {
                if let Some(level) = level(other) {
                    border.insert(other, level);
                    continue;
                }
                let context = Edge::new(one, other).ok().and_then(|edge| closed.context(edge));
                if context.is_some_and(|context| holds(context, level)) {
                    continue;
                }
                if one < other {
                    pairs.push((one, other));
                }
                if !members.contains(other) {
                    members.toggle(other);
                    open.push(other);
                }
            }
        }
        pairs.sort_unstable();
        let place = |v: Var| members.as_slice().binary_search(&v).unwrap_or(0);
        let edges = pairs.into_iter().map(|(one, other)| (place(one), place(other))).collect();
        (Self { members, edges }, border.into_iter().collect())
    }

    pub(super) fn members(&self) -> &VarSet {
        &self.members
    }

    /// The region's own graph and numbers of levels.
    fn graph(&self, network: &Network) -> Result<(Graph, Vec<u32>)> {
        let mut graph = Graph::empty(self.members.len());
        for &(one, other) in &self.edges {
            graph.add_edge(Edge::new(one, other)?);
        }
        Ok((graph, self.members.iter().map(|v| network.cardinalities()[v]).collect()))
    }
}

/// A junction tree of a region: the same for all rows with this region.
#[derive(Clone, Debug)]
pub(super) struct RegionTree {
    members: VarSet,
    graph: Graph,
    cardinalities: Vec<u32>,
    tree: JunctionTree,
}

impl RegionTree {
    pub(super) fn new(network: &Network, region: &Region, memory: u64) -> Result<Self> {
        let (graph, cardinalities) = region.graph(network)?;
        let all: VarSet = (0..graph.nodes()).collect();
        let tree = best_plan(&graph, &all, &cardinalities, memory / 16).build(&cardinalities, memory)?;
        Ok(Self { members: region.members.clone(), graph, cardinalities, tree })
    }

    /// Cells of all tables.
    pub(super) fn cells(&self) -> u64 {
        self.tree.cost().cells
    }

    /// The log of the distribution of a member, up to a constant, given the levels around the
    /// region.
    pub(super) fn marginal(
        &self,
        network: &Network,
        target: Var,
        level: &impl Fn(Var) -> Option<u32>,
        control: &dyn Control,
    ) -> Result<Vec<f64>> {
        let terms = self.terms(network, level);
        let homes = Homes::new(self.tree.cliques().iter().map(Clique::shape), self.cardinalities.len());
        let mut propagation = Propagation::new(&self.tree);
        let borrowed = terms.iter().map(|(variables, values)| (variables, values.as_slice()));
        homes.fill(borrowed, propagation.log_potentials(), control)?;
        propagation.collect_under(&self.tree, control)?;
        propagation.distribute_under(&self.tree, control)?;
        let place = self.members.position(target).unwrap_or(0);
        let home = self.tree.home(&[place]).unwrap_or(0);
        Ok(shares_of_levels(self.tree.cliques()[home].shape(), propagation.marginal(home), place))
    }

    /// The terms over the region's members, renumbered, with those of sets that reach into
    /// the border added: each term once, at the set's lowest member.
    fn terms(&self, network: &Network, level: &impl Fn(Var) -> Option<u32>) -> BTreeMap<VarSet, Vec<f64>> {
        let values = network.parameters().values();
        let mut terms: BTreeMap<VarSet, Vec<f64>> = BTreeMap::new();
        for (place, member) in self.members.iter().enumerate() {
            for set in network.terms().sets_with(member) {
                let inside: Option<Vec<usize>> = set
                    .variables()
                    .iter()
                    .filter(|&v| level(v).is_none())
                    .map(|v| self.members.position(v))
                    .collect();
                // A set with an unobserved variable outside is cut, its terms sum to zero.
                let Some(inside) = inside.filter(|inside| inside.first() == Some(&place)) else { continue };
                let inside: VarSet = inside.into_iter().collect();
                if !self.graph.is_complete(&inside) {
                    continue;
                }
                if let Some(slice) = set.slice(level) {
                    let sums = terms.entry(inside).or_insert_with(|| vec![0.0; slice.len()]);
                    sums.iter_mut().zip(slice).for_each(|(sum, term)| *sum += values[term]);
                }
            }
        }
        terms
    }
}
