//! From bytes to plain text: decompressed, without byte order mark, lines ended by `\n`.

use super::gzip::Members;
use crate::control::{Control, StopReason};
use crate::error::{Error, InputProblem, Place, Result};
use std::cell::Cell;
use std::fmt;
use std::io::{self, BufReader, ErrorKind as IoErrorKind, Read};
use std::rc::Rc;

/// Bytes looked at before reading starts, to find the delimiter and what is not a table.
const HEAD: u64 = 1 << 16;

/// The longest row, in bytes: beyond it a quote was left open, or the file is no table.
pub(super) const LONGEST_ROW: u64 = 1 << 28;

const GZIP: &[u8] = &[0x1f, 0x8b];
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// How files begin that are no text.
const OTHER_FORMATS: [(&[u8], &str); 11] = [
    (b"PK\x03\x04", "a zip archive or an Excel workbook"),
    (b"\xd0\xcf\x11\xe0", "an Excel workbook"),
    (b"\x28\xb5\x2f\xfd", "zstd-compressed data (decompress it first, or use gzip)"),
    (b"\xfd7zXZ\x00", "xz-compressed data (decompress it first, or use gzip)"),
    (b"BZh91AY&SY", "bzip2-compressed data (decompress it first, or use gzip)"),
    (b"PAR1\x15", "a Parquet file"),
    (b"ARROW1\0", "an Arrow file"),
    (b"\xff\xff\xff\xff", "a stream of Arrow batches"),
    (b"%PDF-", "a PDF document"),
    (b"\xff\xfe", "UTF-16 text"),
    (b"\xfe\xff", "UTF-16 text"),
];

/// What begins with these bytes, if it is no text.
pub(super) fn other_format(start: &[u8]) -> Option<&'static str> {
    OTHER_FORMATS.iter().find(|(magic, _)| start.starts_with(magic)).map(|&(_, what)| what)
}

/// A text about to be read.
pub(super) struct Text<'a> {
    /// The name used in errors.
    pub(super) name: String,
    /// Its first bytes, at most [`HEAD`].
    pub(super) head: Vec<u8>,
    /// Whether the head is all there is.
    pub(super) is_whole: bool,
    /// Bytes that may still be read before the row counts as too long.
    pub(super) allowance: Rc<Cell<u64>>,
    is_compressed: bool,
    rest: Box<dyn Read + 'a>,
}

impl<'a> Text<'a> {
    /// Opens a text and looks at its beginning.
    pub(super) fn open(name: String, bytes: impl Read + 'a, control: &'a dyn Control) -> Result<Self> {
        let mut bytes = BufReader::with_capacity(HEAD as usize, bytes);
        let magic = read_up_to(&mut bytes, 16).map_err(|source| Error::io(&name, "read", source))?;
        let is_zstd = is_zstd(&magic);
        let is_compressed = magic.starts_with(GZIP) || is_zstd;
        let whole = io::Cursor::new(magic).chain(bytes);
        let plain: Box<dyn Read + 'a> = match is_compressed {
            true if is_zstd => unpacked(whole).map_err(|source| Error::io(&name, "read", source))?,
            true => Box::new(Members::new(whole)),
            false => Box::new(whole),
        };
        let allowance = Rc::new(Cell::new(LONGEST_ROW));
        let lines = Lines { bytes: plain, after_return: false, allowance: Rc::clone(&allowance), control };
        let rest = Box::new(lines);
        let mut text = Self { name, head: Vec::new(), is_whole: false, allowance, is_compressed, rest };
        text.read_head()?;
        Ok(text)
    }

    fn read_head(&mut self) -> Result<()> {
        let mut head = read_up_to(&mut self.rest, HEAD).map_err(|source| self.read_error(source, None))?;
        self.is_whole = (head.len() as u64) < HEAD;
        if let Some(what) = other_format(&head) {
            return Err(Error::input(Place::file(&self.name), InputProblem::NotText { what }));
        }
        if head.contains(&0) {
            let what = "binary data or UTF-16 text (it contains zero bytes)";
            return Err(Error::input(Place::file(&self.name), InputProblem::NotText { what }));
        }
        if head.starts_with(BYTE_ORDER_MARK) {
            head.drain(..BYTE_ORDER_MARK.len());
        }
        self.head = head;
        Ok(())
    }

    /// What to say when the bytes stop coming.
    pub(super) fn read_error(&self, source: io::Error, line: Option<u64>) -> Error {
        let place = Place { line, ..Place::file(&self.name) };
        match source.get_ref().and_then(|inner| inner.downcast_ref()) {
            Some(&ReadEnd::RowTooLong) => {
                return Error::input(place, InputProblem::RowTooLong { limit: LONGEST_ROW });
            }
            Some(&ReadEnd::TooManyFields { limit }) => {
                return Error::input(place, InputProblem::TooManyColumns { limit });
            }
            Some(&ReadEnd::AfterQuote { line }) => {
                return Error::input(place.at_line(line), InputProblem::TextAfterQuote);
            }
            Some(&ReadEnd::Stopped(reason)) => return reason.into(),
            None => {}
        }
        // What zstd complains about has no kind; what the system does has a number.
        let damaged = match source.kind() {
            IoErrorKind::UnexpectedEof | IoErrorKind::InvalidData | IoErrorKind::InvalidInput => true,
            IoErrorKind::Other => source.raw_os_error().is_none(),
            _ => false,
        };
        if self.is_compressed && damaged {
            let what = match source.kind() {
                IoErrorKind::UnexpectedEof => "it ends too early".to_owned(),
                _ => source.to_string(),
            };
            return Error::input(place, InputProblem::Compressed { what });
        }
        Error::io(&self.name, "read", source)
    }
}

impl Read for Text<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.head.is_empty() {
            return self.rest.read(buffer);
        }
        Ok(drain_into(&mut self.head, buffer))
    }
}

/// Fills a buffer from bytes that were read already, as far as they go, and says how many these are.
pub(super) fn drain_into(read: &mut Vec<u8>, buffer: &mut [u8]) -> usize {
    let length = read.len().min(buffer.len());
    buffer[..length].copy_from_slice(&read[..length]);
    read.drain(..length);
    length
}

impl fmt::Debug for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Text").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Whether bytes are the beginning of what zstd compressed: a frame, or one that is passed over.
#[cfg(feature = "zstd")]
fn is_zstd(start: &[u8]) -> bool {
    start.starts_with(b"\x28\xb5\x2f\xfd")
        || start.len() > 4 && start[0] >> 4 == 5 && start[1..4] == *b"\x2a\x4d\x18"
}

#[cfg(not(feature = "zstd"))]
fn is_zstd(_: &[u8]) -> bool {
    false
}

/// The plain bytes of all frames.
#[cfg(feature = "zstd")]
fn unpacked<'a>(bytes: impl io::BufRead + 'a) -> io::Result<Box<dyn Read + 'a>> {
    Ok(Box::new(zstd::stream::read::Decoder::with_buffer(bytes)?))
}

#[cfg(not(feature = "zstd"))]
fn unpacked<'a>(bytes: impl Read + 'a) -> io::Result<Box<dyn Read + 'a>> {
    Ok(Box::new(bytes))
}

fn read_up_to(bytes: &mut impl Read, most: u64) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    bytes.take(most).read_to_end(&mut head)?;
    Ok(head)
}

/// Why a text is read no further, as its readers say it through [`io::Error`].
#[derive(Debug)]
pub(super) enum ReadEnd {
    RowTooLong,
    TooManyFields {
        limit: usize,
    },
    /// Text follows the end of a quoted field in this line.
    AfterQuote {
        line: u64,
    },
    /// The control asked to stop.
    Stopped(StopReason),
}

impl fmt::Display for ReadEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RowTooLong => f.write_str("the row is too long"),
            Self::TooManyFields { limit } => write!(f, "the row has more than {limit} fields"),
            Self::AfterQuote { line } => write!(f, "text follows the closing quote in line {line}"),
            Self::Stopped(reason) => reason.fmt(f),
        }
    }
}

impl std::error::Error for ReadEnd {}

/// Ends every line with a single `\n`, whatever it was ended with, so that lines can be
/// counted and a quoted text over two lines is the same wherever it was written.
struct Lines<'a> {
    bytes: Box<dyn Read + 'a>,
    after_return: bool,
    allowance: Rc<Cell<u64>>,
    /// Asked before each block.
    control: &'a dyn Control,
}

impl Read for Lines<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            if let Some(reason) = self.control.stop() {
                return Err(io::Error::other(ReadEnd::Stopped(reason)));
            }
            let length = match self.bytes.read(buffer) {
                Err(error) if error.kind() == IoErrorKind::Interrupted => continue,
                result => result?,
            };
            let Some(left) = self.allowance.get().checked_sub(length as u64) else {
                return Err(io::Error::other(ReadEnd::RowTooLong));
            };
            self.allowance.set(left);
            let kept = self.end_lines(&mut buffer[..length]);
            // A part that held nothing but the second half of a line end is not the end.
            if kept > 0 || length == 0 {
                return Ok(kept);
            }
        }
    }
}

impl Lines<'_> {
    fn end_lines(&mut self, bytes: &mut [u8]) -> usize {
        if !self.after_return && !bytes.contains(&b'\r') {
            return bytes.len();
        }
        let mut kept = 0;
        for place in 0..bytes.len() {
            let byte = bytes[place];
            if !(byte == b'\n' && self.after_return) {
                bytes[kept] = if byte == b'\r' { b'\n' } else { byte };
                kept += 1;
            }
            self.after_return = byte == b'\r';
        }
        kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hands out one byte at a time: the hardest way to cut a text.
    struct Drops<'a>(&'a [u8]);

    impl Read for Drops<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let length = self.0.len().min(buffer.len()).min(1);
            buffer[..length].copy_from_slice(&self.0[..length]);
            self.0 = &self.0[length..];
            Ok(length)
        }
    }

    fn plain(bytes: &[u8]) -> String {
        let lines = |bytes: Box<dyn Read>| {
            let mut text = String::new();
            let allowance = Rc::new(Cell::new(LONGEST_ROW));
            Lines { bytes, after_return: false, allowance, control: &() }.read_to_string(&mut text).unwrap();
            text
        };
        let at_once = lines(Box::new(io::Cursor::new(bytes.to_vec())));
        let leaked: &'static [u8] = bytes.to_vec().leak();
        assert_eq!(at_once, lines(Box::new(Drops(leaked))));
        at_once
    }

    #[test]
    fn line_ends_become_one_byte() {
        assert_eq!(plain(b"a\r\nb\rc\nd\r\r\n\n\re"), "a\nb\nc\nd\n\n\n\ne");
        assert_eq!(plain(b"\r\n"), "\n");
    }

    #[test]
    fn the_byte_order_mark_is_not_part_of_the_text() {
        let mut text = Text::open("x".to_owned(), "\u{feff}a,b".as_bytes(), &()).unwrap();
        let mut plain = String::new();
        text.read_to_string(&mut plain).unwrap();
        assert_eq!(plain, "a,b");
    }

    #[test]
    fn a_row_without_end_is_refused() {
        let mut text = Text::open("x".to_owned(), io::repeat(b'a'), &()).unwrap();
        let source = io::copy(&mut text, &mut io::sink()).unwrap_err();
        let message = text.read_error(source, Some(1)).to_string();
        assert!(message.starts_with("x, line 1: this row is longer than 268435456 bytes"), "{message}");
    }
}
