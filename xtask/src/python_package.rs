//! The Python package: a wheel, an environment of its own, its tests; and its measurements.

use crate::bench_search::release;
use crate::python::step;
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::Command;

/// What the tests and measurements need, by pip.
const REQUIREMENTS: &str = "crates/cmnet-py/tests/requirements.txt";
const BENCH: &str = "xtask/src/bench_python.py";
const BENCH_CLUSTER: &str = "xtask/src/bench_cluster.py";
const KILLS: &str = "crates/cmnet-py/tests/test_cluster.py";

/// The interpreter of an environment made anew, with what the tests need.
pub(crate) fn fresh_environment() -> Result<PathBuf> {
    environment(Environment::Fresh)
}

/// Builds the wheel as the tests of Rust are built and installs it into the environment.
pub(crate) fn install_for_tests(python: &Path) -> Result<()> {
    println!("xtask: wheel");
    install(python, "dev")
}

/// Runs the tests of the installed wheel.
///
/// The command is the one that the tests before have built. Pages are tested in the browser.
pub(crate) fn test(python: &Path, browser: &Path) -> Result<()> {
    println!("xtask: Python package");
    let command = std::path::absolute(target().join("debug").join("cmnet"))?;
    // One process for each core of a small machine: most tests wait for commands of their own.
    let pytest = ["-m", "pytest", "-p", "no:cacheprovider", "-n", "2", "--durations", "15"];
    let mut tests = Command::new(python);
    step(tests.args(pytest).env("CMNET_COMMAND", command).env(crate::browser::VARIABLE, browser))
}

/// `cargo xtask bench python`: learning and marginals beside pgmpy, in the same run.
pub(crate) fn bench() -> Result<()> {
    let python = environment(Environment::AsItIs)?;
    install(&python, "release")?;
    step(Command::new(&python).arg(BENCH).env("CMNET_COMMAND", release("cmnet-cli")?))
}

/// `cargo xtask bench cluster`: worker processes of Dask beside threads.
pub(crate) fn bench_cluster(sizes: &[&str]) -> Result<()> {
    let python = environment(Environment::AsItIs)?;
    install(&python, "release")?;
    step(Command::new(&python).arg(BENCH_CLUSTER).args(sizes))
}

/// `cargo xtask kills cluster`: so many runs on a cluster whose workers are killed.
pub(crate) fn kills(runs: &str) -> Result<()> {
    let python = environment(Environment::AsItIs)?;
    install(&python, "dev")?;
    let tests = ["-m", "pytest", "-p", "no:cacheprovider", "-k", "may_be_killed", KILLS];
    step(Command::new(&python).args(tests).env("CMNET_KILLED_RUNS", runs))
}

/// Whether an environment that is there already will do.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Environment {
    /// Made anew: nothing that an earlier run left can help or harm.
    Fresh,
    /// Made anew only when the requirements have changed.
    AsItIs,
}

/// The interpreter of an environment that has what the requirements list.
fn environment(age: Environment) -> Result<PathBuf> {
    let wanted = std::fs::read_to_string(REQUIREMENTS).context("run this in the repository's folder")?;
    let folder = target().join("python").join("environment");
    let python = folder.join("bin").join("python");
    let noted = folder.join("requirements.installed");
    let ready = std::fs::read_to_string(&noted).is_ok_and(|installed| installed == wanted);
    if age == Environment::Fresh || !ready || !python.exists() {
        step(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&folder))?;
        step(Command::new(&python).args(["-m", "pip", "install", "--quiet", "--requirement", REQUIREMENTS]))?;
        std::fs::write(&noted, wanted)?;
    }
    Ok(python)
}

/// Builds the wheel of this source and installs it.
fn install(python: &Path, profile: &str) -> Result<()> {
    let wheels = target().join("python").join("wheels");
    if wheels.exists() {
        std::fs::remove_dir_all(&wheels)?;
    }
    let build = ["-m", "maturin", "build", "--quiet", "--profile", profile, "--out"];
    let mut maturin = Command::new(python);
    step(maturin.args(build).arg(&wheels).arg("--interpreter").arg(python).envs(crate::lane::incremental()))?;
    let mut found = std::fs::read_dir(&wheels)?.filter_map(std::result::Result::ok).map(|entry| entry.path());
    let (Some(wheel), None) = (found.next(), found.next()) else {
        bail!("expected one wheel in {}", wheels.display());
    };
    let install = ["-m", "pip", "install", "--quiet", "--no-deps", "--force-reinstall"];
    step(Command::new(python).args(install).arg(wheel))
}

pub(crate) fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| PathBuf::from("target"), PathBuf::from)
}
