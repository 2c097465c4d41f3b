//! Edge streams: the one input of the CSR builder. Reversing, mirroring, dropping loops and relabelling are adapters
//! that cost no memory.

use std::marker::PhantomData;
use std::ops::Range;

use crate::{Adjacency, EdgeList, VertexId, Weight};

/// Edges that can be visited again and again, piece by piece, in a fixed order.
pub(crate) trait EdgeStream<W>: Sync {
    /// Ids are below this.
    fn vertices(&self) -> usize;
    /// Number of independent pieces.
    fn pieces(&self) -> usize;
    /// Calls `f(source, target, weight)` for each edge of a piece.
    fn visit(&self, piece: usize, f: impl FnMut(VertexId, VertexId, W));
}

const EDGES_PER_PIECE: usize = 1 << 17;

/// The edges of a list.
pub(crate) struct ListStream<W> {
    list: EdgeList<W>,
    pieces: Vec<(usize, Range<usize>)>,
}

impl<W: Weight> ListStream<W> {
    pub(crate) fn new(list: EdgeList<W>) -> Self {
        let mut pieces = Vec::new();
        for (index, chunk) in list.chunks.iter().enumerate() {
            let edges = chunk.edges.len();
            for start in (0..edges).step_by(EDGES_PER_PIECE) {
                pieces.push((index, start..(start + EDGES_PER_PIECE).min(edges)));
            }
        }
        ListStream { list, pieces }
    }
}

impl<W: Weight> EdgeStream<W> for ListStream<W> {
    fn vertices(&self) -> usize {
        self.list.vertices
    }
    fn pieces(&self) -> usize {
        self.pieces.len()
    }
    fn visit(&self, piece: usize, mut f: impl FnMut(VertexId, VertexId, W)) {
        let (chunk, range) = &self.pieces[piece];
        let chunk = &self.list.chunks[*chunk];
        for (&(source, target), &weight) in chunk.edges[range.clone()].iter().zip(&chunk.weights[range.clone()]) {
            f(source, target, weight);
        }
    }
}

/// The edges of an adjacency.
pub(crate) struct AdjacencyStream<'a, W> {
    pub(crate) adjacency: &'a Adjacency,
    /// The type of the weights.
    pub(crate) weights: PhantomData<W>,
}

impl<W: Weight> EdgeStream<W> for AdjacencyStream<'_, W> {
    fn vertices(&self) -> usize {
        self.adjacency.vertices()
    }
    fn pieces(&self) -> usize {
        self.adjacency.edges().div_ceil(EDGES_PER_PIECE)
    }
    fn visit(&self, piece: usize, mut f: impl FnMut(VertexId, VertexId, W)) {
        let begin = piece * EDGES_PER_PIECE;
        let end = (begin + EDGES_PER_PIECE).min(self.adjacency.edges());
        let mut source = self.adjacency.source_of(begin);
        let mut edge = begin;
        while edge < end {
            let range = self.adjacency.range(source);
            let (first, stop) = (range.start, range.end.min(end));
            let weights = self.adjacency.weights_of::<W>(source);
            for (at, &target) in self.adjacency.neighbours(source)[..stop - first].iter().enumerate().skip(edge - first)
            {
                f(source, target, weights.get(at).copied().unwrap_or_default());
            }
            edge = stop;
            source += 1;
        }
    }
}

/// Every edge turned round.
pub(crate) struct Reversed<S>(pub(crate) S);

impl<W, S: EdgeStream<W>> EdgeStream<W> for Reversed<S> {
    fn vertices(&self) -> usize {
        self.0.vertices()
    }
    fn pieces(&self) -> usize {
        self.0.pieces()
    }
    fn visit(&self, piece: usize, mut f: impl FnMut(VertexId, VertexId, W)) {
        self.0.visit(piece, |s, t, w| f(t, s, w));
    }
}

/// Every edge in both directions; a loop once.
pub(crate) struct Mirrored<S>(pub(crate) S);

impl<W: Weight, S: EdgeStream<W>> EdgeStream<W> for Mirrored<S> {
    fn vertices(&self) -> usize {
        self.0.vertices()
    }
    fn pieces(&self) -> usize {
        self.0.pieces()
    }
    fn visit(&self, piece: usize, mut f: impl FnMut(VertexId, VertexId, W)) {
        self.0.visit(piece, |s, t, w| {
            f(s, t, w);
            if s != t {
                f(t, s, w);
            }
        });
    }
}

/// No loops.
pub(crate) struct WithoutLoops<S>(pub(crate) S);

impl<W, S: EdgeStream<W>> EdgeStream<W> for WithoutLoops<S> {
    fn vertices(&self) -> usize {
        self.0.vertices()
    }
    fn pieces(&self) -> usize {
        self.0.pieces()
    }
    fn visit(&self, piece: usize, mut f: impl FnMut(VertexId, VertexId, W)) {
        self.0.visit(piece, |s, t, w| {
            if s != t {
                f(s, t, w);
            }
        });
    }
}
