//! Groups: the library and the referee, who lists every order of the labels.

use crate::common::{Sample, generator};
use cmnet::{GroupOptions, LearnOptions, compare_groups};
use cmnet_check::{GroupPair, Labelled, Scoring, graph_hill_climb, pair_of_groups};
use rand::Rng;

/// Rows of three random variables of two or three levels; the last variable is the group.
fn sample(rng: &mut impl Rng) -> Sample {
    let groups = rng.random_range(2..=3);
    let mut cardinalities: Vec<u32> = (0..3).map(|_| rng.random_range(2..=3)).collect();
    cardinalities.push(groups);
    // So few that all orders of labels can be listed: 8! / (4! 4!) or 6! / (2! 2! 2!).
    let each = if groups == 2 { 4 } else { 2 };
    let mut row = |number: u32| {
        let mut row: Vec<u32> =
            cardinalities[..3].iter().map(|&levels| rng.random_range(0..levels)).collect();
        // The first two go together in the first group.
        if number / each == 0 && rng.random_bool(0.7) {
            row[1] = row[0] % cardinalities[1];
        }
        row.push(number / each);
        row
    };
    let rows: Vec<Vec<u32>> = (0..each * groups).map(&mut row).collect();
    Sample { weights: vec![1; rows.len()], rows, cardinalities }
}

/// The same without the group.
fn without_group(sample: &Sample) -> Sample {
    Sample {
        cardinalities: sample.cardinalities[..3].to_vec(),
        rows: sample.rows.iter().map(|row| row[..3].to_vec()).collect(),
        weights: sample.weights.clone(),
    }
}

/// The neighbours of a pair's ends in a graph, without the pair.
fn neighbours(graph: &Labelled, (one, other): (usize, usize)) -> [Vec<usize>; 2] {
    let of = |end: usize, but: usize| {
        let near = graph.edges.iter().filter_map(|&(a, b)| match (a == end, b == end) {
            (true, _) => Some(b),
            (_, true) => Some(a),
            _ => None,
        });
        let mut near: Vec<usize> = near.filter(|&v| v != but).collect();
        near.sort_unstable();
        near
    };
    [of(one, other), of(other, one)]
}

#[test]
fn the_referee_has_the_same_strengths_differences_and_p_values() {
    let mut rng = generator(18);
    let mut compared = 0;
    for seed in 0..12 {
        let sample = sample(&mut rng);
        let options = GroupOptions { permutations: 1999, seed, level: 1e-9, ..GroupOptions::of(3) };
        let found = compare_groups(&sample.dataset(), &options, &LearnOptions::default(), &()).unwrap();
        let scoring = Scoring::new(0.5, None).unwrap();
        let graph =
            graph_hill_climb(&without_group(&sample).table(), &scoring, &mut |_, _| true).unwrap().structure;
        for pair in &found.pairs {
            assert!(neighbours(&graph, pair.pair).contains(&pair.given), "{:?}", pair.given);
            let asked = GroupPair { group: 3, pair: pair.pair, given: pair.given.clone() };
            let referee = pair_of_groups(&sample.table(), &asked).unwrap();
            assert!((pair.statistic - referee.difference).abs() < 1e-9, "{pair:?} {referee:?}");
            // 1,999 orders drawn by chance, and all of them.
            let error = (referee.p_value * (1.0 - referee.p_value) / 1999.0).sqrt();
            assert!((pair.p_value - referee.p_value).abs() < 5.0 * error + 0.001, "{pair:?} {referee:?}");
            for (own, plain) in pair.groups.iter().zip(&referee.groups) {
                assert!((own.information - plain.information).abs() < 1e-12);
                let binary = [pair.pair.0, pair.pair.1].iter().all(|&v| sample.cardinalities[v] == 2);
                assert_eq!(own.log_odds_ratio.is_some(), binary);
                if let Some((value, error)) = own.log_odds_ratio {
                    assert!((value - plain.log_odds_ratio).abs() < 1e-9);
                    assert!((error * error - plain.variance).abs() < 1e-9);
                }
            }
            compared += 1;
        }
    }
    assert_eq!(compared, 36);
}
