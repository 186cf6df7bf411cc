//! Phase 3: edge toggles among the candidates, with only what a toggle touched evaluated
//! again.

use super::neighborhood::BlanketLimits;
use crate::counts::CountSource;
use crate::data::Var;
use crate::error::Result;
use crate::graph::{Blankets, Edge, Toggled};
use crate::score::{ContextPrior, Nats, Scorer};
use crate::search::context_climb::{Climbed, Scope, climb, install};
use crate::search::observer::Observer;
use crate::search::stop::Halt;
use crate::structure::Structure;
use rayon::prelude::*;
use std::collections::BTreeSet;

/// What a search over candidate edges is given.
pub(super) struct GraphSearch<'a, 'b, S> {
    pub(super) scorer: &'a Scorer<'b, S>,
    pub(super) prior: &'a ContextPrior,
    pub(super) limits: BlanketLimits,
    pub(super) candidates: &'a [Edge],
    /// Whether toggles re-climb contexts; without it only plain scores count.
    pub(super) contexts: bool,
}

/// A structure with the scores of its nodes.
#[derive(Clone, Copy)]
pub(super) struct Scored<'a> {
    pub(super) structure: &'a Structure,
    pub(super) nodes: &'a [Nats],
}

/// The score of every node of a structure.
pub(super) fn node_scores<S: CountSource>(
    scorer: &Scorer<'_, S>,
    structure: &Structure,
) -> Result<Vec<Nats>> {
    (0..structure.variables()).into_par_iter().map(|node| scorer.node_score(structure, node)).collect()
}

/// What toggling a candidate would change.
#[derive(Debug)]
pub(super) struct Toggle {
    pub(super) gain: Nats,
    /// The nodes whose scores it changes, ascending, and the climb that did it.
    nodes: Vec<Var>,
    climbed: Climbed,
}

/// What each candidate's toggle would change; `None` where a limit forbids it.
pub(super) type Toggles = Vec<Option<Toggle>>;

impl<S: CountSource> GraphSearch<'_, '_, S> {
    /// Evaluates every candidate.
    pub(super) fn evaluate_all(
        &self,
        state: Scored<'_>,
        observer: &dyn Observer,
    ) -> std::result::Result<Toggles, Halt> {
        self.candidates.par_iter().map(|&edge| self.evaluate(state, edge, observer)).collect()
    }

    /// The best strictly improving candidate; the first best wins.
    pub(super) fn best(toggles: &Toggles) -> Option<usize> {
        let mut best: Option<(usize, Nats)> = None;
        for (place, toggle) in toggles.iter().enumerate() {
            let Some(gain) = toggle.as_ref().map(|toggle| toggle.gain).filter(|&gain| gain > Nats::ZERO)
            else {
                continue;
            };
            if best.is_none_or(|(_, leader)| gain > leader) {
                best = Some((place, gain));
            }
        }
        best.map(|(place, _)| place)
    }

    /// Takes a toggle; returns the nodes whose score or contexts it changed.
    pub(super) fn take(
        structure: &mut Structure,
        nodes: &mut [Nats],
        edge: Edge,
        toggle: &Toggle,
    ) -> Result<BTreeSet<Var>> {
        for end in [edge.low(), edge.high()] {
            structure.clear_contexts_at(end);
        }
        structure.toggle_edge(edge)?;
        install(structure, &toggle.climbed)?;
        for (&node, &score) in toggle.nodes.iter().zip(&toggle.climbed.node_scores) {
            nodes[node] = score;
        }
        Ok(toggle.nodes.iter().copied().collect())
    }

    /// Evaluates again what a toggle may have changed: candidates with an end among the
    /// changed nodes or, where contexts count, next to one.
    pub(super) fn refresh(
        &self,
        state: Scored<'_>,
        toggles: &mut Toggles,
        changed: &BTreeSet<Var>,
        observer: &dyn Observer,
    ) -> std::result::Result<(), Halt> {
        let mut near = changed.clone();
        if self.contexts {
            near.extend(changed.iter().flat_map(|&node| state.structure.markov_blanket(node).iter()));
        }
        let places: Vec<usize> = (0..self.candidates.len())
            .filter(|&place| near.iter().any(|&node| self.candidates[place].touches(node)))
            .collect();
        let evaluated: std::result::Result<Toggles, Halt> =
            places.par_iter().map(|&place| self.evaluate(state, self.candidates[place], observer)).collect();
        for (place, toggle) in places.into_iter().zip(evaluated?) {
            toggles[place] = toggle;
        }
        Ok(())
    }

    /// What toggling one edge would change: the plain scores of its ends, and the contexts
    /// of the edges at its ends, climbed anew while all others stay.
    fn evaluate(
        &self,
        state: Scored<'_>,
        edge: Edge,
        observer: &dyn Observer,
    ) -> std::result::Result<Option<Toggle>, Halt> {
        let graph = state.structure.graph();
        let toggled = Toggled::new(graph, edge);
        let allowed = |end| self.limits.allow(toggled.markov_blanket(end), self.scorer.cardinalities());
        let within_limits = allowed(edge.low()) && allowed(edge.high());
        if !graph.contains(edge) && !within_limits {
            return Ok(None);
        }
        let mut nodes: BTreeSet<Var> = [edge.low(), edge.high()].into();
        let mut edges: BTreeSet<Edge> = BTreeSet::new();
        let mut old_prior = Nats::ZERO;
        if self.contexts {
            for end in [edge.low(), edge.high()] {
                for (neighbor, _) in state.structure.contexts_at(end) {
                    nodes.insert(neighbor);
                }
                for neighbor in toggled.markov_blanket(end).iter() {
                    let other = Edge::new(end, neighbor)?;
                    if toggled.have_common_neighbor(other) {
                        edges.insert(other);
                        nodes.insert(neighbor);
                    }
                }
            }
            old_prior = self.prior_at(state.structure, edge);
        }
        let (nodes, edges): (Vec<Var>, Vec<Edge>) =
            (nodes.into_iter().collect(), edges.into_iter().collect());
        let climbed = if edges.is_empty() && !self.contexts {
            self.plain(&toggled, &nodes)?
        } else {
            let fixed = Some((state.structure, edge));
            climb(
                self.scorer,
                self.prior,
                &Scope { blankets: &toggled, nodes: &nodes, edges: &edges, fixed },
                observer,
            )?
        };
        let before: Nats = nodes.iter().map(|&node| state.nodes[node]).sum();
        let after: Nats = climbed.node_scores.iter().copied().sum();
        let gain = after - before + self.prior_of(&climbed) - old_prior;
        Ok(Some(Toggle { gain, nodes, climbed }))
    }

    fn plain(&self, graph: &dyn Blankets, nodes: &[Var]) -> Result<Climbed> {
        let score = |&node: &Var| self.scorer.plain_node_score(node, graph.markov_blanket(node));
        let node_scores = nodes.iter().map(score).collect::<Result<_>>()?;
        Ok(Climbed { elements: Vec::new(), gain: Nats::ZERO, node_scores, ties: 0, moves: 0 })
    }

    /// The log prior of the contexts at the two ends of an edge.
    fn prior_at(&self, structure: &Structure, edge: Edge) -> Nats {
        let contexts: BTreeSet<(Edge, usize)> = [edge.low(), edge.high()]
            .into_iter()
            .flat_map(|end| structure.contexts_at(end).map(|(_, context)| (context.edge(), context.len())))
            .collect();
        contexts.iter().map(|&(edge, elements)| self.element(edge) * elements as u64).sum()
    }

    fn prior_of(&self, climbed: &Climbed) -> Nats {
        climbed.elements.iter().map(|(edge, elements)| self.element(*edge) * elements.len() as u64).sum()
    }

    fn element(&self, edge: Edge) -> Nats {
        self.prior.element(edge, self.scorer.cardinalities()).unwrap_or_default()
    }
}
