//! One estimate at work: what is asked for, where optimisers start and stop, and what becomes of
//! each connected component.

use super::coordinates::Coordinates;
use super::lbfgs::{ClimbStop, climb};
use super::newton::Stop;
use super::objective::{Objective, largest};
use super::options::{FitOptions, FitStatus};
use super::parameters::Parameters;
use super::part::Part;
use super::term::Terms;
use crate::Structure;
use crate::control::{Control, Halting};
use crate::counts::CountSource;
use crate::data::Schema;

/// Iterations of L-BFGS before Newton's method takes over: by then it is near enough, and on
/// tables with rare cells L-BFGS would need thousands more.
const CLIMB: u64 = 20;

/// A value of a term that is no help to start from: e^-60 of the rows are none.
const FAR: f64 = 60.0;

/// What is to be fitted.
#[derive(Clone, Copy)]
pub(crate) struct FitRequest<'a> {
    pub(crate) structure: &'a Structure,
    pub(crate) counts: &'a dyn CountSource,
    /// The names of the variables, where they are known: they serve refusals.
    pub(crate) names: Option<&'a Schema>,
    pub(crate) options: &'a FitOptions,
    /// Parameters of the same structure that are near, where some are known.
    pub(crate) near: Option<&'a Parameters>,
}

impl<'a> FitRequest<'a> {
    /// A fit from the start.
    pub(crate) fn new(
        structure: &'a Structure,
        counts: &'a dyn CountSource,
        names: Option<&'a Schema>,
        options: &'a FitOptions,
    ) -> Self {
        Self { structure, counts, names, options, near: None }
    }
}

/// What an estimate is made for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    /// Parameters, and the likelihood of the bare estimate.
    Judgement,
    /// Parameters.
    Parameters,
    /// Parameters that predict held-out rows.
    Predictions,
}

/// One connected component with its bare estimate found, and the way to the one that is used.
pub(super) struct Bare<'a> {
    pub(super) log_likelihood: f64,
    pub(super) status: FitStatus,
    pub(super) boundary: Vec<usize>,
    pub(super) iterations: u64,
    /// The estimate with so many pseudo-counts.
    pub(super) estimate: Box<dyn FnOnce(f64) -> Halting<Used> + Send + 'a>,
}

/// Parameters that are used.
pub(super) struct Used {
    pub(super) phi: Vec<f64>,
    pub(super) log_partition: f64,
    pub(super) gradient: f64,
    pub(super) iterations: u64,
    pub(super) converged: bool,
    /// The log-likelihood of the parameters, where that of the bare estimate is not asked for.
    pub(super) log_likelihood: Option<f64>,
}

impl Used {
    /// A maximum that is known without an optimiser, up to its parameters.
    pub(super) fn at_a_maximum() -> Self {
        let phi = Vec::new();
        Self { phi, log_partition: 0.0, gradient: 0.0, iterations: 0, converged: true, log_likelihood: None }
    }
}

/// One connected component, fitted.
pub(super) struct FittedPart {
    pub(super) used: Used,
    pub(super) log_likelihood: f64,
    pub(super) status: FitStatus,
    pub(super) boundary: Vec<usize>,
    pub(super) iterations: u64,
}

impl<'a> Bare<'a> {
    /// A component of which the bare estimate is not asked for.
    pub(super) fn parameters_alone(estimate: impl FnOnce(f64) -> Halting<Used> + Send + 'a) -> Self {
        Self {
            log_likelihood: f64::NAN,
            status: FitStatus::Converged,
            boundary: Vec::new(),
            iterations: 0,
            estimate: Box::new(estimate),
        }
    }

    pub(super) fn finish(self, pseudo_counts: f64) -> Halting<FittedPart> {
        let used = (self.estimate)(pseudo_counts)?;
        Ok(FittedPart {
            log_likelihood: used.log_likelihood.unwrap_or(self.log_likelihood),
            // What is used must have converged too.
            status: if used.converged { self.status } else { FitStatus::IterationLimit },
            boundary: self.boundary,
            iterations: self.iterations + used.iterations,
            used,
        })
    }
}

pub(super) struct Job<'a> {
    pub(super) request: FitRequest<'a>,
    pub(super) wanted: Wanted,
    pub(super) terms: &'a Terms,
    pub(super) coordinates: &'a Coordinates,
    /// How often each level of each variable was observed.
    pub(super) levels: Vec<Vec<f64>>,
    pub(super) control: &'a dyn Control,
}

impl Job<'_> {
    pub(super) fn stop(&self, rows: f64) -> Stop<'_> {
        let FitOptions { tolerance, max_iterations, memory, .. } = *self.request.options;
        Stop { tolerance, iterations: max_iterations, rows, bounded: true, memory, control: self.control }
    }

    /// Where Newton's method starts, and the iterations that led there.
    pub(super) fn approach(
        &self,
        part: &Part,
        helped: &impl Objective,
        stop: Stop<'_>,
    ) -> Halting<(Vec<f64>, u64)> {
        let begin = self.start(part, helped.coordinates());
        if self.request.near.is_some() {
            return Ok((begin, 0));
        }
        let iterations = CLIMB.min(stop.iterations);
        let until = ClimbStop { tolerance: stop.tolerance, iterations, control: self.control };
        let (start, climbed) = climb(helped, begin.clone(), until)?;
        // Where rows are very unequal, a line search may end so far out that nothing is left there.
        let lost = largest(&helped.coordinates().expand(&start)) > FAR;
        Ok((if lost { begin } else { start }, climbed))
    }

    /// Where the climb starts: near parameters, or independent variables, each with its observed
    /// distribution.
    pub(super) fn start(&self, part: &Part, coordinates: &Coordinates) -> Vec<f64> {
        if let Some(near) = self.request.near {
            return coordinates.free().iter().map(|&local| near.values()[part.terms[local]]).collect();
        }
        let value = |&local: &usize| {
            let term = self.terms.term(part.terms[local]);
            match (term.variables.as_slice(), term.levels.as_slice()) {
                (&[variable], &[level]) => {
                    let count = |level: u32| self.levels[variable][level as usize] + 0.5;
                    libm::log(count(level) / count(0))
                }
                _ => 0.0,
            }
        };
        coordinates.free().iter().map(value).collect()
    }
}
