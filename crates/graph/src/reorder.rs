//! Renumbering vertices: by degree, at random, or into the pessimal order that mixes degrees inside every warp.

use std::sync::Arc;

use rayon::prelude::*;
use serde::Serialize;

use crate::build::{ReadEdges, allow_csr};
use crate::csr::csr;
use crate::rng::Rng;
use crate::stream::{AdjacencyStream, Relabelled};
use crate::{Adjacency, Graph, Result, VertexId, Weight};

/// An order of the vertices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reorder {
    /// Highest degree first.
    DegreeDescending,
    /// Lowest degree first.
    DegreeAscending,
    /// At random.
    Random {
        /// Seed of the permutation.
        seed: u64,
    },
    /// Every group of 32 consecutive ids, a GPU warp, gets one vertex of the highest degrees, one of the lowest and
    /// 30 from the middle (Verstraaten, chapter 6), so that each warp waits for its hub.
    Pessimal,
}

const WARP: usize = 32;

impl Graph {
    /// The same graph with renumbered vertices. Degrees are total degrees (in + out); ties keep their order.
    ///
    /// ```
    /// use gw_graph::{build, BuildOptions, EdgeList, Reorder};
    /// let star = EdgeList::from_pairs(3, vec![(2, 0), (2, 1)]);
    /// let graph = build(star, &BuildOptions::default()).unwrap();
    /// let ordered = graph.reordered(&Reorder::DegreeDescending);
    /// assert_eq!(ordered.out().neighbours(0), &[1, 2]);
    /// ```
    pub fn reordered(&self, order: &Reorder) -> Graph {
        let new_id = self.new_ids(order);
        let out = self.out().typed(&Relabel { new_id: &new_id });
        let names = self.names().map(|names| Arc::new(names.renumbered(&new_id)));
        Graph::new(out, self.is_symmetric()).with_rounded_weight(self.rounded_weight().cloned()).with_names(names)
    }

    /// As [`Graph::reordered`]; an error when there is no memory for it.
    pub fn try_reordered(&self, order: &Reorder) -> Result<Graph> {
        allow_csr(self.weight_kind(), self.vertices(), self.edges())?;
        Ok(self.reordered(order))
    }

    /// The new id of every vertex under `order`.
    pub fn new_ids(&self, order: &Reorder) -> Vec<VertexId> {
        let vertices = match order {
            Reorder::DegreeDescending => self.by_degree(true),
            Reorder::DegreeAscending => self.by_degree(false),
            Reorder::Random { seed } => {
                let mut vertices: Vec<_> = (0..self.vertices() as u32).collect();
                Rng::new(*seed, 0).shuffle(&mut vertices);
                vertices
            }
            Reorder::Pessimal => pessimal(&self.by_degree(true)),
        };
        let mut new_id = vec![0; vertices.len()];
        for (new, &old) in vertices.iter().enumerate() {
            new_id[old as usize] = new as VertexId;
        }
        new_id
    }

    fn by_degree(&self, descending: bool) -> Vec<VertexId> {
        let degree = |v: VertexId| match self.is_symmetric() {
            true => self.out().degree(v),
            false => self.out().degree(v) + self.incoming().degree(v),
        };
        let mut keyed: Vec<_> = (0..self.vertices() as u32)
            .into_par_iter()
            .map(|v| {
                let degree = degree(v) as u64;
                (if descending { u64::MAX - degree } else { degree }, v)
            })
            .collect();
        keyed.par_sort_unstable();
        keyed.into_iter().map(|(_, v)| v).collect()
    }
}

/// From vertices by descending degree: groups of one from the front, one from the back, the rest from the middle.
fn pessimal(sorted: &[VertexId]) -> Vec<VertexId> {
    let groups = sorted.len().div_ceil(WARP);
    let tail_start = sorted.len().saturating_sub(groups).max(groups.min(sorted.len()));
    let mut top = sorted[..groups.min(sorted.len())].iter();
    let mut bottom = sorted[tail_start..].iter().rev();
    let mut middle = sorted[groups.min(sorted.len())..tail_start].iter();
    let mut order = Vec::with_capacity(sorted.len());
    while order.len() < sorted.len() {
        order.extend(top.next());
        order.extend(bottom.next());
        order.extend(middle.by_ref().take(WARP - 2));
    }
    order
}

struct Relabel<'a> {
    new_id: &'a [VertexId],
}

impl ReadEdges for Relabel<'_> {
    type Answer = Adjacency;
    fn read<W: Weight>(&self, stream: AdjacencyStream<'_, W>) -> Adjacency {
        csr(Relabelled { stream, new_id: self.new_id }, false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pessimal_groups_hold_one_top_and_one_bottom() {
        let sorted: Vec<u32> = (0..1000).collect();
        let order = pessimal(&sorted);
        let mut seen = order.clone();
        seen.sort_unstable();
        assert_eq!(seen, sorted);
        let groups = 1000_usize.div_ceil(WARP) as u32;
        for warp in order.chunks_exact(WARP) {
            assert_eq!(warp.iter().filter(|&&v| v < groups).count(), 1);
            assert_eq!(warp.iter().filter(|&&v| v >= 1000 - groups).count(), 1);
        }
    }

    #[test]
    fn pessimal_of_few_vertices_is_a_permutation() {
        for n in 0..70u32 {
            let mut order = pessimal(&(0..n).collect::<Vec<_>>());
            order.sort_unstable();
            assert_eq!(order, (0..n).collect::<Vec<_>>());
        }
    }
}
