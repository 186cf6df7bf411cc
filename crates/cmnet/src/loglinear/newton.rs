//! Newton's method with conjugate gradients: from near the maximum to the maximum, or to the
//! certainty that there is none.
//!
//! Where a margin of the data is zero, the supremum lies at infinity. There Newton's method
//! does not converge: on exp(-t) every step is 1. So once the gain that is still possible has
//! become negligible, a step that has *not* become small tells a boundary, and the terms that
//! it moves are the ones that run away.

use super::conjugate::{Preconditioner, conjugate_gradients};
use super::objective::{Objective, dot, largest};
use rayon::prelude::*;

/// How an optimisation ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// At the maximum.
    Converged,
    /// On the way to a supremum at infinity; these terms of the part run away.
    Boundary(Vec<usize>),
    /// Neither, when the iterations ran out.
    IterationLimit,
}

/// Where an optimisation ended.
#[derive(Clone, Debug)]
pub(crate) struct Optimum<P> {
    pub(crate) beta: Vec<f64>,
    pub(crate) point: P,
    pub(crate) gradient: f64,
    pub(crate) iterations: u64,
    pub(crate) ending: Ending,
}

/// When to stop.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stop {
    /// The largest derivative, and the relative change of the value, that count as zero.
    pub(crate) tolerance: f64,
    pub(crate) iterations: u64,
    /// Observations: what is negligible is so for their sum.
    pub(crate) rows: f64,
}

/// A gain of the whole log-likelihood that does not matter any more.
const NEGLIGIBLE_GAIN: f64 = 1e-8;
/// What rounding leaves of a gain per observation.
const ROUNDING_GAIN: f64 = 1e-14;
/// A Newton step of a term that is still large when the gain is negligible.
const LARGE_STEP: f64 = 0.02;
/// A variance of a term that the data do not bound. Where the gain is negligible, a direction
/// on the way to infinity has at least ten times this variance, and a finite term with a
/// standard error of a thousand is finite in theory only.
const LARGE_VARIANCE: f64 = 1e6;
/// The longest step of a term: beyond the maximum in a direction of a rare cell the curvature
/// is so small that Newton's method would come back by e^20.
const LONGEST_STEP: f64 = 5.0;
/// A Newton step of a term that is as good as none.
const SMALL_STEP: f64 = 1e-10;

/// Climbs from beta by Newton steps.
pub(crate) fn polish<O: Objective>(objective: &O, beta: Vec<f64>, stop: Stop) -> Optimum<O::Point> {
    let mut point = objective.point();
    objective.move_to(&beta, &mut point);
    let mut climb = Climb { objective, beta, point, preconditioner: None };
    let mut gradient = objective.gradient(&climb.point);
    let mut iterations = 0;
    let mut ending = None;
    while ending.is_none() && iterations < stop.iterations {
        let mut step = climb.newton_step(&gradient);
        let gain = dot(&gradient, &step) / 2.0;
        let negligible = gain <= (NEGLIGIBLE_GAIN / stop.rows).max(ROUNDING_GAIN);
        let by_term = objective.coordinates().expand(&step);
        let excess = largest(&by_term) / LONGEST_STEP;
        if excess > 1.0 {
            for by in &mut step {
                *by /= excess;
            }
        }
        if negligible && largest(&by_term) > LARGE_STEP {
            ending = Some(Ending::Boundary(climb.runaways(&by_term, stop.rows)));
            break;
        }
        iterations += 1;
        let before = largest(&gradient);
        let moved = climb.advance(&step);
        gradient = objective.gradient(&climb.point);
        let settled = largest(&by_term) < SMALL_STEP || !moved || largest(&gradient) > before / 2.0;
        // Out of iterations, or of digits: the stated rule decides.
        let by_rule = gain <= stop.tolerance * objective.value(&climb.point).abs()
            && largest(&gradient) <= stop.tolerance;
        if (negligible && settled) || (by_rule && (!moved || iterations == stop.iterations)) {
            ending = Some(Ending::Converged);
        } else if !moved {
            break;
        }
    }
    let ending = ending.unwrap_or(Ending::IterationLimit);
    Optimum { gradient: largest(&gradient), beta: climb.beta, point: climb.point, iterations, ending }
}

struct Climb<'a, O: Objective> {
    objective: &'a O,
    beta: Vec<f64>,
    point: O::Point,
    preconditioner: Option<Preconditioner>,
}

impl<O: Objective> Climb<'_, O> {
    /// The Newton step: curvature times step = gradient, by preconditioned conjugate
    /// gradients.
    fn newton_step(&mut self, gradient: &[f64]) -> Vec<f64> {
        let preconditioner = match self.preconditioner.take() {
            Some(kept) => kept,
            None => Preconditioner::new(self.objective, &self.point),
        };
        let curvature = |direction: &[f64]| self.objective.curvature(&self.point, direction);
        let (step, effort) = conjugate_gradients(curvature, &preconditioner, gradient);
        // A factor from an earlier point serves as long as it does so well.
        if effort <= preconditioner.patience() {
            self.preconditioner = Some(preconditioner);
        }
        step
    }

    /// The terms that run away: the data say nothing about them, so that their variance is
    /// beyond all bounds. Where the whole matrix is too large, those that a step still moves.
    fn runaways(&self, by_term: &[f64], rows: f64) -> Vec<usize> {
        let runs: Vec<bool> = match Preconditioner::new(self.objective, &self.point) {
            Preconditioner::Factor(factor) => {
                let coordinates = self.objective.coordinates();
                let unbounded = |term: usize| {
                    let mut row = vec![0.0; coordinates.len()];
                    coordinates.expansion(term).for_each(|(at, value)| row[at] = value);
                    factor.inverse_form(row) / rows > LARGE_VARIANCE
                };
                (0..by_term.len()).into_par_iter().map(unbounded).collect()
            }
            Preconditioner::Diagonal(_) => by_term.iter().map(|step| step.abs() > LARGE_STEP).collect(),
        };
        (0..runs.len()).filter(|&term| runs[term]).collect()
    }

    /// Moves by a step, halved until the value does not fall by more than rounding.
    fn advance(&mut self, step: &[f64]) -> bool {
        let before = self.objective.value(&self.point);
        let slack = 4.0 * f64::EPSILON * (1.0 + before.abs());
        let mut length = 1.0;
        for _ in 0..40 {
            let beta: Vec<f64> = self.beta.iter().zip(step).map(|(at, by)| at + length * by).collect();
            self.objective.move_to(&beta, &mut self.point);
            if self.objective.value(&self.point) >= before - slack {
                self.beta = beta;
                return true;
            }
            length /= 2.0;
        }
        self.objective.move_to(&self.beta, &mut self.point);
        false
    }
}
