//! A blanket search's state in plain parts, for files.

use super::neighborhood::Neighborhood;
use super::phases::{BlanketState, Progress};
use crate::graph::VarSet;
use crate::structure::Structure;

/// One climb over candidate edges.
#[derive(Clone, Debug, PartialEq)]
pub struct SavedProgress {
    /// The structure so far.
    pub structure: Structure,
    /// Toggles taken.
    pub steps: u64,
    /// Whether no toggle improves it.
    pub done: bool,
}

/// A state in plain parts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SavedBlankets {
    /// Each node's blanket, and whether a limit cut it short.
    pub blankets: Vec<(VarSet, bool)>,
    /// The plain climb.
    pub plain: Option<SavedProgress>,
    /// The climb with contexts.
    pub contexts: Option<SavedProgress>,
}

impl From<&BlanketState> for SavedBlankets {
    fn from(state: &BlanketState) -> Self {
        let progress = |progress: &Progress| SavedProgress {
            structure: progress.structure.clone(),
            steps: progress.steps,
            done: progress.done,
        };
        Self {
            blankets: state.blankets.iter().map(|found| (found.blanket.clone(), found.limited)).collect(),
            plain: state.plain.as_ref().map(progress),
            contexts: state.contexts.as_ref().map(progress),
        }
    }
}

impl From<SavedBlankets> for BlanketState {
    fn from(saved: SavedBlankets) -> Self {
        let progress = |saved: SavedProgress| Progress {
            structure: saved.structure,
            steps: saved.steps,
            done: saved.done,
        };
        let neighborhood = |(blanket, limited)| Neighborhood { blanket, limited };
        Self {
            blankets: saved.blankets.into_iter().map(neighborhood).collect(),
            plain: saved.plain.map(progress),
            contexts: saved.contexts.map(progress),
        }
    }
}
