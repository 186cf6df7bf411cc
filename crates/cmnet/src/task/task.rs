//! A piece of a run.

use crate::data::Var;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// A piece of a run that waits for no other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Task {
    /// The blankets of these variables, in mode `blanket`.
    Blankets(Range<Var>),
    /// The blankets that are not known yet, and the graph that the climbs of mode `blanket` start from; then, with what
    /// was counted, the structures of the kappas at these places.
    Graph(Vec<usize>),
    /// The structure of the kappa at this place; in mode `blanket` it needs all blankets and the graph.
    Kappa(usize),
    /// A fold of a cross-validation.
    Fold {
        /// Which.
        place: usize,
        /// Whether pseudo-likelihood takes the place of the method that was asked for.
        again: bool,
    },
    /// Learning from the whole table, before it is resampled.
    First,
    /// These replicates of a bootstrap; they need what the whole table gave.
    Replicates(Range<u64>),
}

impl Task {
    /// What it is about, for people.
    pub fn name(&self) -> String {
        match self {
            Self::Blankets(variables) => {
                format!("blankets of variables {} to {}", variables.start + 1, variables.end)
            }
            Self::Graph(then) => {
                let then = then.iter().map(|place| format!(" and the structure of kappa {}", place + 1));
                format!("the graph without contexts{}", then.collect::<String>())
            }
            Self::Kappa(place) => format!("the structure of kappa {}", place + 1),
            Self::Fold { place, again: false } => format!("fold {}", place + 1),
            Self::First => "learning from the whole table".to_owned(),
            Self::Replicates(numbers) => format!("replicates {} to {}", numbers.start + 1, numbers.end),
            Self::Fold { place, again: true } => format!("fold {} by pseudo-likelihood", place + 1),
        }
    }
}
