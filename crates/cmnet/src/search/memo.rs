//! What context climbs learn about nodes, for all climbs over the same counts.
//!
//! The gains at a node depend on its blanket, on which of the blanket's nodes are connected,
//! and on the elements added so far: neither on the order in which these came nor on the
//! prior. So the climbs of other toggles, of later steps and of other kappas come by again.

use super::node_start::{NodeStart, key};
use super::trace::NodeGains;
use crate::control::{Control, Halting};
use crate::counts::CountSource;
use crate::data::Var;
use crate::graph::Blankets;
use crate::score::{BoundedCache, Scorer};
use crate::table::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Nodes before any context, and the gains at them after some elements.
#[derive(Debug)]
pub(crate) struct NodeMemo<'a> {
    starts: BoundedCache<Box<[u32]>, Arc<NodeStart<'a>>>,
    later: BoundedCache<Box<[Cell]>, Arc<NodeGains>>,
    /// How many starts there were, remembered or not.
    numbered: AtomicU64,
}

impl<'a> NodeMemo<'a> {
    /// Nothing yet. What is remembered keeps to the bounds of the scorer.
    pub(crate) fn new<S: CountSource>(scorer: &'a Scorer<'_, S>) -> Self {
        let cache = scorer.memo_bytes();
        Self {
            starts: BoundedCache::new(cache),
            later: BoundedCache::new(cache),
            numbered: AtomicU64::new(0),
        }
    }

    /// A node of a graph before any context.
    pub(super) fn start<S: CountSource>(
        &self,
        scorer: &'a Scorer<'_, S>,
        graph: &dyn Blankets,
        node: Var,
        control: &dyn Control,
    ) -> Halting<Arc<NodeStart<'a>>> {
        let key = key(graph, node);
        if let Some(start) = self.starts.get(&key) {
            return Ok(start);
        }
        let number = self.numbered.fetch_add(1, Ordering::Relaxed);
        let start = Arc::new(NodeStart::new(scorer, graph, node, number, control)?);
        self.starts.insert(key, Arc::clone(&start), start.bytes());
        Ok(start)
    }

    /// The gains at a node after some elements, given with their slots, ascending.
    pub(super) fn gains(
        &self,
        start: &NodeStart<'a>,
        added: &[(usize, Cell)],
        evaluate: impl FnOnce() -> Halting<NodeGains>,
    ) -> Halting<Arc<NodeGains>> {
        let mut key = Vec::with_capacity(1 + 2 * added.len());
        key.push(start.number);
        key.extend(added.iter().flat_map(|&(slot, element)| [slot as Cell, element]));
        let key: Box<[Cell]> = key.into();
        if let Some(gains) = self.later.get(&key) {
            return Ok(gains);
        }
        let gains = Arc::new(evaluate()?);
        let bytes = 128 + size_of_val(&*key) + gains.bytes();
        self.later.insert(key, Arc::clone(&gains), bytes);
        Ok(gains)
    }
}
