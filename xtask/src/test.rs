//! `cargo xtask test`: all that must hold before a change lands.

use anyhow::{Context, Result, anyhow, bail};
use std::process::Command;

/// Damaged files in a run of all tests; `cargo xtask hostile` tries more.
const SOME_HOSTILE: u64 = 300;

pub(crate) fn run() -> Result<()> {
    // Downloads wait for the network and the compiler for the processor: both at once.
    let environment = std::thread::spawn(|| {
        Ok::<_, anyhow::Error>((
            crate::python_package::fresh_environment()?,
            crate::browser::found_or_installed()?,
        ))
    });
    step("formatting", &["fmt", "--all", "--check"], &[])?;
    step("lints", &["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"], &[])?;
    step("features", &["check", "--package", "cmnet", "--no-default-features", "--quiet"], &[])?;
    step(
        "documentation",
        &["doc", "--workspace", "--no-deps", "--quiet"],
        &[("RUSTDOCFLAGS", "-D warnings")],
    )?;
    step("tests", &["test", "--workspace"], &[])?;
    println!("xtask: damaged files");
    crate::hostile::run(SOME_HOSTILE, Some(crate::python_package::target().join("debug").join("cmnet")))?;
    let made = environment.join().map_err(|_| anyhow!("the Python environment could not be made"))?;
    let (python, browser) = made?;
    crate::python_package::test(&python, &browser)?;
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
