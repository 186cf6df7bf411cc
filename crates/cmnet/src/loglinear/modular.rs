//! Elimination of 0/1 rows modulo a Mersenne prime: exact, without tolerances.
//!
//! The rank modulo a prime is never above the rational rank, and below it only when the
//! prime divides every minor that shows the difference. Up to rank 22 a minor of a 0/1
//! matrix is smaller than 2^61-1 (Hadamard), so that there the rank is proved; beyond, it is
//! proved by the null space that [`super::Coordinates`] reconstructs and checks.

use crate::control::{Control, Pace};
use crate::error::Result;

/// A residue modulo 2^BITS - 1.
pub(crate) type Residue = u64;

/// Arithmetic modulo the prime 2^BITS - 1, BITS being 31 or 61.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mersenne<const BITS: u32>;

impl<const BITS: u32> Mersenne<BITS> {
    pub(crate) const PRIME: u64 = (1 << BITS) - 1;

    pub(crate) fn multiply(one: Residue, other: Residue) -> Residue {
        let product = u128::from(one) * u128::from(other);
        Self::reduce((product as u64 & Self::PRIME) + (product >> BITS) as u64)
    }

    pub(crate) fn subtract(one: Residue, other: Residue) -> Residue {
        Self::reduce(one + (Self::PRIME - other))
    }

    fn reduce(sum: u64) -> Residue {
        if sum >= Self::PRIME { sum - Self::PRIME } else { sum }
    }

    /// The inverse of a residue that is not 0, as its power PRIME - 2.
    pub(crate) fn invert(residue: Residue) -> Residue {
        let (mut result, mut power, mut exponent) = (1, residue, Self::PRIME - 2);
        while exponent > 0 {
            if exponent & 1 == 1 {
                result = Self::multiply(result, power);
            }
            power = Self::multiply(power, power);
            exponent >>= 1;
        }
        result
    }
}

/// A row with leading coefficient 1 at its pivot, the other entries at lower columns.
#[derive(Clone, Debug)]
pub(crate) struct PivotRow {
    pub(crate) pivot: usize,
    /// Columns below the pivot, ascending, with residues that are not 0.
    pub(crate) others: Vec<(usize, Residue)>,
}

/// Rows in echelon form; the pivot of a row is its highest column.
#[derive(Clone, Debug)]
pub(crate) struct Echelon<const BITS: u32> {
    rows: Vec<Option<PivotRow>>,
    rank: usize,
}

impl<const BITS: u32> Echelon<BITS> {
    /// Eliminates rows of ones over this many columns.
    pub(crate) fn of<'a>(
        columns: usize,
        ones: impl Iterator<Item = &'a [usize]>,
        control: &dyn Control,
    ) -> Result<Self> {
        let mut pace = Pace::new(control);
        let mut echelon = Self { rows: vec![None; columns], rank: 0 };
        let mut work = vec![0; columns];
        for row in ones {
            for &column in row {
                work[column] = 1;
            }
            if let Some(&top) = row.last() {
                echelon.reduce(&mut work, top + 1, &mut pace)?;
                echelon.insert(&mut work, top + 1);
            }
        }
        Ok(echelon)
    }

    pub(crate) fn rank(&self) -> usize {
        self.rank
    }

    /// Subtracts pivot rows until no pivot column below `end` is left.
    fn reduce(&self, work: &mut [Residue], end: usize, pace: &mut Pace<'_>) -> Result<()> {
        pace.step(end)?;
        for column in (0..end).rev() {
            let factor = work[column];
            if factor == 0 {
                continue;
            }
            if let Some(row) = &self.rows[column] {
                work[column] = 0;
                pace.step(row.others.len())?;
                for &(other, residue) in &row.others {
                    let product = Mersenne::<BITS>::multiply(factor, residue);
                    work[other] = Mersenne::<BITS>::subtract(work[other], product);
                }
            }
        }
        Ok(())
    }

    /// Keeps what is left of a reduced row as a pivot row, and clears the work space.
    fn insert(&mut self, work: &mut [Residue], end: usize) {
        let Some(pivot) = (0..end).rev().find(|&column| work[column] != 0) else { return };
        let scale = Mersenne::<BITS>::invert(work[pivot]);
        let mut others = Vec::new();
        for (column, value) in work[..pivot].iter_mut().enumerate().filter(|(_, value)| **value != 0) {
            others.push((column, Mersenne::<BITS>::multiply(*value, scale)));
            *value = 0;
        }
        work[pivot] = 0;
        self.rows[pivot] = Some(PivotRow { pivot, others });
        self.rank += 1;
    }

    /// The reduced echelon form: no pivot column in any other row. Rows by pivot ascending.
    pub(crate) fn reduced(mut self, control: &dyn Control) -> Result<Vec<PivotRow>> {
        let mut pace = Pace::new(control);
        let mut work = vec![0; self.rows.len()];
        for pivot in 0..self.rows.len() {
            let Some(row) = self.rows[pivot].take() else { continue };
            for &(column, residue) in &row.others {
                work[column] = residue;
            }
            self.reduce(&mut work, pivot, &mut pace)?;
            let mut others = Vec::new();
            for (column, value) in work[..pivot].iter_mut().enumerate().filter(|(_, value)| **value != 0) {
                others.push((column, *value));
                *value = 0;
            }
            self.rows[pivot] = Some(PivotRow { pivot, others });
        }
        Ok(self.rows.into_iter().flatten().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inverses_multiply_to_one() {
        for value in [1, 2, 3, 12_345_678_901, Mersenne::<61>::PRIME - 1] {
            assert_eq!(Mersenne::<61>::multiply(value, Mersenne::<61>::invert(value)), 1);
        }
        assert_eq!(Mersenne::<31>::multiply(7, Mersenne::<31>::invert(7)), 1);
    }

    #[test]
    fn a_dependent_row_adds_no_rank() {
        let rows: [&[usize]; 4] = [&[0, 1], &[1, 2], &[0, 3], &[2, 3]];
        assert_eq!(Echelon::<61>::of(4, rows.into_iter(), &()).unwrap().rank(), 3); // the cycle of length 4
        let reduced = Echelon::<61>::of(4, rows.into_iter(), &()).unwrap().reduced(&()).unwrap();
        assert_eq!(reduced.iter().map(|row| row.pivot).collect::<Vec<_>>(), [1, 2, 3]);
        assert!(reduced.iter().all(|row| row.others.len() == 1 && row.others[0].0 == 0));
    }
}
