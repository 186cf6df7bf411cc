//! Rows of fields with the line they stand in, and quotes that are never closed.

use super::plain::{Plain, Scan};
use super::quotes::Quotes;
use super::sniff::{check_delimiter, sniff};
use super::text::{LONGEST_ROW, ReadEnd, Text, drain_into};
use crate::data::NarrowRows;
use crate::error::{Error, InputProblem, Place, Result, RowDoubt, quoted_bytes};
use ::csv::{ByteRecord, ErrorKind as CsvErrorKind, Reader, ReaderBuilder};
use std::cell::Cell;
use std::io::{self, Read};
use std::rc::Rc;

/// Appended to every text. Zero bytes occur in no text, so that this mark in a row of its
/// own says that the last row was ended, and inside a row that a quote swallowed the rest.
const END_MARK: &[u8] = b"\n\0";

/// Rows are parsed in parts of this size.
const BUFFER: usize = 1 << 17;

/// The most fields of a row. The parser holds the whole row, and a small compressed file can hold
/// a row of nothing but delimiters.
const MOST_FIELDS: usize = 1 << 20;

/// A text with its end mark.
#[derive(Debug)]
struct Marked<'a> {
    text: Text<'a>,
    mark: &'static [u8],
    delimiter: u8,
    quotes: Quotes,
    /// Delimiters since the row began, and perhaps some of the rows before it in the buffer.
    delimiters: Rc<Cell<usize>>,
}

impl Read for Marked<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = match self.text.read(buffer)? {
            0 => return self.mark.read(buffer),
            length => length,
        };
        if let Err(line) = self.quotes.follow(&buffer[..length]) {
            return Err(io::Error::other(ReadEnd::AfterQuote { line }));
        }
        let more: usize = buffer[..length].iter().map(|&byte| usize::from(byte == self.delimiter)).sum();
        let delimiters = self.delimiters.get() + more;
        self.delimiters.set(delimiters);
        if delimiters > MOST_FIELDS + BUFFER {
            return Err(io::Error::other(ReadEnd::TooManyFields { limit: MOST_FIELDS }));
        }
        Ok(length)
    }
}

/// What the parser reads: bytes that were read already, then the others.
#[derive(Debug)]
struct Feed<'a> {
    rest: Vec<u8>,
    marked: Marked<'a>,
}

impl Read for Feed<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.rest.is_empty() {
            return self.marked.read(buffer);
        }
        Ok(drain_into(&mut self.rest, buffer))
    }
}

/// The rows of a text, one at a time.
///
/// Rows are split where they lie up to the first one with a quote. From there on a parser reads.
#[derive(Debug)]
pub(super) struct Records<'a> {
    reader: Reader<Feed<'a>>,
    /// None once the parser reads.
    plain: Option<Plain>,
    /// Line ends before those that the parser counts.
    passed: u64,
    record: ByteRecord,
    delimiter: u8,
    delimiters: Rc<Cell<usize>>,
}

impl<'a> Records<'a> {
    /// The rows of a text, at its first one. The delimiter is found out where none is given.
    ///
    /// # Errors
    /// When the delimiter cannot be one, or there is no row.
    pub(super) fn open(text: Text<'a>, delimiter: Option<u8>) -> Result<Self> {
        let stated = stated_delimiter(&text.head);
        let delimiter = match (delimiter, stated) {
            (Some(delimiter), _) | (None, Some(delimiter)) => check_delimiter(delimiter)?,
            (None, None) => sniff(&text.name, &text.head, text.is_whole),
        };
        let mut records = Self::new(text, delimiter, Some(BUFFER));
        if stated.is_some() {
            records.advance()?;
        }
        if !records.advance()? {
            return Err(Error::input(records.place(), InputProblem::EmptyFile));
        }
        Ok(records)
    }

    /// What separates fields.
    pub(super) fn delimiter(&self) -> u8 {
        self.delimiter
    }

    /// The rows of a text, split in a buffer of this size; all by the parser without one.
    fn new(text: Text<'a>, delimiter: u8, buffer: Option<usize>) -> Self {
        let delimiters = Rc::new(Cell::new(0));
        let quotes = Quotes::new(delimiter);
        let marked = Marked { text, mark: END_MARK, delimiter, quotes, delimiters: Rc::clone(&delimiters) };
        let reader = ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .delimiter(delimiter)
            .buffer_capacity(BUFFER)
            .from_reader(Feed { rest: Vec::new(), marked });
        let plain = buffer.map(|buffer| Plain::new(buffer, delimiter));
        Self { reader, plain, passed: 0, record: ByteRecord::new(), delimiter, delimiters }
    }

    /// Reads the next row; `false` at the end. Lines of nothing but blanks are no rows.
    pub(super) fn advance(&mut self) -> Result<bool> {
        loop {
            if !self.read_record()? {
                return Ok(false);
            }
            if self.plain.is_none() && self.record.as_slice().ends_with(b"\0") {
                return self.at_end_mark();
            }
            if !self.is_blank() {
                return Ok(true);
            }
        }
    }

    fn read_record(&mut self) -> Result<bool> {
        if self.read_plain()? {
            return Ok(true);
        }
        let line = self.next_line();
        self.begin_row();
        self.reader.read_byte_record(&mut self.record).map_err(|error| match error.into_kind() {
            CsvErrorKind::Io(source) => self.text().read_error(source, Some(line)),
            other => self.text().read_error(io::Error::other(format!("{other:?}")), Some(line)),
        })
    }

    /// A row may have as many bytes and fields as any.
    fn begin_row(&self) {
        self.text().allowance.set(LONGEST_ROW);
        self.delimiters.set(0);
    }

    /// Reads the next row without the parser; `false` when that is its matter from now on.
    fn read_plain(&mut self) -> Result<bool> {
        while let Some(plain) = &mut self.plain {
            match plain.scan() {
                Scan::Row => return Ok(true),
                Scan::Special => self.begin_to_parse(),
                Scan::More => self.read_more()?,
            }
        }
        Ok(false)
    }

    /// Reads more bytes. At the end of the text, and where a row fills the buffer, the parser
    /// goes on.
    fn read_more(&mut self) -> Result<()> {
        let line = self.next_line();
        self.begin_row();
        let Some(plain) = &mut self.plain else { return Ok(()) };
        let room = plain.room();
        let length = if room.is_empty() { Ok(0) } else { self.reader.get_mut().marked.read(room) };
        match length {
            Ok(0) => self.begin_to_parse(),
            Ok(length) => plain.add(length),
            Err(source) if source.kind() == io::ErrorKind::Interrupted => {}
            Err(source) => return Err(self.text().read_error(source, Some(line))),
        }
        Ok(())
    }

    /// Hands what is left to the parser.
    fn begin_to_parse(&mut self) {
        let Some(plain) = self.plain.take() else { return };
        let mut rest = Vec::new();
        self.passed = plain.lines;
        if plain.lines > 0 && plain.rest().first() == Some(&0xef) {
            // The parser passes over a byte order mark in its very first bytes, which are not the
            // first here. An empty line before them is no row.
            rest.push(b'\n');
            self.passed -= 1;
        }
        rest.extend_from_slice(plain.rest());
        self.reader.get_mut().rest = rest;
    }

    /// The line behind the row just read.
    fn next_line(&self) -> u64 {
        let passed = self.plain.as_ref().map_or(self.passed, |plain| plain.lines);
        passed + self.reader.position().line()
    }

    /// Line ends in the row.
    fn inner_lines(&self) -> u64 {
        if self.plain.is_some() { 0 } else { line_ends(self.record.as_slice()) }
    }

    /// One field of blanks: `""` alone in its line is a field all the same.
    fn is_blank(&self) -> bool {
        self.len() == 1 && !self.raw(0).is_empty() && self.field(0).is_empty()
    }

    /// A row that ends in a zero byte: the end of the text, an open quote, or no text.
    fn at_end_mark(&mut self) -> Result<bool> {
        let last = self.record.clone();
        let line_after = self.next_line();
        let is_last = !self.read_record()?;
        if is_last && last.as_slice() == b"\0" && last.len() == 1 {
            return Ok(false);
        }
        let column = last.len();
        let text = last.get(column - 1).unwrap_or_default();
        match text.strip_suffix(END_MARK) {
            Some(text) if is_last => {
                let line = line_after - line_ends(&last[column - 1]);
                let place = self.place().at_line(line).at_column(column, None);
                Err(Error::input(place, InputProblem::OpenQuote { text: quoted_bytes(text) }))
            }
            _ => {
                let line = line_after - 1 - line_ends(last.as_slice());
                let what = "binary data (a zero byte)";
                Err(Error::input(self.place().at_line(line), InputProblem::NotText { what }))
            }
        }
    }

    /// A field without the blanks around it.
    #[inline]
    pub(super) fn field(&self, column: usize) -> &[u8] {
        self.raw(column).trim_ascii()
    }

    /// A field with the blanks around it.
    #[inline]
    pub(super) fn raw(&self, column: usize) -> &[u8] {
        match &self.plain {
            Some(plain) => plain.field(column),
            None => self.record.get(column).unwrap_or_default(),
        }
    }

    /// The number of fields.
    pub(super) fn len(&self) -> usize {
        self.plain.as_ref().map_or(self.record.len(), Plain::len)
    }

    /// The line in which the row begins.
    ///
    /// Counted back from its end: the parser's own position of a row is that of the blank
    /// lines before it.
    pub(super) fn line(&self) -> u64 {
        self.next_line() - 1 - self.inner_lines()
    }

    /// The file as a whole.
    pub(super) fn place(&self) -> Place {
        Place::file(&self.text().name)
    }

    /// The error that the row has not the expected number of fields; the first row below
    /// a header may have one more for a reason.
    pub(super) fn ragged(&self, expected: usize, is_first: bool) -> Error {
        let found = self.len();
        let mut text = Vec::new();
        for column in 0..found.min(20) {
            text.extend_from_slice(self.raw(column));
            text.push(self.delimiter);
        }
        text.pop();
        let doubt = match self.inner_lines() {
            0 if is_first && found == expected + 1 => Some(RowDoubt::RowNames),
            0 => None,
            more => Some(RowDoubt::RunsOnTo(self.line() + more)),
        };
        let problem = InputProblem::RaggedRow { expected, found, text: quoted_bytes(&text), doubt };
        Error::input(self.place().at_line(self.line()), problem)
    }

    /// The rows at hand behind this one whose fields have one byte each.
    pub(super) fn narrow(&self) -> NarrowRows<'_> {
        self.plain.as_ref().map(Plain::narrow).unwrap_or_default()
    }

    /// Goes past so many of these rows.
    pub(super) fn pass(&mut self, rows: usize) {
        if let Some(plain) = &mut self.plain {
            plain.pass(rows);
        }
    }

    fn text(&self) -> &Text<'a> {
        &self.reader.get_ref().marked.text
    }
}

/// The delimiter that the first line states, as Excel writes it: `sep=;`.
fn stated_delimiter(head: &[u8]) -> Option<u8> {
    let line = head.split(|&byte| byte == b'\n').next()?;
    match line.strip_prefix(b"sep=").or_else(|| line.strip_prefix(b"SEP="))? {
        &[delimiter] if check_delimiter(delimiter).is_ok() => Some(delimiter),
        _ => None,
    }
}

fn line_ends(bytes: &[u8]) -> u64 {
    bytes.iter().map(|&byte| u64::from(byte == b'\n')).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Result<Vec<(u64, Vec<String>)>> {
        lines_by(text.as_bytes(), Some(BUFFER))
    }

    fn lines_by(text: &[u8], buffer: Option<usize>) -> Result<Vec<(u64, Vec<String>)>> {
        let mut records = Records::new(Text::open("x".to_owned(), text, &())?, b',', buffer);
        let mut found = Vec::new();
        while records.advance()? {
            let fields = (0..records.len()).map(|column| String::from_utf8_lossy(records.field(column)));
            found.push((records.line(), fields.map(std::borrow::Cow::into_owned).collect()));
        }
        Ok(found)
    }

    fn fields(text: &str) -> Vec<String> {
        text.split('/').map(str::to_owned).collect()
    }

    #[test]
    fn every_row_knows_its_line() {
        let text = "a,b\n\n\n1,2\r\n  \t\r\n\r\n\"x\ny\",\"p\"\"q\"\n3,4\r5,6";
        let expected = [(1, "a/b"), (4, "1/2"), (7, "x\ny/p\"q"), (9, "3/4"), (10, "5/6")];
        assert_eq!(lines(text).unwrap(), expected.map(|(line, text)| (line, fields(text))));
    }

    #[test]
    fn rows_are_the_same_with_and_without_the_parser() {
        let mut state = 1u64;
        let mut draw = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        let pieces = [
            "a",
            "b",
            "0",
            "1",
            "1",
            "0",
            ",",
            ",",
            ",",
            "\n",
            "\n",
            "\r\n",
            "\r",
            " ",
            "\"",
            "\"x,\ny\"",
            "\"\"",
            "NA",
            "\u{feff}",
            "\0",
            "long field",
            "\t",
            "ä",
        ];
        for case in 0..1500 {
            // A beginning of plain rows, then anything.
            let mut text: String = (0..draw(4)).map(|_| "1,0,1\n").collect();
            let common = if case % 3 == 0 { pieces.len() } else { 13 } as u64;
            (0..draw(24)).for_each(|_| text += pieces[draw(common) as usize]);
            let parsed = lines_by(text.as_bytes(), None).map_err(|error| error.to_string());
            for buffer in [8, 13, 64, BUFFER] {
                let split = lines_by(text.as_bytes(), Some(buffer)).map_err(|error| error.to_string());
                assert_eq!(split, parsed, "case {case}, buffer {buffer}: {text:?}");
            }
        }
    }

    #[test]
    fn an_open_quote_is_reported_where_it_opened() {
        let message = |text: &str| lines(text).unwrap_err().to_string();
        assert!(
            message("a,b\n1,2\n\n3,\"x\n4,5\n")
                .starts_with("x, line 4, column 2: the quote opened before \"x\\n4,5\\n\"")
        );
        assert!(
            message("a,b\n\"x\ny\",\"z").starts_with("x, line 3, column 2: the quote opened before \"z\"")
        );
        assert!(message("\"").starts_with("x, line 1, column 1: the quote opened before \"\""));
        assert!(message("a\n\"b\"\"").starts_with("x, line 2, column 1: the quote opened before \"b\\\"\""));
    }

    #[test]
    fn a_row_of_nothing_but_delimiters_is_refused_while_it_is_read() {
        let row = io::Cursor::new("a\n").chain(io::repeat(b','));
        let mut records = Records::new(Text::open("x".to_owned(), row, &()).unwrap(), b',', Some(BUFFER));
        assert!(records.advance().unwrap());
        let message = records.advance().unwrap_err().to_string();
        assert!(message.starts_with("x, line 2: there are more than 1048576 columns"), "{message}");
    }

    #[test]
    fn text_after_a_closing_quote_is_refused_in_its_line() {
        let message = lines(&format!("a,b\n{}1,\"x\"y\n", "1,2\n".repeat(50_000))).unwrap_err().to_string();
        assert!(message.starts_with("x, line 50002: text follows the closing quote"), "{message}");
        assert_eq!(lines("a\n\"x\" \n").unwrap()[1], (2, fields("x")));
    }

    #[test]
    fn closed_quotes_at_the_very_end_are_fine() {
        assert_eq!(lines("a\n\"b\n\"").unwrap()[1], (2, fields("b")));
        assert_eq!(lines("a\n\"\"").unwrap()[1], (2, fields("")));
        assert_eq!(lines("").unwrap(), []);
        assert_eq!(lines(" \n\n").unwrap(), []);
    }

    #[test]
    fn zero_bytes_far_into_the_file_are_no_end() {
        for rest in ["\0\nb", "\0", "x\0", "\n\0"] {
            let text = format!("a\n{}{rest}", "b\n".repeat(50_000));
            let message = lines(&text).unwrap_err().to_string();
            assert!(message.contains("binary data (a zero byte)"), "{message}");
        }
    }

    #[test]
    fn the_first_line_alone_states_a_delimiter() {
        assert_eq!(stated_delimiter(b"sep=;\na;b\n"), Some(b';'));
        assert_eq!(stated_delimiter(b"SEP=|"), Some(b'|'));
        for head in [&b"sep=;;\na;b\n"[..], b"a,b\nsep=;\n", b"sep=\n", b"sep=\"\n", b""] {
            assert_eq!(stated_delimiter(head), None);
        }
    }
}
