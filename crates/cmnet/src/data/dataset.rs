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
    #[inline]
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
                for code in codes {
                    *code = new_code[usize::from(*code)] as u8;
                }
            }
            Self::Narrow(codes) => {
                *self = Self::Wide(codes.iter().map(|&code| new_code[usize::from(code)]).collect());
            }
            Self::Wide(codes) => {
                for code in codes {
                    *code = new_code[usize::from(*code)];
                }
            }
        }
    }

    /// The bits that the largest code needs.
    pub(crate) fn bits(&self) -> u32 {
        let largest = match self {
            Self::Narrow(codes) => codes.iter().copied().max().map_or(0, u16::from),
            Self::Wide(codes) => codes.iter().copied().max().unwrap_or(0),
        };
        u16::BITS - largest.leading_zeros()
    }

    /// Appends the code of each key's row to the key, as its lowest bits.
    pub(crate) fn append_to_keys(&self, bits: u32, keys: &mut [(u64, u32)]) {
        match self {
            Self::Narrow(codes) => {
                for (key, row) in keys {
                    *key = *key << bits | u64::from(codes[*row as usize]);
                }
            }
            Self::Wide(codes) => {
                for (key, row) in keys {
                    *key = *key << bits | u64::from(codes[*row as usize]);
                }
            }
        }
    }

    /// The same codes in the narrowest type for this number of levels, so that equal columns
    /// are equal whatever they went through.
    fn fitted(self, levels: usize) -> Self {
        match self {
            Self::Narrow(codes) if levels > 256 => Self::Wide(codes.into_iter().map(u16::from).collect()),
            Self::Wide(codes) if levels <= 256 => {
                Self::Narrow(codes.into_iter().map(|code| code as u8).collect())
            }
            fitting => fitting,
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
        let levels = schema.variables().iter().map(|variable| variable.levels.len());
        let columns = columns.into_iter().zip(levels).map(|(codes, levels)| codes.fitted(levels)).collect();
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
        match &self.columns[variable] {
            Codes::Narrow(codes) => add_weights(&mut counts, codes, &self.weights),
            Codes::Wide(codes) => add_weights(&mut counts, codes, &self.weights),
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

fn add_weights<C: Copy + Into<usize>>(counts: &mut [u64], codes: &[C], weights: &[u32]) {
    for (&code, &weight) in codes.iter().zip(weights) {
        let level: usize = code.into();
        counts[level] += u64::from(weight);
    }
}
