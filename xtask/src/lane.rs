//! Commands of cargo, one after another and side by side.

use crate::python_package::target;
use anyhow::{Context, Result, anyhow, bail};
use std::ffi::OsString;
use std::process::Command;
use std::thread::JoinHandle;

/// Work that goes on beside the main thread.
pub(crate) struct Lane<T> {
    state: State<T>,
}

enum State<T> {
    Working(JoinHandle<Result<T>>),
    Done(T),
}

impl<T: Send + 'static> Lane<T> {
    pub(crate) fn start(work: impl FnOnce() -> Result<T> + Send + 'static) -> Self {
        Self { state: State::Working(std::thread::spawn(work)) }
    }

    /// The same lane, or its error when it has failed by now.
    pub(crate) fn unless_failed(self) -> Result<Self> {
        match &self.state {
            State::Working(thread) if thread.is_finished() => Ok(Self { state: State::Done(self.end()?) }),
            _ => Ok(self),
        }
    }

    /// Waits for the end.
    pub(crate) fn end(self) -> Result<T> {
        match self.state {
            State::Working(thread) => thread.join().map_err(|_| anyhow!("a lane panicked"))?,
            State::Done(result) => Ok(result),
        }
    }
}

/// A command of cargo with the name that people see.
pub(crate) struct Run<'a> {
    name: &'a str,
    arguments: &'a [&'a str],
    variables: Vec<(&'a str, OsString)>,
    beside: bool,
}

impl<'a> Run<'a> {
    pub(crate) fn new(name: &'a str, arguments: &'a [&'a str]) -> Self {
        let variables = incremental().map(|(name, value)| (name, value.into())).into_iter().collect();
        Self { name, arguments, variables, beside: false }
    }

    /// In a target folder of its own, since cargo locks the one it works in, and after everything
    /// else that wants the processor.
    pub(crate) fn beside(mut self) -> Self {
        self.beside = true;
        self.with("CARGO_TARGET_DIR", target().join("lint"))
    }

    pub(crate) fn with(mut self, name: &'a str, value: impl Into<OsString>) -> Self {
        self.variables.push((name, value.into()));
        self
    }
}

/// Runs one command and fails with its name.
pub(crate) fn step(run: &Run<'_>) -> Result<()> {
    println!("xtask: {}", run.name);
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = if run.beside && cfg!(unix) {
        let mut nice = Command::new("nice");
        nice.arg(cargo);
        nice
    } else {
        Command::new(cargo)
    };
    let status = command
        .args(run.arguments)
        .envs(run.variables.iter().map(|(name, value)| (name, value)))
        .status()
        .with_context(|| format!("cannot start cargo for {}", run.name))?;
    if !status.success() {
        bail!("{} failed: cargo {}", run.name, run.arguments.join(" "));
    }
    Ok(())
}

/// The variable that turns incremental builds off, where nobody builds that way yet.
///
/// What a fresh clone compiles, it compiles once: notes for the next time cost a tenth of the
/// work. Someone who has such notes goes on with them.
pub(crate) fn incremental() -> Option<(&'static str, &'static str)> {
    let notes = target().join("debug").join("incremental");
    let library = |entry: std::fs::DirEntry| entry.file_name().to_string_lossy().starts_with("cmnet-");
    let noted = std::fs::read_dir(notes).is_ok_and(|entries| entries.flatten().any(library));
    let asked = std::env::var_os("CARGO_INCREMENTAL").is_some();
    (!noted && !asked).then_some(("CARGO_INCREMENTAL", "0"))
}
