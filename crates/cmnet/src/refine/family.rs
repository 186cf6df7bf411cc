//! The log-linear family of one node's conditional distribution: its terms, and the restrictions of
//! its contexts.

use super::newton::{Design, Problem};
use super::rows::{Classes, Rows};
use crate::control::Control;
use crate::data::Var;
use crate::error::Result;
use crate::graph::{Edge, Graph, VarSet};
use crate::loglinear::{Coordinates, Restriction, TermSet};
use crate::structure::Structure;

/// The most free parameters of one conditional: its equations are solved whole.
pub(super) const MOST_PARAMETERS: usize = 512;

/// The features of a node's conditional: one per complete set of neighbours, up to an order, and
/// configuration without a zero level. Each has a parameter per level of the node above 0.
#[derive(Clone, Debug)]
pub(super) struct Family {
    /// By size, then lexicographically. The first is empty: the main effect.
    sets: Vec<TermSet>,
    /// For each set but the first, how it comes from a smaller one.
    links: Vec<Link>,
    /// The sets that no other contains.
    maximal: Vec<usize>,
    /// The node's neighbours that carry terms.
    blanket: Vec<Var>,
    /// `None` where nothing is restricted.
    coordinates: Option<Coordinates>,
    features: usize,
    /// Levels of the node, the first one apart.
    pub(super) free_levels: usize,
}

/// A set is another one with one more member, larger than the others.
#[derive(Clone, Copy, Debug)]
struct Link {
    /// The number of the other set.
    before: usize,
    /// The member's place in the blanket.
    place: usize,
    /// The member's levels above 0.
    above: u32,
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
        let (mut sets, mut links, mut maximal) = (Vec::new(), Vec::new(), Vec::new());
        let mut features = 0usize;
        let blanket: VarSet =
            structure.markov_blanket(node).iter().filter(|&v| cardinalities[v] > 1).collect();
        for complete in complete_subsets(structure.graph(), &blanket, order - 1) {
            let Complete { set, before, is_maximal, .. } = complete;
            let size = set
                .iter()
                .try_fold(1usize, |size, v| size.checked_mul(cardinalities[v] as usize - 1))
                .unwrap_or(usize::MAX);
            if features.saturating_add(size).saturating_mul(free_levels) > MOST_PARAMETERS {
                return Ok(None);
            }
            if let (Some(before), Some(&last)) = (before, set.as_slice().last()) {
                let place = blanket.position(last).unwrap_or_default();
                links.push(Link { before, place, above: cardinalities[last] - 1 });
            }
            if is_maximal {
                maximal.push(sets.len());
            }
            sets.push(TermSet::new(set, features, cardinalities));
            features += size;
        }
        let blanket = blanket.as_slice().to_vec();
        let mut family = Self { sets, links, maximal, blanket, coordinates: None, features, free_levels };
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
    pub(super) fn width(&self) -> usize {
        self.coordinates.as_ref().map_or(self.features, Coordinates::len)
    }

    /// The number of free parameters.
    pub(super) fn parameters(&self) -> usize {
        self.width() * self.free_levels
    }

    /// The terms that a free parameter belongs to: the set of its variables.
    pub(super) fn members(&self, parameter: usize) -> &VarSet {
        set_of(&self.sets, self.feature(parameter / self.free_levels.max(1))).variables()
    }

    /// What values of the parameters here say about those of another family of the same node.
    pub(super) fn values_for(&self, other: &Self, beta: &[f64]) -> Vec<f64> {
        let free = self.free_levels;
        let mut values = vec![0.0; other.parameters()];
        let mut place = 0;
        for number in 0..self.width() {
            let feature = self.feature(number);
            let own = set_of(&self.sets, feature);
            let theirs = other.sets.iter().find(|set| set.variables() == own.variables());
            let Some(theirs) = theirs.map(|set| set.number(&own.levels(feature))) else { continue };
            while place < other.width() && other.feature(place) < theirs {
                place += 1;
            }
            if place < other.width() && other.feature(place) == theirs {
                values[place * free..(place + 1) * free]
                    .copy_from_slice(&beta[number * free..(number + 1) * free]);
            }
        }
        values
    }

    /// The feature that a free one is.
    fn feature(&self, free: usize) -> usize {
        self.coordinates.as_ref().map_or(free, |coordinates| coordinates.free()[free])
    }

    /// Whether contexts restrict the parameters.
    pub(super) fn is_restricted(&self) -> bool {
        self.coordinates.is_some()
    }

    /// The likelihood of the family in a table.
    pub(super) fn problem(&self, rows: &Rows, node: Var, classes: &Classes) -> Problem {
        let (counts, levels) = (classes.counts.clone(), self.levels(rows, classes));
        let impossible = self.impossible(rows, node, &levels, &counts);
        let design = self.design(classes.example.len(), &levels);
        Problem::new((design, self.width()), (counts, rows.levels(node)), impossible)
    }

    /// The levels of the blanket, class by class.
    fn levels(&self, rows: &Rows, classes: &Classes) -> Vec<u32> {
        let columns: Vec<&[u16]> = self.blanket.iter().map(|&member| &rows.columns[member][..]).collect();
        let mut levels = Vec::with_capacity(classes.example.len() * columns.len());
        for &row in &classes.example {
            levels.extend(columns.iter().map(|column| u32::from(column[row as usize])));
        }
        levels
    }

    /// What this family gives no chance in the classes of one with more terms.
    pub(super) fn impossible_in(&self, rows: &Rows, node: Var, classes: &Classes) -> Vec<bool> {
        self.impossible(rows, node, &self.levels(rows, classes), &classes.counts)
    }

    /// For each class the free features that it has, with their weights.
    fn design(&self, classes: usize, levels: &[u32]) -> Design {
        let mut design = Design::default();
        let firsts: Vec<usize> = self.sets.iter().map(|set| set.range().start).collect();
        // For each set, whether its configuration has no zero level, and its number among those. Both are computed
        // and written in any case: which sets are active is no pattern that a processor could foresee.
        let mut own = vec![(true, 0usize); self.sets.len()];
        let mut features = vec![0; self.sets.len()];
        for class in 0..classes {
            let levels = &levels[class * self.blanket.len()..(class + 1) * self.blanket.len()];
            let mut count = 1; // the main effect, whose feature is 0
            for (set, &Link { before, place, above }) in (1..).zip(&self.links) {
                let (is_active, number) = own[before];
                let level = levels[place];
                let is_active = is_active && level != 0;
                let number = number.wrapping_mul(above as usize).wrapping_add(level as usize).wrapping_sub(1);
                own[set] = (is_active, number);
                features[count] = firsts[set].wrapping_add(number);
                count += usize::from(is_active);
            }
            let active = &features[..count];
            match &self.coordinates {
                Some(coordinates) => {
                    let weights = active.iter().flat_map(|&feature| coordinates.expansion(feature));
                    for (at, weight) in merged(weights.collect()) {
                        design.push(at, weight);
                    }
                }
                None => {
                    for &feature in active {
                        design.push(feature, 1.0);
                    }
                }
            }
            design.end();
        }
        design
    }

    /// For each class and level of the node, whether a maximum gives it no chance: the level was never seen at
    /// a configuration of a set that has terms. Empty where each has a chance, or where contexts restrict terms.
    fn impossible(&self, rows: &Rows, node: Var, blanket: &[u32], counts: &[f64]) -> Vec<bool> {
        if self.is_restricted() || counts.iter().all(|&count| count > 0.0) {
            return Vec::new();
        }
        let levels = rows.levels(node);
        let mut impossible = Vec::new();
        // The configuration of each class.
        let mut cells = vec![0; counts.len() / levels];
        for &set in &self.maximal {
            let mut radix = 1;
            cells.fill(0);
            let mut at = set;
            while let Some(&Link { before, place, above }) = at.checked_sub(1).map(|at| &self.links[at]) {
                let own = blanket[place..].iter().step_by(self.blanket.len());
                cells.iter_mut().zip(own).for_each(|(cell, &level)| *cell += level as usize * radix);
                radix *= above as usize + 1;
                at = before;
            }
            let mut sums = vec![0.0; radix * levels];
            for (cell, counts) in cells.iter().zip(counts.chunks_exact(levels)) {
                let sums = sums[cell * levels..(cell + 1) * levels].iter_mut();
                sums.zip(counts).for_each(|(sum, count)| *sum += count);
            }
            if sums.iter().all(|&sum| sum > 0.0) {
                continue;
            }
            impossible.resize(counts.len(), false);
            for (cell, impossible) in cells.iter().zip(impossible.chunks_exact_mut(levels)) {
                let sums = &sums[cell * levels..(cell + 1) * levels];
                impossible.iter_mut().zip(sums).for_each(|(is, &sum)| *is |= sum == 0.0);
            }
        }
        if impossible.contains(&true) { impossible } else { Vec::new() }
    }

    /// Where the features of this family are in another one: for each set that both have, the number of its first
    /// feature here and there, and of its features. Both must be without restrictions.
    pub(super) fn shared(&self, other: &Self) -> Vec<(usize, usize, usize)> {
        let mut shared = Vec::new();
        let mut rest = other.sets.iter().peekable();
        for set in &self.sets {
            let key = |set: &TermSet| (set.variables().len(), set.variables().clone());
            while rest.next_if(|other| key(other) < key(set)).is_some() {}
            if let Some(other) = rest.next_if(|other| other.variables() == set.variables()) {
                shared.push((set.range().start, other.range().start, set.range().len()));
            }
        }
        shared
    }
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

/// A complete set of a node's neighbours.
struct Complete {
    set: VarSet,
    /// The neighbours that are adjacent to all of it.
    common: VarSet,
    /// The number of the set without the last member.
    before: Option<usize>,
    /// Whether no larger set contains it.
    is_maximal: bool,
}

/// The complete sets of a blanket with at most so many members, the empty one first: by size, then
/// lexicographically.
fn complete_subsets(graph: &Graph, blanket: &VarSet, most: usize) -> Vec<Complete> {
    let first = |set: VarSet, common: VarSet, before| {
        let is_maximal = set.len() == most || common.is_empty();
        Complete { set, common, before, is_maximal }
    };
    let mut all = vec![first(VarSet::default(), blanket.clone(), None)];
    let mut at = 0;
    while at < all.len() {
        if all[at].set.len() < most {
            let Complete { set, common, .. } = &all[at];
            let last = set.iter().last();
            let next = |v: Var| first(set.toggled(v), common.intersection(graph.markov_blanket(v)), Some(at));
            let grown: Vec<Complete> =
                common.iter().filter(|&v| last.is_none_or(|last| v > last)).map(next).collect();
            all.extend(grown);
        }
        at += 1;
    }
    all
}

/// The set that a feature belongs to.
fn set_of(sets: &[TermSet], feature: usize) -> &TermSet {
    &sets[sets.partition_point(|set| set.range().start <= feature) - 1]
}
