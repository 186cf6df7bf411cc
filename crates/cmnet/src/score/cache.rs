//! A bounded memo that threads share. What it forgets is computed again: results never
//! depend on it.

use rustc_hash::{FxBuildHasher, FxHashMap};
use std::borrow::Borrow;
use std::hash::{BuildHasher, Hash};
use std::sync::{Mutex, MutexGuard, PoisonError};

const SHARDS: usize = 16;

/// Values by key, of at most so many bytes; a full shard is emptied.
#[derive(Debug)]
pub(crate) struct BoundedCache<K, V> {
    shards: Vec<Mutex<Shard<K, V>>>,
    shard_bytes: usize,
}

#[derive(Debug)]
struct Shard<K, V> {
    values: FxHashMap<K, V>,
    bytes: usize,
}

impl<K: Eq + Hash, V: Clone> BoundedCache<K, V> {
    pub(crate) fn new(bytes: usize) -> Self {
        let shard = || Mutex::new(Shard { values: FxHashMap::default(), bytes: 0 });
        Self { shards: (0..SHARDS).map(|_| shard()).collect(), shard_bytes: bytes / SHARDS }
    }

    /// The value of a key, which may be borrowed: a search that finds it allocates nothing.
    pub(crate) fn get<Q: ?Sized + Eq + Hash>(&self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        self.shard(key).values.get(key).cloned()
    }

    /// Remembers a value that takes about so many bytes with its key.
    pub(crate) fn insert(&self, key: K, value: V, bytes: usize) {
        let mut shard = self.shard(&key);
        if shard.bytes + bytes > self.shard_bytes {
            shard.values = FxHashMap::default();
            shard.bytes = 0;
        }
        if bytes <= self.shard_bytes && shard.values.insert(key, value).is_none() {
            shard.bytes += bytes;
        }
    }

    fn shard(&self, key: &(impl ?Sized + Hash)) -> MutexGuard<'_, Shard<K, V>> {
        let place = (FxBuildHasher.hash_one(key) >> 32) as usize % SHARDS;
        self.shards[place].lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_never_holds_more_than_it_may() {
        let cache = BoundedCache::new(3200);
        for key in 0..10_000u64 {
            cache.insert(key, key + 1, 100);
            assert_eq!(cache.get(&key), Some(key + 1));
            cache.insert(key, key + 1, 100);
        }
        cache.insert(10_001, 0, 300);
        assert_eq!(cache.get(&10_001), None); // larger than a shard
        let held: usize = cache.shards.iter().map(|shard| shard.lock().unwrap().values.len()).sum();
        assert!(held <= 32 && held > 0);
    }
}
