//! What an experiment needs from the program that runs it: tables, a clock, a place for
//! finished cells. The library itself has none of them.

use cmnet::{Dataset, LearnObserver, Result};
use serde::{Serialize, de::DeserializeOwned};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// The program that runs an experiment. Called from several threads.
pub trait Host: LearnObserver {
    /// Seconds on a clock that only moves forward.
    fn seconds(&self) -> f64;

    /// The table of this name, or `None` when there is no such file.
    ///
    /// # Errors
    /// When there is one and it cannot be read.
    fn table(&self, name: &str) -> Result<Option<Dataset>>;

    /// What was stored under a key by this run or one before it.
    fn load(&self, key: &str) -> Option<String>;

    /// Stores a finished cell.
    ///
    /// # Errors
    /// When it cannot be written.
    fn store(&self, key: &str, text: &str) -> Result<()>;

    /// So many of the cells of an experiment are done.
    fn progress(&self, experiment: &str, done: usize, of: usize);
}

/// One unit of work: what it is called, what it depends on, how it is computed.
pub(super) struct Task<'a, T> {
    pub(super) key: String,
    /// Whatever the result depends on; a stored cell with another setup is not used.
    pub(super) setup: String,
    pub(super) compute: Box<dyn Fn() -> Result<Option<T>> + Send + Sync + 'a>,
}

/// A finished cell as it is stored.
#[derive(serde::Serialize, serde::Deserialize)]
struct Stored<T> {
    setup: String,
    result: T,
}

/// Runs the tasks that were not finished before; `None` when the host asked to stop.
///
/// One plain thread per core, each with one task at a time: a worker of a shared pool would
/// take up other tasks while it waits inside one, and no task's time could be told.
pub(super) fn run<T>(host: &dyn Host, experiment: &str, tasks: &[Task<'_, T>]) -> Result<Option<Vec<T>>>
where
    T: Serialize + DeserializeOwned + Send,
{
    let (next, done, failed) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicBool::new(false));
    let found: Mutex<Vec<(usize, Result<Option<T>>)>> = Mutex::new(Vec::new());
    host.progress(experiment, 0, tasks.len());
    let work = || {
        while !failed.load(Ordering::Relaxed) {
            let place = next.fetch_add(1, Ordering::Relaxed);
            let Some(task) = tasks.get(place) else { break };
            let result = finish(host, task);
            failed.fetch_or(!matches!(result, Ok(Some(_))), Ordering::Relaxed);
            host.progress(experiment, done.fetch_add(1, Ordering::Relaxed) + 1, tasks.len());
            found.lock().unwrap_or_else(PoisonError::into_inner).push((place, result));
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..rayon::current_num_threads().min(tasks.len()) {
            scope.spawn(work);
        }
    });
    let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    found.sort_by_key(|&(place, _)| place);
    let results: Vec<Option<T>> = found.into_iter().map(|(_, result)| result).collect::<Result<_>>()?;
    let results: Option<Vec<T>> = results.into_iter().collect();
    Ok(results.filter(|results| results.len() == tasks.len()))
}

/// The stored result of a task, or a new one, stored; `None` when the host asked to stop.
fn finish<T: Serialize + DeserializeOwned>(host: &dyn Host, task: &Task<'_, T>) -> Result<Option<T>> {
    let known = host.load(&task.key).and_then(|text| serde_json::from_str::<Stored<T>>(&text).ok());
    if let Some(stored) = known.filter(|stored| stored.setup == task.setup) {
        return Ok(Some(stored.result));
    }
    if host.stop().is_some() {
        return Ok(None);
    }
    let Some(result) = (task.compute)()? else { return Ok(None) };
    let stored = Stored { setup: task.setup.clone(), result };
    host.store(&task.key, &serde_json::to_string(&stored).unwrap_or_default())?;
    Ok(Some(stored.result))
}
