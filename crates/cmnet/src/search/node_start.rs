//! A node before any context: its classes, how its edges look from its blanket, and what
//! each first element would gain.

use super::trace::{NodeGains, SlotGains};
use crate::control::{Control, Halting, check};
use crate::data::Var;
use crate::graph::Blankets;
use crate::score::{BlanketClasses, EdgeView, Gain};
use std::cell::Cell;
use std::sync::Arc;

thread_local! {
    /// Room for gains, overwritten by every call. It is taken away while it is in
    /// use: a score of a caller's own may let the thread do other work meanwhile.
    static LIST: Cell<Vec<Gain>> = const { Cell::new(Vec::new()) };
}

/// A node before any context.
#[derive(Debug)]
pub(super) struct NodeStart<'a> {
    /// One class per configuration of the blanket; `None` where no edge can have a context, so
    /// that nothing is ever merged.
    pub(super) classes: Option<Arc<BlanketClasses<'a>>>,
    /// The view of each edge by the neighbour's position in the blanket; `None` where the
    /// edge has no common neighbours and so no contexts.
    pub(super) views: Vec<Option<Arc<EdgeView>>>,
    /// What each first element would gain.
    pub(super) gains: Arc<NodeGains>,
    /// What tells it from every other start.
    pub(super) number: u64,
}

impl NodeStart<'_> {
    /// A node of which no edge can have a context: all such nodes are alike.
    pub(super) fn plain() -> Self {
        Self { classes: None, views: Vec::new(), gains: Arc::default(), number: u64::MAX }
    }

    /// About how many bytes it takes besides what it shares.
    pub(super) fn bytes(&self) -> usize {
        256 + (size_of::<Arc<EdgeView>>() + size_of::<SlotGains>()) * self.views.len()
    }

    /// How many configurations of the blanket the classes know before any context.
    pub(super) fn configurations(&self) -> u64 {
        self.classes.as_ref().map_or(0, |classes| classes.configurations())
    }

    /// Whether no edge at the node can have a context.
    pub(super) fn is_plain(&self) -> bool {
        self.classes.is_none()
    }
}

/// An edge at a node before any context.
#[derive(Clone, Debug)]
pub(super) struct SlotStart {
    pub(super) view: Arc<EdgeView>,
    /// What each first element would gain.
    pub(super) gains: SlotGains,
}

impl SlotStart {
    /// Evaluates the elements of an edge.
    pub(super) fn new(classes: &BlanketClasses<'_>, view: EdgeView, control: &dyn Control) -> Halting<Self> {
        check(control)?;
        let gains = listed(|list| {
            classes.gains(&view, None, list, control)?;
            Ok(SlotGains::new(list))
        })?;
        Ok(Self { view: Arc::new(view), gains })
    }

    /// The bytes that it takes.
    pub(super) fn bytes(&self) -> usize {
        128 + self.view.bytes() + size_of_val(self.gains.list())
    }
}

/// Evaluates every element at a node, given the gains before the last one was added.
pub(super) fn evaluate(
    classes: &BlanketClasses<'_>,
    views: &[Option<Arc<EdgeView>>],
    before: &NodeGains,
    control: &dyn Control,
) -> Halting<NodeGains> {
    listed(|lists| {
        let mut slots = Vec::with_capacity(views.len());
        for (slot, view) in views.iter().enumerate() {
            let Some(view) = view else {
                slots.push(SlotGains::default());
                continue;
            };
            check(control)?;
            let (first, known) = (lists.len(), before.at(slot));
            let same = classes.gains(view, Some(known.list()), lists, control)?;
            slots.push(if same { known.clone() } else { SlotGains::part(lists, first) });
        }
        Ok(NodeGains::of_parts(slots, lists))
    })
}

/// What is made of lists of gains, with room for them.
fn listed<T>(make: impl FnOnce(&mut Vec<Gain>) -> Halting<T>) -> Halting<T> {
    let mut lists = LIST.take();
    lists.clear();
    let made = make(&mut lists)?;
    LIST.set(lists);
    Ok(made)
}

/// Writes what a node's start depends on: its blanket and which of the blanket's nodes are
/// connected with each other. Returns whether any are, so that an edge can have a context.
pub(super) fn write_key(graph: &dyn Blankets, node: Var, key: &mut Vec<u32>) -> bool {
    let blanket = graph.markov_blanket(node).as_slice();
    key.clear();
    key.push(node as u32);
    key.extend(blanket.iter().map(|&neighbor| neighbor as u32));
    for &neighbor in blanket {
        key.push(u32::MAX);
        let mut rest = blanket;
        for &other in graph.markov_blanket(neighbor).as_slice() {
            while rest.first().is_some_and(|&first| first < other) {
                rest = &rest[1..];
            }
            if rest.first() == Some(&other) {
                key.push(other as u32);
            }
        }
    }
    key.len() > 1 + 2 * blanket.len()
}
