//! How large a Markov blanket may grow in a search over many variables.

use crate::graph::VarSet;

/// How large a blanket may grow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlanketLimits {
    /// The most neighbours. \[default: 50\]
    pub neighbors: usize,
    /// The most configurations of a blanket. \[default: 2^50\]
    pub configurations: u64,
}

impl Default for BlanketLimits {
    fn default() -> Self {
        // A hub has as many neighbours as its leaves ask for, though its own score never would:
        // once each row is a configuration of its own, more neighbours cost it nothing.
        Self { neighbors: 50, configurations: 1 << 50 }
    }
}

impl BlanketLimits {
    /// No limits, as in mode `paper`.
    pub(super) const NONE: Self = Self { neighbors: usize::MAX, configurations: u64::MAX };

    /// Whether a blanket stays within the limits.
    pub(super) fn allow(&self, blanket: &VarSet, cardinalities: &[u32]) -> bool {
        blanket.len() <= self.neighbors && size(blanket, cardinalities) <= self.configurations
    }

    /// The most levels that one variable more may have for a blanket to stay within the limits.
    pub(super) fn room(&self, blanket: &VarSet, cardinalities: &[u32]) -> u64 {
        match self.configurations {
            _ if blanket.len() >= self.neighbors => 0,
            u64::MAX => u64::MAX,
            most => most / size(blanket, cardinalities),
        }
    }
}

/// The configurations of a blanket; the largest number where there are more.
fn size(blanket: &VarSet, cardinalities: &[u32]) -> u64 {
    blanket.iter().fold(1, |size: u64, variable| size.saturating_mul(u64::from(cardinalities[variable])))
}
