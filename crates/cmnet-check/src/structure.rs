//! A labelled undirected graph: edges and edge contexts (paper, section 2.2, Definition 2).

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::error::CheckError;

/// An edge {i, j}, written with i < j.
pub type Edge = (usize, usize);

/// Levels of several variables, in ascending order of the variables.
pub type Configuration = Vec<usize>;

/// The edge contexts C(i, j): for some edges, a set of configurations of cn(i, j).
pub type Contexts = BTreeMap<Edge, BTreeSet<Configuration>>;

/// The dependence structure (G, C) of a contextual Markov network (Definition 2).
///
/// The fields are open so that wrong structures can be written down and complained about; all
/// functions of the crate that take a structure first ask for its [`Labelled::complaints`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Labelled {
    /// The edges of the graph, each with the smaller variable first.
    pub edges: BTreeSet<Edge>,
    /// The contexts; an edge that is not listed has the empty context.
    pub contexts: Contexts,
}

/// One thing that is wrong with a structure.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Complaint {
    /// Not a pair i < j of existing variables.
    NotAPair(Edge),
    /// A context on a pair that is not an edge.
    NoEdge(Edge),
    /// A context on an edge whose nodes have no common neighbour.
    NoCommonNeighbor(Edge),
    /// A configuration that does not have one level for every common neighbour.
    WrongLength(Edge, Configuration),
    /// A configuration with a level that its variable does not have.
    LevelOutOfRange(Edge, Configuration),
    /// A context that holds the whole outcome space of the common neighbours: it would remove
    /// the edge (regularity, end of section 2.2).
    WholeSpace(Edge),
}

impl fmt::Display for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAPair((i, j)) => write!(f, "({i}, {j}) is not a pair of variables i < j"),
            Self::NoEdge((i, j)) => write!(f, "C({i}, {j}) is a context without an edge"),
            Self::NoCommonNeighbor((i, j)) => {
                write!(f, "C({i}, {j}) is a context on an edge without common neighbours")
            }
            Self::WrongLength((i, j), x) => {
                write!(f, "{x:?} in C({i}, {j}) has the wrong number of levels")
            }
            Self::LevelOutOfRange((i, j), x) => {
                write!(f, "{x:?} in C({i}, {j}) has a level that does not exist")
            }
            Self::WholeSpace((i, j)) => write!(f, "C({i}, {j}) holds every configuration"),
        }
    }
}

impl Labelled {
    /// A graph without contexts: an ordinary Markov network.
    pub fn plain(edges: BTreeSet<Edge>) -> Self {
        Self { edges, contexts: Contexts::new() }
    }

    /// mb(j), the neighbours of j in ascending order (section 2.1).
    pub fn markov_blanket(&self, j: usize) -> Vec<usize> {
        let other_end = |&(a, b): &Edge| match j {
            _ if j == a => Some(b),
            _ if j == b => Some(a),
            _ => None,
        };
        let neighbors: BTreeSet<usize> = self.edges.iter().filter_map(other_end).collect();
        neighbors.into_iter().collect()
    }

    /// cn(i, j), the nodes that neighbour both i and j, in ascending order (section 2.1).
    pub fn common_neighbors(&self, i: usize, j: usize) -> Vec<usize> {
        let blanket = self.markov_blanket(j);
        self.markov_blanket(i).into_iter().filter(|k| blanket.contains(k)).collect()
    }

    /// C(i, j) whichever way round the nodes are given; `None` when it is empty.
    pub fn context(&self, i: usize, j: usize) -> Option<&BTreeSet<Configuration>> {
        let context = self.contexts.get(&(i.min(j), i.max(j)))?;
        (!context.is_empty()).then_some(context)
    }

    /// The contexts that hold something; two structures over one graph are equal when these are.
    pub fn non_empty_contexts(&self) -> Contexts {
        let mut contexts = self.contexts.clone();
        contexts.retain(|_, context| !context.is_empty());
        contexts
    }

    /// Whether every two of these nodes are joined by an edge.
    pub fn is_complete(&self, nodes: &[usize]) -> bool {
        nodes.iter().all(|&a| nodes.iter().all(|&b| a == b || self.edges.contains(&(a.min(b), a.max(b)))))
    }

    /// Whether this is a regular structure over variables with these cardinalities.
    pub fn is_regular(&self, cardinalities: &[usize]) -> bool {
        self.complaints(cardinalities).is_empty()
    }

    /// Everything that keeps this from being a regular structure (section 2.2): pairs that are
    /// not edges, configurations that are not in `X_cn(i,j)`, contexts that are not *strict*
    /// subsets of `X_cn(i,j)`.
    pub fn complaints(&self, cardinalities: &[usize]) -> Vec<Complaint> {
        let is_pair = |&&(i, j): &&Edge| i < j && j < cardinalities.len();
        let wrong_edges = self.edges.iter().filter(|edge| !is_pair(edge));
        let mut complaints: Vec<Complaint> = wrong_edges.map(|&edge| Complaint::NotAPair(edge)).collect();
        if complaints.is_empty() {
            for (&edge, context) in &self.contexts {
                complaints.extend(self.context_complaints(edge, context, cardinalities));
            }
        }
        complaints
    }

    fn context_complaints(
        &self,
        edge: Edge,
        context: &BTreeSet<Configuration>,
        cardinalities: &[usize],
    ) -> Vec<Complaint> {
        if !self.edges.contains(&edge) {
            return vec![Complaint::NoEdge(edge)];
        }
        if context.is_empty() {
            return Vec::new();
        }
        let common = self.common_neighbors(edge.0, edge.1);
        if common.is_empty() {
            return vec![Complaint::NoCommonNeighbor(edge)];
        }
        let mut complaints = Vec::new();
        for x in context {
            if x.len() != common.len() {
                complaints.push(Complaint::WrongLength(edge, x.clone()));
            } else if x.iter().zip(&common).any(|(&level, &k)| level >= cardinalities[k]) {
                complaints.push(Complaint::LevelOutOfRange(edge, x.clone()));
            }
        }
        let space = common.iter().fold(1_usize, |size, &k| size.saturating_mul(cardinalities[k]));
        if complaints.is_empty() && context.len() >= space {
            complaints.push(Complaint::WholeSpace(edge));
        }
        complaints
    }

    /// Stops everything that would make no sense for an irregular structure.
    pub(crate) fn require_regular(&self, cardinalities: &[usize]) -> Result<(), CheckError> {
        let complaints = self.complaints(cardinalities);
        if complaints.is_empty() { Ok(()) } else { Err(CheckError::Irregular(complaints)) }
    }
}
