//! `cargo xtask test`: all that must hold before a change lands.

use anyhow::{Context, Result, bail};
use std::process::Command;

pub(crate) fn run() -> Result<()> {
    step("formatting", &["fmt", "--all", "--check"], &[])?;
    step("lints", &["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"], &[])?;
    step(
        "documentation",
        &["doc", "--workspace", "--no-deps", "--quiet"],
        &[("RUSTDOCFLAGS", "-D warnings")],
    )?;
    step("tests", &["test", "--workspace"], &[])?;
    crate::python_package::test()?;
    println!("xtask: all checks passed");
    Ok(())
}

/// Runs one cargo command and fails with its name.
fn step(name: &str, arguments: &[&str], variables: &[(&str, &str)]) -> Result<()> {
    println!("xtask: {name}");
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .args(arguments)
        .envs(variables.iter().copied())
        .status()
        .with_context(|| format!("cannot start cargo for {name}"))?;
    if !status.success() {
        bail!("{name} failed: cargo {}", arguments.join(" "));
    }
    Ok(())
}
