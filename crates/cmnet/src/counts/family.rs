//! A variable's levels in the observed configurations of its Markov blanket.

use super::{Count, MarginCounts};
use crate::data::Var;
use crate::error::Result;
use crate::graph::VarSet;
use crate::table::{Cell, OutcomeSpace};

/// The observed configurations of a blanket, ascending, each with the counts of the
/// child's levels that occur in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FamilyCounts {
    space: OutcomeSpace,
    child_levels: u32,
    cells: Vec<Cell>,
    starts: Vec<usize>,
    entries: Vec<(u32, Count)>,
}

impl FamilyCounts {
    /// Counts of (configuration, child level) in any order; equal ones are added up.
    pub fn from_entries(
        space: OutcomeSpace,
        child_levels: u32,
        mut entries: Vec<(Cell, u32, Count)>,
    ) -> Self {
        entries.sort_unstable_by_key(|&(cell, level, _)| (cell, level));
        let mut counts = Self::new(space, child_levels);
        for run in entries.chunk_by(|left, right| (left.0, left.1) == (right.0, right.1)) {
            let count = run.iter().map(|&(_, _, count)| count).sum();
            if count > 0 {
                counts.push(run[0].0, run[0].1, count);
            }
        }
        counts
    }

    /// The family of a child and a blanket from the margin of both.
    pub(super) fn from_margin(
        child: Var,
        blanket: &VarSet,
        margin: &MarginCounts,
        cardinalities: &[u32],
    ) -> Result<Self> {
        let space = OutcomeSpace::new(blanket.clone(), cardinalities)?;
        let place = margin.variables().position(child).unwrap_or_default();
        let entry = |(levels, count): (&[u32], Count)| {
            let others = levels[..place].iter().chain(&levels[place + 1..]).enumerate();
            let cell = others.map(|(position, &level)| u64::from(level) * space.stride(position)).sum();
            (cell, levels[place], count)
        };
        let entries = margin.iter().map(entry).collect();
        Ok(Self::from_entries(space, cardinalities[child], entries))
    }

    pub(super) fn new(space: OutcomeSpace, child_levels: u32) -> Self {
        Self { space, child_levels, cells: Vec::new(), starts: vec![0], entries: Vec::new() }
    }

    /// Adds a count; calls come in ascending order of (cell, level).
    pub(super) fn push(&mut self, cell: Cell, level: u32, count: Count) {
        if self.cells.last() != Some(&cell) {
            self.cells.push(cell);
            self.starts.push(self.entries.len());
        }
        self.entries.push((level, count));
        if let Some(end) = self.starts.last_mut() {
            *end = self.entries.len();
        }
    }

    /// The outcome space X_mb(j) that the cells belong to.
    pub fn space(&self) -> &OutcomeSpace {
        &self.space
    }

    /// The number of levels r_j of the child.
    pub fn child_levels(&self) -> u32 {
        self.child_levels
    }

    /// The number of observed configurations.
    pub fn observed(&self) -> usize {
        self.cells.len()
    }

    /// The counts of all configurations, ascending, one run of r_j counts each.
    pub(crate) fn table(&self) -> Vec<Count> {
        let mut table = Vec::new();
        self.write_table(&mut table);
        table
    }

    /// Writes [`Self::table`].
    pub(super) fn write_table(&self, table: &mut Vec<Count>) {
        let levels = self.child_levels as usize;
        table.clear();
        table.resize(self.space.size() as usize * levels, 0);
        for (cell, entries) in self.iter() {
            for &(level, count) in entries {
                table[cell as usize * levels + level as usize] = count;
            }
        }
    }

    /// Every observed configuration with its (level, count) pairs.
    pub fn iter(&self) -> impl Iterator<Item = (Cell, &[(u32, Count)])> {
        self.cells
            .iter()
            .zip(self.starts.windows(2))
            .map(|(&cell, ends)| (cell, &self.entries[ends[0]..ends[1]]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_counted_no_times_was_not_observed() {
        let space = OutcomeSpace::new([0].into_iter().collect(), &[3, 2]).unwrap();
        let family = FamilyCounts::from_entries(space, 2, vec![(0, 1, 0), (2, 0, 3), (2, 1, 0), (2, 0, 1)]);
        assert_eq!(family.observed(), 1);
        assert!(family.iter().eq([(2, [(0, 4)].as_slice())]));
    }
}
