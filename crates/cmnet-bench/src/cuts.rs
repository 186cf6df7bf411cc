//! Numbers with a known graph: edges that are recovered with cut points of equal frequency and with those that
//! the graph finds, at the same number of levels.

use anyhow::Result;
use cmnet::{
    BinRule, Bins, Edge, Kappa, LearnOptions, ReadOptions, Select, Source, cut_by_graph, learn, mix_seed,
    read_csv,
};
use rand::{RngCore, SeedableRng};
use rand_pcg::Pcg64Mcg;
use std::fmt::Write;
use std::time::Instant;

/// How often a category says the opposite of its parent's side.
const NOISE: f64 = 0.15;

/// Recovers the graphs of some tables of a kind: `gaussian`, or `mixed` with categories that depend on one end
/// of their parent's values.
pub(crate) fn run(kind: &str, variables: usize, rows: usize, tables: usize) -> Result<()> {
    println!("{kind}, {variables} variables, {rows} rows, {tables} tables: mean (standard deviation)");
    for levels in [2, 3, 4] {
        for rule in [BinRule::Frequency(levels), BinRule::Width(levels), BinRule::Graph(levels)] {
            let (mut f1, mut recall, mut precision, mut seconds) = (vec![], vec![], vec![], vec![]);
            for seed in 1..=tables as u64 {
                let (text, truth) = table(kind == "mixed", variables, rows, seed)?;
                let start = Instant::now();
                let found = graph(&text, &rule)?;
                seconds.push(start.elapsed().as_secs_f64());
                let right = found.iter().filter(|edge| truth.contains(edge)).count() as f64;
                let (p, r) = (right / found.len().max(1) as f64, right / truth.len() as f64);
                precision.push(p);
                recall.push(r);
                f1.push(2.0 * p * r / (p + r).max(1e-9));
            }
            println!(
                "  {:<12} edges F1 {}, precision {}, recall {}, seconds {}",
                rule.to_string(),
                spread(&f1),
                spread(&precision),
                spread(&recall),
                spread(&seconds)
            );
        }
    }
    Ok(())
}

fn spread(values: &[f64]) -> String {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
    format!("{mean:.3} ({:.3})", (squares / (count - 1.0).max(1.0)).sqrt())
}

fn graph(text: &str, rule: &BinRule) -> Result<Vec<Edge>> {
    let bins = Bins::read([rule.to_string()])?;
    let options = ReadOptions { bins: bins.clone(), ..ReadOptions::default() };
    let mut loaded = read_csv(&Source::bytes("table", text), &options)?;
    let learning =
        LearnOptions { kappas: vec![Kappa::Epsilon], select: Select::None, ..LearnOptions::default() };
    cut_by_graph(&mut loaded, &bins, &learning, &())?;
    let learned = learn(&loaded.data, &learning, &())?;
    Ok(learned.models[0].structure.graph().edges().collect())
}

/// A table as CSV, and its tree. Numbers are a Gaussian copula with skew margins. In a mixed table every third
/// variable is a category of two: whether its parent, a number, is in its highest fifth, with noise.
fn table(mixed: bool, variables: usize, rows: usize, seed: u64) -> Result<(String, Vec<Edge>)> {
    let mut generator = Pcg64Mcg::seed_from_u64(mix_seed(seed));
    let is_category = |variable: usize| mixed && variable % 3 == 2;
    let numbers: Vec<usize> = (0..variables).filter(|&variable| !is_category(variable)).collect();
    let parents: Vec<usize> = (1..variables)
        .map(|child| {
            let before: Vec<usize> = numbers.iter().copied().filter(|&number| number < child).collect();
            before[(generator.next_u64() % before.len() as u64) as usize]
        })
        .collect();
    let mut uniform = move || ((generator.next_u64() >> 11) as f64 + 0.5) / (1u64 << 53) as f64;
    let correlations: Vec<f64> = (1..variables).map(|_| 0.25 + 0.3 * uniform()).collect();
    let mut text = (0..variables).map(|v| format!("x{v}")).collect::<Vec<_>>().join(",") + "\n";
    for _ in 0..rows {
        let mut values: Vec<f64> = Vec::with_capacity(variables);
        for variable in 0..variables {
            let noise =
                libm::sqrt(-2.0 * libm::log(uniform())) * libm::cos(std::f64::consts::TAU * uniform());
            let value = match variable {
                0 => noise,
                _ if is_category(variable) => {
                    let high = values[parents[variable - 1]] > 0.8416;
                    f64::from(u8::from(high != (uniform() < NOISE)))
                }
                _ => {
                    let r = correlations[variable - 1];
                    r * values[parents[variable - 1]] + libm::sqrt(1.0 - r * r) * noise
                }
            };
            values.push(value);
        }
        let shown = values.iter().enumerate().map(|(variable, &value)| match variable {
            _ if is_category(variable) => {
                if value > 0.5 {
                    "yes".to_owned()
                } else {
                    "no".to_owned()
                }
            }
            _ => format!("{:.6}", libm::exp(value)),
        });
        writeln!(text, "{}", shown.collect::<Vec<_>>().join(","))?;
    }
    let edges = (1..variables).map(|child| Edge::new(parents[child - 1], child));
    Ok((text, edges.collect::<cmnet::Result<_>>()?))
}
