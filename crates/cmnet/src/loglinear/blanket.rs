//! One variable and its Markov blanket: counts and conditional distribution (paper, section
//! 3.1).

use super::margins::Smoothing;
use super::objective::dot;
use crate::data::{Dataset, Var};
use crate::graph::VarSet;
use crate::table::{Shape, add_energies, softmax};
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

    /// Counts (x_mb(j), x_j) over the rows.
    fn count(&mut self, shapes: &[Shape], data: &Dataset) {
        let members = self.cliques.iter().flat_map(|&(clique, _)| shapes[clique].variables().iter().copied());
        let blanket: VarSet = members.filter(|&v| v != self.variable).collect();
        let groups = Groups::new(data, &blanket);
        self.observed = vec![0.0; groups.first_row.len() * self.levels];
        for (row, &weight) in data.weights().iter().enumerate() {
            let level = data.column(self.variable).get(row) as usize;
            self.observed[groups.of_row[row] as usize * self.levels + level] += f64::from(weight);
        }
        for &row in &groups.first_row {
            for &(clique, _) in &self.cliques {
                let places = shapes[clique].variables().iter().zip(shapes[clique].strides());
                let others = places.filter(|(v, _)| **v != self.variable);
                self.bases.push(others.map(|(&v, &stride)| data.column(v).get(row) * stride as u32).sum());
            }
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
                add_energies(&tables[clique], base as usize, stride, values);
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

/// Rows that agree on some variables, in groups numbered by first appearance.
struct Groups {
    of_row: Vec<u64>,
    first_row: Vec<usize>,
}

impl Groups {
    fn new(data: &Dataset, variables: &VarSet) -> Self {
        let mut groups = Self { of_row: vec![0; data.distinct_rows()], first_row: Vec::new() };
        let mut bound: u64 = 1;
        for variable in variables.iter() {
            let levels = u64::from(data.schema().variable(variable).cardinality());
            if bound > u64::from(u32::MAX) {
                bound = groups.renumber();
            }
            bound *= levels;
            let column = data.column(variable);
            for (row, key) in groups.of_row.iter_mut().enumerate() {
                *key = *key * levels + u64::from(column.get(row));
            }
        }
        groups.renumber();
        groups
    }

    /// Numbers the keys that occur by first appearance; returns how many there are.
    fn renumber(&mut self) -> u64 {
        let mut numbers: FxHashMap<u64, u64> = FxHashMap::default();
        self.first_row.clear();
        for (row, key) in self.of_row.iter_mut().enumerate() {
            let next = numbers.len() as u64;
            *key = *numbers.entry(*key).or_insert_with(|| {
                self.first_row.push(row);
                next
            });
        }
        numbers.len() as u64
    }
}
