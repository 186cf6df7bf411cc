//! Cholesky factors of matrices that may be singular to rounding.
//!
//! By hand and not from a library: at a boundary the matrix has directions of no information
//! at all, which must get a pivot at the level of rounding instead of failing, and the sums
//! must not depend on which vector instructions a machine offers.

use super::objective::dot;

/// A lower triangular factor L of a symmetric matrix A = L L', rows one after the other.
#[derive(Clone, Debug)]
pub(crate) struct Cholesky {
    rows: Vec<Vec<f64>>,
    /// 1 / L_ii.
    inverse_diagonal: Vec<f64>,
}

/// A pivot below this share of the diagonal entry that it came from is rounding, and is raised
/// to it.
const ROUNDING: f64 = 1e-14;

impl Cholesky {
    /// Factorises a matrix given by the rows of its lower triangle, diagonal included.
    pub(crate) fn new(mut rows: Vec<Vec<f64>>) -> Self {
        let mut inverse_diagonal = vec![0.0; rows.len()];
        for i in 0..rows.len() {
            let (before, rest) = rows.split_at_mut(i);
            let row = &mut rest[0];
            for (j, other) in before.iter().enumerate() {
                row[j] = (row[j] - dot(&row[..j], &other[..j])) * inverse_diagonal[j];
            }
            let pivot = row[i] - dot(&row[..i], &row[..i]);
            let least = ROUNDING * row[i].max(f64::MIN_POSITIVE / ROUNDING);
            row[i] = pivot.max(least).sqrt();
            inverse_diagonal[i] = 1.0 / row[i];
        }
        Self { rows, inverse_diagonal }
    }

    /// The number of rows.
    pub(crate) fn size(&self) -> usize {
        self.rows.len()
    }

    /// b' A^-1 b: very large when b has a part in a direction without information.
    pub(crate) fn inverse_form(&self, mut b: Vec<f64>) -> f64 {
        let mut sum = 0.0;
        for (i, row) in self.rows.iter().enumerate() {
            let rest = b[i] - dot(&row[..i], &b[..i]);
            b[i] = rest * self.inverse_diagonal[i];
            sum += b[i] * b[i];
        }
        sum
    }

    /// Solves A x = b.
    pub(crate) fn solve(&self, right: &[f64]) -> Vec<f64> {
        let mut x = right.to_vec();
        for (i, row) in self.rows.iter().enumerate() {
            x[i] = (x[i] - dot(&row[..i], &x[..i])) * self.inverse_diagonal[i];
        }
        for (i, row) in self.rows.iter().enumerate().rev() {
            x[i] *= self.inverse_diagonal[i];
            let value = x[i];
            x[..i].iter_mut().zip(row).for_each(|(target, factor)| *target -= factor * value);
        }
        x
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_singular_matrix_is_solved_where_it_has_information() {
        let factor = Cholesky::new(vec![vec![4.0], vec![2.0, 5.0], vec![4.0, 2.0, 4.0]]);
        let x = factor.solve(&[6.0, 7.0, 6.0]);
        let product = [4.0 * x[0] + 2.0 * x[1] + 4.0 * x[2], 2.0 * x[0] + 5.0 * x[1] + 2.0 * x[2]];
        assert!((product[0] - 6.0).abs() < 1e-9 && (product[1] - 7.0).abs() < 1e-9, "{x:?}");
        assert!((factor.inverse_form(vec![2.0, 1.0, 2.0]) - 1.0).abs() < 1e-9);
        assert!(factor.inverse_form(vec![0.0, 0.0, 1.0]) > 1e12);
    }
}
