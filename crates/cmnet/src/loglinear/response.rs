//! How the expectation of a function of some variables moves with the phi-terms: its covariance
//! with each term, by one propagation in a tree that has the variables in one clique.

use super::information::Contrast;
use super::parameters::Parameters;
use super::part::{Part, TermTables};
use crate::control::{Control, ask};
use crate::data::Var;
use crate::error::Result;
use crate::graph::{Edge, Graph, VarSet};
use crate::table::Shape;
use crate::tree::{Clique, JunctionTree, Propagation, best_plan};

/// What is asked: a set of variables, and what is known of the others.
#[derive(Clone, Copy)]
pub(crate) struct Asked<'a> {
    pub(crate) parameters: &'a Parameters,
    pub(crate) graph: &'a Graph,
    /// The variables, connected in the graph.
    pub(crate) scope: &'a VarSet,
    /// The level of each variable that is known.
    pub(crate) known: &'a dyn Fn(Var) -> Option<u32>,
    /// The most memory for tables, in bytes.
    pub(crate) memory: u64,
}

/// A calibrated tree with the scope in one clique.
pub(crate) struct Response {
    part: Part,
    tables: TermTables,
    tree: JunctionTree,
    propagation: Propagation,
    home: usize,
    shape: Shape,
}

impl Response {
    /// Builds and calibrates the tree; `None` when what is known has probability 0.
    pub(crate) fn new(asked: Asked<'_>, control: &dyn Control) -> Result<Option<Self>> {
        let terms = asked.parameters.terms();
        let mut graph = asked.graph.clone();
        for one in asked.scope.iter() {
            for edge in asked.scope.iter().filter_map(|other| Edge::new(one, other).ok()) {
                graph.add_edge(edge);
            }
        }
        let parts = Part::components(terms, &graph);
        let holds = |part: &Part| asked.scope.iter().all(|v| part.variables.contains(v));
        let Some(part) = parts.into_iter().find(holds) else { return Ok(None) };
        let cardinalities = terms.cardinalities();
        let plan = best_plan(&graph, &part.variables, cardinalities, asked.memory / 32);
        let tree = plan.build(cardinalities, asked.memory)?;
        let tables = TermTables::new(terms, &part, tree.cliques().iter().map(Clique::shape));
        let phi: Vec<f64> = part.terms.iter().map(|&term| asked.parameters.values()[term]).collect();
        let mut propagation = Propagation::new(&tree);
        for (index, clique) in tree.cliques().iter().enumerate() {
            ask(control)?;
            let table = propagation.log_potential(index);
            tables.log_potential(index, clique.shape(), &phi, table);
            strike_out(clique.shape(), asked.known, table);
        }
        let weight = propagation.collect_under(&tree, control)?;
        propagation.distribute_under(&tree, control)?;
        let scope: Vec<Var> = asked.scope.iter().collect();
        let Some(home) = tree.home(&scope).filter(|_| weight > f64::NEG_INFINITY) else { return Ok(None) };
        let shape = Shape::new(scope, cardinalities);
        Ok(Some(Self { part, tables, tree, propagation, home, shape }))
    }

    /// The layout of the scope.
    pub(crate) fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The distribution of the scope given what is known.
    pub(crate) fn distribution(&self) -> Vec<f64> {
        let mut distribution = vec![0.0; self.shape.size()];
        let walk = self.tree.cliques()[self.home].shape().walk_onto(&self.shape);
        walk.gather(self.propagation.marginal(self.home), &mut distribution);
        distribution
    }

    /// The derivatives of the expectation of a function of the scope, which is held fixed.
    pub(crate) fn derivatives(&self, function: &[f64]) -> Contrast {
        let cliques = self.tree.cliques();
        let zeros = |clique: &Clique| vec![0.0; clique.shape().size()];
        let mut moved: Vec<Vec<f64>> = cliques.iter().map(zeros).collect();
        cliques[self.home].shape().walk_onto(&self.shape).spread(function, &mut moved[self.home]);
        self.propagation.derivative(&self.tree, &mut moved);
        let mut by_term = vec![0.0; self.tables.terms()];
        for (index, clique) in cliques.iter().enumerate() {
            self.tables.margins(index, clique.shape(), &mut moved[index], &mut by_term);
        }
        let all = self.part.terms.iter().zip(by_term);
        all.filter(|(_, value)| *value != 0.0).map(|(&term, value)| (term, value)).collect()
    }
}

/// Gives weight zero to the cells that contradict what is known.
fn strike_out(shape: &Shape, known: &dyn Fn(Var) -> Option<u32>, table: &mut [f64]) {
    for &variable in shape.variables() {
        let Some(level) = known(variable) else { continue };
        let stride = shape.stride_of(variable);
        let levels = shape.cardinalities()[shape.variables().iter().take_while(|&&v| v != variable).count()];
        for (cell, value) in table.iter_mut().enumerate() {
            if cell / stride % levels as usize != level as usize {
                *value = f64::NEG_INFINITY;
            }
        }
    }
}
