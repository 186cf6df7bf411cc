//! Cholesky factors of matrices that may be singular to rounding.
//!
//! By hand and not from a library: at a boundary the matrix has directions of no information
//! at all, which must be left alone instead of failing, and the sums must not depend on which
//! vector instructions a machine offers.

use super::objective::dot;

/// A lower triangular factor L of a symmetric matrix A = L L', rows one after the other.
#[derive(Clone, Debug)]
pub(crate) struct Cholesky {
    rows: Vec<Vec<f64>>,
    /// 1 / L_ii, or 0 for a direction without information.
    inverse_diagonal: Vec<f64>,
}

/// A pivot below this share of the diagonal entry that it came from is rounding.
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
            if pivot > ROUNDING * row[i] {
                row[i] = pivot.sqrt();
                inverse_diagonal[i] = 1.0 / row[i];
            } else {
                row[i] = 0.0;
            }
        }
        Self { rows, inverse_diagonal }
    }

    /// The number of rows.
    pub(crate) fn size(&self) -> usize {
        self.rows.len()
    }

    /// b' A^-1 b: infinite when b has a part in a direction without information.
    pub(crate) fn inverse_form(&self, mut b: Vec<f64>) -> f64 {
        let mut sum = 0.0;
        for (i, row) in self.rows.iter().enumerate() {
            let rest = b[i] - dot(&row[..i], &b[..i]);
            if self.inverse_diagonal[i] == 0.0 && rest.abs() > 1e-6 {
                return f64::INFINITY;
            }
            b[i] = rest * self.inverse_diagonal[i];
            sum += b[i] * b[i];
        }
        sum
    }

    /// Solves A x = b; 0 in directions without information.
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
        assert!((factor.inverse_form(vec![2.0, 1.0, 2.0]) - 1.0).abs() < 1e-12);
        assert!(factor.inverse_form(vec![0.0, 0.0, 1.0]).is_infinite());
        assert!((x[0] - 1.0).abs() < 1e-12 && (x[1] - 1.0).abs() < 1e-12 && x[2].abs() < 1e-12, "{x:?}");
    }
}
