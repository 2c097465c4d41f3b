//! From edge lists to graphs: the options of building and the checks before it.

use rayon::prelude::*;

use crate::csr::csr;
use crate::reorder::Reorder;
use crate::stream::{AdjacencyStream, EdgeStream, ListStream, Mirrored, Reversed, WithoutLoops};
use crate::{Adjacency, AnyEdgeList, EdgeList, Graph, GraphError, Result, Weight, Weights};

/// How a graph is made from an edge list.
///
/// The default is what loading a file means: loops dropped, parallel edges merged to the least weight, adjacency
/// sorted, nothing mirrored.
#[derive(Debug, Clone, PartialEq)]
pub struct BuildOptions {
    /// Add the reverse of every edge.
    pub symmetrise: bool,
    /// Keep edges from a vertex to itself.
    pub keep_loops: bool,
    /// Keep parallel edges.
    pub keep_parallel: bool,
    /// Renumber the vertices afterwards.
    pub reorder: Option<Reorder>,
    /// What is known about symmetry.
    pub symmetry: Symmetry,
}

/// What the caller knows about the symmetry of the edges given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Symmetry {
    /// Nothing: look.
    #[default]
    Unknown,
    /// Treat the graph as directed without looking.
    Directed,
}

impl Default for BuildOptions {
    fn default() -> Self {
        BuildOptions {
            symmetrise: false,
            keep_loops: false,
            keep_parallel: false,
            reorder: None,
            symmetry: Symmetry::Unknown,
        }
    }
}

/// Builds a graph. The edge list is freed on the way.
///
/// ```
/// use gw_graph::{build, BuildOptions, EdgeList};
/// let triangle = EdgeList::from_pairs(3, vec![(0, 1), (1, 2), (2, 0)]);
/// let options = BuildOptions { symmetrise: true, ..Default::default() };
/// let graph = build(triangle, &options).unwrap();
/// assert!(graph.is_symmetric());
/// assert_eq!(graph.edges(), 6);
/// ```
pub fn build<W: Weight>(edges: EdgeList<W>, options: &BuildOptions) -> Result<Graph> {
    check(&edges)?;
    let stream = ListStream::new(edges);
    let out = match options.keep_loops {
        true => mirrored(stream, options),
        false => mirrored(WithoutLoops(stream), options),
    };
    let symmetric = match options.symmetry {
        _ if options.symmetrise => true,
        Symmetry::Directed => false,
        Symmetry::Unknown => out.is_symmetric(),
    };
    let graph = Graph::new(out, symmetric);
    match &options.reorder {
        Some(order) => Ok(graph.reordered(order)),
        None => Ok(graph),
    }
}

/// [`build`] for a list whose weight kind is known only at run time.
pub fn build_any(edges: AnyEdgeList, options: &BuildOptions) -> Result<Graph> {
    match edges {
        AnyEdgeList::None(list) => build(list, options),
        AnyEdgeList::Int(list) => build(list, options),
        AnyEdgeList::Float(list) => build(list, options),
    }
}

fn mirrored<W: Weight>(stream: impl EdgeStream<W>, options: &BuildOptions) -> Adjacency {
    match options.symmetrise {
        true => csr(Mirrored(stream), !options.keep_parallel),
        false => csr(stream, !options.keep_parallel),
    }
}

fn check<W: Weight>(edges: &EdgeList<W>) -> Result<()> {
    const MAX_VERTICES: usize = 1 << 32;
    if edges.vertices > MAX_VERTICES {
        return Err(GraphError::Usage(format!("{} vertices are too many: ids are 32 bits wide", edges.vertices)));
    }
    edges.chunks.par_iter().try_for_each(|chunk| {
        if chunk.edges.len() != chunk.weights.len() {
            return Err(GraphError::Malformed(format!(
                "a chunk has {} edges but {} weights",
                chunk.edges.len(),
                chunk.weights.len()
            )));
        }
        let largest = chunk.edges.iter().map(|&(s, t)| s.max(t)).max();
        match largest {
            Some(id) if id as usize >= edges.vertices => {
                Err(GraphError::VertexOutOfRange { vertex: id.into(), vertices: edges.vertices })
            }
            _ => Ok(()),
        }
    })
}

impl Adjacency {
    /// The same edges stored at their other end.
    pub(crate) fn reversed(&self) -> Adjacency {
        self.rebuilt(&ReverseEdges)
    }

    /// A new adjacency from the edges of this one, with all parallel edges kept.
    pub(crate) fn rebuilt(&self, change: &impl ChangeEdges) -> Adjacency {
        fn typed<W: Weight>(adjacency: &Adjacency, weights: &[W], change: &impl ChangeEdges) -> Adjacency {
            change.rebuild(AdjacencyStream { adjacency, weights })
        }
        match self.weights() {
            Weights::None => typed::<()>(self, &[], change),
            Weights::Int(weights) => typed(self, weights, change),
            Weights::Float(weights) => typed(self, weights, change),
        }
    }

    /// True when every edge has its reverse with the same weight.
    pub fn is_symmetric(&self) -> bool {
        (0..self.vertices() as u32)
            .into_par_iter()
            .with_min_len(1 << 10)
            .all(|v| self.neighbours(v).iter().zip(self.range(v)).all(|(&t, edge)| self.has_mirror(v, t, edge)))
    }

    fn has_mirror(&self, source: u32, target: u32, edge: usize) -> bool {
        if source == target {
            return true;
        }
        let list = self.neighbours(target);
        let first = list.partition_point(|&n| n < source);
        let parallel = list[first..].iter().take_while(|&&n| n == source).count();
        let start = self.range(target).start;
        let mut mirrors = start + first..start + first + parallel;
        match self.weights() {
            Weights::None => !mirrors.is_empty(),
            Weights::Int(w) => mirrors.any(|m| w[m] == w[edge]),
            Weights::Float(w) => mirrors.any(|m| w[m] == w[edge]),
        }
    }
}

/// A way to rebuild an adjacency, generic over the weights.
pub(crate) trait ChangeEdges {
    fn rebuild<W: Weight>(&self, stream: AdjacencyStream<'_, W>) -> Adjacency;
}

struct ReverseEdges;

impl ChangeEdges for ReverseEdges {
    fn rebuild<W: Weight>(&self, stream: AdjacencyStream<'_, W>) -> Adjacency {
        csr(Reversed(stream), false)
    }
}
