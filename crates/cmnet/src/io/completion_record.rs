//! The fields of the checkpoint of learning from completed tables.

use super::checkpoint_record::{Checked, StructureRecord, identity_record};
use crate::confidence::CompletionState;
use crate::graph::Graph;
use crate::learn::{CompletedStructure, CompletedTable, CompletionRound, RunFact};
use crate::structure::Structure;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CompletionRecord {
    format: String,
    identity: BTreeMap<String, String>,
    rounds: Vec<RoundRecord>,
    tables: BTreeMap<u64, TableRecord>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RoundRecord {
    drawn_from: StructureRecord,
    tables: Vec<TableRecord>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TableRecord {
    found: Vec<FoundRecord>,
    chosen: usize,
    limited: Vec<usize>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FoundRecord {
    structure: StructureRecord,
    moves: u64,
    ties: u64,
}

impl CompletionRecord {
    pub(super) fn new(
        format: &str,
        identity: &[(RunFact, String)],
        state: &CompletionState,
        cardinalities: &[u32],
    ) -> Self {
        let table = |(&number, table): (&u64, &CompletedTable)| (number, TableRecord::new(table));
        Self {
            format: format.to_owned(),
            identity: identity_record(identity),
            rounds: state.rounds.iter().map(|round| RoundRecord::new(round, cardinalities)).collect(),
            tables: state.tables.iter().map(table).collect(),
        }
    }

    pub(super) fn state(self, cardinalities: &[u32]) -> Checked<CompletionState> {
        let table = |(number, record): (u64, TableRecord)| Ok((number, record.read(cardinalities)?));
        Ok(CompletionState {
            rounds: self
                .rounds
                .into_iter()
                .map(|record| record.read(cardinalities))
                .collect::<Checked<_>>()?,
            tables: self.tables.into_iter().map(table).collect::<Checked<_>>()?,
        })
    }
}

impl RoundRecord {
    fn new(round: &CompletionRound, cardinalities: &[u32]) -> Self {
        Self {
            drawn_from: plain(&round.drawn_from, cardinalities),
            tables: round.tables.iter().map(TableRecord::new).collect(),
        }
    }

    fn read(self, cardinalities: &[u32]) -> Checked<CompletionRound> {
        let tables = self.tables.into_iter().map(|record| record.read(cardinalities));
        Ok(CompletionRound {
            drawn_from: self.drawn_from.structure(cardinalities)?.graph().clone(),
            tables: tables.collect::<Checked<_>>()?,
        })
    }
}

/// A graph as a structure without contexts.
fn plain(graph: &Graph, cardinalities: &[u32]) -> StructureRecord {
    let structure = Structure::from_graph(graph.clone(), cardinalities);
    StructureRecord::new(&structure.unwrap_or_else(|_| Structure::empty(cardinalities)))
}

impl TableRecord {
    fn new(table: &CompletedTable) -> Self {
        let found = |one: &CompletedStructure| FoundRecord {
            structure: StructureRecord::new(&one.structure),
            moves: one.moves,
            ties: one.ties,
        };
        Self {
            found: table.found.iter().map(found).collect(),
            chosen: table.chosen,
            limited: table.limited.clone(),
        }
    }

    fn read(self, cardinalities: &[u32]) -> Checked<CompletedTable> {
        if self.limited.iter().any(|&variable| variable >= cardinalities.len()) {
            return Err("a limited variable does not exist".to_owned());
        }
        if self.chosen >= self.found.len() {
            return Err("the chosen structure does not exist".to_owned());
        }
        let found = |record: FoundRecord| -> Checked<CompletedStructure> {
            let structure = record.structure.structure(cardinalities)?;
            Ok(CompletedStructure { structure, moves: record.moves, ties: record.ties })
        };
        Ok(CompletedTable {
            found: self.found.into_iter().map(found).collect::<Checked<_>>()?,
            chosen: self.chosen,
            limited: self.limited,
        })
    }
}
