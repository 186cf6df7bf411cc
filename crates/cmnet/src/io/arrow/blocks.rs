//! Arrow batches of a file, by the table of contents at its end.
//!
//! As in a stream, sizes that a damaged file states are not believed: every block must lie within the file.

use super::messages::{CONTINUED, LARGEST_DESCRIPTION, TOO_EARLY, check};
use super::open::words;
use arrow_array::RecordBatch;
use arrow_buffer::Buffer;
use arrow_ipc::convert::fb_to_schema;
use arrow_ipc::reader::FileDecoder;
use arrow_ipc::{Block, root_as_footer, root_as_message};
use arrow_schema::Schema as ArrowSchema;
use std::io::{Read, Seek, SeekFrom};
use std::sync::Arc;

/// The end of a file of Arrow batches.
const END: &[u8] = b"ARROW1";

/// Bytes that are read from any place.
pub(super) trait Bytewise: Read + Seek {}
impl<T: Read + Seek> Bytewise for T {}

/// The batches of a file, one after another.
pub(super) struct Blocks<'a> {
    bytes: Box<dyn Bytewise + 'a>,
    length: u64,
    decoder: FileDecoder,
    schema: Arc<ArrowSchema>,
    batches: std::vec::IntoIter<Block>,
}

impl<'a> Blocks<'a> {
    /// Reads the table of contents, and all dictionaries.
    pub(super) fn open(mut bytes: Box<dyn Bytewise + 'a>) -> Result<Self, String> {
        let length = bytes.seek(SeekFrom::End(0)).map_err(|error| words(&error))?;
        let contents = contents(&mut *bytes, length)?;
        let footer = root_as_footer(&contents).map_err(|error| words(&error))?;
        let schema = footer.schema().ok_or_else(|| "it does not say what its columns are".to_owned())?;
        let schema = Arc::new(fb_to_schema(schema));
        let decoder = FileDecoder::new(Arc::clone(&schema), footer.version());
        let dictionaries: Vec<Block> = footer.dictionaries().into_iter().flatten().copied().collect();
        let batches: Vec<Block> = footer.recordBatches().into_iter().flatten().copied().collect();
        let mut file = Self { bytes, length, decoder, schema, batches: batches.into_iter() };
        for block in dictionaries {
            let held = file.block(&block)?;
            file.decoder.read_dictionary(&block, &held).map_err(|error| words(&error))?;
        }
        Ok(file)
    }

    /// What the columns are.
    pub(super) fn schema(&self) -> Arc<ArrowSchema> {
        Arc::clone(&self.schema)
    }

    /// The bytes of a block, which were checked.
    fn block(&mut self, block: &Block) -> Result<Buffer, String> {
        let sizes = [block.offset(), i64::from(block.metaDataLength()), block.bodyLength()];
        let [offset, described, body] = sizes.map(u64::try_from);
        let (Ok(offset), Ok(described), Ok(body)) = (offset, described, body) else {
            return Err("a block of negative size".to_owned());
        };
        let end = offset.checked_add(described).and_then(|end| end.checked_add(body));
        if end.is_none_or(|end| end > self.length) || described > LARGEST_DESCRIPTION as u64 {
            return Err(TOO_EARLY.to_owned());
        }
        let held = part(&mut *self.bytes, offset, described + body)?;
        let (description, body) = held.split_at(described as usize);
        let start = if description.starts_with(&CONTINUED) { 8 } else { 4 };
        let message = description.get(start..).ok_or_else(|| TOO_EARLY.to_owned())?;
        check(root_as_message(message).map_err(|error| words(&error))?, body)?;
        Ok(Buffer::from_vec(held))
    }
}

/// The table of contents: its length and the bytes that a file begins with stand behind it.
fn contents(bytes: &mut dyn Bytewise, length: u64) -> Result<Vec<u8>, String> {
    let end = 4 + END.len() as u64;
    let start = length.checked_sub(end).ok_or_else(|| TOO_EARLY.to_owned())?;
    let last = part(bytes, start, end)?;
    let (size, magic) = last.split_at(4);
    if magic != END {
        return Err(TOO_EARLY.to_owned());
    }
    let size = size.try_into().map(i32::from_le_bytes).ok().and_then(|size| u64::try_from(size).ok());
    let from = size.and_then(|size| Some((start.checked_sub(size)?, size)));
    let (from, size) = from.ok_or_else(|| "its table of contents is larger than itself".to_owned())?;
    part(bytes, from, size)
}

fn part(bytes: &mut dyn Bytewise, from: u64, length: u64) -> Result<Vec<u8>, String> {
    let mut held = Vec::new();
    bytes.seek(SeekFrom::Start(from)).map_err(|error| words(&error))?;
    bytes.take(length).read_to_end(&mut held).map_err(|error| words(&error))?;
    if held.len() as u64 == length { Ok(held) } else { Err(TOO_EARLY.to_owned()) }
}

impl Iterator for Blocks<'_> {
    type Item = Result<RecordBatch, String>;

    fn next(&mut self) -> Option<Self::Item> {
        while let Some(block) = self.batches.next() {
            let batch = self.block(&block).and_then(|held| {
                self.decoder.read_record_batch(&block, &held).map_err(|error| words(&error))
            });
            if let Some(batch) = batch.transpose() {
                return Some(batch);
            }
        }
        None
    }
}
