//! A network as one dense table per maximal clique: what approximate methods and other
//! engines read.

use super::condition::Conditioned;
use super::evidence::Evidence;
use super::network::Network;
use super::shape::Shape;
use crate::data::Var;
use crate::error::{Error, Result};
use crate::graph::{VarSet, maximal_cliques};

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
}

impl Factors {
    pub(super) fn new(conditioned: &Conditioned<'_>, memory: u64) -> Result<Self> {
        let cardinalities = conditioned.network().cardinalities().to_vec();
        let cliques = maximal_cliques(conditioned.graph())?;
        let size = |set: &VarSet| set.iter().fold(8u64, |s, v| s.saturating_mul(cardinalities[v].into()));
        let is_free = |set: &&VarSet| set.iter().all(|v| conditioned.free().contains(v));
        let cliques: Vec<&VarSet> = cliques.iter().filter(is_free).collect();
        let bytes = cliques.iter().fold(0u64, |sum, set| sum.saturating_add(size(set)));
        if bytes > memory {
            return Err(Error::limit(
                format!("{bytes} bytes of clique tables"),
                format!("{memory} bytes"),
                "give more memory",
            ));
        }
        let shapes: Vec<Shape> =
            cliques.iter().map(|set| Shape::new(set.iter().collect(), &cardinalities)).collect();
        let mut values: Vec<Vec<f64>> = shapes.iter().map(|shape| vec![0.0; shape.size()]).collect();
        conditioned.fill(shapes.iter(), &mut values);
        let mut at = vec![Vec::new(); cardinalities.len()];
        for (index, shape) in shapes.iter().enumerate() {
            let places = shape.variables().iter().zip(shape.strides());
            places.for_each(|(&v, &stride)| at[v].push((index, stride)));
        }
        let tables = shapes.into_iter().zip(values).collect();
        Ok(Self { free: conditioned.free().clone(), cardinalities, tables, at })
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
        energies.clear();
        energies.resize(self.cardinalities[variable] as usize, 0.0);
        for &(index, stride) in &self.at[variable] {
            let (shape, table) = &self.tables[index];
            let base = shape.cell(row) - row[variable] as usize * stride;
            for (level, energy) in energies.iter_mut().enumerate() {
                *energy += table[base + level * stride];
            }
        }
        to_probabilities(energies);
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
