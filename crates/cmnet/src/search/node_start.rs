//! A node before any context: its classes, how its edges look from its blanket, and what
//! each first element would gain.

use super::trace::NodeGains;
use crate::control::{Control, Halting, check};
use crate::counts::CountSource;
use crate::data::Var;
use crate::error::Error;
use crate::graph::{Blankets, Edge};
use crate::score::{BlanketClasses, EdgeView, Scorer};
use crate::table::OutcomeSpace;
use std::sync::Arc;

/// A node before any context.
#[derive(Debug)]
pub(super) struct NodeStart<'a> {
    /// One class per configuration of the blanket; `None` where no edge can have a context, so
    /// that nothing is ever merged.
    pub(super) classes: Option<BlanketClasses<'a>>,
    /// The view of each edge by the neighbour's position in the blanket; `None` where the
    /// edge has no common neighbours and so no contexts.
    pub(super) views: Vec<Option<EdgeView>>,
    /// What each first element would gain.
    pub(super) gains: Arc<NodeGains>,
    /// What tells it from every other start.
    pub(super) number: u64,
}

impl<'a> NodeStart<'a> {
    pub(super) fn new<S: CountSource>(
        scorer: &'a Scorer<'_, S>,
        graph: &dyn Blankets,
        node: Var,
        number: u64,
        control: &dyn Control,
    ) -> Halting<Self> {
        let blanket = graph.markov_blanket(node);
        let configurations = OutcomeSpace::new(blanket.clone(), scorer.cardinalities())?;
        let mut views = Vec::with_capacity(blanket.len());
        for neighbor in blanket.iter() {
            let common = graph.common_neighbors(Edge::new(node, neighbor)?);
            if common.is_empty() {
                views.push(None);
                continue;
            }
            let space = OutcomeSpace::new(common, scorer.cardinalities())?;
            views.push(Some(EdgeView::new(&configurations, neighbor, &space)));
        }
        let mut classes = None;
        if views.iter().any(Option::is_some) {
            classes = Some(scorer.classes(node, blanket)?);
        }
        let gains = Arc::new(match &classes {
            Some(classes) => evaluate(classes, &views, None, control)?,
            None => NodeGains::none(views.len()),
        });
        Ok(Self { classes, views, gains, number })
    }

    /// About how many bytes it takes.
    pub(super) fn bytes(&self) -> usize {
        256 + self.classes.as_ref().map_or(0, BlanketClasses::bytes)
            + 256 * self.views.len()
            + self.gains.bytes()
    }

    /// Whether no edge at the node can have a context.
    pub(super) fn is_plain(&self) -> bool {
        self.classes.is_none()
    }
}

/// Evaluates every element at a node, given the gains before the last one was added.
pub(super) fn evaluate(
    classes: &BlanketClasses<'_>,
    views: &[Option<EdgeView>],
    before: Option<&NodeGains>,
    control: &dyn Control,
) -> Halting<NodeGains> {
    let mut gains = NodeGains::default();
    for (slot, view) in views.iter().enumerate() {
        check(control)?;
        let before = before.map(|before| before.at(slot));
        gains.push::<Error>(|list| {
            view.as_ref().map_or(Ok(()), |view| classes.gains(view, before, list, control))
        })?;
    }
    Ok(gains)
}

/// What a node's start depends on: its blanket and which of the blanket's nodes are
/// connected with each other.
pub(super) fn key(graph: &dyn Blankets, node: Var) -> Box<[u32]> {
    let blanket = graph.markov_blanket(node).as_slice();
    let mut key: Vec<u32> = Vec::with_capacity(1 + 4 * blanket.len());
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
    key.into()
}
