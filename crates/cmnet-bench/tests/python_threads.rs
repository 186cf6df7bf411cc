//! A panic in a working thread of the Python package is a value that becomes
//! `cmnet.InternalError`, not the end of the interpreter.
//!
//! Here, and by including the file that does the work, because a test of the package's own
//! crate would build all of Arrow once more, in another profile than the wheel.

#[path = "../../cmnet-py/src/threads.rs"]
mod threads;

#[test]
fn a_panic_is_what_the_thread_said() {
    let said = threads::start(1, || -> u8 { panic!("a defect in {}", "the search") });
    assert_eq!(said.unwrap().recv().unwrap(), Err("a defect in the search".to_owned()));
    assert_eq!(threads::caught(|| -> u8 { panic!("short") }), Err("short".to_owned()));
    assert_eq!(threads::caught(|| -> u8 { std::panic::panic_any(7) }), Err("a panic".to_owned()));
}

#[test]
fn results_arrive_and_a_caller_may_leave() {
    assert_eq!(threads::start(2, || 7).unwrap().recv().unwrap(), Ok(7));
    drop(threads::start(1, || 8));
    assert_eq!(threads::in_pool(2, || 9), Ok(9));
}
