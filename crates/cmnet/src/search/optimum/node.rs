//! One node of one graph: what any set of context elements at it is worth, and what no set of
//! them can exceed.

use crate::counts::CountSource;
use crate::data::Var;
use crate::error::Result;
use crate::graph::{DisjointSets, Edge, VarSet};
use crate::score::{ContextPrior, EdgeView, Nats, Scorer};
use crate::structure::Structure;
use crate::table::Cell;
use std::sync::Arc;

/// The most configurations of a blanket: sets of them are numbered.
pub(super) const MOST_CELLS: usize = 16;
/// The most elements at a node whose sets are all listed.
const MOST_LISTED: usize = 16;

/// A context element at a node.
pub(super) struct Element {
    pub(super) edge: Edge,
    pub(super) cell: Cell,
    /// The configurations of the blanket that it makes one, line by line.
    lines: Vec<u32>,
    /// This node's share of its log prior.
    prior: Nats,
    /// By how much it can reduce the number of classes.
    merges: i128,
}

/// What a node takes when some elements are required and some excluded.
#[derive(Clone, Debug)]
pub(super) struct Choice {
    /// Nothing that the node may take is worth more.
    pub(super) bound: Nats,
    /// The elements that it takes.
    pub(super) taken: u64,
    /// What these are worth.
    pub(super) worth: Nats,
    /// Where a listed node found it.
    pub(super) place: usize,
}

/// A node with its blanket in a graph.
pub(super) struct NodeProblem {
    pub(super) elements: Vec<Element>,
    /// The elements of each edge, as sets of bits.
    edges: Vec<u64>,
    cells: usize,
    /// The score of every set of configurations as one class.
    class_values: Arc<Vec<Nats>>,
    /// The node's share of the log prior of its edges.
    ends: Nats,
    /// All sets of elements, the best first; empty where they are too many.
    listed: Vec<(Nats, u64)>,
}

impl NodeProblem {
    /// The node in a structure without contexts.
    pub(super) fn new(
        prior: &ContextPrior,
        graph: &Structure,
        (node, class_values): (Var, Arc<Vec<Nats>>),
    ) -> Result<Self> {
        let space = graph.blanket_space(node)?;
        let (mut elements, mut ends) = (Vec::new(), Nats::ZERO);
        for neighbor in graph.markov_blanket(node).iter() {
            let edge = Edge::new(node, neighbor)?;
            ends += prior.edge_end(edge);
            let given = graph.context_space(edge)?;
            let is_common = |member| given.variables().contains(member);
            let view = EdgeView::new(graph.markov_blanket(node), graph.cardinalities(), neighbor, is_common);
            let Some(whole) = prior.element(edge, graph.cardinalities()) else { continue };
            // Two integers whose sum is the whole.
            let half = Nats::from_units(whole.units() / 2);
            let share = if node == edge.low() { half } else { whole - half };
            // A context of the only configuration there is would be full.
            let cells = if given.size() > 1 { given.size() } else { 0 };
            elements.extend((0..cells).map(|cell| {
                let lines = view.line_masks(cell);
                let merges = lines.iter().map(|line| i128::from(line.count_ones()) - 1).sum();
                Element { edge, cell, lines, prior: share, merges }
            }));
        }
        let mut problem = Self {
            edges: edge_sets(&elements),
            elements,
            cells: space.size() as usize,
            class_values,
            ends,
            listed: Vec::new(),
        };
        if problem.elements.len() <= MOST_LISTED {
            let sets = (0..1u64 << problem.elements.len()).filter(|&set| problem.is_regular(set));
            problem.listed = sets.map(|set| (problem.worth(set), set)).collect();
            problem.listed.sort_by_key(|&(worth, set)| (std::cmp::Reverse(worth), set.count_ones(), set));
        }
        Ok(problem)
    }

    /// Whether no edge's context is full.
    pub(super) fn is_regular(&self, set: u64) -> bool {
        self.edges.iter().all(|edge| set & edge != *edge)
    }

    /// Whether its choices are listed, and therefore exact.
    pub(super) fn is_listed(&self) -> bool {
        !self.listed.is_empty()
    }

    /// The node's score with these elements, and its share of their prior and of that of its edges.
    pub(super) fn worth(&self, set: u64) -> Nats {
        let prior = self.members(set).map(|element| element.prior).sum::<Nats>() + self.ends;
        self.classes(set).into_iter().map(|class| self.class_values[class as usize]).sum::<Nats>() + prior
    }

    /// What no set of elements is worth more than, in any graph in which the node has this blanket. The
    /// node and its neighbours must be a clique here: then all lines are there. In other graphs an element
    /// has fewer given variables, and joins up to a quarter of all configurations for its price.
    pub(super) fn bound_of_blanket(&self) -> Nats {
        if self.elements.is_empty() {
            return self.worth(0);
        }
        let mut merging = Merging::new(self, 0, 0);
        let cells = self.cells as i128;
        let each = |element: &Element| element.prior.units() / (element.merges * cells / 4).max(1);
        let price = self.elements.iter().map(each).max().unwrap_or(0);
        merging.price = Nats::from_units(price);
        merging.divide().0 + self.ends
    }

    fn members(&self, set: u64) -> impl Iterator<Item = &Element> {
        self.elements.iter().enumerate().filter(move |(place, _)| set >> place & 1 == 1).map(|(_, one)| one)
    }

    /// The classes that elements make, as sets of configurations.
    fn classes(&self, set: u64) -> Vec<u32> {
        let mut sets = DisjointSets::new(self.cells);
        for line in self.members(set).flat_map(|element| &element.lines) {
            let first = line.trailing_zeros() as usize;
            bits(*line).for_each(|cell| sets.join(first, cell));
        }
        let (numbers, count) = sets.numbered();
        let mut classes = vec![0; count];
        for (cell, &class) in numbers.iter().enumerate() {
            classes[class as usize] |= 1 << cell;
        }
        classes
    }

    /// What the node takes; `from` is where a listed node was before more was decided.
    pub(super) fn choose(&self, required: u64, excluded: u64, from: usize) -> Choice {
        if self.is_listed() {
            let fits = |&(_, set): &(Nats, u64)| set & required == required && set & excluded == 0;
            let place = from + self.listed[from..].iter().position(fits).unwrap_or(0);
            let (worth, taken) = self.listed[place];
            return Choice { bound: worth, taken, worth, place };
        }
        Merging::new(self, required, excluded).best()
    }
}

/// The elements of each edge.
fn edge_sets(elements: &[Element]) -> Vec<u64> {
    let mut edges: Vec<(Edge, u64)> = Vec::new();
    for (place, element) in elements.iter().enumerate() {
        match edges.last_mut().filter(|(edge, _)| *edge == element.edge) {
            Some((_, set)) => *set |= 1 << place,
            None => edges.push((element.edge, 1 << place)),
        }
    }
    edges.into_iter().map(|(_, set)| set).collect()
}

/// The score of every set of configurations of a blanket as one class.
pub(super) fn class_values<S: CountSource>(
    scorer: &Scorer<'_, S>,
    node: Var,
    blanket: &VarSet,
) -> Result<Vec<Nats>> {
    let (cells, score) = scorer.cell_counts(node, blanket)?;
    let levels = scorer.cardinalities()[node] as usize;
    let value = |set: u32| {
        let mut sums = vec![0; levels];
        for cell in bits(set) {
            sums.iter_mut().zip(&cells[cell]).for_each(|(sum, count)| *sum += count);
        }
        score.of_counts(sums.into_iter())
    };
    Ok((0..1u32 << cells.len()).map(value).collect())
}

fn bits(set: u32) -> impl Iterator<Item = usize> {
    (0..32).filter(move |place| set >> place & 1 == 1)
}

/// A bound for a node with too many elements to list their sets: the best division of the
/// configurations into classes that undecided lines connect. Lines are merged one by one and each
/// reduction of the number of classes pays the cheapest price there is, so that no set of elements
/// is worth more.
struct Merging<'a> {
    problem: &'a NodeProblem,
    required: u64,
    free: u64,
    /// Configurations that required elements have made one.
    blocks: Vec<u32>,
    /// For each block the blocks next to it.
    near: Vec<u32>,
    /// What a reduction by one class costs at least, 0 or negative.
    price: Nats,
}

impl<'a> Merging<'a> {
    fn new(problem: &'a NodeProblem, required: u64, excluded: u64) -> Self {
        let all = u64::MAX >> (64 - problem.elements.len());
        let free = all & !required & !excluded;
        let blocks = problem.classes(required);
        let mut near = vec![0; blocks.len()];
        let mut price: Option<i128> = None;
        for element in problem.members(free) {
            let each = element.prior.units() / element.merges.max(1);
            price = Some(price.map_or(each, |price| price.max(each)));
            for line in &element.lines {
                let touched = (0..blocks.len()).filter(|&block| blocks[block] & line != 0);
                let touched = touched.fold(0u32, |set, block| set | 1 << block);
                bits(touched).for_each(|block| near[block] |= touched);
            }
        }
        let price = Nats::from_units(price.unwrap_or(0));
        Self { problem, required, free, blocks, near, price }
    }

    fn best(&self) -> Choice {
        let (bound, classes) = self.divide();
        let taken = self.required | self.take(&classes);
        let fixed: Nats = self.problem.members(self.required).map(|element| element.prior).sum();
        let fixed = fixed + self.problem.ends;
        Choice { bound: bound + fixed, taken, worth: self.problem.worth(taken), place: 0 }
    }

    fn is_connected(&self, set: u32) -> bool {
        let mut reached = set & set.wrapping_neg();
        loop {
            let next = bits(reached).fold(reached, |all, block| all | self.near[block] & set);
            if next == reached {
                return reached == set;
            }
            reached = next;
        }
    }

    /// The best division of the blocks into classes, each as a set of configurations.
    fn divide(&self) -> (Nats, Vec<u32>) {
        let sets = 1usize << self.blocks.len();
        let value = |set: usize| {
            let cells = bits(set as u32).fold(0, |cells, block| cells | self.blocks[block]);
            let reductions = u64::from((set as u32).count_ones()) - 1;
            self.problem.class_values[cells as usize] + self.price * reductions
        };
        let values: Vec<Option<Nats>> =
            (0..sets).map(|set| (set > 0 && self.is_connected(set as u32)).then(|| value(set))).collect();
        let mut best: Vec<(Nats, usize)> = vec![(Nats::ZERO, 0); sets];
        for set in 1..sets {
            let lowest = set & set.wrapping_neg();
            let rest = set ^ lowest;
            let mut found: Option<(Nats, usize)> = None;
            let mut part = rest;
            loop {
                let class = part | lowest;
                if let Some(value) = values[class] {
                    let sum = value + best[set ^ class].0;
                    if found.is_none_or(|(most, _)| sum > most) {
                        found = Some((sum, class));
                    }
                }
                if part == 0 {
                    break;
                }
                part = (part - 1) & rest;
            }
            best[set] = found.unwrap_or_default();
        }
        let (mut left, mut classes) = (sets - 1, Vec::new());
        while left > 0 {
            let class = best[left].1;
            classes.push(bits(class as u32).fold(0, |cells, block| cells | self.blocks[block]));
            left ^= class;
        }
        (best[sets - 1].0, classes)
    }

    /// Free elements that make these classes, as far as whole elements can.
    fn take(&self, classes: &[u32]) -> u64 {
        let mut sets = DisjointSets::new(self.problem.cells);
        let mut taken = 0u64;
        for &block in &self.blocks {
            bits(block).for_each(|cell| sets.join(block.trailing_zeros() as usize, cell));
        }
        for (place, element) in self.problem.elements.iter().enumerate() {
            let inside = |line: &u32| classes.iter().any(|class| class & line == *line);
            let with = taken | 1 << place;
            let allowed = self.free >> place & 1 == 1 && self.problem.is_regular(with | self.required);
            if !allowed || !element.lines.iter().all(inside) {
                continue;
            }
            let mut news = false;
            for line in &element.lines {
                let first = line.trailing_zeros() as usize;
                for cell in bits(*line) {
                    news |= sets.find(first) != sets.find(cell);
                    sets.join(first, cell);
                }
            }
            taken = if news { with } else { taken };
        }
        taken
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::counts::RowCounts;
    use crate::data::Dataset;
    use crate::graph::Graph;
    use crate::score::Alpha;
    use rand::{Rng, SeedableRng};
    use rand_pcg::Pcg64;

    /// Binary variables, each of which copies another one in some rows.
    pub(in super::super) fn table(random: &mut Pcg64, variables: usize) -> Dataset {
        let row = |random: &mut Pcg64| -> Vec<String> {
            let mut row: Vec<bool> = Vec::new();
            for place in 0..variables {
                let copied = place > 0 && random.random_bool(0.6) && (row[0] || place == 1);
                let own = random.random_bool(0.5);
                row.push(if copied { row[random.random_range(0..place)] } else { own });
            }
            row.iter().map(|&code| u8::from(code).to_string()).collect()
        };
        let mut rows: Vec<Vec<String>> = (0..random.random_range(20..80)).map(|_| row(random)).collect();
        rows.extend([false, true].map(|code| vec![u8::from(code).to_string(); variables]));
        Dataset::from_labels(&["a", "b", "c", "d"][..variables], rows).unwrap()
    }

    /// The first node, beside all others; `set` says which of these are neighbours.
    fn problem(data: &Dataset, kappa: &str, set: u32) -> NodeProblem {
        let counts = RowCounts::new(data);
        let scorer = Scorer::new(&counts, Alpha::default());
        let prior = ContextPrior::new(kappa.parse().unwrap(), data.rows());
        let mut graph = Structure::empty(scorer.cardinalities());
        let pairs: Vec<Edge> = Graph::empty(data.variables()).pairs().collect();
        let others = pairs.iter().filter(|edge| edge.low() > 0).enumerate();
        let others = others.filter(|(place, _)| set >> place & 1 == 1).map(|(_, &edge)| edge);
        for edge in pairs.iter().copied().filter(|edge| edge.low() == 0).chain(others) {
            graph.toggle_edge(edge).unwrap();
        }
        let values = class_values(&scorer, 0, graph.markov_blanket(0)).unwrap();
        NodeProblem::new(&prior, &graph, (0, Arc::new(values))).unwrap()
    }

    const KAPPAS: [&str; 3] = ["0.9", "0.4", "n^-0.5"];

    #[test]
    fn no_set_is_worth_more_than_the_bound_and_what_is_taken_is_one_of_them() {
        let mut random = Pcg64::seed_from_u64(31);
        let (mut best, mut all) = (0, 0);
        for case in 0..24 {
            let problem = problem(&table(&mut random, 4), KAPPAS[case % 3], 7);
            for _ in 0..8 {
                let mut some = |share| {
                    (0..12).filter(|_| random.random_bool(share)).fold(0, |set, place| set | 1u64 << place)
                };
                let required = some(0.2);
                let excluded = some(0.2) & !required;
                if !problem.is_regular(required) {
                    continue;
                }
                let merging = Merging::new(&problem, required, excluded);
                let mut near = vec![0u32; merging.blocks.len()];
                for line in problem.members(!required & !excluded).flat_map(|element| &element.lines) {
                    let meets = |block: &usize| merging.blocks[*block] & line > 0;
                    let met: Vec<usize> = (0..near.len()).filter(meets).collect();
                    let joined = met.iter().fold(0, |joined, &block| joined | 1 << block);
                    for &block in &met {
                        near[block] |= joined;
                    }
                }
                for (block, (own, known)) in near.iter().zip(&merging.near).enumerate() {
                    assert_eq!((own ^ known) & !(1 << block), 0, "case {case}");
                }
                let (found, exact) = (merging.best(), problem.choose(required, excluded, 0));
                assert!(found.bound >= exact.bound && found.worth <= exact.worth, "case {case}");
                assert_eq!((found.taken & required, found.taken & excluded), (required, 0), "case {case}");
                assert!(problem.is_regular(found.taken), "case {case}");
                assert_eq!(found.worth, problem.worth(found.taken), "case {case}");
                best += usize::from(found.worth == exact.worth);
                all += 1;
            }
        }
        assert!(all > 100 && 2 * best > all, "{best} of {all}");
    }

    #[test]
    fn a_node_that_is_not_listed_takes_the_element_that_gains() {
        // The first copies the second where the third is 0 and is a coin elsewhere.
        let copied = [["0", "0", "0"], ["1", "1", "0"]].repeat(20);
        let coins = [["0", "0", "1"], ["0", "1", "1"], ["1", "0", "1"], ["1", "1", "1"]].repeat(10);
        let data = Dataset::from_labels(&["a", "b", "c"], [copied, coins].concat()).unwrap();
        let problem = problem(&data, "0.9", 1);
        let found = Merging::new(&problem, 0, 0).best();
        let exact = problem.choose(0, 0, 0);
        assert_eq!((exact.taken, found.taken), (0b10, 0b10));
        assert_eq!((found.worth, found.bound), (exact.worth, exact.bound));
    }

    #[test]
    fn the_bound_of_a_blanket_holds_in_every_graph() {
        let mut random = Pcg64::seed_from_u64(32);
        for case in 0..12 {
            let data = table(&mut random, 4);
            let bound = problem(&data, KAPPAS[case % 3], 7).bound_of_blanket();
            for set in 0..8 {
                let exact = problem(&data, KAPPAS[case % 3], set).choose(0, 0, 0);
                assert!(exact.bound <= bound, "case {case}, graph {set}");
            }
        }
    }
}
