//! Ctrl-C: the first asks the work to stop and keep what it found, the second kills.

use cmnet::{Control, LearnObserver, SearchObserver, StopReason};
#[cfg(unix)]
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

static ASKED: AtomicBool = AtomicBool::new(false);

/// Makes Ctrl-C (and a polite kill) ask instead of end. Harmless when called twice.
pub(crate) fn listen() {
    let asked = || {
        if ASKED.swap(true, Ordering::SeqCst) {
            std::process::exit(130);
        }
        crate::output::complain("\ncmnet: stopping; what was found so far is kept (again to end at once)");
    };
    // A second handler is refused by the system; the first one stands.
    let _ = ctrlc::set_handler(asked);
}

/// Makes a file that outgrows the limit of `ulimit -f` an error of the write, as a full disk is.
/// Left alone, the signal ends the program in the middle of a file.
pub(crate) fn outlive_file_limits() {
    #[cfg(unix)]
    {
        // The flag is never read: with any handler at all the write fails instead. Where none can be
        // set, the system's own remains.
        let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::new(AtomicBool::new(false)));
    }
}

/// The control that Ctrl-C moves.
pub(crate) struct Interrupt;

impl Control for Interrupt {
    fn stop(&self) -> Option<StopReason> {
        ASKED.load(Ordering::SeqCst).then_some(StopReason::Interrupted)
    }
}

impl SearchObserver for Interrupt {}

impl LearnObserver for Interrupt {}
