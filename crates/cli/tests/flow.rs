//! `gw run --target flow`: workers in one process and in two that are connected.

mod common;

use std::net::TcpListener;
use std::process::{Command, Output, Stdio};

use common::gw;

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
                let mut command = Command::new(env!("CARGO_BIN_EXE_gw"));
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
