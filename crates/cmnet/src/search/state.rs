//! Where a graph climb stands: all that is needed to go on from there.

use super::stop::StopReason;
use crate::graph::Edge;
use crate::score::Nats;
use crate::structure::Structure;

/// One accepted step of Algorithm 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphStep {
    /// The edge that was toggled.
    pub edge: Edge,
    /// Whether it was added; otherwise it was removed.
    pub added: bool,
    /// The score after the step.
    pub score: Nats,
}

/// The state of a graph climb between two steps.
#[derive(Clone, Debug)]
pub struct GraphClimbState {
    /// The best structure so far.
    pub(super) structure: Structure,
    /// Its score, prior included.
    pub(super) score: Nats,
    /// Each node's score without contexts.
    pub(super) plain: Vec<Nats>,
    /// The steps taken.
    pub(super) steps: Vec<GraphStep>,
    /// Choices among equals, decided by the order of candidates.
    pub(super) ties: u64,
    /// Graphs and context elements considered.
    pub(super) moves: u64,
}

impl GraphClimbState {
    /// The best structure so far.
    pub fn structure(&self) -> &Structure {
        &self.structure
    }

    /// Its score, prior included.
    pub fn score(&self) -> Nats {
        self.score
    }

    /// The steps taken, in order.
    pub fn steps(&self) -> &[GraphStep] {
        &self.steps
    }

    /// How often two or more best moves had exactly the same score, so that the order of
    /// moves decided; counted over every climb of every neighbour considered.
    pub fn ties(&self) -> u64 {
        self.ties
    }

    /// How many moves, graph neighbours and context elements, were considered.
    pub fn moves(&self) -> u64 {
        self.moves
    }
}

/// A structure with the way that led to it: what a climb found, or where it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// Graph and contexts.
    pub structure: Structure,
    /// The steps of the graph climb.
    pub steps: Vec<GraphStep>,
    /// Moves considered.
    pub moves: u64,
    /// Choices among equals.
    pub ties: u64,
    /// Why the climb ended.
    pub stop: StopReason,
}

impl Found {
    /// Where a climb stands.
    pub fn of(state: &GraphClimbState, stop: StopReason) -> Self {
        Self {
            structure: state.structure.clone(),
            steps: state.steps.clone(),
            moves: state.moves,
            ties: state.ties,
            stop,
        }
    }
}
