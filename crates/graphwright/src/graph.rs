//! Graphs as a caller has them: files, specs, edges, CSR arrays.

use std::ops::Deref;
use std::sync::Arc;

use gw_graph::progress::Silent;
use gw_graph::{Buffer, BuildOptions, EdgeList, GraphSpec, Offsets, Symmetry, VertexId, Weight, Weights, build};

use crate::error::Result;

/// A graph. Clones share it; everything that [`gw_graph::Graph`] offers can be asked of it.
#[derive(Debug, Clone)]
pub struct Graph {
    graph: Arc<gw_graph::Graph>,
    /// What messages call it.
    name: Option<Arc<str>>,
}

/// What messages call a graph that has no name.
const NAMELESS: &str = "the graph";

impl Graph {
    /// A graph file (`web.mtx.gz`, `road.gr`, `links.csv`, ...) or the spec of a generated graph (`kron:20:seed=7`).
    ///
    /// ```
    /// let graph = graphwright::Graph::open("path:10:weights=1..5")?;
    /// assert_eq!((graph.vertices(), graph.is_weighted()), (10, true));
    /// # Ok::<(), graphwright::Error>(())
    /// ```
    pub fn open(text: &str) -> Result<Graph> {
        gw_exec::know_stores();
        Ok(Graph::from(GraphSpec::parse(text)?.load(&Silent)?.graph).named(text))
    }

    /// The same graph under a name, which messages call it by; the name of a graph from [`Graph::open`] is the text it
    /// was opened by.
    ///
    /// ```
    /// use graphwright::{Graph, Program};
    /// let friends = Graph::from_csr(vec![0, 1], vec![0])?.named("the graph of friends");
    /// let error = Program::find("triangles")?.on(&friends).run().unwrap_err().to_string();
    /// assert!(error.contains("but the graph of friends has a loop at vertex 0"), "{error}");
    /// # Ok::<(), graphwright::Error>(())
    /// ```
    pub fn named(self, name: &str) -> Graph {
        Graph { name: Some(name.into()), ..self }
    }

    /// What messages call the graph.
    pub fn name(&self) -> &str {
        self.name.as_deref().unwrap_or(NAMELESS)
    }

    /// A directed graph of these edges. Vertices are numbered from 0 to the greatest id; loops are dropped, and
    /// parallel edges become one.
    ///
    /// ```
    /// let graph = graphwright::Graph::from_edges(&[(0, 1), (1, 2)])?;
    /// assert_eq!(graph.out().neighbours(1), [2]);
    /// # Ok::<(), graphwright::Error>(())
    /// ```
    pub fn from_edges(edges: &[(VertexId, VertexId)]) -> Result<Graph> {
        Graph::build(edges.iter().map(|&(s, t)| (s, t, ())), false)
    }

    /// An undirected graph of these edges, each given once.
    pub fn from_undirected_edges(edges: &[(VertexId, VertexId)]) -> Result<Graph> {
        Graph::build(edges.iter().map(|&(s, t)| (s, t, ())), true)
    }

    /// A directed graph of these edges with weights (`i32`, `i64`, `f32` or `f64`). Parallel edges become one, with the
    /// least weight.
    ///
    /// ```
    /// let graph = graphwright::Graph::from_weighted_edges(&[(0, 1, 2.5f32), (1, 2, 0.5)])?;
    /// assert!(graph.is_weighted());
    /// # Ok::<(), graphwright::Error>(())
    /// ```
    pub fn from_weighted_edges<W: Weight>(edges: &[(VertexId, VertexId, W)]) -> Result<Graph> {
        Graph::build(edges.iter().copied(), false)
    }

    /// An undirected graph of these edges with weights (`i32`, `i64`, `f32` or `f64`), each given once.
    pub fn from_undirected_weighted_edges<W: Weight>(edges: &[(VertexId, VertexId, W)]) -> Result<Graph> {
        Graph::build(edges.iter().copied(), true)
    }

    /// A graph from its CSR arrays, used in place: a `Vec` or an `Arc<[u32]>` is not copied. The arrays are checked.
    /// Lists that are not sorted are sorted in a copy. [`Shared::from_arrays`](crate::graphs::Shared::from_arrays) also
    /// takes offsets of 64 bits.
    ///
    /// ```
    /// let graph = graphwright::Graph::from_csr(vec![0, 2, 3, 3], vec![1, 2, 2])?;
    /// assert_eq!(graph.out().neighbours(0), [1, 2]);
    /// # Ok::<(), graphwright::Error>(())
    /// ```
    pub fn from_csr(offsets: impl Into<Buffer<u32>>, targets: impl Into<Buffer<VertexId>>) -> Result<Graph> {
        let offsets = Offsets::Narrow(offsets.into());
        Ok(gw_graph::Graph::from_arrays(offsets, targets.into(), Weights::None, Symmetry::Unknown)?.into())
    }

    /// As [`Graph::from_csr`], with a weight (`i32`, `i64`, `f32` or `f64`) for every target.
    ///
    /// ```
    /// let graph = graphwright::Graph::from_weighted_csr(vec![0, 2, 2, 2], vec![1, 2], vec![0.5f32, 2.0])?;
    /// assert_eq!(graph.out().weight_of(1), Some(2.0));
    /// # Ok::<(), graphwright::Error>(())
    /// ```
    pub fn from_weighted_csr<W: Weight>(
        offsets: impl Into<Buffer<u32>>,
        targets: impl Into<Buffer<VertexId>>,
        weights: Vec<W>,
    ) -> Result<Graph> {
        let offsets = Offsets::Narrow(offsets.into());
        Ok(gw_graph::Graph::from_arrays(offsets, targets.into(), W::wrap(weights), Symmetry::Unknown)?.into())
    }

    fn build<W: Weight>(
        edges: impl Iterator<Item = (VertexId, VertexId, W)> + Clone,
        symmetrise: bool,
    ) -> Result<Graph> {
        let vertices = edges.clone().map(|(s, t, _)| s.max(t) as usize + 1).max().unwrap_or(0);
        let options = BuildOptions { symmetrise, ..BuildOptions::default() };
        Ok(build(EdgeList::from_triples(vertices, edges), &options)?.into())
    }

    /// The graph behind this reference.
    pub fn shared(&self) -> &Arc<gw_graph::Graph> {
        &self.graph
    }
}

impl Deref for Graph {
    type Target = gw_graph::Graph;

    fn deref(&self) -> &gw_graph::Graph {
        &self.graph
    }
}

impl From<gw_graph::Graph> for Graph {
    fn from(graph: gw_graph::Graph) -> Self {
        Graph::from(Arc::new(graph))
    }
}

impl From<Arc<gw_graph::Graph>> for Graph {
    fn from(graph: Arc<gw_graph::Graph>) -> Self {
        Graph { graph, name: None }
    }
}
