//! Work that runs while Python does other things, and that Ctrl-C ends in time.

use crate::errors::{self, OrRaise};
use crate::threads::{Finished, caught, start};
use cmnet::{Control, Error, LearnObserver, SearchObserver, StopReason};
use pyo3::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// How often the caller looks for signals and progress.
const LOOK: Duration = Duration::from_millis(50);

/// How long work may take to hand over what it found, once it was asked to stop.
const GRACE: Duration = Duration::from_millis(200);

/// How work ended.
pub(crate) enum Ended<T> {
    /// With a result.
    Done(T),
    /// By an exception such as `KeyboardInterrupt`, and its result if it came in time.
    Interrupted(PyErr, Option<T>),
    /// The same, with a result that came late: of work that was asked twice, and gave up what it
    /// had not finished.
    Late(PyErr, T),
}

impl<T> Ended<Result<T, Error>> {
    /// What was found in time, as it is told, and what interrupted the work.
    pub(crate) fn in_time<A>(
        self,
        py: Python<'_>,
        tell: impl FnOnce(T) -> PyResult<A>,
    ) -> PyResult<(Option<A>, Option<PyErr>)> {
        let (found, raised) = match self {
            Self::Done(found) => (Some(found.or_raise(py)?), None),
            Self::Interrupted(raised, found) => (found.and_then(Result::ok), Some(raised)),
            Self::Late(raised, _) => (None, Some(raised)),
        };
        Ok((found.map(tell).transpose()?, raised))
    }

    /// The same, with what came late: of work that gives what it had finished when it is asked twice.
    pub(crate) fn even_late<A>(
        self,
        py: Python<'_>,
        tell: impl FnOnce(T) -> PyResult<A>,
    ) -> PyResult<(Option<A>, Option<PyErr>)> {
        let (found, raised) = match self {
            Self::Done(found) => (Some(found), None),
            Self::Interrupted(raised, found) => (found, Some(raised)),
            Self::Late(raised, found) => (Some(found), Some(raised)),
        };
        Ok((found.transpose().or_raise(py)?.map(tell).transpose()?, raised))
    }
}

/// The control of work that has nothing to hand over when it is stopped.
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

impl Control for Stop {
    fn stop(&self) -> Option<StopReason> {
        self.0.load(Ordering::Relaxed).then_some(StopReason::Interrupted)
    }
}

/// Nothing is told of a search that only cuts columns.
impl SearchObserver for Stop {}

impl LearnObserver for Stop {}

/// What ends work that is not wanted any more.
pub(crate) fn interrupted() -> Error {
    StopReason::Interrupted.into()
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

    /// Waits for work that obeys its control, without the interpreter's lock.
    ///
    /// `look` is called now and then with the lock held, and once at the end. When it or a signal
    /// raises, `stop` is called, and the work may hand over what it found. If that takes longer
    /// than a fifth of a second, `stop` is called again: then the work ends at once, with what it
    /// has finished. Either way it has ended when this returns.
    pub(crate) fn wait(
        mut self,
        py: Python<'_>,
        stop: impl Fn(),
        look: impl FnMut() -> PyResult<()>,
    ) -> PyResult<Ended<T>> {
        let raised = match self.watch(py, look)? {
            Watched::Ended(ended) => return Ok(ended),
            Watched::Raised(raised) => raised,
        };
        stop();
        let found = self.result(py, GRACE).and_then(Result::ok);
        if found.is_some() {
            return Ok(Ended::Interrupted(raised, found));
        }
        stop();
        Ok(match self.join(py) {
            Some(late) => Ended::Late(raised, late),
            None => Ended::Interrupted(raised, None),
        })
    }

    /// Waits until the work has ended; what it gives, if anything.
    pub(crate) fn join(mut self, py: Python<'_>) -> Option<T> {
        loop {
            if let Some(finished) = self.result(py, LOOK) {
                return finished.ok();
            }
        }
    }

    /// Waits until the work ends or something is raised.
    fn watch(&mut self, py: Python<'_>, mut look: impl FnMut() -> PyResult<()>) -> PyResult<Watched<T>> {
        loop {
            let finished = self.result(py, LOOK);
            let looked = py.check_signals().and_then(|()| look());
            match (finished, looked) {
                (Some(done), looked) => {
                    let done = done.map_err(|what| errors::internal(py, &what))?;
                    return Ok(Watched::Ended(match looked {
                        Ok(()) => Ended::Done(done),
                        Err(raised) => Ended::Interrupted(raised, Some(done)),
                    }));
                }
                (None, Err(raised)) => return Ok(Watched::Raised(raised)),
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

/// What came first.
enum Watched<T> {
    Ended(Ended<T>),
    /// An exception, while the work goes on.
    Raised(PyErr),
}

/// The value of work that can fail and has nothing to hand over when it is interrupted.
pub(crate) fn value<T>(py: Python<'_>, ended: Ended<Result<T, Error>>) -> PyResult<T> {
    match ended {
        Ended::Done(Ok(value)) => Ok(value),
        Ended::Done(Err(error)) => Err(errors::to_python(py, &error)),
        Ended::Interrupted(raised, _) | Ended::Late(raised, _) => Err(raised),
    }
}

/// Runs work in so many threads of its own and gives its value. Ctrl-C asks it to stop, and it
/// has ended when this returns: long work asks its control many times a second.
pub(crate) fn call<T: Send + 'static>(
    py: Python<'_>,
    threads: usize,
    work: impl FnOnce(&Stop) -> Result<T, Error> + Send + 'static,
) -> PyResult<T> {
    let stop = Stop::default();
    let own = stop.clone();
    value(py, Running::start(py, threads, move || work(&own))?.wait(py, || stop.ask(), || Ok(()))?)
}

/// A network that is made for the first question and kept for all.
pub(crate) struct Lazy<N>(OnceLock<Arc<N>>);

impl<N> Default for Lazy<N> {
    fn default() -> Self {
        Self(OnceLock::new())
    }
}

impl<N: Send + Sync + 'static> Lazy<N> {
    pub(crate) fn get(
        &self,
        py: Python<'_>,
        make: impl FnOnce() -> Result<N, Error> + Send + 'static,
    ) -> PyResult<Arc<N>> {
        if let Some(network) = self.0.get() {
            return Ok(network.clone());
        }
        let network = call(py, 1, move |_| make().map(Arc::new))?;
        Ok(self.0.get_or_init(|| network).clone())
    }
}

/// As [`call`], for an answer that Python gets as dictionaries and lists.
pub(crate) fn answer(
    py: Python<'_>,
    threads: usize,
    work: impl FnOnce(&Stop) -> Result<serde_json::Value, Error> + Send + 'static,
) -> PyResult<Bound<'_, PyAny>> {
    crate::value::to_python(py, &call(py, threads, work)?)
}

/// The control of work that the calling thread does itself: it looks for signals now and then.
pub(crate) struct Signals(Mutex<Looked>);

struct Looked {
    at: Instant,
    raised: Option<PyErr>,
}

impl Signals {
    pub(crate) fn new() -> Self {
        Self(Mutex::new(Looked { at: Instant::now(), raised: None }))
    }

    /// What a signal raised, once.
    pub(crate) fn raised(&self) -> Option<PyErr> {
        self.looked().raised.take()
    }

    fn looked(&self) -> MutexGuard<'_, Looked> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Control for Signals {
    fn stop(&self) -> Option<StopReason> {
        let mut looked = self.looked();
        if looked.raised.is_none() && looked.at.elapsed() > LOOK {
            looked.at = Instant::now();
            looked.raised = Python::attach(signals).err();
        }
        looked.raised.as_ref().map(|_| StopReason::Interrupted)
    }
}

/// Works on the calling thread without the interpreter's lock; for what is short.
pub(crate) fn guarded<T: Send>(
    py: Python<'_>,
    work: impl FnOnce() -> Result<T, Error> + Send,
) -> PyResult<T> {
    match py.detach(|| caught(work)) {
        Ok(result) => result.or_raise(py),
        Err(what) => Err(errors::internal(py, &what)),
    }
}

/// Raises what a signal such as Ctrl-C asks for.
pub(crate) fn signals(py: Python<'_>) -> PyResult<()> {
    py.check_signals()
}
