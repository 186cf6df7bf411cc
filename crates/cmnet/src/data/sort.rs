//! Row numbers in the order of the rows' codes, in little more memory than the numbers take.

use super::codes::Codes;
use crate::control::{Control, Pace};
use crate::error::Result;
use std::ops::Range;

/// Marks, in a sorted list of row numbers, a row that differs from the one before. Row
/// numbers are below 2^31, so that this bit is free.
const FIRST: u32 = 1 << 31;

/// Rows that are sorted at once by keys of eight bytes each; longer runs are split in place,
/// one column at a time.
const PIECE: usize = 1 << 16;

/// Row numbers sorted by the codes of their rows, with a mark at each row that is not equal
/// to the one before.
#[derive(Debug)]
pub(super) struct SortedRows(Vec<u32>);

impl SortedRows {
    /// Sorts row numbers, all below 2^31.
    ///
    /// Columns are read one after the other, each over many rows: a comparison of two rows
    /// would look into every column at two far places, which took most of the time at a
    /// million rows.
    pub(super) fn new(columns: &[Codes], rows: Vec<u32>, control: &dyn Control) -> Result<Self> {
        Self::with_piece(columns, rows, PIECE, control)
    }

    fn with_piece(
        columns: &[Codes],
        mut rows: Vec<u32>,
        piece: usize,
        control: &dyn Control,
    ) -> Result<Self> {
        let mut pace = Pace::new(control);
        let bits: Vec<u32> = columns.iter().map(Codes::bits).collect();
        let mut packed: Vec<u64> = Vec::new();
        // On a list of our own, since tables may be wide enough to exhaust a recursion.
        let mut runs: Vec<(Range<usize>, usize)> = Vec::new();
        let whole = 0..rows.len();
        push_run(&mut rows, &mut runs, whole, 0);
        while let Some((run, column)) = runs.pop() {
            let Some(column) = (column..columns.len()).find(|&column| bits[column] > 0) else { continue };
            pace.step(run.len())?;
            rows[run.start] &= !FIRST;
            if run.len() > piece {
                split(&columns[column], &mut rows, run, |rows, part| {
                    push_run(rows, &mut runs, part, column + 1);
                });
            } else {
                let end = key_end(&bits, column, run_bits(run.len()));
                let key = Key { columns: &columns[column..end], bits: &bits[column..end] };
                sort_piece(&key, &mut packed, &mut rows, run, |rows, part| {
                    push_run(rows, &mut runs, part, end);
                });
            }
        }
        Ok(Self(rows))
    }

    /// One of each set of equal rows, ascending by codes.
    pub(super) fn firsts(&self) -> impl Iterator<Item = u32> + '_ {
        self.0.iter().filter(|&&row| row & FIRST != 0).map(|row| row & !FIRST)
    }

    /// The sum of the weights of each set of equal rows, in the same order; it takes the place
    /// of the row numbers.
    pub(super) fn sums(mut self, weight: impl Fn(usize) -> u32) -> Vec<u32> {
        let mut sets = 0;
        for place in 0..self.0.len() {
            let row = self.0[place];
            let weight = weight((row & !FIRST) as usize);
            if row & FIRST != 0 {
                self.0[sets] = weight;
                sets += 1;
            } else {
                self.0[sets - 1] += weight;
            }
        }
        self.0.truncate(sets);
        self.0.shrink_to_fit();
        self.0
    }
}

/// Marks the first row of a run, and puts it on the list if it has more than one.
fn push_run(rows: &mut [u32], runs: &mut Vec<(Range<usize>, usize)>, run: Range<usize>, column: usize) {
    if let Some(first) = rows[run.clone()].first_mut() {
        *first |= FIRST;
    }
    runs.extend((run.len() > 1).then_some((run, column)));
}

/// Puts the rows of a run in the order of one column, in place, and tells of each part.
fn split(
    column: &Codes,
    rows: &mut [u32],
    run: Range<usize>,
    mut part: impl FnMut(&mut [u32], Range<usize>),
) {
    let code = |row: u32| column.get(row as usize) as usize;
    let mut ends: Vec<usize> = Vec::new();
    for &row in &rows[run.clone()] {
        let code = code(row);
        ends.resize(ends.len().max(code + 1), 0);
        ends[code] += 1;
    }
    let mut next: Vec<usize> = Vec::with_capacity(ends.len());
    let mut place = run.start;
    for end in &mut ends {
        next.push(place);
        place += *end;
        *end = place;
    }
    for level in 0..ends.len() {
        while next[level] < ends[level] {
            let found = code(rows[next[level]]);
            if found != level {
                rows.swap(next[level], next[found]);
            }
            next[found] += 1;
        }
    }
    let mut from = run.start;
    for end in ends {
        part(rows, from..end);
        from = end;
    }
}

/// Columns that make one key, and the bits of their codes.
struct Key<'a> {
    columns: &'a [Codes],
    bits: &'a [u32],
}

/// Sorts a short run by keys of several columns, the place in the run in their lowest bits,
/// and tells of each part of rows with equal keys.
fn sort_piece(
    key: &Key<'_>,
    packed: &mut Vec<u64>,
    rows: &mut [u32],
    run: Range<usize>,
    mut part: impl FnMut(&mut [u32], Range<usize>),
) {
    let row_bits = run_bits(run.len());
    let row_mask = (1_u64 << row_bits) - 1;
    packed.clear();
    packed.resize(run.len(), 0);
    for (column, &bits) in key.columns.iter().zip(key.bits) {
        column.append_to_keys(bits, &rows[run.clone()], packed);
    }
    packed.iter_mut().zip(0_u64..).for_each(|(key, place)| *key = *key << row_bits | place);
    packed.sort_unstable();
    let before: Vec<u32> = rows[run.clone()].to_vec();
    let mut from = run.start;
    for (place, &key) in run.clone().zip(&*packed) {
        rows[place] = before[(key & row_mask) as usize];
        if place > run.start && (key ^ packed[place - run.start - 1]) > row_mask {
            part(rows, from..place);
            from = place;
        }
    }
    part(rows, from..run.end);
}

/// The bits that number the places of a run.
fn run_bits(length: usize) -> u32 {
    usize::BITS - length.saturating_sub(1).leading_zeros()
}

/// The columns from one on whose codes fit one key together end here; at least one does.
fn key_end(bits: &[u32], from: usize, row_bits: u32) -> usize {
    let mut room = u64::BITS - row_bits;
    let fits = bits[from..].iter().take_while(|&&bits| {
        let fits = bits <= room;
        room = room.saturating_sub(bits);
        fits
    });
    from + fits.count().max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn columns_share_a_key_as_long_as_they_fit() {
        assert_eq!(key_end(&[16, 16, 16, 1], 0, 16), 3);
        assert_eq!(key_end(&[16, 16, 16, 1], 3, 16), 4);
        assert_eq!(key_end(&[1; 65], 0, 1), 63);
        assert_eq!((run_bits(1), run_bits(2), run_bits(65_536)), (0, 1, 16));
    }

    proptest! {
        /// Runs are split in place when they are longer than a piece, which a small piece
        /// makes happen in small tables.
        #[test]
        fn rows_are_sorted_whatever_the_piece(
            table in prop::collection::vec(prop::collection::vec(prop::sample::select(vec![0_u16, 1, 2, 700]), 5), 1..80),
            piece in 1..90_usize,
        ) {
            let column = |v: usize| Codes::from_codes(table.iter().map(|row| row[v]));
            let columns: Vec<Codes> = (0..5).map(column).collect();
            let rows: Vec<u32> = (0..table.len() as u32).collect();
            let sorted = SortedRows::with_piece(&columns, rows.clone(), piece, &()).unwrap();
            let mut expected = std::collections::BTreeMap::<&Vec<u16>, u32>::new();
            for row in &table {
                *expected.entry(row).or_default() += 1;
            }
            let firsts: Vec<&Vec<u16>> = sorted.firsts().map(|row| &table[row as usize]).collect();
            prop_assert_eq!(firsts, expected.keys().copied().collect::<Vec<_>>());
            prop_assert_eq!(sorted.sums(|_| 1), expected.into_values().collect::<Vec<_>>());
        }
    }
}
