//! Graphs made of other graphs: some of the edges.

use rayon::prelude::*;

use crate::build::{BuildOptions, build_any};
use crate::edge_list::{AnyEdgeList, EdgeChunk, EdgeList};
use crate::rows::Parallel;
use crate::{Adjacency, Graph, Offsets, Result, VertexId, Weight, memory, parallel, with_weight_type};

/// Vertices whose edges are looked at by one thread at a time.
const PIECE: usize = 1 << 12;

impl Graph {
    /// The edges for which `keep` is true, by their positions among all edges, between the same vertices.
    ///
    /// ```
    /// use gw_graph::{build, BuildOptions, EdgeList};
    /// let path = build(EdgeList::from_pairs(3, vec![(0, 1), (1, 2)]), &BuildOptions::default()).unwrap();
    /// assert_eq!(path.select(|edge| edge == 1).unwrap().out().neighbours(1), &[2]);
    /// ```
    pub fn select(&self, keep: impl Fn(usize) -> bool + Sync) -> Result<Graph> {
        let out = self.out();
        let chosen = with_weight_type!(out.weight_kind(), W => chosen::<W>(out, &keep)?);
        let symmetric = chosen.looks_symmetric();
        Ok(Graph::new(chosen, symmetric).with_names(self.names().cloned()))
    }
}

/// Some of the edges of an adjacency, in their order: lists that are sorted stay so, and nothing has to be sorted.
fn chosen<W: Weight>(out: &Adjacency, keep: &(dyn Fn(usize) -> bool + Sync)) -> Result<Adjacency> {
    let vertices = out.vertices();
    let degree = |v: usize| out.range(v as VertexId).filter(|&edge| keep(edge)).count() as u32;
    let offsets = Offsets::from_degrees(&parallel::list(vertices, degree));
    let edges = offsets.total();
    let bytes = edges * (size_of::<VertexId>() + size_of::<W>());
    memory::allow(bytes as u64, format_args!("a graph of {edges} edges"))?;
    let (mut targets, mut weights) = (vec![0; edges], vec![W::default(); edges]);
    let (mut free_targets, mut free_weights) = (&mut targets[..], &mut weights[..]);
    let mut parts = Vec::new();
    for first in (0..vertices).step_by(PIECE) {
        let last = (first + PIECE).min(vertices);
        let count = offsets.range(last as VertexId - 1).end - offsets.range(first as VertexId).start;
        let (part, behind) = free_targets.split_at_mut(count);
        let (part_weights, weights_behind) = free_weights.split_at_mut(count);
        (free_targets, free_weights) = (behind, weights_behind);
        parts.push((first as VertexId..last as VertexId, part, part_weights));
    }
    parts.into_par_iter().for_each(|(vertices, targets, weights)| {
        let mut free = targets.iter_mut().zip(weights);
        for v in vertices {
            let (first, own) = (out.range(v).start, out.weights_of::<W>(v));
            for (at, &target) in out.neighbours(v).iter().enumerate().filter(|(at, _)| keep(first + at)) {
                if let Some((place, weight)) = free.next() {
                    (*place, *weight) = (target, own.get(at).copied().unwrap_or_default());
                }
            }
        }
    });
    Ok(Adjacency::from_parts(offsets, targets.into(), W::wrap(weights)))
}

impl Graph {
    /// Every edge in both directions: an edge from `u` to `v` is in the lists of `u` and of `v`, and two edges between
    /// the same vertices are in both lists twice. A symmetric graph has every edge in both directions already, and is
    /// its own result.
    ///
    /// ```
    /// use gw_graph::{build, BuildOptions, EdgeList};
    /// let pair = build(EdgeList::from_pairs(3, vec![(0, 1), (1, 0), (1, 2)]), &BuildOptions::default()).unwrap();
    /// assert_eq!(pair.both().unwrap().out().neighbours(1), &[0, 0, 2]);
    /// ```
    pub fn both(&self) -> Result<Graph> {
        fn list<W: Weight>(out: &Adjacency) -> EdgeList<W> {
            let chunks = pieces(out).map(|vertices| {
                let mut chunk = EdgeChunk::with_capacity(0);
                for v in vertices {
                    let weights = out.weights_of::<W>(v);
                    for (at, &target) in out.neighbours(v).iter().enumerate() {
                        let weight = weights.get(at).copied().unwrap_or_default();
                        chunk.push(v, target, weight);
                        chunk.push(target, v, weight);
                    }
                }
                chunk
            });
            EdgeList { vertices: out.vertices(), chunks: chunks.collect() }
        }
        if self.is_symmetric() {
            return Ok(self.anew());
        }
        let out = self.out();
        let edges = with_weight_type!(out.weight_kind(), W => AnyEdgeList::from(list::<W>(out)));
        let options = BuildOptions { keep_loops: true, parallel: Parallel::Keep, ..BuildOptions::default() };
        Ok(build_any(edges, &options)?.with_names(self.names().cloned()))
    }
}

/// Runs of vertices, to be looked at side by side.
pub(crate) fn pieces(out: &Adjacency) -> impl IndexedParallelIterator<Item = std::ops::Range<VertexId>> {
    let vertices = out.vertices();
    (0..vertices.div_ceil(PIECE)).into_par_iter().map(move |piece| {
        let first = piece * PIECE;
        first as VertexId..(first + PIECE).min(vertices) as VertexId
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Weights, build};

    fn square() -> Graph {
        let pairs = [(0, 1, 5), (1, 2, 6), (2, 3, 7), (3, 0, 8)];
        let options = BuildOptions { symmetrise: true, ..BuildOptions::default() };
        build(EdgeList::<i32>::from_triples(4, pairs), &options).unwrap()
    }

    #[test]
    fn selected_edges_keep_their_weights_and_symmetry_is_found() {
        let graph = square();
        // Edges in order: 0-1, 0-3, 1-0, 1-2, 2-1, 2-3, 3-0, 3-2.
        let kept = graph.select(|edge| [0, 2, 5, 7].contains(&edge)).unwrap();
        assert!(kept.is_symmetric());
        assert_eq!(kept.edges(), 4);
        assert!(matches!(kept.out().weights(), Weights::Int(w) if **w == [5, 5, 7, 7]));
        assert!(!graph.select(|edge| edge == 0).unwrap().is_symmetric());
        assert_eq!(graph.select(|_| false).unwrap().vertices(), 4);
    }
}
