//! Where rounds start: the forest of the pairs that depend on each other most, by the rows in which both
//! values of a pair are known (Chow and Liu 1968).

use crate::control::{Control, Halting, check};
use crate::data::{IncompleteTable, Var};
use crate::error::Result;
use crate::graph::{DisjointSets, Edge, Graph};
use libm::log;
use rayon::prelude::*;
use std::cmp::Ordering;

/// The forest of the largest information among pairs whose BIC is higher with an edge.
pub(super) fn forest(table: &IncompleteTable, control: &dyn Control) -> Halting<Graph> {
    let variables = table.schema().len();
    let cardinalities = table.schema().cardinalities();
    let rows: Vec<(Vec<Option<u32>>, u64)> = table.iter().collect();
    let mut pairs: Vec<(f64, Edge)> = Vec::new();
    for first in 0..variables {
        check(control)?;
        let informed = |second: Var| -> Result<Option<(f64, Edge)>> {
            let counts = pair_counts(&rows, (first, second), &cardinalities);
            let Some(gain) = information(&counts, cardinalities[second] as usize) else { return Ok(None) };
            Ok(Some((gain, Edge::new(first, second)?)))
        };
        let found: Vec<Option<(f64, Edge)>> =
            (first + 1..variables).into_par_iter().map(informed).collect::<Result<_>>()?;
        pairs.extend(found.into_iter().flatten());
    }
    let order = |one: &(f64, Edge), other: &(f64, Edge)| -> Ordering {
        other.0.total_cmp(&one.0).then(one.1.cmp(&other.1))
    };
    pairs.sort_by(order);
    let mut graph = Graph::empty(variables);
    let mut trees = DisjointSets::new(variables);
    for (_, edge) in pairs {
        if trees.find(edge.low()) != trees.find(edge.high()) {
            trees.join(edge.low(), edge.high());
            graph.add_edge(edge);
        }
    }
    Ok(graph)
}

/// How often each pair of levels was observed.
fn pair_counts(
    rows: &[(Vec<Option<u32>>, u64)],
    (first, second): (Var, Var),
    cardinalities: &[u32],
) -> Vec<f64> {
    let width = cardinalities[second] as usize;
    let mut counts = vec![0.0; cardinalities[first] as usize * width];
    for (row, weight) in rows {
        if let (Some(one), Some(other)) = (row[first], row[second]) {
            counts[one as usize * width + other as usize] += *weight as f64;
        }
    }
    counts
}

/// The mutual information of a pair in nats per row; `None` where BIC is not higher with it.
fn information(counts: &[f64], width: usize) -> Option<f64> {
    let total: f64 = counts.iter().sum();
    let ones: Vec<f64> = counts.chunks(width).map(|row| row.iter().sum()).collect();
    let others: Vec<f64> = (0..width).map(|level| counts.iter().skip(level).step_by(width).sum()).collect();
    let mut sum = 0.0;
    for (row, one) in counts.chunks(width).zip(&ones) {
        for (&count, other) in row.iter().zip(&others).filter(|(count, _)| **count > 0.0) {
            sum += count * log(count * total / (one * other));
        }
    }
    let free = (ones.len() - 1) * (width - 1);
    let penalty = 0.5 * free as f64 * log(total.max(1.0));
    (total > 0.0 && sum > penalty).then(|| sum / total)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Schema, Variable};

    #[test]
    fn the_strongest_pairs_make_a_forest_and_holes_do_not_count() {
        let variable = |name: &str| Variable { name: name.into(), levels: vec!["0".into(), "1".into()] };
        let names = ["a", "b", "c", "d"].map(variable).to_vec();
        let mut table = IncompleteTable::new(Schema::new(names).unwrap());
        // a and b are equal in 45 of 50 rows, b and c in 40, a and c in 35; d is even.
        for (row, weight) in
            [([0, 0, 0], 17), ([1, 1, 1], 18), ([0, 0, 1], 5), ([1, 1, 0], 5), ([0, 1, 1], 3), ([1, 0, 0], 2)]
        {
            for d in 0..2 {
                let levels: Vec<Option<u32>> = row.iter().map(|&l| Some(l)).chain([Some(d)]).collect();
                table.push(&levels, weight).unwrap();
            }
        }
        table.push(&[Some(0), None, None, Some(1)], 30).unwrap();
        let found = forest(&table, &()).ok().unwrap();
        let edges: Vec<(Var, Var)> = found.edges().map(Edge::ends).collect();
        assert_eq!(edges, [(0, 1), (1, 2)]);
        // 2x2 counts [[20, 5], [5, 20]].
        let by_hand = 0.8 * log(1.6) + 0.2 * log(0.4);
        assert!((information(&[20.0, 5.0, 5.0, 20.0], 2).unwrap() - by_hand).abs() < 1e-12);
        assert_eq!(information(&[10.0, 10.0, 10.0, 10.0], 2), None);
        assert_eq!(information(&[0.0; 4], 2), None);
    }
}
