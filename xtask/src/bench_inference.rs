//! `cargo xtask bench inference`: exact inference beside pyAgrum and toulbar2 on the same
//! networks in the same run.

use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::Command;

const SCRIPT: &str = include_str!("bench_inference.py");
const CASES: [&str; 3] = ["random20", "grid10x10", "twotree200"];

pub(crate) fn run() -> Result<()> {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| PathBuf::from("target"), PathBuf::from);
    let folder = target.join("bench").join("inference");
    let environment = target.join("bench").join("venv");
    std::fs::create_dir_all(&folder).context("cannot make a folder for the benchmark")?;
    let python = prepare(&environment)?;
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let example = ["run", "--release", "--quiet", "-p", "cmnet", "--example", "inference_bench", "--"];
    step(Command::new(cargo).args(example).arg(&folder))?;
    let script = folder.join("compare.py");
    std::fs::write(&script, SCRIPT)?;
    step(Command::new(python).arg(&script).arg(&folder).args(CASES))
}

/// A Python environment of its own with the other engines, made once.
fn prepare(environment: &Path) -> Result<PathBuf> {
    let python = environment.join("bin").join("python");
    let ready = Command::new(&python).args(["-c", "import pyagrum, pytoulbar2"]).output();
    if ready.is_ok_and(|output| output.status.success()) {
        return Ok(python);
    }
    println!("xtask: installing pyagrum and pytoulbar2 into {}", environment.display());
    step(Command::new("python3").args(["-m", "venv"]).arg(environment))?;
    step(Command::new(&python).args(["-m", "pip", "install", "--quiet", "pyagrum", "pytoulbar2"]))?;
    Ok(python)
}

fn step(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("cannot start {command:?}"))?;
    if !status.success() {
        bail!("{command:?} failed");
    }
    Ok(())
}
