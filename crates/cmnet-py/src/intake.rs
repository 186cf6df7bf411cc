//! Tables in: the rows of an Arrow stream or of columns that Python gives part by part,
//! without a copy of the table, and without the interpreter's lock while they are packed.

use crate::errors;
use crate::table::some_rows;
use crate::work::{self, Signals, signals};
use arrow_array::{Array, ArrayRef, RecordBatchReader};
use cmnet::{
    ArrowCells, ArrowLabels, Columns, Control, Error, InputProblem, Intake, Levels, LoadedIncomplete,
    LoadedTable, LoadedWeighted, OnMissing, Place, ReadOptions, Result, Survey, UNNAMED_TABLE, Under,
    WeightKind,
};
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use pyo3_arrow::{PyChunkedArray, PyRecordBatchReader};
use std::ops::Range;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Rows that are looked at at once.
const VIEW: usize = 1024;

/// Rows that Python hands over at once: what they take beyond the table is then small.
const PART: usize = 1 << 13;

/// Rows from which on the last step of packing takes a good part of a second.
const LARGE: u64 = 1 << 20;

/// The time after which a signal is looked for.
const LOOK: Duration = Duration::from_millis(100);

/// Where rows in memory come from.
#[derive(FromPyObject)]
pub(crate) enum Source<'py> {
    /// An Arrow stream, and the number of rows if it is known.
    Stream(Bound<'py, PyCapsule>, Option<usize>),
    /// An object of the package's class `Columns`, which gives some rows at a time.
    Columns(Bound<'py, PyAny>),
}

/// A table that is not packed yet, or a part of one: a file, or rows in memory.
#[derive(FromPyObject)]
pub(crate) enum Unpacked<'py> {
    File(Files),
    Memory(Source<'py>),
}

impl Unpacked<'_> {
    /// What a table gives: a file by a function that reads it in so many threads, rows in memory by what packs them.
    pub(crate) fn read<T: Send + 'static>(
        self,
        py: Python<'_>,
        (threads, options): (usize, ReadOptions),
        file: impl FnOnce(&cmnet::Source, Under<'_, ReadOptions>) -> Result<T> + Send + 'static,
        pack: impl FnOnce(ReadOptions) -> Packing,
        finish: impl FnOnce(Packing, Python<'_>) -> PyResult<T>,
    ) -> PyResult<T> {
        match self {
            Self::File(files) => {
                work::call(py, threads, move |stop| file(&files.source(), Under::new(&options, stop)))
            }
            Self::Memory(source) => {
                let mut packing = pack(options);
                read(py, source, &mut packing)?;
                finish(packing, py)
            }
        }
    }
}

/// A file or a pattern, or several files that are one table.
#[derive(Clone, FromPyObject)]
pub(crate) enum Files {
    One(PathBuf),
    Several(Vec<PathBuf>),
}

impl Files {
    pub(crate) fn source(self) -> cmnet::Source {
        match self {
            Self::One(path) => cmnet::Source::from_path(path),
            Self::Several(paths) => cmnet::Source::from_paths(paths),
        }
    }
}

/// Some rows of a column, as Python hands them over.
#[derive(FromPyObject)]
enum Part<'py> {
    /// The number of each row's label (negative where it is missing), the labels unless they
    /// are those of the part before, and whether their order means something.
    Numbered(PyReadonlyArray1<'py, i32>, Option<Vec<String>>, bool),
    /// An Arrow stream, and whether the order of a dictionary in it means nothing.
    Arrow(Bound<'py, PyCapsule>, bool),
}

/// Some rows of a column, held without Python.
enum Held {
    Numbered { numbers: Vec<i32>, labels: ArrowLabels, ordered: bool },
    Arrow { chunks: Vec<ArrayRef>, loose: bool },
}

/// What is done with the rows of a table.
pub(crate) trait Rows: Send {
    /// The columns to read of those with these names, in the order of [`Rows::take`].
    fn choose(&mut self, names: &[String]) -> Result<Vec<usize>>;
    /// Whether numbers with decimals are taken from the column at a place among those chosen.
    fn takes_decimals(&self, place: usize) -> bool {
        let _ = place;
        false
    }
    /// What the first rows say about the levels of these columns, and how many rows come.
    fn begin(&mut self, levels: Vec<Levels>, count: Option<usize>) -> Result<()>;
    /// Some rows.
    fn take(&mut self, cells: &[ArrowCells<'_>], rows: usize) -> Result<()>;
    /// What a signal raised while rows were taken.
    fn raised(&mut self) -> Option<PyErr> {
        None
    }
}

/// What ended a reading early.
enum Failure {
    Library(Error),
    Python(PyErr),
    /// An Arrow stream that broke off.
    Stream(String),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Library(error)
    }
}

impl From<PyErr> for Failure {
    fn from(raised: PyErr) -> Self {
        Self::Python(raised)
    }
}

type Read<T> = std::result::Result<T, Failure>;

/// Reads all rows of a source.
pub(crate) fn read(py: Python<'_>, source: Source<'_>, rows: &mut impl Rows) -> PyResult<()> {
    let done = match source {
        Source::Stream(stream, count) => {
            let opened = PyRecordBatchReader::from_arrow_pycapsule(&stream);
            let reader = opened.and_then(PyRecordBatchReader::into_reader);
            let reader = reader.map_err(|error| errors::stream(py, &error.to_string()))?;
            guarded(py, || from_stream(reader, count, rows))
        }
        Source::Columns(columns) => {
            let names: Vec<String> = columns.getattr("names")?.extract()?;
            let columns = columns.unbind();
            guarded(py, || from_columns(&columns, &names, rows))
        }
    };
    match done? {
        Ok(()) => Ok(()),
        Err(Failure::Library(error)) => Err(rows.raised().unwrap_or_else(|| errors::to_python(py, &error))),
        Err(Failure::Python(raised)) => Err(raised),
        Err(Failure::Stream(what)) => Err(errors::stream(py, &what)),
    }
}

fn guarded(py: Python<'_>, work: impl FnOnce() -> Read<()> + Send) -> PyResult<Read<()>> {
    work::guarded(py, || Ok(work()))
}

fn place(names: &[String], column: usize) -> Place {
    Place::file(UNNAMED_TABLE).at_column(column + 1, Some(&names[column]))
}

fn from_stream(
    reader: Box<dyn RecordBatchReader + Send>,
    count: Option<usize>,
    rows: &mut impl Rows,
) -> Read<()> {
    let names: Vec<String> = reader.schema().fields().iter().map(|field| field.name().clone()).collect();
    let chosen = rows.choose(&names)?;
    let mut begun = false;
    let mut looked = Instant::now();
    for batch in reader {
        let batch = batch.map_err(|error| Failure::Stream(error.to_string()))?;
        let mut cells = Vec::with_capacity(chosen.len());
        for (place_chosen, &column) in chosen.iter().enumerate() {
            let found = ArrowCells::of(batch.column(column), rows.takes_decimals(place_chosen));
            cells.push(found.map_err(|problem| Error::input(place(&names, column), problem))?);
        }
        if !begun {
            rows.begin(cells.iter().map(|cells| levels(cells, false)).collect(), count)?;
            begun = true;
        }
        take_all(rows, &mut cells, batch.num_rows(), &mut looked)?;
    }
    if !begun {
        rows.begin(vec![Levels::Observed; chosen.len()], count)?;
    }
    Ok(())
}

fn from_columns(columns: &Py<PyAny>, names: &[String], rows: &mut impl Rows) -> Read<()> {
    let chosen = rows.choose(names)?;
    let cut: Vec<bool> = (0..chosen.len()).map(|place| rows.takes_decimals(place)).collect();
    let count: usize = Python::attach(|py| {
        columns.bind(py).call_method1("choose", (chosen.clone(), cut.clone()))?.extract()
    })?;
    let mut held: Vec<Held> = Vec::with_capacity(chosen.len());
    let mut begun = false;
    let mut looked = Instant::now();
    for start in (0..count).step_by(PART) {
        let stop = count.min(start + PART);
        Python::attach(|py| {
            hold(columns.bind(py), start..stop, |part| place(names, chosen[part]), &mut held)
        })?;
        for (from, to) in segments(&held, stop - start) {
            let slices: Vec<Option<ArrayRef>> = held.iter().map(|held| held.slice(from, to)).collect();
            let mut cells = Vec::with_capacity(chosen.len());
            for (((held, slice), &column), &cut) in held.iter().zip(&slices).zip(&chosen).zip(&cut) {
                let found = held.cells(slice.as_deref(), from, to, cut);
                cells.push(found.map_err(|problem| Error::input(place(names, column), problem))?);
            }
            if !begun {
                let known = held.iter().zip(&cells).map(|(held, cells)| levels(cells, held.is_loose()));
                rows.begin(known.collect(), Some(count))?;
                begun = true;
            }
            take_all(rows, &mut cells, to - from, &mut looked)?;
        }
    }
    if !begun {
        rows.begin(vec![Levels::Observed; chosen.len()], Some(count))?;
    }
    Ok(())
}

/// Takes over some rows of each column; `place` is that of a column in complaints.
fn hold(
    columns: &Bound<'_, PyAny>,
    rows: Range<usize>,
    place: impl Fn(usize) -> Place,
    held: &mut Vec<Held>,
) -> Read<()> {
    let parts: Vec<Part<'_>> = columns.call_method1("part", (rows.start, rows.end))?.extract()?;
    for (number, part) in parts.into_iter().enumerate() {
        let next = match part {
            Part::Numbered(numbers, labels, ordered) => {
                let before = held.get_mut(number).map(Held::take_labels).unwrap_or_default();
                let labels = labels.map_or(before, |labels| labels.into_iter().map(Some).collect());
                Held::Numbered { numbers: numbers.as_array().iter().copied().collect(), labels, ordered }
            }
            Part::Arrow(stream, loose) => {
                let unreadable = |error: PyErr| {
                    let problem = ArrowCells::refusal("values of another kind", &error.to_string());
                    Error::input(place(number), problem)
                };
                let chunks = PyChunkedArray::from_arrow_pycapsule(&stream).map_err(unreadable)?;
                Held::Arrow { chunks: chunks.into_inner().0, loose }
            }
        };
        match held.get_mut(number) {
            Some(before) => *before = next,
            None => held.push(next),
        }
    }
    Ok(())
}

impl Held {
    fn take_labels(&mut self) -> ArrowLabels {
        match self {
            Self::Numbered { labels, .. } => std::mem::take(labels),
            Self::Arrow { .. } => ArrowLabels::default(),
        }
    }

    fn is_loose(&self) -> bool {
        matches!(self, Self::Arrow { loose: true, .. })
    }

    /// Rows of an Arrow column that lie in one chunk.
    fn slice(&self, from: usize, to: usize) -> Option<ArrayRef> {
        let Self::Arrow { chunks, .. } = self else { return None };
        let mut before = 0;
        for chunk in chunks {
            if from < before + chunk.len() {
                return Some(chunk.slice(from - before, to - from));
            }
            before += chunk.len();
        }
        None
    }

    fn cells<'a>(
        &'a self,
        slice: Option<&'a dyn Array>,
        from: usize,
        to: usize,
        decimals: bool,
    ) -> std::result::Result<ArrowCells<'a>, InputProblem> {
        match self {
            Self::Numbered { numbers, labels, ordered } => {
                Ok(ArrowCells::numbered(&numbers[from..to], labels, *ordered))
            }
            Self::Arrow { .. } => {
                slice.map_or_else(|| Ok(ArrowCells::missing()), |slice| ArrowCells::of(slice, decimals))
            }
        }
    }
}

/// Runs of rows that lie in one chunk of every column.
fn segments(held: &[Held], rows: usize) -> Vec<(usize, usize)> {
    let mut ends = vec![rows];
    for held in held {
        if let Held::Arrow { chunks, .. } = held {
            ends.extend(chunks.iter().scan(0, |end, chunk| {
                *end += chunk.len();
                Some(*end)
            }));
        }
    }
    ends.retain(|&end| 0 < end && end <= rows);
    ends.sort_unstable();
    ends.dedup();
    let starts = std::iter::once(0).chain(ends.iter().copied());
    starts.zip(ends.iter().copied()).collect()
}

fn levels(cells: &ArrowCells<'_>, loose: bool) -> Levels {
    let listed = cells.ordered().filter(|_| !loose).map(ArrowLabels::list);
    listed.filter(|list| !list.is_empty()).map_or(Levels::Observed, Levels::Ordered)
}

/// Takes some rows; `looked` is when signals were last looked for, batches before these included.
fn take_all(
    rows: &mut impl Rows,
    cells: &mut [ArrowCells<'_>],
    count: usize,
    looked: &mut Instant,
) -> Read<()> {
    for start in (0..count).step_by(VIEW) {
        let length = VIEW.min(count - start);
        for cells in &mut *cells {
            cells.view(start, length);
        }
        rows.take(cells, length)?;
        if looked.elapsed() > LOOK {
            *looked = Instant::now();
            Python::attach(signals)?;
        }
    }
    Ok(())
}

/// Rows that become packed codes.
pub(crate) struct Packing {
    options: ReadOptions,
    columns: Option<Columns>,
    intake: Option<Intake>,
    signals: Signals,
    /// Whether only levels are looked for.
    surveys: bool,
    /// Whether weights are real numbers.
    weighs: bool,
}

impl Packing {
    pub(crate) fn new(options: ReadOptions) -> Self {
        Self { options, columns: None, intake: None, signals: Signals::new(), surveys: false, weighs: false }
    }

    /// Looks for levels alone, and keeps no rows.
    pub(crate) fn surveying(options: ReadOptions) -> Self {
        Self { surveys: true, ..Self::new(options) }
    }

    /// Takes weights that are real numbers.
    pub(crate) fn weighing(options: ReadOptions) -> Self {
        Self { weighs: true, ..Self::new(options) }
    }

    /// The packed table with its real weights.
    pub(crate) fn finish_weighted(
        self,
        py: Python<'_>,
        kind: Option<WeightKind>,
    ) -> PyResult<LoadedWeighted> {
        let on_missing = self.options.on_missing;
        work::call(py, 1, move |_| self.intake.ok_or_else(no_columns)?.finish_weighted(on_missing, kind))
    }

    /// What was found out about levels.
    pub(crate) fn survey(self, py: Python<'_>) -> PyResult<Survey> {
        match self.intake {
            Some(intake) => Ok(intake.survey()),
            None => Err(errors::to_python(py, &no_columns())),
        }
    }

    /// The packed part of a table, if a row of it is left.
    pub(crate) fn finish_part(self, py: Python<'_>) -> PyResult<Option<LoadedTable>> {
        work::call(py, 1, move |stop| some_rows(self.packed(stop)))
    }

    /// The packed table, by the calling thread, which reuses the memory that it has, or by
    /// another where that takes so long that Ctrl-C would have to wait for it.
    pub(crate) fn finish(self, py: Python<'_>) -> PyResult<LoadedTable> {
        if self.intake.as_ref().is_some_and(|intake| intake.rows() > LARGE) {
            work::call(py, 1, move |stop| self.packed(stop))
        } else {
            work::guarded(py, || self.packed(&()))
        }
    }

    /// The packed table with its missing values.
    pub(crate) fn finish_incomplete(self, py: Python<'_>) -> PyResult<LoadedIncomplete> {
        let no_table = || Error::input(Place::file(UNNAMED_TABLE), InputProblem::NoColumns);
        work::call(py, 1, move |stop| self.intake.ok_or_else(no_table)?.finish_incomplete(stop))
    }

    fn packed(self, control: &dyn Control) -> Result<LoadedTable> {
        self.intake.ok_or_else(no_columns)?.finish_under(self.options.on_missing, control)
    }
}

fn no_columns() -> Error {
    Error::input(Place::file(UNNAMED_TABLE), InputProblem::NoColumns)
}

impl Rows for Packing {
    fn choose(&mut self, names: &[String]) -> Result<Vec<usize>> {
        let columns = Columns::of_memory(names.to_vec(), &self.options)?;
        let chosen = columns.variables().iter().copied().chain(columns.weights()).collect();
        self.columns = Some(columns);
        Ok(chosen)
    }

    fn takes_decimals(&self, place: usize) -> bool {
        let Some(columns) = &self.columns else { return false };
        // The weights come last: those that are no whole numbers are refused as weights, with their row.
        let Some(&column) = columns.variables().get(place) else { return true };
        let (name, bins) = (columns.name(column), &self.options.bins);
        let cut = self.options.schema.as_ref().and_then(|schema| schema.cuts(name));
        bins.others().is_some() || bins.rule(name).is_some() || cut.is_some()
    }

    fn begin(&mut self, levels: Vec<Levels>, count: Option<usize>) -> Result<()> {
        let Some(columns) = &self.columns else { return Ok(()) };
        let mut intake = if self.surveys {
            columns.survey(&self.options, levels)?
        } else {
            columns.intake(&self.options, levels)?
        };
        if self.options.on_missing == OnMissing::Model && !self.surveys {
            intake = intake.keeping_incomplete_rows();
        }
        intake.reserve(if self.surveys { 0 } else { count.unwrap_or(0) });
        self.intake = Some(intake);
        Ok(())
    }

    fn take(&mut self, cells: &[ArrowCells<'_>], rows: usize) -> Result<()> {
        let (Some(intake), Some(columns)) = (&mut self.intake, &self.columns) else { return Ok(()) };
        for row in 0..rows {
            if self.weighs {
                let line = intake.rows() + 1;
                let weight = columns.real_weight(|_| cells.last()?.get(row), || line)?;
                intake.push_weighted(weight, |variable| cells[variable].get(row))?;
                continue;
            }
            let weight = weight_of(columns, cells, row, intake.rows() + 1)?;
            intake.push_under(&self.signals, weight, |variable| cells[variable].get(row))?;
        }
        Ok(())
    }

    fn raised(&mut self) -> Option<PyErr> {
        self.signals.raised()
    }
}

/// The weight of a row in view, which stands in the last of the cells; `line` is its number.
pub(crate) fn weight_of(columns: &Columns, cells: &[ArrowCells<'_>], row: usize, line: u64) -> Result<u64> {
    columns.weight(|_| cells.last()?.get(row), || line)
}
