//! The cut of an edge operator's range into chunks, and how much work several members could share.

use gw_graph::Adjacency;
use gw_graph::derived::Segment;
use gw_schedule::{Parallelism, SimpleSchedule};

use crate::codegen::{EdgeShape, Range};
use crate::drive::{ByDegrees, ByEdges, Chunks, Clipped, Even};
use crate::executable::CpuExecutable;
use crate::tuning::{ALONE_EDGES, ALONE_GRAIN, CHUNKS_PER_MEMBER, DYNAMIC_GRAIN, QUEUE_CHUNKS};

impl CpuExecutable {
    /// The cut of an edge operator's range that nobody shares: only to look now and then whether the run is to stop.
    pub(crate) fn chunks_alone<'g>(
        &self,
        shape: EdgeShape,
        queue: &[u32],
        adjacency: &'g Adjacency,
    ) -> Box<dyn Chunks + 'g> {
        // A kernel over a queue looks itself.
        if shape.range == Range::Queue {
            return Box::new(Even { length: queue.len(), grain: ALONE_GRAIN });
        }
        let chunks = (adjacency.edges() + adjacency.walked().len()).div_ceil(ALONE_EDGES).max(1);
        Box::new(ByEdges::of(adjacency, chunks))
    }

    /// The cut of an edge operator's range that its schedule asks for, among so many members; without a word in the
    /// schedule, vertices are shared by their edges.
    pub(crate) fn chunks<'g>(
        &self,
        schedule: &SimpleSchedule,
        grain: Option<usize>,
        shape: EdgeShape,
        queue: &'g [u32],
        adjacency: &'g Adjacency,
        members: usize,
    ) -> Box<dyn Chunks + 'g> {
        let range = shape.range;
        let length = if range == Range::Queue { queue.len() } else { adjacency.vertices() };
        if shape.clipped {
            let least = self.sharing.least_chunk;
            return Box::new(match range {
                Range::Queue => Clipped::queue(queue, adjacency, grain, members * CHUNKS_PER_MEMBER, least),
                _ => Clipped::vertices(adjacency, grain, members * CHUNKS_PER_MEMBER, least),
            });
        }
        let even = |grain: usize| Even {
            length,
            // Words of a bitmap must not be shared by two chunks.
            grain: if range == Range::Queue { grain } else { grain.next_multiple_of(64) },
        };
        match (schedule.parallelism, grain) {
            (Some(Parallelism::Static), _) => Box::new(even(length.div_ceil(members).max(1))),
            (Some(Parallelism::Dynamic), Some(grain)) => Box::new(even(grain)),
            (Some(Parallelism::Dynamic), None) if range != Range::Queue => {
                Box::new(even((length / (CHUNKS_PER_MEMBER * members)).clamp(64, DYNAMIC_GRAIN)))
            }
            (Some(Parallelism::EdgeAware), Some(grain)) if range != Range::Queue => {
                let chunks = (adjacency.edges() + adjacency.vertices()).div_ceil(grain).max(1);
                Box::new(ByEdges::of(adjacency, chunks))
            }
            // So few vertices that chunks of them would not go round are cut by their edges.
            _ if range == Range::Queue && length < self.sharing.least_chunk * members * 2 => {
                Box::new(ByDegrees::new(queue, adjacency, QUEUE_CHUNKS * members))
            }
            _ if range == Range::Queue => {
                Box::new(even((length / (QUEUE_CHUNKS * members)).clamp(self.sharing.least_chunk, DYNAMIC_GRAIN)))
            }
            _ => Box::new(ByEdges::of(adjacency, CHUNKS_PER_MEMBER * members)),
        }
    }

    /// The lists of a segment, shared by their edges.
    pub(crate) fn segment_chunks<'g>(&self, grain: Option<usize>, segment: &'g Segment) -> ByEdges<'g> {
        let work = segment.targets().len() + segment.owners().len();
        let chunks = grain.map_or(CHUNKS_PER_MEMBER * self.crew.size(), |grain| work.div_ceil(grain).max(1));
        ByEdges { offsets: segment.offsets(), chunks, align: 1, within: 0..segment.offsets().lists() }
    }
}

/// About how many edges and vertices of an operator call several members could share. Of a few vertices the longest
/// list is one member's unless lists are cut: a hub in a queue of its own is nothing to share. Long queues are judged
/// by the mean degree: to add up their degrees would cost a good part of the step.
pub(crate) fn shared_work(queue: &[u32], range: Range, adjacency: &Adjacency, cuts_lists: bool) -> usize {
    match range {
        Range::Queue if queue.len() <= 64 => {
            let (mut work, mut longest) = (0, 0);
            for &v in queue {
                let list = adjacency.degree(v) + 1;
                (work, longest) = (work + list, list.max(longest));
            }
            if cuts_lists { work } else { work - longest }
        }
        Range::Queue => queue.len() * (adjacency.edges() / adjacency.vertices().max(1) + 1),
        _ => adjacency.edges() + adjacency.walked().len(),
    }
}
