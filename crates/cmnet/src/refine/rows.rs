//! The distinct rows of a table, and the classes into which a blanket divides them.

use crate::counts::CountSource;
use crate::data::Var;
use crate::error::{Error, Remedy, Result};
use crate::graph::VarSet;

/// The most bytes that the rows may take.
const MOST_BYTES: u64 = 2 << 30;

/// Codes of rows may always be below this.
const MOST_CODES: usize = 1 << 12;

/// Bytes of one level while the rows are taken over.
const LEVEL_BYTES: u64 = 6;

/// Distinct rows, ascending, column by column.
#[derive(Debug)]
pub(super) struct Rows {
    pub(super) cardinalities: Vec<u32>,
    pub(super) columns: Vec<Vec<u16>>,
    pub(super) weights: Vec<f64>,
    /// Observations, by weight.
    pub(super) total: f64,
}

impl Rows {
    /// The rows behind counts: the margin of all variables.
    pub(super) fn of<S: CountSource + ?Sized>(counts: &S) -> Result<Self> {
        let cardinalities = counts.cardinalities().to_vec();
        let levels = counts.distinct_rows().saturating_mul(cardinalities.len() as u64);
        if levels.saturating_mul(LEVEL_BYTES) > MOST_BYTES {
            let what = "the memory of the rows that a refinement looks at";
            return Err(Error::limit(what, format!("{} MiB", MOST_BYTES >> 20), Remedy::LearnSparserGraph));
        }
        let margin = counts.margin(&(0..cardinalities.len()).collect())?;
        let mut columns = vec![Vec::with_capacity(margin.observed()); cardinalities.len()];
        let mut weights = Vec::with_capacity(margin.observed());
        for (levels, count) in margin.iter() {
            columns.iter_mut().zip(levels).for_each(|(column, &level)| column.push(level as u16));
            weights.push(f64::from(count) * counts.value());
        }
        Ok(Self { cardinalities, columns, total: weights.iter().sum(), weights })
    }

    /// The levels of a variable.
    pub(super) fn levels(&self, variable: Var) -> usize {
        self.cardinalities[variable] as usize
    }
}

/// The observed configurations of a node's blanket, numbered as they first come.
#[derive(Debug)]
pub(super) struct Classes {
    /// The class of each row.
    pub(super) of_row: Vec<u32>,
    /// A row of each class.
    pub(super) example: Vec<u32>,
    /// For each class and level of the node, how often both were observed.
    pub(super) counts: Vec<f64>,
}

impl Classes {
    pub(super) fn of(rows: &Rows, node: Var, blanket: &VarSet) -> Self {
        let mut divided = Divided::new(rows.weights.len());
        for member in blanket.iter() {
            divided.by(&rows.columns[member], rows.levels(member));
        }
        let (of_row, example) = divided.numbered();
        let levels = rows.levels(node);
        let mut counts = vec![0.0; example.len() * levels];
        for ((&class, &level), weight) in of_row.iter().zip(&rows.columns[node]).zip(&rows.weights) {
            counts[class as usize * levels + level as usize] += weight;
        }
        Self { of_row, example, counts }
    }
}

/// Rows with a code each, which is below a bound.
struct Divided {
    codes: Vec<u32>,
    below: usize,
}

impl Divided {
    fn new(rows: usize) -> Self {
        Self { codes: vec![0; rows], below: 1 }
    }

    /// Divides by the levels of one more variable. Codes grow while a table of them is not much longer than the rows.
    fn by(&mut self, column: &[u16], levels: usize) {
        if self.below * levels > MOST_CODES.max(self.codes.len()) {
            self.renumber();
        }
        let times = levels as u32;
        self.codes.iter_mut().zip(column).for_each(|(code, &level)| *code = *code * times + u32::from(level));
        self.below *= levels;
    }

    /// Numbers the codes as they first come; gives a row of each.
    fn renumber(&mut self) -> Vec<u32> {
        let mut numbers = vec![u32::MAX; self.below];
        let mut example = Vec::new();
        for (row, code) in self.codes.iter_mut().enumerate() {
            let number = &mut numbers[*code as usize];
            if *number == u32::MAX {
                *number = example.len() as u32;
                example.push(row as u32);
            }
            *code = *number;
        }
        self.below = example.len();
        example
    }

    /// The class of each row and a row of each class.
    fn numbered(mut self) -> (Vec<u32>, Vec<u32>) {
        let example = self.renumber();
        (self.codes, example)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_numbered_as_they_first_come() {
        for count in [0, 1, 7, 3000] {
            let level = |row: usize, v: usize| (((row * 31 + v * 17) * (row + 3 * v)) % (2 + v * v)) as u16;
            let columns: Vec<Vec<u16>> =
                (0..7).map(|v| (0..count).map(|row| level(row, v)).collect()).collect();
            let rows = Rows {
                cardinalities: (0..7).map(|v| 2 + v * v).collect(),
                columns,
                weights: (0..count).map(|row| 1.0 + (row % 3) as f64).collect(),
                total: 0.0,
            };
            for blanket in [vec![], vec![1], vec![2, 4], vec![1, 2, 3, 4, 5, 6]] {
                let classes = Classes::of(&rows, 0, &blanket.iter().copied().collect());
                let mut seen: Vec<(Vec<u16>, Vec<f64>)> = Vec::new();
                for row in 0..count {
                    let own: Vec<u16> = blanket.iter().map(|&v| level(row, v)).collect();
                    let place = seen.iter().position(|(other, _)| *other == own).unwrap_or_else(|| {
                        seen.push((own, vec![0.0; 2]));
                        seen.len() - 1
                    });
                    seen[place].1[level(row, 0) as usize] += rows.weights[row];
                    assert_eq!(classes.of_row[row] as usize, place);
                }
                let counts: Vec<f64> = seen.into_iter().flat_map(|(_, counts)| counts).collect();
                assert_eq!(classes.counts, counts);
                assert_eq!(classes.example.len() * 2, counts.len());
            }
        }
    }
}
