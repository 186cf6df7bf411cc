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

    /// Whether a candidate comes before this step: it gains more, or as much and is earlier
    /// in the order of candidates.
    pub(super) fn is_after(&self, edge: Edge, best: Best) -> bool {
        let earlier = || (edge, best.element) < (self.edge, self.element);
        best.gain > self.gain || best.gain == self.gain && earlier()
    }
}

/// What each element at one node would change in the node's own score, by the neighbour's
/// position in the Markov blanket.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct NodeGains {
    ends: Vec<u32>,
    gains: Vec<Gain>,
}

impl NodeGains {
    /// The gains at a node of which no edge can have a context.
    pub(super) fn none(neighbors: usize) -> Self {
        Self { ends: vec![0; neighbors], gains: Vec::new() }
    }

    /// The bytes of its lists.
    pub(super) fn bytes(&self) -> usize {
        size_of::<Gain>() * self.gains.len() + size_of::<u32>() * self.ends.len()
    }

    /// Appends the gains of the next position, which `fill` writes.
    pub(super) fn push<E>(&mut self, fill: impl FnOnce(&mut Vec<Gain>) -> Result<(), E>) -> Result<(), E> {
        fill(&mut self.gains)?;
        self.ends.push(self.gains.len() as u32);
        Ok(())
    }

    /// The gains of the edge to the neighbour at this position of the blanket.
    pub(super) fn at(&self, slot: usize) -> &[Gain] {
        let start = if slot == 0 { 0 } else { self.ends[slot - 1] as usize };
        &self.gains[start..self.ends[slot] as usize]
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
    pub(super) fn replace(&mut self, steps: Vec<ContextStep>, nodes: Vec<(Var, Vec<Arc<NodeGains>>)>) {
        self.steps = steps;
        self.at.iter_mut().for_each(Vec::clear);
        for (place, step) in self.steps.iter().enumerate() {
            self.at[step.edge.low()].push(place as u32);
            self.at[step.edge.high()].push(place as u32);
        }
        for (node, versions) in nodes {
            self.versions[node] = versions;
        }
    }
}
