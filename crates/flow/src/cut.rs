//! The cut of the vertices: who owns which range.

use std::ops::Range;

use gw_graph::Graph;

/// Ranges of vertices, one per worker, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Cut(Vec<u32>);

impl Cut {
    /// Ranges with about the same number of out-edges, a vertex counting as eight.
    pub(crate) fn by_edges(graph: &Graph, parts: usize) -> Cut {
        Cut(graph.cuts(parts, graph.share().is_some()))
    }

    /// Ranges with the same number of vertices.
    pub(crate) fn even(vertices: usize, parts: usize) -> Cut {
        Cut((0..=parts).map(|part| (vertices as u64 * part as u64 / parts as u64) as u32).collect())
    }

    /// All entries for the first worker.
    pub(crate) fn for_one(entries: usize, parts: usize) -> Option<Cut> {
        let end = u32::try_from(entries).ok()?;
        Some(Cut(std::iter::once(0).chain(std::iter::repeat_n(end, parts)).collect()))
    }

    /// The ranges of all workers in their order; `None` unless they follow each other from 0 to `vertices`.
    pub(crate) fn of_ranges(ranges: &[Range<u32>], vertices: usize) -> Option<Cut> {
        let mut ends = vec![0];
        for range in ranges {
            if ends.last() != Some(&range.start) || range.end < range.start {
                return None;
            }
            ends.push(range.end);
        }
        (ends.last() == Some(&(vertices as u32))).then_some(Cut(ends))
    }

    /// The range of a worker.
    pub(crate) fn range(&self, worker: usize) -> Range<u32> {
        self.0[worker]..self.0[worker + 1]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a vertex costs beside its edges, in edges.
    const VERTEX_COST: usize = 8;

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
    fn ranges_that_do_not_follow_each_other_are_no_cut() {
        assert_eq!(Cut::of_ranges(&[0..2, 2..2, 2..5], 5), Some(Cut(vec![0, 2, 2, 5])));
        for ranges in [[0..2, 3..5], [0..2, 2..4], [1..2, 2..5]] {
            assert_eq!(Cut::of_ranges(&ranges, 5), None);
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
