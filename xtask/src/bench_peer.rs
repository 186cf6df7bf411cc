//! `cargo xtask bench peer`: learning without contexts beside PyBNesian's PC, same table.

use crate::bench_search::build;
use crate::python::{step, with_packages};
use anyhow::Result;
use std::process::Command;

const SCRIPT: &str = include_str!("bench_peer.py");

pub(crate) fn run() -> Result<()> {
    let bench = build()?;
    let python = with_packages("peer", &[("pybnesian", "pybnesian"), ("pandas", "pandas")])?;
    let folder = bench.with_file_name("peer");
    std::fs::create_dir_all(&folder)?;
    let folder_text = folder.to_string_lossy().into_owned();
    step(Command::new(&bench).args(["peer-table", &folder_text, "1000", "2000"]))?;
    step(Command::new(&bench).args(["peer-learn", "1000", "2000"]))?;
    let script = folder.join("peer.py");
    std::fs::write(&script, SCRIPT)?;
    step(Command::new(python).arg(&script).arg(&folder))
}
