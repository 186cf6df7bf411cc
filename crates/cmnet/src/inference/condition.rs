//! A network given hard evidence: terms conditioned, and the edges that the evidence cuts
//! gone (paper, Proposition 2 read backwards).
//!
//! With x_E = e the terms over a set B of unobserved variables become the sum of
//! phi_{B+F}(x_B, e_F) over F inside E: again terms that vanish where a level is 0. When
//! every completion of e to the common neighbours of an edge {i,j} lies in C(i,j), the
//! restrictions say that all conditioned terms over sets with i and j are zero. That is
//! decided from the contexts and never from a number: such terms are dropped, and with them
//! the edge, before anything is triangulated.

use super::evidence::Evidence;
use super::network::{Network, TermTable, add_along, sum_of_terms, term_cells};
use super::shape::Shape;
use crate::context::EdgeContext;
use crate::graph::{Edge, Graph, VarSet, components};
use crate::structure::Structure;

/// What is left of a network under evidence.
#[derive(Clone, Debug)]
pub struct Conditioned<'a> {
    network: &'a Network,
    evidence: Evidence,
    free: VarSet,
    graph: Graph,
    cut: Vec<Edge>,
    /// Conditioned values of sets that differ from the network's.
    changed: Vec<Option<Vec<f64>>>,
    /// The sets that are left.
    alive: Vec<usize>,
    constant: f64,
}

impl<'a> Conditioned<'a> {
    /// Conditions a network, and deletes the edges that the evidence cuts if asked to.
    pub(super) fn new(network: &'a Network, evidence: &Evidence, delete_cut: bool) -> Self {
        let structure = network.structure();
        let free: VarSet = (0..structure.variables()).filter(|&v| evidence.level(v).is_none()).collect();
        let cut = if delete_cut { cut_edges(structure, evidence) } else { Vec::new() };
        let mut graph = Graph::empty(structure.variables());
        let ends_free = |edge: &Edge| free.contains(edge.low()) && free.contains(edge.high());
        let left =
            structure.graph().edges().filter(ends_free).filter(|edge| cut.binary_search(edge).is_err());
        left.for_each(|edge| {
            graph.toggle(edge);
        });
        let mut conditioned = Self {
            network,
            evidence: evidence.clone(),
            free,
            graph,
            cut,
            changed: vec![None; network.sets.len()],
            alive: Vec::new(),
            constant: 0.0,
        };
        conditioned.take_terms();
        conditioned
    }

    fn take_terms(&mut self) {
        for (index, table) in self.network.sets.iter().enumerate() {
            if table.variables.iter().all(|v| self.free.contains(v)) {
                if self.cut.is_empty() || self.graph.is_complete(&table.variables) {
                    self.alive.push(index);
                }
            } else {
                self.take_slice(table);
            }
        }
    }

    /// Adds the slice of a set's terms that the evidence selects to the terms of its
    /// unobserved members.
    fn take_slice(&mut self, table: &TermTable) {
        let cardinalities = self.network.cardinalities();
        let mut stride = table.values.len();
        let (mut base, mut rest) = (0, Vec::new());
        for v in table.variables.iter() {
            let levels = cardinalities[v] as usize - 1;
            stride /= levels;
            match self.evidence.level(v) {
                Some(0) => return,
                Some(level) => base += (level as usize - 1) * stride,
                None => rest.push((v, levels, stride)),
            }
        }
        if rest.is_empty() {
            self.constant += table.values[base];
            return;
        }
        let variables: VarSet = rest.iter().map(|&(v, ..)| v).collect();
        if !self.cut.is_empty() && !self.graph.is_complete(&variables) {
            return;
        }
        let mut cells = vec![base];
        for (_, levels, stride) in rest {
            cells =
                cells.iter().flat_map(|cell| (0..levels).map(move |level| cell + level * stride)).collect();
        }
        let home = self.network.places[&variables];
        let own = self.changed[home].get_or_insert_with(|| self.network.sets[home].values.clone());
        own.iter_mut().zip(cells).for_each(|(sum, cell)| *sum += table.values[cell]);
    }

    /// The unobserved variables.
    pub fn free(&self) -> &VarSet {
        &self.free
    }

    /// The evidence.
    pub fn evidence(&self) -> &Evidence {
        &self.evidence
    }

    /// The network.
    pub fn network(&self) -> &'a Network {
        self.network
    }

    /// The edges that are left between unobserved variables.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// The edges between unobserved variables that the evidence cuts, in order.
    pub fn cut(&self) -> &[Edge] {
        &self.cut
    }

    /// The sum of all terms that the evidence fixes.
    pub(super) fn constant(&self) -> f64 {
        self.constant
    }

    /// The unobserved variables that are connected to some of these without passing through
    /// evidence or a cut edge: all that matters for a question about them.
    pub fn relevant(&self, targets: &VarSet) -> VarSet {
        let parts = components(&self.graph);
        let matters = |part: &&VarSet| targets.iter().any(|target| part.contains(target));
        parts.iter().filter(matters).flat_map(VarSet::iter).collect()
    }

    /// The sets with terms that are left, with the terms.
    pub(super) fn terms(&self) -> impl Iterator<Item = (&VarSet, &[f64])> + '_ {
        self.alive.iter().map(|&index| {
            let table = &self.network.sets[index];
            (&table.variables, self.changed[index].as_deref().unwrap_or(&table.values))
        })
    }

    /// Fills tables, whose variables are unobserved, with log potentials: each set of terms
    /// and each soft observation goes to the first table that contains it. Terms over
    /// variables that no table holds together are left out.
    pub(super) fn fill<'b>(&self, shapes: impl Iterator<Item = &'b Shape>, tables: &mut [Vec<f64>]) {
        let shapes: Vec<&Shape> = shapes.collect();
        let mut at: Vec<Vec<usize>> = vec![Vec::new(); self.graph.nodes()];
        for (index, shape) in shapes.iter().enumerate() {
            shape.variables().iter().for_each(|&v| at[v].push(index));
        }
        for (variables, values) in self.terms() {
            let holds = |&&index: &&usize| variables.iter().all(|v| shapes[index].variables().contains(&v));
            let rarest = variables.iter().min_by_key(|&v| at[v].len());
            let Some(&home) = rarest.and_then(|v| at[v].iter().find(holds)) else { continue };
            let cells = term_cells(variables, shapes[home]);
            cells.iter().zip(values).for_each(|(&cell, &value)| tables[home][cell] = value);
        }
        for (shape, table) in shapes.iter().zip(tables.iter_mut()) {
            sum_of_terms(shape, table);
        }
        for (variable, weights) in self.evidence.soft() {
            if let Some(&home) = at[variable].first() {
                add_along(shapes[home], variable, weights, &mut tables[home]);
            }
        }
    }
}

/// The edges between unobserved variables whose context holds under the evidence, whatever
/// the unobserved common neighbours are, in order.
pub fn cut_edges(structure: &Structure, evidence: &Evidence) -> Vec<Edge> {
    let free = |v| evidence.level(v).is_none();
    let ends_free = |context: &&EdgeContext| free(context.edge().low()) && free(context.edge().high());
    let cut = structure.contexts().filter(ends_free).filter(|context| holds(context, evidence));
    cut.map(EdgeContext::edge).collect()
}

impl Network {
    /// The edges between unobserved variables that evidence cuts, in order.
    pub fn cut_edges(&self, evidence: &Evidence) -> Vec<Edge> {
        cut_edges(self.structure(), evidence)
    }
}

/// Whether all completions of the evidence to the common neighbours are in the context.
fn holds(context: &EdgeContext, evidence: &Evidence) -> bool {
    let space = context.space();
    let mut known = Vec::new();
    let mut completions: u64 = 1;
    for (position, v) in space.variables().iter().enumerate() {
        match evidence.level(v) {
            Some(level) => known.push((position, level)),
            None => completions *= u64::from(space.cardinalities()[position]),
        }
    }
    let fits = |&cell: &u64| known.iter().all(|&(position, level)| space.level(cell, position) == level);
    completions <= context.len() as u64 && context.elements().filter(fits).count() as u64 == completions
}
