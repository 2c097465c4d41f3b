//! Edge streams: the one input of the CSR builder. Reversing, mirroring and dropping loops cost no memory.

use std::marker::PhantomData;
use std::ops::Range;

use crate::{Adjacency, EdgeList, VertexId, Weight};

/// Edges that can be visited again and again, piece by piece, in a fixed order.
pub(crate) trait EdgeStream: Sync {
    /// The type of the weights.
    type Weight: Weight;

    /// Ids are below this.
    fn vertices(&self) -> usize;
    /// Number of independent pieces.
    fn pieces(&self) -> usize;
    /// Calls `f(source, target, weight)` for each edge of a piece.
    fn visit(&self, piece: usize, f: impl FnMut(VertexId, VertexId, Self::Weight));
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

impl<W: Weight> EdgeStream for ListStream<W> {
    type Weight = W;

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

impl<W: Weight> EdgeStream for AdjacencyStream<'_, W> {
    type Weight = W;

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

/// Which edges of a stream the builder sees, and from which end.
///
/// The choice is made at run time: as types of their own, its cases were 40 copies of the builder in place of 10.
pub(crate) struct Edges<S> {
    stream: S,
    turn: Turn,
    loops: bool,
}

/// The directions in which edges are seen.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Turn {
    AsStored,
    Reversed,
    /// Loops are seen once.
    Both,
}

impl<S> Edges<S> {
    /// All edges as they are.
    pub(crate) fn new(stream: S) -> Self {
        Edges { stream, turn: Turn::AsStored, loops: true }
    }

    /// Every edge turned round.
    pub(crate) fn reversed(stream: S) -> Self {
        Edges { turn: Turn::Reversed, ..Edges::new(stream) }
    }

    /// These edges in both directions where `mirrored`; a loop once.
    pub(crate) fn mirrored(self, mirrored: bool) -> Self {
        Edges { turn: if mirrored { Turn::Both } else { self.turn }, ..self }
    }

    /// These edges, loops only where `loops`.
    pub(crate) fn loops(self, loops: bool) -> Self {
        Edges { loops, ..self }
    }
}

impl<S: EdgeStream> EdgeStream for Edges<S> {
    type Weight = S::Weight;

    fn vertices(&self) -> usize {
        self.stream.vertices()
    }
    fn pieces(&self) -> usize {
        self.stream.pieces()
    }
    fn visit(&self, piece: usize, mut f: impl FnMut(VertexId, VertexId, S::Weight)) {
        let (turn, loops) = (self.turn, self.loops);
        self.stream.visit(piece, |source, target, weight| {
            if source == target && !loops {
                return;
            }
            let (mut ends, times) = match turn {
                Turn::AsStored => ((source, target), 1),
                Turn::Reversed => ((target, source), 1),
                Turn::Both => ((source, target), 1 + u32::from(source != target)),
            };
            for _ in 0..times {
                f(ends.0, ends.1, weight);
                ends = (ends.1, ends.0);
            }
        });
    }
}
