//! Graphs with contexts: every graph by its bound, then branch and bound over its elements.

use super::Progress;
use super::node::{Choice, NodeProblem, class_values};
use crate::control::StopReason;
use crate::counts::CountSource;
use crate::data::Var;
use crate::error::Result;
use crate::graph::{Edge, Graph, VarSet};
use crate::score::{ContextPrior, Nats, Scorer};
use crate::structure::Structure;
use crate::table::Cell;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;

/// What a node sees of a graph: its number, and the edges at it and among its neighbours.
type Sight = (Var, u64);

pub(super) fn search<'o, S: CountSource>(
    scorer: &Scorer<'_, S>,
    prior: &ContextPrior,
    mut progress: Progress<'o>,
) -> Result<Progress<'o>> {
    let pairs: Vec<Edge> = Graph::empty(scorer.cardinalities().len()).pairs().collect();
    let mut nodes = Nodes::new(scorer, prior, &pairs);
    let mut graphs: Vec<(Nats, u64)> = Vec::new();
    let bits = |wanted: &dyn Fn(Edge) -> bool| {
        let places = pairs.iter().enumerate().filter(|&(_, &edge)| wanted(edge));
        places.fold(0u64, |set, (place, _)| set | 1 << place)
    };
    let required = bits(&|edge| prior.rules().requires(edge));
    let forbidden = bits(&|edge| !prior.rules().allows(edge));
    for set in (0..1u64 << pairs.len()).filter(|set| set & forbidden == 0 && set & required == required) {
        let structure = structure_of(scorer.cardinalities(), &pairs, set)?;
        let mut bound = Nats::ZERO;
        for node in 0..structure.variables() {
            if let Some(stop) = progress.observer.stop() {
                progress.leave(stop, std::iter::once(prior.highest()));
                return Ok(progress);
            }
            bound += nodes.bound_of_blanket(node, structure.markov_blanket(node))?;
        }
        graphs.push((bound, set));
    }
    graphs.sort_by_key(|&(bound, set)| (std::cmp::Reverse(bound), set));
    for (place, &(bound, set)) in graphs.iter().enumerate() {
        if bound <= progress.best.1 {
            break;
        }
        let structure = structure_of(scorer.cardinalities(), &pairs, set)?;
        let problems: Vec<Arc<NodeProblem>> =
            (0..structure.variables()).map(|node| nodes.problem(&structure, node)).collect::<Result<_>>()?;
        if let Some(stop) = ContextSearch::new(structure, problems).run(&mut progress)? {
            progress.leave(stop, graphs[place + 1..].iter().map(|&(bound, _)| bound));
            return Ok(progress);
        }
    }
    Ok(progress)
}

/// What is known about nodes: once for each blanket, and once for each sight of a graph.
struct Nodes<'a, 's, S> {
    scorer: &'a Scorer<'s, S>,
    prior: &'a ContextPrior,
    pairs: &'a [Edge],
    values: BTreeMap<(Var, VarSet), Arc<Vec<Nats>>>,
    bounds: BTreeMap<(Var, VarSet), Nats>,
    problems: BTreeMap<Sight, Arc<NodeProblem>>,
}

impl<'a, 's, S: CountSource> Nodes<'a, 's, S> {
    fn new(scorer: &'a Scorer<'s, S>, prior: &'a ContextPrior, pairs: &'a [Edge]) -> Self {
        let (values, bounds, problems) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        Self { scorer, prior, pairs, values, bounds, problems }
    }

    /// What no set of contexts is worth more than, in any graph in which a node has this blanket.
    fn bound_of_blanket(&mut self, node: Var, blanket: &VarSet) -> Result<Nats> {
        let key = (node, blanket.clone());
        if let Some(&bound) = self.bounds.get(&key) {
            return Ok(bound);
        }
        let within = |v: Var| v == node || blanket.contains(v);
        let clique =
            self.pairs.iter().enumerate().filter(|(_, edge)| within(edge.low()) && within(edge.high()));
        let set = clique.fold(0, |set, (place, _)| set | 1 << place);
        let structure = structure_of(self.scorer.cardinalities(), self.pairs, set)?;
        let bound = self.problem(&structure, node)?.bound_of_blanket();
        self.bounds.insert(key, bound);
        Ok(bound)
    }

    /// A node in a graph.
    fn problem(&mut self, structure: &Structure, node: Var) -> Result<Arc<NodeProblem>> {
        let sight = sight(structure, self.pairs, node);
        if let Some(known) = self.problems.get(&sight) {
            return Ok(Arc::clone(known));
        }
        let blanket = structure.markov_blanket(node);
        let values = match self.values.entry((node, blanket.clone())) {
            Entry::Occupied(known) => Arc::clone(known.get()),
            Entry::Vacant(new) => Arc::clone(new.insert(Arc::new(class_values(self.scorer, node, blanket)?))),
        };
        let problem = Arc::new(NodeProblem::new(self.prior, structure, (node, values))?);
        self.problems.insert(sight, Arc::clone(&problem));
        Ok(problem)
    }
}

fn structure_of(cardinalities: &[u32], pairs: &[Edge], set: u64) -> Result<Structure> {
    let mut structure = Structure::empty(cardinalities);
    for (place, &edge) in pairs.iter().enumerate() {
        if set >> place & 1 == 1 {
            structure.toggle_edge(edge)?;
        }
    }
    Ok(structure)
}

fn sight(structure: &Structure, pairs: &[Edge], node: Var) -> Sight {
    let blanket = structure.markov_blanket(node);
    let near = |v: Var| v == node || blanket.contains(v);
    let seen = |edge: &Edge| structure.graph().contains(*edge) && near(edge.low()) && near(edge.high());
    let edges = pairs.iter().enumerate().filter(|(_, edge)| seen(edge));
    (node, edges.fold(0, |set, (place, _)| set | 1 << place))
}

/// Which elements are required and which excluded, and what each node takes then.
#[derive(Clone)]
struct Branch {
    required: u128,
    excluded: u128,
    choices: Vec<Choice>,
    bound: Nats,
}

struct ContextSearch {
    graph: Structure,
    nodes: Vec<Arc<NodeProblem>>,
    elements: Vec<(Edge, Cell)>,
    /// For each node the numbers of its elements.
    numbers: Vec<Vec<usize>>,
    /// The elements of each edge.
    edges: Vec<u128>,
}

impl ContextSearch {
    fn new(graph: Structure, nodes: Vec<Arc<NodeProblem>>) -> Self {
        let all = nodes.iter().flat_map(|node| node.elements.iter().map(|one| (one.edge, one.cell)));
        let mut elements: Vec<(Edge, Cell)> = all.collect();
        elements.sort_unstable();
        elements.dedup();
        let number = |edge: Edge, cell: Cell| elements.partition_point(|&other| other < (edge, cell));
        let of_node = |node: &Arc<NodeProblem>| {
            node.elements.iter().map(|one| number(one.edge, one.cell)).collect::<Vec<_>>()
        };
        let numbers = nodes.iter().map(of_node).collect();
        let mut edges: BTreeMap<Edge, u128> = BTreeMap::new();
        for (place, &(edge, _)) in elements.iter().enumerate() {
            *edges.entry(edge).or_default() |= 1 << place;
        }
        Self { graph, nodes, numbers, edges: edges.into_values().collect(), elements }
    }

    /// Examines the graph's contexts; a reason ends the search, with what is open told.
    fn run(&self, progress: &mut Progress<'_>) -> Result<Option<StopReason>> {
        let mut open = vec![self.branch(0, 0, None)];
        while let Some(branch) = open.pop() {
            if branch.bound <= progress.best.1 {
                continue;
            }
            if let Some(stop) = progress.examine(branch.bound) {
                progress.leave(stop, open.iter().map(|one| one.bound).chain([branch.bound]));
                return Ok(Some(stop));
            }
            self.keep_if_better(&branch, progress)?;
            if let Some(element) = self.undecided(&branch) {
                let with = self.branch(branch.required | 1 << element, branch.excluded, Some(&branch));
                let without = self.branch(branch.required, branch.excluded | 1 << element, Some(&branch));
                open.extend(if with.bound > without.bound { [without, with] } else { [with, without] });
            }
        }
        Ok(None)
    }

    fn branch(&self, required: u128, mut excluded: u128, before: Option<&Branch>) -> Branch {
        for &edge in &self.edges {
            // The last element of an edge would make its context full.
            if (edge & !required).is_power_of_two() {
                excluded |= edge & !required;
            }
        }
        let mut choices = Vec::with_capacity(self.nodes.len());
        for (node, problem) in self.nodes.iter().enumerate() {
            let (own, not_own) = (self.local(node, required), self.local(node, excluded));
            let same = before.filter(|before| {
                (self.local(node, before.required), self.local(node, before.excluded)) == (own, not_own)
            });
            choices.push(match same {
                Some(before) => before.choices[node].clone(),
                None => problem.choose(own, not_own, before.map_or(0, |one| one.choices[node].place)),
            });
        }
        let bound = choices.iter().map(|choice| choice.bound).sum();
        Branch { required, excluded, choices, bound }
    }

    fn local(&self, node: usize, set: u128) -> u64 {
        let places = self.numbers[node].iter().enumerate();
        places.fold(0, |own, (place, &number)| own | ((set >> number & 1) as u64) << place)
    }

    /// What some node takes and what all nodes that have it take, by number.
    fn taken(&self, branch: &Branch) -> (u128, u128) {
        let (mut some, mut not) = (0u128, 0u128);
        for (choice, numbers) in branch.choices.iter().zip(&self.numbers) {
            for (place, &number) in numbers.iter().enumerate() {
                let side = if choice.taken >> place & 1 == 1 { &mut some } else { &mut not };
                *side |= 1 << number;
            }
        }
        (some, some & !not)
    }

    /// The structure of what all ends agree on.
    fn keep_if_better(&self, branch: &Branch, progress: &mut Progress<'_>) -> Result<()> {
        let (_, agreed) = self.taken(branch);
        let score: Nats =
            (0..self.nodes.len()).map(|node| self.nodes[node].worth(self.local(node, agreed))).sum();
        let regular = self.edges.iter().all(|edge| agreed & edge != *edge);
        if score <= progress.best.1 || !regular {
            return Ok(());
        }
        let mut structure = self.graph.clone();
        for (place, &(edge, cell)) in self.elements.iter().enumerate() {
            if agreed >> place & 1 == 1 {
                structure.add_context_element(edge, cell)?;
            }
        }
        progress.best = (structure, score);
        Ok(())
    }

    /// An element that the ends of its edge disagree about; else one of a node whose choice is
    /// worth less than its bound. `None` where the branch is settled.
    fn undecided(&self, branch: &Branch) -> Option<usize> {
        let (some, agreed) = self.taken(branch);
        let disputed = some & !agreed;
        if disputed != 0 {
            return Some(disputed.trailing_zeros() as usize);
        }
        let decided = branch.required | branch.excluded;
        let loose = |(node, choice): (usize, &Choice)| {
            let numbers = self.numbers[node].iter().copied();
            (choice.worth < choice.bound).then_some(numbers)
        };
        let mut numbers = branch.choices.iter().enumerate().filter_map(loose).flatten();
        numbers.find(|number| decided >> number & 1 == 0)
    }
}

#[cfg(test)]
mod tests {
    use super::super::node::tests::table;
    use super::*;
    use crate::control::Control;
    use crate::counts::RowCounts;
    use crate::score::Alpha;
    use crate::search::SearchObserver;
    use rand::SeedableRng;
    use rand_pcg::Pcg64;
    use std::sync::atomic::{AtomicU64, Ordering};

    /// Asks to stop after so many questions.
    struct After(AtomicU64, u64);

    impl Control for After {
        fn stop(&self) -> Option<StopReason> {
            (self.0.fetch_add(1, Ordering::Relaxed) >= self.1).then_some(StopReason::Interrupted)
        }
    }

    impl SearchObserver for After {}

    #[test]
    fn a_stop_tells_the_open_branches_and_the_graphs_that_follow() {
        let mut random = Pcg64::seed_from_u64(21);
        let mut closer = 0;
        for _ in 0..10 {
            let data = table(&mut random, 3);
            let counts = RowCounts::new(&data);
            let scorer = Scorer::new(&counts, Alpha::default());
            let prior = ContextPrior::new("n^-0.5".parse().unwrap(), data.rows());
            let pairs: Vec<Edge> = Graph::empty(3).pairs().collect();
            let mut nodes = Nodes::new(&scorer, &prior, &pairs);
            let mut graphs: Vec<(Nats, std::cmp::Reverse<u64>)> = Vec::new();
            for set in 0..8 {
                let graph = structure_of(&[2; 3], &pairs, set).unwrap();
                let bound = |node| nodes.bound_of_blanket(node, graph.markov_blanket(node)).unwrap();
                graphs.push(((0..3).map(bound).sum(), std::cmp::Reverse(set)));
            }
            graphs.sort();
            let (most, std::cmp::Reverse(first)) = graphs[7];
            let graph = structure_of(&[2; 3], &pairs, first).unwrap();
            let problems = (0..3).map(|node| nodes.problem(&graph, node).unwrap()).collect();
            let root = ContextSearch::new(graph, problems).branch(0, 0, None).bound;
            // Three questions for each graph; the next is that of the first branch.
            let observer = After(0.into(), 24);
            let start = (Structure::empty(&[2; 3]), Nats::from_f64(-1e6));
            let found = search(&scorer, &prior, Progress::new(&observer, start)).unwrap();
            assert_eq!((found.branches, found.open), (1, Some(root.max(graphs[6].0))));
            closer += usize::from(found.open < Some(most));
        }
        assert!(closer > 0);
    }

    #[test]
    fn the_last_element_of_an_edge_is_excluded() {
        let data = table(&mut Pcg64::seed_from_u64(22), 3);
        let counts = RowCounts::new(&data);
        let scorer = Scorer::new(&counts, Alpha::default());
        let prior = ContextPrior::new("n^-0.5".parse().unwrap(), data.rows());
        let pairs: Vec<Edge> = Graph::empty(3).pairs().collect();
        let graph = structure_of(&[2; 3], &pairs, 7).unwrap();
        let mut nodes = Nodes::new(&scorer, &prior, &pairs);
        let problems = (0..3).map(|node| nodes.problem(&graph, node).unwrap()).collect();
        let search = ContextSearch::new(graph, problems);
        assert_eq!(search.edges, [0b11, 0b1100, 0b11_0000]);
        assert_eq!(search.branch(0b1001, 0, None).excluded, 0b0110);
        assert_eq!(search.branch(0, 1, None).excluded, 1);
    }
}
