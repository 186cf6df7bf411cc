//! Arrow batches of a stream, from beginning to end.
//!
//! Sizes that damaged bytes state are never believed: bytes are taken as they come, and what is compressed must
//! fit into memory before it is unpacked.

use super::open::words;
use arrow_array::RecordBatch;
use arrow_buffer::Buffer;
use arrow_ipc::convert::fb_to_schema;
use arrow_ipc::reader::StreamDecoder;
use arrow_ipc::{Message, RecordBatch as Encoded, root_as_message};
use arrow_schema::Schema as ArrowSchema;
use std::io::Read;
use std::sync::Arc;

/// What begins a message since version 0.15 of Arrow.
pub(super) const CONTINUED: [u8; 4] = [0xff; 4];

/// Where the description of a message begins: behind that and its length.
const DESCRIBED: usize = 8;

/// The most bytes that describe a batch.
pub(super) const LARGEST_DESCRIPTION: i32 = 1 << 28;

/// What is said of bytes that stop coming.
pub(super) const TOO_EARLY: &str = "it ends too early";

/// The messages of a stream, one after another.
pub(super) struct Messages<'a> {
    bytes: Box<dyn Read + 'a>,
    decoder: StreamDecoder,
    ended: bool,
}

impl<'a> Messages<'a> {
    pub(super) fn new(bytes: Box<dyn Read + 'a>) -> Self {
        Self { bytes, decoder: StreamDecoder::new(), ended: false }
    }

    /// What the columns are: the first message.
    pub(super) fn schema(&mut self) -> Result<Arc<ArrowSchema>, String> {
        let first = self.message()?.ok_or_else(|| TOO_EARLY.to_owned())?;
        let message = root_as_message(&first[DESCRIBED..]).map_err(|error| words(&error))?;
        let schema = message.header_as_schema().map(fb_to_schema);
        let schema = schema.ok_or_else(|| "it does not begin with its columns".to_owned())?;
        // The decoder looks at a message without a body when the next one comes.
        self.decode(first)?;
        Ok(Arc::new(schema))
    }

    fn decode(&mut self, message: Vec<u8>) -> Result<Option<RecordBatch>, String> {
        let mut bytes = Buffer::from_vec(message);
        let mut found = None;
        while !bytes.is_empty() {
            found = self.decoder.decode(&mut bytes).map_err(|error| words(&error))?.or(found);
        }
        Ok(found)
    }

    /// The next message with what it describes; `None` at the end.
    fn message(&mut self) -> Result<Option<Vec<u8>>, String> {
        let mut length = self.up_to(4)?;
        // A stream may end without a word.
        if length.is_empty() {
            return Ok(None);
        }
        if length == CONTINUED {
            length = self.up_to(4)?;
        }
        let length = i32::from_le_bytes(length.try_into().map_err(|_| TOO_EARLY.to_owned())?);
        if length == 0 {
            return Ok(None);
        }
        if !(0..=LARGEST_DESCRIPTION).contains(&length) {
            return Err(format!("a description of {length} bytes"));
        }
        let description = self.take(length as u64)?;
        let body = {
            let message = root_as_message(&description).map_err(|error| words(&error))?;
            let length =
                u64::try_from(message.bodyLength()).map_err(|_| "a batch of negative size".to_owned())?;
            let body = self.take(length)?;
            check(message, &body)?;
            body
        };
        Ok(Some([&CONTINUED[..], &length.to_le_bytes(), &description, &body].concat()))
    }

    fn take(&mut self, length: u64) -> Result<Vec<u8>, String> {
        let bytes = self.up_to(length)?;
        if bytes.len() as u64 == length { Ok(bytes) } else { Err(TOO_EARLY.to_owned()) }
    }

    fn up_to(&mut self, length: u64) -> Result<Vec<u8>, String> {
        let mut bytes = Vec::new();
        self.bytes.by_ref().take(length).read_to_end(&mut bytes).map_err(|error| words(&error))?;
        Ok(bytes)
    }
}

/// Refuses a message whose columns would not fit into memory.
pub(super) fn check(message: Message<'_>, body: &[u8]) -> Result<(), String> {
    let dictionary = message.header_as_dictionary_batch().and_then(|batch| batch.data());
    message
        .header_as_record_batch()
        .into_iter()
        .chain(dictionary)
        .try_for_each(|batch| check_unpacked(batch, body))
}

/// Whether the system would give the memory that the columns of a batch say they take when unpacked.
fn check_unpacked(batch: Encoded<'_>, body: &[u8]) -> Result<(), String> {
    if batch.compression().is_none() {
        return Ok(());
    }
    let stated = batch.buffers().into_iter().flatten().filter_map(|buffer| {
        let start = usize::try_from(buffer.offset()).ok()?;
        let length: [u8; 8] = body.get(start..)?.get(..8)?.try_into().ok()?;
        // -1 says that these bytes are not compressed.
        u64::try_from(i64::from_le_bytes(length)).ok().filter(|_| buffer.length() > 0)
    });
    let all = stated.fold(0, u64::saturating_add);
    let room = usize::try_from(all).ok().map(|all| Vec::<u8>::new().try_reserve_exact(all));
    match room {
        Some(Ok(())) => Ok(()),
        _ => Err(format!("a batch takes {all} bytes when unpacked")),
    }
}

impl Iterator for Messages<'_> {
    type Item = Result<RecordBatch, String>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.ended {
            let batch = self.message().and_then(|message| {
                self.ended = message.is_none();
                message.map_or(Ok(None), |message| self.decode(message))
            });
            match batch {
                Ok(None) => {}
                Ok(Some(batch)) => return Some(Ok(batch)),
                Err(what) => {
                    self.ended = true;
                    return Some(Err(what));
                }
            }
        }
        None
    }
}
