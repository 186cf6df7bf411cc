//! L-BFGS by the crate `argmin`, its errors kept behind ours.

use super::objective::Objective;
use crate::control::{Control, Halting, check};
use argmin::core::{CostFunction, Error as ArgminError, Executor, Gradient, State};
use argmin::solver::linesearch::MoreThuenteLineSearch;
use argmin::solver::quasinewton::LBFGS;
use std::cell::RefCell;

/// Pairs of steps and gradient changes that L-BFGS remembers.
const MEMORY: usize = 12;

/// When L-BFGS stops.
#[derive(Clone, Copy)]
pub(crate) struct ClimbStop<'a> {
    /// The largest derivative that counts as zero.
    pub(crate) tolerance: f64,
    /// The most iterations.
    pub(crate) iterations: u64,
    /// Asked before every evaluation.
    pub(crate) control: &'a dyn Control,
}

/// Goes uphill from a start until the largest derivative is about the tolerance, or for so many
/// iterations; returns the best beta seen and the number of iterations.
///
/// Good enough to stop anywhere: Newton's method takes over. So an optimiser that gives up
/// near the top, where values no longer tell points apart, has done its work and is no error.
pub(crate) fn climb<O: Objective>(
    objective: &O,
    start: Vec<f64>,
    stop: ClimbStop<'_>,
) -> Halting<(Vec<f64>, u64)> {
    let remembered = Remembered::new(objective, start.clone(), stop.control);
    let solver = LBFGS::new(MoreThuenteLineSearch::new(), MEMORY)
        .with_tolerance_grad(stop.tolerance)
        .and_then(|solver| solver.with_tolerance_cost(f64::EPSILON));
    let mut done = 0;
    if let Ok(solver) = solver {
        let executor = Executor::new(Downhill(&remembered), solver);
        let result = executor.configure(|state| state.param(start).max_iters(stop.iterations)).run();
        done = result.map_or(0, |result| result.state().get_iter());
    }
    Ok((remembered.into_best()?, done))
}

/// The objective with its last point kept: value and gradient are asked for separately, and
/// both come from one propagation.
struct Remembered<'a, O: Objective> {
    objective: &'a O,
    control: &'a dyn Control,
    last: RefCell<Last<O::Point>>,
}

struct Last<P> {
    beta: Vec<f64>,
    point: P,
    best: Vec<f64>,
    best_value: f64,
    /// Whether the control asked to stop: then the optimiser is given an error, and ends.
    halted: Halting<()>,
}

impl<'a, O: Objective> Remembered<'a, O> {
    fn new(objective: &'a O, start: Vec<f64>, control: &'a dyn Control) -> Self {
        let last = Last {
            beta: Vec::new(),
            point: objective.point(),
            best: start,
            best_value: f64::NEG_INFINITY,
            halted: Ok(()),
        };
        Self { objective, control, last: RefCell::new(last) }
    }

    fn at<T>(&self, beta: &[f64], read: impl FnOnce(&O::Point) -> T) -> Result<T, ArgminError> {
        let mut last = self.last.borrow_mut();
        let moves = last.beta != beta || last.best_value == f64::NEG_INFINITY;
        let moved = if moves {
            self.objective.move_to(beta, &mut last.point, self.control)
        } else {
            check(self.control)
        };
        if let Err(halt) = moved {
            last.halted = Err(halt);
            return Err(ArgminError::msg("stopped"));
        }
        if moves {
            last.beta = beta.to_vec();
            let value = self.objective.value(&last.point);
            if value > last.best_value {
                last.best = beta.to_vec();
                last.best_value = value;
            }
        }
        Ok(read(&last.point))
    }

    fn into_best(self) -> Halting<Vec<f64>> {
        let last = self.last.into_inner();
        last.halted.map(|()| last.best)
    }
}

/// The objective upside down: `argmin` minimises.
struct Downhill<'a, 'b, O: Objective>(&'a Remembered<'b, O>);

impl<O: Objective> CostFunction for Downhill<'_, '_, O> {
    type Param = Vec<f64>;
    type Output = f64;

    fn cost(&self, beta: &Vec<f64>) -> Result<f64, ArgminError> {
        self.0.at(beta, |point| -self.0.objective.value(point))
    }
}

impl<O: Objective> Gradient for Downhill<'_, '_, O> {
    type Param = Vec<f64>;
    type Gradient = Vec<f64>;

    fn gradient(&self, beta: &Vec<f64>) -> Result<Vec<f64>, ArgminError> {
        let mut gradient = self.0.at(beta, |point| self.0.objective.gradient(point))?;
        for value in &mut gradient {
            *value = -*value;
        }
        Ok(gradient)
    }
}
