//! Joint distributions of the variables around an edge, from one tree for all edges.
//!
//! An elimination of its own for each edge goes through the whole network each time. A calibrated
//! tree holds the rest of the network in its tables already: what is left to sum out lies in the
//! cliques with an end of the edge.

use super::joint::Joint;
use crate::control::Pace;
use crate::data::Var;
use crate::error::Result;
use crate::graph::Edge;
use crate::table::Shape;
use crate::tree::{JunctionTree, Propagation};

/// A tree of what evidence leaves, with the cliques of each variable.
#[derive(Debug)]
pub(super) struct Neighbourhoods<'a> {
    cardinalities: &'a [u32],
    tree: &'a JunctionTree,
    at: Vec<Vec<usize>>,
}

/// What is done in one clique: a product over `all`, summed to what `kept` has.
#[derive(Debug)]
struct Step {
    clique: usize,
    /// The step of the clique towards the root; none in the last step.
    parent: Option<usize>,
    all: Shape,
    kept: Shape,
}

/// How the joint distribution of some variables is found: cliques before their parents.
#[derive(Debug)]
pub(super) struct Route {
    steps: Vec<Step>,
    /// Tables that are held at once at most, in bytes.
    pub(super) bytes: u64,
}

/// Which variables, and where they are found.
#[derive(Clone, Copy, Debug)]
pub(super) struct Around<'b> {
    pub(super) edge: Edge,
    /// The variables: the ends, and neighbours of an end.
    pub(super) targets: &'b [Var],
    /// All of them are neighbours of both ends.
    pub(super) common: bool,
}

impl<'a> Neighbourhoods<'a> {
    pub(super) fn new(tree: &'a JunctionTree, cardinalities: &'a [u32]) -> Self {
        let mut at = vec![Vec::new(); cardinalities.len()];
        for (index, clique) in tree.cliques().iter().enumerate() {
            clique.shape().variables().iter().for_each(|&v| at[v].push(index));
        }
        Self { cardinalities, tree, at }
    }

    /// The cliques that hold an end of an edge, or both ends, ascending: a connected part of the tree.
    fn cliques(&self, Around { edge, common, .. }: Around<'_>) -> Vec<usize> {
        let (low, high) = (&self.at[edge.low()], &self.at[edge.high()]);
        if common {
            return low.iter().copied().filter(|clique| high.binary_search(clique).is_ok()).collect();
        }
        let mut cliques = [low.as_slice(), high.as_slice()].concat();
        cliques.sort_unstable();
        cliques.dedup();
        cliques
    }

    /// How to find the joint distribution of variables around an edge, if its tables have at most so
    /// many bytes, and fewer cells than the whole tree: else an elimination is no more work.
    pub(super) fn route(&self, around: Around<'_>, most_bytes: u64) -> Option<Route> {
        let cliques = self.cliques(around);
        let mut steps: Vec<Step> = Vec::with_capacity(cliques.len());
        let mut incoming: Vec<Vec<Var>> = vec![Vec::new(); cliques.len()];
        let (mut held, mut bytes, mut work) = (0u64, 0u64, 0u64);
        for (place, &index) in cliques.iter().enumerate().rev() {
            let clique = &self.tree.cliques()[index];
            let mut all: Vec<Var> = clique.shape().variables().to_vec();
            let more = std::mem::take(&mut incoming[place]);
            for v in more {
                if !all.contains(&v) {
                    all.push(v);
                }
            }
            let parent = clique.parent().and_then(|parent| cliques.binary_search(&parent).ok());
            let separator = clique.separator().filter(|_| parent.is_some());
            let separator = separator.map_or(&[][..], Shape::variables);
            let wanted = |v: &&Var| around.targets.contains(v) && !separator.contains(v);
            let kept: Vec<Var> = match parent {
                Some(parent) => {
                    let kept: Vec<Var> = separator.iter().chain(all.iter().filter(wanted)).copied().collect();
                    incoming[parent].extend(&kept);
                    kept
                }
                // The last table is in the order asked for, and has all of it or is of no use.
                None if place == 0 => around.targets.to_vec(),
                None => return None,
            };
            if !kept.iter().all(|v| all.contains(v)) {
                return None;
            }
            // The product, a factor spread over it, and what other cliques left.
            let (product, rest) = (self.bytes(&all), self.bytes(&kept));
            held = held.saturating_add(rest);
            bytes = bytes.max(held.saturating_add(product.saturating_mul(2)));
            work = work.saturating_add(product / 8);
            if bytes > most_bytes || work > self.tree.cost().cells {
                return None;
            }
            let shape = |variables| Shape::new(variables, self.cardinalities);
            steps.push(Step { clique: index, parent, all: shape(all), kept: shape(kept) });
        }
        // Steps are named by their place from here on.
        let last = steps.len().checked_sub(1)?;
        for step in &mut steps {
            step.parent = step.parent.map(|place| last - place);
        }
        Some(Route { steps, bytes })
    }

    fn bytes(&self, variables: &[Var]) -> u64 {
        variables.iter().fold(8u64, |size, &v| size.saturating_mul(self.cardinalities[v].into()))
    }

    /// The joint distribution at the end of a route, given the tables of the tree.
    pub(super) fn joint(&self, route: &Route, tables: &Propagation, pace: &mut Pace<'_>) -> Result<Joint> {
        let mut messages: Vec<Vec<(&Shape, Vec<f64>)>> = vec![Vec::new(); route.steps.len()];
        let mut found = Vec::new();
        for (place, step) in route.steps.iter().enumerate() {
            let known = if step.parent.is_some() {
                tables.conditional(step.clique)
            } else {
                tables.marginal(step.clique)
            };
            let own = self.tree.cliques()[step.clique].shape();
            let mut product = vec![0.0; step.all.size()];
            step.all.walk_onto(own).spread_under(known, &mut product, pace)?;
            for (shape, message) in std::mem::take(&mut messages[place]) {
                let mut factor = vec![0.0; product.len()];
                step.all.walk_onto(shape).spread_under(&message, &mut factor, pace)?;
                product.iter_mut().zip(&factor).for_each(|(p, factor)| *p *= factor);
            }
            let mut sums = vec![0.0; step.kept.size()];
            step.all.walk_onto(&step.kept).gather_under(&product, &mut sums, pace)?;
            match step.parent {
                Some(parent) => messages[parent].push((&step.kept, sums)),
                None => found = sums,
            }
        }
        let variables = route.steps.last().map_or_else(Vec::new, |step| step.kept.variables().to_vec());
        Ok(Joint { shape: Shape::new(variables, self.cardinalities), probabilities: found })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Graph;

    /// Cells of all tables that the strengths of all edges take, besides those of the tree.
    fn work(edges: &[(Var, Var)], nodes: usize) -> u64 {
        let mut graph = Graph::empty(nodes);
        for &(one, other) in edges {
            graph.add_edge(Edge::new(one, other).unwrap());
        }
        let cardinalities = vec![2; nodes];
        let tree = JunctionTree::new(&graph, &cardinalities, 1 << 30).unwrap();
        let around = Neighbourhoods::new(&tree, &cardinalities);
        let mut cells = 0;
        for edge in graph.edges() {
            let blankets = [edge.low(), edge.high()].map(|end| graph.markov_blanket(end));
            let common = blankets.iter().any(|blanket| blanket.len() > 12);
            let mut targets = vec![edge.low(), edge.high()];
            if !common {
                targets.extend(blankets.into_iter().flat_map(crate::graph::VarSet::iter));
                targets.sort_unstable();
                targets.dedup();
            }
            let route = around.route(Around { edge, targets: &targets, common }, 1 << 26).unwrap();
            cells += route.steps.iter().map(|step| step.all.size() as u64).sum::<u64>();
        }
        cells
    }

    #[test]
    fn twenty_thousand_edges_take_work_for_each_and_not_for_each_pair() {
        let nodes = 20_000;
        let path: Vec<(Var, Var)> = (1..nodes).map(|v| (v - 1, v)).collect();
        assert!(work(&path, nodes) < 64 * nodes as u64);
        let leaves = 2_000;
        let star: Vec<(Var, Var)> = (1..=leaves).map(|v| (0, v)).collect();
        assert!(work(&star, leaves + 1) < 64 * leaves as u64);
    }
}
