//! Edge lists (coordinate form) in source or destination order, as separate arrays or as pairs.

use std::fmt;

use crate::parallel;
use crate::{Adjacency, Graph, VertexId, Weight, Weights, with_weights};

/// Which endpoint orders the edges.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CooOrder {
    /// By source, then destination.
    Source,
    /// By destination, then source.
    Destination,
}

impl fmt::Display for CooOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            CooOrder::Source => "source",
            CooOrder::Destination => "destination",
        })
    }
}

/// Edges in three parallel arrays.
#[derive(Debug, PartialEq)]
pub struct Coo {
    /// Sources.
    pub sources: Vec<VertexId>,
    /// Destinations.
    pub destinations: Vec<VertexId>,
    /// Weights.
    pub weights: Weights,
}

/// Edges as (source, destination) pairs, with weights apart.
#[derive(Debug, PartialEq)]
pub struct CooPairs {
    /// (source, destination).
    pub edges: Vec<[VertexId; 2]>,
    /// Weights.
    pub weights: Weights,
}

impl Coo {
    pub(super) fn new(graph: &Graph, order: CooOrder) -> Self {
        let (rows, adjacency) = rows(graph, order);
        let columns = adjacency.targets().to_vec();
        let weights = copy(adjacency.weights());
        let (sources, destinations) = match order {
            CooOrder::Source => (rows, columns),
            CooOrder::Destination => (columns, rows),
        };
        Coo { sources, destinations, weights }
    }

    /// Size in bytes.
    pub fn bytes(&self) -> usize {
        4 * (self.sources.len() + self.destinations.len()) + self.weights.bytes()
    }
}

impl CooPairs {
    pub(super) fn new(graph: &Graph, order: CooOrder) -> Self {
        let (rows, adjacency) = rows(graph, order);
        let targets = adjacency.targets();
        let edges = parallel::list(rows.len(), |edge| match order {
            CooOrder::Source => [rows[edge], targets[edge]],
            CooOrder::Destination => [targets[edge], rows[edge]],
        });
        CooPairs { edges, weights: copy(adjacency.weights()) }
    }

    /// Size in bytes.
    pub fn bytes(&self) -> usize {
        8 * self.edges.len() + self.weights.bytes()
    }
}

/// The row of every edge of the adjacency that has the asked order.
fn rows(graph: &Graph, order: CooOrder) -> (Vec<VertexId>, &Adjacency) {
    let adjacency = match order {
        CooOrder::Source => graph.out(),
        CooOrder::Destination => graph.incoming(),
    };
    const EDGES_PER_TASK: usize = 1 << 18;
    let mut rows = vec![0; adjacency.edges()];
    parallel::chunks(&mut rows, EDGES_PER_TASK, |first, chunk| {
        let mut vertex = adjacency.source_of(first);
        let mut end = adjacency.range(vertex).end;
        for (i, row) in chunk.iter_mut().enumerate() {
            while first + i >= end {
                vertex += 1;
                end = adjacency.range(vertex).end;
            }
            *row = vertex;
        }
    });
    (rows, adjacency)
}

fn copy(weights: &Weights) -> Weights {
    with_weights!(weights, none => Weights::None, w => Weight::wrap(w.to_vec()))
}
