//! Exact elimination on sparse rows of fractions (paper, section 2.2: restrictions are counted
//! by their rank, and a rank with a tolerance is a bug waiting).

use std::collections::BTreeMap;

use crate::error::CheckError;

/// A fraction in lowest terms with a positive denominator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fraction {
    numerator: i128,
    denominator: i128,
}

/// A row of a matrix: column to coefficient, zeros left out.
pub(crate) type Row = BTreeMap<usize, Fraction>;

impl Fraction {
    pub(crate) const ONE: Self = Self { numerator: 1, denominator: 1 };

    fn new(numerator: i128, denominator: i128) -> Option<Self> {
        let divisor = greatest_common_divisor(numerator, denominator)?;
        let divisor = if denominator < 0 { -divisor } else { divisor };
        let numerator = numerator.checked_div(divisor)?;
        Some(Self { numerator, denominator: denominator.checked_div(divisor)? })
    }

    fn times(self, other: Self) -> Option<Self> {
        let numerator = self.numerator.checked_mul(other.numerator)?;
        Self::new(numerator, self.denominator.checked_mul(other.denominator)?)
    }

    fn over(self, other: Self) -> Option<Self> {
        let numerator = self.numerator.checked_mul(other.denominator)?;
        Self::new(numerator, self.denominator.checked_mul(other.numerator)?)
    }

    fn minus(self, other: Self) -> Option<Self> {
        let left = self.numerator.checked_mul(other.denominator)?;
        let right = other.numerator.checked_mul(self.denominator)?;
        let denominator = self.denominator.checked_mul(other.denominator)?;
        Self::new(left.checked_sub(right)?, denominator)
    }

    pub(crate) fn to_f64(self) -> f64 {
        self.numerator as f64 / self.denominator as f64
    }
}

fn greatest_common_divisor(a: i128, b: i128) -> Option<i128> {
    let (mut a, mut b) = (a.checked_abs()?, b.checked_abs()?);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    Some(a)
}

/// The reduced row echelon form: for every pivot column the row that has a one there, while no
/// other row has anything there. Its length is the rank.
pub(crate) fn reduced_echelon(rows: Vec<Row>) -> Result<BTreeMap<usize, Row>, CheckError> {
    let mut reduced = BTreeMap::new();
    for row in rows {
        add_row(&mut reduced, row).ok_or(CheckError::FractionOverflow)?;
    }
    Ok(reduced)
}

/// Adds one row to a reduced form; `None` when a fraction overflows.
fn add_row(reduced: &mut BTreeMap<usize, Row>, mut row: Row) -> Option<()> {
    for (pivot, known) in reduced.iter() {
        if let Some(&factor) = row.get(pivot) {
            subtract_multiple(&mut row, factor, known)?;
        }
    }
    let Some((&pivot, &leading)) = row.iter().next() else {
        return Some(());
    };
    for coefficient in row.values_mut() {
        *coefficient = coefficient.over(leading)?;
    }
    for known in reduced.values_mut() {
        if let Some(&factor) = known.get(&pivot) {
            subtract_multiple(known, factor, &row)?;
        }
    }
    reduced.insert(pivot, row);
    Some(())
}

fn subtract_multiple(row: &mut Row, factor: Fraction, other: &Row) -> Option<()> {
    let zero = Fraction { numerator: 0, denominator: 1 };
    for (&column, &coefficient) in other {
        let old = row.remove(&column).unwrap_or(zero);
        let new = old.minus(factor.times(coefficient)?)?;
        if new != zero {
            row.insert(column, new);
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(coefficients: &[i128]) -> Row {
        let fraction = |&c: &i128| Fraction::new(c, 1).unwrap();
        let all = coefficients.iter().map(fraction).enumerate();
        all.filter(|(_, c)| c.numerator != 0).collect()
    }

    #[test]
    fn fractions_are_reduced_with_a_positive_denominator() {
        let half = Fraction::new(-3, -6).unwrap();
        assert_eq!(half, Fraction { numerator: 1, denominator: 2 });
        let third = Fraction::new(1, 3).unwrap();
        assert_eq!(half.minus(third), Fraction::new(1, 6));
        assert_eq!(half.over(third), Fraction::new(3, 2));
        assert!((half.to_f64() - 0.5).abs() < f64::EPSILON);
    }

    #[test]
    fn echelon_of_three_rows_of_rank_two() {
        let rows = vec![row(&[1, 1, 0]), row(&[0, 1, 1]), row(&[1, 2, 1])];
        let reduced = reduced_echelon(rows).unwrap();
        assert_eq!(reduced.len(), 2);
        assert_eq!(reduced[&0], row(&[1, 0, -1]));
        assert_eq!(reduced[&1], row(&[0, 1, 1]));
    }

    #[test]
    fn overflow_is_an_error_not_a_wrong_rank() {
        let rows = vec![row(&[i128::MAX, 1]), row(&[i128::MAX - 1, i128::MAX])];
        assert_eq!(reduced_echelon(rows), Err(CheckError::FractionOverflow));
    }
}
