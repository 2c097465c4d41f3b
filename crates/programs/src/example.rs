//! Sensible arguments for a program on a given graph, for checks, tests and first tries.

use gw_graph::vertex_values::NONE;
use gw_graph::{Adjacency, Graph, VertexId};

use crate::choose::mean_weight;
use crate::registry::{ArgKind, Program};
use crate::validate::levels;

/// Arguments with which `program` does real work on `graph`: it starts from the vertex of greatest out-degree and goes
/// to the one farthest away in hops. `spec` is the text by which the program loads the graph.
///
/// ```
/// use gw_graph::{BuildOptions, EdgeList, build};
/// let path = build(EdgeList::from_pairs(3, vec![(0, 1), (1, 2)]), &BuildOptions::default()).unwrap();
/// let bfs = gw_programs::find("bfs").unwrap();
/// assert_eq!(gw_programs::example_args(bfs, "path.el", &path), ["path.el", "0"]);
/// ```
pub fn example_args(program: &Program, spec: &str, graph: &Graph) -> Vec<String> {
    let value = |kind: ArgKind| match kind {
        ArgKind::Graph => spec.to_string(),
        ArgKind::Source => busiest(graph.out()).to_string(),
        // The busiest counts twice as much as two others.
        ArgKind::Sources => {
            let (busiest, vertices) = (busiest(graph.out()) as usize, graph.vertices());
            let others = [vertices / 3, vertices / 2].into_iter().filter(|&v| v != busiest && v < vertices);
            let mut all = vec![format!("{busiest}=2")];
            others.for_each(|v| all.push(v.to_string()));
            all.dedup();
            all.join(",")
        }
        ArgKind::Target => farthest(graph.out(), busiest(graph.out())).to_string(),
        ArgKind::Landmark => (graph.vertices() / 2).to_string(),
        ArgKind::Delta => (mean_weight(graph).max(1.0) as u64).to_string(),
        ArgKind::Count(count) | ArgKind::Starts(count) | ArgKind::Row { example: count, .. } => count.to_string(),
        ArgKind::Tolerance(number) | ArgKind::Share(number) | ArgKind::Positive(number) | ArgKind::Time(_, number) => {
            number.to_string()
        }
        ArgKind::Weights => "auto".to_string(),
        ArgKind::Numbers => NONE.to_string(),
    };
    program.args.iter().map(|arg| value(arg.kind)).collect()
}

/// The vertex with the most out-edges, the first of several.
pub(crate) fn busiest(out: &Adjacency) -> VertexId {
    let by_degree = |&v: &VertexId| (out.degree(v), std::cmp::Reverse(v));
    (0..out.vertices() as VertexId).max_by_key(by_degree).unwrap_or(0)
}

fn farthest(out: &Adjacency, source: VertexId) -> VertexId {
    let levels = levels(out, source);
    (0..out.vertices() as VertexId).max_by_key(|&v| (levels[v as usize], std::cmp::Reverse(v))).unwrap_or(source)
}
