//! The context C(i,j) of one edge (paper, Definition 2; regularity, section 2.2).

use crate::error::{Result, StructureProblem};
use crate::graph::Edge;
use crate::table::{Cell, OutcomeSpace};
use std::collections::BTreeSet;

/// The configurations of the common neighbours in which an edge is cut off.
///
/// Always a *strict* subset of X_cn(i,j): a full context would mean no edge at all. Lives
/// only inside a [`crate::Structure`], so it never sits on a non-edge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EdgeContext {
    edge: Edge,
    space: OutcomeSpace,
    elements: BTreeSet<Cell>,
}

impl EdgeContext {
    pub(crate) fn empty(edge: Edge, space: OutcomeSpace) -> Self {
        Self { edge, space, elements: BTreeSet::new() }
    }

    /// Adds one configuration; `Ok(false)` when it was there already.
    pub(crate) fn insert(&mut self, cell: Cell) -> Result<bool> {
        let size = self.space.size();
        if cell >= size {
            return Err(StructureProblem::CellOutOfRange { cell, size }.into());
        }
        if self.elements.contains(&cell) {
            return Ok(false);
        }
        if self.elements.len() as u64 + 1 >= size {
            let (low, high) = self.edge.ends();
            return Err(StructureProblem::FullContext { low, high, size }.into());
        }
        Ok(self.elements.insert(cell))
    }

    /// Removes one configuration; whether it was there.
    pub(crate) fn remove(&mut self, cell: Cell) -> bool {
        self.elements.remove(&cell)
    }

    /// The edge.
    pub fn edge(&self) -> Edge {
        self.edge
    }

    /// The outcome space X_cn(i,j) of the common neighbours, ascending.
    pub fn space(&self) -> &OutcomeSpace {
        &self.space
    }

    /// The configurations, ascending.
    pub fn elements(&self) -> impl ExactSizeIterator<Item = Cell> + '_ {
        self.elements.iter().copied()
    }

    /// The number of configurations |C(i,j)|.
    pub fn len(&self) -> usize {
        self.elements.len()
    }

    /// Whether no configuration cuts the edge off.
    pub fn is_empty(&self) -> bool {
        self.elements.is_empty()
    }

    /// Whether the edge is cut off in a configuration of the common neighbours.
    pub fn contains(&self, cell: Cell) -> bool {
        self.elements.contains(&cell)
    }
}
