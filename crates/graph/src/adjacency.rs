//! One direction of a graph in compressed sparse rows: offsets, sorted targets, optional weights.
//!
//! Where the lists stand apart in memory of somebody else ([`Spans`]), readers of single lists read them there
//! ([`Adjacency::neighbours`], [`Adjacency::weights_of`]); the offsets are those of compressed rows all the same, so
//! that edges have the same positions in both forms, and who asks for whole arrays gets a copy, made once.

use std::ops::Range;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use bytemuck::Pod;

use crate::csr::csr_bytes;
use crate::graph_id::AdjacencyId;
use crate::remote_lists::RemoteLists;
use crate::renumbering::Renumbering;
use crate::spans::Spans;
use crate::{Buffer, GraphError, Offsets, VertexId, Weight, WeightKind, Weights, memory, parallel, with_weight_type};

/// Neighbour lists of all vertices, each sorted ascending by neighbour id.
#[derive(Debug)]
pub struct Adjacency {
    id: AdjacencyId,
    vertices: usize,
    edges: usize,
    /// Filled at the first look where they come from elsewhere.
    offsets: OnceLock<Offsets>,
    /// Filled at the first look where they come from elsewhere.
    lists: OnceLock<Lists>,
    origin: Origin,
    /// The vertices outside of which all lists are known to be empty.
    within: Range<VertexId>,
}

/// Where lists come from.
#[derive(Debug)]
enum Origin {
    /// They are here from the beginning.
    Here,
    Renumbered(Renumbering),
    Spans(Spans),
    /// They are in memory of a machine.
    Elsewhere(Arc<dyn RemoteLists>),
}

#[derive(Debug)]
struct Lists {
    targets: Buffer<VertexId>,
    weights: Weights,
    /// What it took to make them here.
    time: Duration,
}

impl Adjacency {
    /// Assembles an adjacency from parts that the caller knows to fit together (`offsets.total()` targets and
    /// weights, offsets ascending, lists sorted, ids in range). [`crate::validate`] checks all of it.
    pub(crate) fn from_parts(offsets: Offsets, targets: Buffer<VertexId>, weights: Weights) -> Self {
        debug_assert_eq!(offsets.total(), targets.len());
        let lists = OnceLock::from(Lists { targets, weights, time: Duration::ZERO });
        Adjacency::new(offsets, lists, Origin::Here)
    }

    fn new(offsets: Offsets, lists: OnceLock<Lists>, origin: Origin) -> Self {
        let (vertices, edges) = (offsets.lists(), offsets.total());
        let within = 0..vertices as VertexId;
        Adjacency { id: AdjacencyId::fresh(), vertices, edges, offsets: offsets.into(), lists, origin, within }
    }

    /// The same lists, of which those outside of a range are known to be empty.
    pub(crate) fn within(self, range: Range<VertexId>) -> Self {
        debug_assert!(
            range.is_empty() && self.edges() == 0 || {
                let (first, last) = (self.offsets().at(range.start as usize), self.offsets().at(range.end as usize));
                (first, last) == (0, self.edges())
            }
        );
        Adjacency { within: range, ..self }
    }

    /// The vertices that may have neighbours: all others are known to have none.
    pub fn walked(&self) -> Range<usize> {
        self.within.start as usize..self.within.end as usize
    }

    /// The lists of another adjacency under other numbers. Only their lengths are worked out now.
    pub(crate) fn renumbered(renumbering: Renumbering) -> Self {
        Adjacency::new(renumbering.offsets(), OnceLock::new(), Origin::Renumbered(renumbering))
    }

    /// Lists that stand elsewhere.
    pub(crate) fn of_spans(spans: Spans) -> Self {
        Adjacency::new(spans.running_sums(), OnceLock::new(), Origin::Spans(spans))
    }

    /// Lists that a machine has made, and that are brought here when somebody reads them.
    pub(crate) fn elsewhere(lists: Arc<dyn RemoteLists>) -> Self {
        let (vertices, edges) = (lists.vertices(), lists.edges());
        Adjacency {
            id: AdjacencyId::fresh(),
            vertices,
            edges,
            offsets: OnceLock::new(),
            lists: OnceLock::new(),
            origin: Origin::Elsewhere(lists),
            within: 0..vertices as VertexId,
        }
    }

    /// Where the lists will come from, as long as nobody has read them here.
    pub fn renumbering(&self) -> Option<&Renumbering> {
        match &self.origin {
            Origin::Renumbered(renumbering) if self.lists.get().is_none() => Some(renumbering),
            _ => None,
        }
    }

    /// Where the lists stand, unless they are compressed rows. Their copy here, where there is one, has the same
    /// contents.
    #[inline]
    pub fn spans(&self) -> Option<&Spans> {
        match &self.origin {
            Origin::Spans(spans) => Some(spans),
            Origin::Here | Origin::Renumbered(_) | Origin::Elsewhere(_) => None,
        }
    }

    /// The length of the longest list, where a machine that has the lists knows it.
    pub(crate) fn greatest_known(&self) -> Option<usize> {
        match &self.origin {
            Origin::Elsewhere(lists) => Some(lists.greatest()),
            _ => None,
        }
    }

    /// Whether positions of edges have 64 bits.
    pub fn is_wide(&self) -> bool {
        match (&self.origin, self.offsets.get()) {
            (Origin::Elsewhere(_), None) => false,
            _ => matches!(self.offsets(), Offsets::Wide(_)),
        }
    }

    /// Whether a machine has the lists, and nothing of them is here.
    pub fn is_elsewhere(&self) -> bool {
        matches!(self.origin, Origin::Elsewhere(_)) && self.lists.get().is_none()
    }

    /// The time that a copy of lists that stand elsewhere took, and its bytes; `None` as long as there is none.
    pub(crate) fn copied(&self) -> Option<(Duration, usize)> {
        let lists = self.lists.get().filter(|_| self.spans().is_some())?;
        Some((lists.time, lists.targets.bytes() + lists.weights.bytes()))
    }

    #[inline]
    fn lists(&self) -> &Lists {
        self.lists.get_or_init(|| match self.made() {
            Ok(lists) => lists,
            // The one copy is gone. Readers that can return an error call `load` first.
            Err(error) => panic!("{error}"),
        })
    }

    fn made(&self) -> crate::Result<Lists> {
        let start = Instant::now();
        let (targets, weights) = match &self.origin {
            Origin::Renumbered(renumbering) => parallel::once(|| renumbering.lists(self.offsets())),
            Origin::Spans(spans) => parallel::once(|| spans.rows(self.offsets())),
            Origin::Elsewhere(lists) => lists.fetch().map_err(GraphError::Remote)?,
            Origin::Here => (Vec::new(), Weights::None),
        };
        Ok(Lists { targets: targets.into(), weights, time: start.elapsed() })
    }

    /// Makes lists that single readers would find missing: those under other numbers, and those that a machine has.
    /// Afterwards they are read without further work. An error when they need more memory than may be used, or when the
    /// machine cannot bring them any more.
    ///
    /// Readers of lists that were not loaded make them, too, as any list is made that grows.
    pub fn load(&self) -> crate::Result<()> {
        match self.origin {
            Origin::Renumbered(_) | Origin::Elsewhere(_) => self.load_rows(),
            Origin::Here | Origin::Spans(_) => Ok(()),
        }
    }

    /// As [`Adjacency::load`], for readers of whole arrays ([`Adjacency::targets`]): lists that stand apart are copied,
    /// too.
    pub fn load_rows(&self) -> crate::Result<()> {
        let what = match &self.origin {
            _ if self.lists.get().is_some() => return Ok(()),
            Origin::Here => return Ok(()),
            Origin::Renumbered(_) => "the graph under other numbers",
            Origin::Spans(_) => "a copy in compressed rows of a graph that changes",
            Origin::Elsewhere(_) => "the copy of a graph from the memory of a device",
        };
        memory::allow(csr_bytes(self.weight_kind(), self.vertices(), self.edges()), what)?;
        match &self.origin {
            // An error stays an error; a second fetch at the same time does no harm.
            Origin::Elsewhere(remote) => {
                let offsets = remote.offsets().map_err(GraphError::Remote)?;
                let lists = self.made()?;
                let _ = self.offsets.set(Offsets::Narrow(offsets.into()));
                let _ = self.lists.set(lists);
            }
            Origin::Renumbered(_) | Origin::Spans(_) | Origin::Here => _ = self.lists(),
        }
        Ok(())
    }

    /// Makes lists that are still to be made or brought here, before all threads read them.
    pub(crate) fn settle(&self) {
        if let Origin::Renumbered(_) | Origin::Elsewhere(_) = self.origin {
            self.offsets();
            self.lists();
        }
    }

    /// The same lists with these weights, one per edge. Arrays are shared.
    pub(crate) fn with_weights(self: &Arc<Self>, weights: Weights) -> Adjacency {
        Adjacency::from_parts(self.shared_offsets(), shared(&self.lists().targets, self), weights)
    }

    fn shared_offsets(self: &Arc<Self>) -> Offsets {
        match self.offsets() {
            Offsets::Narrow(offsets) => Offsets::Narrow(shared(offsets, self)),
            Offsets::Wide(offsets) => Offsets::Wide(shared(offsets, self)),
        }
    }

    /// The weights of these edges, shared.
    fn shared_weights(self: &Arc<Self>, edges: Range<usize>) -> Weights {
        match self.weights() {
            Weights::None => Weights::None,
            Weights::Int(weights) => Weights::Int(shared(&weights[edges], self)),
            Weights::Float(weights) => Weights::Float(shared(&weights[edges], self)),
            Weights::Int64(weights) => Weights::Int64(shared(&weights[edges], self)),
            Weights::Double(weights) => Weights::Double(shared(&weights[edges], self)),
        }
    }

    /// The same arrays under another identity: whoever keeps something by [`Adjacency::id`] meets a new adjacency.
    pub(crate) fn anew(self: &Arc<Self>) -> Adjacency {
        let offsets = self.shared_offsets();
        if let Some(spans) = self.spans() {
            let anew = Adjacency::new(offsets, OnceLock::new(), Origin::Spans(spans.clone()));
            return Adjacency { within: self.within.clone(), ..anew };
        }
        let weights = self.shared_weights(0..self.edges());
        Adjacency::from_parts(offsets, shared(&self.lists().targets, self), weights)
    }

    /// The lists of the vertices in a range; all others are empty. The lists are shared, their offsets are new.
    pub(crate) fn part(self: &Arc<Self>, range: &Range<VertexId>) -> Adjacency {
        let (first, last) = (self.offsets().at(range.start as usize), self.offsets().at(range.end as usize));
        let own = range.start as usize..range.end as usize + 1;
        // 0 before the range, positions from its beginning on inside, their number behind.
        fn clipped<T: Copy + Default, U: Copy>(all: &[U], own: Range<usize>, narrow: impl Fn(U) -> T) -> Vec<T> {
            let mut offsets = vec![T::default(); all.len()];
            offsets[own.clone()].iter_mut().zip(&all[own.clone()]).for_each(|(to, &from)| *to = narrow(from));
            let end = offsets[own.end - 1];
            offsets[own.end..].fill(end);
            offsets
        }
        let offsets = match self.offsets() {
            Offsets::Narrow(all) => Offsets::Narrow(clipped(all, own, |at| at - first as u32).into()),
            Offsets::Wide(all) => match u32::try_from(last - first) {
                Ok(_) => Offsets::Narrow(clipped(all, own, |at| (at - first as u64) as u32).into()),
                Err(_) => Offsets::Wide(clipped(all, own, |at| at - first as u64).into()),
            },
        };
        let weights = self.shared_weights(first..last);
        Adjacency::from_parts(offsets, shared(&self.targets()[first..last], self), weights).within(range.clone())
    }

    /// What copies of these arrays elsewhere (device memory) use as their key. Graphs that share an adjacency share
    /// its copies.
    pub fn id(&self) -> AdjacencyId {
        self.id
    }

    /// Number of vertices.
    pub fn vertices(&self) -> usize {
        self.vertices
    }

    /// Number of stored (directed) edges.
    pub fn edges(&self) -> usize {
        self.edges
    }

    /// Number of neighbours of `v`.
    #[inline]
    pub fn degree(&self, v: VertexId) -> usize {
        self.range(v).len()
    }

    /// Edge positions of `v` in [`Adjacency::targets`].
    #[inline]
    pub fn range(&self, v: VertexId) -> Range<usize> {
        self.offsets().range(v)
    }

    /// Where the list of `v` stands in the memory that it is read from: slots of [`Adjacency::spans`], or else its
    /// [`Adjacency::range`].
    #[inline]
    pub fn positions(&self, v: VertexId) -> Range<usize> {
        match self.spans() {
            Some(spans) => spans.range(v),
            None => self.range(v),
        }
    }

    /// Sorted neighbours of `v`.
    #[inline]
    pub fn neighbours(&self, v: VertexId) -> &[VertexId] {
        match self.spans() {
            Some(spans) => spans.list(v),
            None => &self.targets()[self.range(v)],
        }
    }

    /// The weights of the edges of `v`, parallel to [`Adjacency::neighbours`]; none where weights are of another kind
    /// or have no size.
    #[inline]
    pub fn weights_of<W: Weight>(&self, v: VertexId) -> &[W] {
        match self.spans() {
            Some(spans) => spans.weights_of(v),
            None => W::slice(self.weights()).and_then(|weights| weights.get(self.range(v))).unwrap_or_default(),
        }
    }

    /// The weight of entry `at` of the list of `v`; `None` without weights or such an entry.
    pub fn weight_at(&self, v: VertexId, at: usize) -> Option<f64> {
        with_weight_type!(self.weight_kind(), W => self.weights_of::<W>(v).get(at).map(|&weight| weight.real()))
    }

    /// The bits of the weight of entry `at` of the list of `v`, of its type [`Adjacency::weight_kind`]; `None` without
    /// weights or such an entry.
    #[inline]
    pub fn weight_bits(&self, v: VertexId, at: usize) -> Option<u64> {
        with_weight_type!(self.weight_kind(), W => self.weights_of::<W>(v).get(at).and_then(|weight| weight.bits()))
    }

    /// The weight at an edge position; `None` without weights.
    pub fn weight_of(&self, edge: usize) -> Option<f64> {
        match self.spans() {
            Some(_) => {
                let source = self.source_of(edge);
                self.weight_at(source, edge - self.range(source).start)
            }
            None => self.weights().real(edge),
        }
    }

    /// The offsets, those of compressed rows.
    #[inline]
    pub fn offsets(&self) -> &Offsets {
        self.offsets.get_or_init(|| self.fetched())
    }

    /// The offsets of lists that a machine has.
    #[cold]
    fn fetched(&self) -> Offsets {
        match &self.origin {
            // The one copy is gone. Readers that can return an error call `load` first.
            Origin::Elsewhere(lists) => match lists.offsets() {
                Ok(offsets) => Offsets::Narrow(offsets.into()),
                Err(error) => panic!("{error}"),
            },
            _ => Offsets::from_degrees(&vec![0; self.vertices]),
        }
    }

    /// All targets, list after list. Lists that stand elsewhere are copied at the first call.
    #[inline]
    pub fn targets(&self) -> &[VertexId] {
        &self.lists().targets
    }

    /// The weights, parallel to the targets, and copied with them.
    pub fn weights(&self) -> &Weights {
        &self.lists().weights
    }

    /// The kind of the weights; lists that nobody has read stay unread.
    pub fn weight_kind(&self) -> WeightKind {
        match &self.origin {
            Origin::Renumbered(renumbering) => renumbering.source.weight_kind(),
            Origin::Spans(spans) => spans.kind(),
            Origin::Elsewhere(lists) => lists.weight_kind(),
            Origin::Here => self.weights().kind(),
        }
    }

    /// Size of the arrays in bytes; lists that nobody has read have none.
    pub fn bytes(&self) -> usize {
        let lists = self.lists.get().map_or(0, |lists| lists.targets.bytes() + lists.weights.bytes());
        self.offsets.get().map_or(0, Offsets::bytes) + lists + self.spans().map_or(0, Spans::bytes)
    }

    /// The vertex whose list holds edge position `edge`.
    pub fn source_of(&self, edge: usize) -> VertexId {
        self.offsets().list_at(edge) as VertexId
    }
}

/// Items of an adjacency in a buffer that keeps the adjacency.
fn shared<T: Pod>(items: &[T], owner: &Arc<Adjacency>) -> Buffer<T> {
    // SAFETY: the callers above hand over items of the owner, which never changes them and lives as long as the buffer.
    unsafe { Buffer::foreign(&raw const *items, Box::new(Arc::clone(owner))) }
}

impl PartialEq for Adjacency {
    /// The same lists and weights.
    fn eq(&self, other: &Self) -> bool {
        self.offsets() == other.offsets() && self.targets() == other.targets() && self.weights() == other.weights()
    }
}
