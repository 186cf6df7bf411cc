//! Programs of the registry that some commands need: installed once, into `target/tools`.

use crate::lane::{Run, step};
use crate::python_package::target;
use anyhow::Result;
use std::path::PathBuf;

/// A program with the version that the commands were written for.
#[derive(Clone, Copy)]
pub(crate) struct Tool {
    /// The package in the registry, which is the name of the program too.
    pub(crate) name: &'static str,
    pub(crate) version: &'static str,
    /// What `cargo install` is asked besides.
    pub(crate) features: &'static [&'static str],
}

impl Tool {
    /// The path of the program. It is compiled where it is not there yet.
    pub(crate) fn path(&self) -> Result<PathBuf> {
        let root = std::path::absolute(target().join("tools"))?;
        let program = root.join("bin").join(self.name);
        if !program.exists() {
            let root = root.to_string_lossy().into_owned();
            // They read files and start other programs: compiled as quickly as can be.
            let quickly = ["install", "--locked", "--quiet", "--debug", "--root", &root, "--version"];
            let install = quickly.into_iter().chain([self.version, self.name]);
            let words: Vec<&str> = install.chain(self.features.iter().copied()).collect();
            step(&Run::new(&format!("{} {}", self.name, self.version), &words))?;
        }
        Ok(program)
    }
}
