//! Several sources as one: the counts of shards of rows, added up.

use super::{Count, CountSource, FamilyCounts, MarginCounts, check_rows};
use crate::data::{Schema, Var};
use crate::error::{Error, Remedy, Result};
use crate::graph::VarSet;
use crate::table::{OutcomeSpace, Shape};

/// The counts of several sources over the same variables, added up: tables that are too large
/// for one place, or that must stay where they are.
///
/// # Example
/// ```
/// use cmnet::{CountSource, Dataset, RowCounts, ShardedCounts};
/// let data = Dataset::from_labels(&["a", "b"], [["0", "0"], ["1", "1"], ["1", "0"]])?;
/// let (one, other) = (data.with_weights(&[1, 0, 1])?, data.with_weights(&[0, 1, 0])?);
/// let whole = ShardedCounts::new(vec![Box::new(RowCounts::new(&one)), Box::new(RowCounts::new(&other))])?;
/// let blanket = [1].into_iter().collect();
/// assert_eq!(whole.family(0, &blanket)?, RowCounts::new(&data).family(0, &blanket)?);
/// # Ok::<(), cmnet::Error>(())
/// ```
pub struct ShardedCounts<'a> {
    shards: Vec<Box<dyn CountSource + 'a>>,
    cardinalities: Vec<u32>,
    rows: u64,
}

impl std::fmt::Debug for ShardedCounts<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let shards = self.shards.len();
        f.debug_struct("ShardedCounts").field("shards", &shards).field("rows", &self.rows).finish()
    }
}

impl<'a> ShardedCounts<'a> {
    /// Adds up these sources.
    ///
    /// # Errors
    /// When there is none, they do not have the same variables and levels, or they have no
    /// observations or more than [`crate::data::MAX_ROWS`] together.
    pub fn new(shards: Vec<Box<dyn CountSource + 'a>>) -> Result<Self> {
        let differ = |problem: &str| {
            Error::mismatch(problem, Remedy::Advice("give shards of one table, coded alike".into()))
        };
        let Some(first) = shards.first() else { return Err(differ("there are no shards")) };
        let cardinalities = first.cardinalities().to_vec();
        if shards.iter().any(|shard| shard.cardinalities() != cardinalities) {
            return Err(differ("the shards have different variables or levels"));
        }
        let rows = shards.iter().map(|shard| shard.rows()).sum();
        check_rows(rows)?;
        Ok(Self { shards, cardinalities, rows })
    }
}

impl CountSource for ShardedCounts<'_> {
    fn cardinalities(&self) -> &[u32] {
        &self.cardinalities
    }

    fn rows(&self) -> u64 {
        self.rows
    }

    fn distinct_rows(&self) -> u64 {
        self.shards.iter().map(|shard| shard.distinct_rows()).sum()
    }

    fn schema(&self) -> Option<&Schema> {
        self.shards.iter().find_map(|shard| shard.schema())
    }

    fn margin(&self, variables: &VarSet) -> Result<MarginCounts> {
        let mut entries = Vec::new();
        for shard in &self.shards {
            let margin = shard.margin(variables)?;
            entries.extend(margin.iter().map(|(levels, count)| (levels.to_vec(), count)));
        }
        Ok(MarginCounts::from_entries(variables.clone(), entries))
    }

    fn table(&self, shape: &Shape) -> Result<Vec<Count>> {
        let mut sums = vec![0; shape.size()];
        for shard in &self.shards {
            sums.iter_mut().zip(shard.table(shape)?).for_each(|(sum, count)| *sum += count);
        }
        Ok(sums)
    }

    fn family(&self, child: Var, blanket: &VarSet) -> Result<FamilyCounts> {
        let space = OutcomeSpace::new(blanket.clone(), &self.cardinalities)?;
        let mut entries = Vec::new();
        for shard in &self.shards {
            let family = shard.family(child, blanket)?;
            for (cell, levels) in family.iter() {
                entries.extend(levels.iter().map(|&(level, count)| (cell, level, count)));
            }
        }
        Ok(FamilyCounts::from_entries(space, self.cardinalities[child], entries))
    }
}
