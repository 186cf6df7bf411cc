//! Rows without a quote, split where they lie: most tables have no others, and codes of one
//! byte are the most frequent cells.

use crate::data::NarrowRows;

/// How a csv parser begins to read: such bytes at the very start are its own matter.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// Rows that are told of at once.
const MOST_AT_ONCE: usize = 1 << 10;

/// What the bytes at hand hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scan {
    /// A row.
    Row,
    /// The beginning of a row, or nothing.
    More,
    /// A row that takes a parser: it has a quote or a zero byte.
    Special,
}

/// The bytes at hand, and the row that was found in them.
#[derive(Debug)]
pub(super) struct Plain {
    buffer: Vec<u8>,
    /// Where the next row begins.
    at: usize,
    filled: usize,
    delimiter: u8,
    /// Where the row begins, and after how many bytes from there each field ends.
    start: usize,
    ends: Vec<usize>,
    /// The fields of the first row.
    width: usize,
    /// Whether the row has that many fields of one byte each; then `ends` are not made.
    is_narrow: bool,
    /// Line ends passed so far.
    pub(super) lines: u64,
}

impl Plain {
    pub(super) fn new(capacity: usize, delimiter: u8) -> Self {
        Self {
            buffer: vec![0; capacity],
            at: 0,
            filled: 0,
            delimiter,
            start: 0,
            ends: Vec::new(),
            width: 0,
            is_narrow: false,
            lines: 0,
        }
    }

    /// Room for more bytes behind those at hand; none when one row fills all.
    pub(super) fn room(&mut self) -> &mut [u8] {
        self.buffer.copy_within(self.at..self.filled, 0);
        self.filled -= self.at;
        self.at = 0;
        &mut self.buffer[self.filled..]
    }

    /// Says that so many bytes were read into the room.
    pub(super) fn add(&mut self, bytes: usize) {
        self.filled += bytes;
    }

    /// The bytes behind the last row.
    pub(super) fn rest(&self) -> &[u8] {
        &self.buffer[self.at..self.filled]
    }

    /// Looks for the next row. Empty lines are none.
    pub(super) fn scan(&mut self) -> Scan {
        while self.at < self.filled && self.buffer[self.at] == b'\n' {
            self.at += 1;
            self.lines += 1;
        }
        let rest = &self.buffer[self.at..self.filled];
        if self.lines == 0 && BYTE_ORDER_MARK.starts_with(&rest[..rest.len().min(BYTE_ORDER_MARK.len())]) {
            return if rest.is_empty() { Scan::More } else { Scan::Special };
        }
        let narrow = 2 * self.width;
        if narrow > 0 && rest.len() >= narrow && is_narrow(&rest[..narrow], self.delimiter) {
            self.take(narrow, true);
            return Scan::Row;
        }
        self.ends.clear();
        for (place, &byte) in rest.iter().enumerate() {
            if byte == self.delimiter {
                self.ends.push(place);
            } else if byte == b'\n' {
                self.ends.push(place);
                self.take(place + 1, false);
                return Scan::Row;
            } else if byte == b'"' || byte == 0 {
                return Scan::Special;
            }
        }
        Scan::More
    }

    /// The rows at hand behind the last one, up to the first that has not one byte in each field and to
    /// a bound.
    pub(super) fn narrow(&self) -> NarrowRows<'_> {
        let rest = &self.buffer[self.at..self.filled];
        let length = 2 * self.width;
        // Before the first row there is no width.
        let rows = rest.chunks_exact(length.max(1)).take(if length == 0 { 0 } else { MOST_AT_ONCE });
        let rows = rows.take_while(|row| is_narrow(row, self.delimiter)).count();
        NarrowRows::new(&rest[..rows * length], self.width)
    }

    /// Goes past so many of these rows.
    pub(super) fn pass(&mut self, rows: usize) {
        self.at += rows * 2 * self.width;
        self.lines += rows as u64;
    }

    fn take(&mut self, length: usize, is_narrow: bool) {
        self.start = self.at;
        self.at += length;
        self.lines += 1;
        self.is_narrow = is_narrow;
        if self.width == 0 {
            self.width = self.ends.len();
        }
    }

    /// The number of fields of the row.
    pub(super) fn len(&self) -> usize {
        if self.is_narrow { self.width } else { self.ends.len() }
    }

    /// A field of the row; empty when there is no such field.
    #[inline]
    pub(super) fn field(&self, column: usize) -> &[u8] {
        if self.is_narrow {
            let at = self.start + 2 * column;
            return if column < self.width { &self.buffer[at..=at] } else { &[] };
        }
        let Some(&end) = self.ends.get(column) else { return &[] };
        let start = column.checked_sub(1).map_or(0, |before| self.ends[before] + 1);
        &self.buffer[self.start + start..self.start + end]
    }
}

/// Whether bytes are fields of one byte each, a delimiter behind each and a line end behind the
/// last. No branch in the loop, so that it runs on many bytes at once.
fn is_narrow(bytes: &[u8], delimiter: u8) -> bool {
    let special = |byte: u8| {
        u8::from(byte == delimiter) + u8::from(byte == b'\n') + u8::from(byte == b'"') + u8::from(byte == 0)
    };
    let (fields, last) = bytes.split_at(bytes.len() - 2);
    let mut odd = special(last[0]) + u8::from(last[1] != b'\n');
    for pair in fields.chunks_exact(2) {
        odd |= special(pair[0]) | u8::from(pair[1] != delimiter);
    }
    odd == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn narrow_rows_have_one_byte_in_each_field_and_nothing_that_takes_a_parser() {
        let bytes = *b"a,\n\"\0";
        let digits = |number: usize| [625, 125, 25, 5, 1].map(|place| bytes[number / place % 5]);
        for row in (0..3125).map(digits) {
            let is_field = |byte: u8| byte == b'a';
            let expected = is_field(row[0]) && row[1] == b',' && is_field(row[2]) && row[3] == b'\n';
            assert_eq!(is_narrow(&row[..4], b','), expected, "{:?}", String::from_utf8_lossy(&row));
        }
    }
}
