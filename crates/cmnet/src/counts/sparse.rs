//! Counting by sorting the observed configurations: for spaces far larger than the data.

use super::rows::Rows;
use super::{Count, FamilyCounts};
use crate::table::{Cell, OutcomeSpace};

/// Counts by sorting (cell, level) pairs; never looks at an unobserved configuration.
pub(super) fn count(rows: &Rows<'_>, space: OutcomeSpace, levels: u32) -> FamilyCounts {
    let mut observed: Vec<(Cell, u32, Count)> = rows
        .cells
        .iter()
        .zip(rows.weights)
        .enumerate()
        .map(|(row, (&cell, &weight))| (cell, rows.child.get(row), weight))
        .collect();
    observed.sort_unstable_by_key(|&(cell, level, _)| (cell, level));
    let mut counts = FamilyCounts::new(space, levels);
    for run in observed.chunk_by(|left, right| (left.0, left.1) == (right.0, right.1)) {
        counts.push(run[0].0, run[0].1, run.iter().map(|&(_, _, weight)| weight).sum());
    }
    counts
}
