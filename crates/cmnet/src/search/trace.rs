//! A context climb as a record: which element came when, and what every other element
//! would have gained at that moment.
//!
//! The record of one graph's climb is what makes the climbs of its neighbours cheap: see
//! [`super::context_steps`].

use super::live::Best;
use crate::data::Var;
use crate::graph::Edge;
use crate::score::{Gain, Nats};
use crate::table::Cell;
use std::cmp::Ordering;
use std::sync::Arc;

/// One element that Algorithm 2 added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ContextStep {
    pub(super) edge: Edge,
    pub(super) element: Cell,
    /// The change of score and prior.
    pub(super) gain: Nats,
    /// The edges with elements of exactly this gain, and how many each has; empty when this
    /// element was alone.
    pub(super) equals: Vec<(Edge, u64)>,
}

impl ContextStep {
    /// Whether this step adds a candidate.
    pub(super) fn adds(&self, edge: Edge, best: Best) -> bool {
        (edge, best.element) == (self.edge, self.element)
    }

    /// What tells it from the other steps of a climb.
    fn name(&self) -> (Edge, Cell) {
        (self.edge, self.element)
    }

    /// Whether a candidate comes before this step: it gains more, or as much and is earlier
    /// in the order of candidates.
    pub(super) fn is_after(&self, edge: Edge, best: Best) -> bool {
        let earlier = || (edge, best.element) < (self.edge, self.element);
        best.gain > self.gain || best.gain == self.gain && earlier()
    }
}

/// What each element of one edge would change in the score of one of its ends.
#[derive(Clone, Debug, Default)]
pub(super) struct SlotGains {
    /// Lists that were found together: one piece of memory for all of them. `None` where no element
    /// changes anything.
    lists: Option<Arc<[Gain]>>,
    /// The place of this one.
    first: u32,
    length: u32,
    most: Nats,
}

impl PartialEq for SlotGains {
    fn eq(&self, other: &Self) -> bool {
        self.list() == other.list()
    }
}

impl Eq for SlotGains {}

impl SlotGains {
    pub(super) fn new(list: &[Gain]) -> Self {
        let mut gains = Self::part(list, 0);
        gains.lists = (!list.is_empty()).then(|| Arc::from(list));
        gains
    }

    /// The last of some lists, from a place on. It has no memory yet.
    pub(super) fn part(lists: &[Gain], first: usize) -> Self {
        let list = &lists[first..];
        let most = list.iter().map(|gain| gain.gain).fold(Nats::ZERO, Nats::max);
        Self { lists: None, first: first as u32, length: list.len() as u32, most }
    }

    /// The changes by element, ascending; an element that is not here changes nothing.
    pub(super) fn list(&self) -> &[Gain] {
        let lists = self.lists.as_deref().unwrap_or_default();
        lists.get(self.first as usize..).map_or(&[], |rest| &rest[..(self.length as usize).min(rest.len())])
    }

    /// What no element gains more than: 0 where none gains anything.
    pub(super) fn most(&self) -> Nats {
        self.most
    }
}

/// What each element at one node would change in the node's own score, by the neighbour's
/// position in the Markov blanket. What stays the same from one step to the next is shared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct NodeGains {
    slots: Box<[SlotGains]>,
}

impl NodeGains {
    pub(super) fn new(slots: Vec<SlotGains>) -> Self {
        Self { slots: slots.into() }
    }

    /// The same, of slots of which some were found together and have no memory yet.
    pub(super) fn of_parts(mut slots: Vec<SlotGains>, lists: &[Gain]) -> Self {
        if !lists.is_empty() {
            let lists: Arc<[Gain]> = lists.into();
            for slot in slots.iter_mut().filter(|slot| slot.lists.is_none() && slot.length > 0) {
                slot.lists = Some(Arc::clone(&lists));
            }
        }
        Self::new(slots)
    }

    /// The bytes of its lists, as far as another has not the very same.
    pub(super) fn bytes_beside(&self, other: &Self) -> usize {
        let own = (0..self.slots.len()).filter(|&slot| !self.has_same(other, slot));
        size_of_val(&*self.slots) + own.map(|slot| 16 + size_of_val(self.at(slot).list())).sum::<usize>()
    }

    /// The gains of the edge to the neighbour at this position of the blanket.
    pub(super) fn at(&self, slot: usize) -> &SlotGains {
        &self.slots[slot]
    }

    /// Whether a slot has the very list that another node's gains have; equal ones need not be.
    pub(super) fn has_same(&self, other: &Self, slot: usize) -> bool {
        let (one, Some(other)) = (&self.slots[slot], other.slots.get(slot)) else { return false };
        match (&one.lists, &other.lists) {
            (Some(lists), Some(others)) => Arc::ptr_eq(lists, others) && one.first == other.first,
            (None, None) => true,
            _ => false,
        }
    }
}

/// Algorithm 2 on one graph, from the empty context to the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Trace {
    steps: Vec<ContextStep>,
    /// The places in `steps` that touch each node.
    at: Vec<Vec<u32>>,
    /// For each node with an edge that can have contexts: the gains before its first step,
    /// after it, and so on.
    versions: Vec<Vec<Arc<NodeGains>>>,
}

impl Trace {
    /// The climb on a graph without edges.
    pub(super) fn empty(nodes: usize) -> Self {
        Self { steps: Vec::new(), at: vec![Vec::new(); nodes], versions: vec![Vec::new(); nodes] }
    }

    /// The steps in order.
    pub(super) fn steps(&self) -> &[ContextStep] {
        &self.steps
    }

    /// The steps at a node before a place in the climb: how many there were.
    pub(super) fn version(&self, node: Var, place: usize) -> usize {
        self.at[node].partition_point(|&step| (step as usize) < place)
    }

    /// The first steps at a node.
    pub(super) fn first_steps(&self, node: Var, count: usize) -> impl Iterator<Item = &ContextStep> {
        self.at[node][..count].iter().map(|&step| &self.steps[step as usize])
    }

    /// Every step at a node.
    pub(super) fn steps_at(&self, node: Var) -> impl Iterator<Item = &ContextStep> {
        self.first_steps(node, self.at[node].len())
    }

    /// The place of the last step at a node before a place.
    pub(super) fn before(&self, node: Var, place: usize) -> Option<usize> {
        self.version(node, place).checked_sub(1).map(|last| self.at[node][last] as usize)
    }

    /// Whether no edge at the node can have a context.
    pub(super) fn is_plain(&self, node: Var) -> bool {
        self.versions[node].is_empty()
    }

    /// The gains at a node after its first `version` steps.
    pub(super) fn gains(&self, node: Var, version: usize) -> &Arc<NodeGains> {
        &self.versions[node][version]
    }

    /// The gains at a node before its first step, and so on up to after its first `version`.
    pub(super) fn gains_until(&self, node: Var, version: usize) -> &[Arc<NodeGains>] {
        &self.versions[node][..=version]
    }

    /// The change of score and prior by all steps.
    pub(super) fn gain(&self) -> Nats {
        self.steps.iter().map(|step| step.gain).sum()
    }

    /// How many steps were choices among equals.
    pub(super) fn ties(&self) -> u64 {
        self.steps.iter().filter(|step| !step.equals.is_empty()).count() as u64
    }

    /// Puts other steps in the place of these, with the gains at the nodes that they changed.
    /// Returns the nodes at which the record now differs; `None` where what is the same comes in
    /// another order, so that the difference is not confined to nodes.
    pub(super) fn replace(
        &mut self,
        steps: Vec<ContextStep>,
        nodes: Vec<(Var, Vec<Arc<NodeGains>>)>,
    ) -> Option<Vec<Var>> {
        let mut differing = self.differing_steps(&steps);
        self.steps = steps;
        self.at.iter_mut().for_each(Vec::clear);
        for (place, step) in self.steps.iter().enumerate() {
            self.at[step.edge.low()].push(place as u32);
            self.at[step.edge.high()].push(place as u32);
        }
        for (node, versions) in nodes {
            if let Some(differing) = differing.as_mut().filter(|_| self.versions[node] != versions) {
                differing.push(node);
            }
            self.versions[node] = versions;
        }
        differing
    }

    /// The ends of the steps that only one of two records has; `None` where those that both have
    /// come in another order.
    fn differing_steps(&self, steps: &[ContextStep]) -> Option<Vec<Var>> {
        let sorted = |steps: &[ContextStep]| {
            let mut order: Vec<u32> = (0..steps.len() as u32).collect();
            order.sort_unstable_by_key(|&place| steps[place as usize].name());
            order
        };
        let (mine, others) = (sorted(&self.steps), sorted(steps));
        let (mut mine, mut others) = (mine.into_iter().peekable(), others.into_iter().peekable());
        let (mut same, mut differing) = (Vec::new(), Vec::new());
        loop {
            let (one, other) = (mine.peek().copied(), others.peek().copied());
            let of_one = one.map(|place| &self.steps[place as usize]);
            let of_other = other.map(|place| &steps[place as usize]);
            let order = match (of_one, of_other) {
                (None, None) => break,
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some(one), Some(other)) => one.name().cmp(&other.name()),
            };
            let known = order.is_eq() && of_one.map(|step| step.gain) == of_other.map(|step| step.gain);
            if known {
                same.extend(one.zip(other));
            } else {
                let steps =
                    of_one.filter(|_| order.is_le()).into_iter().chain(of_other.filter(|_| order.is_ge()));
                differing.extend(steps.flat_map(|step| [step.edge.low(), step.edge.high()]));
            }
            mine.next_if(|_| order.is_le());
            others.next_if(|_| order.is_ge());
        }
        same.sort_unstable();
        same.is_sorted_by_key(|&(_, place)| place).then_some(differing)
    }
}
