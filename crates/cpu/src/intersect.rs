//! Counting the common entries of two ascending lists.

/// Lists whose lengths differ by more than this factor are searched rather than merged.
const UNEVEN: usize = 32;

/// Number of common entries not above `limit`.
pub(crate) fn count(a: &[u32], b: &[u32], limit: u32) -> u64 {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    if long.len() / UNEVEN > short.len() { search(short, long, limit) } else { merge(short, long, limit) }
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
            prop_assert_eq!(count(&list(&a), &list(&b), limit), expected);
        }
    }
}
