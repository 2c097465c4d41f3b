//! How much the edges of a list count: all alike, or by their weights.

use gw_graph::{Adjacency, VertexId};
use rayon::prelude::*;

/// What an edge counts for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Counting {
    /// Every edge for 1.
    Alike,
    /// An edge for its weight.
    ByWeight,
}

impl Counting {
    /// The neighbours of a vertex, each with what the edge counts for.
    pub(crate) fn edges(self, lists: &Adjacency, v: VertexId) -> impl Iterator<Item = (VertexId, f64)> {
        let share = move |at: usize| match self {
            Counting::Alike => 1.0,
            Counting::ByWeight => lists.weight_at(v, at).unwrap_or(1.0),
        };
        lists.neighbours(v).iter().enumerate().map(move |(at, &u)| (u, share(at)))
    }

    /// What the edges of each vertex count for together.
    pub(crate) fn totals(self, lists: &Adjacency) -> Vec<f64> {
        self.sums(lists, |_| 1.0)
    }

    /// The sum over the list of each vertex of `x` at the neighbours, times what the edges count for.
    pub(crate) fn sums(self, lists: &Adjacency, x: impl Fn(usize) -> f64 + Sync) -> Vec<f64> {
        let sum = |v: VertexId| self.edges(lists, v).map(|(u, share)| share * x(u as usize)).sum::<f64>();
        (0..lists.vertices() as VertexId).into_par_iter().with_min_len(256).map(sum).collect()
    }
}
