//! The configurations of binary variables, 64 rows at a time: the bits of eight columns become the
//! bytes of the rows.

/// Variables whose bits make one byte.
pub(super) const BYTE: usize = 8;
/// The most variables that are taken together.
pub(super) const MOST: usize = 24;

/// Calls `visit` with the configuration of each row as a number whose bit k is the row's bit in column
/// k, for at most [`MOST`] columns of one bit per row.
pub(super) fn visit_rows<T>(columns: &[&[u64]], rows: &[T], mut visit: impl FnMut(usize, &T)) {
    let mut numbers = [0_u32; 64];
    for (word, rows) in rows.chunks(64).enumerate() {
        numbers.fill(0);
        for (columns, shift) in columns.chunks(BYTE).zip((0..).step_by(BYTE)) {
            let words: [u64; BYTE] =
                std::array::from_fn(|at| columns.get(at).map_or(0, |column| column[word]));
            for (block, numbers) in numbers.as_chunks_mut::<BYTE>().0.iter_mut().enumerate() {
                let bytes = transposed(words, block * BYTE).to_le_bytes();
                numbers.iter_mut().zip(bytes).for_each(|(number, byte)| *number |= u32::from(byte) << shift);
            }
        }
        rows.iter().zip(numbers).for_each(|(row, number)| visit(number as usize, row));
    }
}

/// Eight bits of each word, from bit `from` on, as bytes: bit k of byte r is bit r of word k. Squares of
/// bits change places, of one, two and four bits on a side.
fn transposed(words: [u64; BYTE], from: usize) -> u64 {
    let gathered = |square, (word, at): (u64, usize)| square | (word >> from & 0xff) << (BYTE * at);
    let mut square = words.into_iter().zip(0..).fold(0, gathered);
    for (mask, by) in [(0x00aa_00aa_00aa_00aa, 7), (0x0000_cccc_0000_cccc, 14), (0x0000_0000_f0f0_f0f0, 28)] {
        let differs = (square ^ square >> by) & mask;
        square ^= differs ^ differs << by;
    }
    square
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_the_bits_of_their_rows() {
        let word = |column: usize, at: usize| {
            ((column + 3 * at + 1) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(column as u32)
        };
        for count in [0, 1, 5, 8, 9, 16, 17, 24] {
            let columns: Vec<Vec<u64>> =
                (0..count).map(|column| (0..3).map(|at| word(column, at)).collect()).collect();
            let columns: Vec<&[u64]> = columns.iter().map(Vec::as_slice).collect();
            for length in [0, 1, 63, 64, 65, 150, 192] {
                let rows: Vec<usize> = (0..length).collect();
                let mut found = Vec::new();
                visit_rows(&columns, &rows, |number, &row| found.push((row, number)));
                let number = |row: usize| {
                    let bit = |(at, column): (usize, &&[u64])| (column[row / 64] >> (row % 64) & 1) << at;
                    columns.iter().enumerate().map(bit).sum::<u64>() as usize
                };
                assert!(found.into_iter().eq(rows.iter().map(|&row| (row, number(row)))), "{count} {length}");
            }
        }
    }
}
