//! The phi-terms with values: a distribution (paper, eq. 1 and Definition 3).

use super::objective::dot;
use super::part::{Part, TermTables, clique_shapes};
use super::term::{Term, Terms};
use crate::data::{Dataset, Var};
use crate::error::Result;
use crate::graph::Graph;
use crate::table::Shape;
use crate::tree::{Clique, JunctionTree, Propagation};

/// Values of all phi-terms of a graph, with phi_0 where it is known.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters {
    terms: Terms,
    values: Vec<f64>,
    log_partition: Option<f64>,
}

impl Parameters {
    /// Values for the terms of a graph, in order. `log_partition` is log Z = -phi_0, when it
    /// is known.
    ///
    /// # Panics
    /// When there is not one value per term.
    pub fn new(terms: Terms, values: Vec<f64>, log_partition: Option<f64>) -> Self {
        assert_eq!(terms.len(), values.len(), "one value per term");
        Self { terms, values, log_partition }
    }

    /// The terms.
    pub fn terms(&self) -> &Terms {
        &self.terms
    }

    /// The value of each term.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// log Z = -phi_0, when the distribution is normalised.
    pub fn log_partition(&self) -> Option<f64> {
        self.log_partition
    }

    /// The value of one term; 0 when the graph does not have it.
    pub fn value(&self, term: &Term) -> f64 {
        self.terms.number(term).map_or(0.0, |number| self.values[number])
    }

    /// Every term with its value, in order.
    pub fn iter(&self) -> impl Iterator<Item = (Term, f64)> + '_ {
        self.values.iter().enumerate().map(|(number, &value)| (self.terms.term(number), value))
    }

    /// The same parameters with log Z, by a junction tree that fits a budget of bytes.
    ///
    /// # Errors
    /// When it does not fit.
    pub fn normalized(self, graph: &Graph, budget: u64) -> Result<Self> {
        let tree = JunctionTree::new(graph, self.terms.cardinalities(), budget)?;
        let log_partition = Some(self.propagate(&tree, &mut Propagation::new(&tree)));
        Ok(Self { log_partition, ..self })
    }

    /// Puts the potentials into a tree whose cliques cover all terms and collects: log Z.
    pub(crate) fn propagate(&self, tree: &JunctionTree, propagation: &mut Propagation) -> f64 {
        let tables = self.tables(tree);
        for (index, clique) in tree.cliques().iter().enumerate() {
            tables.log_potential(index, clique.shape(), &self.values, propagation.log_potential(index));
        }
        propagation.collect(tree)
    }

    /// The expectation of the sum of these terms under the distribution of a calibrated tree.
    pub(crate) fn expectation(&self, tree: &JunctionTree, propagation: &Propagation) -> f64 {
        let tables = self.tables(tree);
        let mut sum = 0.0;
        for (index, clique) in tree.cliques().iter().enumerate() {
            let mut table = vec![0.0; clique.shape().size()];
            tables.log_potential(index, clique.shape(), &self.values, &mut table);
            sum += dot(&table, propagation.marginal(index));
        }
        sum
    }

    fn tables(&self, tree: &JunctionTree) -> TermTables {
        TermTables::new(&self.terms, &Part::whole(&self.terms), tree.cliques().iter().map(Clique::shape))
    }

    /// The same parameters ready to be evaluated row by row.
    pub fn evaluator(&self) -> Evaluator {
        let part = Part::whole(&self.terms);
        let shapes = clique_shapes(&self.terms, &part);
        let tables = TermTables::new(&self.terms, &part, shapes.iter());
        let mut at = vec![Vec::new(); self.terms.cardinalities().len()];
        let mut cliques = Vec::with_capacity(shapes.len());
        for (clique, shape) in shapes.into_iter().enumerate() {
            let mut table = vec![0.0; shape.size()];
            tables.log_potential(clique, &shape, &self.values, &mut table);
            shape
                .variables()
                .iter()
                .zip(shape.strides())
                .for_each(|(&v, &stride)| at[v].push((clique, stride)));
            cliques.push((shape, table));
        }
        let cardinalities = self.terms.cardinalities().to_vec();
        Evaluator { cliques, at, cardinalities, log_partition: self.log_partition }
    }
}

/// Log probabilities of rows, from one table per maximal clique of the graph.
///
/// Rows are level codes of all variables in column order, each below its variable's number
/// of levels.
#[derive(Clone, Debug)]
pub struct Evaluator {
    cliques: Vec<(Shape, Vec<f64>)>,
    /// For each variable its cliques, and its stride there.
    at: Vec<Vec<(usize, usize)>>,
    cardinalities: Vec<u32>,
    log_partition: Option<f64>,
}

impl Evaluator {
    /// log p(x), or `None` when log Z is not known.
    pub fn log_probability(&self, row: &[u32]) -> Option<f64> {
        let log_partition = self.log_partition?;
        let energy: f64 = self.cliques.iter().map(|(shape, table)| table[shape.cell(row)]).sum();
        Some(energy - log_partition)
    }

    /// The distribution of one variable given all others, that is given its Markov blanket:
    /// needs no log Z.
    pub fn conditional(&self, variable: Var, row: &[u32]) -> Vec<f64> {
        let mut energies = self.energies(variable, row);
        softmax(&mut energies);
        energies
    }

    /// The logarithms of that distribution up to a constant.
    fn energies(&self, variable: Var, row: &[u32]) -> Vec<f64> {
        let mut energies = vec![0.0; self.cardinalities[variable] as usize];
        for &(clique, stride) in &self.at[variable] {
            let (shape, table) = &self.cliques[clique];
            let base = shape.cell(row) - row[variable] as usize * stride;
            for (level, energy) in energies.iter_mut().enumerate() {
                *energy += table[base + level * stride];
            }
        }
        energies
    }

    /// The pseudo-log-probability of a row: the sum over variables of log p(x_j | x_mb(j)).
    pub fn pseudo_log_probability(&self, row: &[u32]) -> f64 {
        // By logarithms: a probability of e^-800 is none, and its logarithm is a number.
        let conditional = |variable: Var| {
            let mut energies = self.energies(variable, row);
            energies[row[variable] as usize] - softmax(&mut energies)
        };
        (0..row.len()).map(conditional).sum()
    }

    /// The log-likelihood of a table: the sum over its observations of log p(x).
    pub fn log_likelihood(&self, data: &Dataset) -> Option<f64> {
        let mut sum = 0.0;
        for (row, &weight) in data.weights().iter().enumerate() {
            sum += f64::from(weight) * self.log_probability(&data.row(row))?;
        }
        Some(sum)
    }

    /// The pseudo-log-likelihood of a table.
    pub fn pseudo_log_likelihood(&self, data: &Dataset) -> f64 {
        let rows = data.weights().iter().enumerate();
        rows.map(|(row, &weight)| f64::from(weight) * self.pseudo_log_probability(&data.row(row))).sum()
    }
}

/// Turns energies into probabilities; returns the log of the sum of their exponentials.
pub(crate) fn softmax(energies: &mut [f64]) -> f64 {
    let largest = energies.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut sum = 0.0;
    for energy in energies.iter_mut() {
        *energy = libm::exp(*energy - largest);
        sum += *energy;
    }
    for energy in energies {
        *energy /= sum;
    }
    largest + libm::log(sum)
}
