//! The graph: its directions, its versions, its growth.

use std::collections::VecDeque;
use std::sync::{Arc, Weak};

use gw_graph::{Graph, GraphError, MAX_VERTICES, Names};
use rayon::prelude::*;

use crate::batch::{Batch, Change};
use crate::lists::{Changed, ChangedEdge, Lists, Manner};
use crate::order::Ways;
use crate::snapshot::Snapshot;
use crate::weight::EdgeWeight;
use crate::{DynamicError, Result};

/// Which ends of an edge know it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ends {
    /// An edge leads from its source to its target. The lists of targets alone are kept.
    Directed,
    /// As [`Ends::Directed`], and the lists of sources are kept in step, at twice the work per batch.
    DirectedBoth,
    /// An edge is the same from both ends: a change of one is a change of the other.
    Undirected,
}

/// What a batch did. Edges count as they are stored: an undirected edge counts twice.
#[derive(Debug, Clone, PartialEq)]
pub struct Applied<W> {
    /// Edges that were not there before.
    pub inserted: usize,
    /// Edges that are no longer there.
    pub deleted: usize,
    /// Edges with another weight.
    pub reweighted: usize,
    /// All of them, by source and target.
    pub changes: Vec<ChangedEdge<W>>,
}

/// The memory of a graph that changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Occupancy {
    /// Edges as stored, in all directions kept.
    pub edges: usize,
    /// Slots of the blocks that hold them: at most twice the edges and three per vertex.
    pub slots: usize,
    /// Slots ever written: with those of free blocks and of versions that are read.
    pub touched: usize,
    /// Bytes of all.
    pub bytes: usize,
}

/// A graph whose edges come and go in batches.
pub struct DynamicGraph<W: EdgeWeight> {
    out: Lists<W>,
    incoming: Option<Lists<W>>,
    ends: Ends,
    /// The original ids of all vertices, where they have such.
    names: Option<Arc<Names>>,
    version: u64,
    /// Snapshots of the present version hold this.
    token: Arc<()>,
    /// Those of versions before.
    earlier: VecDeque<(u64, Weak<()>)>,
}

impl<W: EdgeWeight> DynamicGraph<W> {
    /// A graph without edges.
    pub fn new(vertices: usize, ends: Ends) -> Result<Self> {
        check_vertices(vertices)?;
        let incoming = (ends == Ends::DirectedBoth).then(|| Lists::new(vertices)).transpose()?;
        Ok(Self::made(Lists::new(vertices)?, incoming, ends))
    }

    /// A graph with the edges of another. Undirected edges stay undirected only if `ends` says so.
    pub fn from_graph(graph: &Graph, ends: Ends) -> Result<Self> {
        let weights = W::slice(graph.out().weights())
            .ok_or(DynamicError::WeightKind { found: graph.weight_kind(), expected: W::KIND })?;
        if ends == Ends::Undirected && !graph.is_symmetric() {
            let message = "an undirected graph was asked for, but not every edge has its reverse; symmetrise it";
            return Err(GraphError::Malformed(message.to_string()).into());
        }
        let parallel =
            |v: u32| graph.out().neighbours(v).windows(2).find(|pair| pair[0] == pair[1]).map(|pair| (v, pair[0]));
        // A file may hold anything; the lists rely on it.
        let mixed = |&v: &u32| !graph.out().neighbours(v).is_sorted();
        if let Some(v) = (0..graph.vertices() as u32).into_par_iter().with_min_len(1 << 10).find_any(mixed) {
            return Err(GraphError::Malformed(format!("the neighbours of vertex {v} are not sorted")).into());
        }
        if let Some((from, to)) =
            (0..graph.vertices() as u32).into_par_iter().with_min_len(1 << 10).find_map_any(parallel)
        {
            return Err(DynamicError::ParallelEdges { from, to });
        }
        let out = Lists::from_adjacency(graph.out(), weights)?;
        let incoming = match ends {
            Ends::DirectedBoth => {
                let incoming = graph.load_incoming()?;
                let weights = W::slice(incoming.weights()).unwrap_or_default();
                Some(Lists::from_adjacency(incoming, weights)?)
            }
            _ => None,
        };
        Ok(Self::made(out, incoming, ends))
    }

    fn made(out: Lists<W>, incoming: Option<Lists<W>>, ends: Ends) -> Self {
        DynamicGraph { out, incoming, ends, names: None, version: 0, token: Arc::new(()), earlier: VecDeque::new() }
    }

    /// The number of vertices.
    pub fn vertices(&self) -> usize {
        self.out.now().vertices()
    }

    /// The number of edges as stored: an undirected edge counts twice.
    pub fn edges(&self) -> usize {
        self.out.now().edges()
    }

    /// Which ends of an edge know it.
    pub fn ends(&self) -> Ends {
        self.ends
    }

    /// The number of batches so far.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// The graph as it is now. It stays so, whatever is applied later, and costs no copy of any list.
    pub fn snapshot(&self) -> Snapshot<W> {
        let incoming = match self.ends {
            Ends::Directed => None,
            Ends::DirectedBoth => self.incoming.as_ref().map(|lists| lists.now().clone()),
            Ends::Undirected => Some(self.out.now().clone()),
        };
        let names = self.names.clone();
        Snapshot::new(self.out.now().clone(), incoming, self.ends, names, self.version, Arc::clone(&self.token))
    }

    /// Applies a batch: all of it, or nothing where it cannot be applied.
    pub fn apply(&mut self, batch: &Batch<W>) -> Result<Applied<W>> {
        self.check(batch)?;
        let oldest = self.forget_earlier();
        let manner = Manner { on_repeat: batch.repeats(), is_read: oldest <= self.version, version: self.version + 1 };
        for lists in [Some(&mut self.out), self.incoming.as_mut()].into_iter().flatten() {
            lists.reuse(oldest);
        }
        if let Some(incoming) = &mut self.incoming {
            incoming.apply(batch.changes(), Ways::Backward, &manner)?;
        }
        let ways = if self.ends == Ends::Undirected { Ways::Both } else { Ways::Forward };
        let Changed { inserted, deleted, edges } = self.out.apply(batch.changes(), ways, &manner)?;
        self.earlier.push_back((self.version, Arc::downgrade(&self.token)));
        (self.version, self.token) = (manner.version, Arc::new(()));
        Ok(Applied { inserted, deleted, reweighted: edges.len() - inserted - deleted, changes: edges })
    }

    /// Whether a batch can be applied: its vertices are there, and so is the memory for what it touches. A log that
    /// keeps batches asks before, so that it never holds one that fails.
    pub fn check(&self, batch: &Batch<W>) -> Result<()> {
        batch.check(self.vertices())?;
        let ends = |&(source, target, _): &(u32, u32, Change<W>)| [source, target];
        let needed = self.out.room_for(batch.changes().iter().flat_map(ends), batch.len());
        let lists = if self.incoming.is_some() { 2 } else { 1 };
        gw_graph::memory::allow(lists * needed, "a batch of changes").map_err(gw_graph::GraphError::from)?;
        Ok(())
    }

    /// The original ids of the vertices, where they have such.
    pub fn names(&self) -> Option<&Arc<Names>> {
        self.names.as_ref()
    }

    /// Names the vertices by these ids, the first for vertex 0. Further ids are further vertices, without edges.
    pub fn name(&mut self, names: Arc<Names>) -> Result<()> {
        let (ids, vertices) = (names.len(), self.vertices());
        if ids < vertices {
            return Err(DynamicError::Unnamed { ids, vertices });
        }
        let before = self.names.take();
        let grown = self.grow(ids);
        self.names = if grown.is_ok() { Some(names) } else { before };
        grown
    }

    /// Adds vertices without edges, until there are so many. Refused where vertices have ids: [`DynamicGraph::name`]
    /// adds some.
    pub fn grow(&mut self, vertices: usize) -> Result<()> {
        check_vertices(vertices)?;
        if let Some(names) = self.names.as_ref().filter(|names| names.len() < vertices) {
            return Err(DynamicError::Unnamed { ids: names.len(), vertices });
        }
        if vertices > self.vertices() {
            for lists in [Some(&mut self.out), self.incoming.as_mut()].into_iter().flatten() {
                lists.grow(vertices);
            }
        }
        Ok(())
    }

    /// Takes all edges of a vertex away. The vertex keeps its number; without [`Ends::Directed`] only its own lists are
    /// looked at, with it those of all vertices.
    pub fn isolate(&mut self, vertex: u32) -> Result<Applied<W>> {
        let mut batch = Batch::new();
        if (vertex as usize) < self.vertices() {
            for &target in self.out.now().list(vertex).0 {
                batch.delete(vertex, target);
            }
            match (&self.incoming, self.ends) {
                (Some(incoming), _) => incoming.now().list(vertex).0.iter().for_each(|&source| {
                    batch.delete(source, vertex);
                }),
                (None, Ends::Directed) => {
                    let has = |&source: &u32| self.out.now().list(source).0.binary_search(&vertex).is_ok();
                    let sources: Vec<u32> = (0..self.vertices() as u32).into_par_iter().filter(has).collect();
                    sources.into_iter().for_each(|source| {
                        batch.delete(source, vertex);
                    });
                }
                _ => {}
            }
        } else {
            batch.delete(vertex, vertex);
        }
        self.apply(&batch)
    }

    /// The memory of the graph.
    pub fn occupancy(&self) -> Occupancy {
        let mut all = Occupancy { edges: 0, slots: 0, touched: 0, bytes: 0 };
        for lists in [Some(&self.out), self.incoming.as_ref()].into_iter().flatten() {
            let (slots, touched, bytes) = lists.occupancy();
            all.edges += lists.now().edges();
            all.slots += slots;
            all.touched += touched;
            all.bytes += bytes;
        }
        all
    }

    /// The oldest version that somebody reads; the next one where nobody reads any.
    fn forget_earlier(&mut self) -> u64 {
        self.earlier.retain(|(_, token)| token.strong_count() > 0);
        let oldest = match self.earlier.front() {
            Some(&(version, _)) => version,
            None => self.version + u64::from(Arc::strong_count(&self.token) == 1),
        };
        // Counts are read without order: what readers did before they let go of a token comes before what we write.
        std::sync::atomic::fence(std::sync::atomic::Ordering::Acquire);
        oldest
    }
}

fn check_vertices(vertices: usize) -> Result<()> {
    match vertices <= MAX_VERTICES {
        true => Ok(()),
        false => Err(GraphError::TooManyVertices(vertices as u64).into()),
    }
}
