//! Lists of an adjacency under other numbers of its vertices, made when somebody first reads them. A machine with a
//! memory of its own may make them there instead, from lists that it has already.

use std::sync::Arc;

use crate::build::ReadEdges;
use crate::csr::{PARALLEL_LIST, split};
use crate::huge_pages::prefer_huge_pages;
use crate::scatter::Scatter;
use crate::stream::AdjacencyStream;
use crate::{Adjacency, Offsets, VertexId, Weight, Weights, parallel};

use rayon::prelude::*;

/// Edges that a task should have.
const PIECE: usize = 1 << 15;

/// Other numbers for the vertices of a graph.
#[derive(Debug)]
pub struct Permutation {
    new_id: Vec<VertexId>,
    old_id: Vec<VertexId>,
}

impl Permutation {
    /// The vertices in their new order, each once.
    pub(crate) fn of_order(old_id: Vec<VertexId>) -> Permutation {
        let mut new_id = vec![0; old_id.len()];
        let places = Scatter::new(&mut new_id);
        old_id.par_iter().enumerate().with_min_len(1 << 14).for_each(|(new, &old)| {
            // SAFETY: every vertex stands once in the order, and all are below its length.
            unsafe { places.write(old as usize, new as VertexId) };
        });
        Permutation { new_id, old_id }
    }

    /// The new number of every vertex, by its old one.
    pub fn new_ids(&self) -> &[VertexId] {
        &self.new_id
    }

    /// The old number of every vertex, by its new one.
    pub fn old_ids(&self) -> &[VertexId] {
        &self.old_id
    }

    /// Size in bytes.
    pub fn bytes(&self) -> usize {
        size_of_val(&self.new_id[..]) + size_of_val(&self.old_id[..])
    }
}

/// Where the lists of a renumbered adjacency come from.
#[derive(Debug, Clone)]
pub struct Renumbering {
    pub(crate) source: Arc<Adjacency>,
    pub(crate) permutation: Arc<Permutation>,
    /// Lists get shorter with the new numbers, never longer.
    pub(crate) falling: bool,
}

impl Renumbering {
    /// The lists under the old numbers.
    pub fn source(&self) -> &Arc<Adjacency> {
        &self.source
    }

    /// The new numbers.
    pub fn permutation(&self) -> &Arc<Permutation> {
        &self.permutation
    }

    /// Whether no list is longer than the one before it.
    pub fn lengths_fall(&self) -> bool {
        self.falling
    }

    /// The lengths of the lists under the new numbers.
    pub(crate) fn offsets(&self) -> Offsets {
        let degree = |&old: &VertexId| self.source.degree(old) as u32;
        let old_ids = self.permutation.old_id.par_iter().with_min_len(1 << 14);
        Offsets::from_degrees(&old_ids.map(degree).collect::<Vec<_>>())
    }

    /// Makes the lists on all threads: numbers are exchanged list by list, and each list is sorted.
    pub(crate) fn lists(&self, offsets: &Offsets) -> (Vec<VertexId>, Weights) {
        self.source.typed(&MakeLists { permutation: &self.permutation, offsets })
    }
}

struct MakeLists<'a> {
    permutation: &'a Permutation,
    offsets: &'a Offsets,
}

impl ReadEdges for MakeLists<'_> {
    type Answer = (Vec<VertexId>, Weights);

    fn read<W: Weight>(&self, stream: AdjacencyStream<'_, W>) -> Self::Answer {
        let (offsets, total) = (self.offsets, self.offsets.total());
        let mut targets = vec![0; total];
        prefer_huge_pages(&mut targets);
        let mut weights = vec![W::default(); total];
        prefer_huge_pages(&mut weights);
        let firsts = self.pieces();
        let bounds = || firsts.iter().map(|&vertex| offsets.at(vertex));
        let parts = split(&mut targets, bounds()).into_iter().zip(split(&mut weights, bounds()));
        let pieces: Vec<_> = firsts.windows(2).map(|w| w[0]..w[1]).zip(parts).collect();
        parallel::map_items(pieces, |(vertices, (targets, weights))| {
            let (first, mut list) = (offsets.at(vertices.start), Vec::new());
            for new in vertices {
                self.read_list(&stream, new, &mut list);
                let begin = offsets.at(new) - first;
                for (at, &packed) in list.iter().enumerate() {
                    targets[begin + at] = W::target(packed);
                    weights[begin + at] = W::weight(packed);
                }
            }
        });
        (targets, W::wrap(weights))
    }
}

impl MakeLists<'_> {
    /// First vertices of runs with about [`PIECE`] edges, and the number of vertices at the end.
    fn pieces(&self) -> Vec<usize> {
        let (vertices, total) = (self.offsets.lists(), self.offsets.total());
        let count = total.div_ceil(PIECE).max(1);
        let mut firsts: Vec<usize> = (0..count).map(|piece| self.offsets.list_at(piece * PIECE)).collect();
        firsts.push(vertices);
        firsts.dedup();
        if firsts.first() != Some(&0) {
            firsts.insert(0, 0);
        }
        firsts
    }

    /// The list of one vertex, sorted by new numbers.
    fn read_list<W: Weight>(&self, stream: &AdjacencyStream<'_, W>, new: usize, list: &mut Vec<W::Packed>) {
        let old = self.permutation.old_id[new];
        let adjacency = stream.adjacency;
        let new_id = |&target: &VertexId| self.permutation.new_id[target as usize];
        list.clear();
        match adjacency.weights_of::<W>(old) {
            [] => list.extend(adjacency.neighbours(old).iter().map(|target| W::pack(new_id(target), W::default()))),
            weights => {
                let edges = adjacency.neighbours(old).iter().zip(weights);
                list.extend(edges.map(|(target, &weight)| W::pack(new_id(target), weight)));
            }
        }
        match list.len() > PARALLEL_LIST {
            true => list.par_sort_unstable(),
            false => list.sort_unstable(),
        }
    }
}
