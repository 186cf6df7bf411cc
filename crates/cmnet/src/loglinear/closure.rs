//! The canonical form of a structure: regular and maximal (paper, section 2.2).
//!
//! Distinct structures can impose the same restrictions. What a structure *means* is the
//! linear space V of phi-terms that satisfy them, and everything here is read off V:
//!
//! * an edge is there when some term on a set that contains it is not zero on all of V;
//! * an element is in an edge's context when its restrictions hold on all of V.
//!
//! That is the closure "add every implied element, remove an edge whose context is full,
//! repeat" in one pass. Removing an edge only drops terms that are zero on V, so that the
//! sums over the smaller cn(i,j) are the old sums: each old element lives on as its part in
//! the new cn(i,j), the restrictions of the result define V again, and k does not change.

use super::coordinates::Coordinates;
use super::restriction::{ElementPattern, restrictions};
use super::term::{TermSet, Terms};
use crate::Structure;
use crate::control::{Control, ask};
use crate::error::{Error, Result};
use crate::graph::{Edge, VarSet};
use std::collections::BTreeSet;

/// The most configurations of common neighbours that are tried for one edge.
const MOST_CELLS: u64 = 1 << 20;

/// The most restrictions whose closure is taken without being asked for.
const MOST_RESTRICTIONS: u64 = 1024;
/// The most configurations that are tried then, over all edges.
const MOST_TRIED: u64 = 1 << 14;

/// The regular maximal structure with the same restrictions.
///
/// Two structures describe the same set of distributions exactly when their canonical forms
/// are equal. Idempotent; the number of parameters stays the same.
///
/// # Errors
/// When the structure has too many terms, or an edge with implied elements has too many
/// configurations of common neighbours to try.
///
/// # Example
/// ```
/// use cmnet::{Edge, Structure, canonical};
/// let mut structure = Structure::empty(&[2, 2, 2]);
/// for (i, j) in [(0, 1), (0, 2), (1, 2)] {
///     structure.toggle_edge(Edge::new(i, j)?)?;
/// }
/// structure.add_context_element(Edge::new(0, 1)?, 0)?; // phi_01 = 0
/// structure.add_context_element(Edge::new(0, 2)?, 1)?; // phi_02 + phi_012 = 0
/// structure.add_context_element(Edge::new(0, 2)?, 0).unwrap_err(); // that would be no edge
/// structure.add_context_element(Edge::new(1, 2)?, 0)?; // phi_12 = 0
/// assert_eq!(canonical(&structure)?, structure);
/// # Ok::<(), cmnet::Error>(())
/// ```
pub fn canonical(structure: &Structure) -> Result<Structure> {
    canonical_under(structure, &())
}

/// As [`canonical`], under a control that may stop it.
///
/// # Errors
/// As [`canonical`]; when the control asks to stop.
pub fn canonical_under(structure: &Structure, control: &dyn Control) -> Result<Structure> {
    if structure.context_elements() == 0 {
        // No restriction: every term is free. A complete graph has too many of them to look at.
        return Ok(structure.clone());
    }
    let terms = Terms::new(structure, None)?;
    let coordinates = Coordinates::under(structure, &terms, control)?;
    let mut closed = Structure::empty(structure.cardinalities());
    for edge in live_edges(&terms, &coordinates) {
        closed.toggle_edge(edge)?;
    }
    for edge in restricted_edges(structure, &terms) {
        if closed.graph().contains(edge) {
            for cell in elements(&closed, edge, &terms, &coordinates, control)? {
                closed.add_context_element(edge, cell)?;
            }
        }
    }
    Ok(closed)
}

/// The regular maximal structure with the same restrictions, where finding it is cheap: with
/// at most 1,024 restrictions and 2^14 configurations to try; else `None`.
///
/// What is admitted took less than 0.1 s (nine binary variables, all connected, 917 elements).
pub fn affordable_canonical(structure: &Structure) -> Option<Structure> {
    let mut restrictions = 0u64;
    let mut near: BTreeSet<Edge> = BTreeSet::new();
    for context in structure.contexts() {
        let ends = [context.edge().low(), context.edge().high()];
        let pairs_of_levels = ends.map(|v| u64::from(structure.cardinalities()[v]) - 1).iter().product();
        restrictions = restrictions.saturating_add((context.len() as u64).saturating_mul(pairs_of_levels));
        let around: VarSet = context.space().variables().iter().chain(ends).collect();
        near.extend(pairs(&around).filter(|&edge| structure.graph().contains(edge)));
    }
    let size = |edge: &Edge| structure.context_space(*edge).map_or(u64::MAX, |space| space.size());
    let tried = near.iter().map(size).fold(0u64, u64::saturating_add);
    if restrictions > MOST_RESTRICTIONS || tried > MOST_TRIED {
        return None;
    }
    canonical(structure).ok()
}

/// Whether two structures describe the same set of distributions.
///
/// # Errors
/// When a canonical form cannot be taken.
pub fn same_model(one: &Structure, other: &Structure) -> Result<bool> {
    Ok(one == other || canonical(one)? == canonical(other)?)
}

/// The edges on which some term is not zero on all of V.
fn live_edges(terms: &Terms, coordinates: &Coordinates) -> BTreeSet<Edge> {
    let live = |set: &&TermSet| set.range().any(|term| !coordinates.is_zero(term));
    terms.sets().iter().filter(live).flat_map(|set| pairs(set.variables())).collect()
}

/// The edges with a term in some restriction; no other edge can have an implied element.
fn restricted_edges(structure: &Structure, terms: &Terms) -> BTreeSet<Edge> {
    let rows = restrictions(structure, terms);
    let sets: BTreeSet<&VarSet> =
        rows.iter().flat_map(|row| &row.terms).map(|&term| terms.set_of(term).variables()).collect();
    sets.into_iter().flat_map(pairs).collect()
}

fn pairs(set: &VarSet) -> impl Iterator<Item = Edge> + '_ {
    set.iter().flat_map(|one| set.iter().filter_map(move |other| Edge::new(one, other).ok()))
}

/// The elements of an edge's context in the closed structure.
fn elements(
    closed: &Structure,
    edge: Edge,
    terms: &Terms,
    coordinates: &Coordinates,
    control: &dyn Control,
) -> Result<Vec<u64>> {
    let space = closed.context_space(edge)?;
    if space.size() > MOST_CELLS {
        return Err(Error::limit(
            format!("the number of configurations of the common neighbours of edge {edge}"),
            MOST_CELLS,
            "compare the structures as they are, without closure",
        ));
    }
    let pattern = ElementPattern::new(closed.graph(), terms, edge, &space);
    let mut implied = Vec::new();
    for cell in 0..space.size() {
        ask(control)?;
        let mut holds = true;
        for row in pattern.restrictions(cell) {
            holds = holds && coordinates.vanishes(&row.terms)?;
        }
        if holds {
            implied.push(cell);
        }
    }
    Ok(implied)
}
