//! What the data say about each term: how often X_A = x_A, with or without smoothing.

use super::part::{Part, TermTables, clique_shapes};
use super::term::Terms;
use crate::control::{Control, Halting, check};
use crate::counts::CountSource;
use crate::error::Result;
use crate::table::Shape;

/// Pseudo-counts, this many in all, spread evenly over the joint outcome space.
///
/// Maximum likelihood on data and pseudo-counts together always exists and gives every
/// configuration a positive probability; it is the posterior mode under Perks' prior when the
/// weight is 1. Every margin of an even spread is even, so that the sufficient statistics are
/// those of the data plus a constant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Smoothing(pub(crate) f64);

impl Smoothing {
    /// Adds the pseudo-counts to a table of counts.
    pub(crate) fn add_to(self, counts: &mut [f64]) {
        let share = self.0 / counts.len() as f64;
        for count in counts {
            *count += share;
        }
    }
}

/// How often each configuration of a table's variables was observed.
pub(crate) fn clique_counts(counts: &dyn CountSource, shape: &Shape) -> Result<Vec<f64>> {
    counts.weights(shape)
}

/// The mean of each term of a part: the share of observations, pseudo-counts included, with
/// X_A = x_A. These are the sufficient statistics.
pub(crate) fn term_means(
    terms: &Terms,
    part: &Part,
    counts: &dyn CountSource,
    smoothing: Smoothing,
    control: &dyn Control,
) -> Halting<Vec<f64>> {
    let shapes = clique_shapes(terms, part);
    let tables = TermTables::new(terms, part, shapes.iter());
    let mut means = vec![0.0; tables.terms()];
    for (clique, shape) in shapes.iter().enumerate() {
        check(control)?;
        let mut table = clique_counts(counts, shape)?;
        smoothing.add_to(&mut table);
        tables.margins(clique, shape, &mut table, &mut means);
    }
    let total = counts.total() + smoothing.0;
    for mean in &mut means {
        *mean /= total;
    }
    Ok(means)
}
