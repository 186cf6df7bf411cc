//! Counting over the distinct rows of a table in memory.

use super::bits::{MOST, visit_rows};
use super::{Count, CountSource, FamilyCounts, MarginCounts, dense, sparse};
use crate::data::{Codes, Dataset, Schema, Var};
use crate::error::Result;
use crate::graph::VarSet;
use crate::table::{Cell, OutcomeSpace, Shape, check_size};
use std::borrow::Cow;
use std::cell::RefCell;

/// Table cells per distinct row up to which a dense table beats sorting.
const DENSE_CELLS_PER_ROW: u64 = 8;

thread_local! {
    /// Work space of counting, overwritten by every call.
    static PLACES: RefCell<Vec<u32>> = const { RefCell::new(Vec::new()) };
}

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

    /// A key for every distinct row that orders rows by the levels of some variables.
    fn keys(&self, variables: &VarSet) -> Vec<u64> {
        let mut keys = vec![0; self.data.distinct_rows()];
        let mut bound: u64 = 1;
        for variable in variables.iter() {
            let levels = u64::from(self.cardinalities[variable]);
            // A set may have more configurations than a key has room for: their ranks keep the order.
            bound = bound.checked_mul(levels).unwrap_or_else(|| rank(&mut keys) * levels);
            self.data.column(variable).zip_mut(&mut keys, |key, code| *key = *key * levels + code);
        }
        keys
    }

    /// The columns of a node and its blanket as one bit per row, the fastest in a table first, where all
    /// are binary and few.
    fn bits(&self, child: Var, blanket: &VarSet) -> Option<Vec<&[u64]>> {
        let column = |&variable: &Var| match self.data.column(variable).plane(1) {
            Cow::Borrowed(words) if self.cardinalities[variable] == 2 => Some(words),
            _ => None,
        };
        let order = std::iter::once(&child).chain(blanket.as_slice().iter().rev());
        if blanket.len() < MOST { order.map(column).collect() } else { None }
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

    fn distinct_rows(&self) -> u64 {
        self.data.distinct_rows() as u64
    }

    fn schema(&self) -> Option<&Schema> {
        Some(self.data.schema())
    }

    fn margin(&self, variables: &VarSet) -> Result<MarginCounts> {
        let keys = self.keys(variables);
        let mut rows: Vec<usize> = (0..keys.len()).collect();
        rows.sort_unstable_by_key(|&row| keys[row]);
        let columns: Vec<&Codes> = variables.iter().map(|variable| self.data.column(variable)).collect();
        let mut margin = MarginCounts::new(variables.clone());
        for run in rows.chunk_by(|&one, &other| keys[one] == keys[other]) {
            let count = run.iter().map(|&row| self.data.weights()[row]).sum();
            margin.push(columns.iter().map(|column| column.get(run[0])), count);
        }
        Ok(margin)
    }

    fn table(&self, shape: &Shape) -> Result<Vec<Count>> {
        let mut cells = vec![0; self.data.distinct_rows()];
        for (&variable, &stride) in shape.variables().iter().zip(shape.strides()) {
            self.data.column(variable).zip_mut(&mut cells, |cell, code| *cell += code as usize * stride);
        }
        let mut table = vec![0; shape.size()];
        for (&cell, &weight) in cells.iter().zip(self.data.weights()) {
            table[cell] += weight;
        }
        Ok(table)
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

    fn family_table(&self, child: Var, blanket: &VarSet, counts: &mut Vec<Count>) -> Result<()> {
        check_size(blanket, &self.cardinalities)?;
        if let Some(columns) = self.bits(child, blanket) {
            counts.clear();
            counts.resize(1 << columns.len(), 0);
            visit_rows(&columns, self.data.weights(), |place, &weight| counts[place] += weight);
            return Ok(());
        }
        PLACES.with_borrow_mut(|places| {
            places.clear();
            places.resize(self.data.distinct_rows(), 0);
            let mut size: u64 = 1;
            for &variable in std::iter::once(&child).chain(blanket.as_slice().iter().rev()) {
                self.data.column(variable).zip_mut(places, |place, code| {
                    *place += (code * size) as u32;
                });
                size *= u64::from(self.cardinalities[variable]);
            }
            counts.clear();
            counts.resize(size as usize, 0);
            for (&place, &weight) in places.iter().zip(self.data.weights()) {
                counts[place as usize] += weight;
            }
        });
        Ok(())
    }
}

/// Numbers keys by their order; returns how many different ones there are.
fn rank(keys: &mut [u64]) -> u64 {
    let mut different = keys.to_vec();
    different.sort_unstable();
    different.dedup();
    for key in keys {
        *key = different.partition_point(|other| other < key) as u64;
    }
    different.len() as u64
}

/// What a counting engine is given: for each distinct row the blanket's cell, the child's
/// level and the row's weight.
pub(super) struct Rows<'a> {
    pub(super) cells: &'a [Cell],
    pub(super) child: &'a Codes,
    pub(super) weights: &'a [u32],
}

/// What a source of counts takes as it is from the rows that it holds.
macro_rules! as_rows {
    ($rows:ident) => {
        fn cardinalities(&self) -> &[u32] {
            self.$rows.cardinalities()
        }

        fn distinct_rows(&self) -> u64 {
            self.$rows.distinct_rows()
        }

        fn schema(&self) -> Option<&$crate::data::Schema> {
            self.$rows.schema()
        }

        fn margin(
            &self,
            variables: &$crate::graph::VarSet,
        ) -> $crate::error::Result<$crate::counts::MarginCounts> {
            self.$rows.margin(variables)
        }

        fn table(&self, shape: &$crate::table::Shape) -> $crate::error::Result<Vec<$crate::counts::Count>> {
            self.$rows.table(shape)
        }
    };
}
pub(super) use as_rows;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Schema, Variable, collapse};

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
            // The margin of both says the same, and so does its table.
            let all = space.variables().toggled(child);
            let margin = source.margin(&all).unwrap();
            let again = FamilyCounts::from_margin(child, space.variables(), &margin, &cardinalities);
            assert_eq!(again.unwrap(), one);
            let shape = Shape::new(all.as_slice().iter().rev().copied().collect(), &cardinalities);
            assert_eq!(source.table(&shape).unwrap(), margin.table(&shape));
            assert!(margin.iter().zip(margin.iter().skip(1)).all(|(one, next)| one.0 < next.0));
        }
    }

    /// The last variable has three levels, so that a blanket with it is counted column by column.
    #[test]
    fn tables_of_binary_families_are_those_of_all() {
        let names: Vec<String> = (0..14).map(|v| format!("v{v}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let code = |row: usize, v: usize| (row * row / (v + 2) + row / 3 + v) % if v == 13 { 3 } else { 2 };
        let rows = (0..500).map(|row| (0..14).map(|v| code(row, v).to_string()).collect::<Vec<_>>());
        let data = Dataset::from_labels(&names, rows).unwrap();
        let source = RowCounts::new(&data);
        for child in [0, 4, 13] {
            for size in 0..13 {
                let blanket: VarSet = (0..14).filter(|&v| v != child).rev().take(size).collect();
                let binary: VarSet = (0..13).filter(|&v| v != child).take(size).collect();
                for blanket in [blanket, binary] {
                    let mut table = vec![7; 3];
                    source.family_table(child, &blanket, &mut table).unwrap();
                    assert_eq!(table, source.family(child, &blanket).unwrap().table(), "{child} {blanket:?}");
                    let is_binary = child < 13 && !blanket.contains(13);
                    assert_eq!(source.bits(child, &blanket).is_some(), is_binary);
                }
            }
        }
    }

    /// 80 variables of three levels have more than 2^64 configurations.
    #[test]
    fn margins_over_sets_that_cannot_be_numbered_are_in_order() {
        let names: Vec<String> = (0..80).map(|v| format!("v{v}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let code = |row: usize, v: usize| (row % 9 * (v + 3) + row % 9 / 2 * v) % 7 % 3;
        let rows = (0..40).map(|row| (0..80).map(|v| code(row, v).to_string()).collect::<Vec<_>>());
        let data = Dataset::from_labels(&names, rows).unwrap();
        let source = RowCounts::new(&data);
        let set: VarSet = (1..80).collect();
        let margin = source.margin(&set).unwrap();
        let entry = |row: usize| (data.row(row)[1..].to_vec(), data.weights()[row]);
        let entries = (0..data.distinct_rows()).map(entry).collect();
        assert_eq!(margin, MarginCounts::from_entries(set, entries));
        assert!(OutcomeSpace::new(margin.variables().clone(), source.cardinalities()).is_err());
        assert_eq!(margin.iter().map(|(_, count)| count).sum::<u32>(), 40);
    }
}
