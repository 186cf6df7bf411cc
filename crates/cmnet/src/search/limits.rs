//! How large a Markov blanket may grow in a search over many variables.

use crate::data::Var;
use crate::graph::VarSet;

/// How large a blanket may grow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlanketLimits {
    /// The most neighbours. \[default: 12\]
    pub neighbors: usize,
    /// The most configurations of a blanket. \[default: 65536\]
    pub configurations: u64,
}

impl Default for BlanketLimits {
    fn default() -> Self {
        Self { neighbors: 12, configurations: 1 << 16 }
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
