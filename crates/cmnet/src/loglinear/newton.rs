//! Newton's method with conjugate gradients: from near the maximum to the maximum, or to the
//! certainty that there is none.
//!
//! Where a margin of the data is zero, the supremum lies at infinity. There Newton's method
//! does not converge: on exp(-t) every step is 1. So once the gain that is still possible has
//! become negligible, a step that has *not* become small tells a boundary, and the terms that
//! it moves are the ones that run away.

use super::conjugate::{Preconditioner, Solution, conjugate_gradients};
use super::objective::{Objective, dot, largest};
use crate::control::{Control, Halting, check};
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
#[derive(Clone, Copy)]
pub(crate) struct Stop<'a> {
    /// The largest derivative, and the relative change of the value, that count as zero.
    pub(crate) tolerance: f64,
    pub(crate) iterations: u64,
    /// Observations: what is negligible is so for their sum.
    pub(crate) rows: f64,
    /// Whether a maximum is known to exist, however flat: then no step tells a boundary.
    pub(crate) bounded: bool,
    /// Bytes that matrices may take.
    pub(crate) memory: u64,
    /// Asked often; the optimisation ends at once where it says so.
    pub(crate) control: &'a dyn Control,
}

/// A gain of the whole log-likelihood that does not matter any more.
const NEGLIGIBLE_GAIN: f64 = 1e-8;
/// A gain per observation that may be rounding, where observations are many.
const ROUNDING_GAIN: f64 = 1e-12;
/// A largest derivative that is rounding.
const ROUNDING_GRADIENT: f64 = 1e-12;
/// Steps in a row that lead nowhere before the climb ends.
const MOST_STALLED: u32 = 4;
/// A Newton step of a term that is still large when the gain is negligible.
const LARGE_STEP: f64 = 0.02;
/// A variance of a term that the data do not bound. Where the gain is negligible, a direction
/// on the way to infinity has at least ten times this variance, and a finite term with a
/// standard error of a thousand is finite in theory only.
const LARGE_VARIANCE: f64 = 1e6;
/// The same times the observations, where those are so many that rounding ends the climb: less
/// than the inverse of what is lost in it, more than an event seen once in 2^31.
const LARGE_SPREAD: f64 = 1e11;
/// The longest step of a term: beyond the maximum in a direction of a rare cell the curvature
/// is so small that Newton's method would come back by e^20.
const LONGEST_STEP: f64 = 5.0;
/// The share of the gain by a single coordinate that a solution must promise.
const WORTH: f64 = 0.1;
/// Terms whose variances are found together.
const SOME_TERMS: usize = 8;
/// A Newton step of a term that is as good as none.
const SMALL_STEP: f64 = 1e-10;

/// Climbs from beta by Newton steps.
pub(crate) fn newton<O: Objective>(
    objective: &O,
    beta: Vec<f64>,
    stop: Stop<'_>,
) -> Halting<Optimum<O::Point>> {
    let mut point = objective.point();
    objective.move_to(&beta, &mut point, stop.control)?;
    let gradient = objective.gradient(&point);
    let mut climb = Climb { objective, beta, point, gradient, preconditioner: None, stalled: 0 };
    let runs_away = |length| length > LARGE_STEP && !stop.bounded;
    let mut iterations = 0;
    let mut ending = None;
    let mut latest = 0.0;
    while ending.is_none() && iterations < stop.iterations && climb.stalled < MOST_STALLED {
        check(stop.control)?;
        let step = climb.newton_step(stop)?;
        if step.gain.is_nan() {
            // On the way to a boundary the curvature becomes singular to rounding. Where the
            // gradient has vanished that is the end, and the latest step tells which one.
            if largest(&climb.gradient) <= stop.tolerance {
                ending = Some(climb.end(runs_away(latest), stop)?);
            }
            break;
        }
        latest = step.length;
        let little = (NEGLIGIBLE_GAIN / stop.rows).max(ROUNDING_GAIN);
        let negligible = step.trusted && step.gain <= little;
        if negligible && runs_away(step.length) {
            ending = Some(climb.end(true, stop)?).filter(|ending| *ending != Ending::Converged);
            if ending.is_some() {
                break;
            }
        }
        iterations += 1;
        let before = largest(&climb.gradient);
        climb.advance(&step, stop.control)?;
        let after = largest(&climb.gradient);
        let still = step.length < SMALL_STEP || (step.length < LARGE_STEP && after > before / 2.0);
        if negligible && still {
            ending = Some(Ending::Converged);
        }
        // Out of iterations, or of digits: the stated rule decides.
        let last = iterations == stop.iterations || climb.stalled == MOST_STALLED;
        let small_gain = after <= ROUNDING_GRADIENT
            || step.gain <= little.max(stop.tolerance * objective.value(&climb.point).abs());
        if last && small_gain && after <= stop.tolerance {
            ending = Some(climb.end(runs_away(step.length), stop)?);
        }
    }
    let ending = ending.unwrap_or(Ending::IterationLimit);
    let gradient = largest(&climb.gradient);
    Ok(Optimum { gradient, beta: climb.beta, point: climb.point, iterations, ending })
}

struct Climb<'a, O: Objective> {
    objective: &'a O,
    beta: Vec<f64>,
    point: O::Point,
    gradient: Vec<f64>,
    preconditioner: Option<Preconditioner>,
    /// Steps in a row that led nowhere.
    stalled: u32,
}

/// A step and what it promises.
struct Step {
    beta: Vec<f64>,
    /// How long it is, before it was cut.
    length: f64,
    /// The gain in value that the quadratic model expects.
    gain: f64,
    /// Whether the equations were solved, so that length and gain mean something.
    trusted: bool,
}

impl<O: Objective> Climb<'_, O> {
    /// The Newton step: curvature times step = gradient, by preconditioned conjugate
    /// gradients.
    fn newton_step(&mut self, stop: Stop<'_>) -> Halting<Step> {
        let control = stop.control;
        let curvature = |direction: &[f64]| self.objective.curvature(&self.point, direction);
        let solve = |preconditioner: &Preconditioner| {
            conjugate_gradients(curvature, preconditioner, &self.gradient, control)
        };
        // More can be gained than by any coordinate alone, or the equations were not solved.
        let alone = self.alone();
        let singly = alone.iter().zip(&self.gradient).map(|(step, slope)| step * slope / 2.0);
        let least = WORTH * singly.fold(0.0, f64::max);
        let gain = |beta: &[f64]| dot(&self.gradient, beta) / 2.0;
        let serves = |found: &Solution| !found.failed() && gain(&found.x) >= least;
        // A factor from an earlier point serves as long as it does so well.
        let kept = match self.preconditioner.take() {
            Some(kept) => Some((solve(&kept)?, kept)),
            None => None,
        };
        let (solution, preconditioner) = if let Some(serving) = kept.filter(|(found, _)| serves(found)) {
            serving
        } else {
            let fresh = Preconditioner::new(self.objective, &self.point, stop.memory, control)?;
            (solve(&fresh)?, fresh)
        };
        let failed = !serves(&solution);
        if solution.solved && !failed && solution.steps <= preconditioner.patience() {
            self.preconditioner = Some(preconditioner);
        }
        let mut beta = if failed { alone } else { solution.x };
        let gain = gain(&beta);
        let length = self.objective.length(&beta);
        if length > LONGEST_STEP {
            for by in &mut beta {
                *by *= LONGEST_STEP / length;
            }
        }
        let trusted = !failed && (solution.solved || largest(&self.gradient) <= ROUNDING_GRADIENT);
        Ok(Step { beta, length, gain, trusted })
    }

    /// The steps of the coordinates, each as if it were alone: the way up where the equations
    /// are lost in rounding.
    fn alone(&self) -> Vec<f64> {
        let own = self.objective.coordinates().pull_back_squares(&self.objective.variances(&self.point));
        self.gradient.iter().zip(own).map(|(slope, curvature)| slope / curvature).collect()
    }

    /// The end of a climb that has nothing left to gain. A long step of terms that the data do
    /// bound is only a flat one.
    fn end(&self, runs_away: bool, stop: Stop<'_>) -> Halting<Ending> {
        let terms = if runs_away { self.runaways(stop)? } else { Vec::new() };
        Ok(if terms.is_empty() { Ending::Converged } else { Ending::Boundary(terms) })
    }

    /// The terms that run away: the data say nothing about them, so that their variance is
    /// beyond all bounds. Clique by clique that is seen most sharply; the whole matrix, where
    /// there is one, also sees what runs away across cliques.
    fn runaways(&self, stop: Stop<'_>) -> Halting<Vec<usize>> {
        let blocks = Preconditioner::blocks(self.objective, &self.point, stop.control)?;
        let whole = Preconditioner::new(self.objective, &self.point, stop.memory, stop.control)?;
        let coordinates = self.objective.coordinates();
        let bound = (LARGE_VARIANCE * stop.rows).min(LARGE_SPREAD);
        let unbounded = |terms: &[usize]| {
            check(stop.control)?;
            let expansion = |&term: &usize| coordinates.expansion(term).collect();
            let expansions: Vec<Vec<(usize, f64)>> = terms.iter().map(expansion).collect();
            let both = blocks.variances(&expansions).into_iter().zip(whole.variances(&expansions));
            Ok(both.map(|(in_block, in_whole)| in_block.max(in_whole) > bound).collect::<Vec<bool>>())
        };
        let terms: Vec<usize> = (0..coordinates.terms()).collect();
        let unbounded = terms.par_chunks(SOME_TERMS).map(unbounded).collect::<Halting<Vec<_>>>()?.concat();
        Ok((0..unbounded.len()).filter(|&term| unbounded[term]).collect())
    }

    /// Moves by a step, halved until the value does not fall by more than rounding.
    fn advance(&mut self, step: &Step, control: &dyn Control) -> Halting<()> {
        let before = self.objective.value(&self.point);
        let slack = 4.0 * f64::EPSILON * (1.0 + before.abs());
        let mut length = 1.0;
        let mut moved = false;
        for _ in 0..40 {
            check(control)?;
            let beta: Vec<f64> = self.beta.iter().zip(&step.beta).map(|(at, by)| at + length * by).collect();
            self.objective.move_to(&beta, &mut self.point, control)?;
            moved = self.objective.value(&self.point) >= before - slack;
            if moved {
                self.beta = beta;
                break;
            }
            length /= 2.0;
        }
        if !moved {
            self.objective.move_to(&self.beta, &mut self.point, control)?;
        }
        self.gradient = self.objective.gradient(&self.point);
        let gained = self.objective.value(&self.point) - before;
        self.stalled = if moved && gained > slack { 0 } else { self.stalled + 1 };
        Ok(())
    }
}
