//! Links, sets of edges and triangles on this machine: with any number of threads as on the reference machine.

use std::sync::Arc;

use gw_cpu::CpuVm;
use gw_exec::ReferenceVm;
use gw_graph::progress::Silent;
use gw_graph::{BuildOptions, EdgeList, Graph, GraphSpec, build};

use crate::groups::{bits, run_text};

const TEXT: &str = include_str!("../../../exec/tests/all/triangles.gt");

fn spec(text: &str) -> Arc<Graph> {
    Arc::new(GraphSpec::parse(text).and_then(|s| s.load(&Silent)).unwrap().graph)
}

/// Schedules of the operators that triangles stand for.
const SCHEDULES: [&str; 3] =
    ["", "s1@pull;s2@pull;s3@grain=1;s4@par=serial;s5@grain=64", "s9@grain=1;s10@par=serial;s11@grain=64"];

#[test]
fn all_teams_find_the_same_triangles() {
    let edgeless = Arc::new(build(EdgeList::from_pairs(3, Vec::new()), &BuildOptions::default()).unwrap());
    let specs = ["kron:9", "kron:8:directed", "star:3000", "grid:9x9", "complete:40"].map(spec);
    for (number, graph) in specs.into_iter().chain([edgeless]).enumerate() {
        let expected = bits(&run_text(&ReferenceVm::new(), TEXT, &["g"], "", &graph));
        for vm in [CpuVm::new(1), CpuVm::new(3), CpuVm::with_tiny_chunks(4)] {
            for schedule in SCHEDULES {
                let found = bits(&run_text(&vm, TEXT, &["g"], schedule, &graph));
                assert!(found == expected, "graph {number} under `{schedule}`");
            }
        }
    }
}

fn machines() -> [CpuVm; 3] {
    [CpuVm::new(1), CpuVm::new(2), CpuVm::with_tiny_chunks(4)]
}

/// One result, whoever computes it, run after run.
#[test]
fn programs_over_triangles_have_the_results_of_the_reference_machine() {
    for (number, graph) in ["kron:9", "kron:8:directed", "grid:20x20"].map(spec).into_iter().enumerate() {
        for program in ["ktruss", "triangles", "lcc", "similarity-edges"] {
            if graph.is_symmetric() || ["lcc", "similarity-edges"].contains(&program) {
                let text = gw_programs::find(program).unwrap().source;
                let ks: &[&str] = if program == "ktruss" { &["0", "4"] } else { &["0"] };
                for (k, vm) in ks.iter().flat_map(|k| machines().map(|vm| (k, vm))) {
                    let expected = bits(&run_text(&ReferenceVm::new(), text, &["g", k], "", &graph));
                    for run in 0..2 {
                        let found = bits(&run_text(&vm, text, &["g", k], "", &graph));
                        assert!(are_same(&found, &expected), "{program} on graph {number}, k = {k}, run {run}");
                    }
                }
            }
        }
    }
}

/// Equal results, but for sums of reals, which depend on the order of their terms.
fn are_same(found: &[(String, Vec<u64>)], expected: &[(String, Vec<u64>)]) -> bool {
    let near = |(&a, &b): (&u64, &u64)| {
        let (x, y) = (f64::from_bits(a), f64::from_bits(b));
        // Whole numbers of 64 bits are far below the least such real.
        a == b || ((x - y).abs() <= 1e-12 * x.abs() && x.abs() > 1e-300)
    };
    found.len() == expected.len()
        && found
            .iter()
            .zip(expected)
            .all(|(a, b)| a.0 == b.0 && a.1.len() == b.1.len() && a.1.iter().zip(&b.1).all(near))
}
