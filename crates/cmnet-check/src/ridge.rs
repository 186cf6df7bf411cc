//! A ridge on interactions, from its definition: half the sum over sets A of two or more variables
//! of a strength times the squares of `theta_A(x_A)` at all configurations of A.
//!
//! `theta_A(x_A)` is the alternating sum over the subsets B of A of the mean of the log potential
//! with `x_B` fixed, all other levels being equally probable. Over the levels of each variable of
//! A it sums to zero.

use std::collections::BTreeSet;

use crate::error::CheckError;
use crate::loglinear::{LogLinear, Term};
use crate::space::configurations;

/// The derivatives of a model's ridge with respect to every phi. Its strengths are those of orders 2, 3,
/// and so on; the last holds for all higher ones. Only sets that count are drawn towards zero.
pub(crate) fn ridge_slope(
    model: &LogLinear,
    phi: &[f64],
    counts: impl Fn(&[usize]) -> bool,
) -> Result<Vec<f64>, CheckError> {
    let mut slope = vec![0.0; phi.len()];
    let strengths = model.ridge();
    let Some(&last) = strengths.last() else { return Ok(slope) };
    let sets: BTreeSet<&Vec<usize>> = model.terms().iter().map(|term| &term.variables).collect();
    for set in sets.into_iter().filter(|set| set.len() >= 2 && counts(set)) {
        let strength = strengths.get(set.len() - 2).copied().unwrap_or(last);
        let cardinalities: Vec<usize> = set.iter().map(|&v| model.cardinalities()[v]).collect();
        for x in configurations(&cardinalities)? {
            let derivative = |term: &Term| interaction(term, set, &x, model.cardinalities());
            let derivatives: Vec<f64> = model.terms().iter().map(derivative).collect();
            let theta: f64 = derivatives.iter().zip(phi).map(|(by, phi)| by * phi).sum();
            slope.iter_mut().zip(&derivatives).for_each(|(sum, by)| *sum += strength * theta * by);
        }
    }
    Ok(slope)
}

/// The share of one phi in `theta_A(x_A)`.
fn interaction(term: &Term, set: &[usize], x: &[usize], cardinalities: &[usize]) -> f64 {
    let mut sum = 0.0;
    for mask in 0..1_usize << set.len() {
        let fixed = |variable: usize| {
            set.iter().position(|&v| v == variable).filter(|at| mask >> at & 1 == 1).map(|at| x[at])
        };
        let mut mean = 1.0;
        for (&variable, &level) in term.variables.iter().zip(&term.levels) {
            mean *= match fixed(variable) {
                Some(own) => f64::from(u8::from(own == level)),
                None => 1.0 / cardinalities[variable] as f64,
            };
        }
        let left_out = set.len() - mask.count_ones() as usize;
        sum += if left_out.is_multiple_of(2) { mean } else { -mean };
    }
    sum
}
