//! One direction of a graph in compressed sparse rows: offsets, sorted targets, optional weights.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use bytemuck::Pod;

use crate::graph_id::AdjacencyId;
use crate::renumbering::Renumbering;
use crate::{Buffer, Offsets, VertexId, WeightKind, Weights};

/// Neighbour lists of all vertices, each sorted ascending by neighbour id.
#[derive(Debug)]
pub struct Adjacency {
    id: AdjacencyId,
    offsets: Offsets,
    /// Filled at the first look where they come from a renumbering.
    lists: OnceLock<Lists>,
    renumbering: Option<Renumbering>,
}

#[derive(Debug)]
struct Lists {
    targets: Buffer<VertexId>,
    weights: Weights,
}

impl Adjacency {
    /// Assembles an adjacency from parts that the caller knows to fit together (`offsets.total()` targets and
    /// weights, offsets ascending, lists sorted, ids in range). [`crate::validate`] checks all of it.
    pub(crate) fn from_parts(offsets: Offsets, targets: Buffer<VertexId>, weights: Weights) -> Self {
        debug_assert_eq!(offsets.total(), targets.len());
        let lists = OnceLock::from(Lists { targets, weights });
        Adjacency { id: AdjacencyId::fresh(), offsets, lists, renumbering: None }
    }

    /// The lists of another adjacency under other numbers. Only their lengths are worked out now.
    pub(crate) fn renumbered(renumbering: Renumbering) -> Self {
        let (offsets, lists) = (renumbering.offsets(), OnceLock::new());
        Adjacency { id: AdjacencyId::fresh(), offsets, lists, renumbering: Some(renumbering) }
    }

    /// Where the lists will come from, as long as nobody has read them here.
    pub fn renumbering(&self) -> Option<&Renumbering> {
        self.renumbering.as_ref().filter(|_| self.lists.get().is_none())
    }

    #[inline]
    fn lists(&self) -> &Lists {
        self.lists.get_or_init(|| match &self.renumbering {
            Some(renumbering) => {
                let (targets, weights) = renumbering.lists(&self.offsets);
                Lists { targets: targets.into(), weights }
            }
            None => Lists { targets: Vec::new().into(), weights: Weights::None },
        })
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
        let weights = match self.weights() {
            Weights::None => Weights::None,
            Weights::Int(weights) => Weights::Int(shared(weights, self)),
            Weights::Float(weights) => Weights::Float(shared(weights, self)),
        };
        Adjacency::from_parts(offsets, shared(&self.lists().targets, self), weights)
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
        self.offsets.total()
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
        &self.targets()[self.range(v)]
    }

    /// The offsets.
    pub fn offsets(&self) -> &Offsets {
        &self.offsets
    }

    /// All targets, list after list.
    #[inline]
    pub fn targets(&self) -> &[VertexId] {
        &self.lists().targets
    }

    /// The weights, parallel to the targets.
    pub fn weights(&self) -> &Weights {
        &self.lists().weights
    }

    /// The kind of the weights; lists that nobody has read stay unread.
    pub fn weight_kind(&self) -> WeightKind {
        match (self.lists.get(), &self.renumbering) {
            (None, Some(renumbering)) => renumbering.source.weight_kind(),
            _ => self.weights().kind(),
        }
    }

    /// Size of the arrays in bytes; lists that nobody has read have none.
    pub fn bytes(&self) -> usize {
        let lists = self.lists.get().map_or(0, |lists| lists.targets.bytes() + lists.weights.bytes());
        self.offsets.bytes() + lists
    }

    /// The vertex whose list holds edge position `edge`.
    pub fn source_of(&self, edge: usize) -> VertexId {
        self.offsets.list_at(edge) as VertexId
    }
}

impl PartialEq for Adjacency {
    /// The same lists and weights.
    fn eq(&self, other: &Self) -> bool {
        self.offsets == other.offsets && self.targets() == other.targets() && self.weights() == other.weights()
    }
}
