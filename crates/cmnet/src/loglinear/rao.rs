//! Rao's score test: whether a larger structure would fit better, judged at the estimate of the
//! smaller one. No second fit is made.

use super::conjugate::{Preconditioner, solve_to};
use super::coordinates::Coordinates;
use super::information::FORCING;
use super::likelihood::Likelihood;
use super::margins::{Smoothing, term_means};
use super::objective::{Objective, dot};
use super::options::Fit;
use super::part::Part;
use super::restriction::restrictions;
use super::term::Terms;
use crate::Structure;
use crate::control::{Control, Halting, ask, check};
use crate::counts::CountSource;
use crate::error::Result;
use crate::tree::best_plan;

/// A statistic and its degrees of freedom.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rao {
    pub(crate) statistic: f64,
    pub(crate) degrees: usize,
}

/// What is tested, and on what.
#[derive(Clone, Copy)]
pub(crate) struct RaoRequest<'a> {
    /// The structure that was fitted, by maximum likelihood.
    pub(crate) fit: &'a Fit,
    /// A structure that allows all that the fitted one allows.
    pub(crate) outer: &'a Structure,
    pub(crate) counts: &'a dyn CountSource,
    /// The most memory for tables, in bytes.
    pub(crate) memory: u64,
}

/// The score test of an outer structure at the estimate of an inner one.
pub(crate) fn rao(request: RaoRequest<'_>, control: &dyn Control) -> Halting<Rao> {
    let RaoRequest { fit, outer, counts, memory } = request;
    let order = fit.parameters.terms().order();
    let terms = Terms::within(outer, order, counts.schema(), memory)?;
    let coordinates = Coordinates::under(outer, &terms, control)?;
    let degrees = coordinates.len().saturating_sub(fit.free_parameters);
    let mut statistic = 0.0;
    for part in Part::components(&terms, outer.graph()) {
        check(control)?;
        let own = coordinates.restrict(&part.terms);
        let beta: Vec<f64> =
            own.free().iter().map(|&at| fit.parameters.value(&terms.term(part.terms[at]))).collect();
        let plan = best_plan(outer.graph(), &part.variables, terms.cardinalities(), memory / 32);
        let tree = plan.build(terms.cardinalities(), memory)?;
        let means = term_means(&terms, &part, counts, Smoothing(fit.smoothing), control)?;
        let likelihood = Likelihood::of_part(&terms, &part, tree, own).with_means(means);
        let mut point = likelihood.point();
        likelihood.move_to(&beta, &mut point, control)?;
        let gradient = likelihood.gradient(&point);
        let factor = Preconditioner::new(&likelihood, &point, memory, control)?;
        let curvature = |direction: &[f64]| likelihood.curvature(&point, direction);
        let step = solve_to(FORCING, curvature, &factor, &gradient, control)?.x;
        statistic += (fit.rows as f64 + fit.smoothing) * dot(&gradient, &step);
    }
    Ok(Rao { statistic: statistic.max(0.0), degrees })
}

/// Whether every distribution of one structure is one of the other.
///
/// # Errors
/// When a structure has too many terms; when the control asks to stop.
///
/// # Example
/// ```
/// use cmnet::{Edge, Structure, is_nested};
/// let mut outer = Structure::empty(&[2, 2]);
/// outer.toggle_edge(Edge::new(0, 1)?)?;
/// let inner = Structure::empty(&[2, 2]);
/// assert!(is_nested(&inner, &outer, &())?);
/// assert!(!is_nested(&outer, &inner, &())?);
/// # Ok::<(), cmnet::Error>(())
/// ```
pub fn is_nested(inner: &Structure, outer: &Structure, control: &dyn Control) -> Result<bool> {
    if inner.cardinalities() != outer.cardinalities() {
        return Ok(false);
    }
    let (own, other) = (Terms::new(inner, None)?, Terms::new(outer, None)?);
    is_nested_with((inner, &own), (outer, &other), control)
}

/// As [`is_nested`], with these terms of the structures.
pub(crate) fn is_nested_with(
    (inner, own): (&Structure, &Terms),
    (outer, other): (&Structure, &Terms),
    control: &dyn Control,
) -> Result<bool> {
    if inner.cardinalities() != outer.cardinalities() {
        return Ok(false);
    }
    let coordinates = Coordinates::under(inner, own, control)?;
    for number in (0..own.len()).filter(|&number| !coordinates.is_zero(number)) {
        if other.number(&own.term(number)).is_none() {
            return Ok(false);
        }
    }
    for row in restrictions(outer, other) {
        ask(control)?;
        // A term that the inner structure has not is zero there.
        let there: Vec<usize> = row.terms.iter().filter_map(|&term| own.number(&other.term(term))).collect();
        if !coordinates.vanishes(&there)? {
            return Ok(false);
        }
    }
    Ok(true)
}
