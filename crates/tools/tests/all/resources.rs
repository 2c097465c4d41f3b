//! Limits of memory and threads, and inputs without an end: a sentence and an exit code, never an abort and never a
//! hang.
#![cfg(unix)]

use std::process::{Command, Output};

use crate::common::{failure, success};

/// Runs a line of the shell in which `$GW` is the program.
fn shell(folder: &std::path::Path, line: &str) -> Output {
    let mut command = Command::new("sh");
    command.args(["-c", line]).env("GW", crate::GW).env_remove("RUST_BACKTRACE").current_dir(folder);
    command.output().expect("the shell starts")
}

/// Standard error of a line that must end with exit code 1, not by a signal.
fn refused(line: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let output = shell(folder.path(), line);
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{line}: {errors}");
    assert!(!errors.contains("panicked") && !errors.contains("memory allocation of"), "{line}: {errors}");
    errors
}

#[test]
fn a_graph_beyond_the_address_space_is_refused() {
    let errors = refused("ulimit -v 2000000; exec $GW run bfs kron:24 2");
    assert!(errors.contains("the graph `kron:24` of about 16777216 vertices"), "{errors}");
    assert!(errors.contains("the address space of this process is limited to 1.9 GiB; "), "{errors}");
    let errors = refused("ulimit -v 2000000; exec $GW graph generate urand:24 -o u.gwg");
    assert!(errors.contains("raise the limit with `ulimit -v`"), "{errors}");
}

#[test]
fn limits_in_the_middle_of_a_run_are_no_aborts() {
    // From too little for anything up to enough: whatever the limit is met by, the end is a sentence.
    let folder = tempfile::tempdir().unwrap();
    let mut succeeded = 0;
    for kib in [150_000, 250_000, 350_000, 450_000, 600_000, 1_500_000] {
        let line = format!("ulimit -v {kib}; exec $GW run pagerank kron:18 5 --schedule 's0:s1@pull'");
        let output = shell(folder.path(), &line);
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(matches!(output.status.code(), Some(0 | 1)), "{line}: {:?}: {errors}", output.status);
        assert!(output.status.success() || errors.contains("memory") || errors.contains("threads"), "{line}: {errors}");
        succeeded += usize::from(output.status.success());
    }
    assert!(succeeded > 0, "the greatest limit is enough");
}

#[test]
fn pipes_without_an_end_stop_at_the_limit_of_memory() {
    let errors = refused("ulimit -v 600000; yes '0 1' | $GW graph info /dev/stdin:format=el");
    assert!(errors.contains("the next part of /dev/stdin needs"), "{errors}");
    let errors = refused("ulimit -v 600000; cat /dev/zero | $GW graph info /dev/stdin:format=el");
    assert!(errors.contains("a line of /dev/stdin needs"), "{errors}");
    let errors = refused("ulimit -v 600000; cat /dev/zero | $GW graph info /dev/stdin:format=adj");
    assert!(errors.contains("the content of /dev/stdin needs"), "{errors}");
}

#[test]
fn devices_and_folders_are_no_input() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("here")).unwrap();
    let check = |args: &[&str], message: &str| {
        let errors = failure(folder.path(), args, 1);
        assert!(errors.contains(message), "{args:?}: {errors}");
    };
    let device = "it is a device: give a file or a pipe";
    check(&["run", "/dev/zero", "path:5"], device);
    check(&["run", "bfs", "path:5", "0", "--schedule", "/dev/zero"], device);
    check(&["run", "bfs", "path:5", "0", "--schedule", "adaptive:/dev/zero"], device);
    check(&["bench", "/dev/zero"], device);
    check(&["graph", "info", "/dev/zero:format=sg"], "is a device, not a graph");
    check(&["lab", "list", "/dev/zero", "graphs"], "is not a lab: it is no regular file");
    let directory = "it is a directory, not a file";
    check(&["run", "./here", "path:5"], directory);
    check(&["run", "bfs", "path:5", "0", "--schedule", "./here"], directory);
    check(&["run", "bfs", "path:5", "0", "--schedule", "adaptive:here"], directory);
    check(&["bench", "./here"], directory);
    check(&["graph", "info", "./here"], "is a directory, not a graph file");
    check(&["lab", "list", "here", "graphs"], "is not a lab: it is no regular file");
}

const PROGRAM: &str = "element Vertex end\nelement Edge end\n\
    const edges : edgeset{Edge}(Vertex,Vertex) = load(argv[1]);\n\
    const vertices : vertexset{Vertex} = edges.getVertices();\n\
    func main()\n    print vertices.size();\nend\n";

#[test]
fn programs_may_come_through_a_pipe_and_may_bear_a_byte_order_mark() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("plain.gt"), PROGRAM).unwrap();
    std::fs::write(folder.path().join("marked.gt"), format!("\u{feff}{PROGRAM}")).unwrap();
    let first = |text: &str| text.lines().next().map(str::to_string);
    for file in ["plain.gt", "marked.gt"] {
        assert_eq!(first(&success(folder.path(), &["run", file, "path:7"])).as_deref(), Some("7"), "{file}");
    }
    let piped = shell(folder.path(), "cat plain.gt | $GW run /dev/stdin path:7");
    assert_eq!(first(&String::from_utf8_lossy(&piped.stdout)).as_deref(), Some("7"), "{piped:?}");
    let endless = shell(folder.path(), "yes '% a comment' | $GW run /dev/stdin path:7");
    let errors = String::from_utf8_lossy(&endless.stderr).into_owned();
    assert_eq!(endless.status.code(), Some(1), "{errors}");
    assert!(errors.contains("it is longer than 16.0 MiB"), "{errors}");
}

#[test]
fn a_schedule_and_a_suite_may_bear_a_byte_order_mark() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.sched"), "\u{feff}s0:s1@push").unwrap();
    success(folder.path(), &["run", "bfs", "path:7", "0", "--schedule", "a.sched"]);
    let suite = "\u{feff}name = \"small\"\ndescription = \"one run\"\ntrials = 1\n\
        [[graph]]\nname = \"p\"\nspec = \"path:9\"\n[[entry]]\nprogram = \"bfs\"\nsources = 1\n";
    std::fs::write(folder.path().join("s.toml"), suite).unwrap();
    success(folder.path(), &["bench", "s.toml"]);
}

#[test]
fn far_too_many_threads_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let errors = failure(folder.path(), &["--threads", "65535", "run", "bfs", "path:5", "0"], 2);
    assert!(errors.contains("--threads 65535: at most "), "{errors}");
    success(folder.path(), &["--threads", "9", "run", "bfs", "path:5", "0"]);
}

#[test]
fn results_go_to_standard_error_and_to_pipes_by_their_names() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["/dev/stderr", "/dev/fd/2"] {
        let output = shell(folder.path(), &format!("$GW run tc complete:6 --out triangles={name}"));
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success() && errors.lines().any(|line| line == "20"), "{name}: {errors}");
    }
    // A file behind standard error keeps what was in it.
    let output = shell(folder.path(), "echo before >log; $GW run tc complete:6 --out triangles=/dev/stderr 2>>log");
    let log = std::fs::read_to_string(folder.path().join("log")).unwrap();
    assert!(output.status.success() && log.starts_with("before\n") && log.contains("\n20\n"), "{log}");
    for name in ["/dev/fd/1", "/dev/fd/3"] {
        let output =
            shell(folder.path(), &format!("{{ $GW run tc complete:6 --out triangles={name} 3>&1 >&4; }} 4>&1 | cat"));
        let out = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(out.lines().any(|line| line == "20"), "{name}: {out} {}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn a_closed_pipe_ends_a_program_without_a_word() {
    let folder = tempfile::tempdir().unwrap();
    let program = "func main()\n    for i in 0:1000000\n        print i;\n    end\nend\n";
    std::fs::write(folder.path().join("print.gt"), program).unwrap();
    for target in ["cpu", "reference"] {
        let output = shell(folder.path(), &format!("$GW run print.gt --target {target} | head -2"));
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!((String::from_utf8_lossy(&output.stdout).as_ref(), errors.as_str()), ("0\n1\n", ""), "{target}");
    }
}
