//! Edge lists: what readers and generators produce and the builder consumes.

use crate::{VertexId, Weight, WeightKind};

/// Edges in chunks. Producers fill chunks in parallel; their order, and the order inside each, is the order of the
/// list, whatever the number of threads.
///
/// ```
/// use gw_graph::{build, BuildOptions, EdgeList};
/// let edges = EdgeList::from_pairs(3, vec![(0, 1), (1, 2)]);
/// let graph = build(edges, &BuildOptions::default()).unwrap();
/// assert_eq!(graph.out().neighbours(1), &[2]);
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EdgeList<W = ()> {
    /// Number of vertices: greater than every id in the list.
    pub vertices: usize,
    /// The edges.
    pub chunks: Vec<EdgeChunk<W>>,
}

/// A run of edges with their weights (`weights` has the same length as `edges`; a `Vec<()>` takes no memory).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EdgeChunk<W = ()> {
    /// (source, target) pairs.
    pub edges: Vec<(VertexId, VertexId)>,
    /// Weights, parallel to `edges`.
    pub weights: Vec<W>,
}

impl<W: Weight> EdgeChunk<W> {
    /// An empty chunk with room for `capacity` edges.
    pub fn with_capacity(capacity: usize) -> Self {
        EdgeChunk { edges: Vec::with_capacity(capacity), weights: Vec::with_capacity(capacity) }
    }

    /// Appends an edge.
    #[inline]
    pub fn push(&mut self, source: VertexId, target: VertexId, weight: W) {
        self.edges.push((source, target));
        self.weights.push(weight);
    }
}

impl EdgeList<()> {
    /// An unweighted list of one chunk.
    pub fn from_pairs(vertices: usize, edges: Vec<(VertexId, VertexId)>) -> Self {
        let weights = vec![(); edges.len()];
        EdgeList { vertices, chunks: vec![EdgeChunk { edges, weights }] }
    }
}

impl<W: Weight> EdgeList<W> {
    /// A list of one chunk from (source, target, weight) triples.
    pub fn from_triples(vertices: usize, triples: impl IntoIterator<Item = (VertexId, VertexId, W)>) -> Self {
        let mut chunk = EdgeChunk::with_capacity(0);
        for (source, target, weight) in triples {
            chunk.push(source, target, weight);
        }
        EdgeList { vertices, chunks: vec![chunk] }
    }

    /// Number of edges.
    pub fn len(&self) -> usize {
        self.chunks.iter().map(|c| c.edges.len()).sum()
    }

    /// True when there is no edge.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All edges in order.
    pub fn iter(&self) -> impl Iterator<Item = (VertexId, VertexId, W)> + '_ {
        self.chunks.iter().flat_map(|c| c.edges.iter().zip(&c.weights).map(|(&(s, t), &w)| (s, t, w)))
    }
}

/// An edge list whose weight kind is known only at run time, as from a file.
#[derive(Debug, Clone, PartialEq)]
pub enum AnyEdgeList {
    /// Unweighted.
    None(EdgeList<()>),
    /// Integer weights of 32 bits.
    Int(EdgeList<i32>),
    /// Real weights of 32 bits.
    Float(EdgeList<f32>),
    /// Integer weights of 64 bits.
    Int64(EdgeList<i64>),
    /// Real weights of 64 bits.
    Double(EdgeList<f64>),
}

/// Runs an expression with the list of an [`AnyEdgeList`], whatever the type of its weights.
#[macro_export]
macro_rules! with_edge_list {
    ($edges:expr, $list:ident => $body:expr) => {
        match $edges {
            $crate::AnyEdgeList::None($list) => $body,
            $crate::AnyEdgeList::Int($list) => $body,
            $crate::AnyEdgeList::Float($list) => $body,
            $crate::AnyEdgeList::Int64($list) => $body,
            $crate::AnyEdgeList::Double($list) => $body,
        }
    };
}

impl AnyEdgeList {
    /// The kind of weights carried.
    pub fn kind(&self) -> WeightKind {
        fn of<W: Weight>(_: &EdgeList<W>) -> WeightKind {
            W::KIND
        }
        with_edge_list!(self, list => of(list))
    }

    /// Number of vertices.
    pub fn vertices(&self) -> usize {
        with_edge_list!(self, list => list.vertices)
    }

    /// Number of edges.
    pub fn len(&self) -> usize {
        with_edge_list!(self, list => list.len())
    }

    /// True when there is no edge.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

macro_rules! into_any {
    ($($type:ty => $kind:ident),*) => {
        $(impl From<EdgeList<$type>> for AnyEdgeList {
            fn from(list: EdgeList<$type>) -> Self {
                AnyEdgeList::$kind(list)
            }
        })*
    };
}

into_any!(() => None, i32 => Int, f32 => Float, i64 => Int64, f64 => Double);
