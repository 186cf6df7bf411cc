//! The linear restrictions that a context puts on the phi-terms (paper, Proposition 2).

use super::term::{TermSet, Terms};
use crate::Structure;
use crate::data::Var;
use crate::error::{Error, Remedy, Result};
use crate::graph::{Edge, Graph, VarSet};
use crate::table::{Cell, OutcomeSpace};

/// The most bytes that the restrictions of one structure may take.
const MOST_BYTES: u64 = 256 << 20;

/// One restriction: the terms with these numbers sum to zero.
///
/// Belongs to an element x_cn of C(i,j) and a pair of levels x_i', x_j', none of them 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Restriction {
    /// The edge {i, j}.
    pub edge: Edge,
    /// The element x_cn(i,j), as a number of its outcome space.
    pub cell: Cell,
    /// The levels of the edge's lower and higher end.
    pub levels: (u32, u32),
    /// The numbers of the terms, ascending; each has coefficient 1.
    pub terms: Vec<usize>,
}

/// All restrictions of a structure, (r_i-1)(r_j-1) for each context element (paper,
/// Proposition 2), by edge, element and levels in order.
///
/// # Example
/// ```
/// use cmnet::{Edge, Structure, Terms, restrictions};
/// let mut structure = Structure::empty(&[2, 2, 2]);
/// for (i, j) in [(0, 1), (0, 2), (1, 2)] {
///     structure.toggle_edge(Edge::new(i, j)?)?;
/// }
/// structure.add_context_element(Edge::new(0, 1)?, 1)?;
/// let terms = Terms::new(&structure, None)?;
/// // phi_01(1,1) + phi_012(1,1,1) = 0
/// assert_eq!(restrictions(&structure, &terms)[0].terms, [3, 6]);
/// # Ok::<(), cmnet::Error>(())
/// ```
pub fn restrictions(structure: &Structure, terms: &Terms) -> Vec<Restriction> {
    let mut all = Vec::new();
    for context in structure.contexts() {
        let pattern = ElementPattern::new(structure.graph(), terms, context.edge(), context.space());
        for cell in context.elements() {
            all.extend(pattern.restrictions(cell));
        }
    }
    all
}

/// Refuses restrictions that would take too much, before they are listed.
pub(super) fn check_restrictions(structure: &Structure, terms: &Terms) -> Result<()> {
    let mut used = 0u64;
    for context in structure.contexts() {
        let pattern = ElementPattern::new(structure.graph(), terms, context.edge(), context.space());
        let (low, high) = context.edge().ends();
        let levels = |v: Var| u64::from(terms.cardinalities()[v]) - 1;
        let pairs = levels(low).saturating_mul(levels(high));
        for cell in context.elements() {
            // One term for each set of common neighbours of which none is at its first level.
            let above = context.space().configuration(cell).iter().filter(|&&level| level > 0).count();
            let sets = 1usize.checked_shl(above as u32).unwrap_or(usize::MAX).min(pattern.sets.len());
            let bytes = (size_of::<Restriction>() as u64).saturating_add(8 * sets as u64);
            used = used.saturating_add(bytes.saturating_mul(pairs));
        }
        if used > MOST_BYTES {
            let what = "the memory of the restrictions that the contexts put on the terms";
            let remedies = [Remedy::LearnSparserGraph, Remedy::SmallerKappa];
            return Err(Error::limit(what, format!("{} MiB", MOST_BYTES >> 20), remedies));
        }
    }
    Ok(())
}

/// Lists the restrictions of the elements of one edge's context.
pub(crate) struct ElementPattern<'a> {
    terms: &'a Terms,
    edge: Edge,
    space: &'a OutcomeSpace,
    /// The sets A + {i, j} with A a complete subset of cn(i,j), A by position in cn.
    sets: Vec<(&'a TermSet, Vec<usize>)>,
}

impl<'a> ElementPattern<'a> {
    pub(crate) fn new(graph: &Graph, terms: &'a Terms, edge: Edge, space: &'a OutcomeSpace) -> Self {
        let mut pattern = Self { terms, edge, space, sets: Vec::new() };
        let (low, high) = edge.ends();
        pattern.grow(graph, &VarSet::from_iter([low, high]), 0);
        pattern
    }

    /// Adds `set` and every larger one that is complete and grows by members of cn from a
    /// position on.
    fn grow(&mut self, graph: &Graph, set: &VarSet, from: usize) {
        let Some(term_set) = self.terms.set(set) else { return };
        let own = |v: &Var| !self.edge.touches(*v);
        let positions = set.iter().filter(own).filter_map(|v| self.space.variables().position(v)).collect();
        self.sets.push((term_set, positions));
        for (position, &variable) in self.space.variables().as_slice().iter().enumerate().skip(from) {
            if set.iter().all(|member| graph.markov_blanket(member).contains(variable)) {
                self.grow(graph, &set.toggled(variable), position + 1);
            }
        }
    }

    /// The restrictions that x_cn = `cell` gives, one per pair of levels of the edge.
    pub(crate) fn restrictions(&self, cell: Cell) -> Vec<Restriction> {
        let configuration = self.space.configuration(cell);
        let (low, high) = self.edge.ends();
        // First term and strides for the two levels, where x_A has no zero level.
        let mut parts = Vec::new();
        for (set, positions) in &self.sets {
            if positions.iter().any(|&position| configuration[position] == 0) {
                continue;
            }
            let level = |v: Var| self.space.variables().position(v).map_or(1, |at| configuration[at]);
            let levels: Vec<u32> = set.variables().iter().map(level).collect();
            let stride = |v: Var| set.variables().position(v).map_or(0, |at| set.stride(at));
            parts.push((set.number(&levels), stride(low), stride(high)));
        }
        let cardinality = |v: Var| self.terms.cardinalities()[v];
        let mut rows = Vec::new();
        for low_level in 1..cardinality(low) {
            for high_level in 1..cardinality(high) {
                let shift = |&(first, low_stride, high_stride): &(usize, usize, usize)| {
                    first + (low_level as usize - 1) * low_stride + (high_level as usize - 1) * high_stride
                };
                let mut terms: Vec<usize> = parts.iter().map(shift).collect();
                terms.sort_unstable();
                rows.push(Restriction { edge: self.edge, cell, levels: (low_level, high_level), terms });
            }
        }
        rows
    }
}

/// How far parameters are from satisfying a structure's restrictions: the largest absolute
/// sum that should be zero.
pub fn largest_violation(structure: &Structure, terms: &Terms, values: &[f64]) -> f64 {
    let sum = |row: &Restriction| row.terms.iter().map(|&term| values[term]).sum::<f64>().abs();
    restrictions(structure, terms).iter().map(sum).fold(0.0, f64::max)
}
