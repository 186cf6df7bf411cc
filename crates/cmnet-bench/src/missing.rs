//! Missing values: rows left out, the most frequent value filled in, and draws from a model, side by side
//! on tables whose structure is known, and on tables of files.

use crate::known::known;
use crate::usage::Meter;
use anyhow::{Context, Result};
use cmnet::{
    CompletionOptions, Dataset, Fit, Fold, FoldPlan, Folds, IncompleteTable, LearnOptions, ReadOptions,
    Source, Structure, evaluate, learn, learn_incomplete, read_csv,
};
use cmnet_paper::generate::recovery;
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;
use std::path::Path;

/// Shares of the cells that are made missing.
const SHARES: [f64; 3] = [0.05, 0.2, 0.4];
/// The ways to learn.
const WAYS: [&str; 4] = ["complete", "drop", "mode", "model"];

/// How cells come to be missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mechanism {
    /// Each with the same probability.
    Completely,
    /// The first third of the variables is known; any other is missing three times as often where one
    /// of these has its first level.
    Dependent,
}

/// F1 of the edges, mean log-probability of a held-out row, processor seconds.
type Numbers = [f64; 3];

/// What is measured: tables of a kind, or the table of a file.
pub(crate) fn run(
    kind: &str,
    (variables, rows, seeds): (usize, usize, usize),
    how: Option<&[String]>,
) -> Result<()> {
    let options = options(how.unwrap_or_default())?;
    println!(
        "{:<22} {:<10} {:>5} | {}",
        "table",
        "missing",
        "share",
        WAYS.map(|way| format!("{way:<34}")).join("| ")
    );
    for mechanism in [Mechanism::Completely, Mechanism::Dependent] {
        for share in SHARES {
            let mut found: [Vec<Numbers>; 4] = Default::default();
            for seed in 1..=seeds as u64 {
                let (truth, fold) = table(kind, variables, rows, seed)?;
                let holed = holed(&fold.training, mechanism, share, seed);
                let complete = learned(Some(&fold.training), &options.learn)?;
                let truth = truth.unwrap_or_else(|| complete.0.clone());
                let ways = [
                    complete,
                    learned(holed.complete_rows().as_ref(), &options.learn)?,
                    learned(Some(&with_modes(&holed)?), &options.learn)?,
                    by_model(&holed, &options)?,
                ];
                for (all, (structure, fit, seconds)) in found.iter_mut().zip(ways) {
                    let f1 = recovery(&truth, &structure).edges.f1();
                    all.push([f1, heldout(fit.as_ref(), &fold.heldout), seconds]);
                }
            }
            let shown = found.map(|all| told(&all)).join("| ");
            let name = Path::new(kind).file_stem().unwrap_or_default().to_string_lossy();
            let mechanism = if mechanism == Mechanism::Completely { "completely" } else { "dependent" };
            println!("{name:<22} {mechanism:<10} {share:>5} | {shown}");
        }
    }
    Ok(())
}

/// How far the structure of a table hangs on its rows, without any hole: F1 of the edges that a part of the rows and
/// all rows have, and of those that two parts have. A part has as many rows as a column, or a pair of columns,
/// has known values where cells are missing.
pub(crate) fn noise(kind: &str, seeds: usize) -> Result<()> {
    println!("{:<22} {:>5} | part and all    | two parts", "table", "part");
    let name = Path::new(kind).file_stem().unwrap_or_default().to_string_lossy();
    let options = LearnOptions::default();
    for kept in SHARES.iter().flat_map(|share| [1.0 - share, (1.0 - share) * (1.0 - share)]) {
        let (mut with_all, mut of_parts) = (Vec::new(), Vec::new());
        for seed in 1..=seeds as u64 {
            let rows = table(kind, 0, 0, seed)?.1.training;
            let learned = |data: &Dataset| Ok::<_, anyhow::Error>(learned(Some(data), &options)?.0);
            let [one, other] = [2 * seed, 2 * seed + 1].map(|seed| part(&rows, kept, seed));
            let (one, other) = (learned(&one?)?, learned(&other?)?);
            with_all.push(recovery(&learned(&rows)?, &one).edges.f1());
            of_parts.push(recovery(&other, &one).edges.f1());
        }
        let [(all, all_spread), (parts, parts_spread)] = [with_all, of_parts].map(|values| spread(&values));
        println!("{name:<22} {kept:>5.3} | {all:.3} ({all_spread:.3})   | {parts:.3} ({parts_spread:.3})");
    }
    Ok(())
}

/// A part of the rows: each is kept with this probability.
fn part(data: &Dataset, kept: f64, seed: u64) -> Result<Dataset> {
    let mut random = Pcg64Mcg::seed_from_u64(seed ^ 0x9a57);
    let mut rows = IncompleteTable::new(data.schema().clone());
    for (row, &weight) in data.weights().iter().enumerate() {
        let levels: Vec<Option<u32>> = data.row(row).into_iter().map(Some).collect();
        let count = (0..weight).filter(|_| random.random_bool(kept)).count();
        if count > 0 {
            rows.push(&levels, count as u64)?;
        }
    }
    rows.complete_rows().context("no row")
}

/// Options of the draws as `completions=10`, `rounds=10`, `agreement=0.6`.
fn options(how: &[String]) -> Result<CompletionOptions> {
    let mut options = CompletionOptions::default();
    for word in how {
        let (name, value) = word.split_once('=').with_context(|| format!("{word:?} is not NAME=VALUE"))?;
        match name {
            "completions" => options.completions = value.parse()?,
            "rounds" => options.rounds = value.parse()?,
            "agreement" => options.agreement = value.parse()?,
            "kappa" => options.learn.kappas = vec![value.parse()?],
            other => anyhow::bail!("{other:?} is not an option of the draws"),
        }
    }
    Ok(options)
}

/// A table in two parts, and its structure where that is known.
fn table(kind: &str, variables: usize, rows: usize, seed: u64) -> Result<(Option<Structure>, Fold)> {
    let (truth, data, folds) = if Path::new(kind).exists() {
        let data = read_csv(&Source::from_argument(kind), &ReadOptions::default())?.data;
        (None, data, 5)
    } else {
        let known = known(kind, variables, 2 * rows, seed)?;
        (Some(known.structure), known.data, 2)
    };
    let fold = Folds::deal(&data, FoldPlan::Drawn { folds, seed })?.iter().next().context("no fold")??;
    Ok((truth, fold))
}

/// The table with some cells missing, at least one known in each column.
fn holed(data: &Dataset, mechanism: Mechanism, share: f64, seed: u64) -> IncompleteTable {
    let mut random = Pcg64Mcg::seed_from_u64(seed ^ 0x5eed);
    let variables = data.variables();
    let known = variables.div_ceil(3);
    let partners: Vec<usize> = (0..variables).map(|_| random.random_range(0..known)).collect();
    let own = share * variables as f64 / (variables - known).max(1) as f64;
    let mut table = IncompleteTable::new(data.schema().clone());
    for (row, &weight) in data.weights().iter().enumerate() {
        let levels = data.row(row);
        for _ in 0..weight {
            let chance = |v: usize| match mechanism {
                Mechanism::Completely => share,
                Mechanism::Dependent if v < known => 0.0,
                Mechanism::Dependent if levels[partners[v]] == 0 => (1.5 * own).min(0.95),
                Mechanism::Dependent => 0.5 * own,
            };
            let mut cell = |v: usize| (!random.random_bool(chance(v))).then_some(levels[v]);
            let cells: Vec<Option<u32>> = (0..variables).map(&mut cell).collect();
            // The row comes from a table: it fits.
            let _ = table.push(&cells, 1);
        }
    }
    table
}

/// The table with the most frequent level of each column where a cell is missing.
fn with_modes(table: &IncompleteTable) -> Result<Dataset> {
    let mode = |v: usize| {
        let counts = table.level_counts(v);
        (0..counts.len()).fold(0, |best, level| if counts[level] > counts[best] { level } else { best })
            as u32
    };
    let modes: Vec<u32> = (0..table.schema().len()).map(mode).collect();
    let mut filled = IncompleteTable::new(table.schema().clone());
    for (row, weight) in table.iter() {
        let row: Vec<Option<u32>> = row.iter().zip(&modes).map(|(cell, mode)| cell.or(Some(*mode))).collect();
        filled.push(&row, weight)?;
    }
    filled.complete_rows().context("no row")
}

type Learned = (Structure, Option<Fit>, f64);

/// Learns a table without holes; nothing of a table without rows.
fn learned(data: Option<&Dataset>, options: &LearnOptions) -> Result<Learned> {
    let meter = Meter::start();
    let Some(data) = data else { return Ok((Structure::empty(&[2]), None, 0.0)) };
    let learned = learn(data, options, &())?;
    let kept = learned.kept(data.rows()).context("nothing was learned")?;
    Ok((kept.structure.clone(), kept.fit.clone(), meter.processor()))
}

fn by_model(table: &IncompleteTable, options: &CompletionOptions) -> Result<Learned> {
    let meter = Meter::start();
    let found = learn_incomplete(table, options, &())?;
    let kept = &found.learned.models[found.kept().context("nothing was learned")?];
    eprintln!("  {} rounds, stable {}, {:.1} s", found.rounds.len(), found.stable, meter.processor());
    Ok((kept.structure.clone(), kept.fit.clone(), meter.processor()))
}

/// The mean log-probability of the rows held out; of all outcomes alike where nothing is known.
fn heldout(fit: Option<&Fit>, rows: &Dataset) -> f64 {
    let even = -rows.schema().cardinalities().iter().map(|&levels| libm::log(f64::from(levels))).sum::<f64>();
    fit.and_then(|fit| evaluate(fit, rows).log_likelihood).unwrap_or(even)
}

/// Means with standard deviations.
fn told(all: &[Numbers]) -> String {
    let column = |at: usize| spread(&all.iter().map(|numbers| numbers[at]).collect::<Vec<f64>>());
    let [(f1, f1_spread), (held, held_spread), (seconds, _)] = [0, 1, 2].map(column);
    format!("{f1:.3} ({f1_spread:.3}) {held:>8.4} ({held_spread:.3}) {seconds:>5.1} ")
}

/// The mean and the standard deviation.
fn spread(values: &[f64]) -> (f64, f64) {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let squares: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
    (mean, (squares / (values.len() as f64 - 1.0).max(1.0)).sqrt())
}
