//! Decomposable graphs by their joint marginal likelihood: a tabu search over chordal graphs.
//!
//! A chordal graph's joint distribution is a product over cliques divided by one over separators.
//! With a hyper-Dirichlet prior its marginal likelihood is the same product of Dirichlet-multinomial
//! factors m(C) / m(S). An edge {a, b} whose ends have the common neighbours S changes it by
//! m(S + a + b) m(S) / (m(S + a) m(S + b)), as long as the graph stays chordal.

use crate::control::{Control, StopReason};
use crate::counts::CountSource;
use crate::data::{Schema, Var};
use crate::error::{Error, OptionName, Result};
use crate::graph::{Edge, Graph, VarSet};
use crate::score::{EdgePattern, EdgeRules, Knowledge};
use rustc_hash::FxHashMap;

/// How a decomposable graph is searched for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DecomposableOptions {
    /// The equivalent sample size: the sum of the pseudo-counts of each clique. \[default: 4\]
    pub sample_size: f64,
    /// The most cells of a clique's table. \[default: 2^20\]
    pub max_cells: u64,
    /// Moves without a better graph after which the search ends. \[default: 500\]
    pub patience: usize,
    /// Moves for which a pair that was toggled stays as it is. \[default: 50\]
    pub tenure: usize,
}

impl Default for DecomposableOptions {
    fn default() -> Self {
        Self { sample_size: 4.0, max_cells: 1 << 20, patience: 500, tenure: 50 }
    }
}

/// A decomposable graph that was found.
#[derive(Clone, Debug)]
pub struct DecomposableGraph {
    /// The graph: chordal.
    pub graph: Graph,
    /// The logarithm of the probability of the table given the graph.
    pub log_marginal_likelihood: f64,
    /// Moves of the search.
    pub moves: u64,
    /// Why it ended.
    pub stop: StopReason,
}

impl DecomposableGraph {
    /// The edges of the graph as edges that a search must keep.
    pub fn knowledge(&self, schema: &Schema) -> Knowledge {
        let names = |edge: Edge| [edge.low(), edge.high()].map(|end| schema.name(end).to_owned());
        let require = self.graph.edges().map(|edge| EdgePattern::Ends(names(edge))).collect();
        Knowledge { require, ..Knowledge::default() }
    }
}

/// Searches for the decomposable graph with the highest joint marginal likelihood, starting from no
/// edge. The best move is taken even where it loses, and a pair that was toggled rests for a while:
/// so the search leaves local optima. Edges that the rules forbid are not added.
///
/// The result is the same on every machine. O(d^2) pairs are looked at in each move; counts are made for the
/// pairs around the last one alone.
///
/// # Errors
/// When an option cannot be used or a count cannot be had.
///
/// # Example
/// ```
/// use cmnet::{Dataset, DecomposableOptions, EdgeRules, PlaneCounts, decomposable_graph};
/// let data = Dataset::from_labels(&["a", "b", "c"], [["0", "0", "1"], ["1", "1", "1"]].repeat(20))?;
/// let counts = PlaneCounts::new(&data);
/// let found = decomposable_graph(&counts, &EdgeRules::default(), &DecomposableOptions::default(), &())?;
/// assert_eq!(found.graph.edge_count(), 1);
/// # Ok::<(), cmnet::Error>(())
/// ```
pub fn decomposable_graph<S: CountSource>(
    counts: &S,
    rules: &EdgeRules,
    options: &DecomposableOptions,
    control: &dyn Control,
) -> Result<DecomposableGraph> {
    if !(options.sample_size.is_finite() && options.sample_size > 0.0) {
        let expected = "a positive number";
        return Err(Error::option(OptionName::Backbone, options.sample_size.to_string(), expected));
    }
    let mut tabu = Tabu::new(counts, rules, options)?;
    let stop = tabu.run(control)?;
    let Tabu { best, best_score, moves, .. } = tabu;
    Ok(DecomposableGraph { graph: best, log_marginal_likelihood: best_score, moves, stop })
}

/// Factors of sets of variables that are remembered at a time.
const REMEMBERED: usize = 1 << 20;

/// Factors of the marginal likelihood.
struct Factors<'a, S> {
    counts: &'a S,
    sample_size: f64,
    max_cells: u64,
    known: FxHashMap<VarSet, f64>,
}

impl<S: CountSource> Factors<'_, S> {
    /// ln m of a set of variables; `None` where its table is too large.
    fn of(&mut self, set: &VarSet) -> Result<Option<f64>> {
        let Some(&child) = set.as_slice().last() else { return Ok(Some(0.0)) };
        if let Some(&known) = self.known.get(set) {
            return Ok(Some(known));
        }
        let levels = |variable: Var| u64::from(self.counts.cardinalities()[variable]);
        let cells = set.iter().fold(1_u64, |cells, variable| cells.saturating_mul(levels(variable)));
        if cells > self.max_cells {
            return Ok(None);
        }
        let start = self.sample_size / cells as f64;
        let (before, value) = (libm::lgamma(start), self.counts.value());
        let family = self.counts.family(child, &set.toggled(child))?;
        let counted = family.iter().flat_map(|(_, entries)| entries.iter());
        let sum: f64 =
            counted.map(|&(_, count)| libm::lgamma(start + f64::from(count) * value) - before).sum();
        let all = libm::lgamma(self.sample_size) - libm::lgamma(self.sample_size + self.counts.total());
        if self.known.len() >= REMEMBERED {
            self.known.clear();
        }
        self.known.insert(set.clone(), sum + all);
        Ok(Some(sum + all))
    }

    /// What an edge is worth whose ends have these common neighbours.
    fn edge(&mut self, edge: Edge, common: &VarSet) -> Result<Option<f64>> {
        let (one, other) = (common.toggled(edge.low()), common.toggled(edge.high()));
        let Some(both) = self.of(&one.toggled(edge.high()))? else { return Ok(None) };
        let parts = [common, &one, &other].map(|set| self.of(set));
        let [Ok(Some(neither)), Ok(Some(one)), Ok(Some(other))] = parts else { return Ok(None) };
        Ok(Some(both + neither - one - other))
    }
}

/// The state of the search.
struct Tabu<'a, S> {
    factors: Factors<'a, S>,
    options: &'a DecomposableOptions,
    tenure: u64,
    pairs: Vec<Pair>,
    graph: Graph,
    score: f64,
    best: Graph,
    best_score: f64,
    moves: u64,
    since_best: usize,
}

/// A pair of variables that may get an edge.
struct Pair {
    edge: Edge,
    /// What the edge is worth, whether it is there or not; `None` where its clique is too large.
    worth: Option<f64>,
    /// The last move for which it stays as it is.
    rests_until: u64,
}

/// Gains below this are rounding.
const NOTHING: f64 = 1e-9;

impl<'a, S: CountSource> Tabu<'a, S> {
    fn new(counts: &'a S, rules: &EdgeRules, options: &'a DecomposableOptions) -> Result<Self> {
        let nodes = counts.cardinalities().len();
        let factors = Factors {
            counts,
            sample_size: options.sample_size,
            max_cells: options.max_cells,
            known: FxHashMap::default(),
        };
        let graph = Graph::empty(nodes);
        let allowed = graph.pairs().filter(|&edge| rules.allows(edge));
        let pairs: Vec<Pair> = allowed.map(|edge| Pair { edge, worth: None, rests_until: 0 }).collect();
        let tenure = options.tenure.min(pairs.len() / 4) as u64;
        let mut own = Self {
            factors,
            options,
            tenure,
            pairs,
            best: graph.clone(),
            graph,
            score: 0.0,
            best_score: 0.0,
            moves: 0,
            since_best: 0,
        };
        for variable in 0..nodes {
            own.score += own.factors.of(&VarSet::from_iter([variable]))?.unwrap_or(0.0);
        }
        own.best_score = own.score;
        Ok(own)
    }

    fn run(&mut self, control: &dyn Control) -> Result<StopReason> {
        for place in 0..self.pairs.len() {
            if let Some(reason) = control.stop() {
                return Ok(reason);
            }
            self.evaluate(place)?;
        }
        while self.since_best <= self.options.patience {
            if let Some(reason) = control.stop() {
                return Ok(reason);
            }
            let Some((place, gain)) = self.best_move() else { break };
            self.take(place, gain)?;
        }
        Ok(StopReason::Converged)
    }

    fn evaluate(&mut self, place: usize) -> Result<()> {
        let edge = self.pairs[place].edge;
        self.pairs[place].worth = self.factors.edge(edge, &self.graph.common_neighbors(edge))?;
        Ok(())
    }

    /// The first of the moves with the highest gain among those that keep the graph chordal.
    fn best_move(&self) -> Option<(usize, f64)> {
        let mut best: Option<(usize, f64)> = None;
        for (place, pair) in self.pairs.iter().enumerate() {
            let Some(worth) = pair.worth else { continue };
            let gain = if self.graph.contains(pair.edge) { -worth } else { worth };
            // A pair that rests may move where that gives the best graph so far.
            let rests = pair.rests_until > self.moves && self.score + gain <= self.best_score + NOTHING;
            if rests || best.is_some_and(|(_, other)| gain <= other) {
                continue;
            }
            if self.stays_chordal(pair.edge) {
                best = Some((place, gain));
            }
        }
        best
    }

    /// Whether a chordal graph stays so. An edge may go when it lies in one clique only, and may come
    /// when the common neighbours of its ends separate them.
    fn stays_chordal(&self, edge: Edge) -> bool {
        let common = self.graph.common_neighbors(edge);
        if self.graph.contains(edge) {
            return self.graph.is_complete(&common);
        }
        let mut seen = vec![false; self.graph.nodes()];
        common.iter().for_each(|variable| seen[variable] = true);
        seen[edge.low()] = true;
        let mut open = vec![edge.low()];
        while let Some(variable) = open.pop() {
            for next in self.graph.markov_blanket(variable).iter() {
                if next == edge.high() {
                    return false;
                }
                if !std::mem::replace(&mut seen[next], true) {
                    open.push(next);
                }
            }
        }
        true
    }

    fn take(&mut self, place: usize, gain: f64) -> Result<()> {
        let edge = self.pairs[place].edge;
        self.graph.toggle(edge);
        self.score += gain;
        self.moves += 1;
        self.pairs[place].rests_until = self.moves + self.tenure;
        // Common neighbours changed where one end is in the pair and the other end beside its partner.
        for place in 0..self.pairs.len() {
            let pair = self.pairs[place].edge;
            let beside = |own: Var, end: Var| {
                pair.touches(own) && self.graph.markov_blanket(end).contains(pair.other(own))
            };
            if pair != edge && (beside(edge.low(), edge.high()) || beside(edge.high(), edge.low())) {
                self.evaluate(place)?;
            }
        }
        self.since_best += 1;
        if self.score > self.best_score + NOTHING {
            (self.best_score, self.since_best) = (self.score, 0);
            self.best = self.graph.clone();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counts::PlaneCounts;
    use crate::data::Dataset;
    use crate::graph::{decompose, is_chordal};
    use rand::{Rng, SeedableRng};

    fn random_table(seed: u64) -> Dataset {
        let mut numbers = rand_pcg::Pcg64::seed_from_u64(seed);
        let rows: Vec<Vec<String>> = (0..60)
            .map(|_| {
                let mut row: Vec<u32> = Vec::new();
                for variable in 0..4 {
                    let levels = 2 + u32::from(variable == 2);
                    let copied = variable > 0 && numbers.random_bool(0.5);
                    let code =
                        if copied { row[variable - 1] % levels } else { numbers.random_range(0..levels) };
                    row.push(code);
                }
                row.iter().map(ToString::to_string).collect()
            })
            .collect();
        Dataset::from_labels(&["a", "b", "c", "d"], rows).unwrap()
    }

    /// The score of a chordal graph by its cliques and separators.
    fn by_cliques(factors: &mut Factors<'_, PlaneCounts<'_>>, graph: &Graph) -> Option<f64> {
        let parts = decompose(graph)?;
        let mut sum =
            |sets: &[VarSet]| -> f64 { sets.iter().map(|set| factors.of(set).unwrap().unwrap()).sum() };
        Some(sum(&parts.cliques) - sum(&parts.separators))
    }

    #[test]
    fn the_graph_is_the_best_of_all_decomposable_ones() {
        let options = DecomposableOptions { patience: 60, ..DecomposableOptions::default() };
        for seed in 0..40 {
            let data = random_table(seed);
            let counts = PlaneCounts::new(&data);
            let found = decomposable_graph(&counts, &EdgeRules::default(), &options, &()).unwrap();
            assert!(is_chordal(&found.graph));
            let mut factors = Factors {
                counts: &counts,
                sample_size: options.sample_size,
                max_cells: options.max_cells,
                known: FxHashMap::default(),
            };
            let own = by_cliques(&mut factors, &found.graph).unwrap();
            assert!((own - found.log_marginal_likelihood).abs() < 1e-9);
            let pairs: Vec<Edge> = found.graph.pairs().collect();
            let best = (0..1_u32 << pairs.len())
                .filter_map(|chosen| {
                    let mut graph = Graph::empty(4);
                    let there = |&(place, _): &(usize, &Edge)| chosen >> place & 1 == 1;
                    for (_, &edge) in pairs.iter().enumerate().filter(there) {
                        graph.add_edge(edge);
                    }
                    by_cliques(&mut factors, &graph)
                })
                .fold(f64::NEG_INFINITY, f64::max);
            assert!(own > best - 1e-9, "seed {seed}: {own} below {best}");
        }
    }

    #[test]
    fn forbidden_edges_and_large_cliques_are_left_out() {
        let data =
            Dataset::from_labels(&["a", "b", "c"], [["0", "0", "0"], ["1", "1", "1"]].repeat(20)).unwrap();
        let counts = PlaneCounts::new(&data);
        let knowledge = Knowledge { forbid: vec!["a-b".into()], ..Knowledge::default() };
        let rules = knowledge.rules(data.schema()).unwrap();
        let options = DecomposableOptions::default();
        let found = decomposable_graph(&counts, &rules, &options, &()).unwrap();
        assert!(!found.graph.contains(Edge::new(0, 1).unwrap()));
        assert_eq!(found.graph.edge_count(), 2);
        let known = found.knowledge(data.schema());
        assert_eq!(known.require.len(), 2);
        let tight = DecomposableOptions { max_cells: 3, ..options };
        let none = decomposable_graph(&counts, &EdgeRules::default(), &tight, &()).unwrap();
        assert_eq!(none.graph.edge_count(), 0);
        // Two binary variables have four cells, which may be the most.
        let pairs = DecomposableOptions { max_cells: 4, ..options };
        let trees = decomposable_graph(&counts, &EdgeRules::default(), &pairs, &()).unwrap();
        assert_eq!(trees.graph.edge_count(), 2);
        let wrong = DecomposableOptions { sample_size: 0.0, ..options };
        assert!(decomposable_graph(&counts, &rules, &wrong, &()).is_err());
    }

    #[test]
    fn a_pair_that_rests_moves_where_that_gives_the_best_graph() {
        let rows = [["0", "0", "1"], ["1", "1", "1"], ["0", "0", "0"], ["1", "1", "0"]].repeat(10);
        let data = Dataset::from_labels(&["a", "b", "c"], rows).unwrap();
        let counts = PlaneCounts::new(&data);
        let (rules, options) = (EdgeRules::default(), DecomposableOptions::default());
        let mut tabu = Tabu::new(&counts, &rules, &options).unwrap();
        for place in 0..tabu.pairs.len() {
            tabu.evaluate(place).unwrap();
            tabu.pairs[place].rests_until = 5;
        }
        let (place, gain) = tabu.best_move().unwrap();
        assert_eq!((place, gain > 0.0), (0, true));
        tabu.best_score = tabu.score + gain;
        assert_eq!(tabu.best_move(), None);
    }
}
