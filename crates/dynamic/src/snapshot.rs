//! A version of a graph that stays as it was.

use std::sync::Arc;

use gw_graph::{Graph, Names, Offsets, Symmetry};
use rayon::prelude::*;

use crate::Result;
use crate::graph::Ends;
use crate::lists::Version;
use crate::weight::EdgeWeight;

/// A graph as it was when the snapshot was taken. Readers in other threads keep theirs while the next batch is applied.
pub struct Snapshot<W: EdgeWeight> {
    out: Version<W>,
    incoming: Option<Version<W>>,
    ends: Ends,
    names: Option<Arc<Names>>,
    version: u64,
    /// As long as somebody holds it, no block of this version is written.
    token: Arc<()>,
}

impl<W: EdgeWeight> Snapshot<W> {
    pub(crate) fn new(
        out: Version<W>,
        incoming: Option<Version<W>>,
        ends: Ends,
        names: Option<Arc<Names>>,
        version: u64,
        token: Arc<()>,
    ) -> Self {
        Snapshot { out, incoming, ends, names, version, token }
    }

    /// The number of batches before it.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// The number of vertices.
    pub fn vertices(&self) -> usize {
        self.out.vertices()
    }

    /// The number of edges as stored: an undirected edge counts twice.
    pub fn edges(&self) -> usize {
        self.out.edges()
    }

    /// The number of edges that leave a vertex.
    pub fn degree(&self, vertex: u32) -> usize {
        self.out.degree(vertex)
    }

    /// Where the edges of a vertex lead to, sorted.
    pub fn neighbours(&self, vertex: u32) -> &[u32] {
        self.out.list(vertex).0
    }

    /// The weights of the edges of a vertex, parallel to [`Snapshot::neighbours`].
    pub fn weights(&self, vertex: u32) -> &[W] {
        self.out.list(vertex).1
    }

    /// Where edges to a vertex come from, sorted; `None` where these lists are not kept.
    pub fn sources(&self, vertex: u32) -> Option<&[u32]> {
        self.incoming.as_ref().map(|incoming| incoming.list(vertex).0)
    }

    /// The weight of an edge; `None` where there is no such edge.
    pub fn edge(&self, source: u32, target: u32) -> Option<W> {
        let (targets, weights) = self.out.list(source);
        targets.binary_search(&target).ok().map(|at| weights[at])
    }

    /// The graph that programs run on: its lists stay where they stand, and this version is kept as long as the graph
    /// is. Costs a few words per vertex and no edge. In-neighbours of a directed graph are those that are kept in step
    /// ([`Ends::DirectedBoth`]), or else made when somebody first asks.
    pub fn graph(&self) -> Result<Graph> {
        let sides = if self.ends == Ends::DirectedBoth { 2 } else { 1 };
        gw_graph::memory::allow(sides * 24 * self.vertices() as u64, "a view of a graph that changes")?;
        let spans = |version: &Version<W>| version.spans(Arc::clone(&self.token));
        let incoming = self.incoming.as_ref().filter(|_| self.ends == Ends::DirectedBoth).map(spans);
        let graph = Graph::from_spans(spans(&self.out), incoming, self.ends == Ends::Undirected);
        Ok(graph.with_names(self.names.clone()))
    }

    /// A copy in compressed rows.
    pub fn to_graph(&self) -> Result<Graph> {
        let vertices = self.vertices();
        let needed = (self.edges() * (4 + size_of::<W>()) + vertices * 8) as u64;
        gw_graph::memory::allow(needed, "a copy of a graph that changes")?;
        let degrees: Vec<u32> = (0..vertices as u32).map(|v| self.degree(v) as u32).collect();
        let offsets = Offsets::from_degrees(&degrees);
        let (mut targets, mut weights) = (vec![0; self.edges()], vec![W::default(); self.edges()]);
        // Windows of both arrays for runs of vertices.
        const RUN: usize = 1 << 12;
        let (mut rest, mut values, mut windows) = (&mut targets[..], &mut weights[..], Vec::new());
        for first in (0..vertices).step_by(RUN) {
            let last = (first + RUN).min(vertices);
            let len = offsets.at(last) - offsets.at(first);
            let (window, later) = rest.split_at_mut(len);
            let (value, later_values) = values.split_at_mut(len);
            windows.push((first as u32..last as u32, window, value));
            (rest, values) = (later, later_values);
        }
        windows.into_par_iter().for_each(|(vertices, mut window, mut value)| {
            for v in vertices {
                let (list, of_list) = self.out.list(v);
                let (here, later) = window.split_at_mut(list.len());
                let (value_here, later_values) = value.split_at_mut(list.len());
                here.copy_from_slice(list);
                value_here.copy_from_slice(of_list);
                (window, value) = (later, later_values);
            }
        });
        let symmetry = if self.ends == Ends::Undirected { Symmetry::Unknown } else { Symmetry::Directed };
        Ok(Graph::from_arrays(offsets, targets.into(), W::wrap(weights), symmetry)?.with_names(self.names.clone()))
    }
}
