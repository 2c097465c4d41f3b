//! Graphs on the device: uploaded once, shared by all runs and programs, given up when memory is short.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gw_device::{Address, Buffer, Device, DeviceError};
use rayon::prelude::*;

use gw_exec::{Derived, Origin};
use gw_graph::derived::{CooOrder, CsrM, Marked};
use gw_graph::{Adjacency, AdjacencyId, Graph, GraphId, Offsets, WeightKind, Weights};

use crate::changing::{Versions, is_wide};
use crate::codegen::inputs::{Apart, EdgeList, GraphParts};
use crate::renumber::{DeviceLists, renumber};

/// An adjacency on the device.
#[derive(Debug)]
pub(crate) struct Lists {
    pub(crate) offsets: Buffer,
    pub(crate) neighbours: Buffer,
    pub(crate) weights: Option<Buffer>,
    /// Length of the longest list.
    pub(crate) greatest: u32,
}

/// A list of edges on the device.
#[derive(Debug)]
struct Edges {
    first: Buffer,
    second: Option<Buffer>,
    weights: Option<Buffer>,
}

/// Which arrays: by the address of the host's, which stay while the graph is kept.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Key {
    Lists { adjacency: AdjacencyId, weights: bool },
    Ranges { adjacency: AdjacencyId },
    Positions { adjacency: AdjacencyId },
    Marked { adjacency: AdjacencyId },
    Derived { graph: GraphId, form: Derived, beside: Option<GraphId> },
    Edges { adjacency: AdjacencyId, by_destination: bool, pairs: bool, block: u32, weights: bool },
}

enum Resident {
    Lists(Arc<Lists>),
    /// The offsets of an adjacency, as they are or as pairs, its marked neighbours, or a vector worked out from them.
    Array(Arc<Buffer>),
    Edges(Arc<Edges>),
}

/// All graphs on one device.
pub(crate) struct Residency {
    device: Arc<dyn Device>,
    /// With the graph, to know when nobody else uses it any more.
    known: Mutex<HashMap<Key, (Arc<Graph>, Resident)>>,
    /// Lists that stand apart, those of graphs that change.
    pub(crate) versions: Versions,
}

/// What a kernel reads of a graph.
#[derive(Clone, Copy)]
pub(crate) struct Wanted {
    pub(crate) parts: GraphParts,
    /// Which lists stand apart.
    pub(crate) apart: Apart,
    /// Positions are 64 bits wide.
    pub(crate) wide: bool,
    /// The size of blocks of an edge list.
    pub(crate) block: u32,
}

/// The words of a graph in the arguments of a kernel, and what keeps its arrays on the device.
pub(crate) struct GraphWords {
    pub(crate) words: [u64; 16],
    #[expect(dead_code, reason = "keeps the arrays")]
    keep: Vec<Arc<dyn std::any::Any + Send + Sync>>,
}

impl Residency {
    pub(crate) fn new(device: Arc<dyn Device>) -> Residency {
        Residency { device, known: Mutex::new(HashMap::new()), versions: Versions::default() }
    }

    /// Gives up all graphs that only this table still holds, for memory.
    pub(crate) fn drop_unused(&self) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let mut holders: HashMap<GraphId, usize> = HashMap::new();
        for (graph, _) in known.values() {
            *holders.entry(graph.id()).or_default() += 1;
        }
        known.retain(|_, (graph, _)| Arc::strong_count(graph) > holders[&graph.id()]);
        drop(known);
        self.versions.drop_unused();
    }

    /// The arrays of a graph as a kernel wants them.
    pub(crate) fn words(&self, graph: &Arc<Graph>, wanted: Wanted) -> Result<GraphWords, DeviceError> {
        match self.try_words(graph, wanted) {
            Err(DeviceError::OutOfMemory { .. }) => {
                self.drop_unused();
                self.try_words(graph, wanted)
            }
            other => other,
        }
    }

    fn try_words(&self, graph: &Arc<Graph>, wanted: Wanted) -> Result<GraphWords, DeviceError> {
        let Wanted { parts, apart, wide, block } = wanted;
        let mut words = [0; 16];
        let mut keep: Vec<Arc<dyn std::any::Any + Send + Sync>> = Vec::new();
        for (wanted, at, apart) in [(parts.out, 0, apart.out), (parts.incoming, 3, apart.incoming)] {
            if !wanted {
                continue;
            }
            if apart {
                let lists = self.versions.lists(
                    &self.device,
                    graph,
                    if at == 0 { graph.out() } else { graph.load_incoming()? },
                )?;
                words[at + 1] = lists.targets().0;
                words[at + 2] = lists.weights().0;
                words[12] |= u64::from(lists.greatest()) << (if at == 0 { 0 } else { 32 });
                words[if at == 0 { 13 } else { 14 }] = lists.ranges().0;
                keep.push(lists);
                continue;
            }
            let adjacency = if at == 0 { graph.out() } else { graph.load_incoming()? };
            let lists = self.lists(graph, adjacency, parts.weights, wide)?;
            words[at] = lists.offsets.address().0;
            words[at + 1] = lists.neighbours.address().0;
            words[12] |= u64::from(lists.greatest) << (if at == 0 { 0 } else { 32 });
            words[at + 2] = lists.weights.as_ref().map_or(0, |w| w.address().0);
            keep.push(lists);
        }
        if let Some(list) = parts.list {
            let edges = self.edges(graph, list, block, parts.weights)?;
            words[6] = edges.first.address().0;
            words[7] = edges.second.as_ref().map_or(0, |b| b.address().0);
            words[8] = edges.weights.as_ref().map_or(0, |b| b.address().0);
            words[9] = graph.edges() as u64;
            keep.push(edges);
        }
        if apart.out && parts.positions {
            let positions = self.positions(graph, wide)?;
            words[0] = positions.address().0;
            keep.push(positions);
        }
        let pairs = [(parts.out_ranges && !apart.out, false, 13), (parts.in_ranges && !apart.incoming, true, 14)];
        for (wanted, incoming, at) in pairs {
            if wanted {
                let ranges = self.ranges(graph, incoming, wide)?;
                words[at] = ranges.address().0;
                keep.push(ranges);
            }
        }
        if parts.marked {
            let marked = self.marked(graph)?;
            words[15] = marked.address().0;
            keep.push(marked);
        }
        words[10] = graph.vertices() as u64;
        words[11] = graph.edges() as u64;
        Ok(GraphWords { words, keep })
    }

    fn lists(
        &self,
        graph: &Arc<Graph>,
        adjacency: &Adjacency,
        weights: bool,
        wide: bool,
    ) -> Result<Arc<Lists>, DeviceError> {
        let weighted = weights && adjacency.weight_kind() != WeightKind::None;
        if let Some(lists) = self.known_lists(adjacency, weighted) {
            return Ok(lists);
        }
        let lists = match self.renumbered(graph, adjacency, weighted, wide) {
            Some(lists) => lists?,
            None => self.uploaded(adjacency, weighted, wide)?,
        };
        let lists = Arc::new(lists);
        let key = Key::Lists { adjacency: adjacency.id(), weights: weighted };
        self.lock().insert(key, (Arc::clone(graph), Resident::Lists(Arc::clone(&lists))));
        Ok(lists)
    }

    /// Takes lists over that were made here, those of the out-edges of a graph. Lists made before of graphs that only
    /// this table still holds go: a program that contracts a graph level by level has two levels at a time.
    pub(crate) fn adopt(&self, graph: &Arc<Graph>, lists: Arc<Lists>) {
        let key = Key::Lists { adjacency: graph.out().id(), weights: lists.weights.is_some() };
        let mut known = self.lock();
        known.retain(|_, (graph, _)| !graph.out().is_elsewhere() || Arc::strong_count(graph) > 1);
        known.insert(key, (Arc::clone(graph), Resident::Lists(lists)));
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Key, (Arc<Graph>, Resident)>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The lists of an adjacency, if they are here, with weights where these are wanted.
    fn known_lists(&self, adjacency: &Adjacency, weighted: bool) -> Option<Arc<Lists>> {
        let known = self.lock();
        [weighted, true].into_iter().find_map(|weights| {
            match known.get(&Key::Lists { adjacency: adjacency.id(), weights }) {
                Some((_, Resident::Lists(lists))) => Some(Arc::clone(lists)),
                _ => None,
            }
        })
    }

    /// The lists of an adjacency from the host.
    fn uploaded(&self, adjacency: &Adjacency, weighted: bool, wide: bool) -> Result<Lists, DeviceError> {
        let device = &self.device;
        let plain = match self.lock().remove(&Key::Lists { adjacency: adjacency.id(), weights: false }) {
            // Weights join what is there.
            Some((_, Resident::Lists(lists))) => Arc::try_unwrap(lists).ok(),
            _ => None,
        };
        let mut lists = match plain {
            Some(lists) => lists,
            None => Lists {
                offsets: self.offsets(adjacency, wide)?,
                neighbours: Buffer::with(device, bytemuck::cast_slice(rows_of(adjacency)?.targets()))?,
                weights: None,
                greatest: greatest(adjacency),
            },
        };
        if weighted {
            lists.weights = Some(Buffer::with(device, rows_of(adjacency)?.weights().as_bytes())?);
        }
        Ok(lists)
    }

    fn offsets(&self, adjacency: &Adjacency, wide: bool) -> Result<Buffer, DeviceError> {
        let device = &self.device;
        // A check that fails lets vertex 0 stand in, so there is one even in a graph without vertices.
        match adjacency.offsets() {
            _ if adjacency.vertices() == 0 => Buffer::zeroed(device, 16),
            Offsets::Narrow(o) if wide => Buffer::with(device, bytemuck::cast_slice(&widened(o))),
            Offsets::Narrow(o) => Buffer::with(device, bytemuck::cast_slice(o)),
            Offsets::Wide(o) => Buffer::with(device, bytemuck::cast_slice(o)),
        }
    }

    /// Lists that only have other numbers than some that are here or will be: they are made on the device. `None` when
    /// there is another way only, or no memory for this one.
    fn renumbered(
        &self,
        graph: &Arc<Graph>,
        adjacency: &Adjacency,
        weighted: bool,
        wide: bool,
    ) -> Option<Result<Lists, DeviceError>> {
        // Kernels sort weights of 32 bits along with the lists.
        let narrow = !weighted || adjacency.weight_kind().bytes() <= 4;
        let renumbering = adjacency.renumbering().filter(|renumbering| narrow && renumbering.lengths_fall())?;
        let make = || {
            let offsets = self.offsets(adjacency, wide)?;
            let of = renumbering.source();
            let made = if of.spans().is_some() && wide == is_wide(graph) {
                let source = self.versions.lists(&self.device, graph, of)?;
                let weights = if weighted { source.weights() } else { Address::default() };
                let neighbours = source.targets();
                let from = DeviceLists { offsets: source.ranges(), apart: true, neighbours, weights };
                renumber(&self.device, adjacency, renumbering, &from, offsets.address())?
            } else {
                let source = self.lists(graph, of, weighted, wide)?;
                let weights = source.weights.as_ref().filter(|_| weighted);
                let from = DeviceLists {
                    offsets: source.offsets.address(),
                    apart: false,
                    neighbours: source.neighbours.address(),
                    weights: weights.map_or_else(Address::default, |w| w.address()),
                };
                renumber(&self.device, adjacency, renumbering, &from, offsets.address())?
            };
            Ok(Lists { offsets, neighbours: made.0, weights: made.1, greatest: greatest(adjacency) })
        };
        match make() {
            Err(DeviceError::OutOfMemory { .. }) => {
                // The host makes them, and nobody may need those under the old numbers.
                let source = renumbering.source().id();
                self.lock().retain(|key, _| !matches!(key, Key::Lists { adjacency, .. } if *adjacency == source));
                None
            }
            made => Some(made),
        }
    }

    /// The running sums of the lengths of out-lists that stand apart.
    fn positions(&self, graph: &Arc<Graph>, wide: bool) -> Result<Arc<Buffer>, DeviceError> {
        let key = Key::Positions { adjacency: graph.out().id() };
        if let Some((_, Resident::Array(positions))) = self.lock().get(&key) {
            return Ok(Arc::clone(positions));
        }
        let positions = Arc::new(self.offsets(graph.out(), wide)?);
        self.lock().insert(key, (Arc::clone(graph), Resident::Array(Arc::clone(&positions))));
        Ok(positions)
    }

    fn ranges(&self, graph: &Arc<Graph>, incoming: bool, wide: bool) -> Result<Arc<Buffer>, DeviceError> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let adjacency = if incoming { graph.load_incoming()?.id() } else { graph.out().id() };
        let key = Key::Ranges { adjacency };
        if let Some((_, Resident::Array(ranges))) = known.get(&key) {
            return Ok(Arc::clone(ranges));
        }
        let pairs = if incoming { graph.csr_m_in()? } else { graph.csr_m()? };
        let ranges = match &*pairs {
            CsrM::Narrow(pairs) if wide => {
                Buffer::with(&self.device, bytemuck::cast_slice(&widened(pairs.as_flattened())))?
            }
            CsrM::Narrow(pairs) => Buffer::with(&self.device, bytemuck::cast_slice(pairs.as_flattened()))?,
            CsrM::Wide(pairs) => Buffer::with(&self.device, bytemuck::cast_slice(pairs.as_flattened()))?,
        };
        let ranges = Arc::new(ranges);
        known.insert(key, (Arc::clone(graph), Resident::Array(Arc::clone(&ranges))));
        Ok(ranges)
    }

    /// A vector that is worked out from a graph, by the host the first time.
    pub(crate) fn derived<'c>(
        &self,
        origin: &Origin,
        cells: impl FnOnce() -> &'c [u8],
    ) -> Result<Arc<Buffer>, DeviceError> {
        let (graph, form, beside) = origin.key();
        let key = Key::Derived { graph, form, beside };
        if let Some((_, Resident::Array(known))) = self.lock().get(&key) {
            return Ok(Arc::clone(known));
        }
        let made = Arc::new(Buffer::with(&self.device, cells())?);
        self.lock().insert(key, (Arc::clone(&origin.graph), Resident::Array(Arc::clone(&made))));
        Ok(made)
    }

    fn marked(&self, graph: &Arc<Graph>) -> Result<Arc<Buffer>, DeviceError> {
        let key = Key::Marked { adjacency: graph.out().id() };
        let mut known = self.lock();
        if let Some((_, Resident::Array(marked))) = known.get(&key) {
            return Ok(Arc::clone(marked));
        }
        let marked = graph.marked()?.ok_or_else(|| {
            let most = Marked::MOST_VERTICES;
            DeviceError::Lacking(format!(
                "`classes=marked` needs two bits of every number: {most} vertices at most; use `classes=off`"
            ))
        })?;
        let marked = Arc::new(Buffer::with(&self.device, bytemuck::cast_slice(marked.targets()))?);
        known.insert(key, (Arc::clone(graph), Resident::Array(Arc::clone(&marked))));
        Ok(marked)
    }

    fn edges(&self, graph: &Arc<Graph>, list: EdgeList, block: u32, weights: bool) -> Result<Arc<Edges>, DeviceError> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let adjacency_id = graph.out().id();
        let key = Key::Edges {
            adjacency: adjacency_id,
            by_destination: list.by_destination,
            pairs: list.pairs,
            block,
            weights,
        };
        if let Some((_, Resident::Edges(edges))) = known.get(&key) {
            return Ok(Arc::clone(edges));
        }
        let device = &self.device;
        let order = if list.by_destination { CooOrder::Destination } else { CooOrder::Source };
        let weights_of = |w: &Weights| -> Result<Option<Buffer>, DeviceError> {
            let wanted = weights && w.kind() != WeightKind::None;
            wanted.then(|| Buffer::with(device, w.as_bytes())).transpose()
        };
        let edges = if block > 0 {
            // Blocks of the far end: destinations when the list is in order of sources, and the other way round.
            let far = if list.by_destination { CooOrder::Source } else { CooOrder::Destination };
            let blocked = graph.blocked(far, block)?;
            let coo = &blocked.edges;
            let pairs = list.pairs.then(|| interleave(&coo.sources, &coo.destinations));
            match pairs {
                Some(pairs) => Edges {
                    first: Buffer::with(device, bytemuck::cast_slice(&pairs))?,
                    second: None,
                    weights: weights_of(&coo.weights)?,
                },
                None => Edges {
                    first: Buffer::with(device, bytemuck::cast_slice(&coo.sources))?,
                    second: Some(Buffer::with(device, bytemuck::cast_slice(&coo.destinations))?),
                    weights: weights_of(&coo.weights)?,
                },
            }
        } else {
            let coo = graph.coo(order)?;
            match list.pairs {
                true => Edges {
                    first: Buffer::with(device, bytemuck::cast_slice(&interleave(&coo.sources, &coo.destinations)))?,
                    second: None,
                    weights: weights_of(&coo.weights)?,
                },
                false => Edges {
                    first: Buffer::with(device, bytemuck::cast_slice(&coo.sources))?,
                    second: Some(Buffer::with(device, bytemuck::cast_slice(&coo.destinations))?),
                    weights: weights_of(&coo.weights)?,
                },
            }
        };
        let edges = Arc::new(edges);
        known.insert(key, (Arc::clone(graph), Resident::Edges(Arc::clone(&edges))));
        Ok(edges)
    }
}

/// Length of the longest list.
fn greatest(adjacency: &Adjacency) -> u32 {
    let vertices = 0..adjacency.vertices() as u32;
    vertices.into_par_iter().map(|v| adjacency.degree(v) as u32).max().unwrap_or(0)
}

/// Narrow positions for code that reads wide ones.
fn widened(positions: &[u32]) -> Vec<u64> {
    positions.par_iter().map(|&at| at.into()).collect()
}

fn interleave(first: &[u32], second: &[u32]) -> Vec<u32> {
    first.iter().zip(second).flat_map(|(&a, &b)| [a, b]).collect()
}

/// The lists as whole arrays, which the host must have before it sends them.
fn rows_of(adjacency: &Adjacency) -> Result<&Adjacency, DeviceError> {
    adjacency.load_rows()?;
    Ok(adjacency)
}
