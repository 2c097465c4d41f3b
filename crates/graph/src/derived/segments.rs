//! Cache segments: the in-edges cut by ranges of source ids, each part a small adjacency of its own, so that a pull
//! over one part reads vertex data that fits a cache (Zhang et al., Making caches work for graph analytics, 2017).

use crate::huge_pages::prefer_huge_pages;
use crate::parallel;
use crate::{Adjacency, Graph, Offsets, Weight, Weights, with_weights};

/// The in-edges from one range of sources. Only vertices with such edges have a list.
#[derive(Debug, PartialEq)]
pub struct Segment {
    owners: Vec<u32>,
    offsets: Offsets,
    targets: Vec<u32>,
    weights: Weights,
}

impl Segment {
    /// The vertex that each list belongs to, ascending.
    pub fn owners(&self) -> &[u32] {
        &self.owners
    }

    /// Begin and end of each list; as wide as those of the graph.
    pub fn offsets(&self) -> &Offsets {
        &self.offsets
    }

    /// The sources.
    pub fn targets(&self) -> &[u32] {
        &self.targets
    }

    /// The weights, in the order of the sources.
    pub fn weights(&self) -> &Weights {
        &self.weights
    }

    pub(super) fn bytes(&self) -> usize {
        4 * (self.owners.len() + self.targets.len()) + self.offsets.bytes() + self.weights.bytes()
    }
}

/// Cuts the in-edges of a graph into `count` segments of equally many source ids.
pub(super) fn cut(graph: &Graph, count: usize) -> Vec<Segment> {
    let adjacency = graph.incoming();
    let width = adjacency.vertices().div_ceil(count.max(1)).max(1);
    let ranges = (0..adjacency.vertices()).step_by(width).map(|first| first as u32..(first + width) as u32);
    ranges.map(|sources| segment(adjacency, &sources)).collect()
}

/// What one task collects.
#[derive(Default)]
struct Part {
    owners: Vec<u32>,
    lengths: Vec<u32>,
    edges: usize,
}

fn segment(adjacency: &Adjacency, sources: &std::ops::Range<u32>) -> Segment {
    const TASK: usize = 1 << 15;
    // Lists are sorted, so the edges of a segment lie together in each.
    let inside = |v: u32| {
        let all = adjacency.range(v);
        let list = &adjacency.targets()[all.clone()];
        let begin = list.partition_point(|&u| u < sources.start);
        let end = begin + list[begin..].partition_point(|&u| u < sources.end);
        all.start + begin..all.start + end
    };
    let parts: Vec<Part> = parallel::pieces(adjacency.vertices(), TASK, |range| {
        let mut part = Part::default();
        for v in range {
            let length = inside(v as u32).len();
            if length > 0 {
                part.owners.push(v as u32);
                part.lengths.push(length as u32);
                part.edges += length;
            }
        }
        part
    });
    let owners: Vec<u32> = parts.iter().flat_map(|part| part.owners.iter().copied()).collect();
    let edges: usize = parts.iter().map(|part| part.edges).sum();
    let lengths = parts.iter().flat_map(|part| part.lengths.iter().copied());
    let offsets = match adjacency.offsets() {
        Offsets::Narrow(_) => Offsets::Narrow(sums(lengths, owners.len(), 0u32, |sum, n| sum + n).into()),
        Offsets::Wide(_) => Offsets::Wide(sums(lengths, owners.len(), 0u64, |sum, n| sum + u64::from(n)).into()),
    };
    let targets = gather(&parts, edges, &inside, adjacency.targets());
    let weights = with_weights!(adjacency.weights(), none => Weights::None, w => {
        Weight::wrap(gather(&parts, edges, &inside, w))
    });
    Segment { owners, offsets, targets, weights }
}

fn sums<T: Copy>(lengths: impl Iterator<Item = u32>, lists: usize, zero: T, add: impl Fn(T, u32) -> T) -> Vec<T> {
    let mut offsets = Vec::with_capacity(lists + 1);
    let mut sum = zero;
    offsets.push(sum);
    for length in lengths {
        sum = add(sum, length);
        offsets.push(sum);
    }
    offsets
}

/// The entries of `from` at the edges of all parts, one part after another.
fn gather<T: Copy + Default + Send + Sync>(
    parts: &[Part],
    edges: usize,
    inside: &(impl Fn(u32) -> std::ops::Range<usize> + Sync),
    from: &[T],
) -> Vec<T> {
    let mut gathered = vec![T::default(); edges];
    prefer_huge_pages(&mut gathered);
    let mut rest = &mut gathered[..];
    let mut shares = Vec::with_capacity(parts.len());
    for part in parts {
        let (share, others) = rest.split_at_mut(part.edges);
        shares.push(share);
        rest = others;
    }
    parallel::map_items(parts.iter().zip(shares).collect(), |(part, mut share)| {
        for &v in &part.owners {
            let range = inside(v);
            let (list, others) = share.split_at_mut(range.len());
            list.copy_from_slice(&from[range]);
            share = others;
        }
    });
    gathered
}

#[cfg(test)]
mod tests {
    use crate::{GraphSpec, Weights, progress::Silent};

    fn weight(weights: &Weights, edge: usize) -> i32 {
        match weights {
            Weights::Int(w) => w[edge],
            _ => 0,
        }
    }

    #[test]
    fn segments_hold_every_in_edge_once() {
        for spec in ["kron:8:directed:weights=1..9", "path:5", "path:1", "star:70", "urand:7:3"] {
            let graph = GraphSpec::parse(spec).and_then(|s| s.load(&Silent)).unwrap().graph;
            for count in [1, 2, 3, 7, 1000] {
                let mut edges = Vec::new();
                let segments = graph.segments(count).unwrap();
                assert!(segments.len() <= count, "{spec} {count}");
                for segment in segments.iter() {
                    assert!(segment.owners().is_sorted());
                    for (list, &owner) in segment.owners().iter().enumerate() {
                        let range = segment.offsets().at(list)..segment.offsets().at(list + 1);
                        assert!(!range.is_empty());
                        edges.extend(range.map(|e| (owner, segment.targets()[e], weight(segment.weights(), e))));
                    }
                }
                let mut expected = Vec::new();
                for v in 0..graph.vertices() as u32 {
                    let range = graph.incoming().range(v);
                    let (targets, weights) = (graph.incoming().targets(), graph.incoming().weights());
                    expected.extend(range.map(|e| (v, targets[e], weight(weights, e))));
                }
                edges.sort_by_key(|&(v, u, _)| (v, u));
                assert_eq!(edges, expected, "{spec} {count}");
            }
        }
    }
}
