//! Log potentials as dense tables: made of phi-terms, turned back into them, added up.
//!
//! In a table over variables C, the cell x with support A = {k : x_k > 0} stands for the term
//! phi_A(x_A). Then log potentials, terms and expectations are linear transforms of one
//! another, each done axis by axis in |C| passes instead of one pass per term.

use super::shape::Shape;
use crate::control::{PIECE, Pace};
use crate::data::Var;
use crate::error::Result;
use crate::graph::VarSet;

/// The terms of one set of variables: all configurations without a level 0, the last variable
/// fastest.
pub(crate) type SetTerms<'a> = (&'a VarSet, &'a [f64]);

/// Terms to log potentials (paper, eq. 1): each cell becomes the sum of phi_A(x_A) over all
/// A inside its support.
pub(crate) fn sum_of_terms(shape: &Shape, table: &mut [f64]) {
    sweep(shape, table, add_low);
}

/// Log potentials to terms, the inverse of [`sum_of_terms`].
pub(crate) fn terms_of_sum(shape: &Shape, table: &mut [f64]) {
    sweep(shape, table, |low, high| {
        high.iter_mut().zip(low).for_each(|(value, base)| *value -= *base);
    });
}

/// As [`margins_of_some_cells`], for all cells.
#[cfg(test)]
fn margins_of_cells(shape: &Shape, table: &mut [f64]) {
    sweep(shape, table, add_high);
}

/// Cells of a block below which all of it is swept: there is nothing to gain.
const SMALL_BLOCK: usize = 64;

/// As [`sum_of_terms`], given the only cells that may hold terms, ascending. It passes over blocks
/// without terms, and adds in another order.
pub(crate) fn sum_of_some_terms<T>(shape: &Shape, cells: &[(usize, T)], table: &mut [f64]) {
    let axes: Vec<(usize, usize)> = shape.axes().collect();
    add_up(&axes, cells, 0, table);
}

/// Adds up the terms of a block of a table, which begins at cell `base`.
fn add_up<T>(axes: &[(usize, usize)], cells: &[(usize, T)], base: usize, block: &mut [f64]) {
    let Some(&(_, stride)) = axes.first().filter(|_| !cells.is_empty()) else { return };
    if block.len() <= SMALL_BLOCK {
        return sweep_axes(axes.iter().copied(), block, add_low);
    }
    let (own, mut rest) = cells.split_at(cells.partition_point(|(cell, _)| *cell < base + stride));
    let (low, higher) = block.split_at_mut(stride);
    add_up(&axes[1..], own, base, low);
    for (high, start) in higher.chunks_exact_mut(stride).zip((base + stride..).step_by(stride)) {
        let (within, after) = rest.split_at(rest.partition_point(|(cell, _)| *cell < start + stride));
        add_up(&axes[1..], within, start, high);
        rest = after;
        match (own.is_empty(), within.is_empty()) {
            (true, _) => {}
            (false, true) => high.copy_from_slice(low),
            (false, false) => add_low(low, high),
        }
    }
}

/// Probabilities (or counts) of cells to those of terms, the transpose of [`sum_of_terms`]: each
/// of some cells, ascending, becomes the probability that X_A = x_A for its support A. What the other
/// cells hold afterwards means nothing.
pub(crate) fn margins_of_some_cells<T>(shape: &Shape, cells: &[(usize, T)], table: &mut [f64]) {
    let axes: Vec<(usize, usize)> = shape.axes().collect();
    take_margins(&axes, cells, 0, table);
}

/// Takes the margins of a block of a table, which begins at cell `base`.
fn take_margins<T>(axes: &[(usize, usize)], mut cells: &[(usize, T)], base: usize, block: &mut [f64]) {
    let Some(&(_, stride)) = axes.first().filter(|_| !cells.is_empty()) else { return };
    if block.len() <= SMALL_BLOCK {
        return sweep_axes(axes.iter().copied(), block, add_high);
    }
    let (low, higher) = block.split_at_mut(stride);
    for high in higher.chunks_exact_mut(stride) {
        add_high(low, high);
    }
    for (part, start) in block.chunks_exact_mut(stride).zip((base..).step_by(stride)) {
        let (within, after) = cells.split_at(cells.partition_point(|(cell, _)| *cell < start + stride));
        take_margins(&axes[1..], within, start, part);
        cells = after;
    }
}

fn add_low(low: &mut [f64], high: &mut [f64]) {
    high.iter_mut().zip(low).for_each(|(value, base)| *value += *base);
}

fn add_high(low: &mut [f64], high: &mut [f64]) {
    low.iter_mut().zip(high).for_each(|(sum, value)| *sum += *value);
}

/// As [`sum_of_terms`], and asks on the way whether to go on.
fn sum_of_terms_under(shape: &Shape, table: &mut [f64], pace: &mut Pace<'_>) -> Result<()> {
    if table.len() <= PIECE {
        pace.step(table.len())?;
        sum_of_terms(shape, table);
        return Ok(());
    }
    for (levels, stride) in shape.axes() {
        for block in table.chunks_exact_mut(stride * levels) {
            let (low, higher) = block.split_at_mut(stride);
            for high in higher.chunks_exact_mut(stride) {
                for (high, low) in high.chunks_mut(PIECE).zip(low.chunks(PIECE)) {
                    pace.step(high.len())?;
                    high.iter_mut().zip(low).for_each(|(value, base)| *value += *base);
                }
            }
        }
    }
    Ok(())
}

/// Along each axis, visits the slice at level 0 together with each slice at a higher level.
fn sweep(shape: &Shape, table: &mut [f64], visit: impl Fn(&mut [f64], &mut [f64])) {
    sweep_axes(shape.axes(), table, visit);
}

fn sweep_axes(
    axes: impl Iterator<Item = (usize, usize)>,
    table: &mut [f64],
    visit: impl Fn(&mut [f64], &mut [f64]),
) {
    for (levels, stride) in axes {
        for block in table.chunks_exact_mut(stride * levels) {
            let (low, higher) = block.split_at_mut(stride);
            for high in higher.chunks_exact_mut(stride) {
                visit(low, high);
            }
        }
    }
}

/// Adds to a table of zeros the log potentials of sets of terms, each of which lies inside it.
///
/// They are summed up in a table of the variables that the sets have, usually much smaller.
pub(crate) fn add_potentials(
    shape: &Shape,
    terms: &[SetTerms<'_>],
    table: &mut [f64],
    pace: &mut Pace<'_>,
) -> Result<()> {
    let used = |v: &&Var| terms.iter().any(|(variables, _)| variables.contains(**v));
    let inner = shape.restricted(shape.variables().iter().filter(used).copied());
    let whole = inner.size() == shape.size();
    let mut own = if whole { Vec::new() } else { vec![0.0; inner.size()] };
    let small: &mut [f64] = if whole { &mut *table } else { &mut own };
    for (variables, values) in terms {
        pace.step(values.len())?;
        let cells = inner.term_cells(variables);
        cells.iter().zip(*values).for_each(|(&cell, &value)| small[cell] = value);
    }
    sum_of_terms_under(&inner, small, pace)?;
    if !whole {
        shape.walk_onto(&inner).spread_under(&own, table, pace)?;
    }
    Ok(())
}

/// Adds numbers per level of one variable to all cells of a table that contains it.
pub(crate) fn add_along(
    shape: &Shape,
    variable: Var,
    by_level: &[f64],
    table: &mut [f64],
    pace: &mut Pace<'_>,
) -> Result<()> {
    let stride = shape.stride_of(variable);
    let small = table.len() <= PIECE;
    if small {
        pace.step(table.len())?;
    }
    for block in table.chunks_exact_mut(stride * by_level.len()) {
        for (run, add) in block.chunks_exact_mut(stride).zip(by_level) {
            if small {
                add_to_all(run, *add);
                continue;
            }
            for piece in run.chunks_mut(PIECE) {
                pace.step(piece.len())?;
                add_to_all(piece, *add);
            }
        }
    }
    Ok(())
}

fn add_to_all(values: &mut [f64], add: f64) {
    for value in values {
        *value += add;
    }
}

/// The distribution of one variable of a table of probabilities, or of weights, over its levels.
pub(crate) fn shares_of_levels(shape: &Shape, table: &[f64], variable: Var) -> Vec<f64> {
    let alone = shape.restricted([variable].into_iter());
    let mut sums = vec![0.0; alone.size()];
    shape.walk_onto(&alone).gather(table, &mut sums);
    let total: f64 = sums.iter().sum();
    for sum in &mut sums {
        *sum /= total;
    }
    sums
}

/// Adds to the energies of one variable's levels the cells of a table from `base` on, which is
/// its level 0, a stride apart.
pub(crate) fn add_energies(table: &[f64], base: usize, stride: usize, energies: &mut [f64]) {
    for (level, energy) in energies.iter_mut().enumerate() {
        *energy += table[base + level * stride];
    }
}

fn largest(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}

/// Turns log weights into probabilities; returns the log of the sum of their exponentials.
/// When every weight is zero, the probabilities are all 0 and the logarithm is minus infinity.
pub(crate) fn softmax(values: &mut [f64]) -> f64 {
    let largest = largest(values);
    if largest == f64::NEG_INFINITY {
        values.fill(0.0);
        return largest;
    }
    let mut sum = 0.0;
    for value in values.iter_mut() {
        // One value at least is the largest, whose exponential is known.
        let below = *value - largest;
        *value = if below == 0.0 { 1.0 } else { libm::exp(below) };
        sum += *value;
    }
    for value in values.iter_mut() {
        *value /= sum;
    }
    largest + libm::log(sum)
}

/// As [`softmax`], and asks on the way whether to go on.
pub(crate) fn softmax_under(values: &mut [f64], pace: &mut Pace<'_>) -> Result<f64> {
    if values.len() <= PIECE {
        pace.step(values.len())?;
        return Ok(softmax(values));
    }
    let largest = largest_under(values, pace)?;
    if largest == f64::NEG_INFINITY {
        values.fill(0.0);
        return Ok(largest);
    }
    let mut sum = 0.0;
    for piece in values.chunks_mut(PIECE) {
        pace.step(piece.len())?;
        for value in piece {
            *value = libm::exp(*value - largest);
            sum += *value;
        }
    }
    for piece in values.chunks_mut(PIECE) {
        pace.step(piece.len())?;
        for value in piece {
            *value /= sum;
        }
    }
    Ok(largest + libm::log(sum))
}

fn largest_under(values: &[f64], pace: &mut Pace<'_>) -> Result<f64> {
    let mut found = f64::NEG_INFINITY;
    for piece in values.chunks(PIECE) {
        pace.step(piece.len())?;
        found = found.max(largest(piece));
    }
    Ok(found)
}

/// As [`log_sum`], and asks on the way whether to go on.
pub(crate) fn log_sum_under(values: &[f64], pace: &mut Pace<'_>) -> Result<f64> {
    if values.len() <= PIECE {
        pace.step(values.len())?;
        return Ok(log_sum(values));
    }
    let largest = largest_under(values, pace)?;
    if largest == f64::NEG_INFINITY {
        return Ok(largest);
    }
    let mut sum = 0.0;
    for piece in values.chunks(PIECE) {
        pace.step(piece.len())?;
        sum = piece.iter().fold(sum, |sum, value| sum + libm::exp(value - largest));
    }
    Ok(largest + libm::log(sum))
}

/// The log of the sum of exponentials.
pub(crate) fn log_sum(values: &[f64]) -> f64 {
    let largest = largest(values);
    if largest == f64::NEG_INFINITY {
        return largest;
    }
    largest + libm::log(values.iter().map(|value| libm::exp(value - largest)).sum::<f64>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sweeps_are_inverse_and_transposed() {
        let shape = Shape::new(vec![1, 0, 2], &[3, 2, 4]);
        let one: Vec<f64> = (0..24).map(|k| f64::from(k * k % 7)).collect();
        let other: Vec<f64> = (0..24).map(|k| f64::from(k * 5 % 11)).collect();
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
        let mut forward = one.clone();
        sum_of_terms(&shape, &mut forward);
        let mut backward = other.clone();
        margins_of_cells(&shape, &mut backward);
        assert!((dot(&forward, &other) - dot(&one, &backward)).abs() < 1e-9);
        assert!((backward[0] - other.iter().sum::<f64>()).abs() < 1e-9);
        terms_of_sum(&shape, &mut forward);
        assert_eq!(forward, one);
    }

    #[test]
    fn sweeps_over_some_terms_are_those_over_all() {
        let shape = Shape::new(vec![1, 0, 2, 3, 5, 4], &[3, 2, 4, 3, 2, 5]);
        let wave = |k: usize| libm::sin(k as f64);
        for every in [1, 2, 7, 50, 301, 719, 1000] {
            let cells: Vec<(usize, ())> = (0..shape.size()).skip(5).step_by(every).map(|k| (k, ())).collect();
            let mut terms = vec![0.0; shape.size()];
            for &(cell, ()) in &cells {
                terms[cell] = wave(cell);
            }
            let (mut all, mut some) = (terms.clone(), terms);
            sum_of_terms(&shape, &mut all);
            sum_of_some_terms(&shape, &cells, &mut some);
            assert!(all.iter().zip(&some).all(|(one, other)| (one - other).abs() < 1e-11));
            let mut all: Vec<f64> = (0..shape.size()).map(wave).collect();
            let mut some = all.clone();
            margins_of_cells(&shape, &mut all);
            margins_of_some_cells(&shape, &cells, &mut some);
            assert!(cells.iter().all(|&(cell, ())| all[cell].to_bits() == some[cell].to_bits()));
        }
    }

    #[test]
    fn asking_on_the_way_changes_no_bit() {
        let shape = Shape::new(vec![0, 1, 2], &[3, 2, 100_000]);
        let wave = |k: usize| 20.0 * libm::sin(k as f64);
        let table: Vec<f64> = (0..shape.size()).map(wave).collect();
        let bits = |values: &[f64]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
        let (mut at_once, mut asked) = (table.clone(), table.clone());
        let logs = (softmax(&mut at_once), softmax_under(&mut asked, &mut Pace::new(&())).unwrap());
        assert_eq!(logs.0.to_bits(), logs.1.to_bits());
        assert_eq!(bits(&at_once), bits(&asked));
        let whole = log_sum_under(&table, &mut Pace::new(&())).unwrap();
        assert_eq!(log_sum(&table).to_bits(), whole.to_bits());
        let (mut at_once, mut asked) = (table.clone(), table.clone());
        sum_of_terms(&shape, &mut at_once);
        sum_of_terms_under(&shape, &mut asked, &mut Pace::new(&())).unwrap();
        assert_eq!(bits(&at_once), bits(&asked));
        for kept in [vec![0], vec![2], vec![0, 1], vec![1, 2], vec![2, 0]] {
            let small = shape.restricted(kept.into_iter());
            let walk = shape.walk_onto(&small);
            let (mut at_once, mut asked) = (vec![0.5; small.size()], vec![0.5; small.size()]);
            walk.gather(&table, &mut at_once);
            walk.gather_under(&table, &mut asked, &mut Pace::new(&())).unwrap();
            assert_eq!(bits(&at_once), bits(&asked));
            let (mut wide, mut wide_asked) = (table.clone(), table.clone());
            walk.spread(&at_once, &mut wide);
            walk.spread_under(&asked, &mut wide_asked, &mut Pace::new(&())).unwrap();
            assert_eq!(bits(&wide), bits(&wide_asked));
        }
    }

    #[test]
    fn log_weights_that_are_all_zero_make_no_number_that_is_none() {
        let mut impossible = [f64::NEG_INFINITY; 2];
        assert_eq!((log_sum(&impossible), softmax(&mut impossible)), (f64::NEG_INFINITY, f64::NEG_INFINITY));
        assert_eq!(impossible.to_vec(), vec![0.0; 2]);
        let mut weights = [1000.0, f64::NEG_INFINITY, 1000.0];
        assert_eq!(log_sum(&weights).to_bits(), softmax(&mut weights).to_bits());
        assert_eq!(weights.to_vec(), vec![0.5, 0.0, 0.5]);
    }
}
