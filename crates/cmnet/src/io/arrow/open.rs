//! Which files hold columns, and how their batches come.

use super::blocks::{Blocks, Bytewise};
use super::messages::Messages;
use super::{Batches, Given, unbroken};
use crate::control::Control;
use crate::error::{Error, InputProblem, Place, Result};
use crate::io::source::{Source, open_file};
use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, Schema as ArrowSchema};
use bytes::Bytes;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use parquet::file::reader::ChunkReader;
use std::io::{BufRead, BufReader, Cursor, Read, stdin};
use std::path::Path;
use std::sync::Arc;

const PARQUET: &str = "Parquet";
pub(super) const ARROW: &str = "Arrow";

/// Rows of a batch of a Parquet file: one row group is read at a time, and of it so many rows.
const BATCH: usize = 1 << 13;

/// The beginning of a stream of Arrow batches.
const STREAM: &[u8] = &[0xff; 4];

/// What a file is by its first bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Parquet,
    ArrowFile,
    ArrowStream,
    /// The first version of Feather, before it was Arrow.
    OldFeather,
}

impl Kind {
    fn of(start: &[u8]) -> Option<Self> {
        // With the byte that follows in each format: columns of a text may be called PAR1 and FEA1.
        [
            (&b"PAR1\x15"[..], Self::Parquet),
            (b"ARROW1\0", Self::ArrowFile),
            (STREAM, Self::ArrowStream),
            (b"FEA1\0", Self::OldFeather),
        ]
        .into_iter()
        .find_map(|(magic, kind)| start.starts_with(magic).then_some(kind))
    }

    fn format(self) -> &'static str {
        if self == Self::Parquet { PARQUET } else { ARROW }
    }

    /// What the name of a file promises.
    fn promised(name: &str) -> Option<&'static str> {
        let ending = Path::new(name).extension()?.to_str()?.to_ascii_lowercase();
        match ending.as_str() {
            "parquet" | "pq" => Some(PARQUET),
            "arrow" | "feather" | "ipc" | "arrows" => Some(ARROW),
            _ => None,
        }
    }
}

/// A file whose columns are known and whose rows are not read yet.
pub(super) enum Opening<'a> {
    Parquet(&'a Source, ArrowReaderMetadata),
    ArrowFile(Blocks<'a>),
    ArrowStream(Messages<'a>, Arc<ArrowSchema>),
}

impl<'a> Batches<'a> {
    /// Opens a table of columns; `None` where the source is none.
    ///
    /// # Errors
    /// When its name or its first bytes say that it is one, and it cannot be read.
    pub(in crate::io) fn open(source: &'a Source, control: &'a dyn Control) -> Result<Option<Self>> {
        let (name, start) = beginning(source)?;
        let problem =
            |format, what: String| Error::input(Place::file(&name), InputProblem::Columnar { format, what });
        let found = Kind::of(&start);
        let broken = match (found, Kind::promised(&name)) {
            (Some(kind), Some(promised)) if kind.format() != promised => {
                Some((promised, format!("by its first bytes it is one of {}", kind.format())))
            }
            (None, Some(promised)) if start.is_empty() => Some((promised, "it is empty".to_owned())),
            (None, Some(promised)) => Some((promised, "it begins with other bytes".to_owned())),
            (Some(Kind::OldFeather), _) => {
                Some((ARROW, "it is of the first version of Feather, before that was Arrow".to_owned()))
            }
            _ => None,
        };
        if let Some((format, what)) = broken {
            return Err(problem(format, what));
        }
        let Some(kind) = found else { return Ok(None) };
        if *source == Source::Stdin && kind != Kind::ArrowStream {
            let what =
                "standard input comes once and in order, and this format is read from its end; name the file";
            return Err(problem(kind.format(), what.to_owned()));
        }
        let damaged = |what: String| problem(kind.format(), what);
        let opening = match kind {
            Kind::Parquet => Opening::Parquet(source, parquet_metadata(source)?.map_err(damaged)?),
            Kind::ArrowStream => {
                let mut messages = Messages::new(stream(source)?);
                let schema = unbroken(|| messages.schema()).and_then(|schema| schema).map_err(damaged)?;
                Opening::ArrowStream(messages, schema)
            }
            _ => {
                let bytes = seekable(source)?;
                Opening::ArrowFile(unbroken(|| Blocks::open(bytes)).and_then(|file| file).map_err(damaged)?)
            }
        };
        Ok(Some(Self::new(name, kind.format(), opening, control)))
    }
}

impl<'a> Opening<'a> {
    pub(super) fn schema(&self) -> Arc<ArrowSchema> {
        match self {
            Self::Parquet(_, metadata) => Arc::clone(metadata.schema()),
            Self::ArrowFile(blocks) => blocks.schema(),
            Self::ArrowStream(_, schema) => Arc::clone(schema),
        }
    }

    /// The batches of some columns, which ascend.
    pub(super) fn read(self, chosen: &[usize]) -> Result<Given<'a>> {
        match self {
            Self::Parquet(source, metadata) => {
                let Some(path) = first_file(source) else {
                    let bytes = Bytes::copy_from_slice(memory(source));
                    return Ok(row_groups(move || Ok(bytes.clone()), metadata, chosen));
                };
                let file = open_file(path)?;
                Ok(row_groups(move || file.try_clone(), metadata, chosen))
            }
            Self::ArrowFile(blocks) => Ok(projected(blocks, chosen)),
            Self::ArrowStream(messages, _) => Ok(projected(messages, chosen)),
        }
    }
}

/// Some columns of batches.
fn projected<'a>(
    batches: impl Iterator<Item = std::result::Result<RecordBatch, String>> + 'a,
    chosen: &[usize],
) -> Given<'a> {
    let chosen = chosen.to_vec();
    let of = move |batch: RecordBatch| batch.project(&chosen).map_err(|error| words(&error));
    Box::new(batches.map(move |batch| batch.and_then(&of)))
}

fn worded<'a>(batches: impl Iterator<Item = std::result::Result<RecordBatch, ArrowError>> + 'a) -> Given<'a> {
    Box::new(batches.map(|batch| batch.map_err(|error| words(&error))))
}

/// What a reader complains about, on one line.
pub(super) fn words(error: &dyn std::fmt::Display) -> String {
    let text = error.to_string();
    text.lines().next().unwrap_or_default().trim_end_matches(['.', ' ']).to_owned()
}

/// The file that is opened, unless the bytes are in memory or come by standard input.
fn first_file(source: &Source) -> Option<&Path> {
    match source {
        Source::Path(path) => Some(path),
        Source::Files { paths, .. } => Some(paths.first().map_or(Path::new(""), |path| path.as_path())),
        Source::Stdin | Source::Bytes { .. } => None,
    }
}

fn memory(source: &Source) -> &[u8] {
    if let Source::Bytes { bytes, .. } = source { bytes } else { &[] }
}

/// The name of a source, and its first bytes.
fn beginning(source: &Source) -> Result<(String, Vec<u8>)> {
    let mut start = Vec::new();
    if let Some(path) = first_file(source) {
        let name = path.display().to_string();
        let read = open_file(path)?.take(8).read_to_end(&mut start);
        read.map_err(|error| Error::io(path, "read", error))?;
        return Ok((name, start));
    }
    match source {
        // Nothing is taken away from what comes by standard input.
        Source::Stdin => start.extend(stdin().lock().fill_buf().unwrap_or_default().iter().take(8)),
        _ => start.extend(memory(source).iter().take(8)),
    }
    Ok((source.name(), start))
}

/// The bytes of a source from beginning to end.
fn stream(source: &Source) -> Result<Box<dyn Read + '_>> {
    Ok(match first_file(source) {
        Some(path) => Box::new(BufReader::new(open_file(path)?)),
        None if *source == Source::Stdin => Box::new(stdin().lock()),
        None => Box::new(memory(source)),
    })
}

/// The bytes of a source from any place.
fn seekable(source: &Source) -> Result<Box<dyn Bytewise + '_>> {
    Ok(match first_file(source) {
        Some(path) => Box::new(open_file(path)?),
        None => Box::new(Cursor::new(memory(source))),
    })
}

/// What stands at the end of a Parquet file.
fn parquet_metadata(source: &Source) -> Result<std::result::Result<ArrowReaderMetadata, String>> {
    let options = ArrowReaderOptions::new();
    let loaded = match first_file(source) {
        Some(path) => {
            let file = open_file(path)?;
            unbroken(|| ArrowReaderMetadata::load(&file, options))
        }
        None => unbroken(|| ArrowReaderMetadata::load(&Bytes::copy_from_slice(memory(source)), options)),
    };
    Ok(loaded.and_then(|loaded| loaded.map_err(|error| words(&error))))
}

/// The batches of one row group after another: none spans two, whose dictionaries may differ.
fn row_groups<'a, T: ChunkReader + 'static>(
    input: impl Fn() -> std::io::Result<T> + 'a,
    metadata: ArrowReaderMetadata,
    chosen: &[usize],
) -> Given<'a> {
    let mask = ProjectionMask::roots(metadata.parquet_schema(), chosen.iter().copied());
    let groups = 0..metadata.metadata().num_row_groups();
    Box::new(groups.flat_map(move |group| -> Given<'a> {
        let reader = input().map_err(|error| words(&error)).and_then(|input| {
            let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(input, metadata.clone());
            let one =
                builder.with_row_groups(vec![group]).with_projection(mask.clone()).with_batch_size(BATCH);
            one.build().map_err(|error| words(&error))
        });
        match reader {
            Ok(reader) => worded(reader),
            Err(what) => Box::new(std::iter::once(Err(what))),
        }
    }))
}
