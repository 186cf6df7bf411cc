//! A structure with one edge toggled whose contexts keep saying what they said.

use crate::context::EdgeContext;
use crate::data::Var;
use crate::error::Result;
use crate::graph::Edge;
use crate::structure::Structure;

/// The structure with an edge toggled. Where an end of it becomes a common neighbour of another
/// edge, that edge's context holds at all of the newcomer's levels; where it ceases to be one,
/// what remains is cut off only where it was at all levels.
///
/// Adding an edge thus only widens the model, and removing one only narrows it.
pub(super) fn carried(structure: &Structure, edge: Edge) -> Result<Structure> {
    let (low, high) = edge.ends();
    let mut affected: Vec<(EdgeContext, Var)> = Vec::new();
    for between in structure.graph().common_neighbors(edge).iter() {
        for (end, other) in [(low, high), (high, low)] {
            let context = structure.context(Edge::new(end, between)?);
            affected.extend(context.cloned().map(|context| (context, other)));
        }
    }
    let mut next = structure.clone();
    let added = next.toggle_edge(edge)?;
    for (context, other) in affected {
        if added {
            widen(&mut next, &context, other)?;
        } else {
            narrow(&mut next, &context, other)?;
        }
    }
    Ok(next)
}

/// The context with one more common neighbour, at each of its levels.
fn widen(next: &mut Structure, context: &EdgeContext, newcomer: Var) -> Result<()> {
    let space = next.context_space(context.edge())?;
    let Some(place) = space.variables().position(newcomer) else { return Ok(()) };
    for cell in context.elements() {
        for level in 0..next.cardinalities()[newcomer] {
            let mut configuration = context.space().configuration(cell);
            configuration.insert(place, level);
            next.add_context_element(context.edge(), space.cell(&configuration))?;
        }
    }
    Ok(())
}

/// The context without one of its common neighbours: what holds at all of its levels.
fn narrow(next: &mut Structure, context: &EdgeContext, gone: Var) -> Result<()> {
    let space = next.context_space(context.edge())?;
    let Some(place) = context.space().variables().position(gone) else { return Ok(()) };
    let levels = 0..next.cardinalities()[gone];
    for cell in context.elements().filter(|&cell| context.space().level(cell, place) == 0) {
        let mut configuration = context.space().configuration(cell);
        let holds = levels.clone().all(|level| {
            configuration[place] = level;
            context.contains(context.space().cell(&configuration))
        });
        if holds {
            configuration.remove(place);
            next.add_context_element(context.edge(), space.cell(&configuration))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adding_and_removing_an_edge_gives_the_contexts_back() {
        let edge = |i, j| Edge::new(i, j).unwrap();
        let mut before = Structure::empty(&[2, 2, 3, 2]);
        for (i, j) in [(0, 1), (0, 2), (1, 2), (1, 3)] {
            before.toggle_edge(edge(i, j)).unwrap();
        }
        before.add_context_element(edge(0, 1), 2).unwrap();
        let wider = carried(&before, edge(0, 3)).unwrap();
        let context = wider.context(edge(0, 1)).unwrap();
        assert_eq!(context.space().variables().as_slice(), [2, 3]);
        assert_eq!(context.elements().collect::<Vec<_>>(), [4, 5]);
        assert_eq!(carried(&wider, edge(0, 3)).unwrap(), before);
        // A context at one level of the newcomer alone is gone with it.
        let mut partial = before.clone();
        partial.toggle_edge(edge(0, 3)).unwrap();
        partial.add_context_element(edge(0, 1), 4).unwrap();
        assert_eq!(carried(&partial, edge(0, 3)).unwrap().context_elements(), 0);
    }
}
