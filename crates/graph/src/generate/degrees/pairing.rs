//! The configuration model made simple: half-edges paired at random, loops and parallel edges swapped away.

use std::collections::HashMap;

use rayon::prelude::*;

use crate::rng::Rng;

/// Partners tried for one bad edge before it is given up.
const TRIES: usize = 1000;

/// How often edges for which no partner was found are tried again: the others have changed meanwhile.
const ROUNDS: usize = 8;

/// Stands in the place of an edge that was taken out: no swap may take it.
const TAKEN_OUT: u64 = u64::MAX;

/// A simple graph with these degrees, as edges from lower to higher id. Bad edges for which no swap is found are left
/// out, which happens when degrees are near what a simple graph allows; the caller judges the outcome.
pub(in super::super) fn pair(degrees: &[u32], rng: &mut Rng) -> Vec<(u32, u32)> {
    let mut stubs: Vec<u32> = Vec::with_capacity(degrees.iter().map(|&d| d as usize).sum());
    for (v, &degree) in degrees.iter().enumerate() {
        stubs.extend(std::iter::repeat_n(v as u32, degree as usize));
    }
    rng.shuffle(&mut stubs);
    let mut sorted: Vec<u64> = stubs.chunks_exact(2).map(|ends| key(ends[0], ends[1])).collect();
    drop(stubs);
    sorted.par_sort_unstable();

    let mut edges = sorted.clone();
    let bad: Vec<usize> =
        (0..edges.len()).filter(|&i| is_loop(edges[i]) || (i > 0 && edges[i - 1] == edges[i])).collect();
    let mut present = Multiset { sorted: &sorted, change: HashMap::new() };
    let mut left = Vec::new();
    for index in bad {
        let edge = edges[index];
        // An earlier swap may have mended this one.
        if !is_loop(edge) && present.count(edge) == 1 {
            continue;
        }
        present.add(edge, -1);
        edges[index] = TAKEN_OUT;
        if !swap_in(&mut edges, index, edge, &mut present, rng) {
            left.push((index, edge));
        }
    }
    for _ in 0..ROUNDS {
        let before = left.len();
        left.retain(|&(index, edge)| !swap_in(&mut edges, index, edge, &mut present, rng));
        if left.len() == before {
            break;
        }
    }
    edges.retain(|&edge| edge != TAKEN_OUT);
    edges.into_iter().map(|e| ((e >> 32) as u32, e as u32)).collect()
}

/// Exchanges ends between `edge`, which was taken out at `index`, and a random other one so that two new, proper edges
/// arise.
fn swap_in(edges: &mut [u64], index: usize, edge: u64, present: &mut Multiset, rng: &mut Rng) -> bool {
    let (a, b) = ends(edge);
    for _ in 0..TRIES {
        let other = rng.below(edges.len() as u64) as usize;
        let (mut c, mut d) = ends(edges[other]);
        if rng.next_u64() & 1 == 1 {
            std::mem::swap(&mut c, &mut d);
        }
        let (first, second) = (key(a, d), key(c, b));
        let proper = edges[other] != TAKEN_OUT
            && a != d
            && c != b
            && first != second
            && present.count(first) == 0
            && present.count(second) == 0;
        if proper {
            present.add(edges[other], -1);
            present.add(first, 1);
            present.add(second, 1);
            edges[index] = first;
            edges[other] = second;
            return true;
        }
    }
    false
}

/// How often each edge is there: a sorted array and the changes since.
struct Multiset<'a> {
    sorted: &'a [u64],
    change: HashMap<u64, i64>,
}

impl Multiset<'_> {
    fn count(&self, edge: u64) -> i64 {
        let first = self.sorted.partition_point(|&e| e < edge);
        let before = self.sorted[first..].iter().take_while(|&&e| e == edge).count() as i64;
        before + self.change.get(&edge).copied().unwrap_or(0)
    }

    fn add(&mut self, edge: u64, times: i64) {
        *self.change.entry(edge).or_insert(0) += times;
    }
}

fn key(a: u32, b: u32) -> u64 {
    u64::from(a.min(b)) << 32 | u64::from(a.max(b))
}

fn ends(edge: u64) -> (u32, u32) {
    ((edge >> 32) as u32, edge as u32)
}

fn is_loop(edge: u64) -> bool {
    let (a, b) = ends(edge);
    a == b
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;
    use proptest::prelude::*;
    use std::collections::HashSet;

    proptest! {
        #[test]
        fn pairs_are_simple_and_never_exceed_the_degrees(
            mut degrees in prop::collection::vec(0u32..12, 1..60), seed: u64
        ) {
            if degrees.iter().sum::<u32>() % 2 == 1 {
                degrees[0] += 1;
            }
            let edges = pair(&degrees, &mut Rng::new(seed, 0));
            let distinct: HashSet<_> = edges.iter().collect();
            prop_assert_eq!(distinct.len(), edges.len());
            prop_assert!(edges.iter().all(|(a, b)| a < b));
            let mut found = vec![0; degrees.len()];
            for &(a, b) in &edges {
                found[a as usize] += 1;
                found[b as usize] += 1;
            }
            prop_assert!(found.iter().zip(&degrees).all(|(f, d)| f <= d));
        }
    }

    #[test]
    fn an_edge_taken_out_is_not_swapped() {
        let degrees = [11, 10, 2, 11, 3, 8, 4, 11, 10, 9, 8, 5, 9];
        let edges = pair(&degrees, &mut Rng::new(11751862876913548616, 0));
        assert_eq!(edges.iter().collect::<HashSet<_>>().len(), edges.len());
    }

    #[test]
    fn easy_degrees_are_met_exactly() {
        let degrees = vec![6; 1000];
        assert_eq!(pair(&degrees, &mut Rng::new(1, 0)).len(), 3000);
    }
}
