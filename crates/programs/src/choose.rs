//! Arguments that are worked out from the graph where they are left out: a width of buckets, a landmark.

use gw_graph::{Graph, VertexId, Weight, with_weights};

use crate::validate::levels;

/// The width of buckets is the mean weight times this, divided by the square of the mean degree.
const WIDTH_FACTOR: f64 = 22.0;
/// The width is at least this part of the mean weight.
const LEAST_WIDTH: f64 = 1.0 / 40.0;

/// The width of buckets of distances that suits a graph: the denser the graph, the sooner a bucket is settled, and the
/// more work a wide bucket wastes. Measured on the CPU machine: `bench/cpu-choice.md`.
///
/// Whole weights have a whole width; reals have one of three digits.
pub(crate) fn delta(graph: &Graph) -> String {
    let (weight, degree) = (mean_weight(graph), mean_degree(graph).max(1.0));
    let factor = (WIDTH_FACTOR / (degree * degree)).max(LEAST_WIDTH);
    let width = weight * factor;
    if graph.weight_kind().is_real() && width > 0.0 && width.is_finite() {
        // Read back from its shortest text, 1.23e-9 is the same number on every machine.
        let digits = format!("{width:.2e}");
        return digits.parse::<f64>().map_or(digits, |width| width.to_string());
    }
    let width = (weight.max(1.0) * factor).round().clamp(1.0, f64::from(i32::MAX));
    (width as u32).to_string()
}

/// Edges and vertices that all searches together look at where nobody says how many there are: some seconds of work.
const SEARCH_WORK: usize = 4_000_000_000;
/// The least number of searches from which values are estimated.
const LEAST_STARTS: usize = 64;

/// From how many vertices to search: from all, which gives exact values, where that takes some seconds.
pub(crate) fn starts(graph: &Graph) -> usize {
    let of_one = graph.vertices() + graph.edges();
    (SEARCH_WORK / of_one.max(1)).max(LEAST_STARTS).min(graph.vertices())
}

/// A vertex behind the source, seen from the target: of those from which a path with fewest edges leads over the source
/// to the target, the one farthest from the source. What the distances from there say about a vertex on the way to the
/// target is then nearly exact. The source itself where no other vertex leads to the source.
pub(crate) fn landmark(graph: &Graph, source: VertexId, target: VertexId) -> VertexId {
    let to = |vertex| levels(graph.incoming(), vertex);
    let (to_source, to_target) = (to(source), to(target));
    let detour = |v: VertexId| {
        let (near, far) = (to_source[v as usize], to_target[v as usize]);
        (near >= 0 && far >= 0).then(|| (far - near, near, std::cmp::Reverse(v)))
    };
    let all = (0..graph.vertices() as VertexId).filter_map(|v| Some((detour(v)?, v)));
    all.max_by_key(|&(rank, _)| rank).map_or(source, |(_, v)| v)
}

/// The mean weight of the edges; 1 without weights.
pub(crate) fn mean_weight(graph: &Graph) -> f64 {
    let edges = graph.edges().max(1) as f64;
    let sum: f64 = with_weights!(graph.out().weights(), none => edges, w => w.iter().map(|&w| w.real()).sum());
    sum / edges
}

/// Edges per vertex.
pub(crate) fn mean_degree(graph: &Graph) -> f64 {
    graph.edges() as f64 / graph.vertices().max(1) as f64
}

#[cfg(test)]
mod tests {
    use gw_graph::{GraphSpec, progress::Silent};

    use super::*;

    fn graph(spec: &str) -> Graph {
        GraphSpec::parse(spec).and_then(|spec| spec.load(&Silent)).unwrap().graph
    }

    #[test]
    fn widths_follow_weights_and_degrees() {
        let whole = |spec: &str| delta(&graph(spec)).parse::<u32>().unwrap();
        assert_eq!(whole("path:1"), 22);
        assert_eq!(whole("complete:81:weights=400..400"), 10);
        assert_eq!(delta(&graph("complete:81:weights=0.5..0.5")), "0.0125");
        // Nearly two edges per vertex.
        let path = whole("path:1001:weights=100..100");
        assert!((545..560).contains(&path), "{path}");
        assert_eq!(whole("path:2:weights=2147483646..2147483646"), i32::MAX as u32);
    }

    #[test]
    fn small_graphs_are_searched_from_everywhere() {
        assert_eq!(starts(&graph("path:1000")), 1000);
        assert_eq!(starts(&graph("path:1")), 1);
        // 16,384 vertices and 245,120 edges: 15,295 searches.
        let many = starts(&graph("urand:14:16:seed=1"));
        assert!((LEAST_STARTS..16_384).contains(&many), "{many}");
    }

    #[test]
    fn landmarks_lie_behind_the_source() {
        let path = graph("path:10");
        assert_eq!((landmark(&path, 3, 7), landmark(&path, 7, 3), landmark(&path, 0, 9)), (0, 9, 0));
        let directed = graph("path:10:directed");
        assert_eq!((landmark(&directed, 3, 7), landmark(&directed, 0, 7)), (0, 0));
        // No vertex leads to both ends.
        assert_eq!(landmark(&graph("star:5:directed"), 2, 3), 0);
        assert_eq!(landmark(&graph("bipartite:2:2:0"), 1, 3), 1);
    }
}
