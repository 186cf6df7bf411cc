//! Where a graph climb stands: all that is needed to go on from there.

use super::trace::Trace;
use crate::control::StopReason;
use crate::data::Var;
use crate::graph::{Edge, VarSet};
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
    /// Algorithm 2 on the present graph.
    pub(super) trace: Trace,
    /// The edges that may be toggled, in order.
    pub(super) candidates: Vec<Edge>,
    /// Those of them that were added on the way.
    pub(super) added_candidates: Vec<Edge>,
    /// What is known of each candidate toggle.
    pub(super) evaluated: Vec<Option<Evaluated>>,
    /// For each node the blanket for which all candidates are known.
    pub(super) swept: Vec<VarSet>,
    /// The steps taken.
    pub(super) steps: Vec<GraphStep>,
    /// Choices among equals, decided by the order of candidates.
    pub(super) ties: u64,
    /// Toggles considered.
    pub(super) moves: u64,
    /// How many toggles improved the score before the last step.
    pub(super) promising: u64,
    /// Sweeps that serve several steps.
    pub(super) rounds: Rounds,
    /// The ends of edges that would have been the best step, had a limit not kept them out.
    pub(super) bound: VarSet,
    /// Whether it is the climb without contexts that those with contexts start from.
    pub(super) groundwork: bool,
}

/// What a toggle would change.
#[derive(Clone, Debug)]
pub(super) struct Evaluated {
    /// The change of score and prior; `None` where a limit forbids the toggle.
    pub(super) change: Option<Nats>,
    /// Choices among equals in its contexts.
    pub(super) ties: u64,
    /// The nodes on whose blankets and contexts the change depends.
    pub(super) watched: Watched,
    /// Configurations that its context climb went through.
    pub(super) work: u64,
    /// Whether the counts that it needs are too large to be had.
    pub(super) too_large: bool,
    /// What an edge would change, contexts apart, that goes beyond the limits.
    pub(super) refused: Option<Nats>,
}

impl Evaluated {
    /// A toggle that a limit forbids.
    pub(super) fn forbidden(watched: Vec<u32>, refused: Option<Nats>) -> Self {
        let (watched, too_large) = (Watched::new(watched), refused.is_none());
        Self { change: None, ties: 0, watched, work: 0, too_large, refused }
    }
}

/// Some nodes, with a summary that tells most sets that have none of them at a glance: after a
/// step every candidate is looked at.
#[derive(Clone, Debug)]
pub(super) struct Watched {
    nodes: Vec<u32>,
    summary: u64,
}

impl Watched {
    pub(super) fn new(nodes: Vec<u32>) -> Self {
        let summary = nodes.iter().fold(0, |bits, node| bits | 1 << (node % u64::BITS));
        Self { nodes, summary }
    }

    /// Whether one of the nodes is among others, given by their own summary and one by one.
    pub(super) fn meets(&self, other: &Self, is_other: &[bool]) -> bool {
        self.summary & other.summary != 0 && self.nodes.iter().any(|&node| is_other[node as usize])
    }
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
    /// moves decided: among toggles, and among context elements in the climbs of the graphs
    /// on the way and of every neighbour considered.
    pub fn ties(&self) -> u64 {
        self.ties
    }

    /// How many toggles improved the score before the last step: a guess at how many more
    /// steps there will be.
    pub fn promising(&self) -> u64 {
        self.promising
    }

    /// The ends of edges that cannot be counted, as things stand, and of those that a limit kept out
    /// where they would have been the best step.
    pub(super) fn limited(&self) -> Vec<Var> {
        let known = self.candidates.iter().zip(&self.evaluated);
        let refused = known.filter(|(_, evaluated)| evaluated.as_ref().is_some_and(|e| e.too_large));
        let ends = refused.flat_map(|(edge, _)| [edge.low(), edge.high()]);
        let ends: VarSet = ends.chain(self.bound.iter()).collect();
        ends.as_slice().to_vec()
    }

    /// Whether this is the climb without contexts that the climbs with contexts start from.
    pub(crate) fn is_groundwork(&self) -> bool {
        self.groundwork
    }

    /// How many edge toggles were considered for the steps taken, each with its own contexts.
    pub fn moves(&self) -> u64 {
        self.moves
    }

    /// Where a candidate is among them.
    pub(super) fn place(&self, edge: Edge) -> Option<usize> {
        self.candidates.binary_search(&edge).ok()
    }

    /// Choices among equals in the contexts of the neighbours.
    pub(super) fn neighbor_ties(&self) -> u64 {
        self.evaluated.iter().flatten().map(|evaluated| evaluated.ties).sum()
    }

    /// The first toggle that improves the score most, with what it changes.
    pub(super) fn first_best(&self) -> Option<(usize, Nats)> {
        let known = self.evaluated.iter().enumerate();
        let changes = known.filter_map(|(place, evaluated)| Some((place, evaluated.as_ref()?.change?)));
        let improving = changes.filter(|&(_, change)| change > Nats::ZERO);
        improving.reduce(|best, next| if next.1 > best.1 { next } else { best })
    }

    /// The ends of edges that would change the score by more than this, had no limit kept them out.
    pub(super) fn refused_above(&self, best: Nats) -> Vec<Var> {
        let known = self.candidates.iter().zip(&self.evaluated);
        let above = known.filter(|(_, e)| e.as_ref().and_then(|e| e.refused).is_some_and(|gain| gain > best));
        above.flat_map(|(edge, _)| [edge.low(), edge.high()]).collect()
    }

    pub(super) fn note_bound(&mut self, ends: &[Var]) {
        if ends.iter().any(|&end| !self.bound.contains(end)) {
            self.bound = self.bound.iter().chain(ends.iter().copied()).collect();
        }
    }

    /// Adds candidates that are not there yet, in the order of pairs.
    pub(super) fn add_candidates(&mut self, edges: Vec<Edge>) {
        let added = edges.iter().map(|&edge| (edge, None));
        let known = std::mem::take(&mut self.candidates).into_iter().zip(self.evaluated.drain(..));
        let mut all: Vec<_> = known.chain(added).collect();
        all.sort_unstable_by_key(|(edge, _)| *edge);
        (self.candidates, self.evaluated) = all.into_iter().unzip();
        self.added_candidates.extend(edges);
    }

    /// Forgets the evaluations that depend on one of these nodes.
    pub(super) fn forget(&mut self, nodes: &[Var]) {
        let mut changed = vec![false; self.structure.variables()];
        for &node in nodes {
            changed[node] = true;
        }
        let nodes = Watched::new(nodes.iter().map(|&node| node as u32).collect());
        for slot in &mut self.evaluated {
            if slot.as_ref().is_some_and(|e| e.watched.meets(&nodes, &changed)) {
                *slot = None;
            }
        }
    }
}

/// Sweeps over all toggles that serve several steps each, in mode `blanket` with contexts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rounds {
    /// How many sweeps there were whose toggles are taken in turn.
    pub sweeps: u64,
    /// Configurations of blankets that they and the toggles taken in turn went through.
    pub work: u64,
    /// Toggles that wait for their turn, each with what it changed when it was evaluated last, the best last.
    pub pending: Vec<(Edge, Nats)>,
    /// Whether each is taken in its turn if it still improves, without a look at the others.
    pub in_turn: bool,
    /// Whether the work reached its bound, so that no other sweep follows.
    pub spent: bool,
}

/// What a climb went through.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClimbRecord {
    /// The steps of the graph climb.
    pub steps: Vec<GraphStep>,
    /// Moves considered.
    pub moves: u64,
    /// Choices among equals.
    pub ties: u64,
    /// Sweeps that served several steps.
    pub rounds: Rounds,
    /// Why it ended.
    pub stop: StopReason,
}

impl ClimbRecord {
    /// A climb that was ended before it began.
    pub(crate) fn none(stop: StopReason) -> Self {
        Self { steps: Vec::new(), moves: 0, ties: 0, rounds: Rounds::default(), stop }
    }
}

/// A structure with the way that led to it: the result of a climb, or where it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct ClimbResult {
    /// Graph and contexts.
    pub structure: Structure,
    /// The way.
    pub climb: ClimbRecord,
    /// Candidate edges that were added on the way, in mode `blanket`.
    pub added_candidates: Vec<Edge>,
    /// The ends of edges that a limit kept out: their blankets would have too many
    /// configurations to count, or would have gone beyond the limits where that was the best step.
    pub limited: Vec<Var>,
}

impl ClimbResult {
    /// Where a climb stands.
    pub fn of(state: &GraphClimbState, stop: StopReason) -> Self {
        let (steps, rounds) = (state.steps.clone(), state.rounds.clone());
        Self {
            structure: state.structure.clone(),
            climb: ClimbRecord { steps, moves: state.moves, ties: state.ties, rounds, stop },
            added_candidates: state.added_candidates.clone(),
            limited: state.limited(),
        }
    }
}
