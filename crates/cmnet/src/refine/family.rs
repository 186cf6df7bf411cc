//! The log-linear family of one node's conditional distribution: its terms, the restrictions of
//! its contexts, and its maximal likelihood.

use super::newton::{Problem, information, maximize};
use super::rows::{Classes, Rows};
use crate::control::Control;
use crate::data::Var;
use crate::error::Result;
use crate::graph::{Edge, Graph, VarSet};
use crate::loglinear::{Cholesky, Coordinates, Restriction, TermSet};
use crate::structure::Structure;

/// The most free parameters of one conditional: its equations are solved whole.
pub(super) const MOST_PARAMETERS: usize = 512;

/// The features of a node's conditional: one per complete set of neighbours, up to an order, and
/// configuration without a zero level. Each has a parameter per level of the node above 0.
#[derive(Clone, Debug)]
pub(super) struct Family {
    /// By size, then lexicographically. The first is empty: the main effect.
    sets: Vec<TermSet>,
    /// `None` where nothing is restricted.
    coordinates: Option<Coordinates>,
    features: usize,
    /// Levels of the node, the first one apart.
    free_levels: usize,
}

impl Family {
    /// The family of a node; `None` when it has too many parameters.
    pub(super) fn of(
        structure: &Structure,
        node: Var,
        order: usize,
        control: &dyn Control,
    ) -> Result<Option<Self>> {
        let cardinalities = structure.cardinalities();
        let free_levels = cardinalities[node] as usize - 1;
        let mut sets = Vec::new();
        let mut features = 0usize;
        for set in complete_subsets(structure.graph(), cardinalities, node, order - 1) {
            let size = set
                .iter()
                .try_fold(1usize, |size, v| size.checked_mul(cardinalities[v] as usize - 1))
                .unwrap_or(usize::MAX);
            if features.saturating_add(size).saturating_mul(free_levels) > MOST_PARAMETERS {
                return Ok(None);
            }
            sets.push(TermSet::new(set, features, cardinalities));
            features += size;
        }
        let mut family = Self { sets, coordinates: None, features, free_levels };
        let rows = family.restrictions(structure, node)?;
        if !rows.is_empty() {
            family.coordinates = Some(Coordinates::of_restrictions(&rows, features, control)?);
        }
        Ok(Some(family))
    }

    /// What the contexts of the node's edges ask of its terms (paper, Proposition 2): the same at
    /// each level of the node, so that it is said of features.
    fn restrictions(&self, structure: &Structure, node: Var) -> Result<Vec<Restriction>> {
        let mut rows = Vec::new();
        for (neighbor, context) in structure.contexts_at(node) {
            let common = context.space().variables();
            for cell in context.elements() {
                let configuration = context.space().configuration(cell);
                for level in 1..structure.cardinalities()[neighbor] {
                    let of = |v: Var| match common.position(v) {
                        Some(place) => configuration[place],
                        None => level,
                    };
                    let number = |set: &TermSet| {
                        let levels: Vec<u32> = set.variables().iter().map(of).collect();
                        let has = set.variables().contains(neighbor) && !levels.contains(&0);
                        has.then(|| set.number(&levels))
                    };
                    let terms: Vec<usize> = self.sets.iter().filter_map(number).collect();
                    let edge = Edge::new(node, neighbor)?;
                    rows.push(Restriction { edge, cell, levels: (level, level), terms });
                }
            }
        }
        Ok(rows)
    }

    /// Features that are free.
    fn width(&self) -> usize {
        self.coordinates.as_ref().map_or(self.features, Coordinates::len)
    }

    /// The number of free parameters.
    pub(super) fn parameters(&self) -> usize {
        self.width() * self.free_levels
    }

    /// The feature that a free one is.
    fn feature(&self, free: usize) -> usize {
        self.coordinates.as_ref().map_or(free, |coordinates| coordinates.free()[free])
    }

    /// For each class the free features that it has, with their weights.
    fn design(&self, rows: &Rows, classes: &Classes) -> Vec<Vec<(usize, f64)>> {
        let one = |&row: &u32| {
            let active = self.sets.iter().filter_map(|set| active(set, rows, row as usize));
            match &self.coordinates {
                Some(coordinates) => merged(active.flat_map(|f| coordinates.expansion(f)).collect()),
                None => active.map(|feature| (feature, 1.0)).collect(),
            }
        };
        classes.example.iter().map(one).collect()
    }
}

/// The feature of a set that a row has: none where a level is 0.
fn active(set: &TermSet, rows: &Rows, row: usize) -> Option<usize> {
    let mut number = set.range().start;
    for (position, variable) in set.variables().iter().enumerate() {
        number += usize::from(rows.columns[variable][row]).checked_sub(1)? * set.stride(position);
    }
    Some(number)
}

/// The same sum with each number once, ascending.
fn merged(mut weights: Vec<(usize, f64)>) -> Vec<(usize, f64)> {
    weights.sort_by_key(|&(number, _)| number);
    let mut merged: Vec<(usize, f64)> = Vec::with_capacity(weights.len());
    for (number, weight) in weights {
        match merged.last_mut() {
            Some((last, sum)) if *last == number => *sum += weight,
            _ => merged.push((number, weight)),
        }
    }
    merged.retain(|&(_, weight)| weight != 0.0);
    merged
}

/// The complete sets of a node's neighbours with at most so many members, the empty one first:
/// by size, then lexicographically. Variables with one level carry no terms.
fn complete_subsets(graph: &Graph, cardinalities: &[u32], node: Var, most: usize) -> Vec<VarSet> {
    let blanket: VarSet = graph.markov_blanket(node).iter().filter(|&v| cardinalities[v] > 1).collect();
    let mut all = Vec::new();
    let mut level = vec![(VarSet::default(), blanket)];
    while !level.is_empty() {
        let mut next = Vec::new();
        for (set, growth) in level {
            if set.len() < most {
                let later = |v: Var| graph.markov_blanket(v).iter().filter(|&w| w > v).collect::<VarSet>();
                next.extend(growth.iter().map(|v| (set.toggled(v), growth.intersection(&later(v)))));
            }
            all.push(set);
        }
        level = next;
    }
    all
}

/// A node's conditional, fitted.
#[derive(Clone, Debug)]
pub(super) struct NodeFit {
    family: Family,
    /// For each free feature and level above 0.
    beta: Vec<f64>,
    pub(super) log_likelihood: f64,
}

impl NodeFit {
    /// The maximal conditional likelihood of a node with a family; from a fit of the same node on, where there
    /// is one.
    pub(super) fn of(
        rows: &Rows,
        structure: &Structure,
        node: Var,
        family: Family,
        from: Option<&Self>,
    ) -> Self {
        let classes = Classes::of(rows, node, structure.markov_blanket(node));
        let start =
            from.map_or_else(|| vec![0.0; family.parameters()], |earlier| earlier.values_for(&family));
        let design = family.design(rows, &classes);
        let problem = Problem { design: &design, counts: &classes.counts, width: family.width() };
        let (beta, log_likelihood) = maximize(&problem, rows.levels(node), start);
        Self { family, beta, log_likelihood }
    }

    /// Whether contexts restrict its parameters.
    pub(super) fn is_restricted(&self) -> bool {
        self.family.coordinates.is_some()
    }

    /// The number of free parameters.
    pub(super) fn parameters(&self) -> usize {
        self.family.parameters()
    }

    /// What is known here about the parameters of another family of the same node.
    fn values_for(&self, family: &Family) -> Vec<f64> {
        let free = self.family.free_levels;
        let mut values = vec![0.0; family.parameters()];
        let mut place = 0;
        for number in 0..self.family.width() {
            let feature = self.family.feature(number);
            let own = set_of(&self.family.sets, feature);
            let theirs = family.sets.iter().find(|set| set.variables() == own.variables());
            let Some(theirs) = theirs.map(|set| set.number(&own.levels(feature))) else { continue };
            while place < family.width() && family.feature(place) < theirs {
                place += 1;
            }
            if place < family.width() && family.feature(place) == theirs {
                values[place * free..(place + 1) * free]
                    .copy_from_slice(&self.beta[number * free..(number + 1) * free]);
            }
        }
        values
    }

    /// For each of some sets of neighbours, about what the log-likelihood loses without the terms
    /// that have all of it: half of Wald's statistic.
    pub(super) fn losses(&self, rows: &Rows, classes: &Classes, sets: &[VarSet]) -> Vec<f64> {
        let design = self.family.design(rows, classes);
        let problem = Problem { design: &design, counts: &classes.counts, width: self.family.width() };
        let factor = information(&problem, &self.beta);
        let size = self.beta.len();
        let loss = |set: &VarSet| {
            let own: Vec<usize> = (0..size).filter(|&at| self.has(at, set)).collect();
            // The covariance of these parameters: rows and columns of the inverse.
            let column = |&at: &usize| {
                let mut unit = vec![0.0; size];
                unit[at] = 1.0;
                factor.solve(&unit)
            };
            let columns: Vec<Vec<f64>> = own.iter().map(column).collect();
            let covariance: Vec<Vec<f64>> = (0..own.len())
                .map(|row| own[..=row].iter().map(|&other| columns[row][other]).collect())
                .collect();
            let values: Vec<f64> = own.iter().map(|&at| self.beta[at]).collect();
            Cholesky::new(&covariance).inverse_form(values) / 2.0
        };
        sets.iter().map(loss).collect()
    }

    /// Whether a parameter is one of a term with all of a set.
    fn has(&self, parameter: usize, set: &VarSet) -> bool {
        let feature = self.family.feature(parameter / self.family.free_levels.max(1));
        let members = set_of(&self.family.sets, feature).variables();
        set.iter().all(|member| members.contains(member))
    }

    /// How many parameters belong to terms with all of a set.
    pub(super) fn parameters_with(&self, set: &VarSet) -> usize {
        (0..self.beta.len()).filter(|&at| self.has(at, set)).count()
    }

    /// For each row and level of the node, its probability.
    pub(super) fn probabilities(&self, rows: &Rows, classes: &Classes) -> Vec<f64> {
        let design = self.family.design(rows, classes);
        let problem = Problem { design: &design, counts: &classes.counts, width: self.family.width() };
        problem.probabilities(&self.beta)
    }
}

/// The set that a feature belongs to.
fn set_of(sets: &[TermSet], feature: usize) -> &TermSet {
    &sets[sets.partition_point(|set| set.range().start <= feature) - 1]
}
