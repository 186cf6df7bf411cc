//! Counting by sorting the observed configurations: for spaces far larger than the data.

use super::rows::Rows;
use super::{Count, FamilyCounts};
use crate::table::{Cell, OutcomeSpace};

/// Counts by sorting (cell, level) pairs; never looks at an unobserved configuration.
pub(super) fn count(rows: &Rows<'_>, space: OutcomeSpace, levels: u32) -> FamilyCounts {
    let observed: Vec<(Cell, u32, Count)> = rows
        .cells
        .iter()
        .zip(rows.weights)
        .enumerate()
        .map(|(row, (&cell, &weight))| (cell, rows.child.get(row), weight))
        .collect();
    FamilyCounts::from_entries(space, levels, observed)
}
