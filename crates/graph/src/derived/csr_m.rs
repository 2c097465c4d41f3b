//! CSR-M: a (begin, end) pair of edge positions per vertex, so that one aligned read fetches both ends.

use std::ops::Range;

use rayon::prelude::*;

use crate::{Adjacency, Buffer, Offsets, VertexId};

/// Edge ranges of all vertices; the targets stay in the adjacency it was made from.
#[derive(Debug, PartialEq)]
pub enum CsrM {
    /// Fewer than 2^32 edges.
    Narrow(Buffer<[u32; 2]>),
    /// Any number of edges.
    Wide(Buffer<[u64; 2]>),
}

impl CsrM {
    /// As wide as the offsets of the adjacency.
    pub(super) fn new(adjacency: &Adjacency) -> Self {
        match adjacency.offsets() {
            Offsets::Narrow(offsets) => CsrM::Narrow(pairs(offsets).into()),
            Offsets::Wide(offsets) => CsrM::Wide(pairs(offsets).into()),
        }
    }

    /// The edge positions of one vertex.
    #[inline]
    pub fn range(&self, v: VertexId) -> Range<usize> {
        match self {
            CsrM::Narrow(pairs) => pairs[v as usize][0] as usize..pairs[v as usize][1] as usize,
            CsrM::Wide(pairs) => pairs[v as usize][0] as usize..pairs[v as usize][1] as usize,
        }
    }

    /// Number of vertices.
    pub(crate) fn lists(&self) -> usize {
        match self {
            CsrM::Narrow(pairs) => pairs.len(),
            CsrM::Wide(pairs) => pairs.len(),
        }
    }

    /// Size in bytes.
    pub fn bytes(&self) -> usize {
        match self {
            CsrM::Narrow(pairs) => pairs.bytes(),
            CsrM::Wide(pairs) => pairs.bytes(),
        }
    }
}

fn pairs<T: Copy + Send + Sync>(offsets: &[T]) -> Vec<[T; 2]> {
    offsets.par_windows(2).with_min_len(1 << 14).map(|ends| [ends[0], ends[1]]).collect()
}
