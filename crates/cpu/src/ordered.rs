//! Buckets of an eager priority queue: each worker keeps its own and nobody waits for a lock.
//!
//! An entry is a vertex with the (low half of the) priority it was filed with. When the vertex has come nearer since,
//! there is a better entry elsewhere and this one is skipped without looking at any edge.

use crate::abi::Worker;
use crate::tuning::NEAR_BUCKETS;

/// A vertex in the low half, the low half of its priority in the high half.
pub(crate) type Entry = u64;

/// The entry of a vertex filed with a priority.
#[inline]
pub(crate) fn entry(vertex: u32, priority: u64) -> Entry {
    u64::from(vertex) | priority << 32
}

/// The buckets of one worker.
#[derive(Debug)]
pub(crate) struct LocalBuckets {
    delta: u64,
    /// `Some(shift)` when delta is a power of two: a shift is much cheaper than a division.
    shift: Option<u32>,
    /// Index of the first near bucket.
    first: u64,
    near: Vec<Vec<Entry>>,
    far: Vec<(u64, Entry)>,
}

impl LocalBuckets {
    pub(crate) fn new(delta: u64) -> Self {
        let delta = delta.max(1);
        LocalBuckets {
            delta,
            shift: delta.is_power_of_two().then(|| delta.trailing_zeros()),
            first: 0,
            near: Vec::new(),
            far: Vec::new(),
        }
    }

    /// The bucket of a priority.
    #[inline]
    pub(crate) fn index(&self, priority: u64) -> u64 {
        match self.shift {
            Some(shift) => priority >> shift,
            None => priority / self.delta,
        }
    }

    #[inline]
    pub(crate) fn push(&mut self, vertex: u32, priority: u64) {
        // A vertex of an earlier bucket than the first can only come from a stale read; it belongs to the first.
        let index = self.index(priority).max(self.first);
        self.file(index, entry(vertex, priority));
    }

    #[inline]
    fn file(&mut self, index: u64, entry: Entry) {
        let ahead = (index - self.first) as usize;
        match self.near.get_mut(ahead) {
            Some(bucket) => bucket.push(entry),
            None => self.file_far(index, entry),
        }
    }

    #[cold]
    fn file_far(&mut self, index: u64, entry: Entry) {
        let ahead = index - self.first;
        if ahead >= NEAR_BUCKETS {
            self.far.push((index, entry));
            return;
        }
        let room = (ahead as usize + 1).next_power_of_two();
        self.near.resize_with(room, Vec::new);
        self.near[ahead as usize].push(entry);
    }

    /// The least non-empty bucket that is not before `from`; earlier near buckets are empty by then.
    pub(crate) fn least(&self, from: u64) -> Option<u64> {
        let skip = from.saturating_sub(self.first) as usize;
        let near = self.near.iter().enumerate().skip(skip).find(|(_, b)| !b.is_empty());
        let near = near.map(|(i, _)| self.first + i as u64);
        near.or_else(|| self.far.iter().map(|(i, _)| *i).min())
    }

    /// Exchanges the entries of a bucket for an empty list, moving the window of near buckets when it must.
    pub(crate) fn take(&mut self, bucket: u64, list: &mut Vec<Entry>) {
        debug_assert!(list.is_empty());
        if bucket.saturating_sub(self.first) >= NEAR_BUCKETS {
            // Nothing before `bucket` is left, so all near buckets are empty.
            self.first = bucket;
            for (index, entry) in std::mem::take(&mut self.far) {
                self.file(index, entry);
            }
        }
        if let Some(entries) = self.near.get_mut((bucket - self.first) as usize) {
            std::mem::swap(entries, list);
        }
    }

    /// Entries of a bucket.
    pub(crate) fn len(&self, bucket: u64) -> usize {
        let ahead = bucket.saturating_sub(self.first) as usize;
        self.near.get(ahead).map_or(0, Vec::len)
    }
}

/// Called by generated code when a priority changed.
pub(crate) extern "C" fn push_bucket(worker: *mut Worker, vertex: u32, priority: u64) {
    // SAFETY: generated code passes the worker it was called with, and the operator that compiled this call gave it
    // buckets that outlive the call.
    let buckets = unsafe { &mut *(*worker).buckets };
    buckets.push(vertex, priority);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn buckets_come_out_in_order(
            priorities in prop::collection::vec(0u64..3_000_000, 1..200),
            delta in 1u64..100,
        ) {
            let mut buckets = LocalBuckets::new(delta);
            for (v, &p) in priorities.iter().enumerate() {
                buckets.push(v as u32, p);
            }
            let mut expected: Vec<_> = priorities.iter().map(|p| p / delta).collect();
            expected.sort_unstable();
            let mut found = Vec::new();
            let (mut current, mut list) = (0, Vec::new());
            while let Some(next) = buckets.least(current) {
                prop_assert!(buckets.len(next) > 0 || next >= NEAR_BUCKETS);
                list.clear();
                buckets.take(next, &mut list);
                prop_assert!(!list.is_empty());
                for &e in &list {
                    let vertex = e as u32;
                    prop_assert_eq!(e >> 32, priorities[vertex as usize]);
                    prop_assert_eq!(priorities[vertex as usize] / delta, next);
                    found.push(next);
                }
                current = next;
            }
            prop_assert_eq!(found, expected);
        }
    }
}
