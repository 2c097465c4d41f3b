//! `gw run --target flow`: workers of one process, and processes that an MPI has started.

use crate::common::{self, failure_of, gw, ranks, success_of, text};

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
    for (args, code, word) in [
        (&["--workers", "2"][..], 2, "go with --target flow"),
        (&["--processes", "2"], 2, "go with --target flow"),
        (&["--target", "flow", "--workers", "0"], 2, "there must be 1 to 1024 workers"),
        (&["--target", "flow", "--processes", "0"], 2, "there must be 1 process at least"),
        (&["--target", "flow", "--processes", "4", "--workers", "2000"], 2, "there must be 1 to 1024 workers"),
        // What is gone says what replaced it.
        (
            &["--target", "flow", "--hosts", "hosts", "--process", "0"],
            2,
            "--hosts is gone: MPI starts the processes of",
        ),
        (&["--target", "flow", "--wait", "9"], 2, "`mpirun -hostfile FILE -n 4 gw run PROGRAM GRAPH --target flow`"),
    ] {
        let error = common::failure(folder.path(), &[&["run", "bfs", "path:9"], args].concat(), code);
        assert!(error.contains(word), "{args:?}: {error}");
    }
    // Nothing that starts processes.
    let mut command = common::command(folder.path(), &["run", "bfs", "path:9", "--target", "flow", "--processes", "2"]);
    for variable in ["PATH", "VIRTUAL_ENV", "CONDA_PREFIX"] {
        command.env_remove(variable);
    }
    let error = failure_of(command.output().unwrap(), 1);
    assert!(error.contains("there is none on the PATH: `pip install mpich` brings one"), "{error}");
    // Not a library of MPI.
    let mut command = common::command(folder.path(), &["run", "bfs", "path:9", "--target", "flow"]);
    let error = failure_of(command.env("GW_MPI", "none.so").env("PMI_RANK", "0").output().unwrap(), 1);
    assert!(error.contains("no MPI with the standard ABI is here") && error.contains("pip install mpich"), "{error}");
}

#[test]
fn ranks_agree_with_the_reference_machine() {
    let folder = tempfile::tempdir().unwrap();
    for (program, graph, vector) in [
        ("bfs", "kron:8", None),
        ("cc", "road:12x12", Some("label")),
        ("sssp", "kron:8:weights=1..99", Some("dist")),
        ("pagerank", "kron:8", None),
    ] {
        for (count, workers) in [(1, "1"), (2, "2"), (3, "1")] {
            let args =
                ["run", program, graph, "--target", "flow", "--verify", "--timeout", "120", "--workers", workers];
            let out = vector.map(|vector| format!("{vector}=ranks.txt"));
            let out: Vec<&str> = out.iter().flat_map(|out| ["--out", out]).collect();
            let Some(output) = ranks(folder.path(), count, &[&args[..], &out].concat()) else { return };
            let said = success_of(output);
            assert_eq!(said.matches(&format!("{program} on flow:")).count(), 1, "{said}");
            let Some(vector) = vector else { continue };
            let alone = ["run", program, graph, "--target", "reference", "--out", &format!("{vector}=alone.txt")];
            common::success(folder.path(), &alone);
            let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
            assert!(read("ranks.txt") == read("alone.txt"), "{program} in {count} ranks");
        }
    }
}

/// Every process loads its part, and the results are those of the whole graph.
#[test]
fn processes_run_on_parts_of_a_graph() {
    if gw_testing::mpi::programs().is_none() {
        return;
    }
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
    if gw_testing::mpi::programs().is_none() {
        return;
    }
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
    assert!(error.contains("the graph is there in parts and this process has part"), "{error}");
    assert!(error.contains("triangles.gt:") && error.contains("neighbours of"), "{error}");
    let again = common::failure(folder.path(), &["graph", "partition", "kron:7", "2", "undirected"], 1);
    assert!(again.contains("there is a graph in parts already"), "{again}");
}
