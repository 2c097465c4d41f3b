//! The programs on real graphs, where they are at hand.

use std::sync::Arc;

use crate::machine::{Scheduled, check};
use gw_graph::{Graph, GraphSpec, progress::Silent};
use gw_programs::programs;

/// Small files of different kinds: genes, power grid, mesh, citations, forum, streets, flights, mails. The last three
/// are directed.
const FILES: [&str; 8] = [
    "bio-SC-TS.mtx.gz",
    "power-us-west.mtx.gz",
    "walshaw-uk.mtx.gz",
    "cora.mtx.gz",
    "uc-forum.mtx.gz",
    "tn-Barcelona.mtx.gz",
    "us-airports.mtx.gz",
    "radoslaw-email.mtx.gz",
];

fn load(spec: &str) -> (String, Arc<Graph>) {
    let graph = GraphSpec::parse(spec).and_then(|s| s.load(&Silent)).unwrap().graph;
    (spec.to_string(), Arc::new(graph))
}

#[test]
fn right_on_real_graphs() {
    let Some(folder) = gw_testing::real_graphs() else { return };
    let mut problems = Vec::new();
    for file in FILES {
        let path = folder.join(file);
        if !path.is_file() {
            gw_testing::left_out(file, format!("it is not in {}", folder.display()));
            continue;
        }
        // Integer weights for all, so that all programs can run, as long as the graph is symmetric.
        let as_stored = load(&format!("{}:weights=1..100", path.display()));
        let both_ways = load(&format!("{}:sym:weights=1..100", path.display()));
        for program in programs() {
            let (spec, graph) = if program.suits(&as_stored.1) { &as_stored } else { &both_ways };
            // Many rounds, or long walks, one step at a time.
            let is_slow =
                ["fastrp", "ktruss", "leiden", "louvain", "node2vec", "similar", "walks"].contains(&program.name);
            if is_slow && graph.edges() > 15_000 && !gw_testing::is_nightly() {
                continue;
            }
            problems.extend(check(program, spec, graph, Scheduled::Own, None).err());
        }
    }
    assert!(problems.is_empty(), "{} problems:\n{}", problems.len(), problems.join("\n"));
}
