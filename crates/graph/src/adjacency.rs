//! One direction of a graph in compressed sparse rows: offsets, sorted targets, optional weights.

use std::ops::Range;
use std::sync::Arc;

use bytemuck::Pod;

use crate::graph_id::AdjacencyId;
use crate::{Buffer, Offsets, VertexId, Weights};

/// Neighbour lists of all vertices, each sorted ascending by neighbour id.
#[derive(Debug)]
pub struct Adjacency {
    id: AdjacencyId,
    offsets: Offsets,
    targets: Buffer<VertexId>,
    weights: Weights,
}

impl Adjacency {
    /// Assembles an adjacency from parts that the caller knows to fit together (`offsets.total()` targets and
    /// weights, offsets ascending, lists sorted, ids in range). [`crate::validate`] checks all of it.
    pub(crate) fn from_parts(offsets: Offsets, targets: Buffer<VertexId>, weights: Weights) -> Self {
        debug_assert_eq!(offsets.total(), targets.len());
        Adjacency { id: AdjacencyId::fresh(), offsets, targets, weights }
    }

    /// The same arrays under another identity: whoever keeps something by [`Adjacency::id`] meets a new adjacency.
    pub(crate) fn anew(self: &Arc<Self>) -> Adjacency {
        fn shared<T: Pod>(items: &Buffer<T>, owner: &Arc<Adjacency>) -> Buffer<T> {
            // SAFETY: the items belong to the owner, which never changes them and lives as long as the buffer.
            unsafe { Buffer::foreign(&raw const items[..], Box::new(Arc::clone(owner))) }
        }
        let offsets = match &self.offsets {
            Offsets::Narrow(offsets) => Offsets::Narrow(shared(offsets, self)),
            Offsets::Wide(offsets) => Offsets::Wide(shared(offsets, self)),
        };
        let weights = match &self.weights {
            Weights::None => Weights::None,
            Weights::Int(weights) => Weights::Int(shared(weights, self)),
            Weights::Float(weights) => Weights::Float(shared(weights, self)),
        };
        Adjacency::from_parts(offsets, shared(&self.targets, self), weights)
    }

    /// What copies of these arrays elsewhere (device memory) use as their key. Graphs that share an adjacency share
    /// its copies.
    pub fn id(&self) -> AdjacencyId {
        self.id
    }

    /// Number of vertices.
    pub fn vertices(&self) -> usize {
        self.offsets.lists()
    }

    /// Number of stored (directed) edges.
    pub fn edges(&self) -> usize {
        self.targets.len()
    }

    /// Number of neighbours of `v`.
    #[inline]
    pub fn degree(&self, v: VertexId) -> usize {
        self.range(v).len()
    }

    /// Edge positions of `v` in [`Adjacency::targets`].
    #[inline]
    pub fn range(&self, v: VertexId) -> Range<usize> {
        self.offsets.range(v)
    }

    /// Sorted neighbours of `v`.
    #[inline]
    pub fn neighbours(&self, v: VertexId) -> &[VertexId] {
        &self.targets[self.range(v)]
    }

    /// The offsets.
    pub fn offsets(&self) -> &Offsets {
        &self.offsets
    }

    /// All targets, list after list.
    pub fn targets(&self) -> &[VertexId] {
        &self.targets
    }

    /// The weights, parallel to the targets.
    pub fn weights(&self) -> &Weights {
        &self.weights
    }

    /// Size of the arrays in bytes.
    pub fn bytes(&self) -> usize {
        self.offsets.bytes() + self.targets.bytes() + self.weights.bytes()
    }

    /// The vertex whose list holds edge position `edge`.
    pub fn source_of(&self, edge: usize) -> VertexId {
        let (mut low, mut high) = (0, self.vertices());
        while low < high {
            let middle = (low + high) / 2;
            if self.offsets.at(middle + 1) <= edge {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low as VertexId
    }
}

impl PartialEq for Adjacency {
    /// The same lists and weights.
    fn eq(&self, other: &Self) -> bool {
        self.offsets == other.offsets && self.targets == other.targets && self.weights == other.weights
    }
}
