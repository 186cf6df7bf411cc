//! `cargo xtask same BASELINE`: another build of the command answers as this one does, byte for
//! byte, on every command of `suite/same.txt`.

use crate::bench_search::release;
use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

const COMMANDS: &str = "suite/same.txt";

/// Files by name.
type Files = BTreeMap<PathBuf, Vec<u8>>;

/// What one command left behind: of files, those that it wrote or changed.
#[derive(PartialEq)]
struct Left {
    code: Option<i32>,
    stdout: Vec<u8>,
    stderr: Vec<u8>,
    files: Files,
}

pub(crate) fn run(baseline: &str) -> Result<()> {
    let baseline = std::path::absolute(baseline)?;
    let present = std::path::absolute(release("cmnet-cli")?)?;
    let commands = std::fs::read_to_string(COMMANDS).context("run this in the repository's folder")?;
    let folders = [folder("baseline")?, folder("present")?];
    let (mut compared, mut different) = (0, 0);
    let mut before = [BTreeMap::new(), BTreeMap::new()];
    for line in commands.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let one = execute(&baseline, line, &folders[0], &mut before[0])?;
        let other = execute(&present, line, &folders[1], &mut before[1])?;
        compared += 1;
        if one != other {
            different += 1;
            println!("differs: cmnet {line}");
            report(&one, &other);
        }
    }
    println!("{compared} commands compared, {different} differ");
    if different > 0 {
        bail!("{different} commands answer differently");
    }
    Ok(())
}

/// An empty folder in which `data` leads to the bundled tables.
fn folder(name: &str) -> Result<PathBuf> {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| PathBuf::from("target"), PathBuf::from);
    let folder = std::path::absolute(target.join("same").join(name))?;
    if folder.exists() {
        std::fs::remove_dir_all(&folder)?;
    }
    std::fs::create_dir_all(folder.join("data"))?;
    for entry in std::fs::read_dir("data")? {
        let entry = entry?;
        std::fs::copy(entry.path(), folder.join("data").join(entry.file_name()))?;
    }
    Ok(folder)
}

fn execute(program: &Path, line: &str, folder: &Path, before: &mut Files) -> Result<Left> {
    let output = Command::new(program)
        .args(line.split_whitespace())
        .current_dir(folder)
        .output()
        .with_context(|| format!("cannot start {}", program.display()))?;
    let mut now = Files::new();
    collect(folder, folder, &mut now)?;
    let changed = now.iter().filter(|(name, bytes)| before.get(*name) != Some(bytes));
    let files = changed.map(|(name, bytes)| (name.clone(), bytes.clone())).collect();
    *before = now;
    Ok(Left { code: output.status.code(), stdout: output.stdout, stderr: output.stderr, files })
}

/// Every file below a folder, but the tables and what tells of time: timings, and the cells of an
/// experiment, which hold theirs.
fn collect(root: &Path, folder: &Path, files: &mut Files) -> Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if path != root.join("data") && !name.starts_with("cells") {
                collect(root, &path, files)?;
            }
        } else if path.file_name().is_none_or(|name| name != "timing.json") {
            files.insert(path.strip_prefix(root)?.to_owned(), std::fs::read(&path)?);
        }
    }
    Ok(())
}

fn report(one: &Left, other: &Left) {
    if one.code != other.code {
        println!("  exit code: {:?}, now {:?}", one.code, other.code);
    }
    first_difference("standard output", &one.stdout, &other.stdout);
    first_difference("standard error", &one.stderr, &other.stderr);
    let names = one.files.keys().chain(other.files.keys()).collect::<std::collections::BTreeSet<_>>();
    for name in names {
        match (one.files.get(name), other.files.get(name)) {
            (Some(before), Some(now)) => first_difference(&name.display().to_string(), before, now),
            (Some(_), None) => println!("  {} is gone", name.display()),
            (None, _) => println!("  {} is new", name.display()),
        }
    }
}

fn first_difference(what: &str, one: &[u8], other: &[u8]) {
    if one == other {
        return;
    }
    let (one, other) = (String::from_utf8_lossy(one), String::from_utf8_lossy(other));
    let (mut before, mut now) = (one.lines(), other.lines());
    let mut line = 0;
    loop {
        line += 1;
        let (left, right) = (before.next(), now.next());
        if left != right || left.is_none() {
            println!("  {what}, line {line}");
            println!("    was {}", cut(left.unwrap_or("(end)")));
            println!("    now {}", cut(right.unwrap_or("(end)")));
            return;
        }
    }
}

fn cut(line: &str) -> String {
    line.chars().take(400).collect()
}
