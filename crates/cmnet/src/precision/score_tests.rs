//! Score tests of single edges and of single context elements: whether the model would be better
//! with the edge, or without the element.

use super::chi_square::chi_square_tail;
use crate::control::{Control, ask};
use crate::counts::CountSource;
use crate::data::Var;
use crate::error::{Error, Result};
use crate::graph::Edge;
use crate::loglinear::{Estimate, Fit, FitOptions, RaoRequest, rao};
use crate::structure::Structure;
use crate::table::Cell;

/// The test of one restriction of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct ScoreTest {
    /// The edge that the model has not, or whose context is tested.
    pub edge: Edge,
    /// The configuration of the common neighbours in which the edge is cut off, with its number;
    /// `None` when the edge itself is tested.
    pub element: Option<(Cell, Vec<(Var, u32)>)>,
    /// The score statistic.
    pub statistic: f64,
    /// Parameters that the model would have more. 0: others of its restrictions imply this one.
    pub degrees: usize,
    /// The probability of at least this statistic, if the model is right.
    pub p_value: f64,
    /// The same among all tests, by Holm's method: the chance that any of them errs is at most
    /// this.
    pub adjusted: f64,
}

/// Score tests of a model that was fitted by maximum likelihood: of each edge that it has not,
/// and of each element of its contexts.
///
/// # Errors
/// When the fit is no maximum likelihood estimate; when a larger structure takes too much memory;
/// when the control asks to stop.
pub fn score_tests(
    structure: &Structure,
    fit: &Fit,
    counts: &dyn CountSource,
    control: &dyn Control,
) -> Result<Vec<ScoreTest>> {
    if fit.estimate != Estimate::Exact || !fit.ridge.is_none() {
        let problem = "score tests take maximum likelihood estimates";
        return Err(Error::question(problem, "fit the model by the exact method, without a ridge"));
    }
    let memory = FitOptions::default().memory;
    let test = |edge: Edge, element, outer: &Structure| {
        ask(control)?;
        let found = rao(RaoRequest { fit, outer, counts, memory }, control).map_err(Error::from)?;
        let p_value = chi_square_tail(found.statistic, found.degrees);
        let (statistic, degrees) = (found.statistic, found.degrees);
        Ok::<_, Error>(ScoreTest { edge, element, statistic, degrees, p_value, adjusted: p_value })
    };
    let mut tests = Vec::new();
    for edge in structure.graph().pairs().filter(|&edge| !structure.graph().contains(edge)) {
        tests.push(test(edge, None, &with_edge(structure, edge)?)?);
    }
    for context in structure.contexts() {
        let space = context.space();
        for cell in context.elements() {
            let given = space.variables().iter().zip(space.configuration(cell)).collect();
            let outer = without_element(structure, context.edge(), cell)?;
            tests.push(test(context.edge(), Some((cell, given)), &outer)?);
        }
    }
    adjust(&mut tests);
    Ok(tests)
}

/// The structure with one more edge, and contexts that say the same as before.
fn with_edge(structure: &Structure, edge: Edge) -> Result<Structure> {
    let mut outer = structure.clone();
    outer.toggle_edge(edge)?;
    for context in structure.contexts() {
        let own = context.edge();
        let space = outer.context_space(own)?;
        if space.variables() == context.space().variables() {
            continue;
        }
        let projection = space.projection(context.space());
        for cell in (0..space.size()).filter(|&cell| context.contains(projection.apply(cell))) {
            outer.add_context_element(own, cell)?;
        }
    }
    Ok(outer)
}

/// The structure without one element of a context.
fn without_element(structure: &Structure, edge: Edge, left_out: Cell) -> Result<Structure> {
    let mut outer = structure.clone();
    outer.clear_contexts();
    for context in structure.contexts() {
        for cell in context.elements().filter(|&cell| context.edge() != edge || cell != left_out) {
            outer.add_context_element(context.edge(), cell)?;
        }
    }
    Ok(outer)
}

/// Holm's method: the smallest p-value times the number of tests, the next times one less, and so
/// on, none below the one before.
fn adjust(tests: &mut [ScoreTest]) {
    let mut order: Vec<usize> = (0..tests.len()).filter(|&at| tests[at].degrees > 0).collect();
    order.sort_by(|&one, &other| tests[one].p_value.total_cmp(&tests[other].p_value));
    let mut least = 0.0f64;
    for (rank, &at) in order.iter().enumerate() {
        least = least.max(tests[at].p_value * (order.len() - rank) as f64).min(1.0);
        tests[at].adjusted = least;
    }
}
