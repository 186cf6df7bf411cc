//! The classes into which edge contexts partition the outcome space of a Markov blanket
//! (paper, section 3.2, eq. (9) and Figure 4).

use std::collections::BTreeSet;

use crate::error::CheckError;
use crate::space::{configurations, pick, position};
use crate::structure::{Configuration, Labelled};

/// One neighbour i of the node j whose influence is cut off in some contexts; all numbers are
/// places within the configurations of mb(j).
struct CutNeighbor<'a> {
    place: usize,
    levels: usize,
    common: Vec<usize>,
    context: &'a BTreeSet<Configuration>,
}

/// The classes of `X_mb(j)`, each listing its configurations, in order of their first one.
///
/// # Errors
/// An irregular structure, a node that does not exist, or a space too large to list.
pub fn classes(
    cardinalities: &[usize],
    structure: &Labelled,
    node: usize,
) -> Result<Vec<Vec<Configuration>>, CheckError> {
    let numbers = class_numbers(cardinalities, structure, node)?;
    let blanket = structure.markov_blanket(node);
    let mut classes = vec![Vec::new(); numbers.iter().max().map_or(0, |&last| last + 1)];
    for (y, &number) in configurations(&pick(cardinalities, &blanket))?.into_iter().zip(&numbers) {
        classes[number].push(y);
    }
    Ok(classes)
}

/// The class number of every configuration of mb(j), in the order of
/// [`configurations`]; classes are numbered by their first configuration.
///
/// # Errors
/// An irregular structure, a node that does not exist, or a space too large to list.
pub fn class_numbers(
    cardinalities: &[usize],
    structure: &Labelled,
    node: usize,
) -> Result<Vec<usize>, CheckError> {
    structure.require_regular(cardinalities)?;
    if node >= cardinalities.len() {
        return Err(CheckError::NoSuchElement);
    }
    flood(cardinalities, structure, node)
}

/// Colours the whole space: from every configuration not yet reached, follow all allowed
/// changes. The trap is to follow them through observed configurations only: classes also join
/// through configurations that nobody observed.
pub(crate) fn flood(
    cardinalities: &[usize],
    structure: &Labelled,
    node: usize,
) -> Result<Vec<usize>, CheckError> {
    let blanket = structure.markov_blanket(node);
    let sizes = pick(cardinalities, &blanket);
    let space = configurations(&sizes)?;
    let cuts = cut_neighbors(&sizes, structure, node);
    let not_reached = usize::MAX;
    let mut numbers = vec![not_reached; space.len()];
    let mut next_number = 0;
    for start in 0..space.len() {
        if numbers[start] != not_reached {
            continue;
        }
        numbers[start] = next_number;
        let mut waiting = vec![start];
        while let Some(here) = waiting.pop() {
            for there in one_step_away(&space[here], &cuts) {
                let there = position(&there, &sizes);
                if numbers[there] == not_reached {
                    numbers[there] = next_number;
                    waiting.push(there);
                }
            }
        }
        next_number += 1;
    }
    Ok(numbers)
}

/// The neighbours i with a non-empty C(i, j). All of cn(i, j) lies in mb(j).
fn cut_neighbors<'a>(sizes: &[usize], structure: &'a Labelled, node: usize) -> Vec<CutNeighbor<'a>> {
    let blanket = structure.markov_blanket(node);
    let places = |nodes: Vec<usize>| -> Vec<usize> {
        (0..blanket.len()).filter(|&place| nodes.contains(&blanket[place])).collect()
    };
    let cut = |(place, &neighbor): (usize, &usize)| {
        let context = structure.context(neighbor, node)?;
        let common = places(structure.common_neighbors(neighbor, node));
        Some(CutNeighbor { place, levels: sizes[place], common, context })
    };
    blanket.iter().enumerate().filter_map(cut).collect()
}

/// Eq. (9): while `y_cn(i,j)` is in C(i, j), the value of `X_i` does not matter to `X_j`, so y and
/// every y' that differs from it in `X_i` alone are in one class.
fn one_step_away(y: &[usize], cuts: &[CutNeighbor<'_>]) -> Vec<Configuration> {
    let mut steps = Vec::new();
    for cut in cuts.iter().filter(|cut| cut.context.contains(&pick(y, &cut.common))) {
        for level in 0..cut.levels {
            let mut changed = y.to_vec();
            changed[cut.place] = level;
            steps.push(changed);
        }
    }
    steps
}
