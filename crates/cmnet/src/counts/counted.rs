//! Counts with the names of what was counted: what a model is learned from.

use super::CountSource;
use crate::data::{DataDigest, MAX_ROWS, Schema};
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
    /// When names and counts speak of different variables, there are no observations or more than
    /// [`MAX_ROWS`], or the margin cannot be had.
    pub fn new(counts: &'a S, schema: &'a Schema) -> Result<Self> {
        check(counts.cardinalities(), schema)?;
        check_rows(counts.rows())?;
        let rows = counts.margin(&(0..schema.len()).collect())?;
        let digest =
            DataDigest::of_rows(schema, rows.iter().map(|(row, count)| (row.iter().copied(), count)));
        Self::with_digest(counts, schema, || digest)
    }

    /// The same where the digest is known, or is computed when it is asked for.
    ///
    /// # Errors
    /// When names and counts speak of different variables, or there are no observations or more
    /// than [`MAX_ROWS`].
    pub fn with_digest(
        counts: &'a S,
        schema: &'a Schema,
        digest: impl FnOnce() -> DataDigest + Send + 'a,
    ) -> Result<Self> {
        check(counts.cardinalities(), schema)?;
        check_rows(counts.rows())?;
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

/// Scores are tables over all numbers of observations, and nothing is learned from none.
pub(crate) fn check_rows(rows: u64) -> Result<()> {
    if rows == 0 {
        return Err(Error::option("rows", "no row of positive weight", "at least one observation"));
    }
    if rows > MAX_ROWS {
        let hint = "divide all weights by a common factor or learn from a sample";
        return Err(Error::limit(format!("the number of rows {rows}"), "2^31", hint));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_row_and_too_many_rows_are_refused() {
        assert!(check_rows(1).is_ok() && check_rows(MAX_ROWS).is_ok());
        assert!(check_rows(0).unwrap_err().to_string().contains("at least one observation"));
        assert!(check_rows(MAX_ROWS + 1).unwrap_err().to_string().contains("2^31"));
    }
}
