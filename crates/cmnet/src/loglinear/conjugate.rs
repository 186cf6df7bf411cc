//! Conjugate gradients with a preconditioner: linear equations with the curvature matrix, of
//! which only products with directions are known.

use super::block::Block;
use super::cholesky::Cholesky;
use super::images::{Image, Images};
use super::objective::{Objective, dot, largest};
use crate::control::{Control, Halting, check};
use rayon::prelude::*;

/// An approximate inverse of the curvature.
#[derive(Clone, Debug)]
pub(super) enum Preconditioner {
    /// The whole matrix.
    Factor(Cholesky),
    /// One matrix for each block, and the diagonal elsewhere.
    Blocks {
        factors: Vec<(Vec<usize>, Cholesky)>,
        /// The inverse of the diagonal, 0 where a block covers the coordinate.
        rest: Vec<f64>,
    },
}

/// The most free coordinates for which the whole matrix is taken.
const MOST_DENSE: usize = 1000;
/// The same where some clique is too large for a block, so that blocks would not help.
const MOST_DENSE_ALONE: usize = 4500;
/// Work in table cells that is not worth sharing among threads.
const MOST_ALONE: usize = 1 << 18;
/// The most steps for one solution.
const MOST_STEPS: usize = 1000;
/// The most work in table cells to fill it.
const MOST_WORK: usize = 1 << 31;

impl Preconditioner {
    /// The whole matrix where it is not too large for so many bytes, or blocks.
    pub(super) fn new<O: Objective>(
        objective: &O,
        point: &O::Point,
        memory: u64,
        control: &dyn Control,
    ) -> Halting<Self> {
        let size = objective.coordinates().len();
        let covered = || {
            let mut covered = vec![false; size];
            objective.blocks().iter().flat_map(|block| &block.betas).for_each(|&beta| covered[beta] = true);
            covered.into_iter().all(|covered| covered)
        };
        let most = if size <= MOST_DENSE || covered() { MOST_DENSE } else { MOST_DENSE_ALONE };
        // The lower triangle and its factor.
        let bytes = (size as u64).saturating_mul(size as u64).saturating_mul(size_of::<f64>() as u64);
        if size > most || bytes > memory / 2 || size.saturating_mul(objective.work()) > MOST_WORK {
            return Self::blocks(objective, point, control);
        }
        let row = |at: usize| {
            check(control)?;
            let mut unit = vec![0.0; size];
            unit[at] = 1.0;
            let mut row = objective.curvature(point, &unit);
            row.truncate(at + 1);
            Ok(row)
        };
        let least = MOST_ALONE / objective.work().max(1) + 1;
        let rows = (0..size).into_par_iter().with_min_len(least).map(row);
        let rows: Vec<Vec<f64>> = rows.collect::<Halting<_>>()?;
        Ok(Self::Factor(Cholesky::new(&rows)))
    }

    pub(super) fn blocks<O: Objective>(
        objective: &O,
        point: &O::Point,
        control: &dyn Control,
    ) -> Halting<Self> {
        let variances = objective.variances(point);
        let factor = |block: &Block| {
            check(control)?;
            let mut matrix = objective.block_curvature(point, block);
            block.add_outside(&variances, &mut matrix);
            Ok((block.betas.clone(), Cholesky::new(&matrix)))
        };
        let factors = objective.blocks().par_iter().map(factor);
        let factors: Vec<(Vec<usize>, Cholesky)> = factors.collect::<Halting<_>>()?;
        let diagonal = objective.coordinates().pull_back_squares(&variances);
        let mut rest: Vec<f64> = diagonal.iter().map(|value| 1.0 / value).collect();
        for &beta in factors.iter().flat_map(|(betas, _)| betas) {
            rest[beta] = 0.0;
        }
        Ok(Self::Blocks { factors, rest })
    }

    fn apply(&self, residual: &[f64]) -> Vec<f64> {
        match self {
            Self::Factor(factor) => factor.solve(residual),
            Self::Blocks { factors, rest } => {
                let mut sum: Vec<f64> = residual.iter().zip(rest).map(|(r, inverse)| r * inverse).collect();
                for (betas, factor) in factors {
                    let own: Vec<f64> = betas.iter().map(|&beta| residual[beta]).collect();
                    for (&beta, value) in betas.iter().zip(factor.solve(&own)) {
                        sum[beta] += value;
                    }
                }
                sum
            }
        }
    }

    /// The number of conjugate gradient steps up to which it is worth keeping: about what
    /// another one would cost.
    pub(super) fn patience(&self) -> usize {
        match self {
            Self::Factor(factor) => 10 + factor.size() / 10,
            Self::Blocks { .. } => 0,
        }
    }

    /// The variances of sums of coordinates, times the number of observations; from below
    /// where only blocks are known, with the coordinates outside of each held fixed.
    pub(super) fn variances(&self, expansions: &[Vec<(usize, f64)>]) -> Vec<f64> {
        match self {
            Self::Factor(factor) => {
                let vector = |expansion: &Vec<(usize, f64)>| {
                    let mut vector = vec![0.0; factor.size()];
                    for &(beta, value) in expansion {
                        vector[beta] = value;
                    }
                    vector
                };
                factor.inverse_forms(expansions.iter().map(vector).collect())
            }
            Self::Blocks { factors, .. } => {
                expansions.iter().map(|expansion| variance_in_blocks(expansion, factors)).collect()
            }
        }
    }
}

fn variance_in_blocks(expansion: &[(usize, f64)], factors: &[(Vec<usize>, Cholesky)]) -> f64 {
    let touched = |betas: &[usize]| expansion.iter().any(|(beta, _)| betas.binary_search(beta).is_ok());
    let near = factors.iter().filter(|(betas, _)| touched(betas));
    let within = |(betas, factor): &(Vec<usize>, Cholesky)| {
        let mut vector = vec![0.0; factor.size()];
        for &(beta, value) in expansion {
            if let Ok(place) = betas.binary_search(&beta) {
                vector[place] = value;
            }
        }
        factor.inverse_form(vector)
    };
    near.map(within).fold(0.0, f64::max)
}

/// The solution of curvature * x = right, as far as it got.
#[derive(Clone, Debug)]
pub(super) struct Solution {
    pub(super) x: Vec<f64>,
    pub(super) steps: usize,
    /// Whether the residual became small: not when steps or digits ran out.
    pub(super) solved: bool,
    /// The directions of the steps with their images, where these are kept.
    pub(super) images: Vec<Image>,
}

impl Solution {
    /// Whether not even the first direction led anywhere: it has no curvature but rounding.
    pub(super) fn failed(&self) -> bool {
        self.steps == 0 && !self.solved
    }
}

/// To which share equations are solved near the maximum.
pub(super) const FORCING: f64 = 1e-4;

/// Solves curvature * x = right, unless the control asks to stop, with a preconditioner and what
/// earlier equations told, as far as about `open` would be gained by going on.
pub(super) fn conjugate_gradients(
    curvature: impl Fn(&[f64]) -> Vec<f64>,
    (preconditioner, images): (&Preconditioner, &Images),
    (right, open): (&[f64], f64),
    control: &dyn Control,
) -> Halting<Solution> {
    // Far from the maximum a rough step will do; near it the convergence stays fast.
    let forcing = largest(right).sqrt().clamp(FORCING, 0.1);
    let apply = |residual: &[f64]| images.correct(|rest| preconditioner.apply(rest), residual);
    solve((forcing, 2.0 * open, images.are_kept()), curvature, apply, right, control)
}

/// The same until the residual has this share of its first length, where digits allow it.
pub(super) fn solve_to(
    forcing: f64,
    curvature: impl Fn(&[f64]) -> Vec<f64>,
    preconditioner: &Preconditioner,
    right: &[f64],
    control: &dyn Control,
) -> Halting<Solution> {
    solve((forcing, 0.0, false), curvature, |residual| preconditioner.apply(residual), right, control)
}

fn solve(
    (forcing, least, keeps): (f64, f64, bool),
    curvature: impl Fn(&[f64]) -> Vec<f64>,
    precondition: impl Fn(&[f64]) -> Vec<f64>,
    right: &[f64],
    control: &dyn Control,
) -> Halting<Solution> {
    let mut x = vec![0.0; right.len()];
    let mut images = Vec::new();
    let mut residual = right.to_vec();
    let mut direction = precondition(&residual);
    let mut energy = dot(&residual, &direction);
    let goal = (energy * forcing * forcing).max(least);
    let most = (2 * right.len() + 20).min(MOST_STEPS);
    let mut steps = 0;
    while energy > goal && steps < most {
        check(control)?;
        let image = curvature(&direction);
        let bend = dot(&direction, &image);
        if bend <= 0.0 {
            break;
        }
        let length = energy / bend;
        for at in 0..x.len() {
            x[at] += length * direction[at];
            residual[at] -= length * image[at];
        }
        let next = precondition(&residual);
        let next_energy = dot(&residual, &next);
        let ratio = next_energy / energy;
        energy = next_energy;
        if keeps {
            images.push(Image { direction: direction.clone(), product: image, bend });
        }
        direction.iter_mut().zip(&next).for_each(|(d, z)| *d = z + ratio * *d);
        steps += 1;
    }
    Ok(Solution { x, steps, solved: energy <= goal, images })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Structure;
    use crate::counts::RowCounts;
    use crate::data::Dataset;
    use crate::graph::Edge;
    use crate::loglinear::coordinates::Coordinates;
    use crate::loglinear::margins::Smoothing;
    use crate::loglinear::part::Part;
    use crate::loglinear::pseudo::PseudoLikelihood;
    use crate::loglinear::term::Terms;

    #[test]
    fn the_whole_matrix_and_its_factor_take_at_most_half_of_the_memory() {
        let mut structure = Structure::empty(&[2, 2]);
        structure.toggle_edge(Edge::new(0, 1).unwrap()).unwrap();
        let data = Dataset::from_labels(&["a", "b"], [["0", "0"], ["1", "1"], ["0", "1"]]).unwrap();
        let terms = Terms::new(&structure, None).unwrap();
        let coordinates = Coordinates::new(&structure, &terms).unwrap();
        let counts = RowCounts::new(&data);
        let pseudo = PseudoLikelihood::new(&terms, &Part::whole(&terms), coordinates, &counts, &()).unwrap();
        let objective = pseudo.with_smoothing(Smoothing(1.0));
        let mut point = objective.point();
        objective.move_to(&[0.0; 3], &mut point, &()).unwrap();
        let made = |memory| Preconditioner::new(&objective, &point, memory, &()).unwrap();
        assert!(matches!(made(2 * 9 * 8), Preconditioner::Factor(_)));
        assert!(matches!(made(2 * 9 * 8 - 1), Preconditioner::Blocks { .. }));
    }
}
