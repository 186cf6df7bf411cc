//! One variable and its Markov blanket: counts and conditional distribution (paper, section
//! 3.1).

use super::margins::Smoothing;
use super::objective::dot;
use super::parameters::softmax;
use crate::data::{Dataset, Var};
use crate::inference::Shape;
use rustc_hash::FxHashMap;

/// One variable with the distinct configurations of its Markov blanket in the data.
#[derive(Clone, Debug)]
pub(super) struct Node {
    variable: Var,
    pub(super) levels: usize,
    /// The cliques with this variable, and its stride in each.
    pub(super) cliques: Vec<(usize, usize)>,
    /// For each configuration and clique, the cell with this variable at level 0.
    pub(super) bases: Vec<u32>,
    /// For each configuration and level, how often both were observed.
    observed: Vec<f64>,
    /// The same with imagined observations.
    pub(super) counts: Vec<f64>,
    /// The sums of `counts` over levels.
    pub(super) sums: Vec<f64>,
}

impl Node {
    pub(super) fn new(variable: Var, shapes: &[Shape], data: &Dataset) -> Self {
        let levels = data.schema().variable(variable).levels.len();
        let mut cliques = Vec::new();
        for (clique, shape) in shapes.iter().enumerate() {
            if shape.variables().contains(&variable) {
                cliques.push((clique, shape.stride_of(variable)));
            }
        }
        let mut node = Self {
            variable,
            levels,
            cliques,
            bases: Vec::new(),
            observed: Vec::new(),
            counts: Vec::new(),
            sums: Vec::new(),
        };
        node.count(shapes, data);
        node
    }

    /// Groups the rows by blanket configuration, in order of first appearance.
    fn count(&mut self, shapes: &[Shape], data: &Dataset) {
        let mut groups: FxHashMap<Vec<u32>, usize> = FxHashMap::default();
        for (row, &weight) in data.weights().iter().enumerate() {
            let base = |&(clique, _): &(usize, usize)| {
                let shape: &Shape = &shapes[clique];
                let others =
                    shape.variables().iter().zip(shape.strides()).filter(|(v, _)| **v != self.variable);
                others.map(|(&v, &stride)| data.column(v).get(row) * stride as u32).sum()
            };
            let bases: Vec<u32> = self.cliques.iter().map(base).collect();
            let next = groups.len();
            let group = *groups.entry(bases).or_insert_with_key(|bases| {
                self.bases.extend(bases);
                self.observed.extend(std::iter::repeat_n(0.0, self.levels));
                next
            });
            let level = data.column(self.variable).get(row) as usize;
            self.observed[group * self.levels + level] += f64::from(weight);
        }
    }

    /// Adds imagined observations: the blankets that were observed, with every level of the
    /// variable equally often.
    pub(super) fn smooth(&mut self, smoothing: Smoothing, rows: f64) {
        self.counts.clone_from(&self.observed);
        for counts in self.counts.chunks_exact_mut(self.levels) {
            let share = counts.iter().sum::<f64>() / rows;
            Smoothing(smoothing.0 * share).add_to(counts);
        }
        self.sums = self.counts.chunks_exact(self.levels).map(|counts| counts.iter().sum()).collect();
    }

    /// The sums of the cliques' tables, for each configuration and level.
    pub(super) fn energies(&self, tables: &[Vec<f64>]) -> Vec<f64> {
        let mut energies = vec![0.0; self.counts.len()];
        let bases = self.bases.chunks_exact(self.cliques.len().max(1));
        for (values, bases) in energies.chunks_exact_mut(self.levels).zip(bases) {
            for (&base, &(clique, stride)) in bases.iter().zip(&self.cliques) {
                for (level, value) in values.iter_mut().enumerate() {
                    *value += tables[clique][base as usize + level * stride];
                }
            }
        }
        energies
    }

    /// Turns energies into probabilities; returns the node's pseudo-log-likelihood.
    pub(super) fn normalize(&self, energies: &mut [f64]) -> f64 {
        let mut sum = 0.0;
        let counts = self.counts.chunks_exact(self.levels).zip(&self.sums);
        for (values, (counts, total)) in energies.chunks_exact_mut(self.levels).zip(counts) {
            sum += dot(counts, values);
            sum -= total * softmax(values);
        }
        sum
    }
}
