//! `cargo xtask fuzz`: every body of `fuzz/src/bodies.rs` with bytes that libFuzzer makes up.

use crate::python_package::target;
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The flags by which the compiler counts what is reached, those of `cargo fuzz` without a
/// sanitizer: there is no unsafe code to watch.
const INSTRUMENTS: [&str; 7] = [
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
    "--cfg",
    "fuzzing",
];

/// Seconds and MiB that one input may take.
const LIMITS: [&str; 2] = ["-timeout=10", "-rss_limit_mb=2048"];

/// Fuzzes each target, or each of those that are named, for its share of the time.
pub(crate) fn run(minutes: f64, named: &[&str]) -> Result<()> {
    let known = targets()?;
    if let Some(unknown) = named.iter().find(|name| !known.iter().any(|known| known == *name)) {
        bail!("there is no body {unknown:?}; the bodies are {}", known.join(", "));
    }
    let asked = |name: &String| named.is_empty() || named.contains(&name.as_str());
    let targets: Vec<String> = known.into_iter().filter(asked).collect();
    let programs = build(&targets)?;
    let seconds = ((minutes * 60.0 / targets.len() as f64) as u64).max(1);
    let (mut all, mut bad) = (0, Vec::new());
    for name in &targets {
        let (executions, failure) = fuzz(&programs.join(name), name, seconds)?;
        println!("{executions:>10} executions  {name}");
        all += executions;
        bad.extend(failure);
    }
    println!("fuzz: {all} executions of {} targets, {seconds} s each, {} failures", targets.len(), bad.len());
    if bad.is_empty() {
        return Ok(());
    }
    bail!("{}\nput each input into fuzz/corpus under a name that says what it found", bad.join("\n"))
}

/// The targets, by the names of their files.
fn targets() -> Result<Vec<String>> {
    let entries = std::fs::read_dir("fuzz/fuzz_targets").context("run this in the repository's folder")?;
    let stem = |entry: std::fs::DirEntry| Some(entry.path().file_stem()?.to_string_lossy().into_owned());
    let mut names: Vec<String> = entries.flatten().filter_map(stem).collect();
    names.sort_unstable();
    Ok(names)
}

/// Compiles the targets with instruments; returns the folder of the programs.
fn build(targets: &[String]) -> Result<PathBuf> {
    let folder = std::path::absolute(target().join("fuzz"))?;
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let host = host()?;
    let status = Command::new(cargo)
        .args(["build", "--release", "--manifest-path", "fuzz/Cargo.toml", "--target", &host])
        .args(targets.iter().flat_map(|name| ["--bin", name]))
        .env("RUSTFLAGS", INSTRUMENTS.join(" "))
        .env("CARGO_TARGET_DIR", &folder)
        .status()?;
    if !status.success() {
        bail!("cannot build the targets");
    }
    Ok(folder.join(host).join("release"))
}

/// This machine in the compiler's words. A target that is named keeps the instruments out of build
/// scripts.
fn host() -> Result<String> {
    let said = Command::new("rustc").arg("-vV").output().context("cannot start rustc")?;
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    let host = said.lines().find_map(|line| line.strip_prefix("host: ")).context("rustc names no host")?;
    Ok(host.to_owned())
}

/// Executions of one target, and the input that broke it, if there is one.
fn fuzz(program: &Path, name: &str, seconds: u64) -> Result<(u64, Option<String>)> {
    let grown = target().join("fuzz").join("corpus").join(name);
    let found = target().join("fuzz").join("found").join(name);
    std::fs::create_dir_all(&grown)?;
    std::fs::create_dir_all(&found)?;
    let output = Command::new(program)
        .args(LIMITS)
        .args([format!("-max_total_time={seconds}"), format!("-artifact_prefix={}/", found.display())])
        .args(["-print_final_stats=1", "-verbosity=0"])
        // What is new goes into the first folder; the kept inputs are only read.
        .arg(&grown)
        .arg(Path::new("fuzz/corpus").join(name))
        .output()
        .with_context(|| format!("cannot start {}", program.display()))?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let executions = said.lines().find_map(|line| line.strip_prefix("stat::number_of_executed_units:"));
    let executions = executions.and_then(|number| number.trim().parse().ok()).unwrap_or_default();
    if output.status.success() {
        return Ok((executions, None));
    }
    let why = said.lines().find(|line| line.contains("panicked") || line.contains("ERROR"));
    let file = said.lines().find(|line| line.contains("Test unit written to"));
    let failure = format!("{name}: {}\n  {}", why.unwrap_or("it failed"), file.unwrap_or_default().trim());
    Ok((executions, Some(failure)))
}
