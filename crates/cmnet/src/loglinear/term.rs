//! The phi-terms of a graph (paper, eq. 1-4): one per complete set of variables and
//! configuration without a zero level.

use super::order::Order;
use crate::Structure;
use crate::data::{Schema, Var};
use crate::error::{Error, Remedy, Result};
use crate::graph::{Graph, VarSet, guarded_cliques};
use crate::table::{Layout, cells_along};
use rustc_hash::FxHashMap;

/// The most configurations of one clique: its terms and its table stay below this.
pub(super) const MOST_CLIQUE_CELLS: u64 = 1 << 20;

/// The most terms of one structure.
pub(super) const MOST_TERMS: usize = 1 << 22;

/// The most bytes that the terms of one structure may take: each set of variables costs far
/// more than a number, and a clique of 20 binary variables has a million of them.
const MOST_BYTES: u64 = 256 << 20;

/// Bytes of a set, its own and for each member, and of a term. Measured, and rounded up.
const SET_BYTES: u64 = 320;
const MEMBER_BYTES: u64 = 48;
const TERM_BYTES: u64 = 48;

/// One phi-term: phi_A(x_A) with every level of x_A above 0.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Term {
    /// The complete set A.
    pub variables: VarSet,
    /// The levels x_A, in the order of `variables`, none of them 0.
    pub levels: Vec<u32>,
}

/// The terms of one complete set A: a contiguous run of term numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TermSet {
    variables: VarSet,
    first: usize,
    /// The layout of the levels above 0, counted from 0.
    layout: Layout<usize>,
}

impl TermSet {
    pub(crate) fn new(variables: VarSet, first: usize, cardinalities: &[u32]) -> Self {
        let layout = Layout::new(variables.iter().map(|v| cardinalities[v] - 1).collect());
        Self { variables, first, layout }
    }

    /// The complete set A.
    pub fn variables(&self) -> &VarSet {
        &self.variables
    }

    /// The numbers of this set's terms.
    pub fn range(&self) -> std::ops::Range<usize> {
        self.first..self.first + self.layout.size()
    }

    /// How far apart the numbers of two terms are that differ by one level at a position.
    pub(crate) fn stride(&self, position: usize) -> usize {
        self.layout.strides()[position]
    }

    /// The number of a term of this set; no level may be 0.
    pub fn number(&self, levels: &[u32]) -> usize {
        self.first + self.layout.cell(levels.iter().map(|level| level - 1))
    }

    /// The levels of one of this set's terms.
    pub fn levels(&self, number: usize) -> Vec<u32> {
        self.layout.digits(number - self.first).map(|digit| digit + 1).collect()
    }

    /// The number of the term that takes part in log p(x): the one at x_A, unless a level is 0.
    pub(crate) fn active(&self, row: &[u32]) -> Option<usize> {
        let mut number = self.first;
        for (variable, stride) in self.variables.iter().zip(self.layout.strides()) {
            number += (row[variable] as usize).checked_sub(1)? * stride;
        }
        Some(number)
    }

    /// The numbers of the terms at known levels, by the levels of the other variables; `None`
    /// when a known level is 0, where there is no term.
    pub(crate) fn slice(&self, level: impl Fn(Var) -> Option<u32>) -> Option<Vec<usize>> {
        let (mut first, mut axes) = (self.first, Vec::new());
        for (position, variable) in self.variables.iter().enumerate() {
            let stride = self.stride(position);
            match level(variable) {
                Some(level) => first += (level as usize).checked_sub(1)? * stride,
                None => axes.push((self.layout.radices()[position] as usize, stride)),
            }
        }
        Some(cells_along(first, axes.into_iter()))
    }
}

/// All phi-terms of a graph, phi_0 excluded, numbered from 0.
///
/// Sets come by size, then lexicographically; inside a set the last variable runs fastest.
///
/// # Example
/// ```
/// use cmnet::{Edge, Structure, Terms};
/// let mut structure = Structure::empty(&[2, 3, 2]);
/// structure.toggle_edge(Edge::new(0, 1)?)?;
/// let terms = Terms::new(&structure, None)?;
/// assert_eq!(terms.len(), 1 + 2 + 1 + 2); // phi_0(1), phi_1(1..2), phi_2(1), phi_01(1,1..2)
/// assert_eq!(terms.term(5).levels, [1, 2]);
/// # Ok::<(), cmnet::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Terms {
    cardinalities: Vec<u32>,
    order: Order,
    cliques: Vec<VarSet>,
    sets: Vec<TermSet>,
    numbers: FxHashMap<VarSet, usize>,
    /// The indices of the sets with each variable, ascending.
    sets_with: Vec<Vec<usize>>,
    len: usize,
}

impl Terms {
    /// The terms of a structure's graph. Names, where given, serve the refusal.
    ///
    /// # Errors
    /// When a clique has more than 2^20 configurations (the message names
    /// its variables), or all together more than 2^22 terms or 256 MiB.
    pub fn new(structure: &Structure, names: Option<&Schema>) -> Result<Self> {
        Self::of_order(structure, Order::FULL, names)
    }

    /// The terms of at most so many variables.
    ///
    /// # Errors
    /// As [`Terms::new`]; cliques beyond the order have no table of their own, and no limit.
    pub fn of_order(structure: &Structure, order: Order, names: Option<&Schema>) -> Result<Self> {
        Self::within(structure, order, names, MOST_BYTES)
    }

    /// As [`Terms::of_order`], if they take no more than so many bytes.
    pub(crate) fn within(
        structure: &Structure,
        order: Order,
        names: Option<&Schema>,
        memory: u64,
    ) -> Result<Self> {
        let (graph, cardinalities) = (structure.graph(), structure.cardinalities().to_vec());
        let guard = |set: &[Var]| check_clique(set, &cardinalities, names);
        let mut cliques = Vec::new();
        if order == Order::FULL {
            cliques = guarded_cliques(graph, &guard)?;
        }
        check_bytes(graph, &cardinalities, order, memory)?;
        let mut sets: Vec<TermSet> = Vec::new();
        let mut len = 0;
        visit_complete_sets(graph, &cardinalities, order, |set| {
            if order != Order::FULL && is_maximal(&set, graph, &cardinalities, order) {
                guard(set.as_slice())?;
                cliques.push(set.clone());
            }
            let set = TermSet::new(set, len, &cardinalities);
            len += set.layout.size();
            sets.push(set);
            if len > MOST_TERMS {
                return Err(too_many_terms());
            }
            Ok(())
        })?;
        let numbers = sets.iter().enumerate().map(|(number, set)| (set.variables.clone(), number)).collect();
        let mut sets_with = vec![Vec::new(); cardinalities.len()];
        for (index, set) in sets.iter().enumerate() {
            set.variables.iter().for_each(|v| sets_with[v].push(index));
        }
        if order != Order::FULL {
            // A variable with one level has no terms, and a clique of its own all the same.
            cliques.extend(
                (0..graph.nodes()).filter(|&v| cardinalities[v] == 1).map(|v| VarSet::from_iter([v])),
            );
            cliques.sort_unstable();
        }
        Ok(Self { cardinalities, order, cliques, sets, numbers, sets_with, len })
    }

    /// The most variables of a term.
    pub fn order(&self) -> Order {
        self.order
    }

    /// Whether every set of these variables, which are complete, has its terms.
    pub(crate) fn are_all_of(&self, variables: &[Var]) -> bool {
        self.order.allows(variables.iter().filter(|&&v| self.cardinalities[v] > 1).count())
    }

    /// The number of terms.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no term: every variable has a single level.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The number of levels of each variable.
    pub fn cardinalities(&self) -> &[u32] {
        &self.cardinalities
    }

    /// The maximal sets that a term may have, in lexicographic order: the maximal cliques of the
    /// graph, or where the order is limited, their largest subsets.
    pub fn cliques(&self) -> &[VarSet] {
        &self.cliques
    }

    /// The complete sets that carry terms, in order.
    pub fn sets(&self) -> &[TermSet] {
        &self.sets
    }

    /// The set with these variables, when they are complete and none has a single level.
    pub fn set(&self, variables: &VarSet) -> Option<&TermSet> {
        self.place(variables).map(|index| &self.sets[index])
    }

    /// The place in [`Terms::sets`] of the set with these variables.
    pub(crate) fn place(&self, variables: &VarSet) -> Option<usize> {
        self.numbers.get(variables).copied()
    }

    /// The sets that contain a variable, in order.
    pub(crate) fn sets_with(&self, variable: Var) -> impl Iterator<Item = &TermSet> {
        self.sets_with[variable].iter().map(|&index| &self.sets[index])
    }

    /// The set that a term belongs to.
    ///
    /// # Panics
    /// When the number is not below [`Terms::len`].
    pub fn set_of(&self, number: usize) -> &TermSet {
        assert!(number < self.len, "term {number} of {}", self.len);
        let after = self.sets.partition_point(|set| set.first <= number);
        &self.sets[after - 1]
    }

    /// The term with a number.
    ///
    /// # Panics
    /// When the number is not below [`Terms::len`].
    pub fn term(&self, number: usize) -> Term {
        let set = self.set_of(number);
        Term { variables: set.variables.clone(), levels: set.levels(number) }
    }

    /// The number of a term, when the graph has it.
    pub fn number(&self, term: &Term) -> Option<usize> {
        let set = self.set(&term.variables)?;
        let fits = term.levels.len() == term.variables.len()
            && term
                .variables
                .iter()
                .zip(&term.levels)
                .all(|(variable, &level)| level > 0 && level < self.cardinalities[variable]);
        fits.then(|| set.number(&term.levels))
    }
}

fn check_clique(set: &[Var], cardinalities: &[u32], names: Option<&Schema>) -> Result<()> {
    let cells = set.iter().try_fold(1u64, |product, &v| product.checked_mul(u64::from(cardinalities[v])));
    if cells.is_some_and(|cells| cells <= MOST_CLIQUE_CELLS) {
        return Ok(());
    }
    let mut members = set.to_vec();
    members.sort_unstable();
    let name = |&variable: &Var| match names {
        Some(schema) => schema.name(variable).to_owned(),
        None => format!("variable {variable}"),
    };
    let members: Vec<String> = members.iter().map(name).collect();
    Err(Error::limit(
        format!("the number of configurations of the clique {{{}}}", members.join(", ")),
        MOST_CLIQUE_CELLS,
        [Remedy::LearnSparserGraph, Remedy::GroupLevels],
    ))
}

/// Refuses terms that would take too much, before one of them is held.
fn check_bytes(graph: &Graph, cardinalities: &[u32], order: Order, memory: u64) -> Result<()> {
    let mut bytes = Bytes { graph, cardinalities, order, most: memory.min(MOST_BYTES), used: 0 };
    for v in (0..graph.nodes()).filter(|&v| cardinalities[v] > 1) {
        let later = later(graph, cardinalities, v);
        let first = Grown { members: 1, terms: u64::from(cardinalities[v]) - 1 };
        bytes.add(first, &later)?;
    }
    Ok(())
}

/// A complete set by what matters to its size.
#[derive(Clone, Copy)]
struct Grown {
    members: usize,
    terms: u64,
}

/// What the terms of a graph take, as far as they are counted.
struct Bytes<'a> {
    graph: &'a Graph,
    cardinalities: &'a [u32],
    order: Order,
    most: u64,
    used: u64,
}

impl Bytes<'_> {
    /// Adds a set, and all that grow out of it by these variables.
    fn add(&mut self, set: Grown, growth: &VarSet) -> Result<()> {
        let own = SET_BYTES + MEMBER_BYTES * set.members as u64 + TERM_BYTES.saturating_mul(set.terms);
        self.used = self.used.saturating_add(own);
        if self.used > self.most {
            let bounded = self.most < MOST_BYTES;
            let remedies =
                [if bounded { Remedy::MoreMemory } else { Remedy::GroupLevels }, Remedy::LearnSparserGraph];
            let what = "the memory of the log-linear terms of the structure";
            return Err(Error::limit(what, format!("{} MiB", self.most >> 20), remedies));
        }
        if !self.order.allows(set.members + 1) {
            return Ok(());
        }
        for v in growth.iter() {
            let grown = Grown {
                members: set.members + 1,
                terms: set.terms.saturating_mul(u64::from(self.cardinalities[v]) - 1),
            };
            let left = growth.intersection(&later(self.graph, self.cardinalities, v));
            self.add(grown, &left)?;
        }
        Ok(())
    }
}

/// The neighbours of a variable that come after it and have more than one level.
fn later(graph: &Graph, cardinalities: &[u32], v: Var) -> VarSet {
    graph.markov_blanket(v).iter().filter(|&w| w > v && cardinalities[w] > 1).collect()
}

fn too_many_terms() -> Error {
    Error::limit("the number of log-linear terms of the structure", MOST_TERMS, Remedy::LearnSparserGraph)
}

/// Whether a complete set is in no larger one that may have terms.
fn is_maximal(set: &VarSet, graph: &Graph, cardinalities: &[u32], order: Order) -> bool {
    let members = set.as_slice();
    let joins = |v: Var| {
        cardinalities[v] > 1 && members[1..].iter().all(|&member| graph.markov_blanket(member).contains(v))
    };
    !order.allows(members.len() + 1) || !graph.markov_blanket(members[0]).iter().any(joins)
}

/// Visits the complete sets of variables with more than one level, as large as the order allows,
/// by size and then lexicographically.
fn visit_complete_sets(
    graph: &Graph,
    cardinalities: &[u32],
    order: Order,
    mut visit: impl FnMut(VarSet) -> Result<()>,
) -> Result<()> {
    let varies = |v: &Var| cardinalities[*v] > 1;
    let later = |v: Var| later(graph, cardinalities, v);
    let singles = (0..graph.nodes()).filter(varies);
    let mut level: Vec<(VarSet, VarSet)> = singles.map(|v| (VarSet::from_iter([v]), later(v))).collect();
    while !level.is_empty() {
        let mut next = Vec::new();
        for (set, growth) in level {
            if order.allows(set.len() + 1) {
                next.extend(growth.iter().map(|v| (set.toggled(v), growth.intersection(&later(v)))));
            }
            if next.len() > MOST_TERMS {
                return Err(too_many_terms());
            }
            visit(set)?;
        }
        level = next;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Edge;

    fn structure(cardinalities: &[u32], edges: &[(Var, Var)]) -> Structure {
        let mut structure = Structure::empty(cardinalities);
        for &(i, j) in edges {
            structure.toggle_edge(Edge::new(i, j).unwrap()).unwrap();
        }
        structure
    }

    #[test]
    fn numbers_and_terms_are_inverse_and_sets_are_ordered() {
        let structure = structure(&[2, 3, 1, 4], &[(0, 1), (0, 3), (1, 3), (2, 3)]);
        let terms = Terms::new(&structure, None).unwrap();
        assert_eq!(terms.len(), 2 * 3 * 4 - 1); // the clique 0,1,3; variable 2 has one level
        for number in 0..terms.len() {
            let term = terms.term(number);
            assert!(structure.graph().is_complete(&term.variables));
            assert_eq!(terms.number(&term), Some(number));
        }
        let keys: Vec<_> =
            terms.sets().iter().map(|set| (set.variables.len(), set.variables.clone())).collect();
        assert!(keys.is_sorted());
        let absent = Term { variables: VarSet::from_iter([0, 1]), levels: vec![1, 3] };
        assert_eq!(terms.number(&absent), None);
    }

    #[test]
    fn a_clique_that_is_too_large_is_refused_by_name() {
        let edges: Vec<_> = Graph::empty(40).pairs().map(Edge::ends).collect();
        let refusal = Terms::new(&structure(&[2; 40], &edges), None).unwrap_err().to_string();
        assert!(refusal.contains("clique {variable 0, variable 1, "), "{refusal}");
        assert!(refusal.contains("1048576"), "{refusal}");
    }

    #[test]
    fn terms_that_take_too_much_are_refused_before_they_are_held() {
        let complete = |nodes: usize, levels: u32| {
            let edges: Vec<_> = Graph::empty(nodes).pairs().map(Edge::ends).collect();
            structure(&vec![levels; nodes], &edges)
        };
        let refusal = |structure: &Structure, memory| {
            Terms::within(structure, Order::FULL, None, memory).unwrap_err().to_string()
        };
        let large = refusal(&complete(20, 2), u64::MAX);
        assert!(large.contains("terms of the structure goes beyond the limit of 256 MiB"), "{large}");
        let small = refusal(&complete(16, 2), 32 << 20);
        assert!(small.contains("limit of 32 MiB; give more memory"), "{small}");
        // Many levels are cheap where sets are few.
        assert_eq!(Terms::new(&complete(2, 1000), None).unwrap().len(), 1_000_000 - 1);
    }

    #[test]
    fn sets_beyond_the_order_take_no_memory() {
        let edges: Vec<_> = Graph::empty(40).pairs().map(Edge::ends).collect();
        let order = Order::at_most(2).unwrap();
        let terms = Terms::within(&structure(&[2; 40], &edges), order, None, 1 << 20).unwrap();
        assert_eq!(terms.len(), 40 + 780);
    }

    #[test]
    fn terms_that_are_too_many_are_refused() {
        // Five cliques of a million cells: within the bound of memory, and too many together.
        let cliques: Vec<(Var, Var)> = (0..5).map(|pair| (2 * pair, 2 * pair + 1)).collect();
        let refusal = Terms::new(&structure(&[1000; 10], &cliques), None).unwrap_err().to_string();
        assert!(refusal.contains("the number of log-linear terms"), "{refusal}");
        assert!(refusal.contains("4194304"), "{refusal}");
    }
}
