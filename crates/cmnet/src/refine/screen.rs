//! Which pairs are worth a fit: those in which what a node's conditional leaves unexplained
//! depends on another variable.

use super::family::NodeFit;
use super::rows::{Classes, Rows};
use crate::data::Var;
use crate::structure::Structure;

/// The least expected count that divides a square.
const LEAST_EXPECTED: f64 = 0.5;

/// For each variable outside of a node's blanket, half of Pearson's chi-square of the node's
/// residuals by its levels: about what the log-likelihood gains by the edge, before the other
/// parameters follow.
pub(super) fn promises(rows: &Rows, structure: &Structure, node: Var, fit: &NodeFit) -> Vec<(Var, f64)> {
    let blanket = structure.markov_blanket(node);
    let classes = Classes::of(rows, node, blanket);
    let levels = rows.levels(node);
    let by_class = fit.probabilities(rows, &classes);
    let mut expected = Vec::with_capacity(rows.weights.len() * levels);
    for (&class, weight) in classes.of_row.iter().zip(&rows.weights) {
        let own = &by_class[class as usize * levels..(class as usize + 1) * levels];
        expected.extend(own.iter().map(|p| weight * p));
    }
    let others = (0..rows.columns.len()).filter(|&other| other != node && !blanket.contains(other));
    others.map(|other| (other, promise(rows, node, other, &expected))).collect()
}

fn promise(rows: &Rows, node: Var, other: Var, expected: &[f64]) -> f64 {
    let levels = rows.levels(node);
    let mut sums = vec![0.0; rows.levels(other) * levels];
    let mut seen = sums.clone();
    let own = rows.columns[node].iter().zip(&rows.columns[other]).zip(&rows.weights);
    for (((&level, &at), weight), expected) in own.zip(expected.chunks_exact(levels)) {
        let first = at as usize * levels;
        seen[first + level as usize] += weight;
        sums[first..first + levels].iter_mut().zip(expected).for_each(|(sum, value)| *sum += value);
    }
    let square = |(seen, sum): (&f64, &f64)| (seen - sum) * (seen - sum) / sum.max(LEAST_EXPECTED);
    seen.iter().zip(&sums).map(square).sum::<f64>() / 2.0
}
