//! `cargo xtask faults`: every command that writes, with each of its system calls failing in turn.
//!
//! `strace` makes the n-th call fail, for every n, in the very program that users run: nothing in
//! it knows of this test. A limit on the size of files adds writes that are cut short. After each
//! fault a file holds what it held before or the whole of the new content; a command that says it
//! is done has written everything; what took long to compute is still told.

use crate::bench_search::release;
use crate::faults_judge::{Ended, Injected, Met, Stage};
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The calls that are made to fail, and how.
const FAULTS: [(&str, &[&str]); 8] = [
    ("write", &["ENOSPC", "EIO", "EPIPE", "EINTR"]),
    ("fsync", &["EIO", "ENOSPC"]),
    ("renameat", &["EIO", "ENOSPC"]),
    ("fchmod", &["EPERM"]),
    ("flock", &["ENOLCK"]),
    ("unlink", &["EIO"]),
    ("mkdir", &["ENOSPC"]),
    ("openat", &["ENOSPC", "EMFILE"]),
];

/// Every command that writes.
const SCENES: [Scene; 13] = [
    Scene::slow("learn data/coronary_heart.csv -o out.json", &["out.json", "out.svg"], "smoking"),
    Scene::slow(
        "learn data/coronary_heart.csv --format json -o out.json",
        &["out.json", "out.svg"],
        "cmnet-learn/1",
    ),
    Scene::slow("fit heart.model.json data/coronary_heart.csv -o out.json", &["out.json"], "parameters"),
    Scene::slow(
        "bootstrap data/coronary_heart.csv --replicates 3 --kappa n^-0.5 -o out.json",
        &["out.json"],
        "smoking",
    ),
    Scene::quick("import heart.uai -o out.json", &["out.json"]),
    Scene::quick(
        "export heart.model.json --given smoking=yes -o out.uai --evidence-output out.evid",
        &["out.uai", "out.evid"],
    ),
    Scene::quick("draw heart.model.json -o out.svg", &["out.svg"]),
    Scene::quick("explore heart.model.json -o out.html", &["out.html"]),
    Scene::quick(
        "report heart.model.json --data data/coronary_heart.csv --folds 0 -o out.html",
        &["out.html"],
    ),
    Scene::quick("sample heart.model.json -n 2000 --seed 1 -o out.csv", &["out.csv"]),
    Scene::slow(
        "predict heart.model.json data/coronary_heart.csv --target smoking -o out.csv",
        &["out.csv"],
        "rows predicted",
    ),
    Scene::quick("impute heart.model.json data/coronary_heart.csv -o out.csv", &["out.csv"]),
    Scene::quick("query heart.model.json --format json", &[]),
];

/// A search with a checkpoint at every step, and what goes on with it.
const CHECKPOINTED: Scene = Scene::slow(
    "learn data/coronary_heart.csv --checkpoint out.checkpoint --checkpoint-interval 0s -o out.json",
    &["out.json", "out.svg"],
    "smoking",
);
const RESUMED: &str =
    "learn data/coronary_heart.csv --checkpoint out.checkpoint --resume --format json --no-output";

/// The command whose faults a run of all tests walks through: it saves and tells.
const SHORT: &str = "fit ";

/// Faults that are shown when more than that are bad.
const MOST_SHOWN: usize = 40;

/// What stands at the path before.
const OLD: &[u8] = b"what was there before\n";

/// A command and the files that it writes.
pub(crate) struct Scene {
    pub(crate) line: &'static str,
    pub(crate) files: &'static [&'static str],
    /// What standard output holds of an answer that took long, even when its file fails.
    pub(crate) told: Option<&'static str>,
}

impl Scene {
    const fn quick(line: &'static str, files: &'static [&'static str]) -> Self {
        Self { line, files, told: None }
    }

    const fn slow(line: &'static str, files: &'static [&'static str], told: &'static str) -> Self {
        Self { line, files, told: Some(told) }
    }
}

/// Every fault of every command.
pub(crate) fn run(command: Option<PathBuf>) -> Result<()> {
    let command = command.map_or_else(|| release("cmnet-cli"), Ok)?;
    if !has_strace() {
        bail!("this needs strace (Debian and Ubuntu: apt-get install strace)");
    }
    walk(command, SCENES.iter().chain([&CHECKPOINTED]))
}

/// Every fault of one command, in a run of all tests; where there is no strace, none.
pub(crate) fn some(command: PathBuf) -> Result<()> {
    if !has_strace() {
        println!("xtask: no strace here, so no call fails");
        return Ok(());
    }
    walk(command, SCENES.iter().filter(|scene| scene.line.starts_with(SHORT)))
}

fn has_strace() -> bool {
    Command::new("strace").arg("-V").output().is_ok()
}

fn walk<'a>(command: PathBuf, scenes: impl Iterator<Item = &'a Scene>) -> Result<()> {
    let command = std::path::absolute(command)?;
    let folder = command.parent().context("no folder")?.join("faults");
    crate::hostile::samples(&folder)?;
    let walk = Walk { command: &command, folder: &folder };
    let (mut points, mut bad) = (0, Vec::new());
    for scene in scenes {
        let walked = walk.scene(scene, &mut bad)?;
        println!("{walked:>5} faults  cmnet {}", scene.line);
        points += walked;
    }
    println!("faults: {points} points walked, {} bad", bad.len());
    if bad.is_empty() { Ok(()) } else { bail!("{}", bad[..bad.len().min(MOST_SHOWN)].join("\n")) }
}

struct Walk<'a> {
    command: &'a Path,
    folder: &'a Path,
}

impl Walk<'_> {
    /// Walks through every fault of a command; returns how many there were.
    fn scene(&self, scene: &Scene, bad: &mut Vec<String>) -> Result<u64> {
        let mut points = 0;
        for old in [None, Some(OLD)] {
            self.prepare(scene, old)?;
            let expected = self.execute(&[], scene)?;
            if expected.code != Some(0) || expected.files.iter().any(Option::is_none) {
                bail!("cmnet {} fails without a fault: {}", scene.line, expected.stderr);
            }
            let stage = Stage { scene, old, expected: &expected };
            for (call, error) in
                FAULTS.iter().flat_map(|(call, errors)| errors.iter().map(move |e| (call, e)))
            {
                for nth in 1.. {
                    match self.fault(&Injected { call, error, nth }, &stage)? {
                        Point::None => break,
                        Point::NotOurs => {}
                        Point::Passed => points += 1,
                        Point::Wrong(why) => {
                            points += 1;
                            bad.push(format!("{why}: {error} at {call} {nth} of cmnet {}", scene.line));
                        }
                    }
                }
            }
            points += self.sizes(&stage, bad)?;
        }
        Ok(points)
    }

    /// One fault.
    fn fault(&self, injected: &Injected<'_>, stage: &Stage<'_>) -> Result<Point> {
        self.prepare(stage.scene, stage.old)?;
        let Injected { call, error, nth } = injected;
        let log = self.folder.join("strace.log");
        let inject = format!("inject={call}:error={error}:when={nth}");
        let trace = format!("trace={call}");
        let log_name = log.to_string_lossy();
        let strace = ["strace", "-f", "-qq", "-o", &log_name, "-e", &trace, "-e", &inject];
        let ended = self.execute(&strace, stage.scene)?;
        let log = std::fs::read_to_string(&log)?;
        let Some(place) = log.lines().find(|line| line.contains("(INJECTED)")) else {
            return Ok(Point::None);
        };
        let met = injected.met(place);
        // Before the program itself begins, its loader fails. A file has no reader that could go.
        let loading = ended.code == Some(127) && place.contains(".so");
        if loading || *error == "EPIPE" && !matches!(met, Met::Output { .. }) {
            return Ok(Point::NotOurs);
        }
        let mut wrong = stage.wrong(met, &ended);
        if wrong.is_none() && stage.scene.line == CHECKPOINTED.line {
            wrong = self.cannot_resume()?;
        }
        Ok(wrong.map_or(Point::Passed, Point::Wrong))
    }

    /// Files that may grow to so many blocks and no further: the last write is cut short.
    fn sizes(&self, stage: &Stage<'_>, bad: &mut Vec<String>) -> Result<u64> {
        let longest = stage.expected.files.iter().flatten().map(Vec::len).max().unwrap_or_default();
        let blocks = longest / 512;
        // Every block of a short file, and some of a long one.
        let mut points = 0;
        for limit in (0..blocks).step_by((blocks / 16).max(1)) {
            self.prepare(stage.scene, stage.old)?;
            let limited = format!("ulimit -f {limit}; exec \"$@\"");
            let ended = self.execute(&["sh", "-c", &limited, "sh"], stage.scene)?;
            if let Some(why) = stage.wrong(Met::File, &ended) {
                bad.push(format!("{why}: files of at most {limit} blocks in cmnet {}", stage.scene.line));
            }
            points += 1;
        }
        Ok(points)
    }

    fn prepare(&self, scene: &Scene, old: Option<&[u8]>) -> Result<()> {
        for entry in std::fs::read_dir(self.folder)? {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if name.starts_with("out.") || name.starts_with(".cmnet-") {
                std::fs::remove_file(path)?;
            }
        }
        for file in scene.files.iter().filter(|_| old.is_some()) {
            std::fs::write(self.folder.join(file), old.unwrap_or_default())?;
        }
        Ok(())
    }

    fn execute(&self, before: &[&str], scene: &Scene) -> Result<Ended> {
        let program = self.command.to_string_lossy();
        let words = before.iter().copied().chain([&*program]).chain(scene.line.split_whitespace());
        let words: Vec<&str> = words.collect();
        let output = Command::new(words[0])
            .args(&words[1..])
            .current_dir(self.folder)
            .stdin(Stdio::null())
            .output()
            .with_context(|| format!("cannot start {}", words[0]))?;
        let left = std::fs::read_dir(self.folder)?.flatten();
        let left = left.filter(|entry| entry.file_name().to_string_lossy().starts_with(".cmnet-")).count();
        Ok(Ended {
            code: output.status.code(),
            stdout: output.stdout,
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            files: scene.files.iter().map(|file| std::fs::read(self.folder.join(file)).ok()).collect(),
            left,
        })
    }

    /// What is wrong with the checkpoint that a fault left.
    fn cannot_resume(&self) -> Result<Option<String>> {
        if !self.folder.join("out.checkpoint").exists() {
            return Ok(None);
        }
        let resumed = self.execute(&[], &Scene::quick(RESUMED, &[]))?;
        Ok((resumed.code != Some(0)).then(|| format!("the checkpoint is lost ({})", resumed.stderr.trim())))
    }
}

/// What came of one fault.
enum Point {
    /// There are not so many calls.
    None,
    /// It is not the program's to handle.
    NotOurs,
    Passed,
    Wrong(String),
}
