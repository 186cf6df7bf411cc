//! How large a Markov blanket may grow in a search over many variables.

use crate::data::Var;
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
        self.allow_all(blanket.len(), blanket.iter(), cardinalities)
    }

    /// Whether a blanket stays within the limits with one variable more.
    pub(super) fn allow_with(&self, blanket: &VarSet, more: Var, cardinalities: &[u32]) -> bool {
        self.allow_all(blanket.len() + 1, blanket.iter().chain([more]), cardinalities)
    }

    fn allow_all(&self, count: usize, mut members: impl Iterator<Item = Var>, cardinalities: &[u32]) -> bool {
        let size = members.try_fold(1u64, |size, v| size.checked_mul(u64::from(cardinalities[v])));
        count <= self.neighbors && size.is_none_or(|size| size <= self.configurations)
    }
}
