//! Buckets of an eager priority queue: each worker keeps its own and nobody waits for a lock.

use crate::abi::Worker;

/// Buckets this far ahead of the current one are kept apart; farther ones wait in one list.
const NEAR: u64 = 1 << 14;

/// The buckets of one worker.
#[derive(Debug)]
pub(crate) struct LocalBuckets {
    delta: u64,
    /// `Some(shift)` when delta is a power of two: a shift is much cheaper than a division.
    shift: Option<u32>,
    /// Index of the first near bucket.
    first: u64,
    near: Vec<Vec<u32>>,
    far: Vec<(u64, u32)>,
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
        let index = self.index(priority);
        // A vertex of an earlier bucket than the first can only come from a stale read; it belongs to the first.
        let ahead = index.saturating_sub(self.first);
        if ahead >= NEAR {
            self.far.push((index, vertex));
            return;
        }
        let ahead = ahead as usize;
        if ahead >= self.near.len() {
            self.near.resize_with(ahead + 1, Vec::new);
        }
        self.near[ahead].push(vertex);
    }

    /// The least non-empty bucket that is not before `from`; earlier near buckets are empty by then.
    pub(crate) fn least(&self, from: u64) -> Option<u64> {
        let skip = from.saturating_sub(self.first) as usize;
        let near = self.near.iter().enumerate().skip(skip).find(|(_, b)| !b.is_empty());
        let near = near.map(|(i, _)| self.first + i as u64);
        near.or_else(|| self.far.iter().map(|(i, _)| *i).min())
    }

    /// Moves the window so that `bucket` is near, and takes that bucket.
    pub(crate) fn take(&mut self, bucket: u64) -> Vec<u32> {
        if bucket.saturating_sub(self.first) >= NEAR {
            self.first = bucket;
            self.near.clear();
            let far = std::mem::take(&mut self.far);
            for (index, vertex) in far {
                match index.saturating_sub(bucket) < NEAR {
                    true => {
                        let ahead = index.saturating_sub(bucket) as usize;
                        if ahead >= self.near.len() {
                            self.near.resize_with(ahead + 1, Vec::new);
                        }
                        self.near[ahead].push(vertex);
                    }
                    false => self.far.push((index, vertex)),
                }
            }
        }
        let ahead = (bucket - self.first) as usize;
        self.near.get_mut(ahead).map(std::mem::take).unwrap_or_default()
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
            let mut current = 0;
            while let Some(next) = buckets.least(current) {
                for v in buckets.take(next) {
                    prop_assert_eq!(priorities[v as usize] / delta, next);
                    found.push(next);
                }
                current = next;
            }
            prop_assert_eq!(found, expected);
        }
    }
}
