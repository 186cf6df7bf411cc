//! Greedy toggles of edges by the penalised conditional likelihood.

use super::carry::carried;
use super::family::{Family, NodeFit};
use super::rows::{Classes, Rows};
use super::screen::{Asked, Planes, promising};
use super::{RefineOptions, RefineStep, Refined};
use crate::control::{Control, Halt, Halting, StopReason, check};
use crate::data::Var;
use crate::error::{ErrorKind, Result};
use crate::graph::{Edge, VarSet};
use crate::score::EdgeRules;
use crate::structure::Structure;
use crate::tree::is_within;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// A pair is fitted when its promise, times this, reaches what an edge costs at one end. The
/// promise is too low where the other parameters of the node hide a dependence.
const SLACK: f64 = 2.0;

/// An edge's removal is fitted when its loss, over this, is below what it saves. The loss is too
/// high where the likelihood is far from a parabola.
const REMOVAL_SLACK: f64 = 2.0;

/// So many toggles whose gains are out of date are looked at together, the most promising ones first.
const TOGETHER: usize = 8;

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

    /// The family of a node; `None` when it has too many parameters.
    fn family(&self, structure: &Structure, node: Var) -> Halting<Option<Family>> {
        check(self.control)?;
        Ok(Family::of(structure, node, self.order, self.control)?)
    }

    /// The fits of all nodes; `None` for those with too many parameters.
    pub(super) fn fits(&self, structure: &Structure) -> Halting<Vec<Option<NodeFit>>> {
        let fit = |node| {
            let family = self.family(structure, node)?;
            Ok(family.map(|family| NodeFit::of(self.rows, structure, node, family, None)))
        };
        (0..structure.variables()).into_par_iter().map(fit).collect()
    }

    /// What a node's parameters and its ends of edges cost.
    fn costs(&self, structure: &Structure, node: Var, parameters: usize) -> f64 {
        self.parameter * parameters as f64 + self.ends(structure, node)
    }

    /// A node's part of the score.
    pub(super) fn value(&self, structure: &Structure, node: Var, fit: &NodeFit) -> f64 {
        fit.log_likelihood - self.costs(structure, node, fit.parameters())
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
    planes: Planes,
    /// For each node, sets of its neighbours with what it loses without their terms.
    losses: Vec<BTreeMap<VarSet, f64>>,
    /// For each node, the variables outside of its blanket that promise enough to be fitted.
    promising: Vec<VarSet>,
    /// What is known of each toggle that may be taken: of edges, and of pairs that promise enough to
    /// one end at least.
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
    /// Whether no conditional that it watches has changed since.
    is_fresh: bool,
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
            planes: Planes::of(self.rows),
            losses: vec![BTreeMap::new(); fits.len()],
            promising: vec![VarSet::default(); fits.len()],
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

    /// Looks at the pairs of some nodes anew: those that promise something become candidates, and those
    /// that promise nothing to either end any more cease to be.
    fn screen(&self, state: &mut State, nodes: &[Var]) -> Halting<()> {
        let look = |&node: &Var| {
            check(self.control)?;
            let Some(fit) = &state.fits[node] else { return Ok(VarSet::default()) };
            let blanket = state.structure.markov_blanket(node);
            let mut asked: Vec<Asked> = Vec::new();
            for other in (0..state.structure.variables()).filter(|&v| v != node && !blanket.contains(v)) {
                let edge = Edge::new(node, other)?;
                if self.rules.is_free(edge) {
                    asked.push((other, self.price(edge) / SLACK));
                }
            }
            let enough = promising((self.rows, &state.planes), &state.structure, node, fit, &asked);
            Ok(enough.into_iter().collect())
        };
        let found: Vec<VarSet> = nodes.par_iter().map(look).collect::<Halting<_>>()?;
        for (&node, enough) in nodes.iter().zip(found) {
            for other in enough.iter() {
                state.candidates.entry(Edge::new(node, other)?).or_insert(None);
            }
            state.promising[node] = enough;
        }
        let (structure, promising) = (&state.structure, &state.promising);
        state.candidates.retain(|edge, _| {
            let (low, high) = edge.ends();
            structure.graph().contains(*edge)
                || promising[low].contains(high)
                || promising[high].contains(low)
        });
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

    /// Takes the toggle with the highest gain. Gains that are out of date are guesses: they are renewed from
    /// the highest on until one of them leads, and all of them before the climb ends.
    fn step(&self, state: &mut State) -> Halting<bool> {
        state.moves += state.candidates.len() as u64;
        loop {
            check(self.control)?;
            let unknown = state.unknown();
            self.renew(state, &unknown)?;
            let stale = state.stale();
            let Some(leader) = state.best() else {
                if stale.is_empty() {
                    return Ok(false);
                }
                self.renew(state, &stale)?;
                continue;
            };
            if !leader.is_fresh {
                self.renew(state, &stale[..stale.len().min(TOGETHER)])?;
            } else if self.is_within(&state.structure, leader.edge) {
                self.take(state, leader.edge, leader.gain)?;
                return Ok(true);
            } else if let Some(Some(evaluated)) = state.candidates.get_mut(&leader.edge) {
                evaluated.gain = None;
            }
        }
    }

    /// Whether the junction tree with an edge toggled keeps to the budget. Removals always do.
    fn is_within(&self, structure: &Structure, edge: Edge) -> bool {
        let Some(most) = self.max_cells.filter(|_| !structure.graph().contains(edge)) else { return true };
        let mut graph = structure.graph().clone();
        graph.add_edge(edge);
        is_within(&graph, structure.cardinalities(), most)
    }

    /// Finds out what some toggles change.
    fn renew(&self, state: &mut State, edges: &[Edge]) -> Halting<()> {
        let found: Vec<Evaluated> =
            edges.par_iter().map(|&edge| self.evaluate(state, edge)).collect::<Halting<_>>()?;
        for (&edge, evaluated) in edges.iter().zip(found) {
            state.candidates.insert(edge, Some(evaluated));
        }
        Ok(())
    }

    /// What a toggle changes. Structures that are too large to be had are left alone.
    fn evaluate(&self, state: &State, edge: Edge) -> Halting<Evaluated> {
        let watched = affected(&state.structure, edge);
        if state.structure.graph().contains(edge) && !self.may_go(state, edge, &watched) {
            return Ok(Evaluated { gain: Some(f64::NEG_INFINITY), watched, is_fresh: true });
        }
        let gain = match self.toggled(state, edge, &watched) {
            Ok(found) => found.map(|found| found.gain),
            Err(Halt::Failed(error)) if matches!(error.kind(), ErrorKind::Limit { .. }) => None,
            Err(halt) => return Err(halt),
        };
        Ok(Evaluated { gain, watched, is_fresh: true })
    }

    /// Whether an edge could be worth removing, by the losses that its nodes expect.
    fn may_go(&self, state: &State, edge: Edge, nodes: &[Var]) -> bool {
        let (mut loss, mut saved) = (0.0, 2.0 * self.end(edge));
        for &node in nodes {
            let Some(fit) = &state.fits[node] else { return true };
            let set = others(edge, node);
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
        let mut open = Vec::with_capacity(nodes.len());
        for &node in nodes {
            let Some(earlier) = &state.fits[node] else { return Ok(None) };
            let Some(family) = self.family(&structure, node)? else { return Ok(None) };
            let saved = self.costs(&state.structure, node, earlier.parameters())
                - self.costs(&structure, node, family.parameters());
            open.push(Open { node, earlier, family, saved });
        }
        // Where no context restricts the terms that go, the likelihood can only fall: what is saved bounds
        // the gain.
        let is_bounded =
            state.structure.graph().contains(edge) && open.iter().all(|one| !one.earlier.is_restricted());
        if is_bounded {
            // Those that lose most come first.
            let known = |one: &Open<'_>| state.losses[one.node].get(&others(edge, one.node)).copied();
            let loss = |one: &Open<'_>| known(one).unwrap_or(f64::INFINITY);
            open.sort_by(|one, other| loss(other).total_cmp(&loss(one)));
        }
        let mut gain: f64 = open.iter().map(|one| one.saved).sum();
        let mut fits = Vec::with_capacity(nodes.len());
        for Open { node, earlier, family, .. } in open {
            if is_bounded && gain < 0.0 {
                break;
            }
            check(self.control)?;
            let fit = NodeFit::of(self.rows, &structure, node, family, Some(earlier));
            gain += fit.log_likelihood - earlier.log_likelihood;
            fits.push((node, fit));
        }
        Ok(Some(Toggled { structure, fits, gain }))
    }

    fn take(&self, state: &mut State, edge: Edge, gain: f64) -> Halting<()> {
        let nodes = affected(&state.structure, edge);
        let Some(toggled) = self.toggled(state, edge, &nodes)? else { return Ok(()) };
        debug_assert_eq!(toggled.fits.len(), nodes.len());
        state.structure = toggled.structure;
        for (node, fit) in toggled.fits {
            state.fits[node] = Some(fit);
        }
        state.score += gain;
        let added = state.structure.graph().contains(edge);
        state.steps.push(RefineStep { edge, added, score: state.score });
        let changed: VarSet = nodes.iter().copied().collect();
        state.candidates.insert(edge, None);
        for evaluated in state.candidates.values_mut().flatten() {
            evaluated.is_fresh &= !evaluated.watched.iter().any(|&node| changed.contains(node));
        }
        self.expect_losses(state, &nodes)?;
        self.screen(state, &nodes)
    }
}

/// A structure after a toggle.
struct Toggled {
    structure: Structure,
    /// Of all nodes that it changes; of the first ones where these rule the toggle out.
    fits: Vec<(Var, NodeFit)>,
    /// What the score gains; at most that where a fit is missing.
    gain: f64,
}

/// A node that a toggle changes.
struct Open<'a> {
    node: Var,
    earlier: &'a NodeFit,
    family: Family,
    /// What it pays less.
    saved: f64,
}

/// The nodes whose conditionals a toggle changes: its ends and their common neighbours.
fn affected(structure: &Structure, edge: Edge) -> Vec<Var> {
    let common = structure.graph().common_neighbors(edge);
    [edge.low(), edge.high()].into_iter().chain(common.iter()).collect()
}

/// The ends of an edge without a node.
fn others(edge: Edge, node: Var) -> VarSet {
    [edge.low(), edge.high()].into_iter().filter(|&end| end != node).collect()
}

/// A toggle with its gain.
struct Leader {
    edge: Edge,
    gain: f64,
    is_fresh: bool,
}

impl State {
    /// The toggles about which nothing is known.
    fn unknown(&self) -> Vec<Edge> {
        self.candidates.iter().filter(|(_, known)| known.is_none()).map(|(&edge, _)| edge).collect()
    }

    /// The toggles whose gains are out of date, from the highest on; of equals the first.
    fn stale(&self) -> Vec<Edge> {
        let known = self.candidates.iter().filter_map(|(&edge, known)| Some((edge, known.as_ref()?)));
        let mut stale: Vec<(Edge, f64)> = known
            .filter(|(_, evaluated)| !evaluated.is_fresh)
            .map(|(edge, evaluated)| (edge, evaluated.gain.unwrap_or(f64::NEG_INFINITY)))
            .collect();
        stale.sort_by(|one, other| other.1.total_cmp(&one.1));
        stale.into_iter().map(|(edge, _)| edge).collect()
    }

    /// The toggle that improves the score most, as far as is known; of equals the first.
    fn best(&self) -> Option<Leader> {
        let mut best: Option<Leader> = None;
        for (&edge, evaluated) in &self.candidates {
            let Some(Evaluated { gain: Some(gain), is_fresh, .. }) = evaluated else { continue };
            if *gain > best.as_ref().map_or(MARGIN, |leader| leader.gain) {
                best = Some(Leader { edge, gain: *gain, is_fresh: *is_fresh });
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
