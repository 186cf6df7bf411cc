//! A Python environment of the benchmarks' own, made once under `target`.

use anyhow::{Context, Result, bail};
use std::path::PathBuf;
use std::process::Command;

/// The interpreter of an environment that has these packages (import name, package name).
pub(crate) fn with_packages(name: &str, packages: &[(&str, &str)]) -> Result<PathBuf> {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| PathBuf::from("target"), PathBuf::from);
    let environment = target.join("bench").join(name);
    let python = environment.join("bin").join("python");
    let imports: Vec<String> = packages.iter().map(|(import, _)| format!("import {import}")).collect();
    let ready = Command::new(&python).args(["-c", &imports.join("; ")]).output();
    if ready.is_ok_and(|output| output.status.success()) {
        return Ok(python);
    }
    step(Command::new("python3").args(["-m", "venv"]).arg(&environment))?;
    let wanted = packages.iter().map(|(_, package)| *package);
    step(Command::new(&python).args(["-m", "pip", "install", "--quiet"]).args(wanted))?;
    Ok(python)
}

/// Runs a command and fails when it does.
pub(crate) fn step(command: &mut Command) -> Result<()> {
    let status =
        command.status().with_context(|| format!("cannot start {}", command.get_program().display()))?;
    if !status.success() {
        bail!("{} failed", command.get_program().display());
    }
    Ok(())
}
