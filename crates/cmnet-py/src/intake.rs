//! Tables in: the rows of an Arrow stream or of numbered columns, without the interpreter's
//! lock and without a copy of the table.

use crate::cells::{Cells, Labels};
use crate::work;
use arrow_array::RecordBatchReader;
use cmnet::data::intake::{RowLevels, TABLE, Taken};
use cmnet::data::{Intake, Levels, Schema};
use cmnet::error::{ErrorKind, InputProblem, Place, shown_bytes};
use cmnet::io::csv::parse_weight;
use cmnet::io::{Columns, ReadOptions};
use cmnet::{Error, Result};
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use pyo3_arrow::PyRecordBatchReader;
use std::time::{Duration, Instant};

/// Rows that are looked at at once.
const VIEW: usize = 1024;

/// The time after which a signal is looked for.
const LOOK: Duration = Duration::from_millis(100);

/// One column that Python has numbered: its name, the number of each row's label (negative
/// where it is missing), the labels, and whether their order means something.
#[derive(FromPyObject)]
pub(crate) enum Numbered<'py> {
    Column(String, PyReadonlyArray1<'py, i32>, Vec<Option<String>>, bool),
    /// A column that is not one of categories, and the exception to raise when it is read.
    Refused(String, Bound<'py, PyAny>),
}

/// Where rows in memory come from.
#[derive(FromPyObject)]
pub(crate) enum Source<'py> {
    Numbered(Vec<Numbered<'py>>),
    /// The stream, columns whose dictionaries have no order of their own, and the number of
    /// rows if it is known.
    Stream(Bound<'py, PyCapsule>, Vec<String>, Option<usize>),
}

/// What is done with the rows of a table.
pub(crate) trait Rows: Send {
    /// The columns to read of those with these names, in the order of [`Rows::take`].
    fn choose(&mut self, names: &[String]) -> Result<Vec<usize>>;
    /// What the first rows say about the levels of these columns, and how many rows come.
    fn begin(&mut self, levels: Vec<Levels>, count: Option<usize>) -> Result<()>;
    /// Some rows.
    fn take(&mut self, cells: &[Cells<'_>], rows: usize) -> Result<()>;
}

/// What ended a reading early.
enum Failure {
    Library(Error),
    Python(PyErr),
    /// A column that cannot be read, by its place.
    Refused(usize),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Library(error)
    }
}

/// Reads all rows of a source.
pub(crate) fn read(py: Python<'_>, source: Source<'_>, rows: &mut impl Rows) -> PyResult<()> {
    let (mut raised, mut refused) = (None, None);
    let mut read = |work: &mut (dyn FnMut() -> std::result::Result<(), Failure> + Send)| {
        work::guarded(py, || match work() {
            Ok(()) => Ok(()),
            Err(Failure::Library(error)) => Err(error),
            Err(Failure::Python(signal)) => {
                raised = Some(signal);
                Ok(())
            }
            Err(Failure::Refused(column)) => {
                refused = Some(column);
                Ok(())
            }
        })
    };
    match source {
        Source::Stream(stream, loose, count) => {
            let mut reader = Some(PyRecordBatchReader::from_arrow_pycapsule(&stream)?.into_reader()?);
            read(&mut || reader.take().map_or(Ok(()), |reader| from_stream(reader, &loose, count, rows)))?;
        }
        Source::Numbered(columns) => {
            let mut held = Vec::with_capacity(columns.len());
            for column in &columns {
                held.push(match column {
                    Numbered::Column(name, numbers, labels, ordered) => {
                        let labels: Labels = labels.iter().cloned().collect();
                        (name.clone(), Some((numbers.as_slice()?, labels, *ordered)))
                    }
                    Numbered::Refused(name, _) => (name.clone(), None),
                });
            }
            read(&mut || from_numbers(&held, rows))?;
            if let Some(Numbered::Refused(_, exception)) = refused.and_then(|column| columns.get(column)) {
                return Err(PyErr::from_value(exception.clone()));
            }
        }
    }
    raised.map_or(Ok(()), Err)
}

fn from_stream(
    reader: Box<dyn RecordBatchReader + Send>,
    loose: &[String],
    count: Option<usize>,
    rows: &mut impl Rows,
) -> std::result::Result<(), Failure> {
    let names: Vec<String> = reader.schema().fields().iter().map(|field| field.name().clone()).collect();
    let chosen = rows.choose(&names)?;
    let mut begun = false;
    for batch in reader {
        let batch = batch.map_err(|error| broken_stream(&error.to_string()))?;
        let mut cells = Vec::with_capacity(chosen.len());
        for &column in &chosen {
            let place = || Place::file(TABLE).at_column(column + 1, Some(&names[column]));
            cells.push(Cells::of(batch.column(column)).map_err(|problem| Error::input(place(), problem))?);
        }
        if !begun {
            let is_loose = |column: usize| loose.contains(&names[column]);
            let levels = chosen.iter().zip(&cells).map(|(&column, cells)| levels(cells, is_loose(column)));
            rows.begin(levels.collect(), count)?;
            begun = true;
        }
        take_all(rows, &mut cells, batch.num_rows())?;
    }
    if !begun {
        rows.begin(vec![Levels::Observed; chosen.len()], count)?;
    }
    Ok(())
}

/// Name, and numbers with their labels unless the column is refused.
type Held<'a> = (String, Option<(&'a [i32], Labels, bool)>);

fn from_numbers(columns: &[Held<'_>], rows: &mut impl Rows) -> std::result::Result<(), Failure> {
    let names: Vec<String> = columns.iter().map(|(name, _)| name.clone()).collect();
    let mut cells: Vec<Cells<'_>> = Vec::new();
    let mut count = None;
    for column in rows.choose(&names)? {
        let (name, Some((numbers, labels, ordered))) = &columns[column] else {
            return Err(Failure::Refused(column));
        };
        let (length, expected) = (numbers.len(), *count.get_or_insert(numbers.len()));
        if length != expected {
            let found = format!("{length} values in {name}, {expected} in another column");
            return Err(Error::option("table", found, "columns of one length").into());
        }
        cells.push(Cells::numbered(numbers, labels, *ordered));
    }
    rows.begin(cells.iter().map(|cells| levels(cells, false)).collect(), count)?;
    take_all(rows, &mut cells, count.unwrap_or(0))
}

fn levels(cells: &Cells<'_>, loose: bool) -> Levels {
    let listed = cells.ordered().filter(|_| !loose).map(Labels::list);
    listed.filter(|list| !list.is_empty()).map_or(Levels::Observed, Levels::Ordered)
}

fn take_all(rows: &mut impl Rows, cells: &mut [Cells<'_>], count: usize) -> std::result::Result<(), Failure> {
    let mut looked = Instant::now();
    for start in (0..count).step_by(VIEW) {
        let length = VIEW.min(count - start);
        for cells in &mut *cells {
            cells.view(start, length);
        }
        rows.take(cells, length)?;
        if looked.elapsed() > LOOK {
            looked = Instant::now();
            Python::attach(signals).map_err(Failure::Python)?;
        }
    }
    Ok(())
}

/// Raises what a signal such as Ctrl-C asks for.
fn signals(py: Python<'_>) -> PyResult<()> {
    py.check_signals()
}

fn broken_stream(what: &str) -> Error {
    let hint = "check the table that the stream comes from".to_owned();
    ErrorKind::Mismatch { problem: format!("the Arrow stream ended with an error: {what}"), hint }.into()
}

/// Rows that become packed codes.
pub(crate) struct Packing {
    options: ReadOptions,
    columns: Option<Columns>,
    intake: Option<Intake>,
    /// Rows met so far.
    seen: u64,
}

impl Packing {
    pub(crate) fn new(options: ReadOptions) -> Self {
        Self { options, columns: None, intake: None, seen: 0 }
    }

    /// The packed table.
    pub(crate) fn finish(self) -> Result<Taken> {
        let no_table = || Error::input(Place::file(TABLE), InputProblem::NoColumns);
        self.intake.ok_or_else(no_table)?.finish(self.options.on_missing)
    }
}

impl Rows for Packing {
    fn choose(&mut self, names: &[String]) -> Result<Vec<usize>> {
        let columns = Columns::of(TABLE.to_owned(), names.to_vec(), &self.options)?;
        let chosen = columns.variables().iter().copied().chain(columns.weights()).collect();
        self.columns = Some(columns);
        Ok(chosen)
    }

    fn begin(&mut self, levels: Vec<Levels>, count: Option<usize>) -> Result<()> {
        let Some(columns) = &self.columns else { return Ok(()) };
        let known = |(&column, levels): (&usize, Levels)| {
            let name = columns.name(column);
            let declared = self.options.schema.as_ref().and_then(|schema| schema.levels(name));
            (name.to_owned(), declared.map_or(levels, |levels| Levels::Declared(levels.to_vec())))
        };
        let known = columns.variables().iter().zip(levels).map(known).collect();
        let numbers = columns.variables().iter().map(|column| column + 1);
        let mut intake = Intake::new(known, &self.options.missing)?.with_numbers(numbers);
        intake.reserve(count.unwrap_or(0));
        self.intake = Some(intake);
        Ok(())
    }

    fn take(&mut self, cells: &[Cells<'_>], rows: usize) -> Result<()> {
        let (Some(intake), Some(columns)) = (&mut self.intake, &self.columns) else { return Ok(()) };
        let weights = columns.weights().zip(cells.last());
        for row in 0..rows {
            self.seen += 1;
            let weight = match weights {
                Some((column, cells)) => {
                    let text = cells.get(row).unwrap_or_default();
                    parse_weight(text).map_err(|hint| {
                        let problem = InputProblem::Weight { text: shown_bytes(text), hint };
                        Error::input(columns.place(column).at_line(self.seen), problem)
                    })?
                }
                None => 1,
            };
            intake.push(weight, |variable| cells[variable].get(row))?;
        }
        Ok(())
    }
}

/// Rows that become levels of a model's variables, one by one.
pub(crate) struct Leveling<F> {
    schema: Schema,
    options: ReadOptions,
    /// The place of each variable among the columns that are read.
    places: Vec<Option<usize>>,
    rows: Option<RowLevels>,
    /// Whether a value that is no level counts as missing.
    forgiving: bool,
    tell: F,
}

impl<F: FnMut(&[Option<u32>]) -> Result<()>> Leveling<F> {
    pub(crate) fn new(schema: Schema, options: ReadOptions, forgiving: bool, tell: F) -> Self {
        Self { schema, options, places: Vec::new(), rows: None, forgiving, tell }
    }
}

impl<F: FnMut(&[Option<u32>]) -> Result<()> + Send> Rows for Leveling<F> {
    fn choose(&mut self, names: &[String]) -> Result<Vec<usize>> {
        let options = ReadOptions { columns: None, schema: None, ..self.options.clone() };
        let columns = Columns::of(TABLE.to_owned(), names.to_vec(), &options)?;
        let mut chosen = Vec::new();
        for variable in self.schema.variables() {
            let column = columns.variables().iter().find(|&&column| columns.name(column) == variable.name);
            self.places.push(column.map(|_| chosen.len()));
            chosen.extend(column);
        }
        if chosen.is_empty() {
            let problem = "the data have none of the model's columns".to_owned();
            return Err(ErrorKind::Mismatch { problem, hint: "check the column names".to_owned() }.into());
        }
        let rows = RowLevels::new(&self.schema, &self.options.missing);
        self.rows = Some(if self.forgiving { rows.forgiving() } else { rows });
        Ok(chosen)
    }

    fn begin(&mut self, _: Vec<Levels>, _: Option<usize>) -> Result<()> {
        Ok(())
    }

    fn take(&mut self, cells: &[Cells<'_>], rows: usize) -> Result<()> {
        let Some(reader) = &mut self.rows else { return Ok(()) };
        for row in 0..rows {
            let levels = reader.read(|variable| cells[self.places[variable]?].get(row))?;
            (self.tell)(levels)?;
        }
        Ok(())
    }
}
