//! `cargo xtask bench inference`: exact inference beside pyAgrum and toulbar2 on the same
//! networks in the same run.

use crate::bench_search::build;
use crate::python::{step, with_packages};
use anyhow::{Context, Result};
use std::path::PathBuf;
use std::process::Command;

const SCRIPT: &str = include_str!("bench_inference.py");
const CASES: [&str; 3] = ["random20", "grid10x10", "twotree200"];

pub(crate) fn run() -> Result<()> {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| PathBuf::from("target"), PathBuf::from);
    let folder = target.join("bench").join("inference");
    std::fs::create_dir_all(&folder).context("cannot make a folder for the benchmark")?;
    let python = with_packages("inference", &[("pyagrum", "pyagrum"), ("pytoulbar2", "pytoulbar2")])?;
    let bench = build()?;
    step(Command::new(&bench).arg("inference").arg(&folder))?;
    step(Command::new(&bench).arg("completions").arg(&folder))?;
    let script = folder.join("compare.py");
    std::fs::write(&script, SCRIPT)?;
    step(Command::new(python).arg(&script).arg(&folder).args(CASES))
}
