//! Greedy toggles of edges by the penalised conditional likelihood.

use super::carry::carried;
use super::family::{NodeFit, Settings};
use super::rows::{Classes, Rows};
use super::screen::promises;
use super::{RefineOptions, RefineStep, Refined};
use crate::control::{Control, Halt, Halting, StopReason, check};
use crate::data::Var;
use crate::error::{ErrorKind, Result};
use crate::graph::{Edge, VarSet};
use crate::score::EdgeRules;
use crate::structure::Structure;
use crate::tree::best_plan;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// A pair is fitted when its promise, times this, reaches what an edge costs at one end. The
/// promise is too low where the other parameters of the node hide a dependence.
const SLACK: f64 = 2.0;

/// An edge's removal is fitted when its loss, over this, is below what it saves. The loss is too
/// high where the likelihood is far from a parabola.
const REMOVAL_SLACK: f64 = 2.0;

/// A toggle must improve the score by more than the fits are exact to.
const MARGIN: f64 = 1e-4;

/// The scores of structures over one table.
pub(super) struct Judge<'a> {
    pub(super) rows: &'a Rows,
    pub(super) order: usize,
    /// (1/2) ln(n): what a free parameter costs.
    parameter: f64,
    /// What an end of an edge costs that has no prior of its own.
    end: f64,
    rules: &'a EdgeRules,
    max_cells: Option<u64>,
    pub(super) control: &'a dyn Control,
}

impl<'a> Judge<'a> {
    pub(super) fn new(
        rows: &'a Rows,
        options: &RefineOptions,
        rules: &'a EdgeRules,
        control: &'a dyn Control,
    ) -> Self {
        let end = -options.edge_prior.log_end(rows.columns.len()).to_f64();
        let (order, max_cells) = (options.order, options.max_cells);
        Self { rows, order, parameter: libm::log(rows.total) / 2.0, end, rules, max_cells, control }
    }

    /// What an end of an edge costs.
    fn end(&self, edge: Edge) -> f64 {
        self.rules.log_end(edge).map_or(self.end, |end| -end.to_f64())
    }

    /// What the ends of its edges cost a node.
    fn ends(&self, structure: &Structure, node: Var) -> f64 {
        let neighbors = structure.markov_blanket(node);
        if self.rules.is_empty() {
            return self.end * neighbors.len() as f64;
        }
        neighbors.iter().filter_map(|other| Edge::new(node, other).ok()).map(|edge| self.end(edge)).sum()
    }

    fn fit(&self, structure: &Structure, node: Var, from: Option<&NodeFit>) -> Halting<Option<NodeFit>> {
        check(self.control)?;
        let settings = Settings { order: self.order, from, control: self.control };
        Ok(NodeFit::of(self.rows, structure, node, &settings)?)
    }

    /// The fits of all nodes; `None` for those with too many parameters.
    pub(super) fn fits(&self, structure: &Structure) -> Halting<Vec<Option<NodeFit>>> {
        (0..structure.variables()).into_par_iter().map(|node| self.fit(structure, node, None)).collect()
    }

    /// A node's part of the score.
    pub(super) fn value(&self, structure: &Structure, node: Var, fit: &NodeFit) -> f64 {
        fit.log_likelihood - self.parameter * fit.parameters() as f64 - self.ends(structure, node)
    }

    /// What an edge costs at one end, at least.
    fn price(&self, edge: Edge) -> f64 {
        let free = (self.rows.levels(edge.low()) - 1) * (self.rows.levels(edge.high()) - 1);
        self.parameter * free as f64 + self.end(edge)
    }
}

/// Where the climb stands.
pub(super) struct State {
    structure: Structure,
    fits: Vec<Option<NodeFit>>,
    /// For each node, sets of its neighbours with what it loses without their terms.
    losses: Vec<BTreeMap<VarSet, f64>>,
    /// What is known of each toggle that may be taken.
    candidates: BTreeMap<Edge, Option<Evaluated>>,
    steps: Vec<RefineStep>,
    moves: u64,
    before: f64,
    score: f64,
}

/// What a toggle would change; `None` where a conditional has too many parameters.
struct Evaluated {
    gain: Option<f64>,
    watched: Vec<Var>,
}

impl Judge<'_> {
    /// The state before the first step.
    pub(super) fn start(&self, structure: &Structure) -> Halting<State> {
        let fits = self.fits(structure)?;
        let known = fits.iter().enumerate().filter_map(|(node, fit)| Some((node, fit.as_ref()?)));
        let score = known.map(|(node, fit)| self.value(structure, node, fit)).sum();
        let open = |edge| (edge, None);
        let mut state = State {
            candidates: structure
                .graph()
                .edges()
                .filter(|&edge| self.rules.is_free(edge))
                .map(open)
                .collect(),
            structure: structure.clone(),
            losses: vec![BTreeMap::new(); fits.len()],
            fits,
            steps: Vec::new(),
            moves: 0,
            before: score,
            score,
        };
        let all: Vec<Var> = (0..structure.variables()).collect();
        self.expect_losses(&mut state, &all)?;
        self.screen(&mut state, &all)?;
        Ok(state)
    }

    /// Adds the pairs of some nodes that promise something to the candidates.
    fn screen(&self, state: &mut State, nodes: &[Var]) -> Halting<()> {
        let look = |&node: &Var| {
            check(self.control)?;
            let Some(fit) = &state.fits[node] else { return Ok(Vec::new()) };
            let mut enough = Vec::new();
            for (other, gain) in promises(self.rows, &state.structure, node, fit) {
                let edge = Edge::new(node, other)?;
                if self.rules.is_free(edge) && SLACK * gain >= self.price(edge) {
                    enough.push(edge);
                }
            }
            Ok(enough)
        };
        let found: Vec<Vec<Edge>> = nodes.par_iter().map(look).collect::<Halting<_>>()?;
        for edge in found.into_iter().flatten() {
            state.candidates.entry(edge).or_insert(None);
        }
        Ok(())
    }

    /// Toggles the best edge while that improves the score; says why it ended.
    pub(super) fn climb(&self, state: &mut State) -> Result<StopReason> {
        loop {
            match self.step(state) {
                Ok(true) => {}
                Ok(false) => return Ok(StopReason::Converged),
                Err(Halt::Stopped(reason)) => return Ok(reason),
                Err(Halt::Failed(error)) => return Err(error),
            }
        }
    }

    fn step(&self, state: &mut State) -> Halting<bool> {
        self.evaluate_open(state)?;
        state.moves += state.candidates.len() as u64;
        while let Some((edge, gain)) = state.best() {
            check(self.control)?;
            if self.is_within(&state.structure, edge) {
                self.take(state, edge, gain)?;
                return Ok(true);
            }
            if let Some(Some(evaluated)) = state.candidates.get_mut(&edge) {
                evaluated.gain = None;
            }
        }
        Ok(false)
    }

    /// Whether the junction tree with an edge toggled keeps to the budget. Removals always do.
    fn is_within(&self, structure: &Structure, edge: Edge) -> bool {
        let Some(most) = self.max_cells.filter(|_| !structure.graph().contains(edge)) else { return true };
        let mut graph = structure.graph().clone();
        graph.add_edge(edge);
        let all: VarSet = (0..structure.variables()).collect();
        let cost = best_plan(&graph, &all, structure.cardinalities(), most).cost;
        !cost.at_least && cost.cells <= most
    }

    fn evaluate_open(&self, state: &mut State) -> Halting<()> {
        let unknown = state.candidates.iter().filter(|(_, evaluated)| evaluated.is_none());
        let open: Vec<Edge> = unknown.map(|(&edge, _)| edge).collect();
        let found: Vec<Evaluated> =
            open.par_iter().map(|&edge| self.evaluate(state, edge)).collect::<Halting<_>>()?;
        for (edge, evaluated) in open.into_iter().zip(found) {
            state.candidates.insert(edge, Some(evaluated));
        }
        Ok(())
    }

    /// What a toggle changes. Structures that are too large to be had are left alone.
    fn evaluate(&self, state: &State, edge: Edge) -> Halting<Evaluated> {
        let watched = affected(&state.structure, edge);
        if state.structure.graph().contains(edge) && !self.may_go(state, edge, &watched) {
            return Ok(Evaluated { gain: Some(f64::NEG_INFINITY), watched });
        }
        let gain = match self.toggled(state, edge, &watched) {
            Ok(found) => found.map(|found| found.gain),
            Err(Halt::Failed(error)) if matches!(error.kind(), ErrorKind::Limit { .. }) => None,
            Err(halt) => return Err(halt),
        };
        Ok(Evaluated { gain, watched })
    }

    /// Whether an edge could be worth removing, by the losses that its nodes expect.
    fn may_go(&self, state: &State, edge: Edge, nodes: &[Var]) -> bool {
        let ends: VarSet = [edge.low(), edge.high()].into_iter().collect();
        let (mut loss, mut saved) = (0.0, 2.0 * self.end(edge));
        for &node in nodes {
            let Some(fit) = &state.fits[node] else { return true };
            let set: VarSet = ends.iter().filter(|&end| end != node).collect();
            let Some(known) = state.losses[node].get(&set) else { return true };
            loss += known;
            saved += self.parameter * fit.parameters_with(&set) as f64;
        }
        loss < REMOVAL_SLACK * saved
    }

    /// What some nodes lose without each of their edges, and without each edge among their
    /// neighbours.
    fn expect_losses(&self, state: &mut State, nodes: &[Var]) -> Halting<()> {
        let look = |&node: &Var| {
            check(self.control)?;
            let Some(fit) = &state.fits[node] else { return Ok(BTreeMap::new()) };
            let (graph, blanket) = (state.structure.graph(), state.structure.markov_blanket(node));
            let mut sets: Vec<VarSet> = Vec::new();
            for one in blanket.iter() {
                sets.push(VarSet::from_iter([one]));
                let later = blanket.intersection(graph.markov_blanket(one));
                sets.extend(later.iter().filter(|&v| v > one).map(|other| VarSet::from_iter([one, other])));
            }
            let classes = Classes::of(self.rows, node, blanket);
            let losses = fit.losses(self.rows, &classes, &sets);
            Ok(sets.into_iter().zip(losses).collect())
        };
        let found: Vec<BTreeMap<VarSet, f64>> = nodes.par_iter().map(look).collect::<Halting<_>>()?;
        for (&node, losses) in nodes.iter().zip(found) {
            state.losses[node] = losses;
        }
        Ok(())
    }

    /// The structure with an edge toggled and its fits; `None` when a conditional has too many
    /// parameters.
    fn toggled(&self, state: &State, edge: Edge, nodes: &[Var]) -> Halting<Option<Toggled>> {
        let structure = carried(&state.structure, edge)?;
        for end in [edge.low(), edge.high()] {
            structure.blanket_space(end)?; // the paper's score must be able to count it too
        }
        let mut toggled = Toggled { structure, fits: Vec::new(), gain: 0.0 };
        for &node in nodes {
            let Some(earlier) = &state.fits[node] else { return Ok(None) };
            let Some(fit) = self.fit(&toggled.structure, node, Some(earlier))? else { return Ok(None) };
            toggled.gain +=
                self.value(&toggled.structure, node, &fit) - self.value(&state.structure, node, earlier);
            toggled.fits.push((node, fit));
        }
        Ok(Some(toggled))
    }

    fn take(&self, state: &mut State, edge: Edge, gain: f64) -> Halting<()> {
        let nodes = affected(&state.structure, edge);
        let Some(toggled) = self.toggled(state, edge, &nodes)? else { return Ok(()) };
        state.structure = toggled.structure;
        for (node, fit) in toggled.fits {
            state.fits[node] = Some(fit);
        }
        state.score += gain;
        let added = state.structure.graph().contains(edge);
        state.steps.push(RefineStep { edge, added, score: state.score });
        let changed: VarSet = nodes.iter().copied().collect();
        for evaluated in state.candidates.values_mut() {
            if evaluated.as_ref().is_some_and(|e| e.watched.iter().any(|&node| changed.contains(node))) {
                *evaluated = None;
            }
        }
        self.expect_losses(state, &nodes)?;
        self.screen(state, &nodes)
    }
}

/// A structure after a toggle.
struct Toggled {
    structure: Structure,
    fits: Vec<(Var, NodeFit)>,
    gain: f64,
}

/// The nodes whose conditionals a toggle changes: its ends and their common neighbours.
fn affected(structure: &Structure, edge: Edge) -> Vec<Var> {
    let common = structure.graph().common_neighbors(edge);
    [edge.low(), edge.high()].into_iter().chain(common.iter()).collect()
}

impl State {
    /// The toggle that improves the score most; of equals the first.
    fn best(&self) -> Option<(Edge, f64)> {
        let mut best: Option<(Edge, f64)> = None;
        for (&edge, evaluated) in &self.candidates {
            let gain = evaluated.as_ref().and_then(|evaluated| evaluated.gain);
            if let Some(gain) = gain.filter(|&gain| gain > best.map_or(MARGIN, |(_, leader)| leader)) {
                best = Some((edge, gain));
            }
        }
        best
    }

    /// The result of a climb that ended for a reason.
    pub(super) fn refined(self, stop: StopReason) -> Refined {
        let refused = self.candidates.iter().filter(|(_, e)| e.as_ref().is_some_and(|e| e.gain.is_none()));
        let limited: VarSet = refused.flat_map(|(edge, _)| [edge.low(), edge.high()]).collect();
        Refined {
            structure: self.structure,
            steps: self.steps,
            moves: self.moves,
            before: self.before,
            score: self.score,
            stop,
            limited: limited.as_slice().to_vec(),
        }
    }
}
