//! Ctrl-C: the first asks the work to stop and keep what it found, the second kills.

use cmnet::{Control, StopReason};
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

/// The control that Ctrl-C moves.
pub(crate) struct Interrupt;

impl Control for Interrupt {
    fn stop(&self) -> Option<StopReason> {
        ASKED.load(Ordering::SeqCst).then_some(StopReason::Interrupted)
    }
}
