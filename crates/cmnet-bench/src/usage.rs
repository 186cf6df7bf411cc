//! Wall time, processor time and peak memory of this process.

use std::time::Instant;

/// Measures one piece of work.
pub(crate) struct Meter {
    started: Instant,
    processor: f64,
}

impl Meter {
    pub(crate) fn start() -> Self {
        Self { started: Instant::now(), processor: processor_seconds() }
    }

    /// Wall seconds so far.
    pub(crate) fn wall(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }

    /// Processor seconds so far, over all threads.
    pub(crate) fn processor(&self) -> f64 {
        processor_seconds() - self.processor
    }
}

/// Processor seconds of this process and all its threads.
fn processor_seconds() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// Processor seconds of the programs that this process started and that ended.
pub(crate) fn seconds_of_children() -> f64 {
    ticks_from(13).unwrap_or(f64::NAN)
}

/// The sum of two neighbouring times of the process's accounting.
fn ticks_from(first: usize) -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    let fields: Vec<&str> = text.rsplit(')').next()?.split_whitespace().collect();
    let ticks: f64 = fields.get(first)?.parse::<f64>().ok()? + fields.get(first + 1)?.parse::<f64>().ok()?;
    Some(ticks / 100.0)
}

/// The most memory this process ever had, in MB; NaN where the system does not say.
pub(crate) fn peak_megabytes() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM"));
    let kilobytes = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<f64>().ok());
    kilobytes.map_or(f64::NAN, |kilobytes| kilobytes / 1024.0)
}

/// Runs work on a pool of this many threads.
pub(crate) fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> anyhow::Result<T> {
    Ok(rayon::ThreadPoolBuilder::new().num_threads(threads).build()?.install(work))
}
