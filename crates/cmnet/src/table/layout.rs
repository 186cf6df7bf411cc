//! Mixed-radix numbering of cells: the one layout that outcome spaces, tables and runs of
//! terms share. The last digit runs fastest.

use std::iter::Sum;
use std::ops::{Add, Div, Mul, Rem};

/// A type that numbers cells.
///
/// Outcome spaces are never allocated, so that they count in 64 bits on every machine. Tables
/// are indexed, so that they count in machine words.
pub(crate) trait CellNumber:
    Copy + Add<Output = Self> + Mul<Output = Self> + Div<Output = Self> + Rem<Output = Self> + Sum
{
    /// A level or a number of levels.
    fn of(digit: u32) -> Self;
    /// A level again.
    fn digit(self) -> u32;
    /// A product, or the largest number where that is too large.
    fn saturating_times(self, other: Self) -> Self;
}

impl CellNumber for u64 {
    fn of(digit: u32) -> Self {
        Self::from(digit)
    }

    fn digit(self) -> u32 {
        self as u32
    }

    fn saturating_times(self, other: Self) -> Self {
        self.saturating_mul(other)
    }
}

impl CellNumber for usize {
    fn of(digit: u32) -> Self {
        digit as Self
    }

    fn digit(self) -> u32 {
        self as u32
    }

    fn saturating_times(self, other: Self) -> Self {
        self.saturating_mul(other)
    }
}

/// How a list of digits becomes the number of a cell, and back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Layout<N> {
    radices: Vec<u32>,
    strides: Vec<N>,
    size: N,
}

impl<N: CellNumber> Layout<N> {
    /// The layout of digits with these numbers of values. A size that is too large to be
    /// counted is the largest number: the caller refuses it.
    pub(crate) fn new(radices: Vec<u32>) -> Self {
        let mut strides = vec![N::of(1); radices.len()];
        let mut size = N::of(1);
        for (stride, &radix) in strides.iter_mut().zip(&radices).rev() {
            *stride = size;
            size = size.saturating_times(N::of(radix));
        }
        Self { radices, strides, size }
    }

    /// The number of cells.
    pub(crate) fn size(&self) -> N {
        self.size
    }

    /// The number of values of each digit.
    pub(crate) fn radices(&self) -> &[u32] {
        &self.radices
    }

    /// How far apart two cells are that differ by one at each digit.
    pub(crate) fn strides(&self) -> &[N] {
        &self.strides
    }

    /// The cell with these digits.
    pub(crate) fn cell(&self, digits: impl Iterator<Item = u32>) -> N {
        digits.zip(&self.strides).map(|(digit, &stride)| N::of(digit) * stride).sum()
    }

    /// One digit of a cell.
    pub(crate) fn digit(&self, cell: N, position: usize) -> u32 {
        (cell / self.strides[position] % N::of(self.radices[position])).digit()
    }

    /// All digits of a cell.
    pub(crate) fn digits(&self, cell: N) -> impl Iterator<Item = u32> + '_ {
        (0..self.radices.len()).map(move |position| self.digit(cell, position))
    }
}

/// The cells from `first` on along some axes, each given by its number of steps and its
/// stride; the last axis runs fastest.
pub(crate) fn cells_along(first: usize, axes: impl Iterator<Item = (usize, usize)> + Clone) -> Vec<usize> {
    let mut cells = Vec::with_capacity(axes.clone().map(|(count, _)| count).product());
    cells.push(first);
    for (count, stride) in axes {
        if count == 0 {
            return Vec::new();
        }
        let before = cells.len();
        cells.resize(before * count, 0);
        // From the last cell backwards: what is overwritten has been read.
        for at in (0..before).rev() {
            let cell = cells[at];
            for step in 0..count {
                cells[at * count + step] = cell + step * stride;
            }
        }
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_and_cells_are_inverse_in_both_widths() {
        let (wide, narrow) = (Layout::<u64>::new(vec![2, 3, 4]), Layout::<usize>::new(vec![2, 3, 4]));
        assert_eq!((wide.size(), narrow.size()), (24, 24));
        for cell in 0..24u64 {
            assert_eq!(wide.cell(wide.digits(cell)), cell);
            assert_eq!(
                narrow.digits(cell as usize).collect::<Vec<_>>(),
                wide.digits(cell).collect::<Vec<_>>()
            );
        }
        let axes = narrow.radices().iter().zip(narrow.strides()).map(|(&r, &stride)| (r as usize, stride));
        assert_eq!(cells_along(0, axes), (0..24).collect::<Vec<_>>());
    }

    #[test]
    fn a_size_beyond_counting_is_the_largest_number() {
        assert_eq!(Layout::<u64>::new(vec![2; 70]).size(), u64::MAX);
        assert_eq!(Layout::<u64>::new(Vec::new()).size(), 1);
    }
}
