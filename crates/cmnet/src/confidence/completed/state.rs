//! Where learning from completed tables stands: saved at any moment, it lets another process go on to the
//! same answer.

use super::CompletionOptions;
use crate::data::IncompleteTable;
use crate::error::OptionName;
use crate::learn::{
    CompletedTable, CompletionRound, LearnEvent, RunFact, estimation_identity, replace, search_identity,
};
use std::collections::BTreeMap;

/// Learning from completed tables under way.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CompletionState {
    /// The rounds that are finished.
    pub rounds: Vec<CompletionRound>,
    /// The completed tables that are finished in the round after them, by number.
    pub tables: BTreeMap<u64, CompletedTable>,
}

impl CompletionState {
    /// Takes over what an event says; whether it says anything.
    pub fn follow(&mut self, event: &LearnEvent<'_>) -> bool {
        match event {
            LearnEvent::Completed { number, found, .. } => {
                self.tables.insert(*number, (*found).clone());
            }
            LearnEvent::RoundFinished(round) => {
                self.rounds.push((*round).clone());
                self.tables.clear();
            }
            _ => return false,
        }
        true
    }
}

/// All that must be the same for a run to go on: see [`run_identity`](crate::run_identity). The number of
/// rounds and the agreement are not among them: they do not change what is found in a round.
pub fn completion_identity(table: &IncompleteTable, options: &CompletionOptions) -> Vec<(RunFact, String)> {
    let distinct = table.distinct_rows() as u64;
    let mut identity = search_identity(&table.digest(), (table.schema().len(), distinct), &options.learn);
    identity.extend([
        (RunFact::Kind, "imputation".to_owned()),
        (RunFact::Option(OptionName::Seed), options.seed.to_string()),
        (RunFact::Option(OptionName::Completions), options.completions.to_string()),
    ]);
    replace(&mut identity, estimation_identity(&options.learn));
    identity
}
