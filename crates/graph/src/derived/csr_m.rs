//! CSR-M: a (begin, end) pair of edge positions per vertex, so that one aligned read fetches both ends.

use rayon::prelude::*;

use crate::{Adjacency, Buffer};

/// Edge ranges of all vertices; the targets stay in the adjacency it was made from.
#[derive(Debug, PartialEq)]
pub enum CsrM {
    /// Fewer than 2^32 edges.
    Narrow(Buffer<[u32; 2]>),
    /// Any number of edges.
    Wide(Buffer<[u64; 2]>),
}

impl CsrM {
    pub(super) fn new(adjacency: &Adjacency) -> Self {
        let vertices = 0..adjacency.vertices() as u32;
        if u32::try_from(adjacency.edges()).is_ok() {
            let pairs: Vec<_> = vertices
                .into_par_iter()
                .map(|v| {
                    let range = adjacency.range(v);
                    [range.start as u32, range.end as u32]
                })
                .collect();
            CsrM::Narrow(pairs.into())
        } else {
            let pairs: Vec<_> = vertices
                .into_par_iter()
                .map(|v| {
                    let range = adjacency.range(v);
                    [range.start as u64, range.end as u64]
                })
                .collect();
            CsrM::Wide(pairs.into())
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
