//! Counting into a table with one place per configuration and level: for small spaces.

use super::rows::Rows;
use super::{Count, FamilyCounts};
use crate::table::OutcomeSpace;

/// Counts by direct addressing. The caller has checked that the table is small.
pub(super) fn count(rows: &Rows<'_>, space: OutcomeSpace, levels: u32) -> FamilyCounts {
    let width = u64::from(levels);
    let mut table: Vec<Count> = vec![0; (space.size() * width) as usize];
    for (row, (&cell, &weight)) in rows.cells.iter().zip(rows.weights).enumerate() {
        table[(cell * width + u64::from(rows.child.get(row))) as usize] += weight;
    }
    let mut counts = FamilyCounts::new(space, levels);
    for (place, &count) in table.iter().enumerate().filter(|(_, count)| **count > 0) {
        counts.push(place as u64 / width, (place as u64 % width) as u32, count);
    }
    counts
}
