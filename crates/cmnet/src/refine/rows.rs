//! The distinct rows of a table, and the classes into which a blanket divides them.

use crate::counts::CountSource;
use crate::data::Var;
use crate::error::{Error, Remedy, Result};
use crate::graph::VarSet;

/// The most bytes that the rows may take.
const MOST_BYTES: u64 = 2 << 30;

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
        let mut of_row = vec![0u32; rows.weights.len()];
        let mut example = vec![0u32];
        for member in blanket.iter() {
            (of_row, example) = split(&of_row, example.len(), &rows.columns[member], rows.levels(member));
        }
        let levels = rows.levels(node);
        let mut counts = vec![0.0; example.len() * levels];
        for ((&class, &level), weight) in of_row.iter().zip(&rows.columns[node]).zip(&rows.weights) {
            counts[class as usize * levels + level as usize] += weight;
        }
        Self { of_row, example, counts }
    }
}

/// Divides classes by the levels of one more variable.
fn split(of_row: &[u32], classes: usize, column: &[u16], levels: usize) -> (Vec<u32>, Vec<u32>) {
    let mut numbers = vec![u32::MAX; classes * levels];
    let (mut divided, mut example) = (Vec::with_capacity(of_row.len()), Vec::new());
    for (row, (&class, &level)) in of_row.iter().zip(column).enumerate() {
        let number = &mut numbers[class as usize * levels + level as usize];
        if *number == u32::MAX {
            *number = example.len() as u32;
            example.push(row as u32);
        }
        divided.push(*number);
    }
    (divided, example)
}
