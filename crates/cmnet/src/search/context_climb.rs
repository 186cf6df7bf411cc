//! Algorithm 2, Context-Hill-Climb: add the best element while that improves the score. The steps are taken in
//! `context_steps.rs`.

use super::context_steps::{Ground, Outcome, Recorded, Replay};
use super::live::{Places, both};
use super::memo::NodeMemo;
use super::node_start::NodeStart;
use super::trace::Trace;
use crate::control::{Control, Halt, Halting};
use crate::counts::CountSource;
use crate::data::Var;
use crate::error::Result;
use crate::graph::{Blankets, Edge, Graph};
use crate::score::{ContextPrior, Nats, Scorer};
use crate::structure::Structure;
use std::sync::Arc;

/// Climbs contexts under one prior.
#[derive(Debug)]
pub(super) struct ContextClimber<'a, 'b, S> {
    scorer: &'a Scorer<'b, S>,
    prior: ContextPrior,
    memo: Arc<NodeMemo<'a>>,
}

impl<'a, 'b, S: CountSource> ContextClimber<'a, 'b, S> {
    pub(super) fn new(scorer: &'a Scorer<'b, S>, prior: ContextPrior) -> Self {
        Self { scorer, prior, memo: Arc::new(NodeMemo::new(scorer)) }
    }

    /// The same climbs with what other climbs over these counts found out.
    pub(super) fn sharing(self, memo: &Arc<NodeMemo<'a>>) -> Self {
        Self { memo: Arc::clone(memo), ..self }
    }

    /// What climbs over these counts found out.
    pub(super) fn memo(&self) -> &NodeMemo<'a> {
        &self.memo
    }

    /// Whether contexts are allowed at all.
    pub(super) fn allows_contexts(&self) -> bool {
        self.prior.log_kappa().is_some()
    }

    /// The log prior of one element on an edge; `None` where it is forbidden.
    pub(super) fn cost(&self, edge: Edge) -> Option<Nats> {
        self.prior.element(edge, self.scorer.cardinalities())
    }

    /// A node of a graph before any context.
    pub(super) fn start(
        &self,
        graph: &dyn Blankets,
        node: Var,
        control: &dyn Control,
    ) -> Halting<Arc<NodeStart<'a>>> {
        self.memo.start(self.scorer, graph, node, control)
    }

    /// What the contexts of one edge of a graph gain, where no other edge has any: every element
    /// that gains, but for the least where all do.
    pub(super) fn own_gain(&self, graph: &dyn Blankets, edge: Edge, control: &dyn Control) -> Halting<Nats> {
        let (low, high) = edge.ends();
        let Some(cost) = self.cost(edge) else { return Ok(Nats::ZERO) };
        let Some(one) = self.memo.slot(self.scorer, graph, (low, high), control)? else {
            return Ok(Nats::ZERO);
        };
        let Some(other) = self.memo.slot(self.scorer, graph, (high, low), control)? else {
            return Ok(Nats::ZERO);
        };
        let (mut sum, mut count, mut least) = (Nats::ZERO, 0, None::<Nats>);
        for (_, gain) in both(one.gains.list(), other.gains.list()) {
            let gain = gain + cost;
            if gain > Nats::ZERO {
                sum += gain;
                count += 1;
                least = Some(least.map_or(gain, |least| least.min(gain)));
            }
        }
        let full = count == one.view.elements();
        Ok(if full { sum - least.unwrap_or_default() } else { sum })
    }

    /// Algorithm 2 on a graph, from nothing.
    pub(super) fn climb(&self, graph: &Graph, control: &dyn Control) -> Halting<Trace> {
        let mut trace = Trace::empty(graph.nodes());
        if !self.allows_contexts() {
            return Ok(trace);
        }
        let mut places = Places::new(graph.nodes());
        let able: Vec<Var> = (0..graph.nodes()).filter(|&node| can_have_contexts(graph, node)).collect();
        let ground = Ground { graph, trace: &trace };
        let recorded = Replay::new(self, ground, able, &mut places, control)?.record()?;
        let _ = trace.replace(recorded.steps, recorded.nodes);
        Ok(trace)
    }

    /// What Algorithm 2 would change on a graph with one edge toggled, given the climb on
    /// the graph without.
    pub(super) fn toggled(
        &self,
        ground: Ground<'_>,
        edge: Edge,
        places: &mut Places,
        control: &dyn Control,
    ) -> Halting<Outcome> {
        let Ground { graph, trace } = ground;
        let (low, high) = edge.ends();
        let common = graph.common_neighbors(edge);
        if !self.allows_contexts() || common.is_empty() && trace.is_plain(low) && trace.is_plain(high) {
            let watched = vec![low as u32, high as u32];
            return Ok(Outcome { change: Nats::ZERO, ties: 0, watched, work: 0 });
        }
        let first = [low, high].into_iter().chain(common.iter());
        Replay::new(self, ground, first, places, control)?.outcome()
    }

    /// The climb on a graph with one edge toggled, given the climb on the graph without.
    pub(super) fn advance(&self, ground: Ground<'_>, edge: Edge, control: &dyn Control) -> Halting<Recorded> {
        let common = ground.graph.common_neighbors(edge);
        let first = [edge.low(), edge.high()].into_iter().chain(common.iter());
        let mut places = Places::new(self.scorer.cardinalities().len());
        Replay::new(self, ground, first, &mut places, control)?.record()
    }
}

fn can_have_contexts(graph: &Graph, node: Var) -> bool {
    let has_common =
        |neighbor: Var| Edge::new(node, neighbor).is_ok_and(|edge| graph.have_common_neighbor(edge));
    graph.markov_blanket(node).iter().any(has_common)
}

/// The contexts that Algorithm 2 finds for a graph, and the change of score and prior.
///
/// # Errors
/// When a blanket's outcome space is too large.
pub fn climb_contexts<S: CountSource>(
    scorer: &Scorer<'_, S>,
    prior: &ContextPrior,
    graph: &Graph,
) -> Result<(Structure, Nats)> {
    let trace = match ContextClimber::new(scorer, prior.clone()).climb(graph, &()) {
        Ok(trace) => trace,
        Err(Halt::Failed(error)) => return Err(error),
        Err(Halt::Stopped(_)) => Trace::empty(graph.nodes()), // nobody asks to stop here
    };
    let mut structure = Structure::from_graph(graph.clone(), scorer.cardinalities())?;
    for step in trace.steps() {
        structure.add_context_element(step.edge, step.element)?;
    }
    Ok((structure, trace.gain()))
}
