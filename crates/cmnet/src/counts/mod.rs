//! Counts n_ijl, the narrow waist: below this trait nobody sees rows (paper, section 3.1).

mod dense;
mod descent;
mod planes;
mod popcount;
mod rows;
mod sparse;

pub use planes::PlaneCounts;
pub use popcount::words_counted;
pub use rows::RowCounts;

use crate::data::Var;
use crate::error::Result;
use crate::graph::VarSet;
use crate::table::{Cell, OutcomeSpace};

/// Whatever can count: rows in memory, bit planes, a database.
pub trait CountSource: Sync {
    /// The number of levels of each variable.
    fn cardinalities(&self) -> &[u32];

    /// The number of observations n, by weight.
    fn rows(&self) -> u64;

    /// The counts of a variable's levels in every observed configuration of a set.
    ///
    /// # Errors
    /// When the set's outcome space is too large to be numbered.
    fn family(&self, child: Var, blanket: &VarSet) -> Result<FamilyCounts>;

    /// For each candidate the counts of the child's levels in every configuration of the
    /// blanket with the candidate: `visit(place, counts)` gets the candidate's place and one
    /// run of r_child counts per configuration, in any order, zeros allowed.
    ///
    /// # Errors
    /// When an outcome space is too large to be numbered.
    fn extensions(
        &self,
        child: Var,
        blanket: &VarSet,
        candidates: &[Var],
        visit: &mut dyn FnMut(usize, &[Count]),
    ) -> Result<()> {
        let levels = self.cardinalities()[child] as usize;
        for (place, &candidate) in candidates.iter().enumerate() {
            let family = self.family(child, &blanket.toggled(candidate))?;
            let mut counts = vec![0; family.observed() * levels];
            for (run, (_, entries)) in counts.chunks_exact_mut(levels).zip(family.iter()) {
                for &(level, count) in entries {
                    run[level as usize] = count;
                }
            }
            visit(place, &counts);
        }
        Ok(())
    }
}

/// How often a level was observed: exact, at most 2^31.
pub type Count = u32;

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
    fn new(space: OutcomeSpace, child_levels: u32) -> Self {
        Self { space, child_levels, cells: Vec::new(), starts: vec![0], entries: Vec::new() }
    }

    /// Adds a count; calls come in ascending order of (cell, level).
    fn push(&mut self, cell: Cell, level: u32, count: Count) {
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

    /// Every observed configuration with its (level, count) pairs.
    pub fn iter(&self) -> impl Iterator<Item = (Cell, &[(u32, Count)])> {
        self.cells
            .iter()
            .zip(self.starts.windows(2))
            .map(|(&cell, ends)| (cell, &self.entries[ends[0]..ends[1]]))
    }
}
