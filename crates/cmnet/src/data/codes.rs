//! The codes of one column, packed: as many bits each as the largest of them needs.

use std::borrow::Cow;

/// The rows that are unpacked at a time: as many as fill whole words of any width.
pub(super) const BLOCK: usize = 64;

/// The codes of one column, in 1, 2, 4, 8 or 16 bits each.
///
/// A binary column takes one bit per row, and its words are the set of rows at level 1.
/// Columns are equal when their codes and their widths are; in a [`Dataset`](super::Dataset)
/// the width follows from the number of levels.
///
/// # Example
/// ```
/// use cmnet::Codes;
/// let codes = Codes::from_codes([0, 2, 1]);
/// assert_eq!((codes.len(), codes.get(1)), (3, 2));
/// assert_eq!(codes.iter().collect::<Vec<_>>(), [0, 2, 1]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Codes {
    /// The binary logarithm of the bits per code.
    width: u32,
    len: usize,
    /// The first code lowest; bits beyond the last code are 0.
    words: Vec<u64>,
}

impl Codes {
    /// The column of these codes, as narrow as they allow.
    pub fn from_codes(codes: impl IntoIterator<Item = u16>) -> Self {
        let mut column = Self::default();
        codes.into_iter().for_each(|code| column.push(code));
        column
    }

    /// The code in a row. For a row that does not exist it panics or gives 0.
    #[inline]
    pub fn get(&self, row: usize) -> u32 {
        debug_assert!(row < self.len);
        let per_word = per_word(self.width);
        let word = self.words[row >> per_word.trailing_zeros()];
        (word >> ((row & (per_word - 1)) << self.width) & mask(self.width)) as u32
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The bytes that the codes take.
    pub fn bytes(&self) -> usize {
        self.words.len() * size_of::<u64>()
    }

    /// The codes in the order of the rows.
    pub fn iter(&self) -> impl Iterator<Item = u32> + Clone + '_ {
        let (width, mask) = (self.width, mask(self.width));
        let unpacked = move |&word: &u64| {
            (0..per_word(width)).map(move |place| (word >> (place << width) & mask) as u32)
        };
        self.words.iter().flat_map(unpacked).take(self.len)
    }

    /// The codes as they are packed: for so many levels, the first code lowest.
    pub(super) fn words(&self) -> &[u64] {
        &self.words
    }

    /// The words that so many codes of so many levels take.
    pub(super) fn word_count(levels: usize, len: usize) -> usize {
        len.div_ceil(per_word(width_of_levels(levels)))
    }

    /// The column of packed codes; `None` where a code is no level, or they are not as many as said.
    pub(super) fn from_words(levels: usize, len: usize, words: Vec<u64>) -> Option<Self> {
        let column = Self { width: width_of_levels(levels), len, words };
        let bits = (len % per_word(column.width)) << column.width;
        let is_clean = bits == 0 || column.words.last().is_some_and(|word| word >> bits == 0);
        let fits =
            || levels as u64 > mask(column.width) || column.iter().all(|code| (code as usize) < levels);
        (column.words.len() == Self::word_count(levels, len) && is_clean && fits()).then_some(column)
    }

    /// Adds a code at the end, widening the column when it no longer fits.
    #[inline]
    pub(crate) fn push(&mut self, code: u16) {
        if u64::from(code) > mask(self.width) {
            *self = self.repacked(width_for(code), |code| code);
        }
        let place = self.len & (per_word(self.width) - 1);
        match self.words.last_mut() {
            Some(word) if place > 0 => *word |= u64::from(code) << (place << self.width),
            _ => self.words.push(u64::from(code)),
        }
        self.len += 1;
    }

    /// Adds codes at the end, as [`Codes::push`] adds one.
    pub(crate) fn extend(&mut self, codes: impl Iterator<Item = u16> + Clone) {
        let most = codes.clone().max().unwrap_or(0);
        if u64::from(most) > mask(self.width) {
            *self = self.repacked(width_for(most), |code| code);
        }
        let per_word = per_word(self.width);
        let mut place = self.len & (per_word - 1);
        let mut word = if place > 0 { self.words.pop().unwrap_or(0) } else { 0 };
        for code in codes {
            word |= u64::from(code) << (place << self.width);
            place += 1;
            self.len += 1;
            if place == per_word {
                self.words.push(std::mem::take(&mut word));
                place = 0;
            }
        }
        if place > 0 {
            self.words.push(word);
        }
    }

    /// The same column with every code replaced by `new_code[code]`.
    pub(crate) fn recode(&mut self, new_code: &[u16]) {
        if self.width == 0 && *new_code == [1, 0] {
            self.flip();
        } else if new_code.iter().enumerate().any(|(code, &new)| usize::from(new) != code) {
            let width = width_for(new_code.iter().copied().max().unwrap_or(0)).max(self.width);
            *self = self.repacked(width, |code| u64::from(new_code[code as usize]));
        }
    }

    /// The same column of two codes, one in the place of the other.
    fn flip(&mut self) {
        self.words.iter_mut().for_each(|word| *word = !*word);
        if let Some(last) = self.words.last_mut().filter(|_| !self.len.is_multiple_of(64)) {
            *last &= (1 << (self.len % 64)) - 1;
        }
    }

    /// The bits that the largest code needs.
    pub(crate) fn bits(&self) -> u32 {
        // All codes laid over one another are as long as the longest.
        let mut all = self.words.iter().fold(0, |all, word| all | word);
        for width in (self.width..u64::BITS.ilog2()).rev() {
            all |= all >> (1_u32 << width);
        }
        u64::BITS - (all & mask(self.width)).leading_zeros()
    }

    /// Appends the codes of rows to their keys, as the lowest bits.
    pub(crate) fn append_to_keys(&self, bits: u32, rows: &[u32], keys: &mut [u64]) {
        for (key, &row) in keys.iter_mut().zip(rows) {
            *key = *key << bits | u64::from(self.get(row as usize));
        }
    }

    /// The same codes in the width for this number of levels, so that equal columns are
    /// equal whatever they went through.
    pub(crate) fn fitted(self, levels: usize) -> Self {
        let width = width_of_levels(levels);
        if width == self.width { self } else { self.repacked(width, |code| code) }
    }

    /// The same column with so many of its rows, in another order.
    pub(crate) fn gather(&self, rows: impl Iterator<Item = u32>, count: usize) -> Self {
        let mut words = Vec::with_capacity(count.div_ceil(per_word(self.width)));
        let (mut word, mut filled, mut len) = (0, 0, 0);
        for row in rows {
            word |= u64::from(self.get(row as usize)) << filled;
            filled += 1_u32 << self.width;
            len += 1;
            if filled == u64::BITS {
                words.push(word);
                (word, filled) = (0, 0);
            }
        }
        words.extend((filled > 0).then_some(word));
        Self { width: self.width, len, words }
    }

    /// Makes room for so many rows in all, so that growing does not copy.
    pub(crate) fn reserve(&mut self, rows: usize) {
        let words = rows.div_ceil(per_word(self.width));
        self.words.reserve_exact(words.saturating_sub(self.words.len()));
    }

    /// Meets every item with the code of its row, word by word.
    pub(crate) fn zip_mut<T>(&self, items: &mut [T], meet: impl FnMut(&mut T, u64)) {
        self.meet(&self.words, items.chunks_mut(per_word(self.width)), meet);
    }

    /// Meets every item with the code of its row, word by word.
    pub(crate) fn zip<T>(&self, items: &[T], meet: impl FnMut(&T, u64)) {
        self.meet(&self.words, items.chunks(per_word(self.width)), meet);
    }

    /// The codes of one block of rows. Those beyond the last row are 0, or stay as they are.
    pub(super) fn unpack(&self, block: usize, codes: &mut [u16; BLOCK]) {
        let words = self.words.get(block << self.width..).unwrap_or_default();
        self.meet(words, codes.chunks_mut(per_word(self.width)), |slot, code| *slot = code as u16);
    }

    /// Meets the items of chunks as long as a word with the codes that words have.
    fn meet<Chunk: IntoIterator>(
        &self,
        words: &[u64],
        chunks: impl Iterator<Item = Chunk>,
        meet: impl FnMut(Chunk::Item, u64),
    ) {
        match self.width {
            0 => meet_words::<0, Chunk>(words, chunks, meet),
            1 => meet_words::<1, Chunk>(words, chunks, meet),
            2 => meet_words::<2, Chunk>(words, chunks, meet),
            3 => meet_words::<3, Chunk>(words, chunks, meet),
            _ => meet_words::<4, Chunk>(words, chunks, meet),
        }
    }

    /// The set of rows at a level above 0, one bit per row. A binary column is its own.
    pub(crate) fn plane(&self, level: u32) -> Cow<'_, [u64]> {
        if self.width == 0 {
            return Cow::Borrowed(&self.words);
        }
        let lowest = u64::MAX / mask(self.width);
        let mut plane = vec![0; self.len.div_ceil(64)];
        for (index, word) in self.words.iter().enumerate() {
            let mut differs = word ^ (lowest * u64::from(level));
            for fold in 0..self.width {
                differs |= differs >> (1_u32 << fold);
            }
            let equal = (0..self.width).fold(!differs & lowest, |bits, _| even_bits(bits));
            let row = index * per_word(self.width);
            plane[row / 64] |= equal << (row % 64);
        }
        Cow::Owned(plane)
    }

    fn repacked(&self, width: u32, new_code: impl Fn(u64) -> u64) -> Self {
        let mut words = Vec::with_capacity(self.len.div_ceil(per_word(width)));
        let (mut word, mut filled) = (0, 0);
        for code in self.iter() {
            word |= new_code(u64::from(code)) << filled;
            filled += 1_u32 << width;
            if filled == u64::BITS {
                words.push(word);
                (word, filled) = (0, 0);
            }
        }
        words.extend((filled > 0).then_some(word));
        Self { width, len: self.len, words }
    }
}

fn per_word(width: u32) -> usize {
    64 >> width
}

fn mask(width: u32) -> u64 {
    (1 << (1_u32 << width)) - 1
}

/// The binary logarithm of the bits that are set aside for codes up to this one.
fn width_for(largest: u16) -> u32 {
    (u16::BITS - largest.leading_zeros()).max(1).next_power_of_two().ilog2()
}

/// The same for so many levels.
fn width_of_levels(levels: usize) -> u32 {
    width_for(u16::try_from(levels.saturating_sub(1)).unwrap_or(u16::MAX))
}

/// The bits at even places, side by side in the lower half.
fn even_bits(bits: u64) -> u64 {
    let mut bits = bits & 0x5555_5555_5555_5555;
    bits = (bits | bits >> 1) & 0x3333_3333_3333_3333;
    bits = (bits | bits >> 2) & 0x0f0f_0f0f_0f0f_0f0f;
    bits = (bits | bits >> 4) & 0x00ff_00ff_00ff_00ff;
    bits = (bits | bits >> 8) & 0x0000_ffff_0000_ffff;
    (bits | bits >> 16) & 0x0000_0000_ffff_ffff
}

fn meet_words<const WIDTH: u32, Chunk: IntoIterator>(
    words: &[u64],
    chunks: impl Iterator<Item = Chunk>,
    mut meet: impl FnMut(Chunk::Item, u64),
) {
    for (&word, items) in words.iter().zip(chunks) {
        for (place, item) in items.into_iter().enumerate() {
            meet(item, word >> (place << WIDTH) & mask(WIDTH));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn codes_added_in_pieces_are_those_added_one_by_one() {
        let codes: Vec<u16> = (0..500u32).map(|row| (row * row % (1 + row / 20)) as u16).collect();
        for piece in [1, 7, 64, 100, 500] {
            let mut column = Codes::default();
            codes.chunks(piece).for_each(|piece| column.extend(piece.iter().copied()));
            column.extend(std::iter::empty());
            assert_eq!(column, Codes::from_codes(codes.iter().copied()), "pieces of {piece}");
        }
    }

    #[test]
    fn widths_are_powers_of_two() {
        let codes = [0, 1, 2, 3, 4, 15, 16, 255, 256, u16::MAX];
        assert_eq!(codes.map(width_for), [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]);
        assert_eq!(Codes::from_codes([]).bits(), 0);
        assert_eq!(Codes::from_codes([0, 5, 2]).bits(), 3);
        assert_eq!(Codes::from_codes([u16::MAX]).bits(), 16);
    }

    /// Mostly small codes, so that columns of every width come up and widen on the way.
    fn plain() -> impl Strategy<Value = Vec<u16>> {
        let most = prop::sample::select(vec![1_u16, 3, 7, 15, 255, 999]);
        most.prop_flat_map(|most| prop::collection::vec(0..=most, 0..300))
    }

    fn unpacked(codes: &Codes) -> Vec<u16> {
        codes.iter().map(|code| code as u16).collect()
    }

    proptest! {
        #[test]
        fn packed_codes_are_the_codes(plain in plain()) {
            let codes = Codes::from_codes(plain.iter().copied());
            prop_assert_eq!(codes.len(), plain.len());
            prop_assert_eq!(&unpacked(&codes), &plain);
            prop_assert!((0..plain.len()).all(|row| codes.get(row) == u32::from(plain[row])));
            let most = plain.iter().copied().max().unwrap_or(0);
            prop_assert_eq!(codes.bits(), 16 - most.leading_zeros());
            let mut block = [0; BLOCK];
            for (number, expected) in plain.chunks(BLOCK).enumerate() {
                codes.unpack(number, &mut block);
                prop_assert_eq!(&block[..expected.len()], expected);
            }
            let (mut changed, mut seen) = (plain.clone(), Vec::new());
            codes.zip_mut(&mut changed, |item, code| *item = item.wrapping_add(code as u16 * 2));
            prop_assert!(changed.iter().zip(&plain).all(|(&new, &old)| new == old * 3));
            codes.zip(&plain, |&item, code| seen.push((item, code as u16)));
            prop_assert!(seen.iter().all(|(item, code)| item == code) && seen.len() == plain.len());
        }

        #[test]
        fn recoded_and_fitted_columns_are_equal_to_new_ones(plain in plain(), shift in 0..400_u16) {
            let levels = plain.iter().copied().max().unwrap_or(0) + 1;
            let new_code: Vec<u16> = (0..levels).map(|code| (code + shift) % levels).collect();
            let mut codes = Codes::from_codes(plain.iter().copied());
            codes.recode(&new_code);
            let fresh = Codes::from_codes(plain.iter().map(|&code| new_code[usize::from(code)]));
            prop_assert_eq!(unpacked(&codes), unpacked(&fresh));
            for levels in [usize::from(levels), 400, 65_535] {
                let levels = levels.max(usize::from(codes.bits() > 8) * 1000);
                prop_assert_eq!(codes.clone().fitted(levels), fresh.clone().fitted(levels));
            }
            let wider: Vec<u16> = (0..levels).map(|code| code + 300).collect();
            codes.recode(&wider);
            prop_assert!(unpacked(&codes).iter().zip(unpacked(&fresh)).all(|(&new, old)| new == old + 300));
        }

        #[test]
        fn rows_are_gathered_and_put_into_keys(plain in plain(), picks in prop::collection::vec(0..300_usize, 0..200)) {
            let codes = Codes::from_codes(plain.iter().copied());
            let rows: Vec<u32> = picks.into_iter().filter(|&row| row < plain.len()).map(|row| row as u32).collect();
            let expected: Vec<u16> = rows.iter().map(|&row| plain[row as usize]).collect();
            let gathered = codes.gather(rows.iter().copied(), rows.len());
            prop_assert_eq!(&unpacked(&gathered), &expected);
            prop_assert_eq!(gathered.fitted(1000), Codes::from_codes(expected.iter().copied()).fitted(1000));
            let mut keys = vec![1; rows.len()];
            codes.append_to_keys(10, &rows, &mut keys);
            prop_assert!(keys.iter().zip(&expected).all(|(&key, &code)| key == 1 << 10 | u64::from(code)));
        }

        #[test]
        fn planes_hold_the_rows_of_a_level(plain in plain(), level in 1..9_u16) {
            let codes = Codes::from_codes(plain.iter().copied());
            prop_assume!(u64::from(level) <= mask(codes.width));
            let plane = codes.plane(u32::from(level));
            prop_assert_eq!(plane.len(), plain.len().div_ceil(64));
            for row in 0..plane.len() * 64 {
                let bit = plane[row / 64] >> (row % 64) & 1 == 1;
                prop_assert_eq!(bit, plain.get(row) == Some(&level));
            }
        }
    }
}
