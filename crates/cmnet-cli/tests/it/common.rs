//! A folder to run `cmnet` in, and what it said.

#![allow(dead_code, reason = "every test binary uses its own part of this")]

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Output;
use tempfile::TempDir;

/// The workspace.
pub(crate) fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// A temporary folder in which `data` leads to the bundled tables.
pub(crate) struct Sandbox {
    folder: TempDir,
}

/// What a run of `cmnet` left.
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    what: String,
}

impl Sandbox {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        link(&workspace().join("data"), &folder.path().join("data"));
        Self { folder }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> &Self {
        std::fs::write(self.path(name), bytes).unwrap();
        self
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    pub(crate) fn exists(&self, name: &str) -> bool {
        self.path(name).exists()
    }

    /// Runs `cmnet` with arguments separated by blanks.
    pub(crate) fn run(&self, arguments: &str) -> Ran {
        self.run_with(arguments, "")
    }

    /// The same with something on standard input.
    pub(crate) fn run_with(&self, arguments: &str, stdin: impl Into<Vec<u8>>) -> Ran {
        let output = assert_cmd::Command::new(env!("CARGO_BIN_EXE_cmnet"))
            .args(arguments.split_whitespace())
            .current_dir(self.folder.path())
            .write_stdin(stdin)
            .output()
            .unwrap();
        Ran::of(arguments, &output)
    }

    /// The JSON answer of a command that succeeds. It names the command as its format.
    pub(crate) fn json(&self, arguments: &str) -> Value {
        let answer = self.run(&format!("{arguments} --format json")).json();
        let command = arguments.split_whitespace().next().unwrap();
        // Stratified models have an answer of their own.
        let answered = if arguments.contains("--model sgm") { "sgm" } else { command };
        assert_eq!(answer["format"], format!("cmnet-{answered}/1"), "cmnet {arguments}");
        answer
    }

    /// The same of a command whose answer has the same bytes for any number of threads.
    pub(crate) fn json_for_any_threads(&self, arguments: &str) -> Value {
        let [one, two] = [1, 2]
            .map(|threads| self.run(&format!("{arguments} --threads {threads} --format json")).succeeds());
        assert_eq!(one.stdout, two.stdout);
        one.json()
    }

    /// A fitted model of the coronary heart data, for commands that need one.
    pub(crate) fn with_model() -> Self {
        let sandbox = Self::new();
        sandbox.run("learn data/coronary_heart.csv -o m.model.json").succeeds();
        sandbox
    }
}

impl Ran {
    pub(crate) fn of(what: &str, output: &Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout.clone()).unwrap(),
            stderr: String::from_utf8(output.stderr.clone()).unwrap(),
            what: what.to_owned(),
        }
    }

    pub(crate) fn succeeds(self) -> Self {
        self.ends_with(0)
    }

    pub(crate) fn ends_with(self, code: i32) -> Self {
        assert_eq!(self.code, code, "cmnet {}\n{}\n{}", self.what, self.stdout, self.stderr);
        self
    }

    /// Standard output as the one JSON document that it must be.
    pub(crate) fn json(self) -> Value {
        let ran = self.succeeds();
        ran.document()
    }

    /// The JSON document on standard output, whatever the exit code.
    pub(crate) fn document(&self) -> Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("cmnet {}: {error}\n{}{}", self.what, self.stdout, self.stderr))
    }

    /// Refused with this code, nothing on standard output, one line on standard error that
    /// says all of this.
    pub(crate) fn refused(&self, code: i32, says: &[&str]) {
        assert_eq!(self.code, code, "cmnet {}: {}", self.what, self.stderr);
        assert_eq!(self.stdout, "", "cmnet {}", self.what);
        for text in says {
            assert!(self.stderr.contains(text), "cmnet {}: no {text:?} in\n{}", self.what, self.stderr);
        }
        assert!(!self.stderr.contains("panicked"), "cmnet {}: {}", self.what, self.stderr);
    }

    pub(crate) fn says(&self, texts: &[&str]) {
        for text in texts {
            assert!(self.stdout.contains(text), "cmnet {}: no {text:?} in\n{}", self.what, self.stdout);
        }
    }
}

/// The fields of a document, by paths such as `models[].fit.method`, separated by blanks.
pub(crate) fn has_fields(document: &Value, paths: &str) {
    for path in paths.split_whitespace() {
        assert!(at(document, path), "no {path} in {document:#}");
    }
}

fn at(document: &Value, path: &str) -> bool {
    let Some((key, rest)) = path.split_once('.').map(|(key, rest)| (key, Some(rest))).or(Some((path, None)))
    else {
        return false;
    };
    let (name, in_list) = key.strip_suffix("[]").map_or((key, false), |name| (name, true));
    let Some(value) = document.get(name) else { return false };
    let below = |value: &Value| rest.is_none_or(|rest| at(value, rest));
    match value.as_array() {
        Some(items) if in_list => !items.is_empty() && items.iter().all(below),
        _ => !in_list && below(value),
    }
}

pub(crate) fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

pub(crate) fn near(found: &Value, expected: f64, tolerance: f64) {
    let found = number(found);
    assert!((found - expected).abs() <= tolerance, "{found} is not {expected} within {tolerance}");
}

#[cfg(unix)]
fn link(from: &Path, to: &Path) {
    std::os::unix::fs::symlink(from, to).unwrap();
}

#[cfg(not(unix))]
fn link(from: &Path, to: &Path) {
    std::fs::create_dir(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        std::fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
}
