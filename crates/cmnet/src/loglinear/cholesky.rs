//! Cholesky factors of matrices that may be singular to rounding.
//!
//! By hand and not from a library: at a boundary the matrix has directions of no information
//! at all, which must get a pivot at the level of rounding instead of failing, and the sums
//! must not depend on which vector instructions a machine offers.

use super::objective::{Sums, dot, dot_from};
use super::panel::{PANEL, sums_before};
use rayon::prelude::*;

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
/// A pivot that is negative by more than this share of its diagonal entry comes from rounding
/// that has grown: many directions without information, one after the other.
const GROWN: f64 = 1e-6;
/// What is then added to the diagonal, as shares of the largest entry.
const RIDGES: [f64; 5] = [0.0, 1e-14, 1e-12, 1e-10, 1e-8];

/// Rows of one panel that are not worth sharing among threads.
const MOST_ALONE: usize = 256;

impl Cholesky {
    /// Factorises a matrix given by the rows of its lower triangle, diagonal included.
    pub(crate) fn new(rows: &[Vec<f64>]) -> Self {
        let largest = rows.iter().filter_map(|row| row.last()).copied().fold(0.0, f64::max);
        let ridged = |share: f64| Self::factor(rows.to_vec(), share * largest, largest);
        let whole = RIDGES.into_iter().find_map(ridged);
        whole.unwrap_or_else(|| Self::diagonal(rows))
    }

    /// The factor of the matrix and a ridge; `None` when rounding has grown.
    fn factor(mut rows: Vec<Vec<f64>>, ridge: f64, largest: f64) -> Option<Self> {
        let mut inverse_diagonal = vec![0.0; rows.len()];
        for first in (0..rows.len()).step_by(PANEL) {
            let sums = sums_before(&rows[first..], first);
            let width = PANEL.min(rows.len() - first);
            let (panel, below) = rows[first..].split_at_mut(width);
            let (own, others) = sums.split_at(width * width);
            for (at, sums) in own.chunks_exact(width).enumerate() {
                let (before, rest) = panel.split_at_mut(at);
                let (row, i) = (&mut rest[0], first + at);
                columns(row, before, (first, &inverse_diagonal), sums);
                row[i] += ridge;
                let pivot = row[i] - dot_from(sums[at], &row[first..i], &row[first..i]);
                // A coordinate without any information has neither row nor column.
                let least = if row[i] > 0.0 { ROUNDING * row[i] } else { ROUNDING * largest };
                if pivot.is_nan() || pivot < -GROWN * row[i] {
                    return None;
                }
                row[i] = pivot.max(least).max(f64::MIN_POSITIVE).sqrt();
                inverse_diagonal[i] = 1.0 / row[i];
            }
            let rest = below.par_iter_mut().zip(others.par_chunks_exact(width)).with_min_len(MOST_ALONE);
            rest.for_each(|(row, sums)| columns(row, panel, (first, &inverse_diagonal), sums));
        }
        Some(Self { rows, inverse_diagonal })
    }

    /// The diagonal alone.
    fn diagonal(rows: &[Vec<f64>]) -> Self {
        let root = |row: &Vec<f64>| row.last().map_or(1.0, |value| value.max(f64::MIN_POSITIVE).sqrt());
        let alone = |row: &Vec<f64>| {
            let mut alone = vec![0.0; row.len()];
            alone.iter_mut().last().into_iter().for_each(|entry| *entry = root(row));
            alone
        };
        Self {
            rows: rows.iter().map(alone).collect(),
            inverse_diagonal: rows.iter().map(|row| 1.0 / root(row)).collect(),
        }
    }

    /// The number of rows.
    pub(crate) fn size(&self) -> usize {
        self.rows.len()
    }

    /// b' A^-1 b: very large when b has a part in a direction without information.
    pub(crate) fn inverse_form(&self, b: Vec<f64>) -> f64 {
        self.inverse_forms(vec![b])[0]
    }

    /// The same for several b at a time: each row of the factor is read once for all.
    pub(crate) fn inverse_forms(&self, mut bs: Vec<Vec<f64>>) -> Vec<f64> {
        let mut sums = vec![0.0; bs.len()];
        let empty = |b: &Vec<f64>| b.iter().take_while(|&&value| value == 0.0).count();
        // What begins with zeros stays so; scalar products go by fours.
        let start = bs.iter().map(empty).min().unwrap_or(0) / 4 * 4;
        for (i, row) in self.rows.iter().enumerate().skip(start) {
            for (b, sum) in bs.iter_mut().zip(&mut sums) {
                let rest = b[i] - dot(&row[start..i], &b[start..i]);
                b[i] = rest * self.inverse_diagonal[i];
                *sum += b[i] * b[i];
            }
        }
        sums
    }

    /// The columns of L^-1, each from its diagonal on: entry (i, j) of A^-1 is the product of columns i and j.
    pub(crate) fn inverse_halves(&self) -> Vec<Vec<f64>> {
        let half = |first: usize| {
            let mut half = Vec::with_capacity(self.rows.len() - first);
            half.push(self.inverse_diagonal[first]);
            for (row, inverse) in self.rows.iter().zip(&self.inverse_diagonal).skip(first + 1) {
                half.push(-dot(&row[first..first + half.len()], &half) * inverse);
            }
            half
        };
        (0..self.rows.len()).map(half).collect()
    }

    /// The logarithm of the determinant of A.
    pub(crate) fn log_determinant(&self) -> f64 {
        -2.0 * self.inverse_diagonal.iter().map(|&inverse| libm::log(inverse)).sum::<f64>()
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

/// The columns of a row that belong to a panel's rows, given the sums before the panel.
fn columns(row: &mut [f64], panel: &[Vec<f64>], (first, inverse): (usize, &[f64]), sums: &[Sums]) {
    for ((i, other), &sums) in (first..).zip(panel).zip(sums) {
        row[i] = (row[i] - dot_from(sums, &row[first..i], &other[first..i])) * inverse[i];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Row after row, without panels.
    fn plainly(mut rows: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
        for i in 0..rows.len() {
            let (before, rest) = rows.split_at_mut(i);
            let row = &mut rest[0];
            for (j, other) in before.iter().enumerate() {
                row[j] = (row[j] - dot(&row[..j], &other[..j])) * (1.0 / other[j]);
            }
            row[i] = (row[i] - dot(&row[..i], &row[..i])).sqrt();
        }
        rows
    }

    #[test]
    fn panels_give_every_bit_of_the_plain_factor() {
        for size in [1, 3, 31, 32, 33, 64, 97, 300, 1101] {
            let entry = |i: usize, j: usize| libm::sin((i * 31 + j * 17 + i * j) as f64);
            let row = |i: usize| {
                let others = (0..i).map(|j| entry(i, j));
                others.chain([size as f64]).collect::<Vec<f64>>()
            };
            let rows: Vec<Vec<f64>> = (0..size).map(row).collect();
            assert_eq!(Cholesky::new(&rows).rows, plainly(rows), "{size}");
        }
    }

    #[test]
    fn several_vectors_have_the_forms_of_each() {
        let row = |i: usize| (0..=i).map(|j| if i == j { 40.0 } else { libm::cos((i * j) as f64) }).collect();
        let factor = Cholesky::new(&(0..40).map(row).collect::<Vec<Vec<f64>>>());
        let vector = |zeros: usize| (0..40).map(|i| if i < zeros { 0.0 } else { i as f64 - 20.5 }).collect();
        let vectors: Vec<Vec<f64>> = [17, 3, 0, 30].into_iter().map(vector).collect();
        let single: Vec<f64> = vectors.iter().map(|vector| factor.inverse_form(vector.clone())).collect();
        assert_eq!(factor.inverse_forms(vectors[..2].to_vec()), single[..2]);
        assert_eq!(factor.inverse_forms(vectors), single);
    }

    #[test]
    fn products_of_halves_are_the_inverse() {
        let row = |i: usize| (0..=i).map(|j| if i == j { 9.0 } else { libm::cos((i * j) as f64) }).collect();
        let factor = Cholesky::new(&(0..13).map(row).collect::<Vec<Vec<f64>>>());
        let halves = factor.inverse_halves();
        for column in 0..13 {
            let unit: Vec<f64> = (0..13).map(|at| f64::from(u8::from(at == column))).collect();
            for (row, expected) in factor.solve(&unit).into_iter().enumerate().take(column + 1) {
                let found = dot(&halves[row][column - row..], &halves[column]);
                assert!((found - expected).abs() < 1e-14, "{row} {column}: {found} {expected}");
            }
        }
    }

    #[test]
    fn a_singular_matrix_is_solved_where_it_has_information() {
        let factor = Cholesky::new(&[vec![4.0], vec![2.0, 5.0], vec![4.0, 2.0, 4.0]]);
        let x = factor.solve(&[6.0, 7.0, 6.0]);
        let product = [4.0 * x[0] + 2.0 * x[1] + 4.0 * x[2], 2.0 * x[0] + 5.0 * x[1] + 2.0 * x[2]];
        assert!((product[0] - 6.0).abs() < 1e-9 && (product[1] - 7.0).abs() < 1e-9, "{x:?}");
        assert!((factor.inverse_form(vec![2.0, 1.0, 2.0]) - 1.0).abs() < 1e-9);
        assert!(factor.inverse_form(vec![0.0, 0.0, 1.0]) > 1e12);
    }

    /// A hundred coordinates, ten directions: rounding must not grow from pivot to pivot.
    #[test]
    fn a_matrix_of_small_rank_has_a_finite_factor() {
        let entry = |at: usize, k: usize| libm::sin((at * 7 + k * 13 + at * k) as f64);
        let product = |i: usize, j: usize| (0..10).map(|k| entry(i, k) * entry(j, k)).sum();
        let mut rows: Vec<Vec<f64>> = (0..100).map(|i| (0..=i).map(|j| product(i, j)).collect()).collect();
        rows.push(vec![0.0; 101]);
        let factor = Cholesky::new(&rows);
        let at = |i: usize, j: usize| if i >= j { rows[i][j] } else { rows[j][i] };
        let ones: Vec<f64> = (0..101).map(|i| (0..100).map(|j| at(i, j)).sum()).collect();
        let x = factor.solve(&ones);
        for (i, expected) in ones.iter().enumerate() {
            let found: f64 = x.iter().enumerate().map(|(j, x)| at(i, j) * x).sum();
            assert!((found - expected).abs() < 1e-3 * (1.0 + expected.abs()), "{i}: {found} {expected}");
        }
    }

    #[test]
    fn a_coordinate_with_little_information_keeps_it() {
        let factor = Cholesky::new(&[vec![1.0], vec![0.0, 1e-20]]);
        let form = factor.inverse_form(vec![0.0, 1e-20]);
        assert!((form / 1e-20 - 1.0).abs() < 1e-12, "{form:e}");
    }

    #[test]
    fn a_matrix_that_is_no_covariance_is_taken_by_its_diagonal() {
        let factor = Cholesky::new(&[vec![4.0], vec![100.0, 25.0]]);
        assert_eq!(factor.solve(&[8.0, 50.0]), [2.0, 2.0]);
    }
}
