//! What is known about each edge of a table: the one place that searches ask.

use super::nats::Nats;
use crate::graph::{Edge, Graph};
use std::collections::BTreeMap;

/// Which edges a graph may, must and must not have, and the prior of those that have their own.
///
/// Searches ask it through their prior: [`ContextPrior::rules`](super::ContextPrior::rules).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EdgeRules {
    edges: BTreeMap<Edge, Rule>,
}

/// What is known about one edge.
#[derive(Clone, Debug, Default, PartialEq)]
struct Rule {
    required: bool,
    /// What forbids it.
    forbidden: Option<Box<str>>,
    without_contexts: bool,
    /// The log prior of one end.
    end: Option<Nats>,
}

impl EdgeRules {
    /// Whether nothing is known about any edge.
    pub fn is_empty(&self) -> bool {
        self.edges.is_empty()
    }

    fn rule(&self, edge: Edge) -> Option<&Rule> {
        if self.edges.is_empty() { None } else { self.edges.get(&edge) }
    }

    /// Whether a graph may have an edge.
    pub fn allows(&self, edge: Edge) -> bool {
        self.rule(edge).is_none_or(|rule| rule.forbidden.is_none())
    }

    /// What forbids an edge, where something does.
    pub fn forbidden_by(&self, edge: Edge) -> Option<&str> {
        self.rule(edge)?.forbidden.as_deref()
    }

    /// Whether a graph must have an edge.
    pub fn requires(&self, edge: Edge) -> bool {
        self.rule(edge).is_some_and(|rule| rule.required)
    }

    /// Whether a search may add and remove an edge: it is neither required nor forbidden.
    pub fn is_free(&self, edge: Edge) -> bool {
        self.rule(edge).is_none_or(|rule| !rule.required && rule.forbidden.is_none())
    }

    /// Whether an edge may have contexts.
    pub fn allows_contexts(&self, edge: Edge) -> bool {
        self.rule(edge).is_none_or(|rule| !rule.without_contexts)
    }

    /// Half of the log prior odds of an edge, where it has its own.
    pub fn log_end(&self, edge: Edge) -> Option<Nats> {
        self.rule(edge)?.end
    }

    /// The edges that every graph has, ascending.
    pub fn required(&self) -> impl Iterator<Item = Edge> + '_ {
        self.edges.iter().filter(|(_, rule)| rule.required).map(|(&edge, _)| edge)
    }

    /// The graph of these edges alone.
    pub(crate) fn required_graph(&self, variables: usize) -> Graph {
        let mut graph = Graph::empty(variables);
        for edge in self.required() {
            graph.add_edge(edge);
        }
        graph
    }

    /// The edges that no graph has, ascending.
    pub fn forbidden(&self) -> impl Iterator<Item = Edge> + '_ {
        self.edges.iter().filter(|(_, rule)| rule.forbidden.is_some()).map(|(&edge, _)| edge)
    }

    /// The edges without contexts, ascending.
    pub fn without_contexts(&self) -> impl Iterator<Item = Edge> + '_ {
        self.edges.iter().filter(|(_, rule)| rule.without_contexts).map(|(&edge, _)| edge)
    }

    /// Half of the log prior odds of each edge that has its own.
    pub(super) fn log_ends(&self) -> impl Iterator<Item = Nats> + '_ {
        self.edges.values().filter_map(|rule| rule.end)
    }

    /// The edges with a prior of their own, each with its log prior odds.
    pub fn log_odds(&self) -> impl Iterator<Item = (Edge, Nats)> + '_ {
        self.edges.iter().filter_map(|(&edge, rule)| Some((edge, rule.end? * 2)))
    }

    /// Whether a graph has all required edges and no forbidden one.
    pub fn hold(&self, graph: &Graph) -> bool {
        self.edges.iter().all(
            |(&edge, rule)| {
                if graph.contains(edge) { rule.forbidden.is_none() } else { !rule.required }
            },
        )
    }

    fn at(&mut self, edge: Edge) -> &mut Rule {
        self.edges.entry(edge).or_default()
    }

    pub(super) fn forbid(&mut self, edge: Edge, by: &str) {
        self.at(edge).forbidden.get_or_insert_with(|| by.into());
    }

    /// Requires an edge, or says what forbids it.
    pub(super) fn require(&mut self, edge: Edge) -> Result<(), String> {
        let rule = self.at(edge);
        rule.required = true;
        rule.forbidden.as_deref().map_or(Ok(()), |by| Err(by.to_owned()))
    }

    pub(super) fn forbid_contexts(&mut self, edge: Edge) {
        self.at(edge).without_contexts = true;
    }

    pub(super) fn set_end(&mut self, edge: Edge, end: Nats) {
        self.at(edge).end = Some(end);
    }
}
