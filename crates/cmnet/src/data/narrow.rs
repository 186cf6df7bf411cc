//! Rows of one byte in each column, as they lie in a text: many at a time.

/// Rows that are looked at together: their bytes stay at hand for every column, and a column of two
/// levels fills a word.
const BLOCK: usize = 64;

/// Rows of fields with one byte each, a byte behind each field.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct NarrowRows<'a> {
    bytes: &'a [u8],
    /// The bytes of a row.
    length: usize,
}

impl<'a> NarrowRows<'a> {
    /// Whole rows of so many fields.
    pub(crate) fn new(bytes: &'a [u8], width: usize) -> Self {
        Self { bytes, length: 2 * width }
    }

    /// The number of rows.
    pub(crate) fn len(&self) -> usize {
        self.bytes.len().checked_div(self.length).unwrap_or(0)
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// The same rows, some at a time.
    pub(crate) fn blocks(&self) -> impl Iterator<Item = Self> + use<'a> {
        let length = self.length;
        self.bytes.chunks((BLOCK * length).max(1)).map(move |bytes| Self { bytes, length })
    }

    /// The bytes in a column, row by row.
    #[inline]
    pub(crate) fn column(&self, column: usize) -> impl Iterator<Item = u8> + use<'a> {
        self.bytes.iter().skip(2 * column).step_by(self.length.max(1)).copied()
    }
}
