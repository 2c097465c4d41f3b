//! From edge lists to graphs: the options of building and the checks before it.

use std::marker::PhantomData;

use crate::csr::{csr, csr_bytes};
use crate::parallel;
use crate::reorder::Reorder;
use crate::rng::mix;
use crate::rows::{Parallel, build_rows};
use crate::stream::{AdjacencyStream, EdgeStream, Edges, ListStream};
use crate::vertex_limit::checked_vertices;
use crate::{
    Adjacency, AnyEdgeList, EdgeList, Graph, GraphError, Result, Weight, WeightKind, memory, with_edge_list,
    with_weight_type, with_weights,
};

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
    /// What becomes of parallel edges.
    pub parallel: Parallel,
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
            parallel: Parallel::default(),
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
    if !options.parallel.is_plain() {
        return build_rows(edges, None, options);
    }
    check(&edges)?;
    let stored = if options.symmetrise { 2 * edges.len() } else { edges.len() };
    allow_csr(W::KIND, edges.vertices, stored)?;
    let edges = Edges::new(ListStream::new(edges)).mirrored(options.symmetrise).loops(options.keep_loops);
    let out = csr(edges, options.parallel != Parallel::Keep);
    let symmetric = match options.symmetry {
        _ if options.symmetrise => true,
        Symmetry::Directed => false,
        Symmetry::Unknown => out.looks_symmetric(),
    };
    let graph = Graph::new(out, symmetric);
    match &options.reorder {
        Some(order) => graph.try_reordered(order),
        None => Ok(graph),
    }
}

/// Refuses an adjacency that the builder has no memory for.
pub(crate) fn allow_csr(kind: WeightKind, vertices: usize, edges: usize) -> Result<()> {
    let what = format_args!("the adjacency of {vertices} vertices and up to {edges} edges");
    Ok(memory::allow(csr_bytes(kind, vertices, edges), what)?)
}

/// [`build`] for a list whose weight kind is known only at run time.
pub fn build_any(edges: AnyEdgeList, options: &BuildOptions) -> Result<Graph> {
    with_edge_list!(edges, list => build(list, options))
}

/// Refuses edges without ends in the graph and weights that are no numbers.
pub(crate) fn check<W: Weight>(edges: &EdgeList<W>) -> Result<()> {
    checked_vertices(edges.vertices as u64)?;
    let checked = parallel::map(edges.chunks.len(), |chunk| {
        let chunk = &edges.chunks[chunk];
        if chunk.edges.len() != chunk.weights.len() {
            return Err(GraphError::Malformed(format!(
                "a chunk has {} edges but {} weights",
                chunk.edges.len(),
                chunk.weights.len()
            )));
        }
        if W::KIND.is_real()
            && let Some(at) = chunk.weights.iter().position(|weight| !weight.is_finite())
        {
            let ((source, target), weight) = (chunk.edges[at], chunk.weights[at].real());
            return Err(GraphError::Malformed(format!(
                "the weight of the edge from vertex {source} to vertex {target} is {weight}; weights must be finite"
            )));
        }
        let largest = chunk.edges.iter().map(|&(s, t)| s.max(t)).max();
        match largest {
            Some(id) if id as usize >= edges.vertices => {
                Err(GraphError::VertexOutOfRange { vertex: id.into(), vertices: edges.vertices })
            }
            _ => Ok(()),
        }
    });
    checked.into_iter().collect()
}

impl Adjacency {
    /// The same edges stored at their other end.
    pub(crate) fn reversed(&self) -> Adjacency {
        self.typed(&Reverse)
    }

    /// Hands the edges, with their weights typed, to `reader`.
    pub(crate) fn typed<R: ReadEdges>(&self, reader: &R) -> R::Answer {
        self.settle();
        with_weight_type!(self.weight_kind(), W => {
            reader.read::<W>(AdjacencyStream { adjacency: self, weights: PhantomData })
        })
    }

    /// True when every edge has its reverse with the same weight, checked edge by edge.
    pub fn is_symmetric(&self) -> bool {
        let lonely = |&v: &usize| {
            let v = v as u32;
            !self.neighbours(v).iter().zip(self.range(v)).all(|(&t, edge)| self.has_mirror(v, t, edge))
        };
        parallel::first(self.vertices(), 1 << 10, |mut range| range.find(lonely)).is_none()
    }

    /// [`Adjacency::is_symmetric`] at streaming speed: compares 128-bit fingerprints of the edges and of their
    /// reverses. A symmetric graph always passes; another one passes with a chance of 2^-128.
    pub(crate) fn looks_symmetric(&self) -> bool {
        struct Compare;
        impl ReadEdges for Compare {
            type Answer = bool;
            fn read<W: Weight>(&self, stream: AdjacencyStream<'_, W>) -> bool {
                let differences = parallel::map(stream.pieces(), |piece| {
                    let mut sums = [0u64; 2];
                    stream.visit(piece, |source, target, weight| {
                        let there = u64::from(source) << 32 | u64::from(target);
                        let back = there.rotate_left(32);
                        for (sum, salt) in sums.iter_mut().zip([0x243f_6a88_85a3_08d3, 0xa409_3822_299f_31d0]) {
                            let hash = |edge: u64| match weight.bits() {
                                None => mix(edge ^ salt),
                                Some(bits) => mix(mix(edge ^ salt) ^ bits),
                            };
                            *sum = sum.wrapping_add(hash(there)).wrapping_sub(hash(back));
                        }
                    });
                    sums
                });
                let add = |a: [u64; 2], b: [u64; 2]| [a[0].wrapping_add(b[0]), a[1].wrapping_add(b[1])];
                differences.into_iter().fold([0; 2], add) == [0; 2]
            }
        }
        self.typed(&Compare)
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
        with_weights!(self.weights(), none => !mirrors.is_empty(), w => mirrors.any(|m| w[m] == w[edge]))
    }
}

/// A function over the edges of an adjacency, generic over the weights.
pub(crate) trait ReadEdges {
    type Answer;
    fn read<W: Weight>(&self, stream: AdjacencyStream<'_, W>) -> Self::Answer;
}

struct Reverse;

impl ReadEdges for Reverse {
    type Answer = Adjacency;
    fn read<W: Weight>(&self, stream: AdjacencyStream<'_, W>) -> Adjacency {
        csr(Edges::reversed(stream), false)
    }
}
