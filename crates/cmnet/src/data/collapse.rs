//! Equal rows become one row with a weight; the order of lines is forgotten.

use super::dataset::{Codes, Dataset};
use super::variable::Schema;
use crate::error::{Error, Result};
use std::cmp::Ordering;

/// Collapses coded columns with row weights into a [`Dataset`].
///
/// Rows of weight 0 are dropped (their levels stay in the schema). The distinct rows come
/// out in ascending order of their codes.
///
/// # Errors
/// When no row of positive weight is left, or columns and weights differ in length.
///
/// # Complexity
/// O(n d log n) time, O(n) extra space.
pub fn collapse(schema: Schema, columns: &[Codes], weights: &[u32]) -> Result<Dataset> {
    let rows = weights.len();
    if columns.len() != schema.len() || columns.iter().any(|column| column.len() != rows) {
        return Err(Error::option(
            "columns",
            format!("{} columns", columns.len()),
            "one column of codes per variable, all of one length",
        ));
    }
    let mut order: Vec<u32> = (0..rows as u32).filter(|&row| weights[row as usize] > 0).collect();
    if order.is_empty() {
        return Err(Error::option("rows", "no row of positive weight", "at least one observation"));
    }
    order.sort_unstable_by(|&left, &right| compare(columns, left as usize, right as usize));
    let mut kept: Vec<u32> = Vec::new();
    let mut kept_weights: Vec<u32> = Vec::new();
    for row in order {
        let weight = weights[row as usize];
        match (kept.last(), kept_weights.last_mut()) {
            (Some(&last), Some(sum)) if compare(columns, last as usize, row as usize).is_eq() => {
                *sum += weight;
            }
            _ => {
                kept.push(row);
                kept_weights.push(weight);
            }
        }
    }
    let columns = columns.iter().map(|column| column.gather(&kept)).collect();
    Ok(Dataset::from_collapsed(schema, columns, kept_weights))
}

fn compare(columns: &[Codes], left: usize, right: usize) -> Ordering {
    columns
        .iter()
        .map(|column| column.get(left).cmp(&column.get(right)))
        .find(|ordering| ordering.is_ne())
        .unwrap_or(Ordering::Equal)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Variable;

    fn schema(cardinalities: &[usize]) -> Schema {
        let variable = |(index, &levels): (usize, &usize)| Variable {
            name: format!("x{index}"),
            levels: (0..levels).map(|level| level.to_string()).collect(),
        };
        Schema::new(cardinalities.iter().enumerate().map(variable).collect())
    }

    #[test]
    fn equal_rows_add_their_weights_and_zero_weights_vanish() {
        let columns = [Codes::Narrow(vec![1, 0, 1, 0]), Codes::Narrow(vec![2, 0, 2, 1])];
        let data = collapse(schema(&[2, 3]), &columns, &[1, 3, 4, 0]).unwrap();
        assert_eq!(data.rows(), 8);
        assert_eq!(data.weights(), [3, 5]);
        assert_eq!((data.row(0), data.row(1)), (vec![0, 0], vec![1, 2]));
        assert!(collapse(schema(&[2, 3]), &columns, &[0; 4]).is_err());
    }
}
