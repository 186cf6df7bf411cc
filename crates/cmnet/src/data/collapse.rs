//! Equal rows become one row with a weight; the order of lines is forgotten.

use super::codes::Codes;
use super::dataset::Dataset;
use super::variable::{MAX_ROWS, Schema};
use crate::error::{Error, InputProblem, Place, Result};
use std::ops::Range;

/// Collapses coded columns with row weights into a [`Dataset`].
///
/// Rows of weight 0 are dropped (their levels stay in the schema). The distinct rows come
/// out in ascending order of their codes. The caller has checked that every code is below
/// its variable's number of levels; [`Dataset::from_columns`] does both.
///
/// # Errors
/// When no row of positive weight is left, the weights add up to more than [`MAX_ROWS`], or
/// columns and weights differ in length.
///
/// # Complexity
/// O(n d + n log n) time for most tables, O(n) extra space beside the result.
pub fn collapse(schema: Schema, columns: &[Codes], weights: &[u32]) -> Result<Dataset> {
    let rows = weights.len();
    if columns.len() != schema.len() || columns.iter().any(|column| column.len() != rows) {
        return Err(Error::option(
            "columns",
            format!("{} columns", columns.len()),
            "one column of codes per variable, all of one length",
        ));
    }
    let total: u64 = weights.iter().map(|&weight| u64::from(weight)).sum();
    if total == 0 {
        return Err(Error::option("rows", "no row of positive weight", "at least one observation"));
    }
    if total.max(rows as u64) > MAX_ROWS {
        let total = total.max(rows as u64);
        return Err(Error::input(
            Place::file("the table"),
            InputProblem::TooManyRows { total, limit: MAX_ROWS },
        ));
    }
    let (kept, weights) = distinct_rows(columns, weights);
    let columns = columns.iter().map(|column| column.gather(&kept)).collect();
    Ok(Dataset::from_collapsed(schema, columns, weights))
}

/// The distinct rows of positive weight in ascending order of their codes, and their
/// weights. At most [`MAX_ROWS`] rows whose weights add up to no more than that.
///
/// Each column is dropped before the next one is put into its new order.
pub(crate) fn merge_equal_rows(columns: Vec<Codes>, weights: &[u32]) -> (Vec<Codes>, Vec<u32>) {
    let (kept, weights) = distinct_rows(&columns, weights);
    let columns = columns.into_iter().map(|column| column.gather(&kept)).collect();
    (columns, weights)
}

/// One of each set of equal rows, ascending by codes, and the sums of their weights.
///
/// Columns are read one after the other, each over all rows: a comparison of two rows would
/// look into every column at two far places, which took most of the time at a million rows.
fn distinct_rows(columns: &[Codes], weights: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let mut order: Vec<u32> = (0..weights.len() as u32).filter(|&row| weights[row as usize] > 0).collect();
    let is_first = sort_rows(columns, &mut order);
    let mut kept: Vec<u32> = Vec::new();
    let mut kept_weights: Vec<u32> = Vec::new();
    for (row, is_first) in order.into_iter().zip(is_first) {
        let weight = weights[row as usize];
        match kept_weights.last_mut() {
            Some(sum) if !is_first => *sum += weight,
            _ => {
                kept.push(row);
                kept_weights.push(weight);
            }
        }
    }
    (kept, kept_weights)
}

/// Sorts row numbers by the codes of the rows; for each place, whether the row there differs
/// from the one before.
///
/// Several columns are packed into one 64-bit key, the first column highest, the row number
/// in its lowest bits: a million rows are sorted in eight megabytes. Rows that agree in one
/// key are sorted by the next. The runs still to be sorted are kept on a list of our
/// own, since tables may be wide enough to exhaust a recursion.
fn sort_rows(columns: &[Codes], order: &mut [u32]) -> Vec<bool> {
    let bits: Vec<u32> = columns.iter().map(Codes::bits).collect();
    let row_bits = u32::BITS - order.iter().copied().max().unwrap_or(0).leading_zeros();
    let row_mask = (1_u64 << row_bits) - 1;
    let keys = key_columns(&bits, u64::BITS - row_bits);
    let mut is_first = vec![false; order.len()];
    let mut packed: Vec<u64> = Vec::new();
    let mut runs: Vec<(Range<usize>, usize)> = vec![(0..order.len(), 0)];
    while let Some((run, key)) = runs.pop() {
        let Some(key_columns) = keys.get(key) else { continue };
        packed.clear();
        packed.resize(run.len(), 0);
        let rows = &mut order[run.clone()];
        for column in key_columns.clone() {
            columns[column].append_to_keys(bits[column], rows, &mut packed);
        }
        packed.iter_mut().zip(rows).for_each(|(key, row)| *key = *key << row_bits | u64::from(*row));
        packed.sort_unstable();
        let mut from = run.start;
        for (place, &key_and_row) in run.clone().zip(&packed) {
            order[place] = (key_and_row & row_mask) as u32;
            if place > run.start && (key_and_row ^ packed[place - run.start - 1]) > row_mask {
                is_first[place] = true;
                runs.extend((place - from > 1).then_some((from..place, key + 1)));
                from = place;
            }
        }
        runs.extend((run.end - from > 1).then_some((from..run.end, key + 1)));
    }
    is_first
}

/// Consecutive columns whose codes fit one key of so many bits together.
fn key_columns(bits: &[u32], room: u32) -> Vec<Range<usize>> {
    let mut keys = Vec::new();
    let (mut from, mut used) = (0, 0);
    for (column, &bits) in bits.iter().enumerate() {
        if used + bits > room {
            keys.push(from..column);
            (from, used) = (column, 0);
        }
        used += bits;
    }
    keys.push(from..bits.len());
    keys
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Variable;
    use proptest::prelude::*;

    fn schema(cardinalities: &[usize]) -> Schema {
        let variable = |(index, &levels): (usize, &usize)| Variable {
            name: format!("x{index}"),
            levels: (0..levels).map(|level| level.to_string()).collect(),
        };
        Schema::new(cardinalities.iter().enumerate().map(variable).collect())
    }

    #[test]
    fn equal_rows_add_their_weights_and_zero_weights_vanish() {
        let columns = [Codes::from_codes([1, 0, 1, 0]), Codes::from_codes([2, 0, 2, 1])];
        let data = collapse(schema(&[2, 3]), &columns, &[1, 3, 4, 0]).unwrap();
        assert_eq!(data.rows(), 8);
        assert_eq!(data.weights(), [3, 5]);
        assert_eq!((data.row(0), data.row(1)), (vec![0, 0], vec![1, 2]));
        assert!(collapse(schema(&[2, 3]), &columns, &[0; 4]).is_err());
    }

    #[test]
    fn totals_beyond_the_limit_are_refused() {
        let columns = [Codes::from_codes([0, 0])];
        assert!(collapse(schema(&[1]), &columns, &[1 << 31, 1]).is_err());
        assert_eq!(collapse(schema(&[1]), &columns, &[1 << 30, 1 << 30]).unwrap().rows(), MAX_ROWS);
    }

    #[test]
    fn columns_share_a_key_as_long_as_they_fit() {
        assert_eq!(key_columns(&[16, 16, 16, 16, 1], 64), [0..4, 4..5]);
        assert_eq!(key_columns(&[1; 65], 64), [0..64, 64..65]);
        assert_eq!(key_columns(&[0, 16, 0], 32).len(), 1);
    }

    proptest! {
        /// Many columns of few and of many levels, so that rows agree in one key or several.
        #[test]
        fn rows_are_sorted_and_merged_like_a_map_would(
            rows in prop::collection::vec((prop::collection::vec(0..3_u16, 7), 0..4_u32), 1..60),
            repeat in 1..12_usize,
        ) {
            let width = 7 * repeat;
            let code = |row: &[u16], column: usize| {
                let code = row[column % 7];
                if column.is_multiple_of(5) { code * 300 } else { code }
            };
            let mut columns = vec![Codes::default(); width];
            let mut expected = std::collections::BTreeMap::<Vec<u16>, u32>::new();
            for (row, weight) in &rows {
                let row: Vec<u16> = (0..width).map(|column| code(row, column)).collect();
                columns.iter_mut().zip(&row).for_each(|(column, &code)| column.push(code));
                if *weight > 0 {
                    *expected.entry(row).or_default() += weight;
                }
            }
            let weights: Vec<u32> = rows.iter().map(|(_, weight)| *weight).collect();
            let (columns, weights) = merge_equal_rows(columns, &weights);
            let found: Vec<(Vec<u16>, u32)> = weights
                .iter()
                .enumerate()
                .map(|(row, &weight)| (columns.iter().map(|c| c.get(row) as u16).collect(), weight))
                .collect();
            prop_assert_eq!(found, expected.into_iter().collect::<Vec<_>>());
        }
    }
}
