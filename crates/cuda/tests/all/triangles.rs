//! Links, sets of edges and triangles on the emulated device, as on the reference machine, run after run.

use std::sync::Arc;

use gw_cuda::CudaVm;
use gw_emulator::EmulatedDevice;
use gw_exec::ReferenceVm;
use gw_graph::progress::Silent;
use gw_graph::{Graph, GraphSpec};

use crate::groups::{bits, run_text};

const TEXT: &str = include_str!("../../../exec/tests/all/triangles.gt");

fn spec(text: &str) -> Arc<Graph> {
    Arc::new(GraphSpec::parse(text).and_then(|s| s.load(&Silent)).unwrap().graph)
}

#[test]
fn the_device_finds_the_same_triangles() {
    let Some(device) = EmulatedDevice::new() else { return };
    let vm = CudaVm::on(Arc::new(device));
    // Watched vectors are not written by functions that are called: these statements are refused on a device.
    let is_watched =
        |line: &&str| ["applyModified", "raised.apply", "touched.apply"].iter().all(|word| !line.contains(word));
    let program: String = TEXT.lines().filter(is_watched).map(|line| format!("{line}\n")).collect();
    for text in ["kron:6", "kron:6:directed", "star:300", "complete:20"] {
        let graph = spec(text);
        let expected = bits(&run_text(&ReferenceVm::new(), &program, &["g"], "", &graph));
        for schedule in ["", "s1@pull;s2@pull,lb=cm"] {
            assert!(bits(&run_text(&vm, &program, &["g"], schedule, &graph)) == expected, "{text} under `{schedule}`");
        }
    }
}

#[test]
fn programs_over_triangles_have_the_results_of_the_reference_machine() {
    let Some(device) = EmulatedDevice::new() else { return };
    let vm = CudaVm::on(Arc::new(device));
    for (text, programs) in [
        ("kron:6", &["ktruss", "triangles", "lcc", "similarity-edges"][..]),
        ("kron:6:directed", &["lcc", "similarity-edges"]),
    ] {
        let graph = spec(text);
        for program in programs {
            let source = gw_programs::find(program).unwrap().source;
            let ks: &[&str] = if *program == "ktruss" { &["0", "3", "4", "99"] } else { &["0"] };
            for k in ks {
                let expected = bits(&run_text(&ReferenceVm::new(), source, &["g", k], "", &graph));
                for run in 0..2 {
                    let found = bits(&run_text(&vm, source, &["g", k], "", &graph));
                    assert!(are_same(&found, &expected), "{program} of {text}, k = {k}, run {run}");
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
