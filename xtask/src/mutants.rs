//! `cargo xtask mutants`: small changes of the library, each of which a test must notice. The work is done in
//! `mutants.py`, by a parser of Rust that Python has.

use crate::python::{step, with_packages};
use crate::python_package::target;
use anyhow::{Result, bail};
use std::process::Command;

const SCRIPT: &str = "xtask/src/mutants.py";

/// Import name and package of what the script needs.
const PACKAGES: [(&str, &str); 2] =
    [("tree_sitter", "tree-sitter==0.26.0"), ("tree_sitter_rust", "tree-sitter-rust==0.24.2")];

/// The modules that must not be wrong in silence.
const MODULES: [&str; 7] = ["score", "counts", "search", "context", "loglinear", "tree", "io"];

/// The words for every module, and for what survived the last time.
const ALL: &str = "all";
const AGAIN: &str = "again";

/// Tries the mutants of one module, or of all; or a share of them, such as 1/20, or those that survived. Where
/// tests are named, only those whose names hold one of the words are run.
pub(crate) fn run(module: &str, share: &str, tests: &[&str]) -> Result<()> {
    if module != ALL && !MODULES.contains(&module) {
        bail!("there is no module {module:?} to try; the modules are {}, or {ALL}", MODULES.join(", "));
    }
    if share != AGAIN && !is_share(share) {
        bail!("{share:?} is no share; write I/N, such as 1/20, or {AGAIN} for those that survived");
    }
    let modules = if module == ALL { MODULES.join(",") } else { module.to_owned() };
    let python = with_packages("mutants", &PACKAGES)?;
    let mut script = Command::new(python);
    script.args(["-B", SCRIPT, "."]).arg(target().join("mutants")).args([&modules, share]).args(tests);
    step(&mut script)
}

fn is_share(share: &str) -> bool {
    let numbers = share.split_once('/').map(|(one, of)| (one.parse::<u64>(), of.parse::<u64>()));
    matches!(numbers, Some((Ok(one), Ok(of))) if (1..=of).contains(&one))
}
