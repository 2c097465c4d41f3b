//! Counting the common entries of two ascending lists.

/// Lists whose lengths differ by more than this factor are searched rather than merged.
const UNEVEN: usize = 32;

/// How to count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Method {
    /// Whichever suits the two lengths.
    BySize = 0,
    /// Merge.
    Merge = 1,
    /// Search the entries of the shorter list in the longer.
    Search = 2,
}

/// Number of common entries not above `limit`, by the method of this number.
pub(crate) fn count(a: &[u32], b: &[u32], limit: u32, method: u32) -> u64 {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    let uneven = long.len() / UNEVEN > short.len();
    match method == Method::Search as u32 || method == Method::BySize as u32 && uneven {
        true => search(short, long, limit),
        false => merge(short, long, limit),
    }
}

/// Branch-free merge: both cursors move by the outcome of comparisons.
fn merge(a: &[u32], b: &[u32], limit: u32) -> u64 {
    let (mut i, mut j, mut common) = (0, 0, 0);
    while i < a.len() && j < b.len() {
        let (x, y) = (a[i], b[j]);
        if x > limit || y > limit {
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn both_ways_agree_with_sets(
            a in prop::collection::btree_set(0u32..500, 0..80),
            b in prop::collection::btree_set(0u32..500, 0..400),
            limit in 0u32..600,
        ) {
            let expected = a.intersection(&b).filter(|&&x| x <= limit).count() as u64;
            let list = |s: &BTreeSet<u32>| s.iter().copied().collect::<Vec<_>>();
            prop_assert_eq!(merge(&list(&a), &list(&b), limit), expected);
            prop_assert_eq!(search(&list(&a), &list(&b), limit), expected);
            for method in [Method::BySize, Method::Merge, Method::Search] {
                prop_assert_eq!(count(&list(&a), &list(&b), limit, method as u32), expected);
            }
        }
    }
}
