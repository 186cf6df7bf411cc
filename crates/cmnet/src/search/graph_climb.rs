//! Algorithm 1, Graph-Hill-Climb: take the best edge toggle, each with a context climb of
//! its own from the empty context, while that improves the score.

use super::component::Component;
use super::context_climb::{Climbed, Scope, climb, install};
use super::observer::{Event, Observer, Standing};
use super::state::{GraphClimbState, GraphStep};
use super::stop::{Halt, StopReason};
use crate::counts::CountSource;
use crate::error::{ErrorKind, Result};
use crate::graph::{Edge, Graph};
use crate::score::{BoundedCache, ContextPrior, Nats, Scorer};
use crate::structure::Structure;
use rayon::prelude::*;
use std::sync::Arc;

/// Context climbs that are remembered.
const REMEMBERED: usize = 1 << 16;

/// A graph climb under one prior.
///
/// Exact shortcuts, none of which changes the sequence of structures: node scores are
/// remembered, and so are context climbs by the blankets they depend on; neighbours are
/// evaluated in parallel and chosen in order.
#[derive(Debug)]
pub struct GraphClimb<'a, 'b, S> {
    scorer: &'a Scorer<'b, S>,
    prior: ContextPrior,
    climbs: BoundedCache<Box<[u32]>, Arc<Climbed>>,
}

impl<'a, 'b, S: CountSource> GraphClimb<'a, 'b, S> {
    /// A climb that scores with `scorer` and `prior`.
    pub fn new(scorer: &'a Scorer<'b, S>, prior: ContextPrior) -> Self {
        Self { scorer, prior, climbs: BoundedCache::new(REMEMBERED) }
    }

    /// The state before the first step: the empty graph.
    ///
    /// # Errors
    /// When the counts cannot be had.
    pub fn start(&self) -> Result<GraphClimbState> {
        let structure = Structure::empty(self.scorer.cardinalities());
        let plain: Vec<Nats> = (0..structure.variables())
            .map(|node| self.scorer.plain_node_score(node, structure.markov_blanket(node)))
            .collect::<Result<_>>()?;
        let score = plain.iter().copied().sum();
        Ok(GraphClimbState { structure, score, plain, steps: Vec::new(), ties: 0, moves: 0 })
    }

    /// A state saved earlier, with what can be derived computed again.
    ///
    /// # Errors
    /// When the structure is not over this table's variables, or its score is not the one
    /// that the last step had: the state belongs to another table or prior.
    pub fn resume(
        &self,
        structure: Structure,
        steps: Vec<GraphStep>,
        (moves, ties): (u64, u64),
    ) -> Result<GraphClimbState> {
        let mut state = self.start()?;
        let foreign = || ErrorKind::Mismatch {
            problem: "the saved climb does not have the score that it has on this table".to_owned(),
            hint: "start again without --resume".to_owned(),
        };
        if structure.cardinalities() != self.scorer.cardinalities() {
            return Err(foreign().into());
        }
        let score = self.scorer.score(&structure, &self.prior)?.total();
        if steps.last().is_some_and(|last| Some(last.score) != score) {
            return Err(foreign().into());
        }
        for node in 0..structure.variables() {
            state.plain[node] = self.scorer.plain_node_score(node, structure.markov_blanket(node))?;
        }
        state.score = score.ok_or_else(foreign)?;
        Ok(GraphClimbState { structure, steps, ties, moves, ..state })
    }

    /// One step: evaluates every neighbour and takes the first best that strictly improves.
    /// `Some(reason)` means that no step was taken.
    ///
    /// # Errors
    /// When a blanket's outcome space is too large.
    pub fn step(&self, state: &mut GraphClimbState, observer: &dyn Observer) -> Result<Option<StopReason>> {
        let pairs: Vec<Edge> = state.structure.graph().pairs().collect();
        let evaluate = |&edge: &Edge| {
            let neighbor = self.evaluate(state, edge, observer);
            observer.observe(&Event::Evaluated { of: pairs.len() });
            neighbor
        };
        let neighbors: std::result::Result<Vec<Neighbor>, Halt> = pairs.par_iter().map(evaluate).collect();
        let neighbors = match neighbors {
            Ok(neighbors) => neighbors,
            Err(Halt::Stopped(reason)) => return Ok(Some(reason)),
            Err(Halt::Failed(error)) => return Err(error),
        };
        state.moves +=
            neighbors.iter().map(|neighbor| 1 + neighbor.sum(|climbed| climbed.moves)).sum::<u64>();
        state.ties += neighbors.iter().map(|neighbor| neighbor.sum(|climbed| climbed.ties)).sum::<u64>();
        let Some(best) =
            neighbors.iter().map(|neighbor| neighbor.score).max().filter(|&best| best > state.score)
        else {
            return Ok(Some(StopReason::Converged));
        };
        let mut equals = neighbors.iter().filter(|neighbor| neighbor.score == best);
        if let Some(first) = equals.next() {
            state.ties += u64::from(equals.next().is_some());
            self.take(state, first)?;
        }
        Ok(None)
    }

    /// The score of the graph with one edge toggled, with its own contexts.
    fn evaluate(
        &self,
        state: &GraphClimbState,
        edge: Edge,
        observer: &dyn Observer,
    ) -> std::result::Result<Neighbor, Halt> {
        if let Some(reason) = observer.stop() {
            return Err(Halt::Stopped(reason));
        }
        let mut graph = state.structure.graph().clone();
        graph.toggle(edge);
        let mut score: Nats = state.plain.iter().copied().sum();
        for end in [edge.low(), edge.high()] {
            score += self.scorer.plain_node_score(end, graph.markov_blanket(end))? - state.plain[end];
        }
        let mut climbs = Vec::new();
        if self.prior.log_kappa().is_some() {
            for component in Component::all(&graph) {
                let climbed = self.climb(&graph, &component, observer)?;
                score += climbed.gain;
                climbs.push(climbed);
            }
        }
        Ok(Neighbor { edge, score, climbs })
    }

    fn climb(
        &self,
        graph: &Graph,
        component: &Component,
        observer: &dyn Observer,
    ) -> std::result::Result<Arc<Climbed>, Halt> {
        let key = component.key(graph);
        if let Some(climbed) = self.climbs.get(&key) {
            return Ok(climbed);
        }
        let climbed =
            Arc::new(climb(self.scorer, &self.prior, &Scope::component(graph, component), observer)?);
        self.climbs.insert(key, Arc::clone(&climbed));
        Ok(climbed)
    }

    fn take(&self, state: &mut GraphClimbState, neighbor: &Neighbor) -> Result<()> {
        let edge = neighbor.edge;
        let mut graph = state.structure.graph().clone();
        let added = graph.toggle(edge);
        let mut structure = Structure::from_graph(graph, self.scorer.cardinalities())?;
        for climbed in &neighbor.climbs {
            install(&mut structure, climbed)?;
        }
        for end in [edge.low(), edge.high()] {
            state.plain[end] = self.scorer.plain_node_score(end, structure.markov_blanket(end))?;
        }
        state.structure = structure;
        state.score = neighbor.score;
        state.steps.push(GraphStep { edge, added, score: neighbor.score });
        Ok(())
    }
}

/// One evaluated neighbour of the present graph.
struct Neighbor {
    edge: Edge,
    score: Nats,
    climbs: Vec<Arc<Climbed>>,
}

impl Neighbor {
    fn sum(&self, part: impl Fn(&Climbed) -> u64) -> u64 {
        self.climbs.iter().map(|climbed| part(climbed)).sum()
    }
}

/// Steps until nothing improves or the observer ends the search; the state holds the best
/// structure found either way.
///
/// # Errors
/// When a blanket's outcome space is too large.
pub fn run<S: CountSource>(
    climb: &GraphClimb<'_, '_, S>,
    state: &mut GraphClimbState,
    observer: &dyn Observer,
) -> Result<StopReason> {
    loop {
        match climb.step(state, observer)? {
            None => observer.observe(&Event::Moved(state)),
            Some(StopReason::Converged) => return Ok(StopReason::Converged),
            Some(reason) => {
                observer.observe(&Event::Paused(Standing::Climb(state)));
                return Ok(reason);
            }
        }
    }
}
