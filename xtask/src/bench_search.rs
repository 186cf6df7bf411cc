//! `cargo xtask bench search`: every section in a process of its own.

use anyhow::{Context, Result, bail};
use std::path::PathBuf;
use std::process::Command;

pub(crate) fn run(folder: &str, baseline: &str) -> Result<()> {
    let bench = build()?;
    let sections: [&[&str]; 23] = [
        &["paper", "data"],
        &["counting"],
        &["dispatch"],
        &["loading"],
        &["reading"],
        &["roofline", "1000", "10000"],
        &["known-head"],
        &["known", "2-tree", "50", "10000", "paper"],
        &["known", "2-tree", "50", "10000"],
        &["known", "2-tree", "500", "10000"],
        &["known", "2-tree", "1000", "10000"],
        &["known", "2-tree", "2000", "10000"],
        &["known", "2-tree", "5000", "10000"],
        &["known", "3-tree", "15", "10000", "paper"],
        &["known", "3-tree", "50", "10000"],
        &["known", "ternary-2-tree", "50", "10000", "paper"],
        &["known", "ternary-2-tree", "200", "10000"],
        &["known", "triangle-grid", "49", "10000", "paper"],
        &["known", "triangle-grid", "400", "10000"],
        &["tables", folder],
        &["contexts", folder, baseline],
        &["growth"],
        &["gradient"],
    ];
    for section in sections {
        let status = Command::new(&bench).args(section).status().context("cannot start the benchmark")?;
        if !status.success() {
            bail!("section {} failed", section.join(" "));
        }
    }
    Ok(())
}

/// Builds the measuring program and returns its path.
pub(crate) fn build() -> Result<PathBuf> {
    release("cmnet-bench")
}

/// Builds a program of this workspace with optimisation and returns its path.
pub(crate) fn release(package: &str) -> Result<PathBuf> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo).args(["build", "--release", "--quiet", "-p", package]).status()?;
    if !status.success() {
        bail!("cannot build {package}");
    }
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| PathBuf::from("target"), PathBuf::from);
    Ok(target.join("release").join(package.strip_suffix("-cli").unwrap_or(package)))
}
