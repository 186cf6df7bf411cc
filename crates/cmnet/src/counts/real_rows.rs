//! Rows with real weights, such as the chance that each belongs to a class.

use super::{CountSource, MarginCounts};
use crate::data::{Dataset, Schema};
use crate::error::{Error, Result};
use crate::graph::VarSet;
use crate::table::Shape;

/// The distinct rows of a table, each with a weight of its own.
pub(crate) struct WeightedRows<'a> {
    data: &'a Dataset,
    cardinalities: Vec<u32>,
    weights: Vec<f64>,
    total: f64,
}

impl<'a> WeightedRows<'a> {
    /// One weight per distinct row, 0 or more.
    pub(crate) fn new(data: &'a Dataset, weights: Vec<f64>) -> Self {
        let total = weights.iter().sum();
        Self { data, cardinalities: data.schema().cardinalities(), weights, total }
    }
}

impl CountSource for WeightedRows<'_> {
    fn cardinalities(&self) -> &[u32] {
        &self.cardinalities
    }

    /// The whole number next to the sum of the weights, and at least 1.
    fn rows(&self) -> u64 {
        libm::round(self.total).max(1.0) as u64
    }

    fn total(&self) -> f64 {
        self.total
    }

    fn distinct_rows(&self) -> u64 {
        self.data.distinct_rows() as u64
    }

    fn schema(&self) -> Option<&Schema> {
        Some(self.data.schema())
    }

    /// Weights are no whole numbers: fits by likelihood read [`CountSource::weights`].
    fn margin(&self, _: &VarSet) -> Result<MarginCounts> {
        Err(Error::limit("whole counts of rows with real weights", "none", "report this: it is a defect"))
    }

    fn weights(&self, shape: &Shape) -> Result<Vec<f64>> {
        let mut cells = vec![0u64; self.weights.len()];
        for (&variable, &stride) in shape.variables().iter().zip(shape.strides()) {
            self.data.column(variable).zip_mut(&mut cells, |cell, code| *cell += code * stride as u64);
        }
        let mut table = vec![0.0; shape.size()];
        for (&cell, weight) in cells.iter().zip(&self.weights) {
            table[cell as usize] += weight;
        }
        Ok(table)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counts::RowCounts;

    #[test]
    fn whole_weights_count_as_rows_do_and_others_add_up() {
        let rows = [["x", "0"], ["y", "1"], ["x", "1"], ["x", "0"], ["y", "2"]];
        let data = Dataset::from_labels(&["a", "b"], rows).unwrap();
        let shape = Shape::new(vec![1, 0], &data.schema().cardinalities());
        let whole: Vec<f64> = data.weights().iter().map(|&weight| f64::from(weight)).collect();
        let weighted = WeightedRows::new(&data, whole.clone());
        assert_eq!(weighted.weights(&shape).unwrap(), RowCounts::new(&data).weights(&shape).unwrap());
        assert_eq!((weighted.rows(), weighted.total()), (5, 5.0));
        let halves = WeightedRows::new(&data, whole.iter().map(|weight| weight / 4.0).collect());
        assert_eq!((halves.rows(), halves.total()), (1, 1.25));
        assert!((halves.weights(&shape).unwrap().iter().sum::<f64>() - 1.25).abs() < 1e-15);
        assert!(halves.margin(&[0].into_iter().collect()).is_err());
        assert_eq!(halves.schema(), Some(data.schema()), "errors name the variables");
    }
}
