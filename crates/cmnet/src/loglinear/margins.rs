//! What the data say about each term: how often X_A = x_A, with or without smoothing.

use super::part::{Part, TermTables, clique_shapes};
use super::term::Terms;
use crate::data::{Dataset, Var};
use crate::inference::Shape;
use std::sync::Arc;

/// A small amount of imagined data: `weight` observations spread over the whole outcome
/// space as if all variables were independent.
///
/// Maximum likelihood on data and imagined data together always exists, gives every
/// configuration a positive probability, and has the same sufficient statistics as without.
/// The distribution of each variable is (n_x + 1/2) / (n + r/2).
#[derive(Clone, Debug)]
pub(crate) struct Smoothing {
    weight: f64,
    /// Level probabilities of every variable.
    levels: Arc<[Vec<f64>]>,
}

impl Smoothing {
    /// No imagined observation yet.
    pub(crate) fn none(data: &Dataset) -> Self {
        let total = data.rows() as f64;
        let distribution = |variable: Var| {
            let counts = data.level_counts(variable);
            let whole = total + counts.len() as f64 / 2.0;
            counts.iter().map(|&count| (count as f64 + 0.5) / whole).collect()
        };
        Self { weight: 0.0, levels: (0..data.variables()).map(distribution).collect() }
    }

    /// The same distribution with another number of observations.
    pub(crate) fn weighing(&self, weight: f64) -> Self {
        Self { weight, levels: Arc::clone(&self.levels) }
    }

    /// The number of imagined observations.
    pub(crate) fn weight(&self) -> f64 {
        self.weight
    }

    /// The distribution of one variable among the imagined observations.
    pub(crate) fn levels(&self, variable: Var) -> &[f64] {
        &self.levels[variable]
    }

    /// Adds the imagined observations to a table of counts.
    pub(crate) fn add_to(&self, shape: &Shape, counts: &mut [f64]) {
        if self.weight == 0.0 {
            return;
        }
        let mut product = vec![self.weight];
        for &variable in shape.variables() {
            let levels = &self.levels[variable];
            product = product.iter().flat_map(|p| levels.iter().map(move |level| p * level)).collect();
        }
        counts.iter_mut().zip(&product).for_each(|(count, add)| *count += add);
    }
}

/// How often each configuration of a table's variables was observed.
pub(crate) fn clique_counts(data: &Dataset, shape: &Shape) -> Vec<f64> {
    let mut cells = vec![0usize; data.distinct_rows()];
    for (&variable, &stride) in shape.variables().iter().zip(shape.strides()) {
        let column = data.column(variable);
        for (row, cell) in cells.iter_mut().enumerate() {
            *cell += column.get(row) as usize * stride;
        }
    }
    let mut counts = vec![0.0; shape.size()];
    for (&cell, &weight) in cells.iter().zip(data.weights()) {
        counts[cell] += f64::from(weight);
    }
    counts
}

/// The mean of each term of a part: the share of observations, imagined ones included, with
/// X_A = x_A. These are the sufficient statistics.
pub(crate) fn term_means(terms: &Terms, part: &Part, data: &Dataset, smoothing: &Smoothing) -> Vec<f64> {
    let shapes = clique_shapes(terms, part);
    let tables = TermTables::new(terms, part, shapes.iter());
    let mut means = vec![0.0; tables.terms()];
    for (clique, shape) in shapes.iter().enumerate() {
        let mut counts = clique_counts(data, shape);
        smoothing.add_to(shape, &mut counts);
        tables.margins(clique, shape, &mut counts, &mut means);
    }
    let total = data.rows() as f64 + smoothing.weight;
    means.iter_mut().for_each(|mean| *mean /= total);
    means
}
