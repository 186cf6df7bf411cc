//! What an optimiser has to know about a concave function of the free coordinates.

use super::block::Block;
use super::coordinates::Coordinates;
use crate::control::{Control, Halting};

/// A concave function of beta with gradient and curvature: log-likelihood or
/// pseudo-log-likelihood per observation.
pub(crate) trait Objective: Send + Sync {
    /// The function around one beta.
    type Point: Send + Sync;

    /// The free coordinates.
    fn coordinates(&self) -> &Coordinates;

    /// Some point, to be moved.
    fn point(&self) -> Self::Point;

    /// Moves a point to a beta, unless the control asks to stop: then the point is of no use.
    fn move_to(&self, beta: &[f64], point: &mut Self::Point, control: &dyn Control) -> Halting<()>;

    /// The value at a point.
    fn value(&self, point: &Self::Point) -> f64;

    /// The value without what only keeps the optimiser on its way.
    fn plain_value(&self, point: &Self::Point) -> f64 {
        self.value(point)
    }

    /// How long a step is: by default the largest change of a term.
    fn length(&self, step: &[f64]) -> f64 {
        largest(&self.coordinates().expand(step))
    }

    /// The derivatives with respect to beta at a point.
    fn gradient(&self, point: &Self::Point) -> Vec<f64>;

    /// Minus the matrix of second derivatives, times a direction.
    fn curvature(&self, point: &Self::Point, direction: &[f64]) -> Vec<f64>;

    /// The diagonal of that matrix for the terms themselves, every entry positive.
    fn variances(&self, point: &Self::Point) -> Vec<f64>;

    /// Overlapping groups of coordinates that belong together.
    fn blocks(&self) -> &[Block];

    /// That matrix for one block, as far as it is in the block's clique, as the rows of its
    /// lower triangle.
    fn block_curvature(&self, point: &Self::Point, block: &Block) -> Vec<Vec<f64>>;

    /// The work of one curvature, in table cells.
    fn work(&self) -> usize;

    /// Whether one curvature is so much work that few of them are worth some bookkeeping.
    fn is_large(&self) -> bool {
        false
    }
}

/// The running sums of a scalar product: fast, and the same on every machine.
pub(super) type Sums = [f64; 4];

/// The scalar product, in four running sums.
pub(crate) fn dot(one: &[f64], other: &[f64]) -> f64 {
    dot_from([0.0; 4], one, other)
}

/// The scalar product whose first entries, a multiple of four, have these sums.
pub(super) fn dot_from(mut sums: Sums, one: &[f64], other: &[f64]) -> f64 {
    let (ones, others) = (one.chunks_exact(4), other.chunks_exact(4));
    let rest: f64 = ones.remainder().iter().zip(others.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in ones.zip(others) {
        for k in 0..4 {
            sums[k] += a[k] * b[k];
        }
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}

/// The largest absolute value.
pub(crate) fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |largest: f64, value| largest.max(value.abs()))
}
