//! Searches by number, several at a time, each in a thread of its own.

use crate::error::Result;
use crate::learn::{LearnObserver, LearnOptions, in_pool};
use std::collections::BTreeMap;
use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Threads to use; 0 takes one per core.
pub(super) fn threads(asked: usize) -> usize {
    if asked > 0 { asked } else { thread::available_parallelism().map_or(1, NonZero::get) }
}

/// What `one` makes of each number, in the order of the list, until there is none left or the work is to
/// stop; `one` gives `None` when it was stopped.
pub(super) fn numbered<T: Send>(
    open: &[u64],
    threads: usize,
    learn: &LearnOptions,
    observer: &dyn LearnObserver,
    one: impl Fn(u64) -> Result<Option<T>> + Sync,
) -> Result<BTreeMap<u64, T>> {
    let next = AtomicUsize::new(0);
    let some = || {
        let mut found = BTreeMap::new();
        while observer.stop().is_none() {
            let Some(&number) = open.get(next.fetch_add(1, Ordering::Relaxed)) else { break };
            let Some(made) = one(number)? else { break };
            found.insert(number, made);
        }
        Ok(found)
    };
    // Threads of our own, each with a pool of one: searches that wait for their parts in a
    // shared pool would begin others meanwhile, and all be in memory at once.
    let parts: Vec<Result<BTreeMap<u64, T>>> = thread::scope(|scope| {
        let started: Vec<_> =
            (0..threads.min(open.len())).map(|_| scope.spawn(|| in_pool(learn, some))).collect();
        let joined = |handle: thread::ScopedJoinHandle<'_, _>| {
            handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        started.into_iter().map(joined).collect()
    });
    let mut all = BTreeMap::new();
    for part in parts {
        all.extend(part?);
    }
    Ok(all)
}
