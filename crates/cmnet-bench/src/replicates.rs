//! What a replicate of a bootstrap costs beside one learning of the whole table.

use crate::usage::Meter;
use anyhow::Result;
use cmnet::{BootstrapOptions, Dataset, LearnOptions, ReadOptions, Source, bootstrap, learn, read_csv};

/// Processor seconds that are spent on learning the whole table again and again.
const SECONDS: f64 = 1.5;

/// Learns from a table and resamples it, on one thread each, and prints what both cost.
pub(crate) fn run(file: &str, options: &BootstrapOptions) -> Result<()> {
    let data = read_csv(&Source::from_argument(file), &ReadOptions::default())?.data;
    let options =
        BootstrapOptions { learn: LearnOptions { threads: 1, ..options.learn.clone() }, ..options.clone() };
    let once = seconds_of_learning(&data, &options.learn)?;
    let meter = Meter::start();
    let found = bootstrap(&data, &options, &())?;
    let replicate = meter.processor() / found.finished as f64;
    let kappas: Vec<String> =
        found.kappas.iter().map(|one| format!("{} {}", one.kappa, one.chosen)).collect();
    println!(
        "{file}, {} replicates of {} from {}, kappa {}: one learning {:.2} ms of processor, a replicate {:.2} ms, {:.2} of that; {}",
        found.finished,
        found.resample,
        found.start,
        found.kappa_choice,
        once * 1e3,
        replicate * 1e3,
        replicate / once,
        kappas.join(", "),
    );
    Ok(())
}

fn seconds_of_learning(data: &Dataset, options: &LearnOptions) -> Result<f64> {
    let meter = Meter::start();
    let mut times = 0;
    while times < 3 || meter.processor() < SECONDS {
        learn(data, options, &())?;
        times += 1;
    }
    Ok(meter.processor() / f64::from(times))
}
