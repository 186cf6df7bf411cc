//! Tables from another program's memory, row by row: data frames, arrays, query results.
//!
//! Cells are read as those of a file are: blanks around a text are not part of it, some
//! texts mean "missing", and levels that were not given are ordered by value or by bytes.

use super::builder::{Misfit, TableBuilder};
use super::dataset::Dataset;
use super::encode::{Coder, Found};
use super::tally::{OnMissing, Tally};
use super::variable::{Schema, check_levels, check_names};
use super::warning::Warning;
use crate::error::{Error, InputProblem, Place, Result};

/// What stands for a file in errors about a table from memory.
pub const TABLE: &str = "the table";

/// What is known of a column's levels before its first cell is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Levels {
    /// Nothing: levels are those that occur, ordered as those of a file.
    Observed,
    /// These, in this order, whether they occur or not; others that occur come after them.
    Ordered(Vec<String>),
    /// These, in this order, and any other is an error: a schema's or a model's.
    Declared(Vec<String>),
}

/// Takes in a table, one row of texts at a time; only codes and distinct labels are kept.
///
/// # Example
/// ```
/// use cmnet::data::{Intake, Levels, OnMissing};
/// let columns = vec![("smokes".to_owned(), Levels::Observed), ("age".to_owned(), Levels::Observed)];
/// let mut intake = Intake::new(columns, &["NA".to_owned()])?;
/// for row in [["yes", "<40"], ["no", "40+"], [" no", "NA"]] {
///     intake.push(1, |column| Some(row[column].as_bytes()))?;
/// }
/// let taken = intake.finish(OnMissing::Drop)?;
/// assert_eq!((taken.data.rows(), taken.dropped_rows), (2, 1));
/// assert_eq!(taken.data.schema().variable(0).levels, ["no", "yes"]);
/// # Ok::<(), cmnet::Error>(())
/// ```
#[derive(Debug)]
pub struct Intake {
    builder: TableBuilder,
    tally: Tally,
    /// The number of each column in the whole table, counted from 1.
    numbers: Vec<usize>,
}

/// A table that was taken in.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Taken {
    /// The table.
    pub data: Dataset,
    /// What its owner should know.
    pub warnings: Vec<Warning>,
    /// Rows left out for their missing values.
    pub dropped_rows: u64,
    /// The weight of those rows.
    pub dropped_weight: u64,
    /// Missing values per variable.
    pub missing: Vec<u64>,
}

impl Intake {
    /// An empty table of these columns.
    ///
    /// # Errors
    /// When there is no column, a name is empty or stands twice, or levels that are given
    /// are none, too many or stand twice.
    pub fn new(columns: Vec<(String, Levels)>, missing: &[String]) -> Result<Self> {
        if columns.is_empty() {
            return Err(Error::input(Place::file(TABLE), InputProblem::NoColumns));
        }
        check_names(columns.iter().map(|(name, _)| name.as_str()))
            .map_err(|(column, problem)| Error::input(Place::file(TABLE).at_column(column, None), problem))?;
        let missing = trimmed(missing);
        let numbers = (1..=columns.len()).collect();
        let (mut names, mut coders) = (Vec::new(), Vec::new());
        for (column, (name, levels)) in columns.into_iter().enumerate() {
            let coder = coder(levels, &missing).map_err(|problem| {
                Error::input(Place::file(TABLE).at_column(column + 1, Some(&name)), problem)
            })?;
            names.push(name);
            coders.push(coder);
        }
        Ok(Self { builder: TableBuilder::new(names, coders), tally: Tally::default(), numbers })
    }

    /// The same table whose columns, in errors, have these numbers, counted from 1:
    /// their places in a table of which only some columns are read.
    #[must_use]
    pub fn with_numbers(mut self, numbers: impl IntoIterator<Item = usize>) -> Self {
        self.numbers.iter_mut().zip(numbers).for_each(|(own, number)| *own = number);
        self
    }

    /// Makes room for so many rows, where their number is known beforehand.
    pub fn reserve(&mut self, rows: usize) {
        self.builder.reserve(rows);
    }

    /// Adds a row that was observed so many times; `None` and texts that mean "missing" are
    /// missing values.
    ///
    /// # Errors
    /// When a value is no level of a column whose levels are declared, is no text, or is one
    /// too many; or the rows by weight are more than [`MAX_ROWS`](super::MAX_ROWS).
    pub fn push<'a>(&mut self, weight: u64, cell: impl Fn(usize) -> Option<&'a [u8]>) -> Result<()> {
        let line = self.tally.rows + 1;
        let complete =
            self.builder.push(weight, |column| cell(column).map(<[u8]>::trim_ascii)).map_err(|misfit| {
                let number = misfit.0.map(|column| self.numbers[column]);
                error_at(*misfit, (line, number), self.builder.names())
            })?;
        self.tally.add(line, weight, complete);
        Ok(())
    }

    /// The table, its levels in their final order and its rows collapsed.
    ///
    /// # Errors
    /// When values are missing and that is an error, or no row is left.
    pub fn finish(self, on_missing: OnMissing) -> Result<Taken> {
        if let Some(problem) = self.tally.problem(&self.builder, on_missing, "the table is empty") {
            return Err(Error::input(Place::file(TABLE), problem));
        }
        let missing = self.builder.missing().to_vec();
        let Tally { dropped_rows, dropped_weight, .. } = self.tally;
        let data = self.builder.finish();
        let warnings = Warning::of(&data);
        Ok(Taken { data, warnings, dropped_rows, dropped_weight, missing })
    }
}

fn trimmed(texts: &[String]) -> Vec<String> {
    texts.iter().map(|text| text.trim_ascii().to_owned()).collect()
}

fn coder(levels: Levels, missing: &[String]) -> std::result::Result<Coder, InputProblem> {
    let checked = |levels: &[String]| {
        let levels = trimmed(levels);
        check_levels(&levels)?;
        if levels.iter().any(|level| level.contains('\0')) {
            return Err(InputProblem::NotText { what: "binary data (a zero byte)" });
        }
        Ok(levels)
    };
    Ok(match levels {
        Levels::Observed => Coder::open(missing),
        Levels::Ordered(levels) => Coder::kept(&checked(&levels)?, missing),
        Levels::Declared(levels) => Coder::declared(&checked(&levels)?, missing),
    })
}

fn error_at((column, problem): Misfit, (line, number): (u64, Option<usize>), names: &[String]) -> Error {
    let mut place = Place::file(TABLE).at_line(line);
    place.name = column.map(|column| names[column].clone());
    place.column = number;
    Error::input(place, problem)
}

/// Reads rows as the levels of a model's variables, one by one and in their order: what
/// prediction takes. Cells and whole columns may be missing.
#[derive(Debug)]
pub struct RowLevels {
    names: Vec<String>,
    coders: Vec<Coder>,
    levels: Vec<Option<u32>>,
    line: u64,
    forgiving: bool,
}

impl RowLevels {
    /// A reader of rows of these variables.
    pub fn new(schema: &Schema, missing: &[String]) -> Self {
        let missing = trimmed(missing);
        let variables = schema.variables();
        Self {
            names: variables.iter().map(|variable| variable.name.clone()).collect(),
            coders: variables.iter().map(|variable| Coder::declared(&variable.levels, &missing)).collect(),
            levels: vec![None; variables.len()],
            line: 0,
            forgiving: false,
        }
    }

    /// The same reader, to which a value that is no level of its variable is a missing one.
    #[must_use]
    pub fn forgiving(self) -> Self {
        Self { forgiving: true, ..self }
    }

    /// The levels of the next row, `None` where one is missing.
    ///
    /// # Errors
    /// When a value is no level of its variable.
    pub fn read<'a>(&mut self, cell: impl Fn(usize) -> Option<&'a [u8]>) -> Result<&[Option<u32>]> {
        self.line += 1;
        for (variable, coder) in self.coders.iter_mut().enumerate() {
            let text = cell(variable).map(<[u8]>::trim_ascii);
            self.levels[variable] = match text.map_or(Found::Missing, |text| coder.find(text)) {
                Found::Level(code) => Some(code.into()),
                Found::Missing => None,
                Found::New if self.forgiving => None,
                Found::New => {
                    let added = coder.add(text.unwrap_or_default());
                    Some(
                        added
                            .map_err(|problem| {
                                error_at((Some(variable), problem), (self.line, None), &self.names)
                            })?
                            .into(),
                    )
                }
            };
        }
        Ok(&self.levels)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Variable;

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

    #[test]
    fn rows_become_levels_of_a_model() {
        let variable = |name: &str| Variable { name: name.to_owned(), levels: texts(&["no", "yes"]) };
        let schema = Schema::checked(vec![variable("a"), variable("b")]).unwrap();
        let mut rows = RowLevels::new(&schema, &texts(&["?"]));
        assert_eq!(rows.read(|v| [Some(b" yes".as_slice()), None][v]).unwrap(), [Some(1), None]);
        assert_eq!(rows.read(|_| Some(b"?")).unwrap(), [None, None]);
        assert_eq!(RowLevels::new(&schema, &[]).forgiving().read(|_| Some(b"maybe")).unwrap(), [None, None]);
        assert!(message(rows.read(|_| Some(b"maybe"))).contains("the table, line 3, column \"a\""));
    }
}
