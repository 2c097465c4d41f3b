//! The cut of the vertices: who owns which range.

use std::ops::Range;

use gw_graph::Graph;

/// What a vertex costs beside its edges, in edges.
const VERTEX_COST: usize = 8;

/// Ranges of vertices, one per worker, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Cut(Vec<u32>);

impl Cut {
    /// Ranges with about the same number of out-edges, a vertex counting as eight.
    pub(crate) fn by_edges(graph: &Graph, parts: usize) -> Cut {
        let (vertices, offsets) = (graph.vertices(), graph.out().offsets());
        let work = |v: usize| offsets.at(v) + VERTEX_COST * v;
        let ends = (1..parts).map(|part| {
            let wanted = (work(vertices) as u128 * part as u128 / parts as u128) as usize;
            let (mut low, mut high) = (0, vertices);
            while low < high {
                let middle = (low + high) / 2;
                if work(middle) < wanted { low = middle + 1 } else { high = middle }
            }
            low as u32
        });
        Cut(std::iter::once(0).chain(ends).chain([vertices as u32]).collect())
    }

    /// Ranges with the same number of vertices.
    pub(crate) fn even(vertices: usize, parts: usize) -> Cut {
        Cut((0..=parts).map(|part| (vertices as u64 * part as u64 / parts as u64) as u32).collect())
    }

    /// The range of a worker.
    pub(crate) fn range(&self, worker: usize) -> Range<u32> {
        self.0[worker]..self.0[worker + 1]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(spec: &str) -> Graph {
        gw_graph::GraphSpec::parse(spec).and_then(|s| s.load(&gw_graph::progress::Silent)).unwrap().graph
    }

    #[test]
    fn ranges_cover_all_vertices_once() {
        for (spec, parts) in [("kron:8", 4), ("path:3", 7), ("star:100", 3), ("path:1", 1), ("road:20x20", 2)] {
            let graph = graph(spec);
            for cut in [Cut::by_edges(&graph, parts), Cut::even(graph.vertices(), parts)] {
                let mut next = 0;
                for worker in 0..parts {
                    let range = cut.range(worker);
                    assert_eq!(range.start, next, "{spec} {cut:?}");
                    next = range.end;
                }
                assert_eq!(next as usize, graph.vertices());
            }
        }
    }

    #[test]
    fn edges_are_balanced() {
        let graph = graph("kron:12");
        let cut = Cut::by_edges(&graph, 4);
        let share = (graph.edges() + VERTEX_COST * graph.vertices()) as f64 / 4.0;
        for worker in 0..4 {
            let range = cut.range(worker);
            let edges: usize = range.clone().map(|v| graph.out().degree(v)).sum();
            let work = (edges + VERTEX_COST * range.len()) as f64;
            assert!((work / share - 1.0).abs() < 0.1, "worker {worker}: {work} of {share}");
        }
    }
}
