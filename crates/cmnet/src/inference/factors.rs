//! A network as one dense table per maximal clique: what approximate methods and other
//! engines read.

use super::condition::{Conditioned, fill_tables, tables_at};
use super::evidence::Evidence;
use super::network::Network;
use crate::data::Var;
use crate::error::{Error, Remedy, Result};
use crate::graph::{Edge, Graph, VarSet, maximal_cliques};
use crate::table::Shape;

/// Log potentials over the maximal cliques of what evidence leaves of a graph.
#[derive(Clone, Debug)]
pub struct Factors {
    free: VarSet,
    pub(super) cardinalities: Vec<u32>,
    pub(super) tables: Vec<(Shape, Vec<f64>)>,
    /// For each variable its tables, and its stride there.
    pub(super) at: Vec<Vec<(usize, usize)>>,
}

impl Network {
    /// One table of log potentials per maximal clique, given evidence, if they fit a budget
    /// of bytes.
    ///
    /// # Errors
    /// When there are too many cliques, or the tables are too large.
    pub fn factors(&self, evidence: &Evidence, memory: u64) -> Result<Factors> {
        Factors::new(&Conditioned::new(self, evidence, true), memory)
    }

    /// The bytes that those tables take, without making them.
    ///
    /// # Errors
    /// When there are too many cliques.
    pub fn factor_bytes(&self, evidence: &Evidence) -> Result<u64> {
        let conditioned = Conditioned::new(self, evidence, true);
        Ok(bytes(&free_cliques(&conditioned)?, self.cardinalities()))
    }

    /// The bytes of the tables that a [`super::Predictor`] of a variable holds, without making
    /// them.
    ///
    /// # Errors
    /// When the variable does not exist, or has too many cliques.
    pub fn prediction_bytes(&self, variable: Var) -> Result<u64> {
        self.check_targets(&[variable], &Evidence::none())?;
        Ok(bytes(&cliques_around(self.closed().graph(), variable)?, self.cardinalities()))
    }
}

fn free_cliques(conditioned: &Conditioned<'_>) -> Result<Vec<VarSet>> {
    let is_free = |set: &VarSet| set.iter().all(|v| conditioned.free().contains(v));
    Ok(maximal_cliques(conditioned.graph())?.into_iter().filter(is_free).collect())
}

fn bytes(cliques: &[VarSet], cardinalities: &[u32]) -> u64 {
    let size = |set: &VarSet| set.iter().fold(8u64, |s, v| s.saturating_mul(cardinalities[v].into()));
    cliques.iter().fold(0u64, |sum, set| sum.saturating_add(size(set)))
}

/// The maximal cliques with a variable.
fn cliques_around(graph: &Graph, variable: Var) -> Result<Vec<VarSet>> {
    let mut near = Graph::empty(graph.nodes());
    let blanket = graph.markov_blanket(variable);
    for one in blanket.iter() {
        near.toggle(Edge::new(one, variable)?);
        for other in graph.markov_blanket(one).intersection(blanket).iter().filter(|&v| v > one) {
            near.toggle(Edge::new(one, other)?);
        }
    }
    Ok(maximal_cliques(&near)?.into_iter().filter(|set| set.contains(variable)).collect())
}

impl Factors {
    pub(super) fn new(conditioned: &Conditioned<'_>, memory: u64) -> Result<Self> {
        let cardinalities = conditioned.network().cardinalities();
        let mut factors = Self::empty(&free_cliques(conditioned)?, cardinalities, memory)?;
        factors.free = conditioned.free().clone();
        let (shapes, mut values): (Vec<Shape>, Vec<Vec<f64>>) = factors.tables.into_iter().unzip();
        conditioned.fill(shapes.iter(), &mut values);
        factors.tables = shapes.into_iter().zip(values).collect();
        Ok(factors)
    }

    /// The tables of a variable's own cliques, with the terms that contain it: all that its
    /// distribution given its Markov blanket takes.
    pub(super) fn around(network: &Network, variable: Var, memory: u64) -> Result<Self> {
        let (graph, cardinalities) = (network.closed().graph(), network.cardinalities());
        let mut factors = Self::empty(&cliques_around(graph, variable)?, cardinalities, memory)?;
        let (shapes, mut values): (Vec<Shape>, Vec<Vec<f64>>) = factors.tables.into_iter().unzip();
        let shapes_by_reference: Vec<&Shape> = shapes.iter().collect();
        let at = tables_at(&shapes_by_reference, graph.nodes());
        let terms = network.sets_at[variable].iter().map(|&index| {
            let table = &network.sets[index];
            (&table.variables, table.values.as_slice())
        });
        fill_tables(&shapes_by_reference, &at, terms, &mut values);
        factors.tables = shapes.into_iter().zip(values).collect();
        Ok(factors)
    }

    /// Tables of zeros, if they fit.
    fn empty(cliques: &[VarSet], cardinalities: &[u32], memory: u64) -> Result<Self> {
        let bytes = bytes(cliques, cardinalities);
        if bytes > memory {
            return Err(Error::limit(
                format!("{bytes} bytes of clique tables"),
                format!("{memory} bytes"),
                Remedy::MoreMemory,
            ));
        }
        let mut at = vec![Vec::new(); cardinalities.len()];
        let mut tables = Vec::with_capacity(cliques.len());
        for (index, set) in cliques.iter().enumerate() {
            let shape = Shape::new(set.iter().collect(), cardinalities);
            let places = shape.variables().iter().zip(shape.strides());
            places.for_each(|(&v, &stride)| at[v].push((index, stride)));
            let zeros = vec![0.0; shape.size()];
            tables.push((shape, zeros));
        }
        Ok(Self { free: VarSet::default(), cardinalities: cardinalities.to_vec(), tables, at })
    }

    /// The unobserved variables.
    pub fn free(&self) -> &VarSet {
        &self.free
    }

    /// The tables: variables ascending, last one fastest, natural logarithms.
    pub fn tables(&self) -> impl ExactSizeIterator<Item = (&[Var], &[f64])> {
        self.tables.iter().map(|(shape, table)| (shape.variables(), table.as_slice()))
    }

    /// Replaces `energies` by the probabilities of a variable's levels given a row of the
    /// levels of all others.
    pub(super) fn conditional(&self, variable: Var, row: &[u32], energies: &mut Vec<f64>) {
        self.energies(variable, row, energies);
        to_probabilities(energies);
    }

    /// The same as log weights.
    pub(super) fn energies(&self, variable: Var, row: &[u32], energies: &mut Vec<f64>) {
        energies.clear();
        energies.resize(self.cardinalities[variable] as usize, 0.0);
        for &(index, stride) in &self.at[variable] {
            let (shape, table) = &self.tables[index];
            let base = shape.cell(row) - row[variable] as usize * stride;
            for (level, energy) in energies.iter_mut().enumerate() {
                *energy += table[base + level * stride];
            }
        }
    }

    /// The log weight of a row of levels of all variables.
    pub(super) fn weight(&self, row: &[u32]) -> f64 {
        self.tables.iter().map(|(shape, table)| table[shape.cell(row)]).sum()
    }
}

/// Turns log weights into probabilities; all zero when every weight is.
pub(super) fn to_probabilities(values: &mut [f64]) {
    let largest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if largest == f64::NEG_INFINITY {
        values.fill(0.0);
        return;
    }
    let mut sum = 0.0;
    for value in values.iter_mut() {
        *value = libm::exp(*value - largest);
        sum += *value;
    }
    for value in values.iter_mut() {
        *value /= sum;
    }
}
