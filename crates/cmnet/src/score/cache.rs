//! A bounded memo that threads share. What it forgets is computed again: results never
//! depend on it.

use rustc_hash::{FxBuildHasher, FxHashMap};
use std::hash::{BuildHasher, Hash};
use std::sync::{Mutex, MutexGuard, PoisonError};

const SHARDS: usize = 16;

/// Values by key, at most `capacity` of them; a full shard is emptied.
#[derive(Debug)]
pub(crate) struct BoundedCache<K, V> {
    shards: Vec<Mutex<FxHashMap<K, V>>>,
    shard_capacity: usize,
}

impl<K: Eq + Hash, V: Clone> BoundedCache<K, V> {
    pub(crate) fn new(capacity: usize) -> Self {
        let shards = (0..SHARDS).map(|_| Mutex::new(FxHashMap::default())).collect();
        Self { shards, shard_capacity: capacity.div_ceil(SHARDS).max(1) }
    }

    pub(crate) fn get(&self, key: &K) -> Option<V> {
        self.shard(key).get(key).cloned()
    }

    pub(crate) fn insert(&self, key: K, value: V) {
        let mut shard = self.shard(&key);
        if shard.len() >= self.shard_capacity {
            shard.clear();
        }
        shard.insert(key, value);
    }

    fn shard(&self, key: &K) -> MutexGuard<'_, FxHashMap<K, V>> {
        let place = (FxBuildHasher.hash_one(key) >> 32) as usize % SHARDS;
        self.shards[place].lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_never_holds_more_than_it_may() {
        let cache = BoundedCache::new(32);
        for key in 0..10_000u64 {
            cache.insert(key, key + 1);
            assert_eq!(cache.get(&key), Some(key + 1));
        }
        let held: usize = cache.shards.iter().map(|shard| shard.lock().unwrap().len()).sum();
        assert!(held <= 32);
    }
}
