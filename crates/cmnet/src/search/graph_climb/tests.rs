//! Tests of the climb over graphs.

use super::*;
use crate::counts::RowCounts;
use crate::data::Dataset;
use crate::score::{Alpha, Kappa, Knowledge};
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64;

/// Rows with dependence: each variable copies an earlier one most of the time.
pub(in super::super) fn table(rng: &mut Pcg64) -> Dataset {
    let variables = rng.random_range(3..8);
    let levels: Vec<u32> = (0..variables).map(|_| rng.random_range(2..4)).collect();
    let names: Vec<String> = (0..variables).map(|v| format!("v{v}")).collect();
    let mut rows: Vec<Vec<String>> = Vec::new();
    for _ in 0..rng.random_range(20..200) {
        let mut row: Vec<u32> = Vec::new();
        for (v, &size) in levels.iter().enumerate() {
            let copied = row.get(rng.random_range(0..=v)).copied().filter(|_| rng.random_bool(0.7));
            row.push(copied.unwrap_or_else(|| rng.random_range(0..size)) % size);
        }
        rows.push(row.iter().map(ToString::to_string).collect());
    }
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    Dataset::from_labels(&names, rows).unwrap()
}

#[test]
fn the_record_after_each_step_is_that_of_a_climb_from_nothing() {
    let mut rng = Pcg64::seed_from_u64(7);
    let (mut steps, mut elements, mut remembered, mut tied) = (0, 0, 0, 0);
    for case in 0..200 {
        let data = table(&mut rng);
        let counts = RowCounts::new(&data);
        let scorer = Scorer::new(&counts, Alpha::default());
        let kappa = ["n^-1", "n^-0.5", "n^-0.25", "0.9"][case % 4];
        let climb = GraphClimb::new(&scorer, ContextPrior::new(kappa.parse().unwrap(), data.rows()));
        let mut state = climb.start().unwrap();
        while climb.step(&mut state, &()).unwrap().is_none() {
            let afresh = climb.contexts.climb(state.structure.graph(), &()).unwrap();
            assert_eq!(state.trace, afresh, "case {case}, step {}", state.steps.len());
            assert_eq!(Some(state.score), scorer.score(&state.structure, &climb.prior).unwrap().total());
            let mut again = state.clone();
            remembered += again.evaluated.iter().filter(|e| e.is_some()).count();
            again.evaluated.iter_mut().for_each(|e| *e = None);
            climb.evaluate_open(&mut again, &()).unwrap();
            for (old, new) in state.evaluated.iter().zip(&again.evaluated) {
                if let Some(old) = old {
                    let new = new.as_ref().unwrap();
                    assert_eq!((old.change, old.ties), (new.change, new.ties), "case {case}");
                }
            }
            steps += 1;
        }
        elements += state.structure.context_elements();
        tied += state.trace.ties();
    }
    assert!(steps > 500 && elements > 300 && remembered > 1_000 && tied > 10);
}

#[test]
fn the_contexts_of_one_edge_gain_what_each_element_alone_gains() {
    let mut rng = Pcg64::seed_from_u64(8);
    let (mut gained, mut full) = (0, 0);
    for _ in 0..200 {
        let data = table(&mut rng);
        let counts = RowCounts::new(&data);
        let scorer = Scorer::new(&counts, Alpha::default());
        let prior = ContextPrior::new("0.7".parse().unwrap(), data.rows());
        let climb = GraphClimb::new(&scorer, prior.clone());
        let mut graph = Graph::empty(data.variables());
        for pair in graph.clone().pairs().filter(|_| rng.random_bool(0.6)) {
            graph.toggle(pair);
        }
        let edge = Edge::new(0, 1).unwrap();
        if graph.contains(edge) {
            graph.toggle(edge);
        }
        let own = climb.contexts.own_gain(&Toggled::new(&graph, edge), edge, &()).unwrap();
        graph.toggle(edge);
        let plain = Structure::from_graph(graph.clone(), scorer.cardinalities()).unwrap();
        let total = |structure: &Structure| scorer.score(structure, &prior).unwrap().total().unwrap();
        let common = graph.common_neighbors(edge);
        let size: u64 = common.iter().map(|v| u64::from(scorer.cardinalities()[v])).product();
        let alone = |element| {
            let mut structure = plain.clone();
            structure.add_context_element(edge, element).unwrap();
            total(&structure) - total(&plain)
        };
        let elements = if common.is_empty() { 0..0 } else { 0..size };
        let mut gains: Vec<Nats> = elements.map(alone).filter(|&gain| gain > Nats::ZERO).collect();
        gains.sort_unstable();
        let skipped = usize::from(gains.len() as u64 == size);
        assert_eq!(own, gains.iter().skip(skipped).copied().sum());
        gained += gains.len();
        full += skipped;
    }
    assert!(gained > 100 && full > 5, "{gained}, {full}");
}

#[test]
fn edges_of_the_graph_become_candidates_once_and_required_ones_never() {
    let rows = [["0", "0", "0"], ["1", "1", "1"]].repeat(5);
    let data = Dataset::from_labels(&["a", "b", "c"], rows).unwrap();
    let counts = RowCounts::new(&data);
    let scorer = Scorer::new(&counts, Alpha::default());
    let knowledge = Knowledge { require: vec!["a-b".into()], ..Knowledge::default() };
    let rules = Arc::new(knowledge.rules(data.schema()).unwrap());
    let prior = ContextPrior::new(Kappa::Epsilon, data.rows()).with_rules(rules);
    let [ab, ac, bc] = [(0, 1), (0, 2), (1, 2)].map(|(one, other)| Edge::new(one, other).unwrap());
    let mut graph = Graph::empty(3);
    for edge in [ab, ac, bc] {
        graph.add_edge(edge);
    }
    let blankets = vec![VarSet::default(); 3];
    let climb = GraphClimb::among(&scorer, prior, BlanketLimits::default(), vec![ac], blankets);
    let state = climb.at(&graph, &()).unwrap();
    assert_eq!((state.candidates, state.added_candidates), (vec![ac, bc], vec![bc]));
}

/// Two halves of variables; each row is there with its halves exchanged as well, so that gains are equal.
fn mirrored(rng: &mut Pcg64, half: usize) -> Dataset {
    let names: Vec<String> = (0..2 * half).map(|v| format!("v{v}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut rows: Vec<Vec<String>> = vec![vec!["0".into(); 2 * half], vec!["1".into(); 2 * half]];
    for _ in 0..rng.random_range(15..40) {
        let mut row: Vec<u32> = Vec::new();
        for v in 0..2 * half {
            let copied = row.get(rng.random_range(0..=v)).copied().filter(|_| rng.random_bool(0.6));
            row.push(copied.unwrap_or_else(|| rng.random_range(0..2)));
        }
        let row: Vec<String> = row.iter().map(ToString::to_string).collect();
        rows.push([&row[half..], &row[..half]].concat());
        rows.push(row);
    }
    Dataset::from_labels(&names, rows).unwrap()
}

#[test]
fn a_step_tells_what_was_considered_and_how_many_were_equal() {
    let mut rng = Pcg64::seed_from_u64(12);
    let (mut within, mut promised) = (0, 0);
    for case in 0..6 {
        let data = mirrored(&mut rng, 2);
        let counts = RowCounts::new(&data);
        let scorer = Scorer::new(&counts, Alpha::default());
        let climb = GraphClimb::new(&scorer, ContextPrior::new("0.9".parse().unwrap(), data.rows()));
        let mut state = climb.start().unwrap();
        loop {
            let mut before = state.clone();
            climb.evaluate_open(&mut before, &()).unwrap();
            if climb.step(&mut state, &()).unwrap().is_some() {
                break;
            }
            let changes: Vec<Nats> = before.evaluated.iter().flatten().filter_map(|e| e.change).collect();
            let improving = changes.iter().filter(|&&change| change > Nats::ZERO).count() as u64;
            let most = changes.iter().max().unwrap();
            let equal = u64::from(changes.iter().filter(|&change| change == most).count() > 1);
            let ties = before.ties + equal + before.neighbor_ties() + state.trace.ties();
            let moves = before.moves + changes.len() as u64;
            assert_eq!((state.promising, state.moves, state.ties), (improving, moves, ties), "case {case}");
            within += state.trace.ties();
            promised = promised.max(improving);
        }
    }
    assert!(within > 0 && promised > 1, "{within}, {promised}");
}

#[test]
fn steps_over_all_pairs_are_not_bounded() {
    let mut rng = Pcg64::seed_from_u64(13);
    for case in 0..6 {
        let data = mirrored(&mut rng, 2);
        let counts = RowCounts::new(&data);
        let scorer = Scorer::new(&counts, Alpha::default());
        let mut climb = GraphClimb::new(&scorer, ContextPrior::new("0.9".parse().unwrap(), data.rows()));
        let end = |climb: &GraphClimb<'_, '_, _>| {
            let mut state = climb.start().unwrap();
            let stop = climb_graph(climb, &mut state, &()).unwrap();
            ClimbResult::of(&state, stop)
        };
        let usual = end(&climb);
        climb.budget = Budget { cheap: 0, most: 1, at_once: 1 };
        assert_eq!(end(&climb), usual, "case {case}");
    }
}

#[test]
fn a_climb_that_follows_a_record_goes_the_way_of_one_from_nothing_among_equals() {
    let mut rng = Pcg64::seed_from_u64(14);
    let (mut tied, mut followed) = (0, 0);
    for case in 0..24 {
        let half = 3 + case % 3;
        let data = mirrored(&mut rng, half);
        let counts = RowCounts::new(&data);
        let scorer = Scorer::new(&counts, Alpha::default());
        let climb = GraphClimb::new(&scorer, ContextPrior::new("0.9".parse().unwrap(), data.rows()));
        let mut graph = Graph::empty(2 * half);
        for pair in graph.clone().pairs().filter(|pair| pair.high() < half) {
            if rng.random_bool(0.7) {
                graph.toggle(pair);
                graph.toggle(Edge::new(pair.low() + half, pair.high() + half).unwrap());
            }
        }
        for pair in graph.clone().pairs().filter(|pair| pair.low() < half && pair.high() >= half) {
            if rng.random_bool(0.15) {
                graph.toggle(pair);
            }
        }
        let trace = climb.contexts.climb(&graph, &()).unwrap();
        let mut places = Places::new(2 * half);
        for edge in graph.pairs() {
            let toggled = Toggled::new(&graph, edge);
            let ground = Ground { graph: &toggled, trace: &trace };
            let outcome = climb.contexts.toggled(ground, edge, &mut places, &()).unwrap();
            let recorded = climb.contexts.advance(ground, edge, &()).unwrap();
            let mut other = graph.clone();
            other.toggle(edge);
            let afresh = climb.contexts.climb(&other, &()).unwrap();
            assert_eq!(outcome.change, afresh.gain() - trace.gain(), "case {case}, {edge:?}");
            assert_eq!(recorded.steps, afresh.steps(), "case {case}, {edge:?}");
            tied += outcome.ties;
            followed += trace.steps().len();
        }
    }
    assert!(tied > 0 && followed > 0, "{tied}, {followed}");
}

#[test]
fn a_climb_after_an_empty_record_tells_all_of_its_ties() {
    let mut rng = Pcg64::seed_from_u64(15);
    let mut tied = 0;
    for case in 0..20 {
        // The first and the last variable are exchanged in every other row.
        let mut rows = vec![["0"; 3], ["1"; 3]];
        for _ in 0..40 {
            let last = rng.random_range(0..2);
            let middle = if rng.random_bool(0.8) { last } else { rng.random_range(0..2) };
            let first = if last == 1 { middle } else { rng.random_range(0..2) };
            let row = [first, middle, last].map(|code| ["0", "1"][code]);
            rows.extend([row, [row[2], row[1], row[0]]]);
        }
        let data = Dataset::from_labels(&["a", "b", "c"], rows).unwrap();
        let counts = RowCounts::new(&data);
        let scorer = Scorer::new(&counts, Alpha::default());
        let climb = GraphClimb::new(&scorer, ContextPrior::new("0.9".parse().unwrap(), data.rows()));
        let mut graph = Graph::empty(3);
        for (one, other) in [(0, 1), (1, 2)] {
            graph.add_edge(Edge::new(one, other).unwrap());
        }
        let edge = Edge::new(0, 2).unwrap();
        let trace = climb.contexts.climb(&graph, &()).unwrap();
        assert!(trace.steps().is_empty());
        let toggled = Toggled::new(&graph, edge);
        let ground = Ground { graph: &toggled, trace: &trace };
        let outcome = climb.contexts.toggled(ground, edge, &mut Places::new(3), &()).unwrap();
        let mut other = graph.clone();
        other.toggle(edge);
        assert_eq!(outcome.ties, climb.contexts.climb(&other, &()).unwrap().ties(), "case {case}");
        tied += outcome.ties;
    }
    assert!(tied > 0);
}

#[test]
fn a_climb_from_a_found_graph_goes_on_counting() {
    let data = table(&mut Pcg64::seed_from_u64(17));
    let counts = RowCounts::new(&data);
    let scorer = Scorer::new(&counts, Alpha::default());
    let climb = GraphClimb::new(&scorer, ContextPrior::new(Kappa::Power(0.5), data.rows()));
    let mut found = ClimbResult::of(&climb.start().unwrap(), StopReason::Interrupted);
    (found.climb.ties, found.climb.moves) = (5, 70);
    let state = climb.start_from(&found, &()).unwrap().done().unwrap();
    assert_eq!((state.ties, state.moves), (5 + state.trace.ties(), 70));
}
