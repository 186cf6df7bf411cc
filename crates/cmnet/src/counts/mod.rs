//! Counts n_ijl, the narrow waist: above this trait nobody sees rows (paper, section 3.1).
//!
//! Searching, scoring, fitting and the choice of kappa need a [`CountSource`] and nothing else.
//! Three ship with the crate: [`RowCounts`] and [`PlaneCounts`] over a table in memory, and
//! [`ShardedCounts`], which adds up other sources.

mod bits;
mod counted;
mod dense;
mod descent;
mod family;
mod margin;
mod planes;
mod popcount;
mod real_rows;
mod rows;
mod sharded;
mod sparse;
mod weighted;

pub use counted::CountedTable;
pub(crate) use counted::check_rows;
pub use family::FamilyCounts;
pub use margin::MarginCounts;
pub use planes::PlaneCounts;
pub(crate) use popcount::common_ones;
pub(crate) use real_rows::WeightedRows;
pub use rows::RowCounts;
pub use sharded::ShardedCounts;
pub use weighted::WeightedCounts;

use crate::data::{Schema, Var, Weighting};
use crate::error::Result;
use crate::graph::VarSet;
use crate::table::Shape;

/// How often something was observed: exact, at most 2^31.
pub type Count = u32;

/// Whatever can count: rows in memory, bit planes, shards, a database.
///
/// Equal counts give equal models, to the last byte, whatever the source.
///
/// # Bring your own
///
/// A database, a contingency table, a remote service: a source needs the number of levels of each
/// variable, the number of observations, and the counts of the observed configurations of any
/// set of variables. All the rest follows from these three, and may be overridden for speed.
///
/// ```
/// use cmnet::{CountSource, CountedTable, LearnOptions, MarginCounts, Result, Schema, VarSet, Variable, learn_counts};
///
/// /// A published table of counts: 40 times (0, 0), 10 times (0, 1), and so on.
/// struct Published;
///
/// const CELLS: [([u32; 2], u32); 4] = [([0, 0], 40), ([0, 1], 10), ([1, 0], 10), ([1, 1], 40)];
///
/// impl CountSource for Published {
///     fn cardinalities(&self) -> &[u32] {
///         &[2, 2]
///     }
///
///     fn rows(&self) -> u64 {
///         100
///     }
///
///     fn margin(&self, variables: &VarSet) -> Result<MarginCounts> {
///         // Equal configurations are added up.
///         let cells = CELLS.iter();
///         let seen = cells.map(|(row, count)| (variables.iter().map(|v| row[v]).collect(), *count));
///         Ok(MarginCounts::from_entries(variables.clone(), seen.collect()))
///     }
/// }
///
/// let variable = |name: &str| Variable { name: name.into(), levels: vec!["no".into(), "yes".into()] };
/// let schema = Schema::new(vec![variable("smoker"), variable("ill")])?;
/// let table = CountedTable::new(&Published, &schema)?;
/// let learned = learn_counts(&table, &LearnOptions::default(), &())?;
/// let model = learned.models[0].to_model_of(&table, &LearnOptions::default(), &learned.search)?;
/// assert_eq!(model.structure().graph().edge_count(), 1);
/// assert!(model.fit().is_some());
/// # Ok::<(), cmnet::Error>(())
/// ```
pub trait CountSource: Sync {
    /// The number of levels of each variable.
    fn cardinalities(&self) -> &[u32];

    /// The number of observations n, by weight: at most [`crate::data::MAX_ROWS`].
    fn rows(&self) -> u64;

    /// The same number where observations have real weights: what fits by likelihood divide by.
    fn total(&self) -> f64 {
        self.rows() as f64
    }

    /// The observed configurations of a set of variables, ascending, each with its count. The
    /// set may be empty, and its outcome space may be too large to be numbered.
    ///
    /// # Errors
    /// When the counts cannot be had.
    fn margin(&self, variables: &VarSet) -> Result<MarginCounts>;

    /// What one count is worth in observations: less than 1 where weights are real numbers, and counts are
    /// whole numbers of a small unit. Counts times this add up to [`CountSource::rows`].
    fn value(&self) -> f64 {
        1.0
    }

    /// What the weights behind the counts were, where they are real numbers: models record it.
    fn weighting(&self) -> Option<Weighting> {
        None
    }

    /// About how many distinct rows are looked at for one count: a hint for the choice of the
    /// search mode, which changes no count.
    fn distinct_rows(&self) -> u64 {
        self.rows()
    }

    /// The names of variables and levels, where they are known: they serve refusals alone.
    fn schema(&self) -> Option<&Schema> {
        None
    }

    /// The counts of all configurations of some variables, in the order of a table's layout:
    /// what a clique needs.
    ///
    /// # Errors
    /// When the counts cannot be had.
    fn table(&self, shape: &Shape) -> Result<Vec<Count>> {
        Ok(self.margin(&shape.variables().iter().copied().collect())?.table(shape))
    }

    /// The same counts as real numbers: what fits by likelihood read. Expected counts and weighted
    /// observations need not be whole.
    ///
    /// # Errors
    /// As [`CountSource::table`].
    fn weights(&self, shape: &Shape) -> Result<Vec<f64>> {
        let value = self.value();
        Ok(self.table(shape)?.into_iter().map(|count| f64::from(count) * value).collect())
    }

    /// The counts of a variable's levels in every observed configuration of a set.
    ///
    /// # Errors
    /// When the set's outcome space is too large to be numbered.
    fn family(&self, child: Var, blanket: &VarSet) -> Result<FamilyCounts> {
        FamilyCounts::from_margin(
            child,
            blanket,
            &self.margin(&blanket.toggled(child))?,
            self.cardinalities(),
        )
    }

    /// The same counts as a whole table, for a set of few configurations: one run of r_child
    /// counts for each configuration, ascending, zeros included. What `counts` held is lost.
    ///
    /// # Errors
    /// As [`CountSource::family`].
    fn family_table(&self, child: Var, blanket: &VarSet, counts: &mut Vec<Count>) -> Result<()> {
        self.family(child, blanket)?.write_table(counts);
        Ok(())
    }

    /// For each candidate the counts of the child's levels in every configuration of the
    /// blanket with the candidate: `visit(place, counts)` gets the candidate's place and one
    /// run of r_child counts per configuration, in any order, zeros allowed.
    ///
    /// # Errors
    /// When an outcome space is too large to be numbered.
    fn extensions(
        &self,
        child: Var,
        blanket: &VarSet,
        candidates: &[Var],
        visit: &mut dyn FnMut(usize, &[Count]),
    ) -> Result<()> {
        let levels = self.cardinalities()[child] as usize;
        for (place, &candidate) in candidates.iter().enumerate() {
            let family = self.family(child, &blanket.toggled(candidate))?;
            let mut counts = vec![0; family.observed() * levels];
            for (run, (_, entries)) in counts.chunks_exact_mut(levels).zip(family.iter()) {
                for &(level, count) in entries {
                    run[level as usize] = count;
                }
            }
            visit(place, &counts);
        }
        Ok(())
    }
}
