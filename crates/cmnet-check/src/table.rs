//! The data set: joint observations over d discrete variables (paper, section 2.1 and 3.1).

use std::collections::BTreeMap;

use crate::error::CheckError;

/// Observations as level numbers, equal rows added up.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    cardinalities: Vec<usize>,
    rows: Vec<Vec<usize>>,
    weights: Vec<u64>,
    total: u64,
    /// What a weight of 1 is worth, in observations.
    unit: f64,
}

impl Table {
    /// Checks the observations and adds up equal rows. Variable `j` has `cardinalities[j]`
    /// levels 0, 1, ..., and `weights[k]` says how often `rows[k]` was observed.
    ///
    /// # Errors
    /// A variable without levels, a row of the wrong length, a level out of range, a list of
    /// weights of the wrong length, or weights that add up to more than 64 bits hold.
    pub fn new(
        cardinalities: Vec<usize>,
        rows: Vec<Vec<usize>>,
        weights: Vec<u64>,
    ) -> Result<Self, CheckError> {
        if let Some(variable) = cardinalities.iter().position(|&levels| levels == 0) {
            return Err(CheckError::NoLevels { variable });
        }
        if rows.len() != weights.len() {
            return Err(CheckError::WeightCount { rows: rows.len(), weights: weights.len() });
        }
        let total = weights
            .iter()
            .try_fold(0_u64, |sum, &weight| sum.checked_add(weight))
            .ok_or(CheckError::TooManyObservations)?;
        let mut distinct = BTreeMap::new();
        for (number, (row, weight)) in rows.into_iter().zip(weights).enumerate() {
            check_row(number, &row, &cardinalities)?;
            *distinct.entry(row).or_insert(0) += weight;
        }
        let (rows, weights) = distinct.into_iter().unzip();
        Ok(Self { cardinalities, rows, weights, total, unit: 1.0 })
    }

    /// The same table where a weight of 1 is worth this part of an observation: weights that are no whole
    /// numbers are whole numbers of some unit.
    ///
    /// # Errors
    /// When the unit is not a positive number.
    pub fn with_unit(self, unit: f64) -> Result<Self, CheckError> {
        if unit.is_finite() && unit > 0.0 { Ok(Self { unit, ..self }) } else { Err(CheckError::Unit) }
    }

    /// The number of levels of each variable, `r_1`, ..., `r_d`.
    pub fn cardinalities(&self) -> &[usize] {
        &self.cardinalities
    }

    /// The number of variables, d.
    pub fn variables(&self) -> usize {
        self.cardinalities.len()
    }

    /// The number of observations n, which weights of another unit need not make whole.
    pub fn size(&self) -> f64 {
        self.total as f64 * self.unit
    }

    /// What a weight of 1 is worth, in observations.
    pub fn unit(&self) -> f64 {
        self.unit
    }

    /// The sum of the weights.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// The distinct observations, each with its weight: how often it was made, in units.
    pub fn observations(&self) -> impl Iterator<Item = (&[usize], u64)> {
        self.rows.iter().map(Vec::as_slice).zip(self.weights.iter().copied())
    }
}

fn check_row(number: usize, row: &[usize], cardinalities: &[usize]) -> Result<(), CheckError> {
    if row.len() != cardinalities.len() {
        let (found, expected) = (row.len(), cardinalities.len());
        return Err(CheckError::RowLength { row: number, found, expected });
    }
    match (0..row.len()).find(|&variable| row[variable] >= cardinalities[variable]) {
        Some(variable) => Err(CheckError::LevelOutOfRange { row: number, variable, level: row[variable] }),
        None => Ok(()),
    }
}
