//! What the data say about each term: how often X_A = x_A, with or without smoothing.

use super::part::{Part, TermTables, clique_shapes};
use super::term::Terms;
use crate::data::Dataset;
use crate::table::Shape;

/// Imagined observations, this many in all, spread evenly over the joint outcome space.
///
/// Maximum likelihood on data and imagined data together always exists and gives every
/// configuration a positive probability; it is the posterior mode under Perks' prior when the
/// weight is 1. Every margin of an even spread is even, so that the sufficient statistics are
/// those of the data plus a constant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Smoothing(pub(crate) f64);

impl Smoothing {
    /// Adds the imagined observations to a table of counts.
    pub(crate) fn add_to(self, counts: &mut [f64]) {
        let share = self.0 / counts.len() as f64;
        for count in counts {
            *count += share;
        }
    }
}

/// How often each configuration of a table's variables was observed.
pub(crate) fn clique_counts(data: &Dataset, shape: &Shape) -> Vec<f64> {
    let mut cells = vec![0usize; data.distinct_rows()];
    for (&variable, &stride) in shape.variables().iter().zip(shape.strides()) {
        data.column(variable).zip_mut(&mut cells, |cell, code| *cell += code as usize * stride);
    }
    let mut counts = vec![0.0; shape.size()];
    for (&cell, &weight) in cells.iter().zip(data.weights()) {
        counts[cell] += f64::from(weight);
    }
    counts
}

/// The mean of each term of a part: the share of observations, imagined ones included, with
/// X_A = x_A. These are the sufficient statistics.
pub(crate) fn term_means(terms: &Terms, part: &Part, data: &Dataset, smoothing: Smoothing) -> Vec<f64> {
    let shapes = clique_shapes(terms, part);
    let tables = TermTables::new(terms, part, shapes.iter());
    let mut means = vec![0.0; tables.terms()];
    for (clique, shape) in shapes.iter().enumerate() {
        let mut counts = clique_counts(data, shape);
        smoothing.add_to(&mut counts);
        tables.margins(clique, shape, &mut counts, &mut means);
    }
    let total = data.rows() as f64 + smoothing.0;
    for mean in &mut means {
        *mean /= total;
    }
    means
}
