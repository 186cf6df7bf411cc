//! What contexts cost: processor time at n^-0.5 beside that of the graph alone, one thread; and
//! how both grow with variables, rows and the size of a blanket.

use crate::known::known;
use crate::peer::as_text;
use crate::usage::{Meter, seconds_of_children};
use anyhow::{Context, Result, ensure};
use cmnet::{Dataset, Kappa, LearnOptions, ReadOptions, SearchMode, Select, Source, learn, read_csv};
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The most that contexts may cost on a 2-tree, times the graph alone: above what is measured,
/// below what it was before candidates were evaluated by what changed.
const MOST: f64 = 12.0;

/// Contexts against graphs on known structures, and on every table of a folder; beside another
/// build of `cmnet`, where one is named.
pub(crate) fn run(folder: &str, baseline: &str) -> Result<()> {
    println!(
        "{:<28} {:>5} {:>7} {:>9} {:>12} {:>7} {:>12} {:>11} {:>8}",
        "table", "d", "n", "graph s", "contexts s", "ratio", "all kappas s", "baseline s", "speed-up"
    );
    let row = |name: &str, data: &Dataset| row(name, data, baseline);
    for (kind, variables, rows) in
        [("2-tree", 100, 10_000), ("3-tree", 15, 10_000), ("triangle-grid", 49, 10_000)]
    {
        let ratio = row(kind, &known(kind, variables, rows, 1)?.data)?;
        ensure!(
            kind != "2-tree" || ratio < MOST,
            "contexts on a {kind} take more than {MOST} times the graph alone"
        );
    }
    row("hubs", &hubs(100, 2_000)?)?;
    for path in tables(folder)? {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        row(&name, &read_csv(&Source::from_argument(&path), &ReadOptions::default())?.data)?;
    }
    Ok(())
}

/// The tables of a folder, by name.
fn tables(folder: &str) -> Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(Path::new(folder))? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "csv") {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

/// Prints one row and returns the ratio.
fn row(name: &str, data: &Dataset, baseline: &str) -> Result<f64> {
    let (graph, contexts) = (
        seconds(data, Kappa::Epsilon, SearchMode::Auto)?,
        seconds(data, "n^-0.5".parse()?, SearchMode::Auto)?,
    );
    let meter = Meter::start();
    learn(data, &LearnOptions { threads: 1, ..LearnOptions::default() }, &())?;
    let (ratio, every) = (contexts / graph, meter.processor());
    print!(
        "{name:<28} {:>5} {:>7} {graph:>9.3} {contexts:>12.3} {ratio:>7.1} {every:>12.3}",
        data.variables(),
        data.rows()
    );
    if baseline.is_empty() {
        println!();
    } else {
        let (before, is_cut) = seconds_of(baseline, data)?;
        // One that reached its limit tells from below.
        let more = if is_cut { ">" } else { "" };
        println!(" {:>11} {:>8}", format!("{more}{before:.3}"), format!("{more}{:.1}", before / contexts));
    }
    Ok(ratio)
}

/// After which time another build is stopped.
const MOST_OF_BASELINE: &str = "60s";

/// The exit code of a command that a limit ended.
const ENDED_EARLY: i32 = 3;

/// The processor seconds that another build takes for a table at n^-0.5, reading it included, and whether its
/// limit ended it.
fn seconds_of(program: &str, data: &Dataset) -> Result<(f64, bool)> {
    let path = std::env::temp_dir().join(format!("cmnet-bench-{}.csv", std::process::id()));
    std::fs::write(&path, as_text(data))?;
    let before = seconds_of_children();
    let status = Command::new(program)
        .args(["learn", "--kappa", "n^-0.5", "--select", "none", "--threads", "1", "--no-output"])
        .args(["--time-limit", MOST_OF_BASELINE])
        .arg(&path)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .with_context(|| format!("cannot start {program}"))?;
    std::fs::remove_file(&path)?;
    let seconds = seconds_of_children() - before;
    let is_cut = status.code() == Some(ENDED_EARLY);
    ensure!(status.success() || is_cut, "{program} failed");
    Ok((seconds, is_cut))
}

/// Processor seconds that are enough for the clock of the processor to tell.
const ENOUGH: f64 = 0.2;

/// The processor seconds of one search: the shorter of two, each the mean of as many as it takes.
fn seconds(data: &Dataset, kappa: Kappa, search: SearchMode) -> Result<f64> {
    let options = LearnOptions {
        kappas: vec![kappa],
        search,
        select: Select::None,
        threads: 1,
        ..LearnOptions::default()
    };
    let mut best = f64::INFINITY;
    for _ in 0..2 {
        let (meter, mut searches) = (Meter::start(), 0_u32);
        while searches == 0 || meter.processor() < ENOUGH {
            learn(data, &options, &())?;
            searches += 1;
        }
        best = best.min(meter.processor() / f64::from(searches));
    }
    Ok(best)
}

/// The mode whose growth is measured: mode `auto` would change it between two sizes.
const BLANKET: SearchMode = SearchMode::Blanket;

/// How time grows: the exponent of each quantity between two sizes.
pub(crate) fn growth() -> Result<()> {
    println!("{:<36} {:>8} {:>10} {:>12}", "what grows", "from, to", "graph", "contexts");
    let tree = |variables, rows| Ok(known("2-tree", variables, rows, 1)?.data);
    exponents("variables of a 2-tree, n = 5,000", (100, 400), |d| tree(d, 5_000))?;
    exponents("rows of a 2-tree, d = 50", (4_000, 32_000), |n| tree(50, n))?;
    exponents("neighbours of one hub, n = 5,000", (4, 8), |leaves| fan(leaves, 5_000))
}

fn exponents(
    what: &str,
    (small, large): (usize, usize),
    table: impl Fn(usize) -> Result<Dataset>,
) -> Result<()> {
    let (one, other) = (table(small)?, table(large)?);
    let exponent = |kappa: Kappa| -> Result<f64> {
        let (before, after) = (seconds(&one, kappa, BLANKET)?, seconds(&other, kappa, BLANKET)?);
        Ok(libm::log(after / before) / libm::log(large as f64 / small as f64))
    };
    let (graph, contexts) = (exponent(Kappa::Epsilon)?, exponent("n^-0.5".parse()?)?);
    println!("{what:<36} {:>8} {graph:>10.2} {contexts:>12.2}", format!("{small}, {large}"));
    Ok(())
}

/// Ten independent hubs; every other variable depends on two of them.
fn hubs(variables: usize, rows: usize) -> Result<Dataset> {
    let mut rng = Pcg64Mcg::seed_from_u64(3);
    let parents: Vec<(usize, usize)> = (0..variables)
        .map(|_| {
            let one = rng.random_range(0..10);
            (one, (one + rng.random_range(1..10)) % 10)
        })
        .collect();
    table(variables, rows, &mut rng, |row, v, rng| match parents.get(v).filter(|_| v >= 10) {
        None => rng.random_bool(0.5),
        Some(&(one, other)) => {
            rng.random_bool([0.03, 0.5, 0.97][usize::from(row[one]) + usize::from(row[other])])
        }
    })
}

/// One hub with a chain of neighbours, each of which depends on the hub and on the one before.
fn fan(neighbors: usize, rows: usize) -> Result<Dataset> {
    let mut rng = Pcg64Mcg::seed_from_u64(4);
    table(neighbors + 1, rows, &mut rng, |row, v, rng| match v {
        0 => rng.random_bool(0.5),
        _ => rng.random_bool([0.1, 0.5, 0.9][usize::from(row[0]) + usize::from(row[v - 1])]),
    })
}

/// Binary rows, drawn variable by variable.
fn table(
    variables: usize,
    rows: usize,
    rng: &mut Pcg64Mcg,
    draw: impl Fn(&[bool], usize, &mut Pcg64Mcg) -> bool,
) -> Result<Dataset> {
    let names: Vec<String> = (0..variables).map(|v| format!("x{v}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut lines = Vec::with_capacity(rows);
    for _ in 0..rows {
        let mut row = Vec::with_capacity(variables);
        for v in 0..variables {
            let level = draw(&row, v, rng);
            row.push(level);
        }
        lines.push(row.into_iter().map(|level| if level { "1" } else { "0" }).collect::<Vec<_>>());
    }
    Ok(Dataset::from_labels(&names, lines)?)
}
