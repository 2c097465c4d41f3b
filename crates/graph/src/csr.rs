//! The CSR builder: a parallel, cache-conscious counting sort.
//!
//! Scattering every edge straight to its place would miss the cache once per edge. Instead the edges are
//! 1. counted by coarse ranges of source ids,
//! 2. moved into buckets of ranges holding about as many edges as the L2 cache (each thread writes few streams),
//! 3. sorted bucket by bucket inside the cache: counting sort by source, then each neighbour list by target, parallel
//!    edges merged on the way,
//! 4. closed up in place: the finished targets move to the front of the buffer that held the buckets.
//!
//! Step 4 needs no second array, so the peak is the bucket buffer alone: 8 bytes per unweighted edge where the result
//! keeps 4, 12 + 4 per edge with a weight of 32 bits where the result keeps 8, 16 + 8 per edge with one of 64 bits
//! where the result keeps 12. `bench/` compares this with GAPBS's builder.

use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use crate::huge_pages::prefer_huge_pages;
use crate::parallel;
use crate::scatter::Scatter;
use crate::stream::{EdgeStream, Edges};
use crate::{Adjacency, Offsets, Weight, WeightKind, Weights};

/// Coarse ranges of source ids: their counters fit the L1 cache.
const RANGES: usize = 1 << 12;
/// Edges that a bucket should hold: its items and the sorted copy stay inside the L2 cache.
const BUCKET_EDGES: u64 = 1 << 15;
/// More streams than this thrash the TLB while edges move into buckets.
const MAX_BUCKETS: u64 = 1 << 10;
/// A longer neighbour list is sorted by all threads together.
pub(crate) const PARALLEL_LIST: usize = 1 << 17;

/// The most memory that [`csr`] holds at once beside the stream, for at most this many edges.
pub(crate) fn csr_bytes(kind: WeightKind, vertices: usize, edges: usize) -> u64 {
    // An item of the bucket buffer, and the weight that leaves it.
    let per_edge = 8 + 2 * kind.bytes() as u64;
    // Degrees, and offsets of up to 64 bits.
    let per_vertex = 12;
    per_edge * edges as u64 + per_vertex * vertices as u64
}

/// Builds the adjacency of a stream. Lists come out sorted by (target, weight); with `merge`, parallel edges keep
/// only their least weight. The stream is dropped as soon as it is no longer needed.
pub(crate) fn csr<S: EdgeStream>(edges: Edges<S>, merge: bool) -> Adjacency {
    let vertices = edges.vertices();
    let groups = Groups::of(edges.pieces());
    let ranges = Ranges::over(vertices);
    let counts = count(&edges, &groups, &ranges);
    let buckets = Buckets::balanced(&counts, &ranges);
    let items = fill(&edges, &groups, &ranges, &counts, &buckets);
    drop((edges, counts));
    sorted::<S::Weight>(items, vertices, &buckets, merge)
}

/// Steps 3 and 4.
fn sorted<W: Weight>(mut items: Vec<u32>, vertices: usize, buckets: &Buckets, merge: bool) -> Adjacency {
    let mut degrees = vec![0u32; vertices];
    let kept = sort_buckets::<W>(&mut items, &mut degrees, buckets, merge);
    let (targets, weights) = close_up::<W>(items, buckets, &kept);
    Adjacency::from_parts(Offsets::from_degrees(&degrees), targets.into(), weights)
}

/// Runs of stream pieces that one task works through.
struct Groups {
    pieces: usize,
    group: usize,
}

impl Groups {
    fn of(pieces: usize) -> Self {
        let tasks = 4 * rayon::current_num_threads();
        Groups { pieces, group: pieces.div_ceil(tasks).max(1) }
    }

    fn count(&self) -> usize {
        self.pieces.div_ceil(self.group)
    }

    fn pieces(&self, group: usize) -> std::ops::Range<usize> {
        let begin = group * self.group;
        begin..(begin + self.group).min(self.pieces)
    }
}

/// Equal power-of-two ranges of vertex ids.
struct Ranges {
    shift: u32,
    count: usize,
    vertices: usize,
}

impl Ranges {
    fn over(vertices: usize) -> Self {
        let mut shift = 0;
        while vertices.saturating_sub(1) >> shift >= RANGES {
            shift += 1;
        }
        Ranges { shift, count: (vertices.saturating_sub(1) >> shift) + 1, vertices }
    }

    fn first_vertex(&self, range: usize) -> usize {
        (range << self.shift).min(self.vertices)
    }
}

/// Step 1: edges per group and range.
fn count(edges: &impl EdgeStream, groups: &Groups, ranges: &Ranges) -> Vec<Vec<u64>> {
    parallel::map(groups.count(), |group| {
        let mut counts = vec![0u64; ranges.count];
        for piece in groups.pieces(group) {
            edges.visit(piece, |source, _, _| counts[(source >> ranges.shift) as usize] += 1);
        }
        counts
    })
}

/// Runs of ranges with about equally many edges.
struct Buckets {
    /// Bucket of each range.
    of_range: Vec<u16>,
    /// First vertex of each bucket, and the number of vertices at the end.
    vertices: Vec<usize>,
    /// First item of each bucket, and the number of items at the end.
    items: Vec<usize>,
}

impl Buckets {
    fn balanced(counts: &[Vec<u64>], ranges: &Ranges) -> Self {
        let mut totals = vec![0u64; ranges.count];
        for group in counts {
            for (total, count) in totals.iter_mut().zip(group) {
                *total += count;
            }
        }
        let edges: u64 = totals.iter().sum();
        let enough = (edges / MAX_BUCKETS).max(BUCKET_EDGES);
        let mut buckets = Buckets { of_range: Vec::with_capacity(ranges.count), vertices: vec![0], items: vec![0] };
        let (mut begin, mut end) = (0u64, 0u64);
        for (range, total) in totals.iter().enumerate() {
            buckets.of_range.push((buckets.vertices.len() - 1) as u16);
            end += total;
            if end - begin >= enough || range + 1 == ranges.count {
                buckets.vertices.push(ranges.first_vertex(range + 1));
                buckets.items.push(end as usize);
                begin = end;
            }
        }
        buckets
    }

    fn count(&self) -> usize {
        self.vertices.len() - 1
    }
}

/// Step 2: edges into buckets, in stream order inside each bucket.
fn fill<S: EdgeStream>(
    edges: &S,
    groups: &Groups,
    ranges: &Ranges,
    counts: &[Vec<u64>],
    buckets: &Buckets,
) -> Vec<u32> {
    // Where each group starts writing in each bucket.
    let mut cursors = Vec::with_capacity(groups.count());
    let mut next = buckets.items.clone();
    for group in counts {
        cursors.push(next[..buckets.count()].to_vec());
        for (range, &count) in group.iter().enumerate() {
            next[usize::from(buckets.of_range[range])] += count as usize;
        }
    }

    let words = size_of::<<S::Weight as Weight>::Item>() / size_of::<u32>();
    let mut buffer = vec![0u32; words * buckets.items[buckets.count()]];
    prefer_huge_pages(&mut buffer);
    let items = Scatter::new(bytemuck::cast_slice_mut::<u32, <S::Weight as Weight>::Item>(&mut buffer));
    parallel::each(groups.count(), &|group| {
        let mut cursors = cursors[group].clone();
        for piece in groups.pieces(group) {
            edges.visit(piece, |source, target, weight| {
                let range = (source >> ranges.shift) as usize;
                let cursor = &mut cursors[usize::from(buckets.of_range[range])];
                // SAFETY: the cursors start at distinct prefix sums of the counts of the same stream and advance by
                // those counts, so each item is written once, by one group, and below the total.
                unsafe { items.write(*cursor, S::Weight::item(source, target, weight)) };
                *cursor += 1;
            });
        }
    });
    buffer
}

/// Step 3: every bucket's items become its targets followed by the bits of its weights. Returns how many edges each
/// bucket keeps.
fn sort_buckets<W: Weight>(buffer: &mut [u32], degrees: &mut [u32], buckets: &Buckets, merge: bool) -> Vec<usize> {
    let words = size_of::<W::Item>() / size_of::<u32>();
    let regions = split(buffer, buckets.items.iter().map(|i| i * words));
    let degrees = split(degrees, buckets.vertices.iter().copied());
    let parts = regions.into_iter().zip(degrees).zip(&buckets.vertices[..buckets.count()]).collect();
    // As much memory as buckets are sorted at a time, taken in turns.
    let idle: Mutex<Vec<BucketSort<W>>> = Mutex::new(Vec::new());
    let idle = || idle.lock().unwrap_or_else(PoisonError::into_inner);
    parallel::map_items(parts, |((region, degrees), &first)| {
        let free = idle().pop();
        let mut sort = free.unwrap_or_default();
        let kept = sort.run(region, degrees, first as u32, merge);
        idle().push(sort);
        kept
    })
}

/// Cuts a slice at the bounds, the first of which is 0.
pub(crate) fn split<T>(mut slice: &mut [T], bounds: impl Iterator<Item = usize>) -> Vec<&mut [T]> {
    let mut parts = Vec::new();
    let mut begin = 0;
    for end in bounds.skip(1) {
        let (part, rest) = slice.split_at_mut(end - begin);
        parts.push(part);
        slice = rest;
        begin = end;
    }
    parts
}

/// Memory for sorting one bucket, reused from bucket to bucket.
struct BucketSort<W: Weight> {
    ends: Vec<usize>,
    packed: Vec<W::Packed>,
}

impl<W: Weight> Default for BucketSort<W> {
    fn default() -> Self {
        BucketSort { ends: Vec::new(), packed: Vec::new() }
    }
}

impl<W: Weight> BucketSort<W> {
    fn run(&mut self, region: &mut [u32], degrees: &mut [u32], first: u32, merge: bool) -> usize {
        let items: &[W::Item] = bytemuck::cast_slice(region);
        let ends = &mut self.ends;
        ends.clear();
        ends.resize(degrees.len(), 0);
        for &item in items {
            ends[(W::split(item).0 - first) as usize] += 1;
        }
        let mut sum = 0;
        for end in ends.iter_mut() {
            sum += std::mem::replace(end, sum);
        }
        self.packed.resize(items.len(), W::Packed::default());
        for &item in items {
            let (source, packed) = W::split(item);
            let end = &mut ends[(source - first) as usize];
            self.packed[*end] = packed;
            *end += 1;
        }

        let mut begin = 0;
        let mut kept = 0;
        for (degree, &end) in degrees.iter_mut().zip(&*ends) {
            let list = &mut self.packed[begin..end];
            if list.len() > PARALLEL_LIST {
                list.par_sort_unstable();
            } else {
                list.sort_unstable();
            }
            let start = kept;
            let mut last = None;
            for at in begin..end {
                let packed = self.packed[at];
                let target = W::target(packed);
                if !merge || last != Some(target) {
                    self.packed[kept] = packed;
                    kept += 1;
                    last = Some(target);
                }
            }
            *degree = (kept - start) as u32;
            begin = end;
        }

        let packed = &self.packed[..kept];
        let (targets, bits) = region.split_at_mut(kept);
        for (slot, &neighbour) in targets.iter_mut().zip(packed) {
            *slot = W::target(neighbour);
        }
        if W::WORDS > 0 {
            for (words, &neighbour) in bits.chunks_exact_mut(W::WORDS).zip(packed) {
                W::weight(neighbour).put(words);
            }
        }
        kept
    }
}

/// Step 4: targets to the front of the buffer, weights into their own array.
fn close_up<W: Weight>(mut buffer: Vec<u32>, buckets: &Buckets, kept: &[usize]) -> (Vec<u32>, Weights) {
    let words = size_of::<W::Item>() / size_of::<u32>();
    let total = kept.iter().sum();
    let mut weights: Vec<W> = vec![W::default(); total];
    prefer_huge_pages(&mut weights);
    let mut front = 0;
    for (&first, &kept) in buckets.items.iter().zip(kept) {
        let begin = first * words;
        if W::WORDS > 0 {
            let words = buffer[begin + kept..].chunks_exact(W::WORDS);
            for (weight, words) in weights[front..front + kept].iter_mut().zip(words) {
                *weight = W::take(words);
            }
        }
        buffer.copy_within(begin..begin + kept, front);
        front += kept;
    }
    buffer.truncate(total);
    buffer.shrink_to_fit();
    (buffer, W::wrap(weights))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::ListStream;
    use crate::{EdgeList, Weights};
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn agrees_with_a_sorted_map(edges in prop::collection::vec((0u32..300, 0u32..300, -5i32..5), 0..3000)) {
            let list = EdgeList::from_triples(300, edges.clone());
            let adjacency = csr(Edges::new(ListStream::new(list)), true);
            let mut expected = BTreeMap::new();
            for (s, t, w) in edges {
                let least = expected.entry((s, t)).or_insert(w);
                *least = w.min(*least);
            }
            let Weights::Int(weights) = adjacency.weights() else { panic!("weights were lost") };
            let found: Vec<_> = (0..300u32)
                .flat_map(|s| adjacency.range(s).map(move |e| (s, e)))
                .map(|(s, e)| ((s, adjacency.targets()[e]), weights[e]))
                .collect();
            prop_assert_eq!(found, expected.into_iter().collect::<Vec<_>>());
        }
    }

    #[test]
    fn many_buckets_hubs_and_gaps_come_out_in_order() {
        // One hub with a parallel-sorted list, many small lists, and ids that never occur.
        let hub = (0..300_000u32).rev().map(|t| (5, t));
        let rest = (0..400_000u32).map(|i| (i.wrapping_mul(2_654_435_761) % 400_000, i));
        let edges: Vec<_> = hub.chain(rest).filter(|(s, _)| s % 1000 != 7).collect();
        let mut expected = edges.clone();
        expected.sort_unstable();
        let adjacency = csr(Edges::new(ListStream::new(EdgeList::from_pairs(400_000, edges))), false);
        let found: Vec<_> =
            (0..400_000u32).flat_map(|s| adjacency.neighbours(s).iter().map(move |&t| (s, t))).collect();
        assert!(found == expected);
    }

    #[test]
    fn nothing_gives_nothing() {
        let empty = csr(Edges::new(ListStream::new(EdgeList::from_pairs(0, vec![]))), true);
        assert_eq!((empty.vertices(), empty.edges()), (0, 0));
        let lonely = csr(Edges::new(ListStream::new(EdgeList::from_pairs(3, vec![]))), true);
        assert_eq!((lonely.vertices(), lonely.edges()), (3, 0));
    }
}
