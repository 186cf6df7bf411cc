//! Newton's method with conjugate gradients: from near the maximum to the maximum, or to the
//! certainty that there is none.
//!
//! Where a margin of the data is zero, the supremum lies at infinity. There Newton's method
//! does not converge: on exp(-t) every step is 1. So once the gain that is still possible has
//! become negligible, a step that has *not* become small tells a boundary, and the terms that
//! it moves are the ones that run away.

use super::conjugate::{FORCING, Preconditioner, Solution, conjugate_gradients};
use super::images::Images;
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
    /// What the equations told about the curvature.
    images: Images,
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
/// How far the steps of a coordinate may differ, as a share, that are taken to be the same.
const ALIKE: f64 = 0.01;
/// How far downhill a leap may lead, as a share of the slope before it.
const BEYOND: f64 = 1e-3;
/// What share of a negligible gain equations may leave open once terms run away.
const LEFT_OPEN: f64 = 0.01;

/// Climbs from beta by Newton steps.
pub(crate) fn newton<O: Objective>(
    objective: &O,
    beta: Vec<f64>,
    stop: Stop<'_>,
) -> Halting<Optimum<O::Point>> {
    newton_with(objective, beta, Images::of(objective), stop)
}

/// Climbs by Newton steps from where another function with the same curvature has its maximum.
pub(crate) fn newton_after<O: Objective>(
    objective: &O,
    near: &Optimum<O::Point>,
    stop: Stop<'_>,
) -> Halting<Optimum<O::Point>> {
    newton_with(objective, near.beta.clone(), near.images.clone(), stop)
}

fn newton_with<O: Objective>(
    objective: &O,
    beta: Vec<f64>,
    images: Images,
    stop: Stop<'_>,
) -> Halting<Optimum<O::Point>> {
    let mut point = objective.point();
    objective.move_to(&beta, &mut point, stop.control)?;
    let gradient = objective.gradient(&point);
    let mut climb =
        Climb { objective, beta, point, gradient, preconditioner: None, images, latest: None, stalled: 0 };
    let runs_away = |length| length > LARGE_STEP && !stop.bounded;
    let mut iterations = 0;
    let mut ending = None;
    // Only told of large functions: there not every step is found to the last digit.
    let mut ran_away = false;
    while ending.is_none() && iterations < stop.iterations && climb.stalled < MOST_STALLED {
        check(stop.control)?;
        let little = (NEGLIGIBLE_GAIN / stop.rows).max(ROUNDING_GAIN);
        // Once terms run away, what is sought is the value, and which terms they are.
        let open = if ran_away { LEFT_OPEN * little } else { 0.0 };
        let step = climb.newton_step(open, stop)?;
        if step.gain.is_nan() {
            // On the way to a boundary the curvature becomes singular to rounding. Where the
            // gradient has vanished that is the end, and the latest step tells which one.
            if largest(&climb.gradient) <= stop.tolerance {
                let latest = climb.latest.as_ref().map_or(0.0, |latest| latest.length);
                ending = Some(climb.end(ran_away || runs_away(latest), stop)?);
            }
            break;
        }
        let runs = ran_away || runs_away(step.length);
        ran_away = runs && objective.is_large();
        let negligible = step.trusted && step.gain <= little;
        if negligible && runs {
            ending = Some(climb.end(true, stop)?).filter(|ending| *ending != Ending::Converged);
            if ending.is_some() {
                break;
            }
        }
        iterations += 1;
        let before = largest(&climb.gradient);
        if !runs_away(step.length) || !climb.leap(&step, little, stop.control)? {
            climb.advance(&step, stop.control)?;
        }
        let after = largest(&climb.gradient);
        // The next step would be shorter by the share to which equations are solved.
        let small = if objective.is_large() { SMALL_STEP / FORCING } else { SMALL_STEP };
        let still = step.length < small || (step.length < LARGE_STEP && after > before / 2.0);
        if negligible && still {
            ending = Some(Ending::Converged);
        }
        // Out of iterations, or of digits: the stated rule decides.
        let last = iterations == stop.iterations || climb.stalled == MOST_STALLED;
        let small_gain = after <= ROUNDING_GRADIENT
            || step.gain <= little.max(stop.tolerance * objective.value(&climb.point).abs());
        if last && small_gain && after <= stop.tolerance {
            ending = Some(climb.end(runs, stop)?);
        }
        climb.latest = Some(step);
    }
    let ending = ending.unwrap_or(Ending::IterationLimit);
    let gradient = largest(&climb.gradient);
    let Climb { beta, point, images, .. } = climb;
    Ok(Optimum { beta, point, gradient, iterations, ending, images })
}

struct Climb<'a, O: Objective> {
    objective: &'a O,
    beta: Vec<f64>,
    point: O::Point,
    gradient: Vec<f64>,
    preconditioner: Option<Preconditioner>,
    images: Images,
    /// The step before.
    latest: Option<Step>,
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
    /// gradients, which may leave a gain open.
    fn newton_step(&mut self, open: f64, stop: Stop<'_>) -> Halting<Step> {
        let control = stop.control;
        let curvature = |direction: &[f64]| self.objective.curvature(&self.point, direction);
        let solve = |preconditioner: &Preconditioner| {
            conjugate_gradients(curvature, (preconditioner, &self.images), (&self.gradient, open), control)
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
        let (mut solution, preconditioner) = if let Some(serving) = kept.filter(|(found, _)| serves(found)) {
            serving
        } else {
            let fresh = Preconditioner::new(self.objective, &self.point, stop.memory, control)?;
            (solve(&fresh)?, fresh)
        };
        let failed = !serves(&solution);
        self.images.extend(std::mem::take(&mut solution.images));
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

    /// Takes what this step has in common with the one before as often as it takes until the gain is
    /// negligible. Where terms run away, every step is the same, and gains 1/e of what the one before
    /// gained. Nothing happens, and the answer is no, where steps differ, or where
    /// that leads beyond the highest point on the way.
    fn leap(&mut self, step: &Step, little: f64, control: &dyn Control) -> Halting<bool> {
        let Some(latest) = self.latest.as_ref().filter(|_| self.objective.is_large()) else {
            return Ok(false);
        };
        let whole = step.length <= LONGEST_STEP && step.trusted && latest.trusted;
        let share = latest.gain / step.gain / std::f64::consts::E;
        if !whole || step.gain <= little || (share - 1.0).abs() > ALIKE {
            return Ok(false);
        }
        let same = |(&now, &before): (&f64, &f64)| {
            if (now - before).abs() <= ALIKE * now.abs() { now } else { 0.0 }
        };
        let common: Vec<f64> = step.beta.iter().zip(&latest.beta).map(same).collect();
        if self.objective.length(&common) <= LARGE_STEP {
            return Ok(false);
        }
        let more = libm::log(2.0 * step.gain / little);
        let leaping = |((at, by), common): ((&f64, &f64), &f64)| at + by + more * common;
        let beta: Vec<f64> = self.beta.iter().zip(&step.beta).zip(&common).map(leaping).collect();
        let before = self.objective.value(&self.point);
        self.objective.move_to(&beta, &mut self.point, control)?;
        let gradient = self.objective.gradient(&self.point);
        // Other coordinates follow later: what that makes of the slope is little.
        let least = -BEYOND * dot(&self.gradient, &common);
        let leads_on = self.objective.value(&self.point) >= before && dot(&gradient, &common) >= least;
        if leads_on {
            (self.beta, self.gradient, self.stalled) = (beta, gradient, 0);
        } else {
            self.objective.move_to(&self.beta, &mut self.point, control)?;
        }
        Ok(leads_on)
    }

    /// Moves by a step, halved until the value does not fall by more than rounding.
    fn advance(&mut self, step: &Step, control: &dyn Control) -> Halting<()> {
        let before = self.objective.value(&self.point);
        let mut slack = 4.0 * f64::EPSILON * (1.0 + before.abs());
        if self.objective.is_large() && step.trusted && step.gain <= ROUNDING_GAIN {
            // Sums over so many cells are rounded by more, and the step is known to be a good one.
            slack = slack.max(ROUNDING_GAIN);
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Structure;
    use crate::data::Dataset;
    use crate::graph::Edge;
    use crate::loglinear::block::Block;
    use crate::loglinear::coordinates::Coordinates;
    use crate::loglinear::likelihood::{Likelihood, TreePoint};
    use crate::loglinear::margins::{Smoothing, term_means};
    use crate::loglinear::part::Part;
    use crate::loglinear::term::Terms;
    use crate::tree::JunctionTree;

    /// A function that blocks serve, and that may be said to be large.
    struct Stated(Likelihood, bool);

    impl Objective for Stated {
        type Point = TreePoint;

        fn coordinates(&self) -> &Coordinates {
            self.0.coordinates()
        }
        fn point(&self) -> TreePoint {
            self.0.point()
        }
        fn move_to(&self, beta: &[f64], point: &mut TreePoint, control: &dyn Control) -> Halting<()> {
            self.0.move_to(beta, point, control)
        }
        fn value(&self, point: &TreePoint) -> f64 {
            self.0.value(point)
        }
        fn gradient(&self, point: &TreePoint) -> Vec<f64> {
            self.0.gradient(point)
        }
        fn curvature(&self, point: &TreePoint, direction: &[f64]) -> Vec<f64> {
            self.0.curvature(point, direction)
        }
        fn variances(&self, point: &TreePoint) -> Vec<f64> {
            self.0.variances(point)
        }
        fn blocks(&self) -> &[Block] {
            self.0.blocks()
        }
        fn block_curvature(&self, point: &TreePoint, block: &Block) -> Vec<Vec<f64>> {
            self.0.block_curvature(point, block)
        }
        fn work(&self) -> usize {
            1 << 31
        }
        fn is_large(&self) -> bool {
            self.1
        }
    }

    /// Two squares in a row; with holes some cells of edges were never observed.
    fn ladder(holes: bool) -> (Structure, Dataset) {
        let mut structure = Structure::empty(&[3, 2, 2, 3, 2, 2]);
        for (i, j) in [(0, 1), (1, 2), (2, 3), (0, 3), (2, 4), (4, 5), (3, 5)] {
            structure.toggle_edge(Edge::new(i, j).unwrap()).unwrap();
        }
        let levels = [3, 2, 2, 3, 2, 2];
        let level = |row: usize, v: usize| {
            let mixed = (row * 6 + v + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            ((mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 33) % levels[v]
        };
        let whole = |row: &Vec<usize>| !holes || row[0] + row[1] < 3 && row[4] + row[5] < 2;
        let rows = (0..700).map(|row| (0..6).map(|v| level(row, v)).collect::<Vec<_>>()).filter(whole);
        let rows = rows.map(|row| row.iter().map(ToString::to_string).collect::<Vec<_>>());
        let data = Dataset::from_labels(&["a", "b", "c", "d", "e", "f"], rows).unwrap();
        (structure, data)
    }

    #[test]
    fn large_functions_end_where_others_do() {
        for holes in [false, true] {
            let (structure, data) = ladder(holes);
            let terms = Terms::new(&structure, None).unwrap();
            let coordinates = Coordinates::new(&structure, &terms).unwrap();
            let counts = crate::counts::RowCounts::new(&data);
            let likelihood = |weight: f64| {
                let tree = JunctionTree::new(structure.graph(), structure.cardinalities(), 1 << 20).unwrap();
                let part = Part::whole(&terms);
                let means = term_means(&terms, &part, &counts, Smoothing(weight), &()).unwrap();
                Likelihood::of_part(&terms, &part, tree, coordinates.clone()).with_means(means)
            };
            let rows = data.rows() as f64;
            let stop = Stop {
                tolerance: 1e-7,
                iterations: 1000,
                rows,
                bounded: true,
                memory: 1 << 20,
                control: &(),
            };
            let open = Stop { bounded: false, ..stop };
            let start = vec![0.0; coordinates.len()];
            let [(near, best), (large_near, large_best)] = [false, true].map(|large| {
                let near = newton(&Stated(likelihood(1.0), large), start.clone(), stop).unwrap();
                let best = newton_after(&Stated(likelihood(0.0), large), &near, open).unwrap();
                (near, best)
            });
            let apart = near.beta.iter().zip(&large_near.beta).map(|(one, other)| (one - other).abs());
            assert!(apart.fold(0.0, f64::max) < 1e-9);
            assert_eq!((&near.ending, &large_near.ending), (&Ending::Converged, &Ending::Converged));
            assert_eq!(best.ending, large_best.ending);
            assert_eq!(matches!(best.ending, Ending::Boundary(_)), holes);
            let bare = likelihood(0.0);
            let value = bare.value(&best.point) - bare.value(&large_best.point);
            assert!(value.abs() * rows < 1e-7, "{value}");
            if holes {
                assert!(large_best.iterations + 5 < best.iterations);
            } else {
                let apart = best.beta.iter().zip(&large_best.beta).map(|(one, other)| (one - other).abs());
                assert!(apart.fold(0.0, f64::max) < 1e-9);
            }
        }
    }
}
