//! A table with holes: rows of which some cells are not known.

use super::codes::Codes;
use super::collapse::collapse;
use super::dataset::Dataset;
use super::digest::DataDigest;
use super::variable::{MAX_ROWS, Schema, Var};
use crate::error::{Error, InputProblem, Place, Result};
use std::collections::BTreeMap;

/// The code of a cell that is not known, in this module alone.
const HOLE: u32 = u32::MAX;

/// Observations of d variables with holes: distinct rows with weights, in ascending order whatever
/// the order in which they came.
///
/// # Example
/// ```
/// use cmnet::{IncompleteTable, Schema, Variable};
/// let variable = |name: &str| Variable { name: name.into(), levels: vec!["no".into(), "yes".into()] };
/// let mut table = IncompleteTable::new(Schema::new(vec![variable("a"), variable("b")])?);
/// table.push(&[Some(0), Some(1)], 2)?;
/// table.push(&[Some(1), None], 1)?;
/// assert_eq!((table.rows(), table.incomplete_rows(), table.missing(1)), (3, 1, 1));
/// # Ok::<(), cmnet::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IncompleteTable {
    schema: Schema,
    rows: BTreeMap<Box<[u32]>, u64>,
    total: u64,
}

/// Which cells of some rows are not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingPattern {
    /// The variables, ascending.
    pub variables: Vec<Var>,
    /// How many rows have just these holes, by weight.
    pub rows: u64,
}

impl IncompleteTable {
    /// A table without rows.
    pub fn new(schema: Schema) -> Self {
        Self { schema, rows: BTreeMap::new(), total: 0 }
    }

    /// A table without holes.
    pub fn of(data: &Dataset) -> Self {
        let rows = data.weights().iter().enumerate();
        let rows = rows.map(|(row, &weight)| (data.row(row).into(), weight.into())).collect();
        Self { schema: data.schema().clone(), rows, total: data.rows() }
    }

    /// Adds a row that was observed so many times; `None` is a cell that is not known. A row of
    /// weight 0 and a row of holes alone say nothing, but the latter counts as a row.
    ///
    /// # Errors
    /// When the row is longer or shorter than the variables, a code is out of range, or the rows
    /// by weight are more than [`MAX_ROWS`].
    pub fn push(&mut self, levels: &[Option<u32>], weight: u64) -> Result<()> {
        if levels.len() != self.schema.len() {
            let found = format!("{} values", levels.len());
            return Err(Error::option("levels", found, "one value or none per variable"));
        }
        for (variable, level) in self.schema.variables().iter().zip(levels) {
            let count = variable.levels.len();
            if let Some(code) = level.filter(|&code| code as usize >= count) {
                let problem = InputProblem::CodeOutOfRange { code, levels: count };
                let place = Place { name: Some(variable.name.clone()), ..Place::file(super::UNNAMED_TABLE) };
                return Err(Error::input(place, problem));
            }
        }
        let total = self.total.saturating_add(weight);
        if total > MAX_ROWS {
            let problem = InputProblem::TooManyRows { total, limit: MAX_ROWS };
            return Err(Error::input(Place::file(super::UNNAMED_TABLE), problem));
        }
        if weight > 0 {
            let row: Box<[u32]> = levels.iter().map(|level| level.unwrap_or(HOLE)).collect();
            *self.rows.entry(row).or_default() += weight;
            self.total = total;
        }
        Ok(())
    }

    /// Names and levels.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The number of observations n, counted by weight.
    pub fn rows(&self) -> u64 {
        self.total
    }

    /// The distinct rows, ascending, with their weights; `None` where a cell is not known.
    pub fn iter(&self) -> impl Iterator<Item = (Vec<Option<u32>>, u64)> + '_ {
        let level = |&code: &u32| (code != HOLE).then_some(code);
        self.rows.iter().map(move |(row, &weight)| (row.iter().map(level).collect(), weight))
    }

    /// The number of distinct rows.
    pub fn distinct_rows(&self) -> usize {
        self.rows.len()
    }

    /// The rows with holes, by weight.
    pub fn incomplete_rows(&self) -> u64 {
        self.rows.iter().filter(|(row, _)| row.contains(&HOLE)).map(|(_, weight)| weight).sum()
    }

    /// The holes in the column of a variable, by weight.
    pub fn missing(&self, variable: Var) -> u64 {
        self.rows.iter().filter(|(row, _)| row[variable] == HOLE).map(|(_, weight)| weight).sum()
    }

    /// How often each level of a variable was observed.
    pub fn level_counts(&self, variable: Var) -> Vec<u64> {
        let mut counts = vec![0; self.schema.variable(variable).levels.len()];
        for (row, weight) in &self.rows {
            if let Some(count) = counts.get_mut(row[variable] as usize) {
                *count += weight;
            }
        }
        counts
    }

    /// Which cells are missing together, the most frequent first; rows without holes are a pattern
    /// of no variables.
    pub fn patterns(&self) -> Vec<MissingPattern> {
        let mut found: BTreeMap<Vec<Var>, u64> = BTreeMap::new();
        for (row, weight) in &self.rows {
            let holes = row.iter().enumerate().filter(|&(_, &code)| code == HOLE).map(|(v, _)| v).collect();
            *found.entry(holes).or_default() += weight;
        }
        let mut patterns: Vec<MissingPattern> =
            found.into_iter().map(|(variables, rows)| MissingPattern { variables, rows }).collect();
        patterns.sort_by_key(|pattern| std::cmp::Reverse(pattern.rows));
        patterns
    }

    /// The rows without holes; `None` where there are none.
    pub fn complete_rows(&self) -> Option<Dataset> {
        self.completed(|row, _| (!row.contains(&None)).then(|| row.iter().flatten().copied().collect()))
    }

    /// The table with every observation filled by a function of its row and its number among equal
    /// rows; rows for which it gives none are left out. `None` where no row is left.
    pub(crate) fn completed(
        &self,
        mut fill: impl FnMut(&[Option<u32>], u64) -> Option<Vec<u32>>,
    ) -> Option<Dataset> {
        let mut columns = vec![Codes::default(); self.schema.len()];
        let mut weights = Vec::new();
        let mut keep = |row: &[u32], weight: u64| {
            columns.iter_mut().zip(row).for_each(|(column, &code)| column.push(code as u16));
            weights.push(u32::try_from(weight).unwrap_or(u32::MAX));
        };
        for (row, weight) in self.iter() {
            if row.contains(&None) {
                (0..weight).filter_map(|number| fill(&row, number)).for_each(|filled| keep(&filled, 1));
            } else if let Some(filled) = fill(&row, 0) {
                keep(&filled, weight);
            }
        }
        if weights.is_empty() {
            return None;
        }
        collapse(self.schema.clone(), &columns, &weights).ok()
    }

    /// The digest of the content. That of a table without holes is the digest of the table.
    pub fn digest(&self) -> DataDigest {
        let weight = |weight: u64| u32::try_from(weight).unwrap_or(u32::MAX);
        let rows = self.rows.iter().map(|(row, &count)| (row.to_vec(), weight(count)));
        DataDigest::of_rows(&self.schema, rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Variable;

    fn table() -> IncompleteTable {
        let variable = |name: &str| Variable { name: name.into(), levels: vec!["0".into(), "1".into()] };
        let mut table = IncompleteTable::new(Schema::new(vec![variable("a"), variable("b")]).unwrap());
        for (row, weight) in
            [([Some(1), None], 2), ([Some(0), Some(1)], 3), ([None, None], 1), ([Some(1), None], 1)]
        {
            table.push(&row, weight).unwrap();
        }
        table
    }

    #[test]
    fn holes_are_counted_by_weight_column_and_pattern() {
        let table = table();
        assert_eq!((table.rows(), table.distinct_rows(), table.incomplete_rows()), (7, 3, 4));
        assert_eq!((table.missing(0), table.missing(1)), (1, 4));
        assert_eq!((table.level_counts(0), table.level_counts(1)), (vec![3, 3], vec![0, 3]));
        let patterns: Vec<_> = table.patterns().into_iter().map(|p| (p.variables, p.rows)).collect();
        assert_eq!(patterns, [(vec![], 3), (vec![1], 3), (vec![0, 1], 1)]);
        assert_eq!(table.complete_rows().unwrap().rows(), 3);
        assert!(IncompleteTable::new(table.schema().clone()).complete_rows().is_none());
    }

    #[test]
    fn what_does_not_fit_is_refused_and_a_table_without_holes_keeps_its_digest() {
        let mut table = table();
        assert!(table.push(&[Some(0)], 1).is_err());
        assert!(table.push(&[Some(2), None], 1).is_err());
        assert!(table.push(&[None, None], MAX_ROWS).is_err());
        let data = table.complete_rows().unwrap();
        assert_eq!(IncompleteTable::of(&data).digest(), DataDigest::of(&data));
        assert_eq!(IncompleteTable::of(&data).complete_rows(), Some(data));
    }
}
