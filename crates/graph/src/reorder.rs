//! Renumbering vertices: by degree, at random, or into the pessimal order that mixes degrees inside every warp.

use std::sync::Arc;

use rayon::prelude::*;
use serde::Serialize;

use crate::build::allow_csr;
use crate::renumbering::{Permutation, Renumbering};
use crate::rng::Rng;
use crate::scatter::Scatter;
use crate::{Adjacency, Graph, Result, VertexId, parallel};

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
    /// The same graph, without columns, with renumbered vertices. Degrees are total degrees (in + out); ties keep their
    /// order.
    ///
    /// ```
    /// use gw_graph::{build, BuildOptions, EdgeList, Reorder};
    /// let star = EdgeList::from_pairs(3, vec![(2, 0), (2, 1)]);
    /// let graph = build(star, &BuildOptions::default()).unwrap();
    /// let ordered = graph.reordered(&Reorder::DegreeDescending);
    /// assert_eq!(ordered.out().neighbours(0), &[1, 2]);
    /// ```
    pub fn reordered(&self, order: &Reorder) -> Graph {
        let renumbering = self.renumbering(Arc::new(Permutation::of_order(self.in_order(order))), false);
        let names = self.names().map(|names| Arc::new(names.renumbered(renumbering.permutation.new_ids())));
        let offsets = renumbering.offsets();
        let (targets, weights) = renumbering.lists(&offsets);
        let out = Adjacency::from_parts(offsets, targets.into(), weights);
        Graph::new(out, self.is_symmetric()).with_rounded_weight(self.rounded_weight().cloned()).with_names(names)
    }

    /// As [`Graph::reordered`]; an error when there is no memory for it.
    pub fn try_reordered(&self, order: &Reorder) -> Result<Graph> {
        self.out().load()?;
        if !self.is_symmetric() {
            self.load_incoming()?;
        }
        allow_csr(self.weight_kind(), self.vertices(), self.edges())?;
        if self.edge_columns().is_none() && self.vertex_columns().is_none() {
            return Ok(self.reordered(order));
        }
        let permutation = Arc::new(Permutation::of_order(self.in_order(order)));
        self.reordered_with_columns(permutation)
    }

    /// This graph, which has columns, under other numbers of its vertices.
    fn reordered_with_columns(&self, permutation: Arc<Permutation>) -> Result<Graph> {
        let names = self.names().map(|names| Arc::new(names.renumbered(permutation.new_ids())));
        let old_ids = Arc::clone(&permutation);
        let of_vertices = self
            .vertex_columns()
            .map(|columns| Arc::new(columns.moved(self.vertices(), |vertex| old_ids.old_ids()[vertex] as usize)));
        let (out, of_edges) = match self.edge_columns() {
            Some(columns) => {
                let (out, columns) = self.lists_with_rows(columns, permutation)?;
                (out, Some(Arc::new(columns)))
            }
            None => {
                let renumbering = self.renumbering(permutation, false);
                let offsets = renumbering.offsets();
                let (targets, weights) = renumbering.lists(&offsets);
                (Adjacency::from_parts(offsets, targets.into(), weights), None)
            }
        };
        let graph = Graph::new(out, self.is_symmetric()).with_rounded_weight(self.rounded_weight().cloned());
        Ok(graph.with_names(names).with_edge_columns(of_edges).with_vertex_columns(of_vertices))
    }

    /// The new id of every vertex under `order`.
    pub fn new_ids(&self, order: &Reorder) -> Vec<VertexId> {
        Permutation::of_order(self.in_order(order)).new_ids().to_vec()
    }

    /// This graph numbered by falling degree; lists are made when somebody reads them.
    pub(crate) fn under(&self, permutation: &Arc<Permutation>) -> Graph {
        let names = self.names().map(|names| Arc::new(names.renumbered(permutation.new_ids())));
        let out = Adjacency::renumbered(self.renumbering(Arc::clone(permutation), self.is_symmetric()));
        Graph::new(out, self.is_symmetric()).with_rounded_weight(self.rounded_weight().cloned()).with_names(names)
    }

    fn renumbering(&self, permutation: Arc<Permutation>, falling: bool) -> Renumbering {
        Renumbering { source: Arc::clone(self.shared_out()), permutation, falling }
    }

    /// The vertices in this order.
    fn in_order(&self, order: &Reorder) -> Vec<VertexId> {
        match order {
            Reorder::DegreeDescending => self.by_degree(true),
            Reorder::DegreeAscending => self.by_degree(false),
            Reorder::Random { seed } => {
                let mut vertices: Vec<_> = (0..self.vertices() as u32).collect();
                Rng::new(*seed, 0).shuffle(&mut vertices);
                vertices
            }
            Reorder::Pessimal => pessimal(&self.by_degree(true)),
        }
    }

    /// The vertices by total degree; ties keep their order.
    pub(crate) fn by_degree(&self, descending: bool) -> Vec<VertexId> {
        match self.is_symmetric() {
            true => by_degree(self.vertices(), descending, &|v| self.out().degree(v)),
            false => by_degree(self.vertices(), descending, &|v| self.out().degree(v) + self.incoming().degree(v)),
        }
    }
}

/// Degrees from this one on are sorted by comparing them: counters for smaller ones fit a cache.
const COUNTED: usize = 1 << 15;

/// Vertices in order of their degrees by counting on all threads; ties keep their order.
fn by_degree(vertices: usize, descending: bool, degree: &(dyn Fn(VertexId) -> usize + Sync)) -> Vec<VertexId> {
    let pieces = (4 * rayon::current_num_threads()).clamp(1, vertices.div_ceil(1 << 14).max(1));
    let piece = |at: usize| (at * vertices / pieces) as VertexId..((at + 1) * vertices / pieces) as VertexId;
    let class = |v: VertexId| degree(v).min(COUNTED);
    let mut places: Vec<Vec<u32>> = parallel::map(pieces, |at| {
        let mut counts = vec![0; COUNTED + 1];
        piece(at).for_each(|v| counts[class(v)] += 1);
        counts
    });
    // Where each piece begins to write each class.
    let mut next = 0;
    for at in 0..=COUNTED {
        let class = if descending { COUNTED - at } else { at };
        for counts in &mut places {
            next += std::mem::replace(&mut counts[class], next);
        }
    }
    let great = match descending {
        true => 0..places[0][COUNTED - 1] as usize,
        false => places[0][COUNTED] as usize..vertices,
    };
    let mut order = vec![0; vertices];
    let slots = Scatter::new(&mut order);
    parallel::each(pieces, &|at| {
        let mut places = places[at].clone();
        for v in piece(at) {
            let place = &mut places[class(v)];
            // SAFETY: the places begin at distinct sums of the counts and advance by those, below the number of
            // vertices.
            unsafe { slots.write(*place as usize, v) };
            *place += 1;
        }
    });
    match descending {
        true => order[great].par_sort_by_key(|&v| std::cmp::Reverse(degree(v))),
        false => order[great].par_sort_by_key(|&v| degree(v)),
    }
    order
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
