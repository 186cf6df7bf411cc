//! Counting over the distinct rows of a table in memory.

use super::{CountSource, FamilyCounts, dense, sparse};
use crate::data::{Codes, Dataset, Var};
use crate::error::Result;
use crate::graph::VarSet;
use crate::table::{Cell, OutcomeSpace};

/// Table cells per distinct row up to which a dense table beats sorting.
const DENSE_CELLS_PER_ROW: u64 = 8;

/// Counts from the distinct rows of a [`Dataset`].
#[derive(Clone, Debug)]
pub struct RowCounts<'a> {
    data: &'a Dataset,
    cardinalities: Vec<u32>,
}

impl<'a> RowCounts<'a> {
    /// Counts over this table.
    pub fn new(data: &'a Dataset) -> Self {
        Self { data, cardinalities: data.schema().cardinalities() }
    }

    /// The number of distinct rows.
    pub(super) fn distinct_rows(&self) -> usize {
        self.data.distinct_rows()
    }

    /// The blanket's configuration in every distinct row.
    fn cells(&self, space: &OutcomeSpace) -> Vec<Cell> {
        let mut cells = vec![0; self.data.distinct_rows()];
        for (position, variable) in space.variables().iter().enumerate() {
            let stride = space.stride(position);
            self.data.column(variable).zip_mut(&mut cells, |cell, code| *cell += code * stride);
        }
        cells
    }
}

impl CountSource for RowCounts<'_> {
    fn cardinalities(&self) -> &[u32] {
        &self.cardinalities
    }

    fn rows(&self) -> u64 {
        self.data.rows()
    }

    fn family(&self, child: Var, blanket: &VarSet) -> Result<FamilyCounts> {
        let space = OutcomeSpace::new(blanket.clone(), &self.cardinalities)?;
        let levels = self.cardinalities[child];
        let cells = self.cells(&space);
        let rows = Rows { cells: &cells, child: self.data.column(child), weights: self.data.weights() };
        let room = DENSE_CELLS_PER_ROW * (self.data.distinct_rows() as u64 + 64);
        if space.size().saturating_mul(u64::from(levels)) <= room {
            Ok(dense::count(&rows, space, levels))
        } else {
            Ok(sparse::count(&rows, space, levels))
        }
    }
}

/// What a counting engine is given: for each distinct row the blanket's cell, the child's
/// level and the row's weight.
pub(super) struct Rows<'a> {
    pub(super) cells: &'a [Cell],
    pub(super) child: &'a Codes,
    pub(super) weights: &'a [u32],
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Schema, Variable, collapse::collapse};

    #[test]
    fn both_engines_count_the_same() {
        let cardinalities = [3u32, 2, 4, 300];
        let variable = |(index, &r): (usize, &u32)| Variable {
            name: index.to_string(),
            levels: (0..r).map(|level| level.to_string()).collect(),
        };
        let schema = Schema::new_unchecked(cardinalities.iter().enumerate().map(variable).collect());
        let code = |row: u32, column: u32| {
            (row.wrapping_mul(2_654_435_761).rotate_left(column * 7) >> 9) % cardinalities[column as usize]
        };
        let columns: Vec<Codes> =
            (0..4).map(|column| Codes::from_codes((0..500).map(|row| code(row, column) as u16))).collect();
        let data = collapse(schema, &columns, &(0..500).map(|row| row % 4).collect::<Vec<_>>()).unwrap();
        let source = RowCounts::new(&data);
        for (child, blanket) in [(0, vec![1, 2]), (1, vec![]), (2, vec![0, 1, 3]), (3, vec![0, 2])] {
            let space = OutcomeSpace::new(blanket.into_iter().collect(), source.cardinalities()).unwrap();
            let cells = source.cells(&space);
            let rows = Rows { cells: &cells, child: data.column(child), weights: data.weights() };
            let (one, other) = (
                dense::count(&rows, space.clone(), cardinalities[child]),
                sparse::count(&rows, space.clone(), cardinalities[child]),
            );
            assert_eq!(one, other);
            let sum: u64 =
                one.iter().flat_map(|(_, entries)| entries).map(|&(_, count)| u64::from(count)).sum();
            assert_eq!(sum, data.rows());
            assert_eq!(source.family(child, space.variables()).unwrap(), one);
        }
    }
}
