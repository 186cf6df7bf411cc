//! Counts with the names of what was counted: what a model is learned from.

use super::CountSource;
use crate::data::{DataDigest, Schema};
use crate::error::{Error, Remedy, Result};
use std::fmt;
use std::sync::LazyLock;

type LazyDigest<'a> = LazyLock<DataDigest, Box<dyn FnOnce() -> DataDigest + Send + 'a>>;

/// A source of counts, the names of its variables and levels, and the digest that its models
/// carry.
pub struct CountedTable<'a, S> {
    counts: &'a S,
    schema: &'a Schema,
    digest: LazyDigest<'a>,
}

impl<S> fmt::Debug for CountedTable<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CountedTable").field("schema", &self.schema).finish_non_exhaustive()
    }
}

impl<'a, S: CountSource> CountedTable<'a, S> {
    /// Names for counts. The digest is that of a table in memory with the same observations; it
    /// takes the margin over all variables.
    ///
    /// # Errors
    /// When names and counts speak of different variables, or the margin cannot be had.
    pub fn new(counts: &'a S, schema: &'a Schema) -> Result<Self> {
        check(counts.cardinalities(), schema)?;
        let rows = counts.margin(&(0..schema.len()).collect())?;
        let digest =
            DataDigest::of_rows(schema, rows.iter().map(|(row, count)| (row.iter().copied(), count)));
        Self::with_digest(counts, schema, || digest)
    }

    /// The same where the digest is known, or is computed when it is asked for.
    ///
    /// # Errors
    /// When names and counts speak of different variables.
    pub fn with_digest(
        counts: &'a S,
        schema: &'a Schema,
        digest: impl FnOnce() -> DataDigest + Send + 'a,
    ) -> Result<Self> {
        check(counts.cardinalities(), schema)?;
        Ok(Self { counts, schema, digest: LazyLock::new(Box::new(digest)) })
    }

    /// The counts.
    pub fn counts(&self) -> &'a S {
        self.counts
    }

    /// The names.
    pub fn schema(&self) -> &'a Schema {
        self.schema
    }

    /// The digest of the observations.
    pub fn digest(&self) -> &DataDigest {
        &self.digest
    }
}

fn check(cardinalities: &[u32], schema: &Schema) -> Result<()> {
    let named = schema.cardinalities();
    if named == cardinalities {
        return Ok(());
    }
    let problem = format!("the counts have levels {cardinalities:?} and the schema names {named:?}");
    Err(Error::mismatch(problem, Remedy::Advice("give the schema of the counts".into())))
}
