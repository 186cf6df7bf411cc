//! Tables with the same variables, put together.

use super::collapse::merge_equal_rows;
use super::dataset::Dataset;
use super::variable::MAX_ROWS;
use super::weights::Weights;
use crate::control::Control;
use crate::error::{Error, InputProblem, Place, Result};

impl Dataset {
    /// All observations of tables that have the same names and levels; equal rows become one.
    ///
    /// # Errors
    /// When there is no table, their variables differ, they have more than [`MAX_ROWS`] observations
    /// together, or the control asks to stop.
    ///
    /// # Example
    /// ```
    /// use cmnet::Dataset;
    /// let one = Dataset::from_labels(&["a"], [["x"], ["y"]])?;
    /// let both = Dataset::merged(vec![one.clone(), one], &())?;
    /// assert_eq!(both.weights(), [2, 2]);
    /// # Ok::<(), cmnet::Error>(())
    /// ```
    pub fn merged(tables: Vec<Self>, control: &dyn Control) -> Result<Self> {
        let total: u64 = tables.iter().map(Self::rows).sum();
        if total > MAX_ROWS {
            let problem = InputProblem::TooManyRows { total, limit: MAX_ROWS };
            return Err(Error::input(Place::file("the table"), problem));
        }
        let mut tables = tables.into_iter();
        let Some(first) = tables.next() else {
            return Err(Error::option("tables", "none", "at least one table"));
        };
        if tables.len() == 0 {
            return Ok(first);
        }
        let (schema, mut columns, mut weights) = first.into_parts();
        for table in tables {
            if *table.schema() != schema {
                let problem = "the tables have not the same variables and levels";
                return Err(Error::mismatch(problem, "pack all of them with one list of levels"));
            }
            for (variable, own) in columns.iter_mut().enumerate() {
                own.extend(table.column(variable).iter().map(|code| code as u16));
            }
            weights.extend_from_slice(table.weights());
        }
        let (columns, weights) = merge_equal_rows(columns, &Weights::from(weights), control)?;
        Ok(Self::from_collapsed(schema, columns, weights))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_in_any_division_are_the_table() {
        let labels: Vec<[String; 2]> =
            (0..200_u32).map(|row| [(row * 7 % 9).to_string(), (row * row % 5).to_string()]).collect();
        let whole = Dataset::from_labels(&["a", "b"], &labels).unwrap();
        for division in [1, 2, 3, 7] {
            let mut weights = vec![vec![0; whole.distinct_rows()]; division];
            for (row, &weight) in whole.weights().iter().enumerate() {
                (0..weight as usize).for_each(|copy| weights[(row * 3 + copy) % division][row] += 1);
            }
            let parts = weights.iter().map(|weights| whole.with_weights(weights).unwrap()).collect();
            assert_eq!(Dataset::merged(parts, &()).unwrap(), whole);
        }
        let other = Dataset::from_labels(&["a", "c"], &labels).unwrap();
        assert!(Dataset::merged(vec![whole, other], &()).is_err());
        assert!(Dataset::merged(vec![], &()).is_err());
    }
}
