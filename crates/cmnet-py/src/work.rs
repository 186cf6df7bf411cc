//! Work that runs while Python does other things, and that Ctrl-C ends in time.

use crate::errors;
use crate::threads::{Finished, caught, start};
use cmnet::Error;
use pyo3::prelude::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

/// How often the caller looks for signals and progress.
const LOOK: Duration = Duration::from_millis(50);

/// How long work may take to stop and hand over what it found.
const GRACE: Duration = Duration::from_millis(200);

/// How work ended.
pub(crate) enum Ended<T> {
    /// With a result.
    Done(T),
    /// By an exception such as `KeyboardInterrupt`, and its result if it came in time.
    Interrupted(PyErr, Option<T>),
}

/// Says to work that nobody waits for it any more.
#[derive(Clone, Default)]
pub(crate) struct Stop(Arc<AtomicBool>);

impl Stop {
    pub(crate) fn ask(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// # Errors
    /// When the work is to end; nobody will see what this says.
    pub(crate) fn check(&self) -> Result<(), Error> {
        if self.0.load(Ordering::Relaxed) {
            return Err(interrupted());
        }
        Ok(())
    }
}

/// What ends work that nobody waits for any more.
pub(crate) fn interrupted() -> Error {
    Error::question("the work was interrupted", "start it again")
}

/// Work that has begun.
pub(crate) struct Running<T>(Receiver<Finished<T>>);

impl<T: Send + 'static> Running<T> {
    /// Begins work in so many threads of its own (0: one per core).
    pub(crate) fn start(
        py: Python<'_>,
        threads: usize,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> PyResult<Self> {
        start(threads, work).map(Self).map_err(|what| errors::internal(py, &what))
    }

    /// Waits for it without the interpreter's lock.
    ///
    /// `look` is called now and then with the lock held, and once at the end; when it or a
    /// signal raises, `stop` is called. Work that does not stop within a fifth of a second is
    /// left to end by itself: nobody waits for it, and its result is dropped.
    pub(crate) fn wait(
        mut self,
        py: Python<'_>,
        stop: impl Fn(),
        mut look: impl FnMut() -> PyResult<()>,
    ) -> PyResult<Ended<T>> {
        loop {
            let finished = self.result(py, LOOK);
            let looked = py.check_signals().and_then(|()| look());
            match (finished, looked) {
                (Some(done), looked) => {
                    let done = done.map_err(|what| errors::internal(py, &what))?;
                    return Ok(match looked {
                        Ok(()) => Ended::Done(done),
                        Err(raised) => Ended::Interrupted(raised, Some(done)),
                    });
                }
                (None, Err(raised)) => {
                    stop();
                    let late = self.result(py, GRACE).and_then(Result::ok);
                    return Ok(Ended::Interrupted(raised, late));
                }
                (None, Ok(())) => {}
            }
        }
    }

    fn result(&mut self, py: Python<'_>, time: Duration) -> Option<Finished<T>> {
        // Moved as a whole: a receiver can be lent to another thread, but not shared with one.
        let receiver = &mut self.0;
        let received = py.detach(move || {
            let receiver = receiver;
            receiver.recv_timeout(time)
        });
        match received {
            Ok(finished) => Some(finished),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => Some(Err("a thread ended without a word".to_owned())),
        }
    }
}

/// The value of work that can fail and has nothing to hand over when it is interrupted.
pub(crate) fn value<T>(py: Python<'_>, ended: Ended<Result<T, Error>>) -> PyResult<T> {
    match ended {
        Ended::Done(Ok(value)) => Ok(value),
        Ended::Done(Err(error)) => Err(errors::to_python(py, &error)),
        Ended::Interrupted(raised, _) => Err(raised),
    }
}

/// Runs work in so many threads of its own and gives its value; Ctrl-C leaves it behind.
pub(crate) fn call<T: Send + 'static>(
    py: Python<'_>,
    threads: usize,
    work: impl FnOnce() -> Result<T, Error> + Send + 'static,
) -> PyResult<T> {
    value(py, Running::start(py, threads, work)?.wait(py, || (), || Ok(()))?)
}

/// As [`call`], for work that looks now and then whether it is to stop.
pub(crate) fn stoppable<T: Send + 'static>(
    py: Python<'_>,
    threads: usize,
    work: impl FnOnce(&Stop) -> Result<T, Error> + Send + 'static,
) -> PyResult<T> {
    let stop = Stop::default();
    let own = stop.clone();
    value(py, Running::start(py, threads, move || work(&own))?.wait(py, || stop.ask(), || Ok(()))?)
}

/// Works on the calling thread without the interpreter's lock; for what is short.
pub(crate) fn guarded<T: Send>(
    py: Python<'_>,
    work: impl FnOnce() -> Result<T, Error> + Send,
) -> PyResult<T> {
    match py.detach(|| caught(work)) {
        Ok(result) => result.map_err(|error| errors::to_python(py, &error)),
        Err(what) => Err(errors::internal(py, &what)),
    }
}

/// Raises what a signal such as Ctrl-C asks for.
pub(crate) fn signals(py: Python<'_>) -> PyResult<()> {
    py.check_signals()
}
