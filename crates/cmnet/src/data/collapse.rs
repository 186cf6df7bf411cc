//! Equal rows become one row with a weight; the order of lines is forgotten.

use super::codes::Codes;
use super::dataset::Dataset;
use super::sort::SortedRows;
use super::variable::{MAX_ROWS, Schema};
use super::weights::Weights;
use crate::control::{Control, ask};
use crate::error::{Error, InputProblem, Place, Result};

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
    let weights = Weights::from(weights.to_vec());
    let sorted = SortedRows::new(columns, rows_to_keep(&weights), &())?;
    let kept = sorted.firsts().count();
    let columns = columns.iter().map(|column| column.gather(sorted.firsts(), kept)).collect();
    Ok(Dataset::from_collapsed(schema, columns, sorted.sums(|row| weights.get(row))))
}

/// The distinct rows of positive weight in ascending order of their codes, and their
/// weights. At most [`MAX_ROWS`] rows whose weights add up to no more than that.
///
/// Each column is dropped before the next one is put into its new order, and the weights
/// take the place of the order: beside the columns it is four bytes per row that this takes.
pub(crate) fn merge_equal_rows(
    columns: Vec<Codes>,
    weights: &Weights,
    control: &dyn Control,
) -> Result<(Vec<Codes>, Vec<u32>)> {
    let sorted = SortedRows::new(&columns, rows_to_keep(weights), control)?;
    let kept = sorted.firsts().count();
    let gathered = |column: Codes| ask(control).map(|()| column.gather(sorted.firsts(), kept));
    let columns = columns.into_iter().map(gathered).collect::<Result<_>>()?;
    Ok((columns, sorted.sums(|row| weights.get(row))))
}

fn rows_to_keep(weights: &Weights) -> Vec<u32> {
    let mut rows = Vec::with_capacity(weights.len());
    rows.extend((0..weights.len() as u32).filter(|&row| weights.get(row as usize) > 0));
    rows
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
        Schema::new_unchecked(cardinalities.iter().enumerate().map(variable).collect())
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
            let (columns, weights) = merge_equal_rows(columns, &Weights::from(weights), &()).unwrap();
            let found: Vec<(Vec<u16>, u32)> = weights
                .iter()
                .enumerate()
                .map(|(row, &weight)| (columns.iter().map(|c| c.get(row) as u16).collect(), weight))
                .collect();
            prop_assert_eq!(found, expected.into_iter().collect::<Vec<_>>());
        }
    }
}
