//! What evidence does to a network: edges cut, edges left and how strong they are, and what
//! has become independent of what.

use super::cut_edges::cut_edges;
use super::evidence::Evidence;
use super::neighbourhood::{Around, Neighbourhoods};
use super::network::Network;
use super::options::ExactOptions;
use crate::control::{Pace, Under};
use crate::data::Var;
use crate::error::{ErrorKind, Result};
use crate::graph::{Edge, Graph, VarSet, components};
use crate::structure::Structure;
use crate::tree::{JunctionTree, Propagation, TreeCost};
use std::collections::BTreeSet;

/// Cells of the joint table up to which the strength of an edge is given everything else.
const MOST_CELLS: u64 = 1 << 18;

/// Cells of the tree times edges up to which each edge has an elimination of its own: what takes
/// less than a moment has the same bits in every version.
const MOST_ELIMINATED: u64 = 1 << 22;

/// An edge that is left, and how much its ends tell about each other.
#[derive(Clone, Debug, PartialEq)]
pub struct EdgeStrength {
    /// The edge.
    pub edge: Edge,
    /// Conditional mutual information in nats, given the evidence and `given`; `None` when
    /// even that takes too large a table.
    pub information: Option<f64>,
    /// All unobserved neighbours of both ends, which stands for everything else; or their
    /// common neighbours only, where that is too large a table.
    pub given: VarSet,
    /// Whether `given` stands for everything else.
    pub given_all: bool,
}

/// What a network says given evidence.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// The unobserved variables.
    pub free: VarSet,
    /// The edges between unobserved variables that the evidence cuts.
    pub cut: Vec<Edge>,
    /// The edges that are left.
    pub edges: Vec<EdgeStrength>,
    /// The graph that is left.
    pub graph: Graph,
    /// Groups of unobserved variables that are independent of each other given the evidence.
    pub groups: Vec<VarSet>,
    /// The groups that hung together without the evidence, two or more each time: members of
    /// different ones are newly independent.
    pub splits: Vec<Vec<VarSet>>,
}

/// Two variables without an edge, and what makes them independent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Separation {
    /// The variables, the lower one first.
    pub pair: (Var, Var),
    /// A set that separates them, given the evidence: without any of its members it does not.
    pub given: VarSet,
}

impl Network {
    /// Explains what evidence does to the network.
    ///
    /// # Errors
    /// When the evidence has probability 0; when the control asks to stop.
    pub fn explain<'e>(
        &self,
        evidence: &Evidence,
        exact: impl Into<Under<'e, ExactOptions>>,
    ) -> Result<Explanation> {
        let exact = exact.into();
        let mut explanation = Explanation::of_structure(self.structure(), self.closed(), evidence);
        let small = small(&exact);
        let posterior = match self.shared_tree(&explanation, evidence, &small) {
            Some(_) => Some(self.posterior(evidence, exact.with(&small))?),
            None => None,
        };
        let shared = posterior.as_ref().map(|known| Shared {
            around: Neighbourhoods::new(known.tree(), self.cardinalities()),
            tables: known.propagation(),
        });
        let left = posterior.as_ref().map_or(small.clone(), |known| beside(known.cost(), &small));
        for strength in &mut explanation.edges {
            let how = (shared.as_ref(), exact.with(&left));
            *strength = self.strength(&explanation.graph, strength.edge, evidence, how)?;
        }
        Ok(explanation)
    }

    /// What the strengths of edges take at most at a time: cells and bytes of the costliest
    /// elimination, or of the tree that many edges share, known before anything is allocated.
    pub fn explain_cost(&self, evidence: &Evidence, exact: &ExactOptions) -> (TreeCost, u64) {
        let explanation = Explanation::of_structure(self.structure(), self.closed(), evidence);
        let small = small(exact);
        let none = TreeCost { at_least: false, cells: 0, largest: 0, width: 0, fill: 0 };
        let tree = self.shared_tree(&explanation, evidence, &small);
        let around = tree.as_ref().map(|tree| (Neighbourhoods::new(tree, self.cardinalities()), tree.cost()));
        let mut most = around.as_ref().map_or((none, 0), |(_, cost)| (*cost, cost.bytes(2)));
        let left = around.as_ref().map_or(small.clone(), |(_, cost)| beside(*cost, &small));
        let held = small.memory - left.memory;
        for strength in &explanation.edges {
            let (given, given_all) = self.conditional_on(&explanation.graph, strength.edge);
            let (low, high) = strength.edge.ends();
            let together: Vec<Var> = given.iter().chain([low, high]).collect();
            if let Some((around, cost)) = &around {
                let about = Around { edge: strength.edge, targets: &together, common: !given_all };
                if let Some(route) = around.route(about, left.memory) {
                    most.1 = most.1.max(cost.bytes(2) + route.bytes);
                    continue;
                }
            }
            let found = self.joint_cost(&together, evidence, &left);
            if !found.cost.at_least && found.bytes <= left.memory && held + found.bytes > most.1 {
                most = (found.cost, held + found.bytes);
            }
        }
        most
    }

    /// The tree that the edges share, where an elimination for each would take long, the tree fits
    /// the memory, and nearly all edges are near in it: in a wide tree none is.
    fn shared_tree(
        &self,
        explanation: &Explanation,
        evidence: &Evidence,
        small: &ExactOptions,
    ) -> Option<JunctionTree> {
        let cost = self.cost(evidence, small);
        let long = cost.cells.saturating_mul(explanation.edges.len() as u64) > MOST_ELIMINATED;
        if cost.at_least || !long {
            return None;
        }
        let tree = self.tree(evidence, small).ok()?;
        let (around, left) = (Neighbourhoods::new(&tree, self.cardinalities()), beside(cost, small));
        let is_near = |strength: &&EdgeStrength| {
            let (given, given_all) = self.conditional_on(&explanation.graph, strength.edge);
            let (low, high) = strength.edge.ends();
            let together: Vec<Var> = given.iter().chain([low, high]).collect();
            let about = Around { edge: strength.edge, targets: &together, common: !given_all };
            around.route(about, left.memory).is_some()
        };
        let near = explanation.edges.iter().filter(is_near).count();
        (10 * near >= 9 * explanation.edges.len()).then_some(tree)
    }

    /// What the strength of an edge is conditional on, and whether that stands for all else.
    fn conditional_on(&self, graph: &Graph, edge: Edge) -> (VarSet, bool) {
        let (low, high) = edge.ends();
        let blankets = [low, high].map(|end| graph.markov_blanket(end));
        // A hub is known by the first of its neighbours: all of them, for each of its edges, take long.
        if blankets.iter().any(|blanket| self.cells_beyond(blanket, MOST_CELLS)) {
            return (graph.common_neighbors(edge), false);
        }
        let around = blankets.into_iter().flat_map(VarSet::iter);
        let around: VarSet = around.filter(|&v| !edge.touches(v)).collect();
        let given_all = self.cells_with(&around, edge) <= MOST_CELLS;
        (if given_all { around } else { graph.common_neighbors(edge) }, given_all)
    }

    /// Whether a table over these variables has more cells than that.
    fn cells_beyond(&self, variables: &VarSet, most: u64) -> bool {
        let mut cells = 1u64;
        variables.iter().any(|v| {
            cells = cells.saturating_mul(self.cardinalities()[v].into());
            cells > most
        })
    }

    fn cells_with(&self, given: &VarSet, edge: Edge) -> u64 {
        let members = given.iter().chain([edge.low(), edge.high()]);
        members.fold(1u64, |size, v| size.saturating_mul(self.cardinalities()[v].into()))
    }

    fn strength(
        &self,
        graph: &Graph,
        edge: Edge,
        evidence: &Evidence,
        (shared, exact): (Option<&Shared<'_>>, Under<'_, ExactOptions>),
    ) -> Result<EdgeStrength> {
        let (low, high) = edge.ends();
        let (given, given_all) = self.conditional_on(graph, edge);
        let strength = |information| EdgeStrength { edge, information, given: given.clone(), given_all };
        if self.cells_with(&given, edge) > MOST_CELLS {
            return Ok(strength(None));
        }
        let together: Vec<Var> = given.iter().chain([low, high]).collect();
        if let Some(shared) = shared {
            let about = Around { edge, targets: &together, common: !given_all };
            if let Some(route) = shared.around.route(about, exact.memory) {
                let mut pace = Pace::new(exact.control());
                let joint = shared.around.joint(&route, shared.tables, &mut pace)?;
                return Ok(strength(Some(joint.information(given.len(), 1, &mut pace)?)));
            }
        }
        match self.mutual_information((&[low], &[high]), given.as_slice(), evidence, exact) {
            Ok(information) => Ok(strength(Some(information))),
            Err(error) if matches!(error.kind(), ErrorKind::Limit { .. }) => Ok(strength(None)),
            Err(error) => Err(error),
        }
    }
}

/// A tree with its tables that the edges share.
struct Shared<'a> {
    around: Neighbourhoods<'a>,
    tables: &'a Propagation,
}

/// The options with the memory that is left beside the two tables of each clique.
fn beside(cost: TreeCost, exact: &ExactOptions) -> ExactOptions {
    ExactOptions { memory: exact.memory.saturating_sub(cost.bytes(2)), ..exact.clone() }
}

/// The strength of one edge is not worth more memory than this.
fn small(exact: &ExactOptions) -> ExactOptions {
    ExactOptions { memory: exact.memory.min(64 << 20), ..exact.clone() }
}

impl Explanation {
    /// What evidence does to a structure, without the strength of edges, which takes
    /// parameters. `closed` is the structure with what its contexts imply, or itself.
    pub fn of_structure(structure: &Structure, closed: &Structure, evidence: &Evidence) -> Self {
        let free: VarSet = (0..structure.variables()).filter(|&v| evidence.level(v).is_none()).collect();
        let cut = cut_edges(structure, closed, evidence);
        let mut graph = Graph::empty(structure.variables());
        let stays = |edge: &Edge| {
            free.contains(edge.low()) && free.contains(edge.high()) && cut.binary_search(edge).is_err()
        };
        for edge in structure.graph().edges().filter(stays) {
            graph.add_edge(edge);
        }
        let unknown = |edge| EdgeStrength {
            edge,
            information: None,
            given: graph.common_neighbors(edge),
            given_all: false,
        };
        let edges = graph.edges().map(unknown).collect();
        let groups: Vec<VarSet> =
            components(&graph).into_iter().filter(|part| part.iter().all(|v| free.contains(v))).collect();
        let splits = splits(&groups, closed);
        Self { free, cut, edges, graph, groups, splits }
    }

    /// The pairs of unobserved variables that hang together without an edge between them, in
    /// order, each with a smallest set that separates it near its lower end.
    pub fn separations(&self) -> impl Iterator<Item = Separation> + '_ {
        let apart = |group: &VarSet, low: Var| -> Vec<(Var, Var)> {
            let near = self.graph.markov_blanket(low);
            group.iter().filter(|&v| v > low && !near.contains(v)).map(|high| (low, high)).collect()
        };
        let pairs = self.groups.iter().flat_map(move |group| group.iter().flat_map(move |v| apart(group, v)));
        pairs.map(|(low, high)| Separation { pair: (low, high), given: self.separator(low, high) })
    }

    /// How many such pairs there are, without looking for what separates them.
    pub fn separation_count(&self) -> usize {
        let pairs = |group: &VarSet| group.len() * group.len().saturating_sub(1) / 2;
        self.groups.iter().map(pairs).sum::<usize>() - self.graph.edge_count()
    }

    /// The neighbours of one variable from which another can be reached without passing
    /// through other neighbours: minimal, since each has a way to both ends.
    fn separator(&self, one: Var, other: Var) -> VarSet {
        let near = self.graph.markov_blanket(one);
        let mut seen = VarSet::default();
        let mut reached = VarSet::from_iter([other]);
        let mut open = vec![other];
        while let Some(node) = open.pop() {
            for next in self.graph.markov_blanket(node).iter() {
                if near.contains(next) {
                    if !seen.contains(next) {
                        seen.toggle(next);
                    }
                } else if !reached.contains(next) {
                    reached.toggle(next);
                    open.push(next);
                }
            }
        }
        seen
    }

    /// Whether two unobserved variables are independent given the evidence and some others:
    /// separation in the graph that is left.
    pub fn separated(&self, one: Var, other: Var, given: &VarSet) -> bool {
        let mut seen: Vec<bool> = vec![false; self.graph.nodes()];
        let mut open = vec![one];
        while let Some(node) = open.pop() {
            if node == other {
                return false;
            }
            if std::mem::replace(&mut seen[node], true) {
                continue;
            }
            open.extend(self.graph.markov_blanket(node).iter().filter(|&v| !seen[v] && !given.contains(v)));
        }
        true
    }
}

/// The groups of each component of the closed structure that falls into several.
fn splits(groups: &[VarSet], closed: &Structure) -> Vec<Vec<VarSet>> {
    let mut group_of = vec![None; closed.variables()];
    for (index, group) in groups.iter().enumerate() {
        group.iter().for_each(|v| group_of[v] = Some(index));
    }
    let pieces = |whole: &VarSet| -> Vec<VarSet> {
        let found: BTreeSet<usize> = whole.iter().filter_map(|v| group_of[v]).collect();
        found.into_iter().map(|index| groups[index].clone()).collect()
    };
    components(closed.graph()).iter().map(pieces).filter(|parts| parts.len() > 1).collect()
}
