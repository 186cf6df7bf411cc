//! `cargo xtask kills`: runs killed at random moments and resumed give the same bytes.

use crate::bench_search::release;
use anyhow::{Context, Result, bail};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Kills before a run is left to end by itself.
const MOST_KILLS: usize = 20;

/// Each mode with the number of variables on which it takes about a second.
const MODES: [(&str, &str); 2] = [("blanket", "300"), ("paper", "60")];

pub(crate) fn run(count: usize, programs: Option<&Path>) -> Result<()> {
    let (cmnet, bench) = match programs {
        Some(folder) => (folder.join("cmnet"), folder.join("cmnet-bench")),
        None => (release("cmnet-cli")?, release("cmnet-bench")?),
    };
    let mut kills = 0;
    for (place, (mode, variables)) in MODES.into_iter().enumerate() {
        let folder = bench.with_file_name(format!("kills-{mode}"));
        std::fs::create_dir_all(&folder)?;
        let table = folder.join("table.csv").to_string_lossy().into_owned();
        let status = Command::new(&bench).args(["known-table", &table, variables, "2000"]).status()?;
        if !status.success() {
            bail!("cannot write the table");
        }
        let runs = count / MODES.len() + usize::from(place < count % MODES.len());
        kills += campaign(&Run { cmnet: &cmnet, folder: &folder, mode }, runs)?;
    }
    println!("{count} runs, {kills} kills: all results the same to the last byte");
    Ok(())
}

/// A search to be killed and resumed.
struct Run<'a> {
    cmnet: &'a Path,
    folder: &'a Path,
    mode: &'a str,
}

fn campaign(run: &Run<'_>, count: usize) -> Result<usize> {
    let whole = run.folder.join("whole.json");
    let started = Instant::now();
    finish(run.start(&whole, &[])?)?;
    let length = started.elapsed();
    let expected = std::fs::read(&whole)?;
    let (mut seed, mut kills) = (1u64, 0);
    for place in 0..count {
        let model = run.folder.join("killed.json");
        let checkpoint = run.folder.join("checkpoint.json");
        for old in [&model, &checkpoint, &run.folder.join("checkpoint.json.previous")] {
            let _ = std::fs::remove_file(old);
        }
        kills += run.interrupted(&model, length, &mut seed)?;
        if std::fs::read(&model)? != expected {
            bail!("mode {}, run {place}: the resumed result differs", run.mode);
        }
        let names = std::fs::read_dir(run.folder)?.flatten().map(|entry| entry.file_name());
        let mut names = names.map(|name| name.to_string_lossy().into_owned());
        if let Some(left) = names.find(|name| name.starts_with(".cmnet-")) {
            bail!("mode {}, run {place}: {left} was left", run.mode);
        }
    }
    println!("mode {}: {count} runs of {:.1} s, {kills} kills", run.mode, length.as_secs_f64());
    Ok(kills)
}

impl Run<'_> {
    /// Starts a run again and again until it ends by itself; returns how often it was killed.
    fn interrupted(&self, model: &Path, length: Duration, seed: &mut u64) -> Result<usize> {
        let checkpoint = self.folder.join("checkpoint.json").to_string_lossy().into_owned();
        let options = ["--checkpoint", &checkpoint, "--checkpoint-interval", "0s", "--resume"];
        for kills in 0..MOST_KILLS {
            let mut child = self.start(model, &options)?;
            *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let share = (*seed >> 40) as f64 / (1u64 << 24) as f64;
            std::thread::sleep(length.mul_f64(share));
            if let Some(status) = child.try_wait()? {
                return if status.success() { Ok(kills) } else { bail!("a run failed: {status}") };
            }
            child.kill().context("cannot kill")?;
            child.wait()?;
        }
        finish(self.start(model, &options)?)?;
        Ok(MOST_KILLS)
    }

    fn start(&self, model: &Path, options: &[&str]) -> Result<Child> {
        Command::new(self.cmnet)
            .arg("learn")
            .arg(self.folder.join("table.csv"))
            .args(["--search", self.mode, "--kappa", "eps,n^-0.25"])
            .arg("-o")
            .arg(model)
            .args(options)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .context("cannot start cmnet")
    }
}

fn finish(mut child: Child) -> Result<()> {
    let status = child.wait()?;
    if !status.success() {
        bail!("a run failed: {status}");
    }
    Ok(())
}
