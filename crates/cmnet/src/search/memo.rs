//! What context climbs learn about nodes, for all climbs over the same counts.
//!
//! The gains at a node depend on its blanket, on which of the blanket's nodes are connected,
//! and on the elements added so far: neither on the order in which these came nor on the
//! prior. So the climbs of other toggles, of later steps and of other kappas come by again.

use super::node_start::{NodeStart, SlotStart, write_key};
use super::trace::NodeGains;
use crate::control::{Control, Halting};
use crate::counts::CountSource;
use crate::data::Var;
use crate::error::Result;
use crate::graph::{Blankets, VarSet};
use crate::score::{BlanketClasses, BoundedCache, EdgeView, Scorer};
use crate::table::{Cell, check_size};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

type Room<T> = std::cell::Cell<Vec<T>>;

thread_local! {
    /// Room for the keys that are looked for. It is taken away while it is in use: counts of a
    /// caller's own may let the thread do other work meanwhile.
    static START_KEY: Room<u32> = const { Room::new(Vec::new()) };
    static LATER_KEY: Room<Cell> = const { Room::new(Vec::new()) };
}

/// Nodes before any context, and the gains at them after some elements.
#[derive(Debug)]
pub(crate) struct NodeMemo<'a> {
    /// By node and blanket: the classes do not depend on which of the blanket are connected.
    counted: BoundedCache<Box<[u32]>, Arc<Counted<'a>>>,
    /// By number of the classes, slot and which of the blanket are common neighbours.
    slots: BoundedCache<(u64, usize, u64), SlotStart>,
    starts: BoundedCache<Box<[u32]>, Arc<NodeStart<'a>>>,
    later: BoundedCache<Box<[Cell]>, Arc<NodeGains>>,
    plain: Arc<NodeStart<'a>>,
    /// How many classes and starts there were, remembered or not.
    numbered: AtomicU64,
}

/// The classes of a blanket before any context.
#[derive(Debug)]
struct Counted<'a> {
    classes: Arc<BlanketClasses<'a>>,
    number: u64,
}

impl<'a> NodeMemo<'a> {
    /// Nothing yet. What is remembered keeps to the bounds of the scorer.
    pub(crate) fn new<S: CountSource>(scorer: &'a Scorer<'_, S>) -> Self {
        let bytes = scorer.memo_bytes();
        Self {
            counted: BoundedCache::new(bytes / 2),
            slots: BoundedCache::new(bytes / 4),
            starts: BoundedCache::new(bytes / 4),
            later: BoundedCache::new(bytes),
            plain: Arc::new(NodeStart::plain()),
            numbered: AtomicU64::new(0),
        }
    }

    fn next_number(&self) -> u64 {
        self.numbered.fetch_add(1, Ordering::Relaxed)
    }

    /// A node of a graph before any context.
    pub(super) fn start<S: CountSource>(
        &self,
        scorer: &'a Scorer<'_, S>,
        graph: &dyn Blankets,
        node: Var,
        control: &dyn Control,
    ) -> Halting<Arc<NodeStart<'a>>> {
        let mut key = START_KEY.take();
        let able = write_key(graph, node, &mut key);
        let start = if !able {
            Arc::clone(&self.plain)
        } else if let Some(start) = self.starts.get(&key[..]) {
            start
        } else {
            let counted = self.counted(scorer, graph.markov_blanket(node), &key)?;
            let start = Arc::new(self.prepare((graph, node), scorer.cardinalities(), &counted, control)?);
            let bytes = size_of_val(&key[..]) + start.bytes();
            self.starts.insert(key[..].into(), Arc::clone(&start), bytes);
            start
        };
        START_KEY.set(key);
        Ok(start)
    }

    /// The classes of a blanket, given a key that begins with node and blanket.
    fn counted<S: CountSource>(
        &self,
        scorer: &'a Scorer<'_, S>,
        blanket: &VarSet,
        key: &[u32],
    ) -> Result<Arc<Counted<'a>>> {
        let key = &key[..=blanket.len()];
        if let Some(counted) = self.counted.get(key) {
            return Ok(counted);
        }
        check_size(blanket, scorer.cardinalities())?;
        let classes = Arc::new(scorer.classes(key[0] as Var, blanket)?);
        let bytes = 192 + size_of_val(key) + classes.bytes();
        let counted = Arc::new(Counted { classes, number: self.next_number() });
        self.counted.insert(key.into(), Arc::clone(&counted), bytes);
        Ok(counted)
    }

    /// An edge of a graph at one end before any context, given that end and the other; `None` where
    /// the ends have no common neighbours.
    pub(super) fn slot<S: CountSource>(
        &self,
        scorer: &'a Scorer<'_, S>,
        graph: &dyn Blankets,
        (node, neighbor): (Var, Var),
        control: &dyn Control,
    ) -> Halting<Option<SlotStart>> {
        let blanket = graph.markov_blanket(node);
        let Some(slot) = blanket.position(neighbor) else { return Ok(None) };
        let key: Vec<u32> =
            [node].into_iter().chain(blanket.iter()).map(|variable| variable as u32).collect();
        let counted = self.counted(scorer, blanket, &key)?;
        self.look((graph, node), (slot, neighbor), (scorer.cardinalities(), &counted), control)
    }

    /// Looks at the edge of a node to the neighbour at a place of its blanket.
    fn look(
        &self,
        (graph, node): (&dyn Blankets, Var),
        (slot, neighbor): (usize, Var),
        (cardinalities, counted): (&[u32], &Counted<'a>),
        control: &dyn Control,
    ) -> Halting<Option<SlotStart>> {
        let (blanket, others) = (graph.markov_blanket(node), graph.markov_blanket(neighbor));
        let is_common = |member: Var| member != node && others.contains(member);
        let common = blanket.iter().enumerate().filter(|&(_, member)| is_common(member));
        let (mask, last) = common.fold((0, None), |(mask, _), (place, _)| (mask | bit(place), Some(place)));
        let Some(last) = last else { return Ok(None) };
        let key = (counted.number, slot, mask);
        let known = self.slots.get(&key);
        if let Some(start) = known.filter(|_| last < MOST_MASKED) {
            return Ok(Some(start));
        }
        let view = EdgeView::new(blanket, cardinalities, neighbor, is_common);
        let start = SlotStart::new(&counted.classes, view, control)?;
        if last < MOST_MASKED {
            self.slots.insert(key, start.clone(), start.bytes());
        }
        Ok(Some(start))
    }

    /// Looks at every edge of a node.
    fn prepare(
        &self,
        (graph, node): (&dyn Blankets, Var),
        cardinalities: &[u32],
        counted: &Counted<'a>,
        control: &dyn Control,
    ) -> Halting<NodeStart<'a>> {
        let blanket = graph.markov_blanket(node);
        let (mut views, mut gains) = (Vec::with_capacity(blanket.len()), Vec::with_capacity(blanket.len()));
        for place in blanket.iter().enumerate() {
            let start = self.look((graph, node), place, (cardinalities, counted), control)?;
            let (view, listed) = start.map_or_else(Default::default, |start| (Some(start.view), start.gains));
            views.push(view);
            gains.push(listed);
        }
        let gains = Arc::new(NodeGains::new(gains));
        let classes = Some(Arc::clone(&counted.classes));
        Ok(NodeStart { classes, views, gains, number: self.next_number() })
    }

    /// The gains at a node after some elements, given with their slots, ascending.
    pub(super) fn gains(
        &self,
        start: &NodeStart<'a>,
        added: &[(usize, Cell)],
        before: &NodeGains,
        evaluate: impl FnOnce() -> Halting<NodeGains>,
    ) -> Halting<Arc<NodeGains>> {
        let mut key = LATER_KEY.take();
        key.clear();
        key.push(start.number);
        key.extend(added.iter().flat_map(|&(slot, element)| [slot as Cell, element]));
        let gains = if let Some(gains) = self.later.get(&key[..]) {
            gains
        } else {
            let gains = Arc::new(evaluate()?);
            let bytes = 128 + size_of_val(&key[..]) + gains.bytes_beside(before);
            self.later.insert(key[..].into(), Arc::clone(&gains), bytes);
            gains
        };
        LATER_KEY.set(key);
        Ok(gains)
    }
}

/// Places in a blanket that a mask has a bit for.
const MOST_MASKED: usize = u64::BITS as usize;

/// The bit of a place in a mask; none for a place that has none.
fn bit(place: usize) -> u64 {
    if place < MOST_MASKED { 1 << place } else { 0 }
}
