//! The one way in for rows of texts: files, data frames, query results, labels in memory.
//!
//! Here, and only here, texts become codes: blanks around a text are not part of it, some
//! texts mean "missing", levels that were not given are ordered by value or by bytes, rows
//! with missing values are left out or refused, and weights add up.

use super::bins::Bins;
use super::builder::{RowProblem, TableBuilder};
use super::cuts::Cuts;
use super::cutting::{CutColumn, cut_alone};
use super::encode::Coder;
use super::incomplete::IncompleteTable;
use super::loaded::{LoadedIncomplete, LoadedTable, LoadedWeighted};
use super::measured::MeasuredColumn;
#[cfg(feature = "csv")]
use super::narrow::NarrowRows;
use super::numbers::Span;
use super::raw::RawTable;
use super::raw_incomplete::RawIncomplete;
use super::survey::{Survey, SurveyedColumn, SurveyedRows};
use super::tally::{OnMissing, RowTally};
use super::variable::{Schema, check_columns, check_levels};
use super::warning::{MANY_NUMBERS, Warning};
use super::weighted::{RealRows, WeightKind, WeightedTable};
use crate::control::Control;
use crate::error::{Error, InputProblem, OptionName, Place, Result};

/// What stands for a file in errors about a table from memory.
pub const UNNAMED_TABLE: &str = "the table";

/// What is known of a column's levels before its first cell is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Levels {
    /// Nothing: levels are those that occur, ordered as those of a file.
    Observed,
    /// These, in this order, whether they occur or not; others that occur come after them.
    Ordered(Vec<String>),
    /// These, in this order, and any other is an error: a schema's or a model's.
    Declared(Vec<String>),
    /// Numbers that are to be cut; any other text is an error.
    Numbers,
    /// Nothing: as [`Levels::Observed`], but many numbers are to be cut.
    ManyNumbers,
    /// Ranges of numbers between cut points, by their labels; numbers and labels are taken.
    Cut(Vec<String>, Cuts),
}

/// Where rows come from. It decides what complaints call them, and whether blanks count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// Cells of a data frame or of another program's table.
    Memory,
    /// Labels that a caller gives as they are, blanks included.
    Labels,
    /// The fields of a file.
    #[cfg(feature = "csv")]
    File {
        /// Its name.
        name: String,
        /// What separates the fields of a text.
        delimiter: Option<u8>,
    },
}

impl Origin {
    /// What complaints call the source.
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Memory | Self::Labels => UNNAMED_TABLE,
            #[cfg(feature = "csv")]
            Self::File { name, .. } => name,
        }
    }

    /// The source as the place of a complaint.
    pub(crate) fn place(&self) -> Place {
        Place::file(self.name())
    }

    fn delimiter(&self) -> Option<u8> {
        match self {
            Self::Memory | Self::Labels => None,
            #[cfg(feature = "csv")]
            Self::File { delimiter, .. } => *delimiter,
        }
    }

    /// Why there might be no row.
    fn emptiness(&self) -> &'static str {
        match self {
            Self::Memory => "the table is empty",
            Self::Labels => "an empty list",
            #[cfg(feature = "csv")]
            Self::File { delimiter: Some(_), .. } => "there is a header line and nothing below it",
            #[cfg(feature = "csv")]
            Self::File { delimiter: None, .. } => "there are names of columns and nothing below them",
        }
    }

    /// Whether the blanks around a text are part of it.
    fn keeps_blanks(&self) -> bool {
        *self == Self::Labels
    }
}

/// The most variables of a table: each takes about a kilobyte while labels are met.
const MOST_VARIABLES: usize = 1 << 17;

/// Takes in a table, one row of texts at a time; only codes and distinct labels are kept.
///
/// # Example
/// ```
/// use cmnet::{Intake, Levels, OnMissing};
/// let columns = vec![("smokes".to_owned(), Levels::Observed), ("age".to_owned(), Levels::Observed)];
/// let mut intake = Intake::new(columns, &["NA".to_owned()])?;
/// for row in [["yes", "<40"], ["no", "40+"], [" no", "NA"]] {
///     intake.push(1, |column| Some(row[column].as_bytes()))?;
/// }
/// let loaded = intake.finish(OnMissing::Drop)?;
/// assert_eq!((loaded.data.rows(), loaded.dropped_rows), (2, 1));
/// assert_eq!(loaded.data.schema().variable(0).levels, ["no", "yes"]);
/// # Ok::<(), cmnet::Error>(())
/// ```
#[derive(Debug)]
pub struct Intake {
    origin: Origin,
    keeps_blanks: bool,
    builder: TableBuilder,
    tally: RowTally,
    /// The number of each column in the whole table, counted from 1.
    numbers: Vec<usize>,
    /// How columns of numbers are cut.
    bins: Bins,
    /// What only looks for levels: those that each column lists itself.
    listed: Option<Vec<Option<Vec<String>>>>,
    /// Observations met while only levels are looked for.
    observed: u64,
}

impl Intake {
    /// An empty table of these columns, for rows from memory.
    ///
    /// # Errors
    /// When there is no column, a name is empty or stands twice, or levels that are given
    /// are none, too many or stand twice.
    pub fn new(columns: Vec<(String, Levels)>, missing: &[String]) -> Result<Self> {
        Self::of(Origin::Memory, columns, missing)
    }

    /// An empty table of these columns, for rows of any origin.
    pub(crate) fn of(origin: Origin, columns: Vec<(String, Levels)>, missing: &[String]) -> Result<Self> {
        if columns.is_empty() {
            return Err(Error::input(origin.place(), InputProblem::NoColumns));
        }
        if columns.len() > MOST_VARIABLES {
            let problem = InputProblem::TooManyColumns { limit: MOST_VARIABLES };
            return Err(Error::input(origin.place(), problem));
        }
        check_columns(columns.iter().map(|(name, _)| name.as_str()))
            .map_err(|(column, problem)| Error::input(origin.place().at_column(column, None), problem))?;
        let missing = trimmed(missing);
        let numbers = (1..=columns.len()).collect();
        let (mut names, mut coders) = (Vec::new(), Vec::new());
        for (column, (name, levels)) in columns.into_iter().enumerate() {
            let coder = coder(levels, &missing).map_err(|problem| {
                Error::input(origin.place().at_column(column + 1, Some(&name)), problem)
            })?;
            names.push(name);
            coders.push(coder);
        }
        let builder = TableBuilder::new(names, coders);
        let keeps_blanks = origin.keeps_blanks();
        Ok(Self {
            origin,
            keeps_blanks,
            builder,
            tally: RowTally::default(),
            numbers,
            bins: Bins::default(),
            listed: None,
            observed: 0,
        })
    }

    /// The same table whose columns, in errors, have these numbers, counted from 1:
    /// those of a larger table from which they were taken.
    #[must_use]
    pub fn with_numbers(mut self, numbers: impl IntoIterator<Item = usize>) -> Self {
        self.numbers.iter_mut().zip(numbers).for_each(|(own, number)| *own = number);
        self
    }

    /// The same table whose columns of numbers are cut by these rules.
    #[must_use]
    pub fn with_bins(mut self, bins: Bins) -> Self {
        self.bins = bins;
        self
    }

    /// The same table, which keeps rows with missing values: see [`Intake::finish_incomplete`].
    #[must_use]
    pub fn keeping_incomplete_rows(mut self) -> Self {
        self.builder.keep_holes();
        self
    }

    /// The same table, which keeps no rows: it only finds out which levels there are. `listed` has
    /// those that a column lists itself, in its order.
    pub(crate) fn surveying(mut self, listed: Vec<Option<Vec<String>>>) -> Self {
        self.listed = Some(listed.into_iter().map(|levels| levels.map(|levels| trimmed(&levels))).collect());
        self
    }

    /// What was found out about the levels.
    pub fn survey(self) -> Survey {
        let missing = self.builder.missing().to_vec();
        let width = missing.len();
        let declared = self.builder.declared();
        let (names, met) = self.builder.into_labels();
        let listed = self.listed.unwrap_or_else(|| vec![None; width]);
        let columns = names.into_iter().zip(declared).zip(listed.into_iter().zip(met));
        Survey::new(
            columns.map(|((name, declared), (listed, met))| SurveyedColumn::new(name, declared, listed, met)),
            SurveyedRows {
                file: self.origin.name().to_owned(),
                rows: self.tally.rows,
                observed: self.observed,
                dropped_rows: self.tally.dropped_rows,
                dropped_weight: self.tally.dropped_weight,
                first_dropped: self.tally.first_dropped,
                missing,
            },
        )
    }

    /// Makes room for so many rows, where their number is known beforehand.
    pub fn reserve(&mut self, rows: usize) {
        self.builder.reserve(rows);
    }

    /// Says that the next rows come from another file.
    #[cfg(feature = "csv")]
    pub(crate) fn rename(&mut self, file: &str) {
        if let Origin::File { name, .. } = &mut self.origin {
            file.clone_into(name);
        }
    }

    /// Rows met so far, whatever their weight.
    pub fn rows(&self) -> u64 {
        self.tally.rows
    }

    /// Adds a row that was observed so many times; `None` and texts that mean "missing" are
    /// missing values.
    ///
    /// # Errors
    /// When a value is no level of a column whose levels are declared, is no text, or is one
    /// too many; or the rows by weight are more than [`MAX_ROWS`](super::MAX_ROWS).
    #[inline]
    pub fn push<'a>(&mut self, weight: u64, cell: impl Fn(usize) -> Option<&'a [u8]>) -> Result<()> {
        self.push_under(&(), weight, cell)
    }

    /// As [`Intake::push`], under a control: equal rows of a long table are merged now and
    /// then, which takes its time. After a stop the table is of no use.
    ///
    /// # Errors
    /// As [`Intake::push`]; when the control asks to stop.
    #[inline]
    pub fn push_under<'a>(
        &mut self,
        control: &dyn Control,
        weight: u64,
        cell: impl Fn(usize) -> Option<&'a [u8]>,
    ) -> Result<()> {
        let line = self.tally.rows + 1;
        self.push_at(control, || line, weight, cell)
    }

    /// Adds a row that stands in a line of its own choosing, which is asked for only where a
    /// complaint may need it.
    #[inline]
    pub(crate) fn push_at<'a>(
        &mut self,
        control: &dyn Control,
        line: impl Fn() -> u64,
        weight: u64,
        cell: impl Fn(usize) -> Option<&'a [u8]>,
    ) -> Result<()> {
        let kept = if self.listed.is_some() { 0 } else { weight };
        let pushed = if self.keeps_blanks {
            self.builder.push(kept, cell)
        } else {
            self.builder.push(kept, |column| cell(column).map(<[u8]>::trim_ascii))
        };
        let complete = pushed.map_err(|problem| self.error_at(line(), *problem))?;
        self.observed = self.observed.saturating_add(if complete { weight } else { 0 });
        self.tally.add(line, weight, complete);
        self.builder.merge_when_large(control)
    }

    /// Adds rows of one byte in each column, as far as every one of them is a level met before; how many
    /// were added. `columns` has the column of each variable.
    #[cfg(feature = "csv")]
    pub(crate) fn push_narrow(
        &mut self,
        control: &dyn Control,
        rows: NarrowRows<'_>,
        columns: &[usize],
    ) -> Result<usize> {
        if rows.is_empty() || self.listed.is_some() || self.keeps_blanks {
            return Ok(0);
        }
        let added = self.builder.push_narrow(rows, columns);
        self.observed = self.observed.saturating_add(added as u64);
        self.tally.rows += added as u64;
        self.builder.merge_when_large(control)?;
        Ok(added)
    }

    fn error_at(&self, line: u64, RowProblem { variable, problem }: RowProblem) -> Error {
        let place = self.origin.place().at_line(line);
        let place = match variable {
            Some(column) => place.at_column(self.numbers[column], Some(&self.builder.names()[column])),
            None => place,
        };
        Error::input(place, problem)
    }

    /// The table, its levels in their final order and its rows collapsed.
    ///
    /// # Errors
    /// When values are missing and that is an error, or no row is left; when rows with missing values
    /// are to be kept, which a complete table cannot do.
    pub fn finish(self, on_missing: OnMissing) -> Result<LoadedTable> {
        self.finish_under(on_missing, &())
    }

    /// As [`Intake::finish`], under a control that may stop it.
    ///
    /// # Errors
    /// As [`Intake::finish`]; when the control asks to stop.
    pub fn finish_under(self, on_missing: OnMissing, control: &dyn Control) -> Result<LoadedTable> {
        on_missing.check_complete()?;
        if let Some(problem) = self.tally.problem(self.builder.met(), on_missing, self.origin.emptiness()) {
            return Err(Error::input(self.origin.place(), problem));
        }
        let missing = self.builder.missing().to_vec();
        let RowTally { rows: file_rows, dropped_rows, dropped_weight, .. } = self.tally;
        let open = self.builder.open();
        let raw = self.builder.finish(control)?;
        let (data, cuts, raw) = if raw.numbers().next().is_some() {
            let (data, cuts) = cut_alone(&raw, &self.bins, control)?;
            (data, cuts, self.bins.by_graph().then(|| Box::new(raw)))
        } else {
            (raw.into_data(), Vec::new(), None)
        };
        Ok(LoadedTable {
            warnings: Warning::of_cut(&data, self.bins.others().is_some()),
            measured: measured(data.schema(), &self.numbers, &open, &self.bins),
            data,
            cuts,
            raw,
            file: self.origin.name().to_owned(),
            delimiter: self.origin.delimiter(),
            file_rows,
            dropped_rows,
            dropped_weight,
            missing,
        })
    }
}

impl Intake {
    /// The table with the rows that have missing values, where they were kept from the beginning.
    ///
    /// # Errors
    /// When no row is left, or every value of a column is missing; when the control asks to stop.
    ///
    /// # Example
    /// ```
    /// use cmnet::{Intake, Levels};
    /// let columns = vec![("smokes".to_owned(), Levels::Observed), ("age".to_owned(), Levels::Observed)];
    /// let mut intake = Intake::new(columns, &["NA".to_owned()])?.keeping_incomplete_rows();
    /// for row in [["yes", "<40"], ["no", "NA"]] {
    ///     intake.push(1, |column| Some(row[column].as_bytes()))?;
    /// }
    /// let loaded = intake.finish_incomplete(&())?;
    /// assert_eq!((loaded.table.rows(), loaded.table.incomplete_rows()), (2, 1));
    /// # Ok::<(), cmnet::Error>(())
    /// ```
    pub fn finish_incomplete(self, control: &dyn Control) -> Result<LoadedIncomplete> {
        let RowTally { rows: file_rows, .. } = self.tally;
        let tally = self.tally.with_all_kept();
        if let Some(problem) = tally.problem(self.builder.met(), OnMissing::Model, self.origin.emptiness()) {
            return Err(Error::input(self.origin.place(), problem));
        }
        let missing = self.builder.missing().to_vec();
        let open = self.builder.open();
        let (raw, holed) = self.builder.finish_with_holes(control)?;
        let (data, cuts, holed, raw) = if raw.numbers().next().is_none() {
            (raw.into_data(), Vec::new(), holed, None)
        } else {
            let raw = RawIncomplete::new(raw, holed);
            let (data, cuts) = cut_alone(raw.complete(), &self.bins, control)?;
            let holed = raw.holed_when_cut(data.schema());
            (data, cuts, holed, self.bins.by_graph().then(|| Box::new(raw)))
        };
        let known = |v: usize| data.level_counts(v).iter().any(|&count| count > 0);
        let unknown =
            (0..data.variables()).find(|&v| !known(v) && holed.iter().all(|(row, _)| row[v].is_none()));
        if let Some(variable) = unknown {
            let name = data.schema().name(variable);
            let place = self.origin.place().at_column(self.numbers[variable], Some(name));
            return Err(Error::input(place, InputProblem::AllMissing));
        }
        let mut table = IncompleteTable::of(&data);
        for (row, weight) in &holed {
            table.push(row, *weight)?;
        }
        Ok(LoadedIncomplete {
            warnings: Warning::of_incomplete(&table),
            measured: measured(table.schema(), &self.numbers, &open, &self.bins),
            table,
            cuts,
            raw,
            file: self.origin.name().to_owned(),
            delimiter: self.origin.delimiter(),
            file_rows,
            missing,
        })
    }
}

impl Intake {
    /// Adds a row whose weight is a real number, 0 or more. A table has either such rows or those of
    /// [`Intake::push`].
    ///
    /// # Errors
    /// When a value is no level of a column whose levels are declared, is no text, or is one too many.
    pub fn push_weighted<'a>(&mut self, weight: f64, cell: impl Fn(usize) -> Option<&'a [u8]>) -> Result<()> {
        let line = self.tally.rows + 1;
        self.push_weighted_at(|| line, weight, cell)
    }

    /// The same in a line of its own choosing.
    pub(crate) fn push_weighted_at<'a>(
        &mut self,
        line: impl Fn() -> u64,
        weight: f64,
        cell: impl Fn(usize) -> Option<&'a [u8]>,
    ) -> Result<()> {
        let pushed = self.builder.push_real(weight, |column| cell(column).map(<[u8]>::trim_ascii));
        let complete = pushed.map_err(|problem| self.error_at(line(), *problem))?;
        self.tally.add(line, 1, complete);
        Ok(())
    }

    /// The table whose weights are real numbers. Where nothing says what they mean, whole numbers are counts,
    /// and others are weights of a design.
    ///
    /// # Errors
    /// When values are missing and that is an error, or no row is left; when the weights add up to nothing or
    /// to too much; when the graph is to find cut points, or a column holds measurements that are not cut.
    pub fn finish_weighted(self, on_missing: OnMissing, kind: Option<WeightKind>) -> Result<LoadedWeighted> {
        if on_missing == OnMissing::Model {
            let expected =
                "error or drop: weights that are no whole numbers need rows without missing values";
            return Err(Error::option(OptionName::OnMissing, on_missing.to_string(), expected));
        }
        if let Some(problem) = self.tally.problem(self.builder.met(), on_missing, self.origin.emptiness()) {
            return Err(Error::input(self.origin.place(), problem));
        }
        let RowTally { rows: file_rows, dropped_rows, .. } = self.tally;
        let file = self.origin.name().to_owned();
        if self.bins.by_graph() {
            let expected = "frequency, width or given points: the graph finds no cut points with weights that are no \
                            whole numbers";
            return Err(Error::option(OptionName::Bins, "graph", expected));
        }
        let open = self.builder.open();
        let (schema, rows, spans) = self.builder.finish_real();
        // Counts that another program wrote as 3.0 are counts.
        let is_whole = || rows.values().flatten().all(|weight| weight.fract() == 0.0);
        let usual = || if is_whole() { WeightKind::Counts } else { WeightKind::Design };
        let kind = kind.unwrap_or_else(usual);
        let (schema, rows, cuts) = cut_weighted(schema, rows, spans, (&self.bins, kind))?;
        MeasuredColumn::refuse(&measured(&schema, &self.numbers, &open, &self.bins), &file)?;
        Ok(LoadedWeighted {
            table: WeightedTable::of_rows(schema, rows, kind)?,
            cuts,
            file,
            file_rows,
            dropped_rows,
        })
    }
}

/// The columns that hold measurements and were not cut.
fn measured(schema: &Schema, numbers: &[usize], open: &[bool], bins: &Bins) -> Vec<MeasuredColumn> {
    let may = |v: usize| open[v] && schema.cuts(v).is_none() && !bins.spares(schema.name(v));
    MeasuredColumn::of(schema, numbers, may)
}

/// Rows with real weights whose columns of numbers are cut. Frequencies are those of the weights.
fn cut_weighted(
    schema: Schema,
    rows: RealRows,
    spans: Vec<Option<Vec<Span>>>,
    (bins, kind): (&Bins, WeightKind),
) -> Result<(Schema, RealRows, Vec<CutColumn>)> {
    if spans.iter().all(Option::is_none) {
        return Ok((schema, rows, Vec::new()));
    }
    let units = WeightedTable::of_rows(schema, rows.clone(), kind)?.units().clone();
    let raw = RawTable::new(units, spans);
    let (data, cuts) = cut_alone(&raw, bins, &())?;
    let mut cut = RealRows::new();
    for (row, weights) in rows {
        let level = |(v, &level): (usize, &u32)| raw.level_when_cut(v, level, data.schema().cuts(v));
        cut.entry(row.iter().enumerate().map(level).collect()).or_default().extend(weights);
    }
    Ok((data.schema().clone(), cut, cuts))
}

/// Texts are compared without the blanks around them.
pub(super) fn trimmed(texts: &[String]) -> Vec<String> {
    texts.iter().map(|text| text.trim_ascii().to_owned()).collect()
}

fn coder(levels: Levels, missing: &[String]) -> std::result::Result<Coder, InputProblem> {
    let checked = |levels: Vec<String>| {
        check_levels(&levels)?;
        if levels.iter().any(|level| level.contains('\0')) {
            return Err(InputProblem::NotText { what: "binary data (a zero byte)" });
        }
        Ok(levels)
    };
    Ok(match levels {
        Levels::Observed => Coder::open(missing),
        Levels::Ordered(levels) => Coder::kept(&checked(trimmed(&levels))?, missing),
        Levels::Numbers => Coder::numbers(missing),
        Levels::ManyNumbers => Coder::cut_above(missing, MANY_NUMBERS),
        Levels::Cut(levels, cuts) => Coder::cut(&checked(levels)?, cuts, missing),
        // A model may have levels with blanks around them. They must stay the model's levels.
        Levels::Declared(levels) => Coder::declared(&checked(levels)?, missing),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|&text| text.to_owned()).collect()
    }

    fn intake(levels: Levels) -> Result<Intake> {
        Intake::new(vec![("a".to_owned(), levels), ("b".to_owned(), Levels::Observed)], &texts(&["", "?"]))
    }

    fn message<T>(result: Result<T>) -> String {
        result.err().map(|error| error.to_string()).unwrap_or_default()
    }

    #[test]
    fn cells_are_read_as_those_of_a_file_are() {
        let mut taken = intake(Levels::Observed).unwrap();
        for row in [["10", " x"], ["9 ", "x"]] {
            taken.push(2, |column| Some(row[column].as_bytes())).unwrap();
        }
        taken.reserve(10);
        let taken = taken.finish(OnMissing::Error).unwrap();
        assert_eq!(taken.data.schema().variable(0).levels, ["9", "10"]);
        assert_eq!((taken.data.rows(), taken.data.schema().variable(1).levels.len()), (4, 1));
        assert!(!taken.warnings.is_empty());
    }

    #[test]
    fn given_levels_keep_their_order_and_declared_ones_are_all_there_is() {
        let mut ordered = intake(Levels::Ordered(texts(&["low", "high", "?"]))).unwrap();
        for text in ["high", "new", "?"] {
            ordered.push(1, |_| Some(text.as_bytes())).unwrap();
        }
        let ordered = ordered.finish(OnMissing::Drop).unwrap();
        assert_eq!(ordered.data.schema().variable(0).levels, ["low", "high", "?", "new"]);
        assert_eq!((ordered.missing, ordered.dropped_weight), (vec![0, 1], 1));
        let mut declared = intake(Levels::Declared(texts(&["low", "high"]))).unwrap().with_numbers([4, 7]);
        declared.push(1, |_| Some(b"high")).unwrap();
        let refused = message(declared.push(1, |_| Some(b"hihg")));
        assert!(refused.starts_with("the table, line 2, column 4 (\"a\"): the value \"hihg\""), "{refused}");
    }

    #[test]
    fn what_is_no_table_is_refused() {
        assert!(
            message(intake(Levels::Ordered(texts(&["x", " x"]))))
                .contains("column 1 (\"a\"): the level \"x\"")
        );
        assert!(message(intake(Levels::Declared(vec![]))).contains("no level"));
        assert!(message(intake(Levels::Ordered(texts(&["x\0"])))).contains("zero byte"));
        assert!(message(Intake::new(vec![], &[])).contains("no column"));
        assert!(
            message(intake(Levels::Observed).unwrap().finish(OnMissing::Error))
                .contains("the table is empty")
        );
        let mut gaps = intake(Levels::Observed).unwrap();
        gaps.push(1, |column| (column > 0).then_some(b"x".as_slice())).unwrap();
        assert!(
            message(gaps.finish(OnMissing::Error)).contains("missing values in 1 of 1 rows, first in line 1")
        );
    }
}
