//! Groups with known differences: how often pairs that differ are found, and others are marked by mistake,
//! beside a plain permutation of networks that are learned from each group alone.

use anyhow::Result;
use cmnet::{Dataset, Edge, GroupOptions, Kappa, LearnOptions, Select, Var, compare_groups, learn, mix_seed};
use rand::{RngCore, SeedableRng};
use rand_pcg::Pcg64Mcg;
use std::time::Instant;

const VARIABLES: usize = 8;
/// Edges that are there in the first half of the groups alone.
const DIFFERENT: usize = 2;
/// How often a child repeats its parent, beyond chance.
const STRENGTH: f64 = 0.45;
const LEVEL: f64 = 0.05;

/// What was found: the share of different edges that are marked, of tables with a false mark, of pairs with one.
#[derive(Default)]
struct Tally {
    found: usize,
    tables_with_false: usize,
    false_marks: usize,
    true_pairs: usize,
    same_pairs: usize,
    seconds: f64,
}

/// Compares groups of so many rows each, in so many tables.
pub(crate) fn run(groups: usize, rows: usize, tables: usize, permutations: usize, plain: bool) -> Result<()> {
    println!(
        "{groups} groups of {rows} rows, {VARIABLES} variables, {permutations} permutations, {tables} tables"
    );
    for (title, different, margins) in
        [("differences", DIFFERENT, false), ("no difference", 0, false), ("margins differ alone", 0, true)]
    {
        let (mut ours, mut other) = (Tally::default(), Tally::default());
        for seed in 0..tables as u64 {
            let (data, truth) = table(seed, groups, rows, different, margins)?;
            let start = Instant::now();
            ours.add(&compared(&data, permutations, seed)?, &truth);
            ours.seconds += start.elapsed().as_secs_f64();
            if plain {
                let start = Instant::now();
                other.add(&separate(&data, groups, permutations, seed)?, &truth);
                other.seconds += start.elapsed().as_secs_f64();
            }
        }
        println!("  {title}\n    compare_groups      {}", ours.line(tables));
        if plain {
            println!("    separate networks   {}", other.line(tables));
        }
    }
    Ok(())
}

impl Tally {
    fn add(&mut self, marked: &[Edge], truth: &[Edge]) {
        let wrong = marked.iter().filter(|edge| !truth.contains(edge)).count();
        self.found += marked.len() - wrong;
        self.true_pairs += truth.len();
        self.same_pairs += (VARIABLES - 1) * (VARIABLES - 2) / 2 - truth.len();
        self.false_marks += wrong;
        self.tables_with_false += usize::from(wrong > 0);
    }

    fn line(&self, tables: usize) -> String {
        let share = |part: usize, of: usize| part as f64 / of.max(1) as f64;
        format!(
            "power {:.3}, tables with a false mark {:.3}, false marks per pair {:.4}, {:.2} s a table",
            share(self.found, self.true_pairs),
            share(self.tables_with_false, tables),
            share(self.false_marks, self.same_pairs),
            self.seconds / tables as f64
        )
    }
}

/// Rows of a random tree whose first edges hold in the first half of the groups alone; the last column is the
/// group. Where margins are to differ, variables without a parent do.
fn table(
    seed: u64,
    groups: usize,
    rows: usize,
    different: usize,
    margins: bool,
) -> Result<(Dataset, Vec<Edge>)> {
    let mut generator = Pcg64Mcg::seed_from_u64(mix_seed(seed));
    let variables = VARIABLES - 1;
    let parents: Vec<Var> =
        (1..variables).map(|child| (generator.next_u64() % child as u64) as Var).collect();
    let mut uniform = move || (generator.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
    let truth: Vec<Edge> =
        (1..=different).map(|child| Edge::new(parents[child - 1], child)).collect::<cmnet::Result<_>>()?;
    let mut labels: Vec<Vec<String>> = Vec::with_capacity(rows * groups);
    for group in 0..groups {
        let share = if margins { 0.3 + 0.4 * group as f64 / (groups - 1) as f64 } else { 0.5 };
        for _ in 0..rows {
            let mut row = vec![uniform() < share];
            for child in 1..variables {
                let absent = child <= different && 2 * group >= groups;
                let repeats = !absent && uniform() < STRENGTH;
                row.push(if repeats { row[parents[child - 1]] } else { uniform() < 0.5 });
            }
            let texts = row.iter().map(|&value| u8::from(value).to_string());
            labels.push(texts.chain([format!("g{group}")]).collect());
        }
    }
    let names: Vec<String> = (0..variables).map(|v| format!("x{v}")).chain(["group".to_owned()]).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    Ok((Dataset::from_labels(&names, labels)?, truth))
}

fn compared(data: &Dataset, permutations: usize, seed: u64) -> Result<Vec<Edge>> {
    let usual = GroupOptions::of(VARIABLES - 1);
    let options = GroupOptions { permutations: permutations as u64, level: LEVEL, seed, ..usual };
    let found = compare_groups(data, &options, &LearnOptions::default(), &())?;
    let marked = found.pairs.iter().filter(|pair| pair.differs);
    Ok(marked.map(|pair| Edge::new(pair.pair.0, pair.pair.1)).collect::<cmnet::Result<_>>()?)
}

/// Networks of each group alone: an edge weighs its absolute log odds ratio, 0 where it is absent. A pair is
/// marked where the range of its weights over groups is beyond the largest range of permutations.
fn separate(data: &Dataset, groups: usize, permutations: usize, seed: u64) -> Result<Vec<Edge>> {
    let rows: Vec<Vec<u32>> = (0..data.distinct_rows())
        .flat_map(|row| std::iter::repeat_n(data.row(row), data.weights()[row] as usize))
        .collect();
    let mut labels: Vec<u32> = rows.iter().map(|row| row[VARIABLES - 1]).collect();
    let observed = ranges(data, &rows, &labels, groups)?;
    let mut largest: Vec<f64> = Vec::new();
    for permutation in 0..permutations as u64 {
        let mut generator = Pcg64Mcg::seed_from_u64(mix_seed(seed ^ mix_seed(permutation)));
        for place in (1..labels.len()).rev() {
            labels.swap(place, (generator.next_u64() % (place as u64 + 1)) as usize);
        }
        let all = ranges(data, &rows, &labels, groups)?;
        largest.push(all.iter().map(|(_, range)| *range).fold(0.0, f64::max));
    }
    let is_rare = |range: f64| {
        let reached = largest.iter().filter(|&&other| other >= range).count();
        (1.0 + reached as f64) / (1.0 + largest.len() as f64) <= LEVEL
    };
    Ok(observed
        .into_iter()
        .filter(|&(_, range)| range > 0.0 && is_rare(range))
        .map(|(edge, _)| edge)
        .collect())
}

fn ranges(data: &Dataset, rows: &[Vec<u32>], labels: &[u32], groups: usize) -> Result<Vec<(Edge, f64)>> {
    let options = LearnOptions {
        kappas: vec![Kappa::Epsilon],
        select: Select::None,
        threads: 1,
        ..LearnOptions::default()
    };
    let variables: Vec<Var> = (0..VARIABLES - 1).collect();
    let schema = data.select(&variables)?.schema().clone();
    let mut weights: Vec<Vec<f64>> = Vec::new();
    let mut pairs: Vec<Edge> = Vec::new();
    for group in 0..groups as u32 {
        let own: Vec<&Vec<u32>> =
            rows.iter().zip(labels).filter(|(_, label)| **label == group).map(|(row, _)| row).collect();
        let columns: Vec<Vec<u32>> =
            variables.iter().map(|&v| own.iter().map(|row| row[v]).collect()).collect();
        let table = Dataset::from_columns(schema.clone(), &columns, None)?;
        let learned = learn(&table, &options, &())?;
        let graph = learned.models[0].structure.graph();
        pairs = graph.pairs().collect();
        weights.push(
            pairs.iter().map(|&edge| if graph.contains(edge) { odds(&columns, edge) } else { 0.0 }).collect(),
        );
    }
    let range = |place: usize| {
        let of_groups = || weights.iter().map(|own| own[place]);
        of_groups().fold(0.0, f64::max) - of_groups().fold(f64::INFINITY, f64::min)
    };
    Ok(pairs.iter().enumerate().map(|(place, &edge)| (edge, range(place))).collect())
}

/// The absolute log odds ratio of two binary columns.
fn odds(columns: &[Vec<u32>], edge: Edge) -> f64 {
    let mut cells = [0.5; 4];
    for (one, other) in columns[edge.low()].iter().zip(&columns[edge.high()]) {
        cells[(2 * one + other) as usize] += 1.0;
    }
    libm::log(cells[0] * cells[3] / (cells[1] * cells[2])).abs()
}
