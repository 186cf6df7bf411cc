//! The counts of a set of variables.

use super::Count;
use crate::graph::VarSet;
use crate::table::Shape;

/// The observed configurations of a set of variables with their counts, ascending: by the level
/// of the first variable, then of the second, and so on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarginCounts {
    variables: VarSet,
    /// The levels of one configuration after the other.
    levels: Vec<u32>,
    counts: Vec<Count>,
}

impl MarginCounts {
    /// Counts of configurations in any order; equal configurations are added up, and those that
    /// nobody observed are left out. Each has one level for each variable, in their order.
    pub fn from_entries(variables: VarSet, mut entries: Vec<(Vec<u32>, Count)>) -> Self {
        entries.sort_unstable();
        let mut margin = Self::new(variables);
        for run in entries.chunk_by(|left, right| left.0 == right.0) {
            let count = run.iter().map(|(_, count)| count).sum();
            if count > 0 {
                margin.push(run[0].0.iter().copied(), count);
            }
        }
        margin
    }

    pub(super) fn new(variables: VarSet) -> Self {
        Self { variables, levels: Vec::new(), counts: Vec::new() }
    }

    /// Adds a configuration; calls come in ascending order.
    pub(super) fn push(&mut self, levels: impl IntoIterator<Item = u32>, count: Count) {
        self.levels.extend(levels);
        self.counts.push(count);
    }

    /// The variables, ascending.
    pub fn variables(&self) -> &VarSet {
        &self.variables
    }

    /// The number of observed configurations.
    pub fn observed(&self) -> usize {
        self.counts.len()
    }

    /// Every observed configuration with its count.
    pub fn iter(&self) -> impl Iterator<Item = (&[u32], Count)> {
        let width = self.variables.len();
        let one = move |(place, &count)| (&self.levels[place * width..(place + 1) * width], count);
        self.counts.iter().enumerate().map(one)
    }

    /// The counts of all configurations, in the order of a table over the same variables.
    pub fn table(&self, shape: &Shape) -> Vec<Count> {
        let strides: Vec<usize> = self.variables.iter().map(|variable| shape.stride_of(variable)).collect();
        let mut table = vec![0; shape.size()];
        for (levels, count) in self.iter() {
            let cell: usize =
                levels.iter().zip(&strides).map(|(&level, stride)| level as usize * stride).sum();
            table[cell] += count;
        }
        table
    }
}
