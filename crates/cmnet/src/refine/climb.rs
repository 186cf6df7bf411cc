//! Greedy toggles of edges by the penalised conditional likelihood.

use super::carry::carried;
use super::family::Family;
use super::fitted::{Attempt, NodeFit};
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
            let Some(family) = self.family(structure, node)? else { return Ok(None) };
            let classes = Classes::of(self.rows, node, structure.markov_blanket(node));
            Ok(Some(NodeFit::of(self.rows, node, family, &classes).0))
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
    /// For each node, what its fit says about toggles.
    views: Vec<View>,
    /// What is known of each toggle that may be taken: of edges, and of pairs that promise enough to
    /// one end at least.
    candidates: BTreeMap<Edge, Option<Evaluated>>,
    steps: Vec<RefineStep>,
    moves: u64,
    before: f64,
    score: f64,
}

/// What the fit of a node says about toggles around it.
#[derive(Clone, Debug, Default)]
struct View {
    /// Sets of its neighbours with what the log-likelihood loses without their terms.
    losses: BTreeMap<VarSet, f64>,
    /// The variables outside of its blanket that promise enough to be fitted.
    promising: VarSet,
}

/// A node that is fitted, the classes of its blanket, and for each class and level of the node the probability.
struct Fitted<'a> {
    node: Var,
    fit: &'a NodeFit,
    classes: &'a Classes,
    probabilities: &'a [f64],
}

/// By how much a toggle changes the score, and the fits that it changes.
type Toggled = (f64, Vec<(Var, NodeFit)>);

/// What a toggle would change; `None` where a conditional has too many parameters.
struct Evaluated {
    gain: Option<f64>,
    /// The fits of all nodes that it changes, where it is worth while.
    fits: Vec<(Var, NodeFit)>,
    watched: Vec<Var>,
    /// Whether no conditional that it watches has changed since.
    is_fresh: bool,
}

impl Judge<'_> {
    /// The state before the first step.
    pub(super) fn start(&self, structure: &Structure) -> Halting<State> {
        let planes = Planes::of(self.rows);
        let fit = |node| {
            let Some(family) = self.family(structure, node)? else { return Ok(None) };
            let classes = Classes::of(self.rows, node, structure.markov_blanket(node));
            let (fit, probabilities) = NodeFit::of(self.rows, node, family, &classes);
            let fitted = Fitted { node, fit: &fit, classes: &classes, probabilities: &probabilities };
            let view = self.view(structure, &planes, &fitted)?;
            Ok(Some((fit, view)))
        };
        let found: Vec<Option<(NodeFit, View)>> =
            (0..structure.variables()).into_par_iter().map(fit).collect::<Halting<_>>()?;
        let (mut fits, mut views) = (Vec::with_capacity(found.len()), Vec::with_capacity(found.len()));
        for found in found {
            let (fit, view) = found.unzip();
            fits.push(fit);
            views.push(view.unwrap_or_default());
        }
        let known = fits.iter().enumerate().filter_map(|(node, fit)| Some((node, fit.as_ref()?)));
        let score = known.map(|(node, fit)| self.value(structure, node, fit)).sum();
        let edges = structure.graph().edges().filter(|&edge| self.rules.is_free(edge));
        let mut state = State {
            candidates: edges.map(|edge| (edge, None)).collect(),
            structure: structure.clone(),
            planes,
            views: vec![View::default(); fits.len()],
            fits,
            steps: Vec::new(),
            moves: 0,
            before: score,
            score,
        };
        state.see((0..structure.variables()).zip(views))?;
        Ok(state)
    }

    /// What a fit says about toggles around its node.
    fn view(&self, structure: &Structure, planes: &Planes, fitted: &Fitted<'_>) -> Halting<View> {
        check(self.control)?;
        let &Fitted { node, fit, classes, probabilities } = fitted;
        let (graph, blanket) = (structure.graph(), structure.markov_blanket(node));
        let mut sets: Vec<VarSet> = Vec::new();
        for one in blanket.iter() {
            sets.push(VarSet::from_iter([one]));
            let later = blanket.intersection(graph.markov_blanket(one));
            sets.extend(later.iter().filter(|&v| v > one).map(|other| VarSet::from_iter([one, other])));
        }
        let losses = fit.losses(self.rows, node, classes, &sets);
        let mut asked: Vec<Asked> = Vec::new();
        for other in (0..structure.variables()).filter(|&v| v != node && !blanket.contains(v)) {
            let edge = Edge::new(node, other)?;
            if self.rules.is_free(edge) {
                asked.push((other, self.price(edge) / SLACK));
            }
        }
        let promising = promising((self.rows, planes), node, (classes, probabilities), &asked);
        Ok(View {
            losses: sets.into_iter().zip(losses).collect(),
            promising: promising.into_iter().collect(),
        })
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
            let gain = Some(f64::NEG_INFINITY);
            return Ok(Evaluated { gain, fits: Vec::new(), watched, is_fresh: true });
        }
        let found = match self.toggled(state, edge, &watched) {
            Ok(found) => found,
            Err(Halt::Failed(error)) if matches!(error.kind(), ErrorKind::Limit { .. }) => None,
            Err(halt) => return Err(halt),
        };
        let (gain, fits) = found.unzip();
        Ok(Evaluated { gain, fits: fits.unwrap_or_default(), watched, is_fresh: true })
    }

    /// Whether an edge could be worth removing, by the losses that its nodes expect.
    fn may_go(&self, state: &State, edge: Edge, nodes: &[Var]) -> bool {
        let (mut loss, mut saved) = (0.0, 2.0 * self.end(edge));
        for &node in nodes {
            let Some(fit) = &state.fits[node] else { return true };
            let set = others(edge, node);
            let Some(known) = state.views[node].losses.get(&set) else { return true };
            loss += known;
            saved += self.parameter * fit.parameters_with(&set) as f64;
        }
        loss < REMOVAL_SLACK * saved
    }

    /// What the score gains by a toggle, and the fits of all nodes that it changes. Where it gains nothing: about
    /// what it may gain, and no fits. `None` when a conditional has too many parameters.
    fn toggled(&self, state: &State, edge: Edge, nodes: &[Var]) -> Halting<Option<Toggled>> {
        let structure = carried(&state.structure, edge)?;
        for end in [edge.low(), edge.high()] {
            structure.blanket_space(end)?; // the paper's score must be able to count it too
        }
        let mut open = Vec::with_capacity(nodes.len());
        let mut gain = 0.0;
        for &node in nodes {
            let Some(earlier) = &state.fits[node] else { return Ok(None) };
            let Some(family) = self.family(&structure, node)? else { return Ok(None) };
            gain += self.costs(&state.structure, node, earlier.parameters())
                - self.costs(&structure, node, family.parameters());
            open.push((node, earlier, family));
        }
        let attempt = |(node, earlier, family)| {
            Attempt::new(self.rows, (node, structure.markov_blanket(node)), family, earlier)
        };
        let mut fits = Vec::with_capacity(nodes.len());
        // Where no context restricts the terms that go, the likelihood can only fall: what is saved, and what
        // the others have lost, bounds the gain.
        let falls =
            state.structure.graph().contains(edge) && open.iter().all(|(_, fit, _)| !fit.is_restricted());
        if falls {
            // Those that lose most come first.
            let known = |node: Var| state.views[node].losses.get(&others(edge, node)).copied();
            let loss = |node: Var| known(node).unwrap_or(f64::INFINITY);
            open.sort_by(|one, other| loss(other.0).total_cmp(&loss(one.0)));
            for open in open {
                check(self.control)?;
                let node = open.0;
                match attempt(open).fit(MARGIN - gain) {
                    Ok((fit, change)) => {
                        gain += change;
                        fits.push((node, fit));
                    }
                    Err(most) => return Ok(Some(given_up(gain + most))),
                }
            }
        } else {
            let mut attempts = Vec::with_capacity(open.len());
            for open in open {
                check(self.control)?;
                attempts.push(attempt(open));
            }
            gain += attempts.iter().map(Attempt::most).sum::<f64>();
            for attempt in attempts {
                check(self.control)?;
                let node = attempt.node;
                gain -= attempt.most();
                match attempt.fit(MARGIN - gain) {
                    Ok((fit, change)) => {
                        gain += change;
                        fits.push((node, fit));
                    }
                    Err(most) => return Ok(Some(given_up(gain + most))),
                }
            }
        }
        if gain <= MARGIN {
            fits.clear();
        }
        Ok(Some((gain, fits)))
    }

    fn take(&self, state: &mut State, edge: Edge, gain: f64) -> Halting<()> {
        let structure = carried(&state.structure, edge)?;
        let known = state.candidates.get(&edge).and_then(Option::as_ref);
        let view = |(node, fit): &(Var, NodeFit)| {
            let node = *node;
            let classes = Classes::of(self.rows, node, structure.markov_blanket(node));
            let probabilities = fit.probabilities(self.rows, node, &classes);
            let fitted = Fitted { node, fit, classes: &classes, probabilities: &probabilities };
            Ok((node, self.view(&structure, &state.planes, &fitted)?))
        };
        let fits = known.map_or(&[][..], |evaluated| &evaluated.fits);
        let views: Vec<(Var, View)> = fits.par_iter().map(view).collect::<Halting<_>>()?;
        // Nothing was changed so far: a stop leaves the last step whole.
        state.structure = structure;
        let fits = state.candidates.insert(edge, None).flatten().map_or_else(Vec::new, |known| known.fits);
        let changed: VarSet = fits.iter().map(|&(node, _)| node).collect();
        for (node, fit) in fits {
            state.fits[node] = Some(fit);
        }
        state.score += gain;
        let added = state.structure.graph().contains(edge);
        state.steps.push(RefineStep { edge, added, score: state.score });
        for evaluated in state.candidates.values_mut().flatten() {
            evaluated.is_fresh &= !evaluated.watched.iter().any(|&node| changed.contains(node));
        }
        Ok(state.see(views)?)
    }
}

/// A toggle whose fits were given up. The sum of what it may gain is rounded, and must not lead.
fn given_up(gain: f64) -> Toggled {
    (gain.min(MARGIN), Vec::new())
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
    /// Takes over what fits say: pairs that promise something become candidates, and those that promise nothing
    /// to either end any more cease to be.
    fn see(&mut self, views: impl IntoIterator<Item = (Var, View)>) -> Result<()> {
        for (node, view) in views {
            for other in view.promising.iter() {
                self.candidates.entry(Edge::new(node, other)?).or_insert(None);
            }
            self.views[node] = view;
        }
        let (structure, views) = (&self.structure, &self.views);
        self.candidates.retain(|edge, _| {
            let (low, high) = edge.ends();
            structure.graph().contains(*edge)
                || views[low].promising.contains(high)
                || views[high].promising.contains(low)
        });
        Ok(())
    }

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
