//! Moves between structures, each with its way back.
//!
//! An edge that is added or removed changes the common neighbours of the edges around it. Added, it
//! finds their contexts a place over one more variable: cut off at all of its levels. Removed, it
//! takes that variable from them, which has one way back only where they say the same at all of its
//! levels, and where the edge itself has no context; else the move is not made. So each move and its
//! way back are as probable as each other, and Hastings' ratio is that of the densities.

use crate::context::EdgeContext;
use crate::data::Var;
use crate::error::Result;
use crate::graph::Edge;
use crate::structure::Structure;
use crate::table::{Cell, OutcomeSpace};

/// A structure with an edge toggled; `None` where there is no way back.
///
/// # Errors
/// When a context's outcome space is too large to be numbered.
pub(super) fn toggled(structure: &Structure, edge: Edge) -> Result<Option<Structure>> {
    let adds = !structure.graph().contains(edge);
    if structure.context(edge).is_some() {
        return Ok(None);
    }
    let mut next = structure.clone();
    next.toggle_edge(edge)?;
    let (low, high) = edge.ends();
    for between in structure.graph().common_neighbors(edge).iter() {
        for (end, other) in [(low, high), (high, low)] {
            let side = Edge::new(end, between)?;
            let Some(context) = structure.context(side) else { continue };
            let space = next.context_space(side)?;
            let cells = if adds { Some(extended(context, &space)) } else { reduced(context, &space, other) };
            let Some(cells) = cells else { return Ok(None) };
            for cell in cells {
                next.add_context_element(side, cell)?;
            }
        }
    }
    Ok(Some(next))
}

/// A context over one more variable, at all of its levels.
fn extended(context: &EdgeContext, space: &OutcomeSpace) -> Vec<Cell> {
    let onto = space.projection(context.space());
    (0..space.size()).filter(|&cell| context.contains(onto.apply(cell))).collect()
}

/// A context over one variable less, where it says the same at all levels of that.
fn reduced(context: &EdgeContext, space: &OutcomeSpace, without: Var) -> Option<Vec<Cell>> {
    let own = context.space();
    let levels = own.variables().position(without).map_or(1, |place| own.cardinalities()[place]);
    let onto = own.projection(space);
    let mut cells: Vec<Cell> = context.elements().map(|cell| onto.apply(cell)).collect();
    cells.sort_unstable();
    let whole = cells.chunk_by(|one, other| one == other).all(|same| same.len() == levels as usize);
    cells.dedup();
    whole.then_some(cells)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edge(i: usize, j: usize) -> Edge {
        Edge::new(i, j).unwrap()
    }

    /// Every pair of a structure with contexts: what a toggle makes of it, a toggle undoes.
    #[test]
    fn a_toggle_that_is_made_is_undone_by_another() {
        let mut structure = Structure::empty(&[2, 3, 2, 2]);
        for (i, j) in [(0, 1), (0, 2), (1, 2), (0, 3), (1, 3)] {
            structure.add_edge(edge(i, j)).unwrap();
        }
        structure.add_context_element(edge(0, 2), 1).unwrap();
        structure.add_context_element(edge(1, 3), 0).unwrap();
        let mut made = 0;
        for pair in structure.graph().pairs() {
            let Some(next) = toggled(&structure, pair).unwrap() else { continue };
            assert_eq!(toggled(&next, pair).unwrap().as_ref(), Some(&structure), "{pair}");
            made += 1;
        }
        // Those with a context, and those whose variable a context needs, stay.
        assert_eq!(made, 2);
        let wider = toggled(&structure, edge(2, 3)).unwrap().unwrap();
        assert_eq!(wider.context(edge(0, 2)).unwrap().len(), 2, "at both levels of the fourth");
        assert_eq!(wider.context_elements(), 4);
    }

    #[test]
    fn contexts_that_differ_between_levels_keep_their_variable() {
        let mut structure = Structure::empty(&[2; 4]);
        for pair in structure.graph().pairs() {
            structure.add_edge(pair).unwrap();
        }
        structure.add_context_element(edge(0, 2), 1).unwrap();
        assert_eq!(toggled(&structure, edge(2, 3)).unwrap(), None);
        assert!(toggled(&structure, edge(1, 3)).unwrap().is_some());
        structure.add_context_element(edge(0, 2), 3).unwrap();
        let narrow = toggled(&structure, edge(2, 3)).unwrap();
        assert!(narrow.is_some() != toggled(&structure, edge(1, 2)).unwrap().is_some());
    }
}
