//! The fields of a checkpoint: structures by indices, scores to the last bit.

use crate::graph::{Edge, VarSet};
use crate::learn::{LearnState, RunFact};
use crate::score::Nats;
use crate::search::BlanketState;
use crate::search::{ClimbRecord, ClimbResult, GraphStep, Rounds, StopReason};
use crate::structure::Structure;
use crate::table::Cell;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CheckpointRecord {
    format: String,
    identity: NamedFacts,
    finished: Vec<FoundRecord>,
    climb: Option<FoundRecord>,
    /// The graph that climbs with contexts start from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    graph: Option<FoundRecord>,
    /// Each blanket found so far, and whether a limit cut it short.
    blankets: Option<Vec<(Vec<usize>, bool)>>,
}

/// What a run is, as files name it.
pub(super) type NamedFacts = BTreeMap<String, String>;

/// What a run is, by the names of checkpoint files.
pub(super) fn identity_record(identity: &[(RunFact, String)]) -> NamedFacts {
    identity.iter().map(|(name, value)| (name.key(), value.clone())).collect()
}

/// Edges, and the elements of each non-empty context.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StructureRecord {
    edges: Vec<(usize, usize)>,
    contexts: Vec<(usize, usize, Vec<Cell>)>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FoundRecord {
    structure: StructureRecord,
    /// Edge, whether it was added, and the score in units of 2^-64 nat.
    steps: Vec<(usize, usize, bool, String)>,
    added_candidates: Vec<(usize, usize)>,
    moves: u64,
    ties: u64,
    stop: StopReason,
    limited: Vec<usize>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rounds: Option<RoundsRecord>,
}

/// Sweeps that serve several steps; absent where there were none.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RoundsRecord {
    sweeps: u64,
    work: u64,
    /// Edge, and what its toggle changed when it was evaluated last, in units of 2^-64 nat.
    pending: Vec<(usize, usize, String)>,
    in_turn: bool,
    spent: bool,
}

/// What is wrong with a record, in words.
pub(super) type Checked<T> = Result<T, String>;

impl CheckpointRecord {
    pub(super) fn new(format: &str, identity: &[(RunFact, String)], state: &LearnState) -> Self {
        Self {
            format: format.to_owned(),
            identity: identity_record(identity),
            finished: state.finished.iter().map(FoundRecord::new).collect(),
            climb: state.climb.as_ref().map(FoundRecord::new),
            graph: state.graph.as_ref().map(FoundRecord::new),
            blankets: state.blankets.as_ref().map(blankets_record),
        }
    }

    pub(super) fn state(self, cardinalities: &[u32]) -> Checked<LearnState> {
        let found = |record: FoundRecord| record.found(cardinalities);
        Ok(LearnState {
            finished: self.finished.into_iter().map(found).collect::<Checked<_>>()?,
            climb: self.climb.map(found).transpose()?,
            graph: self.graph.map(found).transpose()?,
            blankets: self.blankets.map(|record| blankets(record, cardinalities.len())).transpose()?,
            by_tasks: BTreeMap::new(),
            chosen: None,
        })
    }
}

impl StructureRecord {
    pub(super) fn new(structure: &Structure) -> Self {
        let context = |context: &crate::context::EdgeContext| {
            let (low, high) = context.edge().ends();
            (low, high, context.elements().collect())
        };
        Self {
            edges: structure.graph().edges().map(Edge::ends).collect(),
            contexts: structure.contexts().map(context).collect(),
        }
    }

    pub(super) fn structure(&self, cardinalities: &[u32]) -> Checked<Structure> {
        let mut structure = Structure::empty(cardinalities);
        for &(low, high) in &self.edges {
            let added = structure.toggle_edge(edge(low, high)?).map_err(|error| error.to_string())?;
            if !added {
                return Err(format!("the edge {low}-{high} appears twice"));
            }
        }
        for (low, high, cells) in &self.contexts {
            for &cell in cells {
                structure.add_context_element(edge(*low, *high)?, cell).map_err(|error| error.to_string())?;
            }
        }
        Ok(structure)
    }
}

fn edge(low: usize, high: usize) -> Checked<Edge> {
    Edge::new(low, high).map_err(|error| error.to_string())
}

fn candidate(low: usize, high: usize, variables: usize) -> Checked<Edge> {
    let pair = edge(low, high)?;
    if pair.high() >= variables {
        return Err("a candidate edge names a variable that does not exist".to_owned());
    }
    Ok(pair)
}

fn nats(units: &str) -> Checked<Nats> {
    let units = units.parse().map_err(|_| format!("the score {units:?} is not a whole number"))?;
    Ok(Nats::from_units(units))
}

fn candidates(pairs: Vec<(usize, usize)>, variables: usize) -> Checked<Vec<Edge>> {
    pairs.into_iter().map(|(low, high)| candidate(low, high, variables)).collect()
}

impl RoundsRecord {
    fn new(rounds: &Rounds) -> Option<Self> {
        let Rounds { sweeps, work, in_turn, spent, .. } = *rounds;
        let waiting = |(edge, change): &(Edge, Nats)| {
            let (low, high) = edge.ends();
            (low, high, change.units().to_string())
        };
        let pending = rounds.pending.iter().map(waiting).collect();
        (*rounds != Rounds::default()).then_some(Self { sweeps, work, pending, in_turn, spent })
    }

    fn rounds(self, variables: usize) -> Checked<Rounds> {
        let waiting = |(low, high, change): (usize, usize, String)| {
            Ok((candidate(low, high, variables)?, nats(&change)?))
        };
        let pending = self.pending.into_iter().map(waiting).collect::<Checked<_>>()?;
        let Self { sweeps, work, in_turn, spent, .. } = self;
        Ok(Rounds { sweeps, work, pending, in_turn, spent })
    }
}

impl FoundRecord {
    pub(super) fn new(found: &ClimbResult) -> Self {
        let step = |step: &GraphStep| {
            let (low, high) = step.edge.ends();
            (low, high, step.added, step.score.units().to_string())
        };
        Self {
            structure: StructureRecord::new(&found.structure),
            steps: found.climb.steps.iter().map(step).collect(),
            added_candidates: found.added_candidates.iter().map(|edge| edge.ends()).collect(),
            moves: found.climb.moves,
            ties: found.climb.ties,
            stop: found.climb.stop,
            limited: found.limited.clone(),
            rounds: RoundsRecord::new(&found.climb.rounds),
        }
    }

    pub(super) fn found(self, cardinalities: &[u32]) -> Checked<ClimbResult> {
        if self.limited.iter().any(|&variable| variable >= cardinalities.len()) {
            return Err("a limited variable does not exist".to_owned());
        }
        let step = |(low, high, added, score): (usize, usize, bool, String)| {
            Ok(GraphStep { edge: edge(low, high)?, added, score: nats(&score)? })
        };
        Ok(ClimbResult {
            structure: self.structure.structure(cardinalities)?,
            climb: ClimbRecord {
                steps: self.steps.into_iter().map(step).collect::<Checked<_>>()?,
                moves: self.moves,
                ties: self.ties,
                rounds: self
                    .rounds
                    .map(|record| record.rounds(cardinalities.len()))
                    .transpose()?
                    .unwrap_or_default(),
                stop: self.stop,
            },
            added_candidates: candidates(self.added_candidates, cardinalities.len())?,
            limited: self.limited,
        })
    }
}

fn blankets_record(state: &BlanketState) -> Vec<(Vec<usize>, bool)> {
    state.blankets().map(|(blanket, limited)| (blanket.as_slice().to_vec(), limited)).collect()
}

fn blankets(record: Vec<(Vec<usize>, bool)>, variables: usize) -> Checked<BlanketState> {
    let read = |(node, (members, limited)): (usize, (Vec<usize>, bool))| {
        Ok((blanket(node, members, variables)?, limited))
    };
    let read = record.into_iter().enumerate().map(read).collect::<Checked<Vec<_>>>()?;
    Ok(BlanketState::from_blankets(read))
}

/// The blanket of a node.
pub(super) fn blanket(node: usize, members: Vec<usize>, variables: usize) -> Checked<VarSet> {
    if node >= variables || members.iter().any(|&member| member >= variables || member == node) {
        return Err("a blanket names a variable that does not exist".to_owned());
    }
    Ok(members.into_iter().collect())
}
