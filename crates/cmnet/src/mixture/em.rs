//! Soft EM: the parameters of all networks and the weights of the classes, with the structures held fixed
//! (Dempster, Laird and Rubin 1977).

use super::memberships::Memberships;
use super::options::MixtureOptions;
use crate::control::{Control, Halt, Halting, Outcome, StopReason};
use crate::counts::WeightedRows;
use crate::data::Dataset;
use crate::error::Result;
use crate::learn::{LearnEvent, LearnObserver};
use crate::loglinear::{Fit, FitOptions, FitRequest, fit_to_predict};
use crate::structure::Structure;
use rayon::prelude::*;

/// A class of which the structure is known.
#[derive(Clone, Debug)]
pub(super) struct Class {
    pub(super) structure: Structure,
    /// How its parameters are estimated.
    pub(super) options: FitOptions,
    pub(super) fit: Fit,
    pub(super) weight: f64,
}

/// Where EM ended.
#[derive(Clone, Debug)]
pub(super) struct Mixed {
    pub(super) classes: Vec<Class>,
    /// The log-likelihood of the table before the first step and after each.
    pub(super) steps: Vec<f64>,
    /// Whether the last step gained less than the tolerance.
    pub(super) converged: bool,
    /// What ended it before.
    pub(super) stop: Option<StopReason>,
}

impl Mixed {
    /// What the last step gained.
    pub(super) fn gain(&self) -> f64 {
        match self.steps.as_slice() {
            [.., before, last] => last - before,
            _ => 0.0,
        }
    }
}

/// Climbs from given parameters. Each step raises the log-likelihood with pseudo-counts and ridge; asked to
/// stop, it keeps the parameters after the last whole step.
pub(super) fn climb(
    data: &Dataset,
    mut classes: Vec<Class>,
    options: &MixtureOptions,
    observer: &dyn LearnObserver,
) -> Result<Mixed> {
    let (mut members, first) = expect(data, &classes);
    let mut steps = vec![first];
    let rows = data.rows() as f64;
    for step in 1..=options.max_steps {
        let next = match maximize(data, &classes, &members, &Asking(observer)) {
            Ok(next) => next,
            Err(Halt::Stopped(reason)) => {
                return Ok(Mixed { classes, steps, converged: false, stop: Some(reason) });
            }
            Err(Halt::Failed(error)) => return Err(error),
        };
        let (after, log_likelihood) = expect(data, &next);
        let gain = log_likelihood - steps.last().copied().unwrap_or(log_likelihood);
        (classes, members) = (next, after);
        steps.push(log_likelihood);
        let components = classes.len();
        let event = LearnEvent::Mixed { components, steps: step, log_likelihood: log_likelihood / rows };
        observer.observe_learning(&event);
        if gain.abs() < options.tolerance * rows {
            return Ok(Mixed { classes, steps, converged: true, stop: None });
        }
    }
    Ok(Mixed { classes, steps, converged: false, stop: None })
}

/// The E-step, and the log-likelihood.
pub(super) fn expect(data: &Dataset, classes: &[Class]) -> (Memberships, f64) {
    let logs = |class: &Class| -> Vec<f64> {
        let (evaluator, weight) = (class.fit.parameters.evaluator(), libm::log(class.weight));
        let row =
            |row: usize| weight + evaluator.log_probability(&data.row(row)).unwrap_or(f64::NEG_INFINITY);
        (0..data.distinct_rows()).into_par_iter().map(row).collect()
    };
    Memberships::of(classes.iter().map(logs).collect(), data)
}

/// The M-step: each network is fitted to all rows, weighed by their chances to belong to its class.
fn maximize(
    data: &Dataset,
    classes: &[Class],
    members: &Memberships,
    control: &dyn Control,
) -> Halting<Vec<Class>> {
    let one = |(place, class): (usize, &Class)| {
        let counts = WeightedRows::new(data, members.weights(place, data));
        let near = Some(&class.fit.parameters);
        let from = FitRequest::new(&class.structure, &counts, Some(data.schema()), &class.options);
        match fit_to_predict(&FitRequest { near, ..from }, control)? {
            Outcome::Done(fit) => Ok(Class { fit, weight: members.shares[place], ..class.clone() }),
            Outcome::Stopped(reason) => Err(Halt::Stopped(reason)),
        }
    };
    classes.par_iter().enumerate().map(one).collect()
}

/// The observer as the control that it is.
pub(super) struct Asking<'a>(pub(super) &'a dyn LearnObserver);

impl Control for Asking<'_> {
    fn stop(&self) -> Option<StopReason> {
        self.0.stop()
    }
}
