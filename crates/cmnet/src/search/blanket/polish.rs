//! Phase 4: Algorithm 2 from the empty context on the final graph, component by component.

use super::graph_search::Scored;
use crate::counts::CountSource;
use crate::graph::Edge;
use crate::outcome::Cell;
use crate::score::{ContextPrior, Nats, Scorer};
use crate::search::component::Component;
use crate::search::context_climb::{Climbed, Scope, climb};
use crate::search::observer::Observer;
use crate::search::stop::Halt;
use crate::structure::Structure;
use rayon::prelude::*;
use std::collections::BTreeSet;

/// The structure with, in each component, the better of its own contexts and those that
/// Algorithm 2 finds from the empty context. Its own stay where both score the same.
pub(super) fn polish<S: CountSource>(
    scorer: &Scorer<'_, S>,
    prior: &ContextPrior,
    state: Scored<'_>,
    observer: &dyn Observer,
) -> Result<Structure, Halt> {
    let graph = state.structure.graph();
    let components = Component::all(graph);
    let climb = |component: &Component| climb(scorer, prior, &Scope::component(graph, component), observer);
    let climbs: Vec<Climbed> = components.par_iter().map(climb).collect::<Result<_, Halt>>()?;
    let mut polished = Structure::from_graph(graph.clone(), scorer.cardinalities())?;
    for (component, climbed) in components.iter().zip(&climbs) {
        let own = own_elements(state.structure, component);
        let found = &climbed.elements;
        let before = part(prior, scorer, component.nodes.iter().map(|&node| state.nodes[node]), &own);
        let after = part(prior, scorer, climbed.node_scores.iter().copied(), found);
        let chosen = if after > before { found } else { &own };
        for (edge, elements) in chosen {
            for &element in elements {
                polished.add_context_element(*edge, element)?;
            }
        }
    }
    Ok(polished)
}

type Elements = Vec<(Edge, BTreeSet<Cell>)>;

fn own_elements(structure: &Structure, component: &Component) -> Elements {
    let elements = |&edge| structure.context(edge).map(|context| (edge, context.elements().collect()));
    component.edges.iter().filter_map(elements).collect()
}

/// The part of the score that one component decides.
fn part<S: CountSource>(
    prior: &ContextPrior,
    scorer: &Scorer<'_, S>,
    nodes: impl Iterator<Item = Nats>,
    elements: &Elements,
) -> Nats {
    let element = |edge| prior.element(edge, scorer.cardinalities()).unwrap_or_default();
    nodes.sum::<Nats>() + elements.iter().map(|(edge, set)| element(*edge) * set.len() as u64).sum()
}
