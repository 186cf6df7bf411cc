//! How structures were learned from a table with holes.

use super::bootstrapped::{counted_edges, counted_elements};
use super::missing::MissingAnswer;
use cmnet::{Agreement, CompletedLearning, CompletionRound, IncompleteTable, Schema};
use serde::Serialize;
use serde_json::{Value, json};

/// Rounds of drawing and searching, and how far the completed tables agree.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ImputationAnswer {
    /// What is missing.
    pub missing: Option<MissingAnswer>,
    /// Completed tables of a round.
    pub completions: u64,
    /// The seed that they were drawn with.
    pub seed: u64,
    /// The share of them from which on edges and context elements are kept.
    pub agreement: f64,
    /// The rounds.
    pub rounds: Vec<RoundAnswer>,
    /// Whether another round would find the same.
    pub stable: bool,
    /// For each model the agreement on every edge and context element that some completed table has.
    pub models: Vec<Value>,
}

/// A round of drawing and searching.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct RoundAnswer {
    /// Completed tables that were searched.
    pub tables: usize,
    /// Edges of the model that missing values were drawn from.
    pub drawn_from_edges: usize,
    /// Edges that some completed table has.
    pub found_edges: usize,
}

impl From<&CompletionRound> for RoundAnswer {
    fn from(round: &CompletionRound) -> Self {
        Self {
            tables: round.tables.len(),
            drawn_from_edges: round.drawn_from.edge_count(),
            found_edges: round.union().edge_count(),
        }
    }
}

impl ImputationAnswer {
    /// How a table with holes was learned; `None` where it has none.
    pub fn of(found: &CompletedLearning, table: &IncompleteTable) -> Option<Self> {
        let missing = MissingAnswer::of(table)?;
        Some(Self {
            missing: Some(missing),
            completions: found.completions,
            seed: found.seed,
            agreement: found.threshold,
            rounds: found.rounds.iter().map(RoundAnswer::from).collect(),
            stable: found.stable,
            models: found.agreement.iter().map(|known| agreement(table.schema(), known)).collect(),
        })
    }
}

fn agreement(schema: &Schema, known: &Agreement) -> Value {
    json!({"edges": counted_edges(schema, &known.edges), "contexts": counted_elements(schema, &known.elements)})
}
