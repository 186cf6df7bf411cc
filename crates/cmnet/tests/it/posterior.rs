//! The posterior of structures: chains agree with a list of all graphs and contexts, whatever the
//! number of threads; what has not mixed is not reported.

use crate::common::{Until, edge, generator};
use cmnet::{
    Alpha, Dataset, Edge, EdgeRules, Graph, Kappa, Knowledge, LearnEvent, LearnObserver, PosteriorOptions,
    RowCounts, Scorer, StopReason, Structure, StructurePosterior, structure_posterior,
};
use rand::Rng;
use std::collections::BTreeMap;

/// Columns that depend on each other, some of them only where another one is 0.
fn table(levels: &[u32], rows: usize, seed: u64) -> Dataset {
    let mut random = generator(seed);
    let mut lines: Vec<Vec<String>> = Vec::new();
    for row in 0..rows {
        let mut line: Vec<u32> = Vec::new();
        for (place, &count) in levels.iter().enumerate() {
            let free = random.random_range(0..count);
            let follows = place > 0 && random.random_bool(0.5) && (place < 2 || line[0] == 0);
            // The first rows have every level.
            let level = if row < count as usize { row as u32 } else { free };
            line.push(if follows { line[place - 1].min(count - 1) } else { level });
        }
        lines.push(line.iter().map(ToString::to_string).collect());
    }
    let names: Vec<String> = (0..levels.len()).map(|v| format!("x{v}")).collect();
    Dataset::from_labels(&names.iter().map(String::as_str).collect::<Vec<_>>(), lines).unwrap()
}

/// A feature: an edge, or a cell of one with just these common neighbours.
type Feature = (Edge, Option<(Vec<usize>, u64)>);

/// Probabilities by a list of all structures that keep to what is known; kappa 0 allows no contexts.
fn enumerated(data: &Dataset, kappa: f64, options: &PosteriorOptions) -> BTreeMap<Feature, f64> {
    let rules = options.knowledge.rules(data.schema()).unwrap();
    let counts = RowCounts::new(data);
    let scorer = Scorer::new(&counts, Alpha::default());
    let cardinalities = data.schema().cardinalities();
    let pairs: Vec<Edge> = Graph::empty(cardinalities.len()).pairs().collect();
    let (mut weights, mut total) = (BTreeMap::new(), 0.0);
    for chosen in 0u32..1 << pairs.len() {
        let mut graph = Graph::empty(cardinalities.len());
        for (_, &pair) in pairs.iter().enumerate().filter(|(place, _)| chosen >> place & 1 == 1) {
            graph.add_edge(pair);
        }
        if !rules.hold(&graph) {
            continue;
        }
        let odds =
            |edge| rules.log_odds().find(|(own, _)| *own == edge).map_or(0.0, |(_, odds)| odds.to_f64());
        let known: f64 = graph.edges().map(odds).sum();
        // Gamma of each end of each edge.
        let ends = 2.0 * graph.edge_count() as f64;
        let prior = known - options.edge_prior.gamma() * ends * libm::log(cardinalities.len() as f64);
        let listed = Listed::new(&scorer, &graph, &rules, kappa, options.exponent);
        total += listed.add_to(&mut weights, prior);
    }
    for weight in weights.values_mut() {
        *weight /= total;
    }
    weights
}

/// A node's edges with their strides, and its score for each way to choose their masks.
type Scores = (Vec<(usize, usize)>, Vec<f64>);

/// One graph with all its contexts: masks of cells, one for each edge.
struct Listed {
    edges: Vec<Edge>,
    common: Vec<Vec<usize>>,
    /// How many masks an edge has, and the log prior of each.
    masks: Vec<Vec<f64>>,
    nodes: Vec<Scores>,
}

/// Far from all scores of these tables, so that weights are neither 0 nor infinite.
const SHIFT: f64 = 140.0;

impl Listed {
    fn new(
        scorer: &Scorer<'_, RowCounts<'_>>,
        graph: &Graph,
        rules: &EdgeRules,
        kappa: f64,
        exponent: f64,
    ) -> Self {
        let cardinalities = scorer.cardinalities().to_vec();
        let plain = Structure::from_graph(graph.clone(), &cardinalities).unwrap();
        let edges: Vec<Edge> = graph.edges().collect();
        let (mut masks, mut common) = (Vec::new(), Vec::new());
        for &edge in &edges {
            let cells = plain.context_space(edge).unwrap().size();
            let none =
                kappa == 0.0 || graph.common_neighbors(edge).is_empty() || !rules.allows_contexts(edge);
            let count = if none { 1 } else { (1u64 << cells) - 1 };
            let (low, high) = edge.ends();
            let power = ((cardinalities[low] - 1) * (cardinalities[high] - 1)) as i32;
            let own: Vec<f64> = (0..count).map(|mask| kappa.powi(power * mask.count_ones() as i32)).collect();
            let sum: f64 = own.iter().sum();
            masks.push(own.iter().map(|weight| libm::log(weight / sum)).collect::<Vec<f64>>());
            common.push(graph.common_neighbors(edge).as_slice().to_vec());
        }
        let node = |node: usize| {
            let own: Vec<usize> = (0..edges.len()).filter(|&place| edges[place].touches(node)).collect();
            let (mut strides, mut size) = (Vec::new(), 1);
            for &place in &own {
                strides.push((place, size));
                size *= masks[place].len();
            }
            let score = |ways: usize| {
                let mut structure = plain.clone();
                for &(place, stride) in &strides {
                    let mask = ways / stride % masks[place].len();
                    for cell in (0..64).filter(|cell| mask >> cell & 1 == 1) {
                        structure.add_context_element(edges[place], cell).unwrap();
                    }
                }
                exponent * scorer.node_score(&structure, node).unwrap().to_f64()
            };
            (strides.clone(), (0..size).map(score).collect())
        };
        let nodes = (0..cardinalities.len()).map(node).collect();
        Self { edges, common, masks, nodes }
    }

    /// Adds the weight of every structure to its features, under a log prior of the graph; all of it together.
    fn add_to(&self, weights: &mut BTreeMap<Feature, f64>, of_graph: f64) -> f64 {
        let mut by_mask: Vec<Vec<f64>> = self.masks.iter().map(|masks| vec![0.0; masks.len()]).collect();
        let mut chosen = vec![0usize; self.edges.len()];
        let mut total = 0.0;
        loop {
            let at = |(strides, scores): &Scores| -> f64 {
                scores[strides.iter().map(|&(place, stride)| chosen[place] * stride).sum::<usize>()]
            };
            let nodes: f64 = self.nodes.iter().map(at).sum();
            let prior: f64 = chosen.iter().zip(&self.masks).map(|(&mask, masks)| masks[mask]).sum();
            let weight = libm::exp(nodes + prior + of_graph + SHIFT);
            total += weight;
            chosen.iter().zip(&mut by_mask).for_each(|(&mask, sums)| sums[mask] += weight);
            let Some(next) = (0..chosen.len()).find(|&place| chosen[place] + 1 < self.masks[place].len())
            else {
                break;
            };
            chosen[next] += 1;
            chosen[..next].fill(0);
        }
        for (place, &edge) in self.edges.iter().enumerate() {
            *weights.entry((edge, None)).or_default() += total;
            for (mask, sum) in by_mask[place].iter().enumerate() {
                for cell in (0..64u64).filter(|cell| mask >> cell & 1 == 1) {
                    *weights.entry((edge, Some((self.common[place].clone(), cell)))).or_default() += sum;
                }
            }
        }
        total
    }
}

/// Every probability of the chains is the listed one, up to its Monte Carlo error.
fn agrees(data: &Dataset, kappa: f64, options: &PosteriorOptions) {
    let exact = enumerated(data, kappa, options);
    let kappa = if kappa == 0.0 { Kappa::Epsilon } else { kappa.to_string().parse().unwrap() };
    let options = PosteriorOptions { kappa, ..options.clone() };
    let found = structure_posterior(data, &options, &()).unwrap();
    assert!(found.is_mixed(), "{:?}", found.edges);
    let mut compared = 0;
    let mut compare = |feature: Feature, chance: cmnet::Chance| {
        let expected = exact[&feature];
        if let (Some(probability), Some(error)) = (chance.probability(), chance.error()) {
            let error = error.max((expected * (1.0 - expected) / found.draws() as f64).sqrt());
            assert!(
                (probability - expected).abs() < 5.0 * error + 2e-3,
                "{feature:?} {probability} {expected}"
            );
            compared += 1;
        }
    };
    for known in &found.edges {
        compare((known.edge, None), known.chance);
    }
    for known in &found.elements {
        let common: Vec<usize> = known.given.iter().map(|&(v, _)| v).collect();
        compare((known.edge, Some((common, known.cell))), known.chance);
    }
    let contexts = if kappa == Kappa::Epsilon || data.variables() < 3 { 0 } else { 2 };
    assert!(compared >= found.edges.len() + contexts, "{compared}");
    let probable = exact.iter().filter(|(_, weight)| **weight > 0.02);
    let met = |(edge, element): &Feature| match element {
        None => found.edges.iter().any(|known| known.edge == *edge),
        Some((common, cell)) => found.elements.iter().any(|known| {
            let given = known.given.iter().map(|&(v, _)| v);
            known.edge == *edge && known.cell == *cell && given.eq(common.iter().copied())
        }),
    };
    probable.for_each(|(feature, weight)| assert!(met(feature), "{feature:?} {weight}"));
}

fn quick(sweeps: usize) -> PosteriorOptions {
    PosteriorOptions { sweeps, warm_up: 100, threads: 1, ..PosteriorOptions::default() }
}

#[test]
fn chains_agree_with_a_list_of_all_structures_of_three_variables() {
    agrees(&table(&[2, 2, 2], 40, 3), 0.4, &quick(4000));
    agrees(&table(&[2, 3, 2], 40, 4), 0.6, &PosteriorOptions { exponent: 0.5, rungs: 1, ..quick(4000) });
}

#[test]
fn chains_agree_with_a_list_of_all_structures_of_four_variables() {
    agrees(&table(&[2, 2, 2, 2], 60, 5), 0.1, &PosteriorOptions { rungs: 2, ..quick(3000) });
    // The calibrated power, and few contexts.
    agrees(&table(&[2, 2, 2, 2], 80, 9), 0.05, &PosteriorOptions { exponent: 0.5, ..quick(3000) });
}

#[test]
fn chains_agree_with_a_list_under_other_priors_and_with_more_levels() {
    let sparse = PosteriorOptions { edge_prior: "0.5".parse().unwrap(), ..quick(4000) };
    agrees(&table(&[2, 2], 30, 8), 0.4, &sparse);
    agrees(&table(&[2, 2, 2], 50, 3), 0.3, &sparse);
    agrees(&table(&[3, 2, 3], 60, 4), 0.5, &PosteriorOptions { exponent: 0.7, ..sparse.clone() });
    // Graphs alone: all 64 of four variables.
    agrees(&table(&[2, 3, 2, 3], 70, 5), 0.0, &sparse);
    agrees(&table(&[3, 3, 3, 3], 70, 6), 0.0, &PosteriorOptions { exponent: 0.5, ..quick(4000) });
}

#[test]
fn what_is_known_restricts_the_chains_as_it_restricts_the_list() {
    let known = |text: &str| PosteriorOptions { knowledge: known(text), ..quick(4000) };
    let data = table(&[2, 2, 2], 40, 3);
    agrees(&data, 0.4, &known("require = ['x0-x2']\nno_contexts = ['x0-x1']"));
    agrees(&data, 0.4, &known("require = ['x0-x1', 'x0-x2', 'x1-x2']"));
    agrees(&data, 0.4, &known("[[prior]]\nedge = 'x0-*'\np = 0.9\n[[prior]]\nedge = 'x1-x2'\np = 0.2"));
    // Without a triangle there is no context: edges alone are compared.
    let forbidden = known("forbid = ['x1-x2']\n[[prior]]\nedge = 'x0-x1'\np = 0.1");
    let exact = enumerated(&data, 0.4, &forbidden);
    let options = PosteriorOptions { kappa: "0.4".parse().unwrap(), ..forbidden };
    let found = structure_posterior(&data, &options, &()).unwrap();
    assert!(found.elements.is_empty() && found.edges.iter().all(|known| known.edge != edge(1, 2)));
    for known in &found.edges {
        let (probability, error) = (known.chance.probability().unwrap(), known.chance.error().unwrap());
        assert!((probability - exact[&(known.edge, None)]).abs() < 5.0 * error + 2e-3, "{known:?}");
    }
}

fn known(text: &str) -> Knowledge {
    Knowledge::parse("known.toml", text).unwrap()
}

#[test]
fn a_required_edge_is_certain_and_has_no_bayes_factor() {
    let data = table(&[2, 2, 2], 40, 3);
    let options = PosteriorOptions { knowledge: known("require = ['x0-x2']"), ..quick(400) };
    let found = structure_posterior(&data, &options, &()).unwrap();
    let required = found.edges.iter().find(|known| known.edge == edge(0, 2)).unwrap();
    assert_eq!((required.chance.probability(), required.bayes_factor), (Some(1.0), None));
    let clash = known("require = ['x0-x2']\nforbid = ['x0-*']");
    let options = PosteriorOptions { knowledge: clash, ..quick(400) };
    let refused = structure_posterior(&data, &options, &()).unwrap_err().to_string();
    assert!(refused.contains("\"x0-*\" forbids \"x0\" - \"x2\""), "{refused}");
}

#[test]
fn threads_do_not_change_the_answer_and_seeds_do() {
    let data = table(&[2, 3, 2, 2], 60, 6);
    let draw = |threads, seed| -> StructurePosterior {
        let options = PosteriorOptions { threads, seed, ..quick(80) };
        let found = structure_posterior(&data, &options, &()).unwrap();
        StructurePosterior { options: PosteriorOptions::default(), ..found }
    };
    assert_eq!(draw(1, 1), draw(3, 1));
    assert!(draw(1, 1) != draw(1, 2));
}

#[test]
fn without_contexts_only_graphs_are_drawn() {
    let data = table(&[2, 2, 2], 60, 7);
    let options = PosteriorOptions { kappa: Kappa::Epsilon, ..quick(400) };
    let found = structure_posterior(&data, &options, &()).unwrap();
    assert!(found.elements.is_empty() && !found.edges.is_empty() && found.best.context_elements() == 0);
    assert!(found.moves.made > 0 && found.moves.made < found.moves.tried);
}

#[test]
fn what_has_not_mixed_is_not_reported() {
    let data = table(&[2, 2, 2], 60, 8);
    let few = PosteriorOptions { chains: 2, ..quick(40) };
    let found = structure_posterior(&data, &few, &()).unwrap();
    assert!(!found.is_mixed());
    let known = &found.edges[0];
    assert!(
        known.chance.probability().is_none()
            && known.chance.error().is_none()
            && known.bayes_factor.is_none()
    );
}

/// Ends the chains after so many sweeps.
fn after_sweeps(enough: u64) -> impl LearnObserver {
    let is_enough = move |event: &LearnEvent<'_>| matches!(event, LearnEvent::Sweep { finished, .. } if *finished >= enough);
    Until::new(StopReason::Interrupted, is_enough)
}

#[test]
fn what_was_drawn_when_it_stops_is_kept() {
    let data = table(&[2, 2, 2], 60, 9);
    let options = PosteriorOptions { warm_up: 10, ..quick(100_000) };
    for (enough, sweeps) in [(5, 0), (49, 0)] {
        let found = structure_posterior(&data, &options, &after_sweeps(enough)).unwrap();
        assert_eq!((found.stop, found.sweeps), (StopReason::Interrupted, sweeps));
        assert!(found.edges.is_empty() && !found.is_mixed());
    }
    // Chains of one thread come one after the other: with two threads both walk.
    let pair = PosteriorOptions { chains: 2, threads: 2, ..options };
    let found = structure_posterior(&data, &pair, &after_sweeps(400)).unwrap();
    assert_eq!(found.stop, StopReason::Interrupted);
}

#[test]
fn what_cannot_be_drawn_is_refused() {
    let data = table(&[2, 2], 20, 1);
    let refused =
        |options: &PosteriorOptions| structure_posterior(&data, options, &()).unwrap_err().to_string();
    assert!(refused(&PosteriorOptions { chains: 1, ..quick(40) }).contains("chains"));
    assert!(refused(&quick(0)).contains("sweeps"));
    assert!(refused(&PosteriorOptions { rungs: 0, ..quick(40) }).contains("rungs"));
    for exponent in [0.0, -1.0, 1.5, f64::NAN] {
        assert!(refused(&PosteriorOptions { exponent, ..quick(40) }).contains("exponent"));
    }
    let one = Dataset::from_labels(&["a", "b"], [["x", "y"]]).unwrap();
    let found = structure_posterior(&one, &quick(400), &()).unwrap();
    assert!(found.edges.iter().all(|known| known.edge == edge(0, 1)), "a single row says nothing");
}
