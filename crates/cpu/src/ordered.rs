//! Buckets of an eager priority queue: each worker keeps its own and nobody waits for a lock.
//!
//! An entry is a vertex with a tag of the priority it was filed with. When the vertex has come nearer since,
//! there is a better entry elsewhere and this one is skipped without looking at any edge.

use gw_exec::{Scalar, bucket_of_real};

use crate::abi::Worker;
use crate::tuning::NEAR_BUCKETS;

/// A vertex in the low half, the tag of its priority in the high half.
pub(crate) type Entry = u64;

/// The entry of a vertex filed with a priority.
#[inline]
pub(crate) fn entry(vertex: u32, priority: u64) -> Entry {
    u64::from(vertex) | u64::from(tag(priority)) << 32
}

/// What an entry keeps of the bits of a priority: both halves, since the low one of a real is often 0.
#[inline]
pub(crate) fn tag(priority: u64) -> u32 {
    (priority ^ priority >> 32) as u32
}

/// How the bits of a priority become the number of a bucket.
#[derive(Debug, Clone, Copy)]
enum Measure {
    /// Whole numbers, in buckets as wide as a power of two: a shift is much cheaper than a division.
    Shift(u32),
    /// Whole numbers.
    Whole(u64),
    /// Reals of 32 bits, in buckets of the width that these bits say.
    Float(u64),
    /// Reals of 64 bits.
    Double(u64),
}

/// The buckets of one worker.
#[derive(Debug)]
pub(crate) struct LocalBuckets {
    measure: Measure,
    /// Index of the first near bucket.
    first: u64,
    near: Vec<Vec<Entry>>,
    far: Vec<(u64, Entry)>,
}

impl LocalBuckets {
    /// Empty buckets for priorities of a type; `width` is [`gw_exec::QueueSpec::width_word`].
    pub(crate) fn new(scalar: Scalar, width: u64) -> Self {
        let measure = match scalar {
            Scalar::Float => Measure::Float(width),
            Scalar::Double => Measure::Double(width),
            _ if width.is_power_of_two() => Measure::Shift(width.trailing_zeros()),
            _ => Measure::Whole(width.max(1)),
        };
        LocalBuckets { measure, first: 0, near: Vec::new(), far: Vec::new() }
    }

    /// The bucket of a priority.
    #[inline]
    pub(crate) fn index(&self, priority: u64) -> u64 {
        match self.measure {
            Measure::Shift(shift) => priority >> shift,
            Measure::Whole(width) => priority / width,
            Measure::Float(width) => bucket_of_real(f32::from_bits(priority as u32).into(), width),
            Measure::Double(width) => bucket_of_real(f64::from_bits(priority), width),
        }
    }

    /// Bits that no priority of a bucket is below. The bits of reals from 0 on are in the order of the reals.
    pub(crate) fn floor(&self, bucket: u64) -> u64 {
        // A quotient may be rounded up to the number of the bucket.
        let real = |width: u64| (bucket as f64 * f64::from_bits(width) * (1.0 - 4.0 * f64::EPSILON)).max(0.0);
        match self.measure {
            Measure::Shift(shift) => {
                bucket.checked_shl(shift).filter(|floor| floor >> shift == bucket).unwrap_or(u64::MAX)
            }
            Measure::Whole(width) => bucket.saturating_mul(width),
            Measure::Float(width) => u64::from((real(width) as f32).next_down().max(0.0).to_bits()),
            Measure::Double(width) => real(width).to_bits(),
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
            let mut buckets = LocalBuckets::new(Scalar::Int, delta);
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
