//! `cargo xtask kills`: runs killed at random moments and resumed give the same bytes.

use crate::bench_search::release;
use anyhow::{Context, Result, bail};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Kills before a run is left to end by itself.
const MOST_KILLS: usize = 20;

pub(crate) fn run(count: usize) -> Result<()> {
    let (cmnet, bench) = (release("cmnet-cli")?, release("cmnet-bench")?);
    let folder = bench.with_file_name("kills");
    std::fs::create_dir_all(&folder)?;
    let folder_text = folder.to_string_lossy().into_owned();
    let status = Command::new(&bench).args(["peer-table", &folder_text, "150", "2000"]).status()?;
    if !status.success() {
        bail!("cannot write the table");
    }
    let whole = folder.join("whole.json");
    let started = Instant::now();
    finish(start(&cmnet, &folder, &whole, &[])?)?;
    let length = started.elapsed();
    let expected = std::fs::read(&whole)?;
    let (mut seed, mut kills) = (1u64, 0);
    for place in 0..count {
        let model = folder.join("killed.json");
        let checkpoint = folder.join("checkpoint.json");
        for old in [&model, &checkpoint, &folder.join("checkpoint.json.previous")] {
            let _ = std::fs::remove_file(old);
        }
        kills += interrupted(&cmnet, &folder, &model, length, &mut seed)?;
        if std::fs::read(&model)? != expected {
            bail!("run {place}: the resumed result differs");
        }
    }
    println!("{count} runs, {kills} kills, all results the same to the last byte ({} bytes)", expected.len());
    Ok(())
}

/// Starts a run again and again until it ends by itself; returns how often it was killed.
fn interrupted(cmnet: &Path, folder: &Path, model: &Path, length: Duration, seed: &mut u64) -> Result<usize> {
    let checkpoint = folder.join("checkpoint.json").to_string_lossy().into_owned();
    let options = ["--checkpoint", &checkpoint, "--checkpoint-interval", "0s", "--resume"];
    for kills in 0..MOST_KILLS {
        let mut child = start(cmnet, folder, model, &options)?;
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let share = (*seed >> 40) as f64 / (1u64 << 24) as f64;
        std::thread::sleep(length.mul_f64(share));
        if let Some(status) = child.try_wait()? {
            return if status.success() { Ok(kills) } else { bail!("a run failed: {status}") };
        }
        child.kill().context("cannot kill")?;
        child.wait()?;
    }
    finish(start(cmnet, folder, model, &options)?)?;
    Ok(MOST_KILLS)
}

fn start(cmnet: &Path, folder: &Path, model: &Path, options: &[&str]) -> Result<Child> {
    Command::new(cmnet)
        .arg("learn")
        .arg(folder.join("field.csv"))
        .args(["--search", "blanket", "--kappa", "n^-0.25", "--select", "none"])
        .arg("-o")
        .arg(model)
        .args(options)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .context("cannot start cmnet")
}

fn finish(mut child: Child) -> Result<()> {
    let status = child.wait()?;
    if !status.success() {
        bail!("a run failed: {status}");
    }
    Ok(())
}
