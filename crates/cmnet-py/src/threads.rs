//! Threads that do the work: a pool per call, whose panics are values.

use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::mpsc::{Receiver, channel};

/// The stack of a working thread: as large as that of a main thread.
const STACK: usize = 8 << 20;

/// The result of a thread that panicked is what it said.
pub(crate) type Finished<T> = Result<T, String>;

/// Starts work in so many threads of its own; where its result will be.
pub(crate) fn start<T: Send + 'static>(
    threads: usize,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<Receiver<Finished<T>>, String> {
    let (sender, receiver) = channel();
    let guarded = move || {
        let result = caught(work);
        // Nobody listens when the caller has failed to start.
        let _ = sender.send(result);
    };
    pool(threads)?.spawn(guarded);
    Ok(receiver)
}

/// Runs work in a pool of so many threads.
pub(crate) fn in_pool<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> Finished<T> {
    Ok(pool(threads)?.install(work))
}

/// The result of work, or what it said when it panicked.
pub(crate) fn caught<T>(work: impl FnOnce() -> T) -> Finished<T> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).map_err(|panic| said(&*panic))
}

/// A pool of its own per call: a process that was forked has no threads of its parent's. It
/// ends with its work.
fn pool(threads: usize) -> Result<ThreadPool, String> {
    let builder = ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK);
    let named = builder.thread_name(|number| format!("cmnet {number}"));
    named.build().map_err(|error| format!("cannot start {threads} threads ({error})"))
}

fn said(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "a panic".to_owned())
}
