//! Fetching memory ahead of its use.
//!
//! The vertices of a bucket lie anywhere, and the branches on their edges keep the processor from running ahead by
//! itself. What a block of vertices needs is asked for while the blocks before it are at work: first where their lists
//! begin, later the lists.

use gw_graph::{Adjacency, with_weights};

use crate::list_form::{ListForm, offsets_address, pairs_address};
use crate::ordered::Entry;

/// Asks for the cache line of an address; any address will do.
#[inline(always)]
pub(crate) fn ask<T>(at: *const T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: prefetching reads nothing and never faults.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(at.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = at;
}

/// What an ordered loop reads for a vertex.
pub(crate) struct Ahead<'g> {
    adjacency: &'g Adjacency,
    /// Address of the first offset or pair, logarithm of the bytes of one.
    offsets: (*const u8, u32),
    targets: *const u32,
    /// Null without weights.
    weights: *const u8,
    /// Bytes of a weight.
    weight_bytes: usize,
    /// Address of the first priority, bytes of one.
    priorities: (*const u8, usize),
}

// SAFETY: the pointers are only used to ask for cache lines.
unsafe impl Sync for Ahead<'_> {}

impl<'g> Ahead<'g> {
    pub(crate) fn new(adjacency: &'g Adjacency, priorities: &gw_exec::Vector) -> Ahead<'g> {
        let shift = ListForm::of(adjacency).shift();
        let (offsets, targets, weights) = match adjacency.spans() {
            Some(spans) => (pairs_address(spans.ranges()), spans.targets(), spans.weights()),
            None => {
                let weights = with_weights!(adjacency.weights(), none => std::ptr::null(), w => w.as_ptr().cast());
                (offsets_address(adjacency.offsets()), adjacency.targets().as_ptr(), weights)
            }
        };
        let offsets = (offsets as *const u8, shift);
        let weight_bytes = adjacency.weight_kind().bytes();
        let priorities = (priorities.as_ptr().cast_const(), priorities.cell_bytes());
        Ahead { adjacency, offsets, targets, weights, weight_bytes, priorities }
    }

    /// Asks for the priorities of vertices and for where their lists begin.
    #[inline]
    pub(crate) fn vertices(&self, entries: &[Entry]) {
        for &entry in entries {
            let vertex = entry as u32 as usize;
            ask(self.priorities.0.wrapping_add(vertex * self.priorities.1));
            ask(self.offsets.0.wrapping_add(vertex << self.offsets.1));
        }
    }

    /// Asks for the beginnings of the lists of vertices.
    #[inline]
    pub(crate) fn lists(&self, entries: &[Entry]) {
        for &entry in entries {
            let begin = self.adjacency.positions(entry as u32).start;
            ask(self.targets.wrapping_add(begin));
            ask(self.weights.wrapping_add(self.weight_bytes * begin));
        }
    }
}
