//! The climbs on the paper's coronary heart data, and against a literal transcription of
//! Algorithms 1 and 2 that computes every candidate's whole score from nothing.

use std::collections::BTreeSet;

use crate::common::{Random, coronary_heart, coronary_with_contexts, structure};
use cmnet_check::{
    Edge, Labelled, Optimality, Scoring, TIE_MARGIN, Table, configurations, context_hill_climb,
    graph_hill_climb, is_locally_optimal, score,
};

fn go_on(_: usize, _: usize) -> bool {
    true
}

fn power_of_n(table: &Table, exponent: f64) -> Scoring {
    Scoring::new(0.5, Some(exponent * libm::log(table.total() as f64))).unwrap()
}

#[test]
fn coronary_heart_without_contexts() {
    let (table, eps) = (coronary_heart(), Scoring::without_contexts());
    let climb = graph_hill_climb(&table, &eps, &mut go_on).unwrap();
    let expected = structure(&[(0, 2), (0, 3), (0, 4), (1, 2), (3, 4)], &[]);
    assert_eq!(climb.structure, expected);
    assert!((climb.score + 6_374.846_899).abs() < 1e-6);
    assert!(climb.steps.iter().all(|step| step.added && step.contexts.is_empty()));
    let verdict = is_locally_optimal(&table, &expected, &eps, &mut go_on).unwrap();
    assert_eq!(verdict, Optimality::Local { score: climb.score });
}

#[test]
fn coronary_heart_with_kappa_n_to_minus_one_half() {
    let table = coronary_heart();
    let scoring = power_of_n(&table, -0.5);
    let climb = graph_hill_climb(&table, &scoring, &mut go_on).unwrap();
    let expected = coronary_with_contexts();
    assert_eq!(climb.structure, expected);
    assert!((climb.score + 6_370.045_431).abs() < 1e-6);
    assert_eq!(climb.steps.len(), 6);
    assert_eq!(climb.steps[5].contexts, expected.contexts);
    let verdict = is_locally_optimal(&table, &expected, &scoring, &mut go_on).unwrap();
    assert_eq!(verdict, Optimality::Local { score: climb.score });
}

#[test]
fn what_is_better_is_named() {
    let (table, eps) = (coronary_heart(), Scoring::without_contexts());
    let verdict = is_locally_optimal(&table, &Labelled::default(), &eps, &mut go_on).unwrap();
    let Optimality::BetterGraph { edge, climbed, score } = verdict else {
        panic!("the empty graph is not optimal: {verdict:?}")
    };
    assert!(climbed.score > score && climbed.structure.edges.contains(&edge));
    let scoring = power_of_n(&table, -0.5);
    let climb = graph_hill_climb(&table, &scoring, &mut go_on).unwrap();
    let mut fewer = climb.structure.clone();
    fewer.contexts.pop_first();
    let verdict = is_locally_optimal(&table, &fewer, &scoring, &mut go_on).unwrap();
    let Optimality::OtherContexts { climbed, score } = verdict else {
        panic!("a context is missing: {verdict:?}")
    };
    assert_eq!(climbed.structure, climb.structure);
    assert!(climbed.score > score);
}

#[test]
fn both_can_be_stopped() {
    let (table, eps) = (coronary_heart(), Scoring::without_contexts());
    let mut calls = 0;
    let mut two_rounds = |examined: usize, total: usize| {
        assert!(examined < total && total == 15);
        calls += 1;
        calls <= 30
    };
    let climb = graph_hill_climb(&table, &eps, &mut two_rounds).unwrap();
    assert!(climb.stopped);
    assert_eq!(climb.steps.len(), 2);
    let whole = graph_hill_climb(&table, &eps, &mut go_on).unwrap();
    assert_eq!(whole.steps[..2], climb.steps);
    let mut three = |examined, _| examined < 3;
    let verdict = is_locally_optimal(&table, &whole.structure, &eps, &mut three).unwrap();
    assert_eq!(verdict, Optimality::Stopped { examined: 3 });
}

/// Algorithm 2 without any thought: every candidate structure is scored as a whole.
fn literal_context_climb(table: &Table, edges: &BTreeSet<Edge>, scoring: &Scoring) -> Labelled {
    let mut best = Labelled::plain(edges.clone());
    let mut best_score = score(table, &best, scoring).unwrap().total();
    loop {
        let current = best.clone();
        for &(i, j) in edges {
            let common = current.common_neighbors(i, j);
            let sizes: Vec<usize> = common.iter().map(|&k| table.cardinalities()[k]).collect();
            for element in configurations(&sizes).unwrap() {
                let mut candidate = current.clone();
                let new = candidate.contexts.entry((i, j)).or_default().insert(element);
                if new && candidate.is_regular(table.cardinalities()) {
                    let candidate_score = score(table, &candidate, scoring).unwrap().total();
                    if candidate_score > best_score + TIE_MARGIN {
                        (best, best_score) = (candidate, candidate_score);
                    }
                }
            }
        }
        if best == current {
            return best;
        }
    }
}

/// Algorithm 1 in the same way; returns every structure it passes through.
fn literal_graph_climb(table: &Table, scoring: &Scoring) -> Vec<Labelled> {
    let mut path = vec![Labelled::default()];
    loop {
        let current = path[path.len() - 1].clone();
        let mut best = current.clone();
        let mut best_score = score(table, &current, scoring).unwrap().total();
        for i in 0..table.variables() {
            for j in i + 1..table.variables() {
                let mut edges = current.edges.clone();
                if !edges.remove(&(i, j)) {
                    edges.insert((i, j));
                }
                let neighbor = literal_context_climb(table, &edges, scoring);
                let neighbor_score = score(table, &neighbor, scoring).unwrap().total();
                if neighbor_score > best_score + TIE_MARGIN {
                    (best, best_score) = (neighbor, neighbor_score);
                }
            }
        }
        if best == current {
            return path;
        }
        path.push(best);
    }
}

#[test]
fn the_climbs_are_the_literal_algorithms() {
    let mut random = Random(2);
    let mut elements = 0;
    for round in 0..60 {
        let (variables, most_levels) = [(3, 4), (4, 3), (5, 2)][round % 3];
        let rows = 20 + random.below(150);
        let table = random.table(variables, most_levels, rows);
        let kappa = [1.0, 0.7, 0.2, 0.05][round % 4];
        let scoring = Scoring::with_kappa(kappa).unwrap();
        let climb = graph_hill_climb(&table, &scoring, &mut go_on).unwrap();
        let mut path = vec![Labelled::default()];
        for step in &climb.steps {
            let mut edges = path[path.len() - 1].edges.clone();
            assert_eq!(edges.remove(&step.edge), !step.added);
            if step.added {
                edges.insert(step.edge);
            }
            path.push(Labelled { edges, contexts: step.contexts.clone() });
        }
        assert_eq!(path, literal_graph_climb(&table, &scoring), "round {round}");
        assert_eq!(path.last(), Some(&climb.structure));
        elements += climb.structure.contexts.values().map(BTreeSet::len).sum::<usize>();
        let verdict = is_locally_optimal(&table, &climb.structure, &scoring, &mut go_on).unwrap();
        assert_eq!(verdict, Optimality::Local { score: climb.score });
    }
    assert!(elements > 100, "only {elements} context elements were exercised");
}

#[test]
fn the_context_climb_records_its_steps() {
    let table = coronary_heart();
    let edges: BTreeSet<Edge> = [(0, 2), (0, 3), (0, 4), (2, 3), (3, 4)].into();
    let climb = context_hill_climb(&table, &edges, &power_of_n(&table, -0.25)).unwrap();
    let mut rebuilt = Labelled::plain(edges);
    for (edge, element) in climb.added {
        assert!(rebuilt.contexts.entry(edge).or_default().insert(element));
    }
    assert_eq!(rebuilt, climb.structure);
    assert!(!rebuilt.contexts.is_empty());
}
