//! Supports over replicates, and the structure that enough of them agree on.

use super::{EdgeSupport, ElementSupport, Frequency};
use crate::context::EdgeContext;
use crate::error::Result;
use crate::graph::{Edge, Graph};
use crate::model::Support;
use crate::structure::Structure;
use crate::table::{Cell, OutcomeSpace};
use std::borrow::Borrow;
use std::collections::BTreeMap;

/// The most configurations of common neighbours that are counted for one edge.
const MOST_CELLS: u64 = 1 << 14;

/// What replicates have in common.
pub(super) struct Tally {
    pub(super) edges: Vec<EdgeSupport>,
    pub(super) elements: Vec<ElementSupport>,
    pub(super) consensus: Structure,
}

impl Tally {
    /// Counts edges, makes a graph of those that reach the threshold, and counts in how many
    /// structures an edge is cut off in each configuration of its common neighbours there.
    pub(super) fn of<S: Borrow<Structure>>(
        structures: &[S],
        cardinalities: &[u32],
        threshold: f64,
    ) -> Result<Self> {
        let of = structures.len() as u64;
        let mut counts: BTreeMap<Edge, u64> = BTreeMap::new();
        for edge in structures.iter().flat_map(|structure| structure.borrow().graph().edges()) {
            *counts.entry(edge).or_default() += 1;
        }
        let edges: Vec<EdgeSupport> = counts
            .iter()
            .map(|(&edge, &count)| EdgeSupport { edge, found: Frequency { count, of } })
            .collect();
        let mut graph = Graph::empty(cardinalities.len());
        for known in edges.iter().filter(|known| known.found.reaches(threshold)) {
            graph.add_edge(known.edge);
        }
        let mut consensus = Structure::from_graph(graph, cardinalities)?;
        let mut elements = Vec::new();
        for known in &edges {
            let counted = elements_of(structures, &consensus, known);
            elements.extend(counted);
        }
        for element in regular(&elements, &consensus, threshold) {
            consensus.add_context_element(element.edge, element.cell)?;
        }
        Ok(Self { edges, elements, consensus })
    }
}

/// The counts of a consensus among those of all edges and elements, with the number of replicates and their seed.
pub(super) fn support(
    consensus: &Structure,
    (edges, elements): (&[EdgeSupport], &[ElementSupport]),
    (replicates, seed): (u64, u64),
) -> Support {
    let edges = edges.iter().filter(|known| consensus.graph().contains(known.edge));
    let cut = |edge, cell| consensus.context(edge).is_some_and(|context| context.contains(cell));
    let elements = elements.iter().filter(|known| cut(known.edge, known.cell));
    Support {
        replicates,
        seed,
        edges: edges.map(|known| (known.edge, known.found.count)).collect(),
        elements: elements.map(|known| ((known.edge, known.cell), known.found.count)).collect(),
    }
}

/// The configurations of an edge's common neighbours in the consensus in which some replicate
/// cuts it off.
fn elements_of<S: Borrow<Structure>>(
    structures: &[S],
    consensus: &Structure,
    known: &EdgeSupport,
) -> Vec<ElementSupport> {
    let edge = known.edge;
    let Ok(space) = consensus.context_space(edge) else { return Vec::new() };
    if space.size() > MOST_CELLS {
        return Vec::new();
    }
    let mut cut: BTreeMap<Cell, u64> = BTreeMap::new();
    for context in structures.iter().filter_map(|structure| structure.borrow().context(edge)) {
        for cell in cut_cells(context, &space) {
            *cut.entry(cell).or_default() += 1;
        }
    }
    let given = |cell| space.variables().iter().zip(space.configuration(cell)).collect();
    let of = known.found.of;
    let element = |(cell, count)| ElementSupport {
        edge,
        given: given(cell),
        cell,
        found: Frequency { count, of },
        holds: Frequency { count: known.found.count - count, of },
    };
    cut.into_iter().map(element).collect()
}

/// The cells of a space in all of whose configurations a context cuts its edge off. The context
/// may be over other variables: those that the space lacks may have any value, and those that
/// it has besides do not matter.
fn cut_cells(context: &EdgeContext, space: &OutcomeSpace) -> Vec<Cell> {
    let own = context.space();
    let shared: Vec<(usize, usize)> = own
        .variables()
        .iter()
        .enumerate()
        .filter_map(|(place, variable)| Some((place, space.variables().position(variable)?)))
        .collect();
    let ways: u64 = own.size()
        / shared.iter().map(|&(own_place, _)| u64::from(own.cardinalities()[own_place])).product::<u64>();
    let mut cut: BTreeMap<Vec<u32>, u64> = BTreeMap::new();
    for cell in context.elements() {
        *cut.entry(shared.iter().map(|&(place, _)| own.level(cell, place)).collect()).or_default() += 1;
    }
    cut.retain(|_, count| *count == ways);
    if cut.is_empty() {
        return Vec::new();
    }
    let part = |cell| shared.iter().map(|&(_, place)| space.level(cell, place)).collect::<Vec<u32>>();
    (0..space.size()).filter(|&cell| cut.contains_key(&part(cell))).collect()
}

/// The elements of the consensus: those that reach the threshold, but for the weakest of an edge
/// that would be cut off everywhere.
fn regular<'a>(
    elements: &'a [ElementSupport],
    consensus: &Structure,
    threshold: f64,
) -> Vec<&'a ElementSupport> {
    let reaches = |element: &&ElementSupport| {
        consensus.graph().contains(element.edge) && element.found.reaches(threshold)
    };
    let mut kept: Vec<&ElementSupport> = Vec::new();
    for of_edge in elements.chunk_by(|one, other| one.edge == other.edge) {
        let mut chosen: Vec<&ElementSupport> = of_edge.iter().filter(reaches).collect();
        let size =
            of_edge.first().and_then(|one| consensus.context_space(one.edge).ok()).map(|all| all.size());
        if size == Some(chosen.len() as u64) {
            let weakest = (0..chosen.len()).rev().min_by_key(|&place| chosen[place].found.count);
            weakest.map(|place| chosen.remove(place));
        }
        kept.extend(chosen);
    }
    kept
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A structure of these edges and elements.
    pub(in crate::confidence) fn structure(
        cardinalities: &[u32],
        edges: impl IntoIterator<Item = (usize, usize)>,
        elements: &[((usize, usize), Cell)],
    ) -> Structure {
        let mut structure = Structure::empty(cardinalities);
        for (i, j) in edges {
            structure.add_edge(Edge::new(i, j).unwrap()).unwrap();
        }
        for &((i, j), cell) in elements {
            structure.add_context_element(Edge::new(i, j).unwrap(), cell).unwrap();
        }
        structure
    }

    /// Complete over the first variables, with contexts.
    fn complete(nodes: usize, elements: &[((usize, usize), Cell)]) -> Structure {
        let edges = (0..nodes).flat_map(|i| (i + 1..nodes).map(move |j| (i, j)));
        structure(&[2, 3, 2, 2], edges, elements)
    }

    #[test]
    fn an_edge_is_its_cut_and_its_holding_replicates() {
        let replicates = [
            complete(3, &[((0, 2), 1)]),
            complete(3, &[((0, 2), 1), ((0, 2), 2)]),
            complete(3, &[]),
            complete(2, &[]),
        ];
        let tally = Tally::of(&replicates, &[2, 3, 2, 2], 0.5).unwrap();
        let edge = |i, j| Edge::new(i, j).unwrap();
        let counts: Vec<(Edge, u64)> =
            tally.edges.iter().map(|known| (known.edge, known.found.count)).collect();
        assert_eq!(counts, [(edge(0, 1), 4), (edge(0, 2), 3), (edge(1, 2), 3)]);
        let elements: Vec<_> =
            tally.elements.iter().map(|e| (e.edge, e.given.clone(), e.found.count, e.holds.count)).collect();
        assert_eq!(elements, [(edge(0, 2), vec![(1, 1)], 2, 1), (edge(0, 2), vec![(1, 2)], 1, 2)]);
        assert_eq!(tally.consensus, complete(3, &[((0, 2), 1)]));
    }

    /// Cell by cell: cut off in every configuration that agrees with the cell.
    fn by_brute_force(context: &EdgeContext, space: &OutcomeSpace) -> Vec<Cell> {
        let agrees = |one: Cell, other: Cell| {
            space.variables().iter().enumerate().all(|(place, variable)| {
                let own = context.space().variables().position(variable);
                own.is_none_or(|own| context.space().level(other, own) == space.level(one, place))
            })
        };
        let cut = |&cell: &Cell| {
            (0..context.space().size())
                .filter(|&other| agrees(cell, other))
                .all(|other| context.contains(other))
        };
        (0..space.size()).filter(cut).collect()
    }

    #[test]
    fn contexts_over_other_neighbours_count_where_they_say_the_same() {
        let edge = Edge::new(0, 3).unwrap();
        for mask in 1u32..63 {
            let cells: Vec<((usize, usize), Cell)> =
                (0..6).filter(|cell| mask >> cell & 1 == 1).map(|cell| ((0, 3), cell)).collect();
            let structure = complete(4, &cells);
            let context = structure.context(edge).unwrap();
            for variables in [vec![], vec![1], vec![2], vec![1, 2]] {
                let space = OutcomeSpace::new(variables.into_iter().collect(), &[2, 3, 2, 2]).unwrap();
                assert_eq!(cut_cells(context, &space), by_brute_force(context, &space), "{mask}");
            }
        }
    }

    #[test]
    fn a_consensus_stays_regular() {
        let (one, other) = (complete(3, &[((0, 1), 0)]), complete(3, &[((0, 1), 1)]));
        let tally = Tally::of(&[one.clone(), one.clone(), other], &[2, 3, 2, 2], 0.3).unwrap();
        assert_eq!(tally.consensus, one);
    }

    #[test]
    fn nothing_comes_of_nothing() {
        let tally = Tally::of::<Structure>(&[], &[2, 3, 2, 2], 0.5).unwrap();
        assert!(tally.edges.is_empty() && tally.consensus.graph().edge_count() == 0);
    }
}
