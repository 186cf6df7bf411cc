//! `cargo xtask test`: all that must hold before a change lands.
//!
//! Two lanes share the cores. The first builds the tests and the wheel and runs the tests of Rust.
//! The second has lints and documentation, which are a chain of single threads: it takes the time
//! that the first lane leaves. The tests of Python measure time and run alone.

use crate::lane::{Lane, Run, step};
use crate::python_package::target;
use anyhow::Result;

/// Damaged files in a run of all tests; `cargo xtask hostile` tries more.
const SOME_HOSTILE: u64 = 300;

/// The seed of properties, so that what passed once passes again. `cargo test` by itself draws another one
/// each time.
const PROPERTY_SEED: &str = "1";

pub(crate) fn run() -> Result<()> {
    // Downloads wait for the network and the compiler for the processor: both at once.
    let environment = Lane::start(crate::python_package::fresh_environment);
    let browser = Lane::start(crate::browser::found_or_installed);
    step(&Run::new("formatting", &["fmt", "--all", "--check"]))?;
    let lints = Lane::start(lints_and_documentation);
    step(&Run::new("build of the tests", &["test", "--workspace", "--no-run", "--quiet"]))?;
    let lints = lints.unless_failed()?;
    let python = environment.end()?;
    crate::python_package::install_for_tests(&python)?;
    step(&Run::new("tests", &["test", "--workspace"]).with("PROPTEST_RNG_SEED", PROPERTY_SEED))?;
    crate::book::check()?;
    println!("xtask: damaged files and failing calls");
    let command = target().join("debug").join("cmnet");
    crate::hostile::run(SOME_HOSTILE, Some(command.clone()))?;
    crate::faults::some(command)?;
    lints.end()?;
    crate::python_package::test(&python, &browser.end()?)?;
    println!("xtask: all checks passed");
    Ok(())
}

fn lints_and_documentation() -> Result<()> {
    let lints = ["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"];
    step(&Run::new("lints", &lints).beside())?;
    let features = ["check", "--package", "cmnet", "--no-default-features", "--quiet"];
    step(&Run::new("features", &features).beside())?;
    let documentation = ["doc", "--workspace", "--no-deps", "--quiet"];
    step(&Run::new("documentation", &documentation).beside().with("RUSTDOCFLAGS", "-D warnings"))
}
