//! `cargo xtask memory`: the peak of every command beside the bound that it was given.

use crate::bench_search::release;
use crate::hostile_kinds::with_holes;
use anyhow::{Context, Result, bail};
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// The bounds that are tried, in MiB.
const BOUNDS: [u64; 2] = [64, 256];

/// The bound of commands that take none, in MiB.
const UNASKED: u64 = 1024;

/// What the program, its table and its file may take beside the bound, in MiB.
const BESIDE: u64 = 64;

/// Every command on an input that is large for it. `BOUND` stands for the bound.
const COMMANDS: [&str; 37] = [
    "describe table.csv",
    "learn table.csv --kappa n^-0.5 --search blanket --memory BOUND --no-output",
    "learn data/congressional_voting.csv --memory BOUND --no-output",
    "exact data/coronary_heart.csv --memory BOUND",
    "score complete.json table.csv --kappa eps",
    "check heart.model.json data/coronary_heart.csv",
    "fit complete.json table.csv --memory BOUND",
    "evaluate grid.json rows.csv",
    "cv data/coronary_heart.csv --folds 3 --memory BOUND",
    "bootstrap data/coronary_heart.csv --replicates 5 --memory BOUND",
    "compare complete.json complete.json",
    "report heart.model.json --data data/coronary_heart.csv --folds 0 --memory BOUND -o out.html",
    "draw complete.json -o out.svg",
    "query grid.json --memory BOUND",
    "query grid.json --map --memory BOUND",
    "query wide.json --memory BOUND",
    "query clique.json --target X0,X1,X2,X3,X4,X5,X6,X7,X8,X9,X10,X11 --joint --format json --memory BOUND",
    "predict grid.json rows.csv --target X0 --memory BOUND",
    "sample grid.json -n 20000 --format json --memory BOUND",
    "explain grid.json --memory BOUND",
    "independent grid.json X0 --of X195 --given X1",
    "explore heart.model.json -o out.html",
    "export grid.json -o out.uai",
    "import clique.uai -o out.json",
    "describe holes-of-table.csv --on-missing model",
    "discretize table-of-numbers.csv --bins 4 -o out.csv",
    "learn table-of-numbers.csv --bins 4 --kappa n^-0.5 --search blanket --memory BOUND --no-output",
    "learn holes-of-table.csv --on-missing model --completions 2 --rounds 1 --kappa n^-0.5 --memory BOUND --no-output",
    "learn table.csv --components 2 --kappa n^-0.5 --memory BOUND --no-output",
    "learn table.csv --group v0 --among v1,v2,v3 --permutations 9 --kappa n^-0.5 --memory BOUND --no-output",
    "learn table.csv --group v0 --permutations 9 --kappa n^-0.5 --memory BOUND --no-output",
    "posterior data/coronary_heart.csv --chains 2 --sweeps 200",
    "impute grid.json holes-of-rows.csv -o out.csv",
    "evaluate mixture.model.json data/coronary_heart.csv",
    "explain path.json --memory BOUND",
    "report path.json --memory BOUND -o out.html",
    "merge learn.part -o out.part",
];

pub(crate) fn run(command: Option<PathBuf>) -> Result<()> {
    let command = std::path::absolute(command.map_or_else(|| release("cmnet-cli"), Ok)?)?;
    let folder = command.parent().context("no folder")?.join("memory");
    crate::hostile::samples(&folder)?;
    crate::hostile_kinds::make(&command, &folder)?;
    prepare(&command, &folder)?;
    println!("bound MiB  peak MiB  exit  command");
    let mut over = Vec::new();
    for line in COMMANDS {
        let asked = line.contains("BOUND");
        for bound in BOUNDS.into_iter().take(if asked { BOUNDS.len() } else { 1 }) {
            let bound = if asked { bound } else { UNASKED };
            let line = line.replace("BOUND", &format!("{bound}M"));
            let (code, peak) = measured(&command, &folder, &line)?;
            println!("{bound:>9}  {peak:>8}  {code:>4}  {line}");
            if peak > bound + BESIDE || !(0..=3).contains(&code) {
                over.push(line);
            }
        }
    }
    println!("memory: {} over the bound by more than {BESIDE} MiB", over.len());
    if over.is_empty() { Ok(()) } else { bail!("{}", over.join("\n")) }
}

/// The exit code of a command and the largest part of it that was in memory at once, in MiB.
fn measured(command: &Path, folder: &Path, line: &str) -> Result<(i32, u64)> {
    let mut child = Command::new(command)
        .args(line.split_whitespace())
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    loop {
        // The system keeps the highest value itself: only the last moments can be missed.
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let high = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let high = high.and_then(|value| value.trim().strip_suffix(" kB")?.parse::<u64>().ok());
        peak = peak.max(high.unwrap_or_default());
        if let Some(ended) = child.try_wait()? {
            return Ok((ended.code().unwrap_or(-1), peak / 1024));
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Makes the inputs: a table, a complete graph, grids, and a clique.
fn prepare(command: &Path, folder: &Path) -> Result<()> {
    let variables = 20;
    let mut generator = Pcg64Mcg::seed_from_u64(1);
    let names: Vec<String> = (0..variables).map(|v| format!("v{v}")).collect();
    let mut table = names.join(",") + "\n";
    for _ in 0..20_000 {
        let mut before = 0;
        for variable in 0..variables {
            let level = if generator.random_bool(0.7) { before } else { 1 - before };
            let separator = if variable + 1 == variables { "\n" } else { "," };
            write!(table, "{level}{separator}")?;
            before = level;
        }
    }
    std::fs::write(folder.join("table.csv"), table)?;
    let listed: Vec<String> =
        names.iter().map(|name| format!(r#"{{"name": "{name}", "levels": ["0", "1"]}}"#)).collect();
    let pairs = (0..variables).flat_map(|j| (0..j).map(move |i| format!(r#"["v{i}", "v{j}"]"#)));
    let model = format!(
        r#"{{"format": "cmnet-model/1", "variables": [{}], "edges": [{}], "contexts": []}}"#,
        listed.join(", "),
        pairs.collect::<Vec<_>>().join(", ")
    );
    std::fs::write(folder.join("complete.json"), model)?;
    for (name, network) in [
        ("grid", grid(14, &mut generator)?),
        ("wide", grid(20, &mut generator)?),
        ("clique", clique(16, &mut generator)?),
    ] {
        std::fs::write(folder.join(format!("{name}.uai")), network)?;
        ended(command, folder, &format!("import {name}.uai -o {name}.json"))?;
    }
    std::fs::write(folder.join("path.uai"), path(20_000, &mut generator)?)?;
    ended(command, folder, "import path.uai -o path.json")?;
    ended(command, folder, "sample grid.json -n 5000 -o rows.csv")?;
    for name in ["table.csv", "rows.csv"] {
        let whole = std::fs::read_to_string(folder.join(name))?;
        std::fs::write(folder.join(format!("holes-of-{name}")), with_holes(&whole, whole.lines().count()))?;
    }
    std::fs::write(folder.join("table-of-numbers.csv"), numbers(&names, &mut generator)?)?;
    Ok(())
}

/// A table of 20,000 rows of numbers, all different.
fn numbers(names: &[String], generator: &mut Pcg64Mcg) -> Result<String> {
    let mut table = names.join(",") + "\n";
    for _ in 0..20_000 {
        let common: f64 = generator.random_range(0.0..1.0);
        for variable in 0..names.len() {
            let separator = if variable + 1 == names.len() { "\n" } else { "," };
            write!(table, "{:.6}{separator}", common + generator.random_range(0.0..4.0))?;
        }
    }
    Ok(table)
}

/// A path of binary variables with a random table on each pair.
fn path(variables: usize, generator: &mut Pcg64Mcg) -> Result<String> {
    let mut text = format!("MARKOV\n{variables}\n{}\n{}\n", "2 ".repeat(variables), variables - 1);
    for other in 1..variables {
        writeln!(text, "2 {} {other}", other - 1)?;
    }
    for _ in 1..variables {
        let mut entry = || generator.random_range(0.5..2.0);
        writeln!(text, "4\n{:.3} {:.3} {:.3} {:.3}", entry(), entry(), entry(), entry())?;
    }
    Ok(text)
}

fn ended(command: &Path, folder: &Path, line: &str) -> Result<()> {
    match measured(command, folder, line)? {
        (0, _) => Ok(()),
        (code, _) => bail!("cmnet {line}: exit code {code}"),
    }
}

/// A binary grid with a random table on each pair.
fn grid(side: usize, generator: &mut Pcg64Mcg) -> Result<String> {
    let mut pairs = Vec::new();
    for at in 0..side * side {
        pairs.extend((at % side + 1 < side).then_some((at, at + 1)));
        pairs.extend((at + side < side * side).then_some((at, at + side)));
    }
    let mut text = format!("MARKOV\n{}\n{}\n{}\n", side * side, "2 ".repeat(side * side), pairs.len());
    for (one, other) in &pairs {
        writeln!(text, "2 {one} {other}")?;
    }
    for _ in &pairs {
        let mut entry = || generator.random_range(0.5..2.0);
        writeln!(text, "4\n{} {} {} {}", entry(), entry(), entry(), entry())?;
    }
    Ok(text)
}

/// One random table over so many binary variables.
fn clique(variables: usize, generator: &mut Pcg64Mcg) -> Result<String> {
    let scope: Vec<String> = (0..variables).map(|v| v.to_string()).collect();
    let mut text = format!("MARKOV\n{variables}\n{}\n1\n", "2 ".repeat(variables));
    writeln!(text, "{variables} {}\n{}", scope.join(" "), 1u64 << variables)?;
    for _ in 0..1u64 << variables {
        writeln!(text, "{:.3}", generator.random_range(0.5..2.0))?;
    }
    Ok(text)
}
