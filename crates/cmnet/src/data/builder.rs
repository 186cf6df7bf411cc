//! A table grown row by row: only codes and distinct labels are kept.

use super::codes::Codes;
use super::collapse::merge_equal_rows;
use super::dataset::Dataset;
use super::encode::{Coder, Lookup};
use super::tally::Met;
use super::variable::{MAX_ROWS, Schema, Variable};
use super::weights::Weights;
use crate::control::{Control, ask};
use crate::error::InputProblem;

/// Rows above which equal ones are merged for the first time. Below it, a merge saves
/// little memory; above it, long tables with few distinct rows stay small.
const FIRST_MERGE: usize = 1 << 20;

/// Codes that are held row by row before they go to their columns: one column after the other
/// is faster than all columns row by row.
const BLOCK: usize = 1 << 14;

/// Why a row does not fit into a table.
#[derive(Debug)]
pub(crate) struct RowProblem {
    /// The variable whose value does not fit; `None` where the row as a whole does not.
    pub(crate) variable: Option<usize>,
    /// What is wrong.
    pub(crate) problem: InputProblem,
}

/// Takes rows of labels, one at a time, and gives a [`Dataset`].
#[derive(Debug)]
pub(crate) struct TableBuilder {
    names: Vec<String>,
    coders: Vec<Coder>,
    columns: Vec<Codes>,
    /// The codes of the last rows, row by row, which are not in the columns yet.
    block: Vec<u16>,
    weights: Weights,
    total: u64,
    missing: Vec<u64>,
    row: Vec<Lookup>,
    merge_at: usize,
}

impl TableBuilder {
    /// An empty table; names and declared levels have been checked.
    pub(crate) fn new(names: Vec<String>, coders: Vec<Coder>) -> Self {
        let width = names.len();
        Self {
            names,
            coders,
            columns: vec![Codes::default(); width],
            block: Vec::new(),
            weights: Weights::default(),
            total: 0,
            missing: vec![0; width],
            row: vec![Lookup::New; width],
            merge_at: FIRST_MERGE,
        }
    }

    /// Adds a row of labels, `None` where there is none. The answer is `false` when a value is
    /// missing; nothing of the row is kept then, not even its labels. A row of weight 0 leaves
    /// its labels and nothing else.
    pub(crate) fn push<'a>(
        &mut self,
        weight: u64,
        cell: impl Fn(usize) -> Option<&'a [u8]>,
    ) -> Result<bool, Box<RowProblem>> {
        let mut complete = true;
        for (variable, coder) in self.coders.iter_mut().enumerate() {
            self.row[variable] = cell(variable).map_or(Lookup::Missing, |label| coder.find(label));
            if self.row[variable] == Lookup::Missing {
                self.missing[variable] += 1;
                complete = false;
            }
        }
        if !complete {
            return Ok(false);
        }
        let total = self.total.saturating_add(weight);
        if total > MAX_ROWS {
            let problem = InputProblem::TooManyRows { total, limit: MAX_ROWS };
            return Err(Box::new(RowProblem { variable: None, problem }));
        }
        for variable in 0..self.row.len() {
            let code = match self.row[variable] {
                Lookup::Level(code) => code,
                _ => self.coders[variable]
                    .add(cell(variable).unwrap_or_default())
                    .map_err(|problem| Box::new(RowProblem { variable: Some(variable), problem }))?,
            };
            if weight > 0 {
                self.block.push(code);
            }
        }
        if weight > 0 {
            if self.block.len() >= BLOCK {
                self.flush();
            }
            self.total = total;
            // Below 2^32, since the total is at most 2^31.
            self.weights.push(weight as u32);
        }
        Ok(true)
    }

    /// Gives the codes of the last rows to their columns.
    fn flush(&mut self) {
        let width = self.columns.len();
        for (variable, column) in self.columns.iter_mut().enumerate() {
            column.extend(self.block.iter().skip(variable).step_by(width).copied());
        }
        self.block.clear();
    }

    /// Makes room for so many rows, where their number is known beforehand.
    pub(crate) fn reserve(&mut self, rows: usize) {
        let rows = rows.min(FIRST_MERGE);
        self.columns.iter_mut().for_each(|column| column.reserve(rows));
    }

    /// Merges equal rows where there are many. After a stop the rows are lost.
    #[inline]
    pub(crate) fn merge_when_large(&mut self, control: &dyn Control) -> crate::error::Result<()> {
        if self.weights.len() < self.merge_at {
            return Ok(());
        }
        self.flush();
        let columns = std::mem::replace(&mut self.columns, vec![Codes::default(); self.names.len()]);
        let weights = std::mem::take(&mut self.weights);
        let (columns, weights) = merge_equal_rows(columns, &weights, control)?;
        (self.columns, self.weights) = (columns, weights.into());
        self.merge_at = FIRST_MERGE.max(2 * self.weights.len());
        Ok(())
    }

    /// What there is of it, for complaints.
    pub(crate) fn met(&self) -> Met<'_> {
        Met { names: &self.names, missing: &self.missing, is_empty: self.is_empty() }
    }

    /// The levels of each variable where they are declared.
    pub(crate) fn declared(&self) -> Vec<Option<Vec<String>>> {
        self.coders.iter().map(Coder::levels_declared).collect()
    }

    /// The names of the variables, and for each the labels in the order in which they were met.
    pub(crate) fn into_labels(self) -> (Vec<String>, Vec<Vec<String>>) {
        (self.names, self.coders.into_iter().map(Coder::into_labels).collect())
    }

    /// The names of the variables.
    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }

    /// Missing values met in each variable.
    pub(crate) fn missing(&self) -> &[u64] {
        &self.missing
    }

    /// Whether no row of positive weight was added.
    pub(crate) fn is_empty(&self) -> bool {
        self.weights.len() == 0
    }

    /// The table, its levels in their final order and its rows collapsed.
    pub(crate) fn finish(mut self, control: &dyn Control) -> crate::error::Result<Dataset> {
        self.flush();
        let mut columns = self.columns;
        let mut variables = Vec::with_capacity(columns.len());
        for ((name, coder), column) in self.names.into_iter().zip(self.coders).zip(&mut columns) {
            ask(control)?;
            let (levels, new_codes) = coder.finish();
            column.recode(&new_codes);
            variables.push(Variable { name, levels });
        }
        let (columns, weights) = merge_equal_rows(columns, &self.weights, control)?;
        Ok(Dataset::from_collapsed(Schema::new_unchecked(variables), columns, weights))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn builder(merge_at: usize) -> TableBuilder {
        let missing = ["?".to_owned()];
        let coders = vec![Coder::open(&missing), Coder::open(&missing)];
        TableBuilder { merge_at, ..TableBuilder::new(vec!["a".to_owned(), "b".to_owned()], coders) }
    }

    #[test]
    fn merging_on_the_way_changes_nothing() {
        let table = |merge_at| {
            let mut builder = builder(merge_at);
            for row in 0..1000_u32 {
                let labels = [(row * 7 % 300).to_string(), (row * 3 % 4).to_string()];
                assert!(builder.push(1 + u64::from(row % 3), |v| Some(labels[v].as_bytes())).unwrap());
                builder.merge_when_large(&()).unwrap();
            }
            builder.finish(&()).unwrap()
        };
        assert_eq!(table(10), table(FIRST_MERGE));
    }

    #[test]
    fn a_row_with_a_missing_value_leaves_no_label_behind() {
        let mut builder = builder(FIRST_MERGE);
        for row in [["only here", "?"], ["x", "y"]] {
            builder.push(1, |v| Some(row[v].as_bytes())).unwrap();
        }
        assert_eq!(builder.missing(), [0, 1]);
        assert_eq!(builder.finish(&()).unwrap().schema().variable(0).levels, ["x"]);
    }

    #[test]
    fn weights_of_zero_leave_labels_only_and_the_total_is_bounded() {
        let mut builder = builder(FIRST_MERGE);
        let row = |text: &'static str| move |_| Some(text.as_bytes());
        assert!(builder.push(0, row("zero")).unwrap() && builder.is_empty());
        assert!(builder.push(MAX_ROWS, row("all")).unwrap());
        assert!(builder.push(1, row("all")).is_err());
        let data = builder.finish(&()).unwrap();
        assert_eq!((data.rows(), data.schema().variable(1).levels.len()), (MAX_ROWS, 2));
    }
}
