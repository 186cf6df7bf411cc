//! The structure (G, C) of a contextual Markov network (paper, Definition 2).

use crate::context::EdgeContext;
use crate::data::Var;
use crate::error::{Result, StructureProblem};
use crate::graph::{Edge, Graph, VarSet};
use crate::table::{Cell, OutcomeSpace};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A graph with a context on each edge, kept compatible: no context on a non-edge, none
/// over variables that are not the edge's common neighbours, none that is full.
///
/// # Example
/// ```
/// use cmnet::{Edge, Structure};
/// let mut structure = Structure::empty(&[2, 2, 3]);
/// for (i, j) in [(0, 1), (0, 2), (1, 2)] {
///     structure.toggle_edge(Edge::new(i, j)?)?;
/// }
/// structure.add_context_element(Edge::new(0, 1)?, 2)?; // cut off where X_2 = 2
/// assert_eq!(structure.context_elements(), 1);
/// structure.toggle_edge(Edge::new(1, 2)?)?; // 0 and 1 have no common neighbour any more
/// assert_eq!(structure.context_elements(), 0);
/// # Ok::<(), cmnet::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Structure {
    cardinalities: Arc<[u32]>,
    graph: Graph,
    contexts: BTreeMap<Edge, EdgeContext>,
}

impl Structure {
    /// No edges over variables with these numbers of levels.
    pub fn empty(cardinalities: &[u32]) -> Self {
        Self {
            cardinalities: cardinalities.into(),
            graph: Graph::empty(cardinalities.len()),
            contexts: BTreeMap::new(),
        }
    }

    /// A graph without contexts: a plain Markov network.
    ///
    /// # Errors
    /// When graph and variables differ in number.
    pub fn from_graph(graph: Graph, cardinalities: &[u32]) -> Result<Self> {
        if graph.nodes() != cardinalities.len() {
            return Err(StructureProblem::UnknownVariable {
                variable: graph.nodes(),
                count: cardinalities.len(),
            }
            .into());
        }
        Ok(Self { cardinalities: cardinalities.into(), graph, contexts: BTreeMap::new() })
    }

    /// The graph G.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// The number of levels of each variable.
    pub fn cardinalities(&self) -> &[u32] {
        &self.cardinalities
    }

    /// The number of variables d.
    pub fn variables(&self) -> usize {
        self.cardinalities.len()
    }

    /// The context of an edge; `None` when it is empty or there is no such edge.
    pub fn context(&self, edge: Edge) -> Option<&EdgeContext> {
        self.contexts.get(&edge)
    }

    /// The non-empty contexts, by edge in lexicographic order.
    pub fn contexts(&self) -> impl Iterator<Item = &EdgeContext> {
        self.contexts.values()
    }

    /// The non-empty contexts C(j) of the edges at a node, by neighbour ascending.
    pub fn contexts_at(&self, node: Var) -> impl Iterator<Item = (Var, &EdgeContext)> {
        self.graph.markov_blanket(node).iter().filter_map(move |neighbor| {
            let edge = Edge::new(node, neighbor).ok()?;
            Some((neighbor, self.contexts.get(&edge)?))
        })
    }

    /// The number of context elements over all edges.
    pub fn context_elements(&self) -> usize {
        self.contexts.values().map(EdgeContext::len).sum()
    }

    /// The outcome space of the common neighbours of two variables.
    ///
    /// # Errors
    /// When it has more configurations than can be numbered.
    pub fn context_space(&self, edge: Edge) -> Result<OutcomeSpace> {
        OutcomeSpace::new(self.graph.common_neighbors(edge), &self.cardinalities)
    }

    /// The outcome space of a node's Markov blanket.
    ///
    /// # Errors
    /// When it has more configurations than can be numbered.
    pub fn blanket_space(&self, node: Var) -> Result<OutcomeSpace> {
        OutcomeSpace::new(self.graph.markov_blanket(node).clone(), &self.cardinalities)
    }

    /// Adds an edge that is absent or removes one that is present; returns whether it is
    /// present afterwards.
    ///
    /// Contexts whose common neighbours change with it, those of (i,j), (i,k) and (j,k)
    /// for k in cn(i,j), become empty.
    ///
    /// # Errors
    /// When a variable does not exist.
    pub fn toggle_edge(&mut self, edge: Edge) -> Result<bool> {
        self.check_variables(edge)?;
        let (low, high) = edge.ends();
        self.contexts.remove(&edge);
        for between in self.graph.common_neighbors(edge).iter() {
            for end in [low, high] {
                self.contexts.remove(&Edge::new(end, between)?);
            }
        }
        Ok(self.graph.toggle(edge))
    }

    /// Adds an edge; returns whether it was absent. Contexts change as in
    /// [`Structure::toggle_edge`], and an edge that is there already changes nothing.
    ///
    /// # Errors
    /// When a variable does not exist.
    pub fn add_edge(&mut self, edge: Edge) -> Result<bool> {
        self.check_variables(edge)?;
        Ok(!self.graph.contains(edge) && self.toggle_edge(edge)?)
    }

    /// Removes an edge; returns whether it was present. Contexts change as in
    /// [`Structure::toggle_edge`].
    ///
    /// # Errors
    /// When a variable does not exist.
    pub fn remove_edge(&mut self, edge: Edge) -> Result<bool> {
        self.check_variables(edge)?;
        Ok(self.graph.contains(edge) && !self.toggle_edge(edge)?)
    }

    /// Adds one configuration of the common neighbours to an edge's context; `Ok(false)`
    /// when it was there already.
    ///
    /// # Errors
    /// When there is no such edge or configuration, or the context would become full.
    pub fn add_context_element(&mut self, edge: Edge, cell: Cell) -> Result<bool> {
        self.check_variables(edge)?;
        if !self.graph.contains(edge) {
            let (low, high) = edge.ends();
            return Err(StructureProblem::NotAnEdge { low, high }.into());
        }
        if let Some(context) = self.contexts.get_mut(&edge) {
            return context.insert(cell);
        }
        let mut context = EdgeContext::empty(edge, self.context_space(edge)?);
        let added = context.insert(cell)?;
        self.contexts.insert(edge, context);
        Ok(added)
    }

    /// Removes one configuration from an edge's context; whether it was there.
    pub fn remove_context_element(&mut self, edge: Edge, cell: Cell) -> bool {
        let Some(context) = self.contexts.get_mut(&edge) else { return false };
        let removed = context.remove(cell);
        if context.is_empty() {
            self.contexts.remove(&edge);
        }
        removed
    }

    /// Removes the contexts of all edges at a node.
    pub fn clear_contexts_at(&mut self, node: Var) {
        for neighbor in self.graph.markov_blanket(node).iter() {
            if let Ok(edge) = Edge::new(node, neighbor) {
                self.contexts.remove(&edge);
            }
        }
    }

    /// Removes all contexts.
    pub fn clear_contexts(&mut self) {
        self.contexts.clear();
    }

    /// The Markov blanket mb(j).
    pub fn markov_blanket(&self, node: Var) -> &VarSet {
        self.graph.markov_blanket(node)
    }

    fn check_variables(&self, edge: Edge) -> Result<()> {
        let (variable, count) = (edge.high(), self.variables());
        if variable >= count {
            return Err(StructureProblem::UnknownVariable { variable, count }.into());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    fn triangle() -> Structure {
        let mut structure = Structure::empty(&[2, 2, 2]);
        for (i, j) in [(0, 1), (0, 2), (1, 2)] {
            structure.toggle_edge(Edge::new(i, j).unwrap()).unwrap();
        }
        structure
    }

    fn problem(result: Result<bool>) -> StructureProblem {
        match result.unwrap_err().kind() {
            ErrorKind::Structure(problem) => problem.clone(),
            other => panic!("{other}"),
        }
    }

    #[test]
    fn a_context_can_not_be_full_or_off_an_edge() {
        let mut structure = triangle();
        let edge = Edge::new(0, 1).unwrap();
        assert!(structure.add_context_element(edge, 0).unwrap());
        assert!(!structure.add_context_element(edge, 0).unwrap());
        assert!(matches!(
            problem(structure.add_context_element(edge, 1)),
            StructureProblem::FullContext { .. }
        ));
        assert!(matches!(
            problem(structure.add_context_element(edge, 2)),
            StructureProblem::CellOutOfRange { .. }
        ));
        let mut path = Structure::empty(&[2, 2]);
        assert!(matches!(problem(path.add_context_element(edge, 0)), StructureProblem::NotAnEdge { .. }));
        path.toggle_edge(edge).unwrap();
        assert!(matches!(problem(path.add_context_element(edge, 0)), StructureProblem::FullContext { .. }));
    }

    #[test]
    fn an_edge_is_added_once_and_removed_once() {
        let mut structure = triangle();
        let edge = Edge::new(0, 1).unwrap();
        structure.add_context_element(Edge::new(0, 2).unwrap(), 1).unwrap();
        assert!(!structure.add_edge(edge).unwrap());
        assert_eq!((structure.graph().edge_count(), structure.context_elements()), (3, 1));
        assert!(structure.remove_edge(edge).unwrap());
        assert!(!structure.remove_edge(edge).unwrap());
        assert_eq!((structure.graph().edge_count(), structure.context_elements()), (2, 0));
        assert!(structure.add_edge(edge).unwrap());
        assert!(structure.add_edge(Edge::new(0, 7).unwrap()).is_err());
    }

    #[test]
    fn toggling_an_edge_empties_the_contexts_that_saw_it() {
        let mut structure = triangle();
        for (i, j) in [(0, 1), (0, 2), (1, 2)] {
            structure.add_context_element(Edge::new(i, j).unwrap(), 1).unwrap();
        }
        structure.toggle_edge(Edge::new(0, 1).unwrap()).unwrap();
        assert_eq!(structure.context_elements(), 0);
    }
}
