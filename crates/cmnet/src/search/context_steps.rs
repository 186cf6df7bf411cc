//! The context climb of a graph that differs from a recorded one: the same steps, but for
//! the nodes that the difference reaches.
//!
//! Toggling edge (i,j) changes the blankets of i and j and the common neighbours of the
//! edges between them and cn(i,j). Only there can the climb go another way at first. So
//! those nodes are *live*: their classes are built and every element at them is evaluated.
//! All other nodes follow the record. At each moment the next step is the better of
//!
//! - the best element on an edge with a live end, evaluated now, and
//! - the next recorded step between two nodes that are not live. It is the best of all such
//!   elements, because nodes that are not live are in the state they had in the record.
//!
//! A recorded step between two live nodes is dropped. One with a single live end is taken
//! when it is the best live element and gains no less than it did; otherwise its other end
//! may go its own way from here on and becomes live. So does a node that a live step touches. The outcome is exactly that of
//! Algorithm 2 from the empty context; with every node live and nothing recorded it *is*
//! Algorithm 2.

use super::context_climb::ContextClimber;
use super::live::{Known, Leader, LiveEdge, LiveNode, Places};
use super::trace::{ContextStep, NodeGains, SlotGains, Trace};
use crate::control::{Control, Halting, check};
use crate::counts::CountSource;
use crate::data::Var;
use crate::graph::{Blankets, Edge};
use crate::score::Nats;
use crate::table::Cell;
use std::sync::Arc;

/// Steps between two questions whether to stop. Steps that evaluate anything ask in any case.
const PATIENCE: usize = 64;

/// A graph, and the climb that was recorded on it or on one that differs from it by one edge.
#[derive(Clone, Copy)]
pub(super) struct Ground<'r> {
    pub(super) graph: &'r dyn Blankets,
    pub(super) trace: &'r Trace,
}

/// A climb that follows a record where it can.
pub(super) struct Replay<'r, 'a, 'b, S> {
    climber: &'r ContextClimber<'a, 'b, S>,
    graph: &'r dyn Blankets,
    trace: &'r Trace,
    control: &'r dyn Control,
    places: &'r mut Places,
    nodes: Vec<LiveNode<'a>>,
    edges: Vec<LiveEdge>,
    /// The place of the next recorded step.
    place: usize,
    /// The place after the last recorded step that touched a live node or one beside it.
    seen: usize,
    /// By how much the climb gains more than the recorded one.
    change: Nats,
    /// Choices among equals that were made here and not in the record.
    ties: u64,
    /// Nodes further away on which the order of steps depends.
    chain: Vec<Var>,
    /// The other ends of recorded steps that were taken with one live end.
    followed: Vec<Var>,
    /// Configurations of the blankets at which elements were added.
    work: u64,
    /// The whole climb, when it is to be recorded.
    record: Option<Vec<ContextStep>>,
}

/// What a replayed climb changes.
#[derive(Debug)]
pub(super) struct Outcome {
    /// By how much it gains more than the recorded one.
    pub(super) change: Nats,
    /// Choices among equals that it makes and the recorded one did not.
    pub(super) ties: u64,
    /// The nodes whose part in the record the outcome depends on.
    pub(super) watched: Vec<u32>,
    /// Configurations of the blankets at which elements were added: what it costs, by count.
    pub(super) work: u64,
}

/// A replayed climb as a record.
#[derive(Debug)]
pub(super) struct Recorded {
    pub(super) steps: Vec<ContextStep>,
    /// The gains at the nodes that went their own way.
    pub(super) nodes: Vec<(Var, Vec<Arc<NodeGains>>)>,
    /// All nodes whose steps are not those of the old record.
    pub(super) changed: Vec<Var>,
}

impl<'r, 'a, 'b, S: CountSource> Replay<'r, 'a, 'b, S> {
    /// A climb on a graph after a recorded one, with these nodes live from the start.
    pub(super) fn new(
        climber: &'r ContextClimber<'a, 'b, S>,
        Ground { graph, trace }: Ground<'r>,
        first: impl IntoIterator<Item = Var>,
        places: &'r mut Places,
        control: &'r dyn Control,
    ) -> Halting<Self> {
        places.clear();
        let mut replay = Self {
            climber,
            graph,
            trace,
            control,
            places,
            nodes: Vec::new(),
            edges: Vec::new(),
            place: 0,
            seen: 0,
            change: Nats::ZERO,
            ties: 0,
            chain: Vec::new(),
            followed: Vec::new(),
            work: 0,
            record: None,
        };
        for node in first {
            replay.enliven(node, true)?;
        }
        for edge in 0..replay.edges.len() {
            replay.bound(edge);
        }
        Ok(replay)
    }

    /// Climbs to the end.
    pub(super) fn outcome(mut self) -> Halting<Outcome> {
        self.climb()?;
        let near = self.places.touched().iter().chain(&self.chain);
        let watched = near.map(|&node| node as u32).collect();
        Ok(Outcome { change: self.change, ties: self.ties, watched, work: self.work })
    }

    /// Climbs to the end and records the way.
    pub(super) fn record(mut self) -> Halting<Recorded> {
        self.record = Some(Vec::with_capacity(self.trace.steps().len() + 8));
        for node in &mut self.nodes {
            node.start_record(&[]);
        }
        self.climb()?;
        let mut changed = self.followed;
        changed.extend(self.nodes.iter().map(|node| node.node));
        let nodes = self.nodes.into_iter().map(LiveNode::into_record).collect();
        Ok(Recorded { steps: self.record.unwrap_or_default(), nodes, changed })
    }

    fn climb(&mut self) -> Halting<()> {
        for step in 0.. {
            if step % PATIENCE == PATIENCE - 1 {
                check(self.control)?;
            }
            self.settle();
            let live = self.best();
            self.skip_steps(live);
            match (self.trace.steps().get(self.place), live) {
                (None, None) => break,
                (None, Some(live)) => self.take(live)?,
                (Some(recorded), live) => self.decide(recorded, live)?,
            }
        }
        Ok(())
    }

    /// The next step, where the next recorded one has at most one live end.
    fn decide(&mut self, recorded: &ContextStep, live: Option<Leader>) -> Halting<()> {
        let (low, high) = recorded.edge.ends();
        let follower = match (self.places.live(low), self.places.live(high)) {
            (None, None) => None,
            (Some(_), _) => Some(high),
            (_, Some(_)) => Some(low),
        };
        match (live, follower) {
            (Some(live), Some(follower))
                if live.best.gain >= recorded.gain && recorded.adds(live.edge, live.best) =>
            {
                self.follow(live, follower)
            }
            (Some(live), _) if recorded.is_after(live.edge, live.best) => self.take(live),
            (_, Some(follower)) => self.enliven(follower, false),
            (live, None) => {
                self.pass(recorded, live);
                Ok(())
            }
        }
    }

    /// Drops recorded steps between two live nodes, and passes those that touch neither a live
    /// node nor one beside it, as long as the best live element waits for them: they change
    /// nothing here. A record has them all.
    fn skip_steps(&mut self, live: Option<Leader>) {
        while let Some(step) = self.trace.steps().get(self.place) {
            let (low, high) = step.edge.ends();
            if self.places.live(low).is_some() && self.places.live(high).is_some() {
                self.change -= step.gain;
                self.place += 1;
                self.seen = self.place;
                continue;
            }
            let near = self.places.is_near(low) || self.places.is_near(high);
            let waits = !live.is_some_and(|live| step.is_after(live.edge, live.best));
            if near || !waits || self.record.is_some() {
                break;
            }
            self.place += 1;
        }
    }

    /// The best strictly improving element at a live node; the first best wins.
    fn best(&self) -> Option<Leader> {
        let mut found: Option<Leader> = None;
        for (index, state) in self.edges.iter().enumerate() {
            let Some(best) = state.best.exact() else { continue };
            let mut leader = Leader { index, edge: state.edge, best };
            match &mut found {
                Some(other) if best.gain < other.best.gain => {}
                Some(other) if best.gain == other.best.gain => {
                    leader.best.equals += other.best.equals;
                    if leader.edge > other.edge {
                        other.best.equals = leader.best.equals;
                    } else {
                        *other = leader;
                    }
                }
                _ => found = Some(leader),
            }
        }
        found
    }

    /// Takes a recorded step between two nodes that are not live.
    fn pass(&mut self, step: &ContextStep, live: Option<Leader>) {
        let (low, high) = step.edge.ends();
        let (low_near, high_near) = (self.places.is_near(low), self.places.is_near(high));
        self.note(step.edge, step.element, step.gain);
        if low_near != high_near {
            self.watch_chain(if low_near { high } else { low }, live);
        }
        self.place += 1;
        if low_near || high_near {
            self.ties += u64::from(live.is_some_and(|live| live.best.gain == step.gain));
            self.seen = self.place;
            self.choose_after_step(low);
            self.choose_after_step(high);
        }
    }

    /// The steps that kept the next recorded step waiting since the last one seen here: a
    /// live element that is better than one of them comes first. From the moment when both
    /// its ends were ready, a step waits only for better ones.
    fn watch_chain(&mut self, end: Var, live: Option<Leader>) {
        let mut waited = self.trace.before(end, self.place);
        self.chain.push(end);
        while let Some(place) = waited.filter(|&place| place >= self.seen) {
            let step = &self.trace.steps()[place];
            let (low, high) = step.edge.ends();
            self.chain.extend([low, high]);
            self.ties += u64::from(live.is_some_and(|live| live.best.gain == step.gain));
            waited = self.trace.before(low, place).max(self.trace.before(high, place));
        }
    }

    /// Takes a recorded step with one live end, where the live end gains no less than it did.
    fn follow(&mut self, live: Leader, follower: Var) -> Halting<()> {
        self.note(live.edge, live.best.element, live.best.gain);
        self.ties += u64::from(live.best.equals > 1);
        self.change += live.best.gain - self.trace.steps()[self.place].gain;
        self.followed.push(follower);
        self.place += 1;
        self.seen = self.place;
        self.add(live.index, live.best.element)?;
        self.choose_after_step(follower);
        Ok(())
    }

    /// Takes a step that is not the next recorded one.
    fn take(&mut self, live: Leader) -> Halting<()> {
        self.note(live.edge, live.best.element, live.best.gain);
        self.ties += u64::from(live.best.equals > 1);
        for (node, _) in self.edges[live.index].ends {
            if self.places.live(node).is_none() {
                self.enliven(node, false)?;
            }
        }
        self.change += live.best.gain;
        self.add(live.index, live.best.element)
    }

    /// Adds an element and evaluates again what it can change: the elements at its live ends.
    fn add(&mut self, edge: usize, element: Cell) -> Halting<()> {
        self.edges[edge].elements.push(element);
        for (node, slot) in self.edges[edge].ends {
            let Some(live) = self.places.live(node) else { continue };
            self.work += self.nodes[live].start.configurations();
            let before = Arc::clone(self.nodes[live].gains());
            self.nodes[live].add(slot, element, self.climber.memo(), self.control)?;
            for slot in 0..self.nodes[live].edges.len() {
                let Some(other) = self.nodes[live].edges[slot] else { continue };
                if other != edge && !self.nodes[live].gains().has_same(&before, slot) {
                    self.bound(other);
                }
            }
        }
        self.bound(edge);
        Ok(())
    }

    /// Finds the best elements of the edges between live nodes and one beside them again, after
    /// a recorded step at that one, where the step changed them.
    fn choose_after_step(&mut self, node: Var) {
        if !self.places.is_near(node) {
            return;
        }
        let Some(before) = self.trace.version(node, self.place).checked_sub(1) else { return };
        let (before, now) = (self.trace.gains(node, before), self.trace.gains(node, before + 1));
        for edge in 0..self.edges.len() {
            let end = self.edges[edge].ends.into_iter().find(|&(end, _)| end == node);
            if end.is_some_and(|(_, slot)| !now.has_same(before, slot)) {
                self.bound(edge);
            }
        }
    }

    /// Makes a node live: in the state that it has now or, at the start, in its own first
    /// state. The elements of fresh nodes are chosen when all of them are live.
    fn enliven(&mut self, node: Var, fresh: bool) -> Halting<()> {
        let start = self.climber.start(self.graph, node, self.control)?;
        let version = if fresh { 0 } else { self.trace.version(node, self.place) };
        let mut live = LiveNode::new(node, start);
        if !fresh {
            let blanket = self.graph.markov_blanket(node);
            let slot = |step: &ContextStep| blanket.position(step.edge.other(node)).unwrap_or_default();
            let steps = self.trace.first_steps(node, version).map(|step| (slot(step), step.element));
            live.go_on_from(steps, self.trace.gains(node, version));
        }
        if self.record.is_some() {
            live.start_record(if fresh { &[] } else { self.trace.gains_until(node, version) });
        }
        let index = self.nodes.len();
        self.places.set_live(node, index);
        self.nodes.push(live);
        self.connect(index, version)?;
        if !fresh {
            self.choose_at(index);
        }
        Ok(())
    }

    /// Looks at a new live node's edges: those to live nodes are known, the others are new.
    fn connect(&mut self, index: usize, version: usize) -> Halting<()> {
        let node = self.nodes[index].node;
        let blanket = self.graph.markov_blanket(node);
        for (slot, neighbor) in blanket.iter().enumerate() {
            let Some(Some(view)) = self.nodes[index].start.views.get(slot) else { continue };
            let back = self.graph.markov_blanket(neighbor).position(node).unwrap_or_default();
            if let Some(known) = self.places.live(neighbor).and_then(|live| self.nodes[live].edges[back]) {
                self.nodes[index].edges[slot] = Some(known);
                continue;
            }
            let edge = Edge::new(node, neighbor)?;
            let Some(cost) = self.climber.cost(edge) else { continue };
            let ends = if node < neighbor {
                [(node, slot), (neighbor, back)]
            } else {
                [(neighbor, back), (node, slot)]
            };
            let mut state = LiveEdge {
                edge,
                cost,
                size: view.elements(),
                ends,
                elements: Vec::new(),
                best: Known::Exactly(None),
            };
            if version > 0 {
                let own = self.trace.first_steps(node, version).filter(|step| step.edge == edge);
                state.elements = own.map(|step| step.element).collect();
            }
            self.nodes[index].edges[slot] = Some(self.edges.len());
            self.edges.push(state);
            self.places.set_near(neighbor);
        }
        Ok(())
    }

    /// Finds the best element of every evaluated edge at a live node.
    fn choose_at(&mut self, index: usize) {
        for slot in 0..self.nodes[index].edges.len() {
            if let Some(edge) = self.nodes[index].edges[slot] {
                self.bound(edge);
            }
        }
    }

    /// Bounds the best element of an edge, after what its elements gain has changed.
    fn bound(&mut self, edge: usize) {
        let state = &self.edges[edge];
        let [low, high] = state.ends.map(|(node, slot)| self.gains(node, slot));
        self.edges[edge].best = state.bound(low, high);
    }

    /// Finds the best element of every edge that may have the best of all. The others wait for
    /// their turn: what they gain may change before.
    fn settle(&mut self) {
        let known = self.edges.iter().filter_map(|state| state.best.exact());
        let mut most = known.map(|best| best.gain).fold(Nats::ZERO, Nats::max);
        for edge in 0..self.edges.len() {
            let state = &self.edges[edge];
            if !matches!(state.best, Known::AtMost(bound) if bound >= most) {
                continue;
            }
            let [low, high] = state.ends.map(|(node, slot)| self.gains(node, slot));
            let best = state.choose(low, high);
            most = best.map_or(most, |best| best.gain.max(most));
            self.edges[edge].best = Known::Exactly(best);
        }
    }

    /// What each element of an edge would change at one of its ends, now.
    fn gains(&self, node: Var, slot: usize) -> &SlotGains {
        match self.places.live(node) {
            Some(live) => self.nodes[live].gains().at(slot),
            None => self.trace.gains(node, self.trace.version(node, self.place)).at(slot),
        }
    }

    /// Records a step that is about to be taken, with all that have the same gain.
    fn note(&mut self, edge: Edge, element: Cell, gain: Nats) {
        if self.record.is_none() {
            return;
        }
        let mut equals: Vec<(Edge, u64)> = self
            .edges
            .iter()
            .filter_map(|state| {
                Some((state.edge, state.best.exact().filter(|best| best.gain == gain)?.equals))
            })
            .collect();
        if let Some(recorded) = self.trace.steps().get(self.place).filter(|step| step.gain == gain) {
            let follows = |edge: Edge| {
                self.places.live(edge.low()).is_none() && self.places.live(edge.high()).is_none()
            };
            let alone = [(recorded.edge, 1)];
            let others = if recorded.equals.is_empty() { &alone[..] } else { &recorded.equals };
            equals.extend(others.iter().filter(|(edge, _)| follows(*edge)));
        }
        if equals.iter().map(|(_, count)| count).sum::<u64>() < 2 {
            equals.clear();
        }
        equals.sort_unstable();
        if let Some(record) = &mut self.record {
            record.push(ContextStep { edge, element, gain, equals });
        }
    }
}
