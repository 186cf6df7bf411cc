//! The exact search against every graph and every context, scored by the referee.

use crate::common::{Impatient, Sample, edge, generator, labelled};
use cmnet::{
    Alpha, Cell, ContextPrior, Edge, Graph, GraphClimb, Kappa, LearnOptions, Nats, RowCounts, Scorer,
    SearchMode, SearchUsed, StopReason, Structure, climb_graph, learn, optimum,
};
use cmnet_check::{Scoring, node_score};
use rand::Rng;
use rand_pcg::Pcg64Mcg;

/// A table whose variables lean on each other, so that graphs and contexts matter.
fn table(random: &mut Pcg64Mcg, cardinalities: &[u32], rows: usize) -> Sample {
    let strength = random.random_range(0.2..0.8);
    let mut sample = Sample { cardinalities: cardinalities.to_vec(), rows: Vec::new(), weights: Vec::new() };
    for _ in 0..rows {
        let mut row: Vec<u32> = Vec::new();
        for (place, &levels) in cardinalities.iter().enumerate() {
            let copied = place > 0 && random.random_bool(strength) && row[0] == 0;
            let own = random.random_range(0..levels);
            row.push(if copied { row[random.random_range(0..place)] % levels } else { own });
        }
        sample.rows.push(row);
        sample.weights.push(1);
    }
    sample
}

/// Every graph over some variables.
fn graphs(cardinalities: &[u32]) -> Vec<Structure> {
    let pairs: Vec<Edge> = Graph::empty(cardinalities.len()).pairs().collect();
    let graph = |set: u64| {
        let mut structure = Structure::empty(cardinalities);
        for (_, &edge) in pairs.iter().enumerate().filter(|(place, _)| set >> place & 1 == 1) {
            structure.toggle_edge(edge).unwrap();
        }
        structure
    };
    (0..1u64 << pairs.len()).map(graph).collect()
}

/// The sum of log scores of all nodes by the referee.
fn referee(sample: &Sample, structure: &Structure) -> f64 {
    let (table, labelled) = (sample.table(), labelled(structure));
    let scoring = Scoring::without_contexts();
    (0..structure.variables()).map(|node| node_score(&table, &labelled, &scoring, node).unwrap()).sum()
}

#[test]
fn a_hundred_tables_without_contexts_have_the_best_of_all_graphs() {
    let mut random = generator(3101);
    let mut beaten = 0;
    for case in 0..100 {
        let variables = random.random_range(2..=4);
        let cardinalities: Vec<u32> = (0..variables).map(|_| random.random_range(2..=3)).collect();
        let rows = random.random_range(10..60);
        let sample = table(&mut random, &cardinalities, rows);
        let data = sample.dataset();
        let counts = RowCounts::new(&data);
        let scorer = Scorer::new(&counts, Alpha::default());
        let prior = ContextPrior::new(Kappa::Epsilon, data.rows());
        let found = optimum(&scorer, &prior, &()).unwrap();
        let best =
            graphs(&cardinalities).iter().map(|graph| referee(&sample, graph)).fold(f64::MIN, f64::max);
        assert!(
            found.is_proven() && (found.score.to_f64() - best).abs() < 1e-9,
            "case {case}: {best} {found:?}"
        );
        assert_eq!(scorer.score(&found.structure, &prior).unwrap().total(), Some(found.score), "case {case}");
        assert!(found.greedy <= found.score);
        beaten += usize::from(found.greedy < found.score);
    }
    assert!(beaten > 0, "the greedy search was best everywhere: nothing is tested");
}

/// The worth of every combination of contexts at one node, by the numbers of its edges' contexts.
struct NodeTable {
    edges: Vec<usize>,
    worth: Vec<i128>,
}

/// The best score of one graph over all regular contexts, all combinations looked at.
fn best_contexts(scorer: &Scorer<'_, RowCounts<'_>>, prior: &ContextPrior, graph: &Structure) -> Nats {
    let edges: Vec<Edge> = graph.graph().edges().collect();
    // For each edge all contexts: sets of cells, never the full one.
    let sizes: Vec<u64> =
        edges.iter().map(|&e| (1u64 << graph.context_space(e).unwrap().size()) - 1).collect();
    let with = |chosen: &[(usize, u64)]| {
        let mut structure = graph.clone();
        for &(place, set) in chosen {
            for cell in (0..64).filter(|cell: &Cell| set >> cell & 1 == 1) {
                structure.add_context_element(edges[place], cell).unwrap();
            }
        }
        structure
    };
    let node_table = |node: usize| {
        let own: Vec<usize> = (0..edges.len()).filter(|&place| edges[place].touches(node)).collect();
        let count: u64 = own.iter().map(|&place| sizes[place]).product();
        let worth = |mut number: u64| {
            let mut chosen = Vec::new();
            for &place in own.iter().rev() {
                chosen.push((place, number % sizes[place]));
                number /= sizes[place];
            }
            scorer.node_score(&with(&chosen), node).unwrap().units()
        };
        NodeTable { worth: (0..count).map(worth).collect(), edges: own }
    };
    let nodes: Vec<NodeTable> = (0..graph.variables()).map(node_table).collect();
    let mut best = i128::MIN;
    let mut sets = vec![0u64; edges.len()];
    loop {
        let mut score: i128 = 0;
        for node in &nodes {
            score += node.worth[node.edges.iter().fold(0, |number, &e| number * sizes[e] + sets[e]) as usize];
        }
        for (place, set) in sets.iter().enumerate() {
            let each = prior.element(edges[place], graph.cardinalities()).unwrap();
            score += (each * u64::from(set.count_ones())).units();
        }
        best = best.max(score);
        let Some(place) = (0..sets.len()).rev().find(|&place| sets[place] + 1 < sizes[place]) else { break };
        sets[place] += 1;
        sets[place + 1..].fill(0);
    }
    Nats::from_units(best)
}

#[test]
fn a_hundred_tables_with_contexts_have_the_best_of_all_structures() {
    let mut random = generator(3102);
    let (mut beaten, mut with_contexts) = (0, 0);
    for case in 0..100 {
        // Four binary variables have 11 million structures over the complete graph alone.
        let cardinalities: Vec<u32> = match case % 50 {
            0 => vec![2; 4],
            _ => (0..3).map(|_| random.random_range(2..=3)).collect(),
        };
        let rows = random.random_range(20..120);
        let sample = table(&mut random, &cardinalities, rows);
        let data = sample.dataset();
        let counts = RowCounts::new(&data);
        let scorer = Scorer::new(&counts, Alpha::default());
        let kappa: Kappa = ["n^-1", "n^-0.5", "n^-0.25", "1"][case % 4].parse().unwrap();
        let prior = ContextPrior::new(kappa, data.rows());
        let found = optimum(&scorer, &prior, &()).unwrap();
        let best =
            graphs(&cardinalities).iter().map(|graph| best_contexts(&scorer, &prior, graph)).max().unwrap();
        assert!(found.is_proven() && found.score == best, "case {case}: {best:?} {found:?}");
        assert_eq!(scorer.score(&found.structure, &prior).unwrap().total(), Some(best), "case {case}");
        let log_prior = prior.log_prior(&found.structure).unwrap().to_f64();
        assert!((referee(&sample, &found.structure) + log_prior - best.to_f64()).abs() < 1e-9, "case {case}");
        assert!(found.greedy <= found.score);
        beaten += usize::from(found.greedy < found.score);
        with_contexts += usize::from(found.structure.context_elements() > 0);
    }
    assert!(beaten > 0 && with_contexts > 10, "{beaten} beaten, {with_contexts} with contexts");
}

#[test]
fn a_search_that_is_stopped_has_a_bound_above_the_best() {
    let mut random = generator(3103);
    let sample = table(&mut random, &[2; 4], 80);
    let data = sample.dataset();
    let counts = RowCounts::new(&data);
    for kappa in ["eps", "n^-0.25"] {
        let prior = ContextPrior::new(kappa.parse().unwrap(), data.rows());
        let scorer = Scorer::new(&counts, Alpha::default());
        let best = optimum(&scorer, &prior, &()).unwrap();
        for patience in [0, 30, 60, 120, 250, 300, 400] {
            let found = optimum(&scorer, &prior, &Impatient::new(patience)).unwrap();
            assert!(found.score <= best.score && found.bound >= best.score, "{kappa}, {patience}: {found:?}");
            assert_eq!(found.is_proven(), found.stop == StopReason::Converged || found.bound <= found.score);
        }
    }
}

#[test]
fn the_greedy_structure_is_kept_where_nothing_is_better() {
    let sample = table(&mut generator(3104), &[2, 2, 2, 2, 2], 200);
    let data = sample.dataset();
    let counts = RowCounts::new(&data);
    let scorer = Scorer::new(&counts, Alpha::default());
    let prior = ContextPrior::new(Kappa::Epsilon, data.rows());
    let found = optimum(&scorer, &prior, &()).unwrap();
    let climb = GraphClimb::new(&scorer, prior);
    let mut state = climb.start().unwrap();
    climb_graph(&climb, &mut state, &()).unwrap();
    assert_eq!(found.greedy, state.score());
    assert!(found.greedy < found.score || found.structure == *state.structure());
    assert!(found.structure.graph().contains(edge(0, 1)) || found.structure.graph().edge_count() > 0);
}

#[test]
fn learning_by_proof_finds_the_highest_score_under_a_prior_of_edges_too() {
    let mut random = generator(3104);
    for case in 0..12 {
        let cardinalities: Vec<u32> = (0..4).map(|_| 2).collect();
        let sample = table(&mut random, &cardinalities, 80);
        let data = sample.dataset();
        let options = LearnOptions {
            kappas: vec![Kappa::Epsilon, Kappa::Power(0.5)],
            search: SearchMode::Exact,
            edge_prior: ["uniform", "0.5"][case % 2].parse().unwrap(),
            ..LearnOptions::default()
        };
        let learned = learn(&data, &options, &()).unwrap();
        assert_eq!(learned.search, SearchUsed::Exact);
        let counts = RowCounts::new(&data);
        let scorer = Scorer::new(&counts, Alpha::default());
        let prior = |kappa| ContextPrior::new(kappa, data.rows()).with_edges(options.edge_prior, 4);
        let total = |graph: &Structure| scorer.score(graph, &prior(Kappa::Epsilon)).unwrap().total().unwrap();
        let best = graphs(&cardinalities).iter().map(total).max();
        assert_eq!(learned.models[0].score.total(), best, "case {case}");
        let found = optimum(&scorer, &prior(Kappa::Power(0.5)), &()).unwrap();
        assert!(found.is_proven() && found.greedy <= found.score);
        assert_eq!(learned.models[1].score.total(), Some(found.score), "case {case}");
    }
}
