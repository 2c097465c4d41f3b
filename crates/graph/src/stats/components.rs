//! Weak components by concurrent union-find.
//!
//! Roots are hooked under lower roots with compare-and-swap, so that a component ends with its least vertex as label,
//! whatever the order. As in Afforest (Sutton, Ben-Nun and Barak, IPDPS 2018) a few neighbours per vertex are linked
//! first; they almost always form the giant component, whose members then need not look at their other edges.

use std::cmp::Reverse;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use rayon::prelude::*;
use serde::Serialize;

use crate::parallel::{self, PIECE};
use crate::rng::Rng;
use crate::{Graph, VertexId};

/// Weak components of a graph.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Components {
    /// Number of components, isolated vertices included.
    pub count: u64,
    /// Vertices of the largest.
    pub largest: u64,
    /// Vertices without any edge to or from another vertex.
    pub isolated: u64,
    /// Least vertex of the largest component.
    #[serde(skip)]
    pub largest_label: VertexId,
}

/// Neighbours linked before the giant component is looked for.
const ROUNDS: usize = 2;
const SAMPLES: usize = 1024;

/// Counts the weak components.
pub fn components(graph: &Graph) -> Components {
    summary(graph, &labels(graph))
}

/// The least vertex of each vertex's component.
pub(super) fn labels(graph: &Graph) -> Vec<VertexId> {
    let vertices = graph.vertices() as u32;
    let parent: Vec<AtomicU32> = (0..vertices).into_par_iter().map(AtomicU32::new).collect();
    let each = || (0..vertices).into_par_iter().with_min_len(1 << 10);
    for round in 0..ROUNDS {
        each().for_each(|v| {
            if let Some(&neighbour) = graph.out().neighbours(v).get(round) {
                link(&parent, v, neighbour);
            }
        });
        each().for_each(|v| compress(&parent, v));
    }

    let giant = most_frequent(&parent);
    let incoming = (!graph.is_symmetric()).then(|| graph.incoming());
    each().for_each(|v| {
        // An edge into the giant component is seen from its other end, as long as both directions are looked at.
        if parent[v as usize].load(Relaxed) == giant {
            return;
        }
        for &neighbour in graph.out().neighbours(v).iter().skip(ROUNDS) {
            link(&parent, v, neighbour);
        }
        for &neighbour in incoming.map_or(&[][..], |i| i.neighbours(v)) {
            link(&parent, v, neighbour);
        }
    });
    each().for_each(|v| compress(&parent, v));
    parent.into_iter().map(AtomicU32::into_inner).collect()
}

/// Unites the components of two vertices: the higher root is hooked under something lower.
fn link(parent: &[AtomicU32], a: VertexId, b: VertexId) {
    let load = |v: VertexId| parent[v as usize].load(Relaxed);
    let (mut a, mut b) = (load(a), load(b));
    while a != b {
        let (high, low) = (a.max(b), a.min(b));
        match parent[high as usize].compare_exchange(high, low, Relaxed, Relaxed) {
            Ok(_) => return,
            // Another thread hooked it there already.
            Err(now) if now == low => return,
            // No longer a root: go on from the parents.
            Err(now) => {
                a = load(now);
                b = load(low);
            }
        }
    }
}

/// Points a vertex straight at its root.
fn compress(parent: &[AtomicU32], v: VertexId) {
    let mut up = parent[v as usize].load(Relaxed);
    loop {
        let next = parent[up as usize].load(Relaxed);
        if next == up {
            break;
        }
        up = next;
    }
    parent[v as usize].store(up, Relaxed);
}

/// The label seen most often in a fixed sample; only a guess that saves work.
fn most_frequent(parent: &[AtomicU32]) -> VertexId {
    if parent.is_empty() {
        return VertexId::MAX;
    }
    let mut rng = Rng::new(0, 0);
    let mut sample: Vec<u32> =
        (0..SAMPLES).map(|_| parent[rng.below(parent.len() as u64) as usize].load(Relaxed)).collect();
    sample.sort_unstable();
    sample.chunk_by(|a, b| a == b).max_by_key(|run| run.len()).map_or(VertexId::MAX, |run| run[0])
}

pub(super) fn summary(graph: &Graph, labels: &[VertexId]) -> Components {
    let sizes: Vec<AtomicU32> = labels.iter().map(|_| AtomicU32::new(0)).collect();
    // The giant component's counter would be fought over: count runs of equal labels at once.
    parallel::pieces(labels.len(), PIECE, |range| {
        for run in labels[range].chunk_by(|a, b| a == b) {
            sizes[run[0] as usize].fetch_add(run.len() as u32, Relaxed);
        }
    });
    let sizes: Vec<u32> = sizes.into_iter().map(AtomicU32::into_inner).collect();
    debug_assert_eq!(sizes.len(), graph.vertices());
    let parts = parallel::pieces(sizes.len(), PIECE, |range| {
        let count = |is_wanted: fn(u32) -> bool| sizes[range.clone()].iter().filter(|&&size| is_wanted(size)).count();
        let labels = range.clone().map(|label| (sizes[label], Reverse(label)));
        (count(|size| size > 0) as u64, count(|size| size == 1) as u64, labels.max())
    });
    let (largest, Reverse(label)) = parts.iter().filter_map(|part| part.2).max().unwrap_or_default();
    Components {
        count: parts.iter().map(|part| part.0).sum(),
        largest: u64::from(largest),
        isolated: parts.iter().map(|part| part.1).sum(),
        largest_label: label as VertexId,
    }
}
