//! What methods that are not exact say about themselves.

use cmnet::{Approximation, Belief, Climb, Gibbs};
use serde::Serialize;

/// What is known about the error of a method that is not exact.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum ErrorFacts {
    /// Of Gibbs sampling.
    Chains(ChainFacts),
    /// Of belief propagation.
    Messages(MessageFacts),
    /// Of climbs to a probable completion.
    Climbs(ClimbFacts),
}

/// How far chains agree.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ChainFacts {
    /// Chains.
    pub chains: usize,
    /// Sweeps per chain that counted.
    pub sweeps: usize,
    /// The largest split R-hat; null when it is infinite: chains that never leave their places.
    pub r_hat: Option<f64>,
    /// The smallest effective number of draws.
    pub effective: f64,
    /// Whether the chains agree.
    pub agrees: bool,
    /// The share of draws with the levels of a completion.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub share: Option<f64>,
}

/// How messages settled.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MessageFacts {
    /// Whether they settled.
    pub converged: bool,
    /// Rounds taken.
    pub rounds: usize,
    /// The largest change in the last round.
    pub change: f64,
}

/// How many climbs ended as high.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ClimbFacts {
    /// Starting points.
    pub starts: usize,
    /// How many of them ended as high as the best one.
    pub agreeing: usize,
    /// The first that did.
    pub best_start: String,
    /// Blocks solved exactly, over all starts.
    pub blocks: usize,
}

impl From<&Approximation> for ErrorFacts {
    fn from(approximation: &Approximation) -> Self {
        match approximation {
            Approximation::Gibbs(found) => Self::Chains(found.into()),
            Approximation::Belief(found) => Self::Messages((*found).into()),
        }
    }
}

impl From<&Gibbs> for ChainFacts {
    fn from(gibbs: &Gibbs) -> Self {
        Self {
            chains: gibbs.chains,
            sweeps: gibbs.sweeps,
            r_hat: Some(gibbs.worst_r_hat()).filter(|value| value.is_finite()),
            effective: gibbs.least_effective(),
            agrees: gibbs.agrees(),
            share: None,
        }
    }
}

impl From<Belief> for MessageFacts {
    fn from(belief: Belief) -> Self {
        Self { converged: belief.converged, rounds: belief.rounds, change: belief.change }
    }
}

impl From<&Climb> for ClimbFacts {
    fn from(climb: &Climb) -> Self {
        Self {
            starts: climb.starts,
            agreeing: climb.agreeing,
            best_start: climb.best_start.to_string(),
            blocks: climb.blocks,
        }
    }
}
