//! Work that runs while Python does other things, and that Ctrl-C ends in time.

use crate::errors;
use cmnet::Error;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// How often the caller looks for signals and progress.
const LOOK: Duration = Duration::from_millis(50);

/// How long work may take to stop and hand over what it found.
const GRACE: Duration = Duration::from_millis(200);

/// The stack of a working thread: as large as that of a main thread.
const STACK: usize = 8 << 20;

/// How work ended.
pub(crate) enum Ended<T> {
    /// With a result.
    Done(T),
    /// By an exception such as `KeyboardInterrupt`, and its result if it came in time.
    Interrupted(PyErr, Option<T>),
}

/// Runs work in so many threads of its own (0: one per core), without the interpreter's lock.
///
/// `look` is called now and then with the lock held, and once at the end; when it or a signal raises, `stop` is
/// called. Work that does not stop within a fifth of a second is left to end by itself:
/// nobody waits for it, and its result is dropped.
pub(crate) fn run<T: Send + 'static>(
    py: Python<'_>,
    threads: usize,
    work: impl FnOnce() -> T + Send + 'static,
    stop: impl Fn(),
    mut look: impl FnMut() -> PyResult<()>,
) -> PyResult<Ended<T>> {
    let mut result = start(threads, work).map_err(|what| errors::internal(py, &what))?;
    loop {
        match wait(py, &mut result, LOOK) {
            Some(done) => {
                look()?;
                return done.map(Ended::Done).map_err(|what| errors::internal(py, &what));
            }
            None => {
                if let Err(raised) = py.check_signals().and_then(|()| look()) {
                    stop();
                    let late = wait(py, &mut result, GRACE).and_then(Result::ok);
                    return Ok(Ended::Interrupted(raised, late));
                }
            }
        }
    }
}

/// As [`run`], for work that can fail and has nothing to hand over when it is interrupted.
pub(crate) fn call<T: Send + 'static>(
    py: Python<'_>,
    threads: usize,
    work: impl FnOnce() -> Result<T, Error> + Send + 'static,
) -> PyResult<T> {
    match run(py, threads, work, || (), || Ok(()))? {
        Ended::Done(Ok(value)) => Ok(value),
        Ended::Done(Err(error)) => Err(errors::to_python(py, &error)),
        Ended::Interrupted(raised, _) => Err(raised),
    }
}

/// The result of a thread that panicked is what it said.
pub(crate) type Finished<T> = Result<T, String>;

fn start<T: Send + 'static>(
    threads: usize,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<Receiver<Finished<T>>, String> {
    let (sender, receiver) = channel();
    let guarded = move || {
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
        // Nobody listens any more when the caller was interrupted.
        let _ = sender.send(result.map_err(|panic| said(&*panic)));
    };
    pool(threads)?.spawn(guarded);
    Ok(receiver)
}

/// A pool of its own per call: a process that was forked has no threads of its parent's. It
/// ends with its work, also when nobody waits for that any more.
fn pool(threads: usize) -> Result<ThreadPool, String> {
    let builder = ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK);
    let named = builder.thread_name(|number| format!("cmnet {number}"));
    named.build().map_err(|error| format!("cannot start {threads} threads ({error})"))
}

/// Runs work in a pool of so many threads.
pub(crate) fn in_pool<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> Finished<T> {
    Ok(pool(threads)?.install(work))
}

pub(crate) fn said(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "a panic".to_owned())
}

fn wait<T: Send>(py: Python<'_>, result: &mut Receiver<Finished<T>>, time: Duration) -> Option<Finished<T>> {
    // Moved as a whole: a receiver can be lent to another thread, but not shared with one.
    let received = py.detach(move || {
        let result = result;
        result.recv_timeout(time)
    });
    match received {
        Ok(finished) => Some(finished),
        Err(RecvTimeoutError::Timeout) => None,
        Err(RecvTimeoutError::Disconnected) => Some(Err("a thread ended without a word".to_owned())),
    }
}

/// Works on the calling thread without the interpreter's lock; for what is short.
pub(crate) fn guarded<T: Send>(
    py: Python<'_>,
    work: impl FnOnce() -> Result<T, Error> + Send,
) -> PyResult<T> {
    match py.detach(|| std::panic::catch_unwind(std::panic::AssertUnwindSafe(work))) {
        Ok(result) => result.map_err(|error| errors::to_python(py, &error)),
        Err(panic) => Err(errors::internal(py, &said(&*panic))),
    }
}
