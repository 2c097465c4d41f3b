//! `gw run --target flow`: workers in one process and in two that are connected.

use crate::common;
use std::net::TcpListener;
use std::process::{Command, Output, Stdio};

use crate::common::gw;

fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

#[test]
fn workers_of_one_process_are_right() {
    let folder = tempfile::tempdir().unwrap();
    for workers in ["1", "2", "4"] {
        for (program, graph) in [("bfs", "kron:8"), ("cc", "road:12x12"), ("sssp", "path:50:weights=1..9")] {
            let args = ["run", program, graph, "--target", "flow", "--workers", workers, "--verify"];
            let output = gw(folder.path(), &args);
            assert!(output.status.success(), "{program} {graph} {workers}: {}", text(&output));
        }
    }
}

#[test]
fn wrong_usage_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("hosts"), "127.0.0.1:1\nnonsense\n").unwrap();
    for (args, word) in [
        (&["--workers", "2"][..], "go with --target flow"),
        (&["--target", "flow", "--workers", "0"], "there must be 1 to 1024 workers"),
        (&["--target", "flow", "--hosts", "hosts"], "--process"),
        (&["--target", "flow", "--hosts", "hosts", "--process", "0"], "line 2: `nonsense` is not an address"),
        (&["--target", "flow", "--hosts", "none", "--process", "0"], "cannot read the hosts file none"),
    ] {
        let output = gw(folder.path(), &[&["run", "bfs", "path:9"], args].concat());
        assert_eq!(output.status.code(), Some(2), "{args:?}: {}", text(&output));
        assert!(text(&output).contains(word), "{args:?}: {}", text(&output));
    }
}

#[test]
fn two_processes_agree_over_loopback() {
    let folder = tempfile::tempdir().unwrap();
    let free = || TcpListener::bind("127.0.0.1:0").and_then(|l| l.local_addr()).unwrap();
    for (program, graph, vector) in [
        ("bfs", "kron:8", None),
        ("cc", "road:12x12", Some("label")),
        ("sssp", "kron:8:weights=1..99", Some("dist")),
        ("pagerank", "kron:8", None),
    ] {
        let (a, b) = (free(), free());
        std::fs::write(folder.path().join("hosts"), format!("{a}\n{b}\n")).unwrap();
        let started: Vec<_> = ["0", "1"]
            .into_iter()
            .map(|process| {
                let mut command = Command::new(crate::GW);
                command.args(["run", program, graph, "--target", "flow", "--verify", "--timeout", "120"]);
                command.args(["--hosts", "hosts", "--process", process, "--workers", "2"]);
                if let Some(vector) = vector {
                    command.args(["--out", &format!("{vector}={process}.txt")]);
                }
                command.current_dir(folder.path()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
            })
            .collect();
        for process in started {
            let output = process.wait_with_output().unwrap();
            assert!(output.status.success(), "{program} {graph}: {}", text(&output));
        }
        if let Some(vector) = vector {
            let alone = ["run", program, graph, "--target", "reference", "--out", &format!("{vector}=alone.txt")];
            assert!(gw(folder.path(), &alone).status.success());
            let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
            assert!(read("0.txt") == read("alone.txt") && read("1.txt") == read("alone.txt"), "{program}");
        }
    }
}

/// Every process loads its part, and the results are those of the whole graph.
#[test]
fn processes_run_on_parts_of_a_graph() {
    let folder = tempfile::tempdir().unwrap();
    let out = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    for (graph, parts, runs) in [
        ("kron:9:weights=1..99", "3", &[("sssp", "5", "dist"), ("cc", "", "label"), ("bfs-levels", "5", "level")][..]),
        ("kron:8:directed", "2", &[("pagerank", "20", "rank"), ("bfs-levels", "5", "level")]),
        ("road:15x15", "4", &[("bfs-levels", "0", "level"), ("pagerank", "20", "rank")]),
    ] {
        let told = common::success(folder.path(), &["graph", "partition", graph, parts, parts]);
        assert!(told.contains(&format!("in {parts} parts")) && told.contains("part 1: "), "{told}");
        for (program, argument, vector) in runs {
            let argument: &[&str] = if argument.is_empty() { &[] } else { &[argument] };
            let (whole, part) = (format!("{vector}=whole.txt"), format!("{vector}=parts.txt"));
            common::success(folder.path(), &[&["run", program, graph], argument, &["--out", &whole]].concat());
            for workers in ["1", "2"] {
                let flow = ["--target", "flow", "--processes", parts, "--workers", workers, "--out", &part];
                common::success(folder.path(), &[&["run", program, parts], argument, &flow].concat());
                let (whole, parts) = (out("whole.txt"), out("parts.txt"));
                let case = format!("{program} {graph} {workers}");
                if *vector != "rank" {
                    assert_eq!(whole, parts, "{case}");
                    continue;
                }
                // Sums in another order.
                let numbers = |text: &str| text.lines().map(|line| line.parse().unwrap()).collect::<Vec<f64>>();
                for (a, b) in numbers(&whole).into_iter().zip(numbers(&parts)) {
                    assert!((a - b).abs() <= 1e-6 * a.abs().max(1e-3), "{case}: {a} {b}");
                }
            }
        }
    }
}

#[test]
fn parts_that_cannot_be_run_on_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    common::success(folder.path(), &["graph", "partition", "kron:7:directed", "2", "parts"]);
    let flow = ["--target", "flow", "--processes", "2"];
    for (program, more, code, word) in [
        ("pagerank", &[][..], 1, "the graph is in 2 parts: --target flow --processes 2 runs on them"),
        ("pagerank", &["--target", "flow", "--processes", "3"], 1, "in 2 parts, but there are 3 processes"),
        ("pagerank", &["--target", "flow", "--processes", "2", "--verify"], 2, "--verify needs the whole graph"),
        ("bfs", &flow, 2, "no process knows the vertex with the most edges"),
        ("cc", &flow, 1, "holds the parts of a directed one; make them of GRAPH:sym"),
    ] {
        let error = common::failure(folder.path(), &[&["run", program, "parts"], more].concat(), code);
        assert!(error.contains(word), "{program}: {error}");
    }
    common::success(folder.path(), &["graph", "partition", "kron:7", "2", "undirected"]);
    let error = common::failure(folder.path(), &[&["run", "triangles", "undirected"][..], &flow].concat(), 1);
    assert!(error.contains("this graph is in parts, of which a process has one: give it as one file"), "{error}");
    assert!(error.contains("triangles.gt:") && error.contains("neighbours of"), "{error}");
    let again = common::failure(folder.path(), &["graph", "partition", "kron:7", "2", "undirected"], 1);
    assert!(again.contains("there is a graph in parts already"), "{again}");
}
