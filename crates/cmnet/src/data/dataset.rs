//! A table as column codes and row weights (paper, section 2.1).

use super::codes::Codes;
use super::digest::KnownDigest;
use super::variable::{Schema, Var};

/// Complete joint observations of d variables: distinct rows with weights.
///
/// Rows are always collapsed and in ascending order of their codes, so that two tables
/// with the same observations are equal whatever the order of their lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dataset {
    schema: Schema,
    columns: Vec<Codes>,
    weights: Vec<u32>,
    total: u64,
    digest: KnownDigest,
}

impl Dataset {
    /// Puts collapsed columns together; see [`super::collapse`].
    pub(crate) fn from_collapsed(schema: Schema, columns: Vec<Codes>, weights: Vec<u32>) -> Self {
        let levels = schema.variables().iter().map(|variable| variable.levels.len());
        let columns = columns.into_iter().zip(levels).map(|(codes, levels)| codes.fitted(levels)).collect();
        let total = weights.iter().map(|&weight| u64::from(weight)).sum();
        Self { schema, columns, weights, total, digest: KnownDigest::default() }
    }

    /// Takes the table apart.
    pub(super) fn into_parts(self) -> (Schema, Vec<Codes>, Vec<u32>) {
        (self.schema, self.columns, self.weights)
    }

    /// The digest, once it has been computed.
    pub(super) fn known_digest(&self) -> &KnownDigest {
        &self.digest
    }

    /// Names and levels.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The number of variables d.
    pub fn variables(&self) -> usize {
        self.columns.len()
    }

    /// The number of observations n, counted by weight.
    pub fn rows(&self) -> u64 {
        self.total
    }

    /// The number of distinct rows.
    pub fn distinct_rows(&self) -> usize {
        self.weights.len()
    }

    /// How often each distinct row was observed.
    pub fn weights(&self) -> &[u32] {
        &self.weights
    }

    /// The codes of one variable over the distinct rows.
    pub fn column(&self, variable: Var) -> &Codes {
        &self.columns[variable]
    }

    /// The codes of one distinct row.
    pub fn row(&self, row: usize) -> Vec<u32> {
        self.columns.iter().map(|column| column.get(row)).collect()
    }

    /// How often each level of a variable was observed.
    pub fn level_counts(&self, variable: Var) -> Vec<u64> {
        let mut counts = vec![0; self.schema.variable(variable).levels.len()];
        if let [zeros, ones] = counts.as_mut_slice() {
            self.columns[variable].zip(&self.weights, |&weight, code| *ones += u64::from(weight) * code);
            *zeros = self.total - *ones;
        } else {
            self.columns[variable]
                .zip(&self.weights, |&weight, code| counts[code as usize] += u64::from(weight));
        }
        counts
    }

    /// Variables of which a single level was observed: they can have no edge.
    pub fn constant_variables(&self) -> Vec<Var> {
        (0..self.variables())
            .filter(|&variable| self.level_counts(variable).iter().filter(|&&count| count > 0).count() <= 1)
            .collect()
    }
}
