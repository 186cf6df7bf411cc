//! `cargo xtask bench accuracy`: known graphs, public networks, classes and density tables beside
//! other programs.

use crate::bench_search::build;
use crate::python::{step, with_packages};
use anyhow::{Result, bail};
use std::process::Command;

/// One script for each part.
const PARTS: [(&str, &str); 5] = [
    ("structure", include_str!("bench_accuracy/structure.py")),
    ("scores", include_str!("bench_accuracy/scores.py")),
    ("networks", include_str!("bench_accuracy/networks.py")),
    ("classification", include_str!("bench_accuracy/classification.py")),
    ("density", include_str!("bench_accuracy/density.py")),
];

/// What the parts import.
const SHARED: [(&str, &str); 2] = [
    ("shared", include_str!("bench_accuracy/shared.py")),
    ("directed", include_str!("bench_accuracy/directed.py")),
];

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
    let is_asked = |name: &str| part.is_none_or(|part| part == name);
    if !PARTS.iter().any(|(name, _)| is_asked(name)) {
        bail!("the parts are {}", PARTS.map(|(name, _)| name).join(", "));
    }
    let bench = build()?;
    let python = with_packages("accuracy", &PACKAGES)?;
    let folder = bench.with_file_name("accuracy");
    std::fs::create_dir_all(&folder)?;
    for (name, script) in PARTS.iter().chain(&SHARED) {
        std::fs::write(folder.join(name).with_extension("py"), script)?;
    }
    for (name, _) in PARTS.iter().filter(|(name, _)| is_asked(name)) {
        if *name == "density" && density.is_none() {
            println!("density: give a folder with NAME.train.data.gz and NAME.test.data.gz");
            continue;
        }
        let script = folder.join(name).with_extension("py");
        step(Command::new(&python).arg(script).args([&bench, &folder]).args(density))?;
    }
    Ok(())
}
