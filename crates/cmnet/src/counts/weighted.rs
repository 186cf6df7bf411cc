//! Counts of observations with real-valued weights.

use super::rows::as_rows;
use super::{Count, CountSource, FamilyCounts, RowCounts};
use crate::data::{Var, WeightedTable, Weighting};
use crate::error::Result;
use crate::graph::VarSet;

/// Counts over a table with real-valued weights: counts are in units, and [`CountSource::value`] says what
/// one is worth.
///
/// # Example
/// ```
/// use cmnet::{CountedTable, LearnOptions, Schema, Variable, WeightKind, WeightedCounts, WeightedTable, learn_counts};
/// let variable = |name: &str| Variable { name: name.into(), levels: vec!["no".into(), "yes".into()] };
/// let schema = Schema::new(vec![variable("a"), variable("b")])?;
/// let rows = (0..60).map(|row| (vec![row % 2, row % 2], 0.5 + f64::from(row % 3)));
/// let table = WeightedTable::new(schema, rows, WeightKind::Design)?;
/// let counts = WeightedCounts::new(&table);
/// let counted = CountedTable::with_digest(&counts, table.schema(), || table.digest())?;
/// let learned = learn_counts(&counted, &LearnOptions::default(), &())?;
/// assert_eq!(learned.models[0].structure.graph().edge_count(), 1);
/// # Ok::<(), cmnet::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct WeightedCounts<'a> {
    units: RowCounts<'a>,
    table: &'a WeightedTable,
}

impl<'a> WeightedCounts<'a> {
    /// Counts over this table.
    pub fn new(table: &'a WeightedTable) -> Self {
        Self { units: RowCounts::new(table.units()), table }
    }
}

impl CountSource for WeightedCounts<'_> {
    as_rows!(units);

    fn rows(&self) -> u64 {
        self.table.rows()
    }

    fn weighting(&self) -> Option<Weighting> {
        Some(self.table.weighting())
    }

    fn value(&self) -> f64 {
        self.table.value()
    }

    fn family(&self, child: Var, blanket: &VarSet) -> Result<FamilyCounts> {
        self.units.family(child, blanket)
    }

    fn family_table(&self, child: Var, blanket: &VarSet, counts: &mut Vec<Count>) -> Result<()> {
        self.units.family_table(child, blanket, counts)
    }

    fn extensions(
        &self,
        child: Var,
        blanket: &VarSet,
        candidates: &[Var],
        visit: &mut dyn FnMut(usize, &[Count]),
    ) -> Result<()> {
        self.units.extensions(child, blanket, candidates, visit)
    }
}
