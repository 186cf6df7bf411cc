//! A table with some of its columns or other weights.

use super::codes::Codes;
use super::collapse::collapse;
use super::dataset::Dataset;
use super::variable::Var;
use crate::error::{Result, StructureProblem};

impl Dataset {
    /// The same observations of these variables, in this order; rows that agree in all of
    /// them become one.
    ///
    /// # Errors
    /// When a variable does not exist.
    pub fn select(&self, variables: &[Var]) -> Result<Self> {
        let count = self.variables();
        if let Some(&variable) = variables.iter().find(|&&variable| variable >= count) {
            return Err(StructureProblem::UnknownVariable { variable, count }.into());
        }
        let columns: Vec<Codes> = variables.iter().map(|&variable| self.column(variable).clone()).collect();
        collapse(self.schema().select(variables), &columns, self.weights())
    }

    /// The same distinct rows with other weights; rows of weight 0 are left out.
    ///
    /// # Errors
    /// When no weight is above 0, or there is not one weight per distinct row.
    pub fn with_weights(&self, weights: &[u32]) -> Result<Self> {
        let columns: Vec<Codes> =
            (0..self.variables()).map(|variable| self.column(variable).clone()).collect();
        collapse(self.schema().clone(), &columns, weights)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_move_and_rows_merge() {
        let data = Dataset::from_labels(&["a", "b"], [["x", "0"], ["y", "1"], ["x", "1"]]).unwrap();
        let swapped = data.select(&[1, 0]).unwrap();
        assert_eq!(swapped.schema().name(0), "b");
        assert_eq!(swapped.select(&[1, 0]).unwrap(), data);
        assert_eq!(data.select(&[0]).unwrap().weights(), [2, 1]);
        assert!(data.select(&[2]).is_err());
    }
}
