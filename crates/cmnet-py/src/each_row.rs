//! The rows of a table one by one and in their order, as levels of a model's variables.

use crate::errors::{self, OrRaise};
use crate::intake::{Rows, Source, read, weight_of};
use crate::model::Data;
use crate::options::Reading;
use crate::work::{Running, Stop, call, guarded, interrupted, signals, value};
use cmnet::{
    ArrowCells, Columns, Dataset, Error, Levels, OnUnknown, ReadOptions, Result, RowLevels, Schema,
    Source as File, Under, visit_rows,
};
use pyo3::prelude::*;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::time::{Duration, Instant};

/// Told of the levels of each variable, `None` where one is missing, and of the row's weight.
pub(crate) type Tell<'a> = dyn FnMut(&[Option<u32>], u64) -> Result<()> + 'a;

/// A table that tells of its rows.
pub(crate) trait EachRow {
    fn each(&mut self, tell: &mut Tell<'_>) -> Result<()>;
}

/// How the rows of a table are read.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct RowReading {
    pub(crate) reading: Reading,
    /// Whether a value that is no level of its variable is a missing one.
    pub(crate) forgiving: bool,
}

/// Does a job on the rows of a table, in a thread of its own, which Ctrl-C ends before its next
/// row.
pub(crate) fn over_rows<T: Send + 'static>(
    py: Python<'_>,
    schema: &Schema,
    data: Data<'_>,
    how: &RowReading,
    job: impl FnOnce(&mut dyn EachRow, &Stop) -> Result<T> + Send + 'static,
) -> PyResult<T> {
    let options = how.reading.options().or_raise(py)?;
    let schema = schema.clone();
    let on_unknown = if how.forgiving { OnUnknown::Missing } else { OnUnknown::Error };
    match data {
        Data::Memory(source) => over_memory(py, source, Leveling::new(schema, options, on_unknown), job),
        Data::File(path) => call(py, 1, move |stop| {
            let file = path.source();
            job(&mut FileRows { file, options, schema, on_unknown, stop }, stop)
        }),
        Data::Table(table) => {
            let data = table.data.clone();
            call(py, 1, move |stop| job(&mut PackedRows { data, schema, on_unknown, stop }, stop))
        }
    }
}

/// The rows of a file.
struct FileRows<'a> {
    file: File,
    options: ReadOptions,
    schema: Schema,
    on_unknown: OnUnknown,
    stop: &'a Stop,
}

impl EachRow for FileRows<'_> {
    fn each(&mut self, tell: &mut Tell<'_>) -> Result<()> {
        let Self { file, options, schema, on_unknown, stop } = self;
        let options = Under::new(&*options, *stop);
        visit_rows(file, options, *on_unknown, schema, |row| {
            stop.check()?;
            tell(row.levels, row.weight)
        })?;
        Ok(())
    }
}

/// The observations of a packed table, equal ones beside each other.
struct PackedRows<'a> {
    data: Arc<Dataset>,
    schema: Schema,
    on_unknown: OnUnknown,
    stop: &'a Stop,
}

impl EachRow for PackedRows<'_> {
    fn each(&mut self, tell: &mut Tell<'_>) -> Result<()> {
        let Self { data, schema, on_unknown, stop } = self;
        let places: Vec<Option<usize>> =
            schema.variables().iter().map(|variable| data.schema().find(&variable.name)).collect();
        if places.iter().all(Option::is_none) {
            return Err(no_columns());
        }
        // What means "missing" was decided when the table was packed.
        let mut reader = RowLevels::new(schema, &[], *on_unknown);
        for (row, &weight) in data.weights().iter().enumerate() {
            let text = |v: usize| {
                let column = places[v]?;
                let level = data.column(column).get(row) as usize;
                Some(data.schema().variable(column).levels[level].as_bytes())
            };
            let levels = reader.read(text)?;
            for _ in 0..weight {
                stop.check()?;
                tell(levels, 1)?;
            }
        }
        Ok(())
    }
}

/// What to do where a table in memory has none of a model's columns.
const COLUMN_HINT: &str = "check the column names";

fn no_columns() -> Error {
    Error::mismatch("the data have none of the model's columns", COLUMN_HINT)
}

/// Some rows, one after the other, and their weights.
#[derive(Default)]
struct Block {
    levels: Vec<Option<u32>>,
    weights: Vec<u64>,
}

/// Cells of a block.
const CELLS: usize = 1 << 16;

/// Blocks that wait for the job.
const WAITING: usize = 4;

/// How long the reader sleeps while the job is busy.
const NAP: Duration = Duration::from_millis(1);

/// The time after which a signal is looked for.
const LOOK: Duration = Duration::from_millis(50);

/// Rows in memory are read by the calling thread, since they may belong to it, and go to the
/// job in blocks.
fn over_memory<T: Send + 'static>(
    py: Python<'_>,
    source: Source<'_>,
    mut leveling: Leveling,
    job: impl FnOnce(&mut dyn EachRow, &Stop) -> Result<T> + Send + 'static,
) -> PyResult<T> {
    let (sender, receiver) = sync_channel(WAITING);
    let width = leveling.schema.len();
    let stop = Stop::default();
    let own = stop.clone();
    let work = move || job(&mut Received { receiver, width, stop: &own }, &own);
    let running = Running::start(py, 1, work)?;
    leveling.sending = Some(Sending { sender, block: Block::default(), raised: None, left: false });
    let done = read(py, source, &mut leveling);
    let Some(mut sending) = leveling.sending else { return Err(errors::internal(py, "no rows were sent")) };
    let done = done.and_then(|()| {
        let flushed = guarded(py, || sending.flush());
        if sending.raised.is_some() || sending.left { Ok(()) } else { flushed }
    });
    let Sending { raised, left, sender, .. } = sending;
    if let Some(error) = raised.or_else(|| done.err()).filter(|_| !left) {
        stop.ask();
        drop(sender);
        let _ = running.join(py);
        return Err(error);
    }
    drop(sender);
    value(py, running.wait(py, || stop.ask(), || Ok(()))?)
}

/// Blocks as they come.
struct Received<'a> {
    receiver: Receiver<Block>,
    width: usize,
    stop: &'a Stop,
}

impl EachRow for Received<'_> {
    fn each(&mut self, tell: &mut Tell<'_>) -> Result<()> {
        while let Ok(block) = self.receiver.recv() {
            for (levels, &weight) in block.levels.chunks_exact(self.width).zip(&block.weights) {
                self.stop.check()?;
                tell(levels, weight)?;
            }
        }
        Ok(())
    }
}

/// The other end: fills blocks and sends them off.
struct Sending {
    sender: SyncSender<Block>,
    block: Block,
    /// What a signal raised.
    raised: Option<PyErr>,
    /// Whether the job has ended by itself.
    left: bool,
}

impl Sending {
    fn take(&mut self, levels: &[Option<u32>], weight: u64) -> Result<()> {
        self.block.levels.extend_from_slice(levels);
        self.block.weights.push(weight);
        if self.block.levels.len() < CELLS { Ok(()) } else { self.flush() }
    }

    /// Sends the block off, as soon as there is room for it.
    fn flush(&mut self) -> Result<()> {
        let mut block = std::mem::take(&mut self.block);
        let mut looked = Instant::now();
        loop {
            block = match self.sender.try_send(block) {
                Ok(()) => return Ok(()),
                Err(TrySendError::Full(block)) => block,
                Err(TrySendError::Disconnected(_)) => {
                    self.left = true;
                    return Err(interrupted());
                }
            };
            std::thread::sleep(NAP);
            if looked.elapsed() > LOOK {
                looked = Instant::now();
                if let Err(raised) = Python::attach(signals) {
                    self.raised = Some(raised);
                    return Err(interrupted());
                }
            }
        }
    }
}

/// Rows in memory that become levels of a model's variables.
struct Leveling {
    schema: Schema,
    options: ReadOptions,
    columns: Option<Columns>,
    /// The place of each variable among the columns that are read.
    places: Vec<Option<usize>>,
    rows: RowLevels,
    seen: u64,
    sending: Option<Sending>,
}

impl Leveling {
    fn new(schema: Schema, options: ReadOptions, on_unknown: OnUnknown) -> Self {
        let rows = RowLevels::new(&schema, &options.missing, on_unknown);
        Self { schema, options, columns: None, places: Vec::new(), rows, seen: 0, sending: None }
    }
}

impl Rows for Leveling {
    fn choose(&mut self, names: &[String]) -> Result<Vec<usize>> {
        let options = ReadOptions { columns: None, schema: None, ..self.options.clone() };
        let columns = Columns::of_memory(names.to_vec(), &options)?;
        let mut chosen = Vec::new();
        for column in columns.places(&self.schema, COLUMN_HINT)? {
            self.places.push(column.map(|_| chosen.len()));
            chosen.extend(column);
        }
        chosen.extend(columns.weights());
        self.columns = Some(columns);
        Ok(chosen)
    }

    fn takes_decimals(&self, place: usize) -> bool {
        let variable = self.places.iter().position(|column| *column == Some(place));
        variable.is_some_and(|variable| self.schema.cuts(variable).is_some())
    }

    fn begin(&mut self, _: Vec<Levels>, _: Option<usize>) -> Result<()> {
        Ok(())
    }

    fn take(&mut self, cells: &[ArrowCells<'_>], rows: usize) -> Result<()> {
        let (Some(sending), Some(columns)) = (&mut self.sending, &self.columns) else { return Ok(()) };
        for row in 0..rows {
            self.seen += 1;
            let weight = weight_of(columns, cells, row, self.seen)?;
            let levels = self.rows.read(|variable| cells[self.places[variable]?].get(row))?;
            sending.take(levels, weight)?;
        }
        Ok(())
    }
}
