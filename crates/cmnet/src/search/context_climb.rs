//! Algorithm 2, Context-Hill-Climb: add the best element while that improves the score.

use super::component::Component;
use super::observer::Observer;
use super::stop::Halt;
use crate::counts::CountSource;
use crate::data::Var;
use crate::error::Result;
use crate::graph::{Blankets, Edge, Graph};
use crate::outcome::{Cell, OutcomeSpace};
use crate::score::{BlanketClasses, ContextPrior, EdgeView, Gain, Nats, Scorer};
use crate::structure::Structure;
use std::collections::BTreeSet;

/// What a climb found.
#[derive(Debug)]
pub(super) struct Climbed {
    /// The elements, by edge.
    pub(super) elements: Vec<(Edge, BTreeSet<Cell>)>,
    /// The change of score plus prior.
    pub(super) gain: Nats,
    /// The scores of the nodes afterwards, in the order given.
    pub(super) node_scores: Vec<Nats>,
    /// Choices among equals.
    pub(super) ties: u64,
    /// Elements considered.
    pub(super) moves: u64,
}

/// Where a climb may add elements.
pub(super) struct Scope<'a> {
    /// The Markov blankets.
    pub(super) blankets: &'a dyn Blankets,
    /// The nodes whose scores the climb may change, ascending.
    pub(super) nodes: &'a [Var],
    /// The edges whose contexts it fills, from empty; their ends are among the nodes.
    pub(super) edges: &'a [Edge],
    /// The contexts that stay as they are: those of edges that touch neither end of an edge.
    pub(super) fixed: Option<(&'a Structure, Edge)>,
}

impl<'a> Scope<'a> {
    /// A whole component, where nothing else can have a context.
    pub(super) fn component(graph: &'a dyn Blankets, component: &'a Component) -> Self {
        Self { blankets: graph, nodes: &component.nodes, edges: &component.edges, fixed: None }
    }
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
    let mut structure = Structure::from_graph(graph.clone(), scorer.cardinalities())?;
    let mut gain = Nats::ZERO;
    for component in Component::all(graph) {
        let climbed = match climb(scorer, prior, &Scope::component(graph, &component), &()) {
            Ok(climbed) => climbed,
            Err(Halt::Failed(error)) => return Err(error),
            Err(Halt::Stopped(_)) => continue, // nobody asks to stop here
        };
        gain += climbed.gain;
        install(&mut structure, &climbed)?;
    }
    Ok((structure, gain))
}

/// Puts a climb's elements into a structure over the same graph.
pub(super) fn install(structure: &mut Structure, climbed: &Climbed) -> Result<()> {
    for (edge, elements) in &climbed.elements {
        for &element in elements {
            structure.add_context_element(*edge, element)?;
        }
    }
    Ok(())
}

/// Climbs in a scope.
pub(super) fn climb<S: CountSource>(
    scorer: &Scorer<'_, S>,
    prior: &ContextPrior,
    scope: &Scope<'_>,
    observer: &dyn Observer,
) -> std::result::Result<Climbed, Halt> {
    let mut climb = Climb::new(scorer, prior, scope)?;
    let mut climbed =
        Climbed { elements: Vec::new(), gain: Nats::ZERO, node_scores: Vec::new(), ties: 0, moves: 0 };
    loop {
        if let Some(reason) = observer.stop() {
            return Err(Halt::Stopped(reason));
        }
        climbed.moves += climb.edges.iter().map(EdgeState::open_elements).sum::<u64>();
        let Some((edge, best)) = climb.best() else { break };
        climbed.gain += best.gain;
        climbed.ties += u64::from(best.equals > 1);
        climb.add(edge, best.element)?;
    }
    climbed.node_scores = climb.nodes.iter().map(BlanketClasses::score).collect();
    let found = climb.edges.into_iter().filter(|edge| !edge.elements.is_empty());
    climbed.elements = found.map(|edge| (edge.edge, edge.elements)).collect();
    Ok(climbed)
}

struct Climb<'a> {
    nodes: Vec<BlanketClasses<'a>>,
    edges: Vec<EdgeState>,
    /// The places in `edges` of each node's edges.
    edges_at: Vec<Vec<usize>>,
}

impl<'a> Climb<'a> {
    fn new<S: CountSource>(
        scorer: &'a Scorer<'_, S>,
        prior: &ContextPrior,
        scope: &Scope<'_>,
    ) -> Result<Self> {
        let nodes: Vec<BlanketClasses<'a>> =
            scope.nodes.iter().map(|&node| start(scorer, scope, node)).collect::<Result<_>>()?;
        let mut climb = Self { edges: Vec::new(), edges_at: vec![Vec::new(); nodes.len()], nodes };
        for &edge in scope.edges {
            let Some(cost) = prior.element(edge, scorer.cardinalities()) else { continue };
            let space = OutcomeSpace::new(scope.blankets.common_neighbors(edge), scorer.cardinalities())?;
            let place = |node: Var| scope.nodes.binary_search(&node).unwrap_or_default();
            let ends = [place(edge.low()), place(edge.high())];
            let view = |end: usize, other: Var| EdgeView::new(climb.nodes[end].space(), other, &space);
            let views = [view(ends[0], edge.high()), view(ends[1], edge.low())];
            for end in ends {
                climb.edges_at[end].push(climb.edges.len());
            }
            climb.edges.push(EdgeState::new(edge, space.size(), cost, (ends, views)));
        }
        for node in 0..climb.nodes.len() {
            climb.refresh(node)?;
        }
        Ok(climb)
    }

    /// The best strictly improving element: edges in order, then elements in order, the
    /// first best wins. `equals` counts how many have the same score.
    fn best(&self) -> Option<(usize, Best)> {
        let mut found: Option<(usize, Best)> = None;
        for (index, state) in self.edges.iter().enumerate() {
            let Some(best) = &state.best else { continue };
            match &mut found {
                Some((_, leader)) if best.gain == leader.gain => leader.equals += best.equals,
                Some((_, leader)) if best.gain < leader.gain => {}
                _ => found = Some((index, *best)),
            }
        }
        found
    }

    /// Adds an element and re-evaluates what it can change: the scores of its two ends.
    fn add(&mut self, edge: usize, element: Cell) -> Result<()> {
        let state = &mut self.edges[edge];
        state.elements.insert(element);
        for (end, view) in state.ends.iter().zip(&state.views) {
            self.nodes[*end].add(view, element)?;
        }
        let ends = state.ends;
        ends.into_iter().try_for_each(|end| self.refresh(end))
    }

    /// Evaluates every element at one node again.
    fn refresh(&mut self, node: usize) -> Result<()> {
        for &edge in &self.edges_at[node] {
            let state = &mut self.edges[edge];
            let side = usize::from(state.ends[0] != node);
            state.gains[side] = self.nodes[node].gains(&state.views[side])?;
            state.choose();
        }
        Ok(())
    }
}

/// A node's classes before the climb: fixed contexts merged, all others apart.
fn start<'a, S: CountSource>(
    scorer: &'a Scorer<'_, S>,
    scope: &Scope<'_>,
    node: Var,
) -> Result<BlanketClasses<'a>> {
    let mut classes = scorer.classes(node, scope.blankets.markov_blanket(node))?;
    let Some((structure, toggled)) = scope.fixed.filter(|(_, toggled)| !toggled.touches(node)) else {
        return Ok(classes);
    };
    for (neighbor, context) in structure.contexts_at(node).filter(|&(neighbor, _)| !toggled.touches(neighbor))
    {
        let view = EdgeView::new(classes.space(), neighbor, context.space());
        for element in context.elements() {
            classes.add(&view, element)?;
        }
    }
    Ok(classes)
}

/// The best element of an edge.
#[derive(Clone, Copy)]
struct Best {
    gain: Nats,
    element: Cell,
    equals: u64,
}

/// One edge in a climb: its context so far and what each further element would change.
struct EdgeState {
    edge: Edge,
    size: u64,
    /// The log prior of one element, never positive.
    cost: Nats,
    ends: [usize; 2],
    views: [EdgeView; 2],
    gains: [Vec<Gain>; 2],
    elements: BTreeSet<Cell>,
    best: Option<Best>,
}

impl EdgeState {
    fn new(edge: Edge, size: u64, cost: Nats, (ends, views): ([usize; 2], [EdgeView; 2])) -> Self {
        let gains = [Vec::new(), Vec::new()];
        Self { edge, size, cost, ends, views, gains, elements: BTreeSet::new(), best: None }
    }

    /// How many elements could be added: none when the next one would make the context full.
    fn open_elements(&self) -> u64 {
        let left = self.size - self.elements.len() as u64;
        if left > 1 { left } else { 0 }
    }

    /// Finds the first best strictly improving element.
    ///
    /// An element that neither end lists changes no score; its prior is not positive, so it
    /// never improves.
    fn choose(&mut self) {
        self.best = None;
        if self.open_elements() == 0 {
            return;
        }
        let [low, high] = &self.gains;
        let (mut l, mut h) = (0, 0);
        while l < low.len() || h < high.len() {
            let next = |gains: &[Gain], at: usize| gains.get(at).map_or(Cell::MAX, |gain| gain.element);
            let element = next(low, l).min(next(high, h));
            let mut gain = self.cost;
            for (gains, at) in [(low, &mut l), (high, &mut h)] {
                if next(gains, *at) == element {
                    gain += gains[*at].gain;
                    *at += 1;
                }
            }
            if gain <= Nats::ZERO || self.elements.contains(&element) {
                continue;
            }
            match &mut self.best {
                Some(best) if gain == best.gain => best.equals += 1,
                Some(best) if gain < best.gain => {}
                _ => self.best = Some(Best { gain, element, equals: 1 }),
            }
        }
    }
}
