//! Algorithm 1, Graph-Hill-Climb: take the best edge toggle, each with a context climb of
//! its own from the empty context, while that improves the score.

use super::blanket::PairSearch;
use super::context_climb::ContextClimber;
use super::context_steps::Ground;
use super::limits::BlanketLimits;
use super::live::Places;
use super::memo::NodeMemo;
use super::observer::{SearchEvent, SearchObserver, Standing};
use super::rounds::Budget;
use super::state::{ClimbRecord, ClimbResult, Evaluated, GraphClimbState, GraphStep, Rounds, Watched};
use super::trace::Trace;
use crate::control::{Control, Halt, Halting, Outcome, StopReason, check, outcome};
use crate::counts::CountSource;
use crate::error::{Error, ErrorKind, Remedy, Result};
use crate::graph::{Blankets, Edge, Graph, Toggled, VarSet};
use crate::score::{ContextPrior, Nats, Scorer};
use crate::structure::Structure;
use crate::tree::is_within;
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A graph climb under one prior.
///
/// Exact shortcuts, none of which changes the sequence of structures: a toggle's context
/// climb follows the record of the present graph's climb where the toggle does not reach
/// (see `context_steps`); after a step only toggles that it can have changed are evaluated again;
/// node scores are remembered; toggles are evaluated in parallel and chosen in order.
#[derive(Debug)]
pub struct GraphClimb<'a, 'b, S> {
    pub(super) scorer: &'a Scorer<'b, S>,
    prior: ContextPrior,
    pub(super) contexts: ContextClimber<'a, 'b, S>,
    candidates: Vec<Edge>,
    pub(super) limits: BlanketLimits,
    /// For each node the blanket for which all candidates are known from the start; `None`
    /// where all pairs are candidates.
    pub(super) swept: Option<Vec<VarSet>>,
    /// Whether other climbs start from its result.
    groundwork: bool,
    /// What its sweeps may cost.
    pub(super) budget: Budget,
    /// The most table cells of the junction tree.
    max_cells: Option<u64>,
}

impl<'a, 'b, S: CountSource> GraphClimb<'a, 'b, S> {
    /// A climb over all pairs of variables that scores with `scorer` and `prior`.
    pub fn new(scorer: &'a Scorer<'b, S>, prior: ContextPrior) -> Self {
        let pairs = Graph::empty(scorer.cardinalities().len()).pairs();
        let pairs = pairs.filter(|&edge| prior.rules().is_free(edge)).collect();
        let contexts = ContextClimber::new(scorer, prior.clone());
        Self {
            scorer,
            prior,
            contexts,
            candidates: pairs,
            limits: BlanketLimits::NONE,
            swept: None,
            groundwork: false,
            budget: Budget::DEFAULT,
            max_cells: None,
        }
    }

    /// A climb that toggles candidate edges, adds pairs when none of them improves, and lets
    /// no blanket grow beyond the limits. `blankets` has for each node the blanket that
    /// proposed its candidates. See [`super::blanket`].
    pub(super) fn among(
        scorer: &'a Scorer<'b, S>,
        prior: ContextPrior,
        limits: BlanketLimits,
        candidates: Vec<Edge>,
        blankets: Vec<VarSet>,
    ) -> Self {
        let contexts = ContextClimber::new(scorer, prior.clone());
        let (swept, budget) = (Some(blankets), Budget::DEFAULT);
        Self {
            scorer,
            prior,
            contexts,
            candidates,
            limits,
            swept,
            groundwork: false,
            budget,
            max_cells: None,
        }
    }

    /// The same climb among graphs whose junction tree has at most so many table cells. Where required
    /// edges alone go beyond, no edge is added.
    pub(super) fn within(self, max_cells: Option<u64>) -> Self {
        Self { max_cells, ..self }
    }

    /// The same climb with what other climbs over these counts found out.
    pub(crate) fn sharing(self, memo: &Arc<NodeMemo<'a>>) -> Self {
        Self { contexts: self.contexts.sharing(memo), ..self }
    }

    /// The same climb as what other climbs start from.
    pub(crate) fn for_other_climbs(self) -> Self {
        Self { groundwork: true, ..self }
    }

    /// The state before the first step: the graph of the required edges, which is empty where
    /// nothing is required, with the contexts that Algorithm 2 finds on it.
    ///
    /// # Errors
    /// When the counts cannot be had.
    pub fn start(&self) -> Result<GraphClimbState> {
        match self.with_contexts(self.required_graph(), &()) {
            Ok(state) => Ok(state),
            Err(Halt::Failed(error)) => Err(error),
            // Nobody asks to stop here.
            Err(Halt::Stopped(_)) => {
                let structure = Structure::from_graph(self.required_graph(), self.scorer.cardinalities())?;
                self.state(structure, Trace::empty(self.scorer.cardinalities().len()))
            }
        }
    }

    /// The state at a graph, with the contexts that Algorithm 2 finds for it.
    fn with_contexts(&self, graph: Graph, control: &dyn Control) -> Halting<GraphClimbState> {
        let trace = self.contexts.climb(&graph, control)?;
        let mut structure = Structure::from_graph(graph, self.scorer.cardinalities())?;
        for step in trace.steps() {
            structure.add_context_element(step.edge, step.element)?;
        }
        let ties = trace.ties();
        Ok(GraphClimbState { ties, ..self.state(structure, trace)? })
    }

    fn required_graph(&self) -> Graph {
        self.prior.rules().required_graph(self.scorer.cardinalities().len())
    }

    /// The state at a graph, with the contexts that Algorithm 2 finds for it. Edges of the graph that
    /// are no candidates become some.
    ///
    /// # Errors
    /// When a blanket's outcome space is too large.
    pub(crate) fn start_at(&self, graph: &Graph, control: &dyn Control) -> Result<Outcome<GraphClimbState>> {
        outcome(self.at(graph, control))
    }

    fn at(&self, graph: &Graph, control: &dyn Control) -> Halting<GraphClimbState> {
        let mut state = self.with_contexts(graph.clone(), control)?;
        let known: BTreeSet<Edge> = state.candidates.iter().copied().collect();
        let is_new = |edge: &Edge| !known.contains(edge) && self.prior.rules().is_free(*edge);
        state.add_candidates(graph.edges().filter(is_new).collect());
        Ok(state)
    }

    fn state(&self, structure: Structure, trace: Trace) -> Result<GraphClimbState> {
        let plain: Vec<Nats> = (0..structure.variables())
            .map(|node| self.scorer.plain_node_score(node, structure.markov_blanket(node)))
            .collect::<Result<_>>()?;
        let edges = self.prior.edges_of(structure.graph());
        let score = plain.iter().copied().sum::<Nats>() + trace.gain() + edges;
        Ok(GraphClimbState {
            structure,
            score,
            plain,
            trace,
            candidates: self.candidates.clone(),
            added_candidates: Vec::new(),
            evaluated: vec![None; self.candidates.len()],
            swept: self.swept.clone().unwrap_or_default(),
            steps: Vec::new(),
            ties: 0,
            moves: 0,
            promising: 0,
            rounds: Rounds::default(),
            bound: VarSet::default(),
            groundwork: self.groundwork,
        })
    }

    /// The state after a climb without contexts: its graph, with the contexts that Algorithm 2 finds.
    ///
    /// # Errors
    /// When a blanket's outcome space is too large.
    pub(crate) fn start_from(
        &self,
        graph: &ClimbResult,
        control: &dyn Control,
    ) -> Result<Outcome<GraphClimbState>> {
        outcome(self.on_graph(graph, control))
    }

    fn on_graph(&self, found: &ClimbResult, control: &dyn Control) -> Halting<GraphClimbState> {
        let mut state = self.with_contexts(found.structure.graph().clone(), control)?;
        state.steps.clone_from(&found.climb.steps);
        if let Some(last) = state.steps.last_mut() {
            last.score = state.score; // with the contexts that came after it
        }
        state.ties += found.climb.ties;
        state.moves = found.climb.moves;
        state.bound = found.limited.iter().copied().collect();
        state.add_candidates(found.added_candidates.clone());
        Ok(state)
    }

    /// A state saved earlier, with what can be derived computed again.
    ///
    /// # Errors
    /// When the structure is not over this table's variables, or its score is not the one
    /// that the last step had: the state belongs to another table or prior.
    pub fn resume(&self, saved: ClimbResult, control: &dyn Control) -> Result<Outcome<GraphClimbState>> {
        outcome(self.derive(saved, control))
    }

    fn derive(&self, saved: ClimbResult, control: &dyn Control) -> Halting<GraphClimbState> {
        let ClimbResult { structure, climb, added_candidates, limited, .. } = saved;
        let ClimbRecord { steps, moves, ties, rounds, .. } = climb;
        let foreign = || {
            let problem = "the saved climb does not have the score that it has on this table";
            Error::mismatch(problem, Remedy::StartAgain)
        };
        if structure.cardinalities() != self.scorer.cardinalities() {
            return Err(foreign().into());
        }
        check(control)?;
        let score = self.scorer.score(&structure, &self.prior)?.total();
        let trace = self.contexts.climb(structure.graph(), control)?;
        let state = self.state(structure, trace)?;
        let told = steps.last().map_or(state.score, |last| last.score);
        if score != Some(state.score) || told != state.score {
            return Err(foreign().into());
        }
        // Only limits of blankets are remembered; what cannot be counted is found out again.
        let bound = if self.swept.is_some() { limited.into_iter().collect() } else { VarSet::default() };
        let mut state = GraphClimbState { steps, ties, moves, rounds, bound, ..state };
        state.add_candidates(added_candidates);
        Ok(state)
    }

    /// One step: evaluates every neighbour and takes the first best that strictly improves.
    /// `Some(reason)` means that no step was taken.
    ///
    /// # Errors
    /// When a blanket's outcome space is too large.
    pub fn step(
        &self,
        state: &mut GraphClimbState,
        observer: &dyn SearchObserver,
    ) -> Result<Option<StopReason>> {
        loop {
            let moved = self.try_step(state, observer);
            let enlarged = moved.and_then(|moved| Ok((moved, !moved && self.enlarge(state, observer)?)));
            match enlarged {
                Ok((true, _)) => return Ok(None),
                Ok((false, true)) => {} // there are more candidates now
                Ok((false, false)) => {
                    // After the last of the bounded sweeps nothing was evaluated again.
                    let all_known = !state.rounds.spent;
                    state.ties += if all_known { state.neighbor_ties() } else { 0 };
                    return Ok(Some(StopReason::Converged));
                }
                Err(Halt::Stopped(reason)) => return Ok(Some(reason)),
                Err(Halt::Failed(error)) => return Err(error),
            }
        }
    }

    fn try_step(&self, state: &mut GraphClimbState, observer: &dyn SearchObserver) -> Halting<bool> {
        if self.take_pending(state, observer)? {
            return Ok(true);
        }
        if state.rounds.spent {
            return Ok(false);
        }
        let is_whole = self.evaluate_open(state, observer)?;
        self.put_aside(state, observer)?;
        let changes = || state.evaluated.iter().map(|e| e.as_ref().and_then(|e| e.change));
        let best = changes().flatten().max().filter(|&best| best > Nats::ZERO);
        let bound = state.refused_above(best.unwrap_or(Nats::ZERO));
        let Some(best) = best else {
            state.note_bound(&bound);
            if !is_whole {
                self.count_sweep(state);
            }
            return Ok(false);
        };
        let promising = changes().flatten().filter(|&change| change > Nats::ZERO).count() as u64;
        let mut equals = changes().enumerate().filter(|&(_, change)| change == Some(best));
        let Some((first, _)) = equals.next() else { return Ok(false) };
        let tied = u64::from(equals.next().is_some()) + state.neighbor_ties();
        let (rounds, limited) = self.begin_round(state, first);
        self.take(state, state.candidates[first], best, observer)?;
        state.note_bound(&[bound, limited].concat());
        state.moves += state.candidates.len() as u64;
        state.ties += tied + state.trace.ties();
        state.promising = promising;
        state.rounds = rounds;
        Ok(true)
    }

    /// Puts best toggles aside until the best one keeps the junction tree within its cells.
    fn put_aside(&self, state: &mut GraphClimbState, control: &dyn Control) -> Halting<()> {
        while let Some((place, change)) = state.first_best().filter(|_| self.max_cells.is_some()) {
            check(control)?;
            if self.is_within(state, state.candidates[place]) {
                break;
            }
            // Every node has a part in what the tree takes.
            let all = (0..state.structure.variables() as u32).collect();
            state.evaluated[place] = Some(Evaluated::forbidden(all, Some(change)));
        }
        Ok(())
    }

    /// Whether the junction tree keeps to its cells with an edge toggled. One that goes beyond may lose any edge.
    pub(super) fn is_within(&self, state: &GraphClimbState, edge: Edge) -> bool {
        let Some(most) = self.max_cells else { return true };
        let fits = |graph: &Graph| is_within(graph, self.scorer.cardinalities(), most);
        let mut toggled = state.structure.graph().clone();
        toggled.toggle(edge);
        fits(&toggled) || !toggled.contains(edge) && !fits(state.structure.graph())
    }

    /// Adds pairs to the candidates that the present graph speaks for; whether there were any.
    ///
    /// # Errors
    /// When a blanket's outcome space is too large.
    fn enlarge(&self, state: &mut GraphClimbState, observer: &dyn SearchObserver) -> Halting<bool> {
        if self.swept.is_none() || state.rounds.spent {
            return Ok(false);
        }
        let search = PairSearch {
            scorer: self.scorer,
            limits: self.limits,
            graph: state.structure.graph(),
            known: &state.candidates,
            prior: &self.prior,
        };
        let mut pairs = search.new_pairs(&mut state.swept, observer)?;
        if self.contexts.allows_contexts() {
            pairs.extend(self.pairs_for_contexts(state, &search, &pairs, observer)?);
        }
        let any = !pairs.is_empty();
        state.add_candidates(pairs);
        Ok(any)
    }

    /// Whether a sweep serves several steps: in mode `blanket`, with contexts.
    pub(super) fn is_by_rounds(&self) -> bool {
        self.swept.is_some() && self.contexts.allows_contexts()
    }

    /// Evaluates all toggles whose evaluation is open, or those that a sweep may afford; whether these are all.
    fn evaluate_open(&self, state: &mut GraphClimbState, observer: &dyn SearchObserver) -> Halting<bool> {
        let places = (0..state.candidates.len()).collect();
        if self.is_by_rounds() {
            return self.sweep(state, places, observer);
        }
        self.evaluate(state, &places, observer)?;
        Ok(true)
    }

    /// Evaluates the toggles at these places whose evaluation is open.
    pub(super) fn evaluate(
        &self,
        state: &mut GraphClimbState,
        places: &[usize],
        observer: &dyn SearchObserver,
    ) -> Halting<()> {
        let open: Vec<usize> =
            places.iter().copied().filter(|&place| state.evaluated[place].is_none()).collect();
        let all = state.evaluated.iter().filter(|evaluated| evaluated.is_none()).count();
        let evaluate = |places: &mut Places, &place: &usize| {
            let change = self.change(state, state.candidates[place], places, observer);
            observer.observe(&SearchEvent::Evaluated { of: all });
            unless_too_large(change, state.structure.variables())
        };
        // Each thread holds the classes of its own toggle.
        let at_once = self.scorer.toggles_at_once(state.structure.graph());
        let found: Vec<Evaluated> = open
            .par_iter()
            .with_min_len(open.len().div_ceil(at_once).max(1))
            .map_init(|| Places::new(self.scorer.cardinalities().len()), evaluate)
            .collect::<Halting<_>>()?;
        for (place, evaluated) in open.into_iter().zip(found) {
            state.evaluated[place] = Some(evaluated);
        }
        Ok(())
    }

    /// The score of the graph with one edge toggled, with its own contexts.
    fn change(
        &self,
        state: &GraphClimbState,
        edge: Edge,
        places: &mut Places,
        observer: &dyn SearchObserver,
    ) -> Halting<Evaluated> {
        check(observer)?;
        let (low, high) = edge.ends();
        let graph = Toggled::new(state.structure.graph(), edge);
        let allow = |end| self.limits.allow(graph.markov_blanket(end), self.scorer.cardinalities());
        if !(state.structure.graph().contains(edge) || allow(low) && allow(high)) {
            return self.refused(state, &graph, edge);
        }
        let ground = Ground { graph: &graph, trace: &state.trace };
        // First the contexts: the counts that they need give the plain scores as well.
        let outcome = self.contexts.toggled(ground, edge, places, observer)?;
        let change = outcome.change + self.plain_change(state, &graph, edge)?;
        Ok(Evaluated {
            change: Some(change),
            ties: outcome.ties,
            watched: Watched::new(outcome.watched),
            work: outcome.work,
            too_large: false,
            refused: None,
        })
    }

    /// What a toggle changes where contexts stay as they are.
    pub(super) fn plain_change(
        &self,
        state: &GraphClimbState,
        graph: &Toggled<'_>,
        edge: Edge,
    ) -> Result<Nats> {
        let added = !state.structure.graph().contains(edge);
        let mut change = if added { self.prior.edge(edge) } else { -self.prior.edge(edge) };
        for end in [edge.low(), edge.high()] {
            change += self.scorer.plain_node_score(end, graph.markov_blanket(end))? - state.plain[end];
        }
        Ok(change)
    }

    /// An edge that the limits keep out, with what it would change: the graph may be worse than it
    /// could be, and that is told.
    fn refused(&self, state: &GraphClimbState, graph: &Toggled<'_>, edge: Edge) -> Halting<Evaluated> {
        let change = self.plain_change(state, graph, edge)?;
        Ok(Evaluated::forbidden(vec![edge.low() as u32, edge.high() as u32], Some(change)))
    }

    pub(super) fn take(
        &self,
        state: &mut GraphClimbState,
        edge: Edge,
        change: Nats,
        observer: &dyn SearchObserver,
    ) -> Halting<()> {
        let mut changed = vec![edge.low(), edge.high()];
        let mut differing = changed.clone();
        if self.contexts.allows_contexts() {
            let graph = Toggled::new(state.structure.graph(), edge);
            let ground = Ground { graph: &graph, trace: &state.trace };
            let recorded = self.contexts.advance(ground, edge, observer)?;
            changed.extend(recorded.changed);
            differing.extend(graph.common_neighbors(edge).iter());
            match state.trace.replace(recorded.steps, recorded.nodes) {
                Some(nodes) => differing.extend(nodes),
                None => differing.clone_from(&changed),
            }
        }
        for &node in &changed {
            state.structure.clear_contexts_at(node);
        }
        let added = state.structure.toggle_edge(edge)?;
        for &node in &changed {
            for step in state.trace.steps_at(node) {
                state.structure.add_context_element(step.edge, step.element)?;
            }
        }
        for end in [edge.low(), edge.high()] {
            state.plain[end] = self.scorer.plain_node_score(end, state.structure.markov_blanket(end))?;
        }
        state.score += change;
        state.steps.push(GraphStep { edge, added, score: state.score });
        state.forget(&differing);
        Ok(())
    }
}

/// What a toggle changes; one whose counts are too large is left alone, and evaluated again
/// after every step, since what it depends on is not known.
fn unless_too_large(change: Halting<Evaluated>, variables: usize) -> Halting<Evaluated> {
    match change {
        Err(Halt::Failed(error)) if matches!(error.kind(), ErrorKind::Limit { .. }) => {
            Ok(Evaluated::forbidden((0..variables as u32).collect(), None))
        }
        evaluated => evaluated,
    }
}

/// Steps until nothing improves or the observer ends the search; the state holds the best
/// structure found either way.
///
/// # Errors
/// When a blanket's outcome space is too large.
pub fn climb_graph<S: CountSource>(
    climb: &GraphClimb<'_, '_, S>,
    state: &mut GraphClimbState,
    observer: &dyn SearchObserver,
) -> Result<StopReason> {
    loop {
        match climb.step(state, observer)? {
            None => observer.observe(&SearchEvent::Moved(state)),
            Some(StopReason::Converged) => return Ok(StopReason::Converged),
            Some(reason) => {
                observer.observe(&SearchEvent::Paused(Standing::Climb(state)));
                return Ok(reason);
            }
        }
    }
}

#[cfg(test)]
pub(super) mod tests;
