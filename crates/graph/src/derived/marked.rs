//! Out-neighbours with the class of every edge in the two upper bits of their numbers, after H-BF (Busato, 2018,
//! section 8.3): who walks the list learns the class without another access.

use std::sync::atomic::{AtomicU8, Ordering};

use rayon::prelude::*;

use crate::parallel;
use crate::{Graph, VertexId};

/// The neighbours of all vertices, each with the class of its edge.
#[derive(Debug, PartialEq)]
pub struct Marked {
    targets: Vec<u32>,
}

impl Marked {
    /// The edge is the only one that leads to its destination.
    pub const ONLY: u32 = 1 << 31;
    /// No edge leaves the destination.
    pub const LEAF: u32 = 1 << 30;
    /// What is left is the number of the destination.
    pub const VERTEX: u32 = Marked::LEAF - 1;
    /// The most vertices that a marked graph has.
    pub const MOST_VERTICES: usize = 1 << 30;

    pub(super) fn new(graph: &Graph) -> Marked {
        let out = graph.out();
        let single = single_in_edges(graph);
        let mark = |v: VertexId| {
            let only = if single(v) { Marked::ONLY } else { 0 };
            let leaf = if out.degree(v) == 0 { Marked::LEAF } else { 0 };
            v | only | leaf
        };
        let targets = out.targets();
        Marked { targets: parallel::list(targets.len(), |edge| mark(targets[edge])) }
    }

    /// The marked neighbours, in the order of [`Adjacency::targets`](crate::Adjacency::targets).
    pub fn targets(&self) -> &[u32] {
        &self.targets
    }

    /// Size in bytes.
    pub fn bytes(&self) -> usize {
        4 * self.targets.len()
    }
}

/// Tells whether a vertex has exactly one in-edge. In-edges are counted where they are not at hand: to make them
/// would cost more.
fn single_in_edges(graph: &Graph) -> impl Fn(VertexId) -> bool + Sync + '_ {
    let counts: Vec<AtomicU8> = match graph.has_incoming() || graph.is_symmetric() {
        true => Vec::new(),
        false => {
            let counts: Vec<AtomicU8> = (0..graph.vertices()).map(|_| AtomicU8::new(0)).collect();
            graph.out().targets().par_iter().with_min_len(1 << 14).for_each(|&v| {
                let count = &counts[v as usize];
                // Two are as good as many, so that a hub is left alone after its second edge.
                if count.load(Ordering::Relaxed) < 2 && count.fetch_add(1, Ordering::Relaxed) > 1 {
                    count.store(2, Ordering::Relaxed);
                }
            });
            counts
        }
    };
    move |v| match counts.get(v as usize) {
        Some(count) => count.load(Ordering::Relaxed) == 1,
        None => graph.incoming().degree(v) == 1,
    }
}
