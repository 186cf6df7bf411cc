//! A table as column codes and row weights (paper, section 2.1).

use super::variable::{Schema, Var};

/// The codes of one column, in the narrowest type that holds its levels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Codes {
    /// At most 256 levels.
    Narrow(Vec<u8>),
    /// At most 65,535 levels.
    Wide(Vec<u16>),
}

impl Codes {
    /// The code in a row.
    pub fn get(&self, row: usize) -> u32 {
        match self {
            Self::Narrow(codes) => u32::from(codes[row]),
            Self::Wide(codes) => u32::from(codes[row]),
        }
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        match self {
            Self::Narrow(codes) => codes.len(),
            Self::Wide(codes) => codes.len(),
        }
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds a code at the end, widening the column when it no longer fits.
    pub(crate) fn push(&mut self, code: u16) {
        match self {
            Self::Narrow(codes) => {
                if let Ok(narrow) = u8::try_from(code) {
                    codes.push(narrow);
                } else {
                    let mut wide: Vec<u16> = codes.iter().map(|&c| u16::from(c)).collect();
                    wide.push(code);
                    *self = Self::Wide(wide);
                }
            }
            Self::Wide(codes) => codes.push(code),
        }
    }

    /// The same column with every code replaced by `new_code[code]`.
    pub(crate) fn recode(&mut self, new_code: &[u16]) {
        match self {
            Self::Narrow(codes) if new_code.iter().all(|&code| code < 256) => {
                codes.iter_mut().for_each(|code| *code = new_code[usize::from(*code)] as u8);
            }
            Self::Narrow(codes) => {
                *self = Self::Wide(codes.iter().map(|&code| new_code[usize::from(code)]).collect());
            }
            Self::Wide(codes) => codes.iter_mut().for_each(|code| *code = new_code[usize::from(*code)]),
        }
    }

    /// The same column with its rows in another order, some of them left out.
    pub(crate) fn gather(&self, rows: &[u32]) -> Self {
        match self {
            Self::Narrow(codes) => Self::Narrow(rows.iter().map(|&row| codes[row as usize]).collect()),
            Self::Wide(codes) => Self::Wide(rows.iter().map(|&row| codes[row as usize]).collect()),
        }
    }
}

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
}

impl Dataset {
    /// Puts collapsed columns together; see [`super::collapse`].
    pub(crate) fn from_collapsed(schema: Schema, columns: Vec<Codes>, weights: Vec<u32>) -> Self {
        let total = weights.iter().map(|&weight| u64::from(weight)).sum();
        Self { schema, columns, weights, total }
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
        for (row, &weight) in self.weights.iter().enumerate() {
            counts[self.columns[variable].get(row) as usize] += u64::from(weight);
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
