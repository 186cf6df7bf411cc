//! Conjugate gradients with a preconditioner: linear equations with the curvature matrix, of
//! which only products with directions are known.

use super::cholesky::Cholesky;
use super::objective::{Objective, dot, largest};
use rayon::prelude::*;

/// An approximate inverse of the curvature.
#[derive(Clone, Debug)]
pub(super) enum Preconditioner {
    Factor(Cholesky),
    Diagonal(Vec<f64>),
}

/// The most free coordinates for which the whole matrix is taken.
const MOST_DENSE: usize = 1500;
/// The most work in table cells to fill it.
const MOST_WORK: usize = 1 << 31;

impl Preconditioner {
    pub(super) fn new<O: Objective>(objective: &O, point: &O::Point) -> Self {
        let size = objective.coordinates().len();
        if size > MOST_DENSE || size.saturating_mul(objective.work()) > MOST_WORK {
            return Self::Diagonal(objective.rough_diagonal(point));
        }
        let row = |at: usize| {
            let mut unit = vec![0.0; size];
            unit[at] = 1.0;
            let mut row = objective.curvature(point, &unit);
            row.truncate(at + 1);
            row
        };
        Self::Factor(Cholesky::new((0..size).into_par_iter().map(row).collect()))
    }

    fn apply(&self, residual: &[f64]) -> Vec<f64> {
        match self {
            Self::Factor(factor) => factor.solve(residual),
            Self::Diagonal(diagonal) => residual.iter().zip(diagonal).map(|(r, d)| r / d).collect(),
        }
    }

    /// The number of conjugate gradient steps up to which it is worth keeping: about what
    /// another one would cost.
    pub(super) fn patience(&self) -> usize {
        match self {
            Self::Factor(factor) => 10 + factor.size() / 10,
            Self::Diagonal(_) => 0,
        }
    }
}

/// Solves curvature * x = right; returns x and the number of steps.
pub(super) fn conjugate_gradients(
    curvature: impl Fn(&[f64]) -> Vec<f64>,
    preconditioner: &Preconditioner,
    right: &[f64],
) -> (Vec<f64>, usize) {
    let mut x = vec![0.0; right.len()];
    let mut residual = right.to_vec();
    let mut direction = preconditioner.apply(&residual);
    let mut energy = dot(&residual, &direction);
    // Far from the maximum a rough step will do; near it the convergence stays fast.
    let forcing = largest(right).sqrt().min(0.1);
    let goal = energy * forcing * forcing;
    let most = (2 * right.len() + 20).min(400);
    for steps in 0..most {
        if energy <= goal || energy <= 0.0 {
            return (x, steps);
        }
        let image = curvature(&direction);
        let bend = dot(&direction, &image);
        if bend <= 0.0 {
            return (x, steps);
        }
        let length = energy / bend;
        for at in 0..x.len() {
            x[at] += length * direction[at];
            residual[at] -= length * image[at];
        }
        let next = preconditioner.apply(&residual);
        let next_energy = dot(&residual, &next);
        let ratio = next_energy / energy;
        energy = next_energy;
        direction.iter_mut().zip(&next).for_each(|(d, z)| *d = z + ratio * *d);
    }
    (x, most)
}
