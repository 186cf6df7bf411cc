//! Parameter count: the exact rank of the restrictions, block by block (paper, section 2.2).

use super::modular::Echelon;
use super::restriction::{Restriction, check_restrictions, restrictions};
use super::term::Terms;
use crate::Structure;
use crate::control::Control;
use crate::error::Result;
use crate::graph::DisjointSets;
use std::collections::BTreeMap;

/// The number of free parameters k: phi-terms, phi_0 excluded, minus the rank of all
/// restrictions.
///
/// The rank is taken modulo 2^61-1 and again modulo 2^31-1; neither can exceed the rational
/// rank, so that the larger one counts.
///
/// # Errors
/// When the structure has more terms than can be handled.
///
/// # Example
/// ```
/// use cmnet::{Edge, Structure, parameter_count};
/// let mut structure = Structure::empty(&[2, 2, 2]);
/// for (i, j) in [(0, 1), (0, 2), (1, 2)] {
///     structure.toggle_edge(Edge::new(i, j)?)?;
/// }
/// structure.add_context_element(Edge::new(0, 1)?, 1)?;
/// assert_eq!(parameter_count(&structure)?, 6);
/// # Ok::<(), cmnet::Error>(())
/// ```
pub fn parameter_count(structure: &Structure) -> Result<usize> {
    parameter_count_under(structure, &())
}

/// As [`parameter_count`], under a control that may stop it.
///
/// # Errors
/// As [`parameter_count`]; when the control asks to stop.
pub fn parameter_count_under(structure: &Structure, control: &dyn Control) -> Result<usize> {
    parameter_count_of(structure, &Terms::new(structure, None)?, control)
}

/// As [`parameter_count_under`], of these terms of the structure: perhaps of a limited order.
///
/// # Errors
/// As [`parameter_count_under`].
pub fn parameter_count_of(structure: &Structure, terms: &Terms, control: &dyn Control) -> Result<usize> {
    check_restrictions(structure, terms)?;
    let rows = restrictions(structure, terms);
    let mut rank = 0;
    for block in blocks(&rows, terms.len()) {
        rank += block.echelon::<61>(control)?.rank().max(block.echelon::<31>(control)?.rank());
    }
    Ok(terms.len() - rank)
}

/// Restrictions that share terms, with those terms.
#[derive(Default)]
pub(super) struct Block<'a> {
    /// Numbers of the terms, ascending.
    pub(super) terms: Vec<usize>,
    rows: Vec<&'a Restriction>,
}

impl Block<'_> {
    /// Eliminates the block's rows, short ones first so that little fills in.
    pub(super) fn echelon<const BITS: u32>(&self, control: &dyn Control) -> Result<Echelon<BITS>> {
        let local = |row: &&Restriction| -> Vec<usize> {
            row.terms.iter().filter_map(|term| self.terms.binary_search(term).ok()).collect()
        };
        let mut rows: Vec<Vec<usize>> = self.rows.iter().map(local).collect();
        rows.sort_by(|one, other| (one.len(), one).cmp(&(other.len(), other)));
        rows.dedup();
        Echelon::of(self.terms.len(), rows.iter().map(Vec::as_slice), control)
    }
}

/// Splits restrictions into blocks without common terms, by lowest term.
pub(super) fn blocks(rows: &[Restriction], terms: usize) -> Vec<Block<'_>> {
    let mut sets = DisjointSets::new(terms);
    for row in rows {
        row.terms.windows(2).for_each(|pair| sets.join(pair[0], pair[1]));
    }
    let mut blocks: BTreeMap<usize, Block<'_>> = BTreeMap::new();
    for row in rows {
        if let Some(&first) = row.terms.first() {
            let block = blocks.entry(sets.find(first)).or_default();
            block.rows.push(row);
            block.terms.extend(&row.terms);
        }
    }
    for block in blocks.values_mut() {
        block.terms.sort_unstable();
        block.terms.dedup();
    }
    blocks.into_values().collect()
}
