//! Nodes and edges whose elements a climb evaluates itself.

use super::memo::NodeMemo;
use super::node_start::{NodeStart, evaluate};
use super::trace::{NodeGains, SlotGains};
use crate::control::{Control, Halting};
use crate::data::Var;
use crate::graph::Edge;
use crate::score::{BlanketClasses, Gain, Nats};
use crate::table::Cell;
use std::sync::Arc;

/// A node with its classes as they are now.
pub(super) struct LiveNode<'a> {
    pub(super) node: Var,
    pub(super) start: Arc<NodeStart<'a>>,
    /// The classes once they differ from those at the start, without the last elements.
    classes: Option<BlanketClasses<'a>>,
    /// Elements with their slots, in the order in which they came, that the classes lack:
    /// they are merged when something must be evaluated.
    unmerged: Vec<(usize, Cell)>,
    /// All elements with their slots, ascending.
    added: Vec<(usize, Cell)>,
    /// What each element at the node would change in its score, once that differs.
    gains: Option<Arc<NodeGains>>,
    /// Where each edge is evaluated, by the neighbour's position in the blanket.
    pub(super) edges: Vec<Option<usize>>,
    /// The gains before each step, when they are recorded.
    record: Option<Vec<Arc<NodeGains>>>,
}

impl<'a> LiveNode<'a> {
    pub(super) fn new(node: Var, start: Arc<NodeStart<'a>>) -> Self {
        let edges = vec![None; start.views.len()];
        let (unmerged, added) = (Vec::new(), Vec::new());
        Self { node, classes: None, unmerged, added, gains: None, edges, record: None, start }
    }

    /// What each element at the node would change in its score.
    pub(super) fn gains(&self) -> &Arc<NodeGains> {
        self.gains.as_ref().unwrap_or(&self.start.gains)
    }

    /// Goes to the state after steps that were recorded, where these are the gains.
    pub(super) fn go_on_from(&mut self, steps: impl Iterator<Item = (usize, Cell)>, gains: &Arc<NodeGains>) {
        for (slot, element) in steps {
            self.put(slot, element);
        }
        self.gains = Some(Arc::clone(gains));
    }

    fn put(&mut self, slot: usize, element: Cell) {
        self.unmerged.push((slot, element));
        let place = self.added.partition_point(|&other| other < (slot, element));
        self.added.insert(place, (slot, element));
    }

    /// Adds an element. The gains after it are remembered from another climb, or evaluated.
    pub(super) fn add(
        &mut self,
        slot: usize,
        element: Cell,
        memo: &NodeMemo<'a>,
        control: &dyn Control,
    ) -> Halting<()> {
        self.put(slot, element);
        let before = self.gains.as_ref().unwrap_or(&self.start.gains);
        let gains = memo.gains(&self.start, &self.added, before, || {
            if self.classes.is_none() {
                self.classes = self.start.classes.as_deref().cloned();
            }
            let Some(classes) = &mut self.classes else { return Ok(NodeGains::clone(before)) };
            for (slot, element) in self.unmerged.drain(..) {
                self.start.views[slot].as_ref().map_or(Ok(()), |view| classes.add(view, element))?;
            }
            evaluate(classes, &self.start.views, before, control)
        })?;
        if let Some(record) = &mut self.record {
            record.push(Arc::clone(&gains));
        }
        self.gains = Some(gains);
        Ok(())
    }

    /// Begins a record of the gains: those before, or the present ones.
    pub(super) fn start_record(&mut self, before: &[Arc<NodeGains>]) {
        let plain = self.start.is_plain();
        let first = if before.is_empty() { std::slice::from_ref(self.gains()) } else { before };
        self.record = Some(if plain { Vec::new() } else { first.to_vec() });
    }

    pub(super) fn into_record(self) -> (Var, Vec<Arc<NodeGains>>) {
        (self.node, self.record.unwrap_or_default())
    }
}

/// The best element of an edge.
#[derive(Clone, Copy, Debug)]
pub(super) struct Best {
    pub(super) gain: Nats,
    pub(super) element: Cell,
    /// How many elements have this gain.
    pub(super) equals: u64,
}

/// The best element at a live node.
#[derive(Clone, Copy)]
pub(super) struct Leader {
    /// Where its edge is evaluated.
    pub(super) index: usize,
    pub(super) edge: Edge,
    /// With all elements at live nodes that have this gain.
    pub(super) best: Best,
}

/// An edge with at least one live end: its context so far and its best further element.
pub(super) struct LiveEdge {
    pub(super) edge: Edge,
    /// The number of elements there are.
    pub(super) size: u64,
    /// The log prior of one element, never positive.
    pub(super) cost: Nats,
    /// Each end with the position of the other in its blanket.
    pub(super) ends: [(Var, usize); 2],
    pub(super) elements: Vec<Cell>,
    pub(super) best: Known,
}

/// What is known of the best further element of an edge.
#[derive(Clone, Copy, Debug)]
pub(super) enum Known {
    /// It is this one; `None` where no element improves.
    Exactly(Option<Best>),
    /// It gains no more than this.
    AtMost(Nats),
}

impl Known {
    /// The best element, if it is known exactly.
    pub(super) fn exact(self) -> Option<Best> {
        match self {
            Self::Exactly(best) => best,
            Self::AtMost(_) => None,
        }
    }
}

impl LiveEdge {
    /// What the best of each end tells at a glance: most edges have no element that improves, or none that
    /// is the best of all. A context has none left when the next element would make it full.
    pub(super) fn bound(&self, low: &SlotGains, high: &SlotGains) -> Known {
        let bound = low.most() + high.most() + self.cost;
        let none = bound <= Nats::ZERO || self.elements.len() as u64 + 1 >= self.size;
        if none { Known::Exactly(None) } else { Known::AtMost(bound) }
    }

    /// The first best strictly improving element, given what each element changes at the
    /// two ends, of a context that has one left.
    ///
    /// An element that neither end lists changes no score; its prior is not positive, so it
    /// never improves.
    pub(super) fn choose(&self, low: &SlotGains, high: &SlotGains) -> Option<Best> {
        let mut found: Option<Best> = None;
        for (element, gain) in both(low.list(), high.list()) {
            let gain = gain + self.cost;
            if gain <= Nats::ZERO || self.elements.contains(&element) {
                continue;
            }
            match &mut found {
                Some(best) if gain == best.gain => best.equals += 1,
                Some(best) if gain < best.gain => {}
                _ => found = Some(Best { gain, element, equals: 1 }),
            }
        }
        found
    }
}

/// What each element changes at two ends together, by element ascending; one that neither end
/// lists is left out.
pub(super) fn both<'g>(low: &'g [Gain], high: &'g [Gain]) -> impl Iterator<Item = (Cell, Nats)> + 'g {
    let (mut l, mut h) = (0, 0);
    std::iter::from_fn(move || {
        let next = |gains: &[Gain], at: usize| gains.get(at).map_or(Cell::MAX, |gain| gain.element);
        let (of_low, of_high) = (next(low, l), next(high, h));
        let element = of_low.min(of_high);
        let mut gain = Nats::ZERO;
        if l < low.len() && of_low == element {
            gain += low[l].gain;
            l += 1;
        } else if h == high.len() {
            return None;
        }
        if h < high.len() && of_high == element {
            gain += high[h].gain;
            h += 1;
        }
        Some((element, gain))
    })
}

/// Which nodes are live, which are beside a live one, and which are far.
#[derive(Debug)]
pub(super) struct Places {
    of: Vec<u32>,
    touched: Vec<Var>,
}

const FAR: u32 = 0;
const NEAR: u32 = 1;
const LIVE: u32 = 2;

impl Places {
    /// Every node is far.
    pub(super) fn new(nodes: usize) -> Self {
        Self { of: vec![FAR; nodes], touched: Vec::new() }
    }

    /// Makes every node far.
    pub(super) fn clear(&mut self) {
        for node in self.touched.drain(..) {
            self.of[node] = FAR;
        }
    }

    /// The nodes that are live or near.
    pub(super) fn touched(&self) -> &[Var] {
        &self.touched
    }

    /// A live node's index.
    pub(super) fn live(&self, node: Var) -> Option<usize> {
        self.of[node].checked_sub(LIVE).map(|index| index as usize)
    }

    /// Whether a node is live or beside a live one.
    pub(super) fn is_near(&self, node: Var) -> bool {
        self.of[node] != FAR
    }

    pub(super) fn set_live(&mut self, node: Var, index: usize) {
        if self.of[node] == FAR {
            self.touched.push(node);
        }
        self.of[node] = LIVE + index as u32;
    }

    pub(super) fn set_near(&mut self, node: Var) {
        if self.of[node] == FAR {
            self.of[node] = NEAR;
            self.touched.push(node);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{Rng, SeedableRng};
    use rand_pcg::Pcg64;

    #[test]
    fn an_edge_is_passed_over_only_where_no_element_improves() {
        let mut rng = Pcg64::seed_from_u64(11);
        let (mut passed, mut found, mut empty) = (0, 0, 0);
        for _ in 0..5_000 {
            let size = rng.random_range(2..12);
            let mut list = || -> Vec<Gain> {
                let elements = (0..size).filter(|_| rng.random_bool(0.6)).collect::<Vec<Cell>>();
                let gain = |element| Gain { element, gain: Nats::from_units(rng.random_range(-20..10)) };
                elements.into_iter().map(gain).collect()
            };
            let lists = [list(), list()];
            let [low, high] = [0, 1].map(|end: usize| SlotGains::new(&lists[end]));
            for (slot, list) in [(&low, &lists[0]), (&high, &lists[1])] {
                assert!(slot.most() >= Nats::ZERO && list.iter().all(|gain| gain.gain <= slot.most()));
            }
            let state = LiveEdge {
                edge: Edge::new(0, 1).unwrap(),
                size,
                cost: Nats::from_units(rng.random_range(-12..=0)),
                ends: [(0, 0), (1, 0)],
                elements: (0..size).filter(|_| rng.random_bool(0.1)).collect(),
                best: Known::Exactly(None),
            };
            // Every element on its own, without any bound.
            let of = |list: &[Gain], element| {
                list.iter().find(|gain| gain.element == element).map_or(Nats::ZERO, |gain| gain.gain)
            };
            let full = state.elements.len() as u64 + 1 >= size;
            let best = (0..size)
                .filter(|element| !full && !state.elements.contains(element))
                .map(|element| (of(&lists[0], element) + of(&lists[1], element) + state.cost, element))
                .filter(|&(gain, _)| gain > Nats::ZERO)
                .max_by_key(|&(gain, element)| (gain, std::cmp::Reverse(element)));
            match state.bound(&low, &high) {
                Known::AtMost(bound) => {
                    assert!(best.is_none_or(|(gain, _)| gain <= bound));
                    let chosen = state.choose(&low, &high);
                    assert_eq!(chosen.map(|best| (best.gain, best.element)), best);
                }
                Known::Exactly(known) => {
                    assert!(known.is_none() && best.is_none());
                    passed += 1;
                }
            }
            found += usize::from(best.is_some());
            empty += usize::from(best.is_none());
        }
        assert!(passed > 500 && found > 500 && empty > passed, "{passed}, {found}, {empty}");
    }
}
