//! One variable and its Markov blanket: counts and conditional distribution (paper, section
//! 3.1).

use super::margins::Smoothing;
use super::objective::dot;
use crate::counts::{Count, CountSource};
use crate::data::Var;
use crate::error::Result;
use crate::graph::VarSet;
use crate::table::{OutcomeSpace, Shape, add_energies, softmax};
use std::collections::BTreeMap;

/// One variable with the observed configurations of its Markov blanket, ascending.
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
    /// The same with pseudo-counts.
    pub(super) counts: Vec<f64>,
    /// The sums of `counts` over levels.
    pub(super) sums: Vec<f64>,
}

impl Node {
    pub(super) fn new(variable: Var, shapes: &[Shape], counts: &dyn CountSource) -> Result<Self> {
        let mut cliques = Vec::new();
        for (clique, shape) in shapes.iter().enumerate() {
            if shape.variables().contains(&variable) {
                cliques.push((clique, shape.stride_of(variable)));
            }
        }
        let mut node = Self {
            variable,
            levels: counts.cardinalities()[variable] as usize,
            cliques,
            bases: Vec::new(),
            observed: Vec::new(),
            counts: Vec::new(),
            sums: Vec::new(),
        };
        node.count(shapes, counts)?;
        Ok(node)
    }

    /// Takes the counts of (x_mb(j), x_j).
    fn count(&mut self, shapes: &[Shape], counts: &dyn CountSource) -> Result<()> {
        let members = self.cliques.iter().flat_map(|&(clique, _)| shapes[clique].variables().iter().copied());
        let blanket: VarSet = members.filter(|&v| v != self.variable).collect();
        let places = self.places(shapes, &blanket);
        if OutcomeSpace::new(blanket.clone(), counts.cardinalities()).is_err() {
            return self.count_by_margin(&blanket, &places, counts);
        }
        let (family, value) = (counts.family(self.variable, &blanket)?, counts.value());
        for (cell, entries) in family.iter() {
            self.push(&family.space().configuration(cell), &places);
            for &(level, count) in entries {
                self.add(level, f64::from(count) * value);
            }
        }
        Ok(())
    }

    /// The same for a blanket with too many configurations to be numbered.
    fn count_by_margin(
        &mut self,
        blanket: &VarSet,
        places: &[Vec<(usize, u32)>],
        counts: &dyn CountSource,
    ) -> Result<()> {
        let (margin, value) = (counts.margin(&blanket.toggled(self.variable))?, counts.value());
        let own = margin.variables().position(self.variable).unwrap_or_default();
        let split = |(levels, count): (&[u32], Count)| {
            let others: Vec<u32> = levels[..own].iter().chain(&levels[own + 1..]).copied().collect();
            (others, levels[own], count)
        };
        let mut entries: Vec<(Vec<u32>, u32, Count)> = margin.iter().map(split).collect();
        entries.sort_unstable();
        for run in entries.chunk_by(|one, other| one.0 == other.0) {
            self.push(&run[0].0, places);
            for &(_, level, count) in run {
                self.add(level, f64::from(count) * value);
            }
        }
        Ok(())
    }

    /// For each clique the positions in the blanket of its other members, with their strides.
    fn places(&self, shapes: &[Shape], blanket: &VarSet) -> Vec<Vec<(usize, u32)>> {
        let of_clique = |&(clique, _): &(usize, usize)| {
            let members = shapes[clique].variables().iter().zip(shapes[clique].strides());
            members.filter_map(|(&v, &stride)| Some((blanket.position(v)?, stride as u32))).collect()
        };
        self.cliques.iter().map(of_clique).collect()
    }

    /// The number of the blanket's configuration in each of some rows of all variables, if it
    /// was observed when the counts were taken.
    pub(super) fn locate<'r>(
        &self,
        shapes: &[Shape],
        rows: impl Iterator<Item = &'r [u32]>,
    ) -> Option<Vec<u32>> {
        let runs = self.bases.chunks_exact(self.cliques.len().max(1)).zip(0u32..);
        let known: BTreeMap<&[u32], u32> = runs.collect();
        let base = |row: &[u32], &(clique, stride): &(usize, usize)| {
            (shapes[clique].cell(row) - row[self.variable] as usize * stride) as u32
        };
        let place = |row: &[u32]| {
            let bases: Vec<u32> = self.cliques.iter().map(|clique| base(row, clique)).collect();
            known.get(bases.as_slice()).copied()
        };
        rows.map(place).collect()
    }

    /// The variable.
    pub(super) fn variable(&self) -> Var {
        self.variable
    }

    /// Begins a configuration of the blanket.
    fn push(&mut self, configuration: &[u32], places: &[Vec<(usize, u32)>]) {
        let base = |clique: &Vec<(usize, u32)>| -> u32 {
            clique.iter().map(|&(position, stride)| configuration[position] * stride).sum()
        };
        self.bases.extend(places.iter().map(base));
        self.observed.extend(std::iter::repeat_n(0.0, self.levels));
    }

    /// Adds a count to the configuration that was begun last.
    fn add(&mut self, level: u32, count: f64) {
        let first = self.observed.len() - self.levels;
        self.observed[first + level as usize] += count;
    }

    /// Adds pseudo-counts: the blankets that were observed, with every level of the
    /// variable equally often.
    pub(super) fn smooth(&mut self, smoothing: Smoothing, rows: f64) {
        self.counts.clone_from(&self.observed);
        for counts in self.counts.chunks_exact_mut(self.levels) {
            let share = counts.iter().sum::<f64>() / rows;
            Smoothing(smoothing.0 * share).add_to(counts);
        }
        self.sums = self.counts.chunks_exact(self.levels).map(|counts| counts.iter().sum()).collect();
    }

    /// The node's log-likelihood at the observed shares.
    pub(super) fn supremum(&self) -> f64 {
        let of_configuration = |counts: &[f64]| {
            let sum: f64 = counts.iter().sum();
            let observed = counts.iter().filter(|&&count| count > 0.0);
            observed.map(|count| count * libm::log(count / sum)).sum::<f64>()
        };
        self.observed.chunks_exact(self.levels).map(of_configuration).sum()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counts::RowCounts;
    use crate::data::Dataset;

    #[test]
    fn a_blanket_is_counted_the_same_by_margin() {
        let digits =
            |row: usize| [row * 7 % 3, row * 5 % 4, row % 2, row * row % 3].map(|level| level.to_string());
        let data = Dataset::from_labels(&["a", "b", "c", "d"], (0..40).map(digits)).unwrap();
        let counts = RowCounts::new(&data);
        let cardinalities = data.schema().cardinalities();
        let cliques = [vec![0, 1], vec![1, 2], vec![3, 1], vec![0, 3]];
        let shapes = cliques.map(|clique| Shape::new(clique, &cardinalities));
        for variable in 0..4 {
            let node = Node::new(variable, &shapes, &counts).unwrap();
            let members =
                node.cliques.iter().flat_map(|&(clique, _)| shapes[clique].variables().iter().copied());
            let blanket: VarSet = members.filter(|&member| member != variable).collect();
            let places = node.places(&shapes, &blanket);
            let mut other = Node { bases: Vec::new(), observed: Vec::new(), ..node.clone() };
            other.count_by_margin(&blanket, &places, &counts).unwrap();
            assert_eq!((&other.bases, &other.observed), (&node.bases, &node.observed), "{variable}");
            assert!((node.observed.iter().sum::<f64>() - 40.0).abs() < 1e-12);
        }
    }
}
