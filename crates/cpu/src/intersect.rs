//! Counting the common entries of two ascending lists, by any of the methods of the schedule space.

use crate::tuning::{LONG_LIST, MUCH_LONGER_LIST, UNEVEN_LISTS};

mod marks;
mod probe;

pub(crate) use marks::Marks;

/// How to count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Method {
    /// Whichever suits the two lists.
    Combined = 0,
    /// Merge.
    Merge = 1,
    /// Search the entries of the shorter list in the longer.
    Search = 2,
    /// Compare blocks of three by three.
    Blocks = 3,
    /// Merge in steps of three.
    Skips = 4,
}

impl Method {
    /// The method of a number; numbers come from generated code.
    pub(crate) fn of(number: u32) -> Method {
        match number {
            1 => Method::Merge,
            2 => Method::Search,
            3 => Method::Blocks,
            4 => Method::Skips,
            _ => Method::Combined,
        }
    }
}

/// Number of common entries not above `limit`.
pub(crate) fn count(a: &[u32], b: &[u32], limit: u32, method: Method) -> u64 {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    match method {
        Method::Merge => merge(short, long, limit),
        Method::Search => search(short, long, limit),
        Method::Blocks => blocks(short, long, limit),
        Method::Skips => skips(short, long, limit),
        Method::Combined if long.len() / UNEVEN_LISTS > short.len() => search(short, long, limit),
        Method::Combined if short.len() >= LONG_LIST && long.len() / 10 <= short.len() => blocks(short, long, limit),
        Method::Combined => skips(short, long, limit),
    }
}

/// Number of common entries not above `limit`, when `known` is likely to be met again at once with another list: its
/// entries are marked, and those of the other list are looked up.
pub(crate) fn count_marked(marks: &mut Marks, known: &[u32], other: &[u32], limit: u32) -> u64 {
    let reach = other.len().min(limit as usize + 1);
    if reach / MUCH_LONGER_LIST > known.len() {
        return search(known, other, limit);
    }
    marks.mark(known, limit);
    marks.count(other, limit)
}

/// Merge without branches on the data: both cursors move by the outcome of comparisons.
fn merge(a: &[u32], b: &[u32], limit: u32) -> u64 {
    let (mut i, mut j, mut common) = (0, 0, 0);
    while i < a.len() && j < b.len() {
        let (x, y) = (a[i], b[j]);
        if x.max(y) > limit {
            break;
        }
        common += u64::from(x == y);
        i += usize::from(x <= y);
        j += usize::from(y <= x);
    }
    common
}

/// Each entry of the short list is searched in what is left of the long one.
fn search(short: &[u32], mut long: &[u32], limit: u32) -> u64 {
    let mut common = 0;
    for &x in short {
        if x > limit {
            break;
        }
        // Gallop, then bisect: neighbouring entries of the short list are often near each other in the long one.
        let mut step = 1;
        while step < long.len() && long[step] < x {
            step *= 2;
        }
        let window = &long[..long.len().min(step + 1)];
        let at = window.partition_point(|&y| y < x);
        common += u64::from(long.get(at) == Some(&x));
        long = &long[at.min(long.len())..];
    }
    common
}

/// Compares three entries of one list with three of the other at once, in no order, and leaves the block behind that
/// ends first (Inoue, Ohara, Taura: Faster set intersection with SIMD instructions by reducing branch mispredictions,
/// VLDB 2014).
fn blocks(a: &[u32], b: &[u32], limit: u32) -> u64 {
    let (a, b) = (up_to(a, limit), up_to(b, limit));
    let (mut i, mut j, mut common) = (0, 0, 0);
    while let (Some(&[a0, a1, a2]), Some(&[b0, b1, b2])) = (block(a, i), block(b, j)) {
        let met = |x: u32| u64::from(x == b0) | u64::from(x == b1) | u64::from(x == b2);
        common += met(a0) + met(a1) + met(a2);
        i += 3 * usize::from(a2 <= b2);
        j += 3 * usize::from(b2 <= a2);
    }
    common + merge(&a[i..], &b[j..], limit)
}

fn block(list: &[u32], at: usize) -> Option<&[u32; 3]> {
    list.get(at..)?.first_chunk()
}

/// Merge that leaves entries behind three at a time and steps back when that was too far.
fn skips(a: &[u32], b: &[u32], limit: u32) -> u64 {
    let (mut i, mut j, mut common) = (0, 0, 0);
    while i < a.len() && j < b.len() {
        let (x, y) = (a[i], b[j]);
        if x.max(y) > limit {
            break;
        }
        if x == y {
            (i, j, common) = (i + 1, j + 1, common + 1);
        } else if x < y {
            i = leave(a, i, y);
        } else {
            j = leave(b, j, x);
        }
    }
    common
}

/// The first position behind `at` whose entry is not below `value`.
fn leave(list: &[u32], at: usize, value: u32) -> usize {
    let mut far = at + 3;
    while far < list.len() && list[far] < value {
        far += 3;
    }
    // The answer is one of the last three.
    far -= 2;
    while far < list.len() && list[far] < value {
        far += 1;
    }
    far.min(list.len())
}

/// The entries not above `limit`.
fn up_to(list: &[u32], limit: u32) -> &[u32] {
    &list[..list.partition_point(|&x| x <= limit)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn list(set: &BTreeSet<u32>) -> Vec<u32> {
        set.iter().copied().collect()
    }

    proptest! {
        #[test]
        fn all_ways_agree_with_sets(
            a in prop::collection::btree_set(0u32..500, 0..80),
            b in prop::collection::btree_set(0u32..500, 0..400),
            limit in 0u32..600,
        ) {
            let expected = a.intersection(&b).filter(|&&x| x <= limit).count() as u64;
            let (a, b) = (list(&a), list(&b));
            for number in 0..5 {
                let method = Method::of(number);
                prop_assert_eq!(method as u32, number);
                prop_assert_eq!(count(&a, &b, limit, method), expected, "{:?}", method);
            }
            prop_assert_eq!(search(&b, &a, limit), expected);
        }

        /// Lists that come in any order, some again and again, with limits that rise and fall.
        #[test]
        fn marks_agree_with_sets(
            lists in prop::collection::vec(prop::collection::btree_set(0u32..3000, 0..200), 2..6),
            calls in prop::collection::vec((0usize..6, 0usize..6, 0u32..3100), 1..40),
        ) {
            let sets = lists;
            let lists: Vec<Vec<u32>> = sets.iter().map(list).collect();
            let mut marks = Marks::default();
            for (known, other, limit) in calls {
                let (known, other) = (known % lists.len(), other % lists.len());
                let expected = sets[known].intersection(&sets[other]).filter(|&&x| x <= limit).count() as u64;
                prop_assert_eq!(count_marked(&mut marks, &lists[known], &lists[other], limit), expected);
                if limit % 7 == 0 {
                    marks.forget();
                }
            }
        }
    }

    #[test]
    fn long_lists_are_compared_in_blocks() {
        let (a, b): (Vec<u32>, Vec<u32>) = ((0..3000).map(|x| 2 * x).collect(), (0..2000).map(|x| 3 * x).collect());
        assert_eq!(count(&a, &b, 5999, Method::Combined), 1000);
        assert_eq!(count(&a, &b, 599, Method::Combined), 100);
    }
}
