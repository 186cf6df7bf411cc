//! Several dense tables whose sum is the log weight of a row.

use super::potential::{SetTerms, add_energies, add_potentials};
use super::shape::Shape;
use crate::control::{Control, Pace};
use crate::data::Var;
use crate::error::Result;
use crate::graph::VarSet;

/// Finds the first of some tables that contains a set of variables.
pub(crate) struct Homes<'a> {
    shapes: Vec<&'a Shape>,
    /// The tables that hold each variable.
    at: Vec<Vec<usize>>,
}

impl<'a> Homes<'a> {
    /// An index of tables over this many variables.
    pub(crate) fn new(shapes: impl Iterator<Item = &'a Shape>, variables: usize) -> Self {
        let shapes: Vec<&Shape> = shapes.collect();
        let mut at: Vec<Vec<usize>> = vec![Vec::new(); variables];
        for (index, shape) in shapes.iter().enumerate() {
            shape.variables().iter().for_each(|&v| at[v].push(index));
        }
        Self { shapes, at }
    }

    /// The first table that contains all of these variables, with its layout.
    pub(crate) fn of(&self, set: &VarSet) -> Option<(usize, &'a Shape)> {
        let holds = |&&index: &&usize| set.iter().all(|v| self.shapes[index].variables().contains(&v));
        let rarest = set.iter().min_by_key(|&v| self.at[v].len())?;
        self.at[rarest].iter().find(holds).map(|&index| (index, self.shapes[index]))
    }

    /// The first table with a variable, with its layout.
    pub(crate) fn of_variable(&self, variable: Var) -> Option<(usize, &'a Shape)> {
        self.at[variable].first().map(|&index| (index, self.shapes[index]))
    }

    /// Fills tables of zeros with log potentials: each set of terms goes to the first table
    /// that contains it, if any.
    pub(crate) fn fill<'b>(
        &self,
        terms: impl Iterator<Item = SetTerms<'b>>,
        tables: &mut [Vec<f64>],
        control: &dyn Control,
    ) -> Result<()> {
        let mut by_table: Vec<Vec<SetTerms<'_>>> = vec![Vec::new(); self.shapes.len()];
        for (variables, values) in terms {
            if let Some((home, _)) = self.of(variables) {
                by_table[home].push((variables, values));
            }
        }
        for ((shape, terms), table) in self.shapes.iter().zip(&by_table).zip(tables) {
            add_potentials(shape, terms, table, &mut Pace::new(control))?;
        }
        Ok(())
    }
}

/// Tables of log potentials, with the place of each variable in them.
#[derive(Clone, Debug)]
pub(crate) struct Potentials {
    cardinalities: Vec<u32>,
    shapes: Vec<Shape>,
    tables: Vec<Vec<f64>>,
    /// For each variable its tables, and its stride there.
    at: Vec<Vec<(usize, usize)>>,
}

impl Potentials {
    /// Tables of zeros over these sets, variables ascending.
    pub(crate) fn zeros<'a>(sets: impl Iterator<Item = &'a VarSet>, cardinalities: &[u32]) -> Self {
        let shapes: Vec<Shape> = sets.map(|set| Shape::new(set.iter().collect(), cardinalities)).collect();
        let tables = shapes.iter().map(|shape| vec![0.0; shape.size()]).collect();
        let mut at = vec![Vec::new(); cardinalities.len()];
        for (index, shape) in shapes.iter().enumerate() {
            let places = shape.variables().iter().zip(shape.strides());
            places.for_each(|(&v, &stride)| at[v].push((index, stride)));
        }
        Self { cardinalities: cardinalities.to_vec(), shapes, tables, at }
    }

    /// Fills the tables of zeros, with an index of them at hand.
    pub(crate) fn fill<E>(
        mut self,
        fill: impl FnOnce(&Homes<'_>, &mut [Vec<f64>]) -> std::result::Result<(), E>,
    ) -> std::result::Result<Self, E> {
        let homes = Homes::new(self.shapes.iter(), self.cardinalities.len());
        fill(&homes, &mut self.tables)?;
        Ok(self)
    }

    /// The number of levels of each variable.
    pub(crate) fn cardinalities(&self) -> &[u32] {
        &self.cardinalities
    }

    /// The tables with their layouts.
    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = (&Shape, &[f64])> {
        self.shapes.iter().zip(self.tables.iter().map(Vec::as_slice))
    }

    /// One table with its layout.
    pub(crate) fn table(&self, index: usize) -> (&Shape, &[f64]) {
        (&self.shapes[index], &self.tables[index])
    }

    /// The tables of a variable, and its stride in each.
    pub(crate) fn at(&self, variable: Var) -> &[(usize, usize)] {
        &self.at[variable]
    }

    /// Replaces `energies` by the log weights of a variable's levels given a row of the levels
    /// of all others.
    pub(crate) fn energies(&self, variable: Var, row: &[u32], energies: &mut Vec<f64>) {
        energies.clear();
        energies.resize(self.cardinalities[variable] as usize, 0.0);
        for &(index, stride) in &self.at[variable] {
            let base = self.shapes[index].cell(row) - row[variable] as usize * stride;
            add_energies(&self.tables[index], base, stride, energies);
        }
    }

    /// The log weight of a row of levels of all variables.
    pub(crate) fn weight(&self, row: &[u32]) -> f64 {
        self.iter().map(|(shape, table)| table[shape.cell(row)]).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_weighs_the_sum_of_its_terms() {
        let cardinalities = [2, 3, 2];
        let sets: Vec<VarSet> = [vec![0], vec![1], vec![0, 1], vec![1, 2]].map(VarSet::from_iter).to_vec();
        let values: [&[f64]; 4] = [&[1.0], &[2.0, 4.0], &[8.0, 16.0], &[32.0, 64.0]];
        let cliques = [VarSet::from_iter([0, 1]), VarSet::from_iter([1, 2])];
        let potentials = Potentials::zeros(cliques.iter(), &cardinalities)
            .fill(|homes, tables| homes.fill(sets.iter().zip(values), tables, &()))
            .unwrap();
        let weights: Vec<f64> =
            [[0, 0, 1], [1, 2, 0], [1, 1, 1]].iter().map(|row| potentials.weight(row)).collect();
        assert_eq!(weights, vec![0.0, 1.0 + 4.0 + 16.0, 1.0 + 2.0 + 8.0 + 32.0]);
        let mut energies = Vec::new();
        potentials.energies(1, &[1, 0, 1], &mut energies);
        assert_eq!(energies, [1.0, 1.0 + 2.0 + 8.0 + 32.0, 1.0 + 4.0 + 16.0 + 64.0]);
    }
}
