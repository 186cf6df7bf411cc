//! Blocks of the curvature matrix: for each maximal clique, the free coordinates that are
//! terms on it.
//!
//! What the data leave open is open clique by clique: an empty cell of a margin, a rare level.
//! Solving each clique's own equations, and adding up, therefore takes the difficulty out of
//! the large system (an overlapping Schwarz preconditioner).

use super::coordinates::Coordinates;
use super::part::Part;
use super::term::Terms;
use crate::graph::VarSet;
use crate::table::Shape;

/// The most entries of one block's features.
const MOST_FEATURES: usize = 1 << 18;

/// The free coordinates of one clique, and how much of each is active in every cell.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    /// The index among the cliques that it was made from.
    pub(crate) clique: usize,
    /// Numbers of the free coordinates, ascending.
    pub(crate) betas: Vec<usize>,
    /// For each cell, (place among `betas`, coefficient).
    features: Vec<Vec<(usize, f64)>>,
    /// Terms outside the clique that depend on one of the coordinates: (place, term, coefficient).
    outside: Vec<(usize, usize, f64)>,
}

impl Block {
    /// The blocks of those cliques that are not too large.
    pub(crate) fn all(terms: &Terms, part: &Part, coordinates: &Coordinates, shapes: &[Shape]) -> Vec<Self> {
        let fits = |shape: &Shape| {
            let sets = 1_usize.checked_shl(shape.variables().len() as u32).unwrap_or(usize::MAX);
            shape.size().saturating_mul(sets) <= MOST_FEATURES
        };
        let dependents = coordinates.dependents();
        let block = |(clique, shape): (usize, &Shape)| {
            let mut block = Self::new(clique, shape, terms, part, coordinates);
            block.find_outside(terms, part, shape, &dependents);
            block
        };
        shapes.iter().enumerate().filter(|(_, shape)| fits(shape)).map(block).collect()
    }

    fn new(clique: usize, shape: &Shape, terms: &Terms, part: &Part, coordinates: &Coordinates) -> Self {
        // The part's term at each cell: the one whose levels are the cell's nonzero ones.
        let mut term_at = vec![None; shape.size()];
        let mut betas = Vec::new();
        for mask in 1usize..1 << shape.variables().len() {
            let chosen = shape.variables().iter().enumerate().filter(|(k, _)| mask >> k & 1 == 1);
            let members: VarSet = chosen.map(|(_, &variable)| variable).collect();
            let Some(set) = terms.set(&members) else { continue };
            let Ok(first) = part.terms.binary_search(&set.range().start) else { continue };
            for (cell, term) in shape.term_cells(set.variables()).into_iter().zip(first..) {
                term_at[cell] = Some(term);
                betas.extend(coordinates.free().binary_search(&term).ok());
            }
        }
        betas.sort_unstable();
        let features = (0..shape.size()).map(|cell| features(cell, shape, &term_at, coordinates, &betas));
        Self { clique, features: features.collect(), betas, outside: Vec::new() }
    }

    fn find_outside(&mut self, terms: &Terms, part: &Part, shape: &Shape, dependents: &[Vec<(usize, f64)>]) {
        for (place, &beta) in self.betas.iter().enumerate() {
            for &(term, factor) in &dependents[beta] {
                let members = terms.set_of(part.terms[term]).variables();
                if !members.iter().all(|v| shape.variables().contains(&v)) {
                    self.outside.push((place, term, factor));
                }
            }
        }
    }

    /// Adds the variance of the terms outside the clique as if they were independent of it:
    /// without them, coordinates that differ only there would look like one.
    pub(crate) fn add_outside(&self, variances: &[f64], matrix: &mut [Vec<f64>]) {
        for &(place, term, factor) in &self.outside {
            matrix[place][place] += factor * factor * variances[term];
        }
    }

    /// A matrix of the block's size, as the rows of its lower triangle.
    pub(crate) fn zero_matrix(&self) -> Vec<Vec<f64>> {
        (0..self.betas.len()).map(|row| vec![0.0; row + 1]).collect()
    }

    /// Adds weight times the covariance matrix of the features over some cells, given with
    /// probabilities that sum to 1.
    pub(crate) fn add_covariance(
        &self,
        cells: impl Iterator<Item = (usize, f64)>,
        weight: f64,
        matrix: &mut [Vec<f64>],
    ) {
        let mut mean: Vec<(usize, f64)> = Vec::new();
        for (cell, probability) in cells {
            let features = &self.features[cell];
            add_outer(features, weight * probability, matrix);
            mean.extend(features.iter().map(|&(place, value)| (place, value * probability)));
        }
        add_up_places(&mut mean);
        add_outer(&mean, -weight, matrix);
    }
}

/// Adds a multiple of v v' to a lower triangle, v sparse with places ascending.
fn add_outer(vector: &[(usize, f64)], factor: f64, matrix: &mut [Vec<f64>]) {
    for (at, &(row, value)) in vector.iter().enumerate() {
        for &(column, other) in &vector[..=at] {
            matrix[row][column] += factor * value * other;
        }
    }
}

/// Sorts by place and adds up what stands at one place.
fn add_up_places(sums: &mut Vec<(usize, f64)>) {
    sums.sort_by_key(|&(place, _)| place);
    sums.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        kept.1 += if same { next.1 } else { 0.0 };
        same
    });
}

/// The coefficients of the betas in the sum of the terms that are active at a cell.
fn features(
    cell: usize,
    shape: &Shape,
    term_at: &[Option<usize>],
    coordinates: &Coordinates,
    betas: &[usize],
) -> Vec<(usize, f64)> {
    let digits = shape.levels(cell).zip(shape.strides()).map(|(level, stride)| level as usize * stride);
    let digits: Vec<usize> = digits.filter(|&digit| digit > 0).collect();
    let mut sums: Vec<(usize, f64)> = Vec::new();
    for mask in 1usize..1 << digits.len() {
        let below: usize =
            digits.iter().enumerate().filter(|(k, _)| mask >> k & 1 == 1).map(|(_, d)| d).sum();
        let Some(term) = term_at[below] else { continue };
        for (beta, factor) in coordinates.expansion(term) {
            sums.extend(betas.binary_search(&beta).ok().map(|place| (place, factor)));
        }
    }
    add_up_places(&mut sums);
    sums.retain(|&(_, value)| value != 0.0);
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_at_one_place_is_added_up() {
        let mut sums = vec![(3, 1.0), (1, 2.0), (3, 0.5), (1, -2.5), (0, 4.0)];
        add_up_places(&mut sums);
        assert_eq!(sums, [(0, 4.0), (1, -0.5), (3, 1.5)]);
    }
}
