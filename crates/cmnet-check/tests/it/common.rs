//! What several test files share: the paper's example, a bundled table, random tables.
#![allow(dead_code, reason = "every test file uses a part of it")]

use std::collections::{BTreeMap, BTreeSet};

use cmnet_check::{Configuration, Contexts, Edge, Labelled, Table};

/// The labelled graph of Figure 1(b) of the paper, variables counted from 0.
pub(crate) fn figure_1b() -> Labelled {
    structure(
        &[(0, 1), (0, 3), (1, 2), (1, 4), (2, 4), (3, 4)],
        &[((1, 4), &[0]), ((2, 4), &[1]), ((2, 4), &[2])],
    )
}

pub(crate) fn structure(edges: &[Edge], elements: &[(Edge, &[usize])]) -> Labelled {
    let mut contexts = Contexts::new();
    for (edge, element) in elements {
        contexts.entry(*edge).or_default().insert(element.to_vec());
    }
    Labelled { edges: edges.iter().copied().collect(), contexts }
}

/// The coronary heart data of the paper; levels in lexicographic order of their labels.
pub(crate) fn coronary_heart() -> Table {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/coronary_heart.csv");
    let text = std::fs::read_to_string(path).unwrap();
    let lines: Vec<Vec<&str>> = text.lines().skip(1).map(|l| l.split(',').collect()).collect();
    let levels: Vec<BTreeMap<&str, usize>> = (0..lines[0].len())
        .map(|column| {
            let labels: BTreeSet<&str> = lines.iter().map(|line| line[column]).collect();
            labels.into_iter().enumerate().map(|(code, label)| (label, code)).collect()
        })
        .collect();
    let encode = |line: &Vec<&str>| line.iter().zip(&levels).map(|(l, codes)| codes[l]).collect();
    let rows: Vec<Configuration> = lines.iter().map(encode).collect();
    let weights = vec![1; rows.len()];
    Table::new(levels.iter().map(BTreeMap::len).collect(), rows, weights).unwrap()
}

pub(crate) fn complete_graph(variables: usize) -> BTreeSet<Edge> {
    (0..variables).flat_map(|i| (i + 1..variables).map(move |j| (i, j))).collect()
}

/// What the search finds on these data with kappa = n^-1/2: smoking (0) and blood pressure (3)
/// are cut off when the lipoprotein ratio (4) is high, and so on around the triangle.
pub(crate) fn coronary_with_contexts() -> Labelled {
    structure(
        &[(0, 2), (0, 3), (0, 4), (1, 2), (1, 4), (3, 4)],
        &[((0, 3), &[1]), ((0, 4), &[0]), ((3, 4), &[0])],
    )
}

/// A small generator of its own (splitmix64): the same tables on every machine.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % limit as u64) as usize
    }

    /// A table with contexts in it: a variable depends on the one before it, but only where the
    /// one before that is not 0, and through noise.
    pub(crate) fn table(&mut self, variables: usize, most_levels: usize, rows: usize) -> Table {
        let cardinalities: Vec<usize> = (0..variables).map(|_| 2 + self.below(most_levels - 1)).collect();
        let mut list = Vec::new();
        for _ in 0..rows {
            let mut row: Vec<usize> = Vec::new();
            for &levels in &cardinalities {
                let by_rule = match row[..] {
                    [] | [.., 0, _] => 0,
                    [one] => one % levels,
                    [.., a, b] => (a + b) % levels,
                };
                let fresh = self.below(levels);
                row.push(if self.below(3) == 0 { fresh } else { by_rule });
            }
            list.push(row);
        }
        let weights = vec![1; list.len()];
        Table::new(cardinalities, list, weights).unwrap()
    }

    /// A random regular structure over these variables.
    pub(crate) fn structure(&mut self, cardinalities: &[usize]) -> Labelled {
        let mut edges = complete_graph(cardinalities.len());
        edges.retain(|_| self.below(4) > 0);
        self.contexts(cardinalities, edges)
    }

    /// Random regular contexts on a given graph.
    pub(crate) fn contexts(&mut self, cardinalities: &[usize], edges: BTreeSet<Edge>) -> Labelled {
        let mut structure = Labelled::plain(edges);
        for (i, j) in structure.edges.clone() {
            let common = structure.common_neighbors(i, j);
            let sizes: Vec<usize> = common.iter().map(|&k| cardinalities[k]).collect();
            let space = cmnet_check::configurations(&sizes).unwrap();
            let mut context: BTreeSet<Configuration> =
                space.iter().filter(|_| self.below(3) == 0).cloned().collect();
            if context.len() == space.len() {
                context.pop_first();
            }
            structure.contexts.insert((i, j), context);
        }
        structure
    }
}
