//! How much of a known structure was found.

use cmnet::{Edge, Structure, Var};
use std::collections::BTreeSet;

/// Precision, recall and their harmonic mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Agreement {
    /// The share of what was found that is true.
    pub precision: f64,
    /// The share of what is true that was found.
    pub recall: f64,
}

impl Agreement {
    fn new<T: Ord>(truth: &BTreeSet<T>, found: &BTreeSet<T>) -> Self {
        let hits = truth.intersection(found).count() as f64;
        let share = |of: usize| if of == 0 { 1.0 } else { hits / of as f64 };
        Self { precision: share(found.len()), recall: share(truth.len()) }
    }

    /// The harmonic mean of precision and recall.
    pub fn f1(&self) -> f64 {
        let sum = self.precision + self.recall;
        if sum == 0.0 { 0.0 } else { 2.0 * self.precision * self.recall / sum }
    }
}

/// How a structure agrees with the true one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Recovery {
    /// Over edges.
    pub edges: Agreement,
    /// Over context elements, each an edge with the levels of its common neighbours.
    pub elements: Agreement,
}

/// Compares a found structure with the true one, as they stand (without closure).
pub fn recovery(truth: &Structure, found: &Structure) -> Recovery {
    let edges = |structure: &Structure| structure.graph().edges().collect::<BTreeSet<Edge>>();
    Recovery {
        edges: Agreement::new(&edges(truth), &edges(found)),
        elements: Agreement::new(&elements(truth), &elements(found)),
    }
}

type Element = (Edge, Vec<(Var, u32)>);

fn elements(structure: &Structure) -> BTreeSet<Element> {
    let mut all = BTreeSet::new();
    for context in structure.contexts() {
        for cell in context.elements() {
            let levels = context.space().configuration(cell);
            all.insert((context.edge(), context.space().variables().iter().zip(levels).collect()));
        }
    }
    all
}
