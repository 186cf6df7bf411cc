//! `cargo xtask bench accuracy`: known graphs, public networks and density tables beside other
//! programs.

use crate::bench_search::build;
use crate::python::{step, with_packages};
use anyhow::Result;
use std::process::Command;

const SCRIPT: &str = include_str!("bench_accuracy.py");

/// The other programs: import name and package.
const PACKAGES: [(&str, &str); 5] = [
    ("pybnesian", "pybnesian"),
    ("pyagrum", "pyagrum"),
    ("pgmpy", "pgmpy"),
    ("sklearn", "scikit-learn"),
    ("pandas", "pandas"),
];

/// Runs one part, or all; density tables are those of a folder, where one is given.
pub(crate) fn run(part: Option<&str>, density: Option<&str>) -> Result<()> {
    let bench = build()?;
    let python = with_packages("accuracy", &PACKAGES)?;
    let folder = bench.with_file_name("accuracy");
    std::fs::create_dir_all(&folder)?;
    let script = folder.join("accuracy.py");
    std::fs::write(&script, SCRIPT)?;
    let all = ["structure", "scores", "networks", "classification", "density"];
    for name in all.into_iter().filter(|name| part.is_none_or(|part| part == *name)) {
        if name == "density" && density.is_none() {
            println!("density: give a folder with NAME.train.data.gz and NAME.test.data.gz");
            continue;
        }
        let mut command = Command::new(&python);
        step(command.arg(&script).args([&bench, &folder]).arg(name).args(density))?;
    }
    Ok(())
}
