//! Every program on small graphs of every class: right under its own schedule, without one, and in shuffled order.

use std::sync::Arc;

use crate::machine::{Scheduled, check};
use gw_graph::{BuildOptions, EdgeList, Graph, GraphSpec, build, progress::Silent};
use gw_programs::{example_graphs, programs};

fn generated(spec: &str) -> (String, Arc<Graph>) {
    let graph = GraphSpec::parse(spec).and_then(|spec| spec.load(&Silent)).unwrap().graph;
    (spec.to_string(), Arc::new(graph))
}

fn built(name: &str, vertices: usize, symmetrise: bool, edges: &[(u32, u32, i32)]) -> (String, Arc<Graph>) {
    let options = BuildOptions { symmetrise, ..Default::default() };
    let graph = build(EdgeList::from_triples(vertices, edges.iter().copied()), &options).unwrap();
    (name.to_string(), Arc::new(graph))
}

fn cycle(first: u32, length: u32) -> Vec<(u32, u32, i32)> {
    (0..length).map(|i| (first + i, first + (i + 1) % length, 1 + (i * 7 % 5) as i32)).collect()
}

/// Small graphs of every class, all weighted.
fn graphs() -> Vec<(String, Arc<Graph>)> {
    let examples = example_graphs().iter().filter(|graph| !graph.is_fractional());
    let mut graphs: Vec<_> = examples.map(|graph| generated(&graph.weighted_spec())).collect();
    graphs.push(built("two components", 30, true, &[cycle(0, 12), cycle(12, 17)].concat()));
    graphs.push(built("zero weights", 4, true, &[(0, 1, 0), (1, 2, 0), (2, 3, 4), (0, 3, 5)]));
    graphs
}

fn all(scheduled: Scheduled, shuffle: Option<u64>) {
    let mut problems = Vec::new();
    // The greater graphs take most of the time: in usual runs only under the programs' own schedules.
    let every_size = gw_testing::is_nightly() || (scheduled == Scheduled::Own && shuffle.is_none());
    for (name, graph) in graphs().into_iter().filter(|(_, graph)| every_size || graph.edges() <= 3000) {
        // Nested walks over lists, one step at a time: a matter of seconds on the greater graphs.
        let is_slow = |name: &str| match name {
            "lcc" => !graph.is_symmetric() && graph.edges() > 5000,
            "fastrp" | "ktruss" | "leiden" | "louvain" | "node2vec" | "similar" | "walks" => graph.edges() > 1000,
            _ => false,
        };
        let wanted = |name: &str| gw_testing::is_nightly() || !is_slow(name);
        for program in programs().iter().filter(|p| p.suits(&graph) && wanted(p.name)) {
            match check(program, &name, &graph, scheduled, shuffle) {
                Ok(result) => assert_eq!(result.printed, "", "{} prints", program.name),
                Err(problem) => problems.push(problem),
            }
        }
    }
    assert!(problems.is_empty(), "{} problems:\n{}", problems.len(), problems.join("\n"));
}

#[test]
fn right_under_their_own_schedules() {
    all(Scheduled::Own, None);
}

#[test]
fn right_without_a_schedule() {
    all(Scheduled::Nothing, None);
}

#[test]
fn right_in_shuffled_order() {
    for seed in 1..3 {
        all(Scheduled::Own, Some(seed));
    }
}
