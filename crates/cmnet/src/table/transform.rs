//! Between phi-terms and dense tables: three sweeps over the axes of a table.
//!
//! In a table over variables C, the cell x with support A = {k : x_k > 0} stands for the term
//! phi_A(x_A). Then log potentials, terms and expectations are linear transforms of one
//! another, each done axis by axis in |C| passes instead of one pass per term.

use crate::table::Shape;

/// Terms to log potentials (paper, eq. 1): each cell becomes the sum of phi_A(x_A) over all
/// A inside its support.
pub(crate) fn sum_of_terms(shape: &Shape, table: &mut [f64]) {
    sweep(shape, table, |low, high| {
        high.iter_mut().zip(low).for_each(|(value, base)| *value += *base);
    });
}

/// Log potentials to terms, the inverse of [`sum_of_terms`].
pub(crate) fn terms_of_sum(shape: &Shape, table: &mut [f64]) {
    sweep(shape, table, |low, high| {
        high.iter_mut().zip(low).for_each(|(value, base)| *value -= *base);
    });
}

/// Probabilities (or counts) of cells to those of terms, the transpose of [`sum_of_terms`]:
/// each cell becomes the probability that X_A = x_A for its support A.
pub(crate) fn margins_of_cells(shape: &Shape, table: &mut [f64]) {
    sweep(shape, table, |low, high| {
        low.iter_mut().zip(high).for_each(|(sum, value)| *sum += *value);
    });
}

/// Along each axis, visits the slice at level 0 together with each slice at a higher level.
fn sweep(shape: &Shape, table: &mut [f64], visit: impl Fn(&mut [f64], &mut [f64])) {
    for (&stride, &levels) in shape.strides().iter().zip(shape.cardinalities()) {
        for block in table.chunks_exact_mut(stride * levels) {
            let (low, higher) = block.split_at_mut(stride);
            for high in higher.chunks_exact_mut(stride) {
                visit(low, high);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sweeps_are_inverse_and_transposed() {
        let shape = Shape::new(vec![1, 0, 2], &[3, 2, 4]);
        let one: Vec<f64> = (0..24).map(|k| f64::from(k * k % 7)).collect();
        let other: Vec<f64> = (0..24).map(|k| f64::from(k * 5 % 11)).collect();
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
        let mut forward = one.clone();
        sum_of_terms(&shape, &mut forward);
        let mut backward = other.clone();
        margins_of_cells(&shape, &mut backward);
        assert!((dot(&forward, &other) - dot(&one, &backward)).abs() < 1e-9);
        assert!((backward[0] - other.iter().sum::<f64>()).abs() < 1e-9);
        terms_of_sum(&shape, &mut forward);
        assert_eq!(forward, one);
    }
}
