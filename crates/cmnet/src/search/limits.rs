//! How large a Markov blanket may grow in a search over many variables.

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
        let size = blanket.iter().try_fold(1u64, |size, v| size.checked_mul(u64::from(cardinalities[v])));
        blanket.len() <= self.neighbors && size.is_none_or(|size| size <= self.configurations)
    }
}
