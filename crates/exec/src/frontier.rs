//! The third part of the contract: what frontiers cost.
//!
//! Hybrid and adaptive schedules choose by the number of edges that leave a frontier. How dear that number is, and how
//! exactly it is worth knowing, differs from machine to machine.

use std::sync::Arc;

use gw_graph::Graph;

use crate::error::{ErrorKind, Result};
use crate::set::VertexSet;

/// What the executor asks about frontiers. The methods given here count on the host, one vertex after the other.
pub trait FrontierCosts {
    /// Out-edges of a set in a graph, for the choice of a hybrid. With `enough`, counting may end once so many are
    /// found, and may give a bound where that is below; without, the number is exact for small sets and may be
    /// estimated for large ones.
    fn frontier_edges(&mut self, set: &VertexSet, graph: &Arc<Graph>, _enough: Option<u64>) -> Result<u64> {
        set.with_ids(|ids| count_edges(ids, graph))?
    }

    /// Whether edges of frontiers can be counted while these are made, so that asking for them is no work. It is done
    /// where [`Environment::counts_edges`](crate::Environment::counts_edges) says so.
    fn counts_while_making(&self) -> bool {
        false
    }

    /// Whether a step of a few edges takes less time than to choose how. On a device every step takes its time.
    fn has_small_steps(&self) -> bool {
        true
    }

    /// A guess of the out-edges of a set from a few members, for machines on which
    /// [`frontier_edges`](FrontierCosts::frontier_edges) is work: often a guess is enough to choose by.
    fn guess_edges(&mut self, _set: &VertexSet, _graph: &Graph) -> Result<Option<u64>> {
        Ok(None)
    }
}

/// The out-edges of vertices; an error where one of them is not a vertex of the graph.
fn count_edges(ids: &[u32], graph: &Graph) -> Result<u64> {
    let vertices = graph.vertices();
    ids.iter().try_fold(0, |sum, &v| match (v as usize) < vertices {
        true => Ok(sum + graph.out().degree(v) as u64),
        false => Err(ErrorKind::VertexOutOfRange { vertex: i64::from(v), vertices }.into()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Plain;
    impl FrontierCosts for Plain {}

    #[test]
    fn edges_are_counted_and_strangers_are_an_error() {
        let graph = gw_graph::GraphSpec::parse("path:4").and_then(|s| s.load(&gw_graph::progress::Silent));
        let graph = Arc::new(graph.unwrap_or_else(|e| panic!("{e}")).graph);
        let edges = |ids: Vec<u32>| Plain.frontier_edges(&VertexSet::from_ids(ids), &graph, None);
        assert_eq!(edges(vec![0, 1]).ok(), Some(graph.out().degree(0) as u64 + graph.out().degree(1) as u64));
        let stranger = edges(vec![0, 9]);
        assert!(stranger.is_err_and(|e| matches!(e.kind(), ErrorKind::VertexOutOfRange { vertex: 9, .. })));
    }
}
