//! A table grown row by row: only codes and distinct labels are kept.

use super::codes::Codes;
use super::collapse::merge_equal_rows;
use super::dataset::Dataset;
use super::encode::{Coder, Lookup};
#[cfg(feature = "csv")]
use super::narrow::NarrowRows;
use super::numbers::Span;
use super::raw::RawTable;
use super::tally::Met;
use super::variable::{MAX_ROWS, Schema, Variable};
use super::weights::Weights;
use crate::control::{Control, ask};
use crate::error::InputProblem;
use std::collections::BTreeMap;

/// The code of a cell that is not known: no level has it.
const HOLE: u16 = u16::MAX;

/// Distinct rows with all their weights.
pub(crate) type WeightedRows = BTreeMap<Vec<u32>, Vec<f64>>;

/// Rows with cells that are not known, and how often each was observed.
pub(crate) type HoledRows = Vec<(Vec<Option<u32>>, u64)>;

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
    /// Room for the codes of rows that come many at a time, column by column.
    #[cfg(feature = "csv")]
    narrow: Vec<u16>,
    weights: Weights,
    total: u64,
    missing: Vec<u64>,
    row: Vec<Lookup>,
    merge_at: usize,
    /// Rows whose weights are real numbers.
    real: BTreeMap<Box<[u16]>, Vec<f64>>,
    /// Rows with missing values, where they are kept.
    holed: Option<BTreeMap<Box<[u16]>, u64>>,
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
            #[cfg(feature = "csv")]
            narrow: Vec::new(),
            weights: Weights::default(),
            total: 0,
            missing: vec![0; width],
            row: vec![Lookup::New; width],
            merge_at: FIRST_MERGE,
            real: BTreeMap::new(),
            holed: None,
        }
    }

    /// Keeps rows with missing values from now on.
    pub(crate) fn keep_holes(&mut self) {
        self.holed.get_or_insert_default();
    }

    /// Adds a row of labels, `None` where there is none. The answer is `false` when a value is
    /// missing; nothing of the row is kept then, not even its labels, unless such rows are kept. A
    /// row of weight 0 leaves its labels and nothing else.
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
        if !complete && self.holed.is_none() {
            return Ok(false);
        }
        let total = self.total.saturating_add(weight);
        if total > MAX_ROWS {
            let problem = InputProblem::TooManyRows { total, limit: MAX_ROWS };
            return Err(Box::new(RowProblem { variable: None, problem }));
        }
        if !complete {
            self.push_holed(weight, cell)?;
            return Ok(false);
        }
        for variable in 0..self.row.len() {
            let code = self.code(variable, &cell)?;
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

    /// Adds a label that was not met; where that changes codes given before, those of the rows so far.
    fn add(&mut self, variable: usize, label: &[u8]) -> Result<u16, Box<RowProblem>> {
        let refused = |problem| Box::new(RowProblem { variable: Some(variable), problem });
        let added = self.coders[variable].add(label).map_err(refused)?;
        if let Some(recoding) = added.recoding {
            let width = self.columns.len();
            let held = self.block.iter_mut().skip(variable).step_by(width);
            held.for_each(|code| *code = recoding[usize::from(*code)]);
            self.columns[variable].recode(&recoding);
            let recode = |codes: &mut Box<[u16]>| {
                if codes[variable] != HOLE {
                    codes[variable] = recoding[usize::from(codes[variable])];
                }
            };
            recode_rows(&mut self.real, recode, Extend::extend);
            if let Some(holed) = &mut self.holed {
                recode_rows(holed, recode, |all, more| *all += more);
            }
        }
        Ok(added.code)
    }

    /// The code of a cell that was looked up.
    #[inline]
    fn code<'a>(
        &mut self,
        variable: usize,
        cell: &impl Fn(usize) -> Option<&'a [u8]>,
    ) -> Result<u16, Box<RowProblem>> {
        match self.row[variable] {
            Lookup::Level(code) => Ok(code),
            _ => self.add(variable, cell(variable).unwrap_or_default()),
        }
    }

    /// Adds a row whose weight is a real number; as [`TableBuilder::push`].
    pub(crate) fn push_real<'a>(
        &mut self,
        weight: f64,
        cell: impl Fn(usize) -> Option<&'a [u8]>,
    ) -> Result<bool, Box<RowProblem>> {
        // A row of weight 0 leaves its labels; the weight is kept beside them.
        if !self.push(0, &cell)? {
            return Ok(false);
        }
        let find =
            |(variable, coder): (usize, &mut Coder)| match cell(variable).map(|label| coder.find(label)) {
                Some(Lookup::Level(code)) => code,
                _ => HOLE,
            };
        let codes: Box<[u16]> = self.coders.iter_mut().enumerate().map(find).collect();
        self.real.entry(codes).or_default().push(weight);
        Ok(true)
    }

    /// Names, levels and the rows whose weights are real numbers; for each column that is to be cut, the numbers
    /// that its levels stand for.
    pub(crate) fn finish_real(self) -> (Schema, WeightedRows, Vec<Option<Vec<Span>>>) {
        let (mut variables, mut recoded, mut cuts) = (Vec::new(), Vec::new(), Vec::new());
        let mut spans = Vec::new();
        for (name, coder) in self.names.into_iter().zip(self.coders) {
            let coded = coder.finish();
            spans.push(coded.spans);
            variables.push(Variable { name, levels: coded.levels });
            recoded.push(coded.codes);
            cuts.push(coded.cuts);
        }
        let level = |(&code, new_codes): (&u16, &Vec<u16>)| u32::from(new_codes[usize::from(code)]);
        let row = |codes: Box<[u16]>| codes.iter().zip(&recoded).map(level).collect();
        let rows = self.real.into_iter().map(|(codes, weights)| (row(codes), weights)).collect();
        (Schema::new_unchecked(variables).with_all_cuts(cuts), rows, spans)
    }

    /// Keeps a row of which some cells were not found.
    fn push_holed<'a>(
        &mut self,
        weight: u64,
        cell: impl Fn(usize) -> Option<&'a [u8]>,
    ) -> Result<(), Box<RowProblem>> {
        let mut codes = Vec::with_capacity(self.row.len());
        for variable in 0..self.row.len() {
            let missing = self.row[variable] == Lookup::Missing;
            codes.push(if missing { HOLE } else { self.code(variable, &cell)? });
        }
        if let Some(holed) = self.holed.as_mut().filter(|_| weight > 0) {
            *holed.entry(codes.into()).or_default() += weight;
            self.total += weight;
        }
        Ok(())
    }

    /// Gives the codes of the last rows to their columns.
    fn flush(&mut self) {
        let width = self.columns.len();
        for (variable, column) in self.columns.iter_mut().enumerate() {
            column.extend(self.block.iter().skip(variable).step_by(width).copied());
        }
        self.block.clear();
    }

    /// Adds rows of weight 1 with one byte in each column, as far as every one of them is a level met
    /// before; how many were added. `columns` has the column of each variable.
    #[cfg(feature = "csv")]
    pub(crate) fn push_narrow(&mut self, rows: NarrowRows<'_>, columns: &[usize]) -> usize {
        let room = MAX_ROWS.saturating_sub(self.total) as usize;
        let mut added = 0;
        for block in rows.blocks() {
            let codes = &mut self.narrow;
            codes.clear();
            let mut known = block.len().min(room - added);
            for (coder, &column) in self.coders.iter().zip(columns) {
                known = known.min(coder.find_bytes(block.column(column), codes));
            }
            if known > 0 {
                self.flush();
                for (column, codes) in self.columns.iter_mut().zip(self.narrow.chunks_exact(block.len())) {
                    column.extend(codes[..known].iter().copied());
                }
                added += known;
            }
            if known < block.len() {
                break;
            }
        }
        self.total += added as u64;
        self.weights.push_ones(added);
        added
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

    /// Whether the levels of each variable are those that turn up.
    pub(crate) fn open(&self) -> Vec<bool> {
        self.coders.iter().map(Coder::is_open).collect()
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
        self.weights.len() == 0 && self.real.is_empty() && self.holed.as_ref().is_none_or(BTreeMap::is_empty)
    }

    /// The table, its levels in their final order and its rows collapsed; numbers that are to be cut
    /// are levels of their own.
    pub(crate) fn finish(self, control: &dyn Control) -> crate::error::Result<RawTable> {
        Ok(self.finish_with_holes(control)?.0)
    }

    /// The same, and the rows with missing values that were kept. Where no row is complete, the table
    /// has none; where a column has no known value, it has no level.
    pub(crate) fn finish_with_holes(
        mut self,
        control: &dyn Control,
    ) -> crate::error::Result<(RawTable, HoledRows)> {
        self.flush();
        let mut columns = self.columns;
        let mut variables = Vec::with_capacity(columns.len());
        let mut recoded = Vec::with_capacity(columns.len());
        let (mut spans, mut cuts) = (Vec::new(), Vec::new());
        for ((name, coder), column) in self.names.into_iter().zip(self.coders).zip(&mut columns) {
            ask(control)?;
            let coded = coder.finish();
            column.recode(&coded.codes);
            variables.push(Variable { name, levels: coded.levels });
            spans.push(coded.spans);
            cuts.push(coded.cuts);
            recoded.push(coded.codes);
        }
        let level = |(&code, new_codes): (&u16, &Vec<u16>)| {
            (code != HOLE).then(|| u32::from(new_codes[usize::from(code)]))
        };
        let row = |row: Box<[u16]>| row.iter().zip(&recoded).map(level).collect();
        let holed = self.holed.into_iter().flatten().map(|(codes, weight)| (row(codes), weight)).collect();
        let (columns, weights) = merge_equal_rows(columns, &self.weights, control)?;
        let schema = Schema::new_unchecked(variables).with_all_cuts(cuts);
        Ok((RawTable::new(Dataset::from_collapsed(schema, columns, weights), spans), holed))
    }
}

/// Gives every row other codes, and adds up rows that are equal then.
fn recode_rows<V: Default>(
    rows: &mut BTreeMap<Box<[u16]>, V>,
    recode: impl Fn(&mut Box<[u16]>),
    add: impl Fn(&mut V, V),
) {
    for (mut codes, value) in std::mem::take(rows) {
        recode(&mut codes);
        add(rows.entry(codes).or_default(), value);
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
            builder.finish(&()).unwrap().into_data()
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
        assert_eq!(builder.finish(&()).unwrap().into_data().schema().variable(0).levels, ["x"]);
    }

    #[test]
    fn weights_of_zero_leave_labels_only_and_the_total_is_bounded() {
        let mut builder = builder(FIRST_MERGE);
        let row = |text: &'static str| move |_| Some(text.as_bytes());
        assert!(builder.push(0, row("zero")).unwrap() && builder.is_empty());
        assert!(builder.push(MAX_ROWS, row("all")).unwrap());
        assert!(builder.push(1, row("all")).is_err());
        let data = builder.finish(&()).unwrap().into_data();
        assert_eq!((data.rows(), data.schema().variable(1).levels.len()), (MAX_ROWS, 2));
    }
}
