//! Edges and contexts that one structure has and another has not, after closure.

use crate::control::Control;
use crate::data::Var;
use crate::error::{Error, Result};
use crate::graph::Edge;
use crate::loglinear::canonical_under;
use crate::structure::Structure;
use std::collections::BTreeSet;

/// One element of a context: the edge and the levels of its common neighbours.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ContextElement {
    /// The edge.
    pub edge: Edge,
    /// The common neighbours with their levels, ascending.
    pub given: Vec<(Var, u32)>,
}

/// What two structures do not share.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Difference {
    /// Edges of the first only, and of the second only.
    pub edges: [Vec<Edge>; 2],
    /// Context elements of the first only, and of the second only.
    pub elements: [Vec<ContextElement>; 2],
    /// Edges that both have.
    pub shared_edges: usize,
    /// Context elements that both have.
    pub shared_elements: usize,
}

impl Difference {
    /// Whether both structures are the same model.
    pub fn is_empty(&self) -> bool {
        self.edges.iter().all(Vec::is_empty) && self.elements.iter().all(Vec::is_empty)
    }
}

/// Compares two structures over the same variables after bringing both into canonical form:
/// two structures are one model exactly when nothing differs.
///
/// # Errors
/// When the variables differ, or a structure is too large for its closure.
pub fn difference(one: &Structure, other: &Structure) -> Result<Difference> {
    difference_under(one, other, &())
}

/// As [`difference`](difference()), under a control that may stop it.
///
/// # Errors
/// As [`difference`](difference()); when the control asks to stop.
pub fn difference_under(one: &Structure, other: &Structure, control: &dyn Control) -> Result<Difference> {
    if one.cardinalities() != other.cardinalities() {
        let problem = "the two models differ in their variables or levels".to_owned();
        return Err(Error::mismatch(problem, "compare models of one table"));
    }
    let (one, other) = (canonical_under(one, control)?, canonical_under(other, control)?);
    let edges = [&one, &other].map(|structure| structure.graph().edges().collect::<BTreeSet<_>>());
    let elements = [&one, &other].map(elements);
    let only = |of: usize| edges[of].difference(&edges[1 - of]).copied().collect();
    let only_elements = |of: usize| elements[of].difference(&elements[1 - of]).cloned().collect();
    Ok(Difference {
        edges: [only(0), only(1)],
        elements: [only_elements(0), only_elements(1)],
        shared_edges: edges[0].intersection(&edges[1]).count(),
        shared_elements: elements[0].intersection(&elements[1]).count(),
    })
}

fn elements(structure: &Structure) -> BTreeSet<ContextElement> {
    let of_context = |context: &crate::context::EdgeContext| {
        let space = context.space();
        let element = |cell| ContextElement {
            edge: context.edge(),
            given: space.variables().iter().zip(space.configuration(cell)).collect(),
        };
        context.elements().map(element).collect::<Vec<_>>()
    };
    structure.contexts().flat_map(of_context).collect()
}
