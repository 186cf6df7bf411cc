//! Kullback-Leibler divergence: sum over x of p(x) ln(p(x) / q(x)), the truth first (paper,
//! section 4.1).

use crate::control::Control;
use crate::error::{Error, Result};
use crate::graph::{Edge, Graph};
use crate::loglinear::Parameters;
use crate::table::OutcomeSpace;
use crate::tree::{JunctionTree, Propagation};

/// KL(p || q) of two sets of parameters over the same variables, exactly.
///
/// One propagation of p in a junction tree of both graphs together gives the expectation of
/// every term of p and of q.
///
/// # Errors
/// When the variables differ, or that tree does not fit a budget of bytes.
///
/// # Example
/// ```
/// use cmnet::{Parameters, Structure, Terms, divergence};
/// let terms = Terms::new(&Structure::empty(&[2]), None)?;
/// let coin = |log_odds: f64| {
///     let log_partition = Some(libm::log1p(libm::exp(log_odds)));
///     Parameters::new(terms.clone(), vec![log_odds], log_partition)
/// };
/// assert!(divergence(&coin(1.0), &coin(1.0), 1 << 20)?.abs() < 1e-12);
/// assert!(divergence(&coin(1.0), &coin(0.0), 1 << 20)? > 0.1);
/// # Ok::<(), cmnet::Error>(())
/// ```
pub fn divergence(p: &Parameters, q: &Parameters, budget: u64) -> Result<f64> {
    divergence_under(p, q, budget, &())
}

/// As [`divergence`], under a control that may stop it.
///
/// # Errors
/// As [`divergence`]; when the control asks to stop.
pub fn divergence_under(p: &Parameters, q: &Parameters, budget: u64, control: &dyn Control) -> Result<f64> {
    let cardinalities = p.terms().cardinalities();
    if cardinalities != q.terms().cardinalities() {
        return Err(different_variables());
    }
    let graph = union(p, q);
    let tree = JunctionTree::new(&graph, cardinalities, budget)?;
    let mut propagation = Propagation::new(&tree);
    let log_partition_q = match q.log_partition() {
        Some(known) => known,
        None => q.propagate(&tree, &mut propagation, control)?,
    };
    let log_partition_p = p.propagate(&tree, &mut propagation, control)?;
    propagation.distribute_under(&tree, control)?;
    let energy = |parameters: &Parameters| parameters.expectation(&tree, &propagation, control);
    let (one, other) = (energy(p)? - log_partition_p, energy(q)? - log_partition_q);
    // Rounding may leave a divergence of zero a little below it; more is no rounding.
    let is_rounding = other - one <= 1e-9 * one.abs().max(1.0);
    Ok(if one < other && is_rounding { 0.0 } else { one - other })
}

/// KL from a known joint distribution, given as the probability of every configuration of
/// all variables in order, the last variable fastest.
///
/// # Errors
/// When the table has another size, is no distribution, or q is not normalised.
pub fn divergence_from_table(p: &[f64], q: &Parameters) -> Result<f64> {
    let cardinalities = q.terms().cardinalities();
    let space = OutcomeSpace::new((0..cardinalities.len()).collect(), cardinalities)?;
    let total: f64 = p.iter().sum();
    if p.len() as u64 != space.size()
        || total.is_nan()
        || (total - 1.0).abs() > 1e-6
        || p.iter().any(|&value| value < 0.0)
    {
        return Err(Error::option(
            "distribution",
            format!("{} numbers with sum {total}", p.len()),
            "one probability per joint configuration, with sum 1",
        ));
    }
    let evaluator = q.evaluator();
    let mut sum = 0.0;
    for (cell, &probability) in p.iter().enumerate().filter(|(_, probability)| **probability > 0.0) {
        let log_q =
            evaluator.log_probability(&space.configuration(cell as u64)).ok_or_else(not_normalised)?;
        sum += probability * (libm::log(probability) - log_q);
    }
    Ok(sum)
}

/// The graph with the edges of both.
fn union(p: &Parameters, q: &Parameters) -> Graph {
    let mut graph = Graph::empty(p.terms().cardinalities().len());
    for clique in p.terms().cliques().iter().chain(q.terms().cliques()) {
        for one in clique.iter() {
            for edge in clique.iter().filter_map(|other| Edge::new(one, other).ok()) {
                graph.add_edge(edge);
            }
        }
    }
    graph
}

fn different_variables() -> Error {
    Error::mismatch(
        "the models differ in number of variables or of levels",
        "compare models of the same variables",
    )
}

fn not_normalised() -> Error {
    Error::option("model", "no partition function", "a model that was fitted exactly, or normalised")
}
