//! What evidence does to a network: edges cut, edges left and how strong they are, and what
//! has become independent of what.

use super::ask::Ask;
use super::condition::cut_edges;
use super::evidence::Evidence;
use super::network::Network;
use crate::data::Var;
use crate::error::{ErrorKind, Result};
use crate::graph::{Edge, Graph, VarSet, components};
use crate::structure::Structure;

/// Cells of the joint table up to which the strength of an edge is given everything else.
const MOST_CELLS: u64 = 1 << 18;

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
}

impl Network {
    /// Explains what evidence does to the network.
    ///
    /// # Errors
    /// When the evidence has probability 0.
    pub fn explain(&self, evidence: &Evidence, ask: &Ask) -> Result<Explanation> {
        let mut explanation = Explanation::of_structure(self.structure(), evidence);
        let small = Ask { memory: ask.memory.min(64 << 20), ..ask.clone() };
        for strength in &mut explanation.edges {
            *strength = self.strength(&explanation.graph, strength.edge, evidence, &small)?;
        }
        Ok(explanation)
    }

    fn strength(&self, graph: &Graph, edge: Edge, evidence: &Evidence, ask: &Ask) -> Result<EdgeStrength> {
        let (low, high) = edge.ends();
        let around = graph.markov_blanket(low).iter().chain(graph.markov_blanket(high).iter());
        let around: VarSet = around.filter(|&v| !edge.touches(v)).collect();
        let cells = |given: &VarSet| {
            let members = given.iter().chain([low, high]);
            members.fold(1u64, |size, v| size.saturating_mul(self.cardinalities()[v].into()))
        };
        let given_all = cells(&around) <= MOST_CELLS;
        let given = if given_all { around } else { graph.common_neighbors(edge) };
        let information = if cells(&given) <= MOST_CELLS {
            match self.mutual_information((&[low], &[high]), given.as_slice(), evidence, ask) {
                Ok(information) => Some(information),
                Err(error) if matches!(error.kind(), ErrorKind::Limit { .. }) => None,
                Err(error) => return Err(error),
            }
        } else {
            None
        };
        Ok(EdgeStrength { edge, information, given, given_all })
    }
}

impl Explanation {
    /// What evidence does to a structure, without the strength of edges, which takes
    /// parameters.
    pub fn of_structure(structure: &Structure, evidence: &Evidence) -> Self {
        let free: VarSet = (0..structure.variables()).filter(|&v| evidence.level(v).is_none()).collect();
        let cut = cut_edges(structure, evidence);
        let mut graph = Graph::empty(structure.variables());
        let stays =
            |edge: &Edge| free.contains(edge.low()) && free.contains(edge.high()) && !cut.contains(edge);
        for edge in structure.graph().edges().filter(stays) {
            graph.toggle(edge);
        }
        let unknown = |edge| EdgeStrength {
            edge,
            information: None,
            given: graph.common_neighbors(edge),
            given_all: false,
        };
        let edges = graph.edges().map(unknown).collect();
        let groups =
            components(&graph).into_iter().filter(|part| part.iter().all(|v| free.contains(v))).collect();
        Self { free, cut, edges, graph, groups }
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
