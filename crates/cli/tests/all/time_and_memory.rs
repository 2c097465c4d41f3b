//! What `gw run` tells about time and memory: parts that add up, and estimates before the run.

use std::time::Instant;

use crate::common::{failure, gw, json, success};

#[test]
fn parts_add_up_to_the_time_of_the_process() {
    let folder = tempfile::tempdir().unwrap();
    for arguments in [["run", "bfs", "kron:12", "--json", "--verify"], ["run", "tc", "kron:10", "--json", "--verify"]] {
        let start = Instant::now();
        let answer = json(folder.path(), &arguments);
        let outside = start.elapsed().as_secs_f64();
        let parts = answer["parts"].as_object().unwrap();
        let part = |name: &str| parts[name].as_f64().unwrap_or_else(|| panic!("{name}: {answer}"));
        let whole = part("whole");
        let sum: f64 = parts.keys().filter(|name| *name != "whole").map(|name| part(name)).sum();
        assert!((sum - whole).abs() < 1e-9, "{parts:?}");
        // Time on the processor before `main` may be counted in steps by the system.
        assert!(whole <= outside + 0.01, "{parts:?} in {outside} s");
        assert!(parts.values().all(|part| part.as_f64().is_some_and(|part| part >= 0.0)), "{parts:?}");
        for busy in ["read_graph", "compile", "run", "validate"] {
            assert!(part(busy) > 0.0, "{busy}: {parts:?}");
        }
        assert_eq!(part("to_device"), 0.0, "{parts:?}");
        assert_eq!(answer["seconds"], parts["run"]);
    }
    let told = String::from_utf8(gw(folder.path(), &["run", "bfs", "kron:12"]).stderr).unwrap();
    let line = told.lines().last().unwrap_or_default();
    assert!(line.contains(" in all: reading the graph ") && line.contains(", other "), "{told}");
}

#[test]
fn memory_is_told_without_a_run() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let told = success(at, &["run", "pagerank", "kron:8", "--estimate"]);
    assert!(told.starts_with("memory of pagerank on kron:8 (256 vertices, "), "{told}");
    assert!(told.contains("machine cpu") && told.contains("it fits") && !told.contains("device"), "{told}");

    // The GPU is asked without one: lists of out-edges, and the vectors of the program.
    let bytes = |graph: &str| {
        let told = json(at, &["run", "sssp", graph, "0", "--estimate", "--json", "--target", "cuda"]);
        let need = |what: &str| {
            let parts = told["parts"].as_array().unwrap();
            let found = parts.iter().find(|part| part["what"] == what).unwrap_or_else(|| panic!("{what}: {told}"));
            found["device_bytes"].as_u64().unwrap()
        };
        assert!(told["device_bytes"].as_u64().unwrap() >= need("graph") + need("vectors"), "{told}");
        (need("graph"), need("vectors"))
    };
    // Offsets, and an id and a weight for both directions of 8 edges; a distance per vertex.
    assert_eq!(bytes("path:9:weights=1..3"), (4 * 10 + 16 * 8, 4 * 9));
    let refused = failure(at, &["run", "bfs", "kron:8", "--estimate", "--verify"], 2);
    assert!(refused.contains("--estimate") && refused.contains("--verify"), "{refused}");
}

#[test]
fn auto_tells_why() {
    let folder = tempfile::tempdir().unwrap();
    let answer = json(folder.path(), &["run", "bfs", "kron:8", "--target", "auto", "--json"]);
    // A small graph is done before a device is ready, wherever there is one.
    assert_eq!((&answer["target"], &answer["target_reason"]["on_device"]), (&"cpu".into(), &false.into()));
    let told = gw(folder.path(), &["run", "bfs", "kron:8", "--target", "auto", "--explain-schedule"]);
    let told = String::from_utf8(told.stderr).unwrap();
    assert!(told.contains("machine: cpu, chosen by --target auto: expected are "), "{told}");
}
