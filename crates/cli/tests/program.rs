//! `gw run`, `gw compile` and `gw programs` as a person uses them.

mod common;

use common::{failure, json, success};

#[test]
fn a_verified_run_tells_the_promised_keys() {
    let folder = tempfile::tempdir().unwrap();
    let answer = json(folder.path(), &["run", "bfs", "kron:8", "0", "--verify", "--json"]);
    assert_eq!(answer["program"], "bfs");
    assert_eq!(answer["target"], "reference");
    assert_eq!(answer["verified"], true);
    for key in ["load_seconds", "compile_seconds", "seconds", "steps"] {
        assert!(answer[key].is_number(), "{key}: {answer}");
    }
    assert!(answer["schedule"].is_string());
}

#[test]
fn the_cpu_machine_agrees() {
    let folder = tempfile::tempdir().unwrap();
    for (program, args) in
        [("bfs", "kron:10 5"), ("pagerank", "road:30x30 20"), ("sssp-delta", "kron:9:weights=1..50 3 8")]
    {
        let mut line = vec!["--threads", "3", "run", program, "--target", "cpu", "--verify", "--json"];
        line.extend(args.split(' '));
        let answer = json(folder.path(), &line);
        assert_eq!(answer["target"], "cpu");
        assert_eq!(answer["verified"], true, "{answer}");
    }
    assert!(success(folder.path(), &["compile", "bfs", "--emit", "asm"]).lines().count() > 50);
    assert!(success(folder.path(), &["compile", "bfs", "--emit", "clif"]).contains("atomic_cas"));
}

#[test]
fn another_schedule_gives_the_same_result() {
    let folder = tempfile::tempdir().unwrap();
    for schedule in ["s0:s1@pull", "s0:s1@push", "push"] {
        let args = ["run", "bfs-levels", "road:20x20", "3", "--schedule", schedule, "--verify", "--out", "level=l.txt"];
        success(folder.path(), &args);
        let levels = std::fs::read_to_string(folder.path().join("l.txt")).unwrap();
        assert_eq!(levels.lines().count(), 400);
        assert_eq!(levels.lines().nth(3), Some("0"));
    }
}

#[test]
fn a_program_of_ones_own_runs_and_prints() {
    let folder = tempfile::tempdir().unwrap();
    let program = "element V end\nelement E end\n\
        const edges : edgeset{E}(V,V) = load(argv[1]);\n\
        func main()\n    print edges.getVertices();\n    print 1.0 / 3.0;\nend\n";
    std::fs::write(folder.path().join("mine.gt"), program).unwrap();
    let out = success(folder.path(), &["run", "mine.gt", "path:7"]);
    assert!(out.starts_with("7\n0.333333\n"), "{out}");
}

#[test]
fn mistakes_are_explained() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    assert!(failure(at, &["run", "bsf", "kron:8", "0"], 2).contains("bfs"));
    assert!(failure(at, &["run", "bfs", "kron:8"], 2).contains("usage: gw run bfs"));
    assert!(failure(at, &["run", "sssp", "kron:8", "0"], 1).contains("weights"));
    assert!(failure(at, &["run", "bfs", "path:5", "99"], 1).contains("99"));
    assert!(failure(at, &["run", "bfs", "path:5", "0", "--schedule", "s0:s2@pull"], 1).contains("s0:s1"));
    assert!(failure(at, &["run", "bfs", "path:5", "0", "--schedule", "s0:s1@pul"], 1).contains("pull"));
    assert!(failure(at, &["run", "missing.gt", "path:5"], 1).contains("missing.gt"));
    assert!(failure(at, &["run", "bfs", "path:5", "0", "--out", "nothing=f"], 2).contains("parent"));
    std::fs::write(at.join("slip.gt"), "func main()\n    var total : int = 1;\n    print totl;\nend\n").unwrap();
    let error = failure(at, &["run", "slip.gt"], 1);
    assert!(error.contains("slip.gt:3") && error.contains("total"), "{error}");
}

#[test]
fn a_program_that_never_ends_is_stopped() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("forever.gt"), "func main()\n    while 1\n    end\nend\n").unwrap();
    let error = failure(folder.path(), &["run", "forever.gt", "--timeout", "0.2"], 1);
    assert!(error.contains("time limit"), "{error}");
}

#[test]
fn every_stage_of_the_compiler_can_be_seen() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    assert!(success(at, &["compile", "bfs", "--emit", "tokens"]).contains("frontier"));
    assert!(!success(at, &["compile", "bfs", "--emit", "ast"]).is_empty());
    let ir = success(at, &["compile", "bfs", "--emit", "graphir"]);
    assert!(ir.contains("EdgeSetIterator") && ir.contains("CompareAndSwap"), "{ir}");
    let early = success(at, &["compile", "bfs", "--emit", "graphir", "--after", "start-up"]);
    assert!(!early.contains("CompareAndSwap"), "{early}");
    assert!(failure(at, &["compile", "bfs", "--after", "nonsense"], 2).contains("atomics"));
}

#[test]
fn the_standard_programs_are_listed() {
    let folder = tempfile::tempdir().unwrap();
    let list = success(folder.path(), &["programs"]);
    for name in ["bfs", "sssp", "pagerank", "cc", "bc", "tc", "kcore", "mis", "setcover"] {
        assert!(list.lines().any(|line| line.starts_with(name)), "{name} is missing:\n{list}");
    }
    assert!(json(folder.path(), &["programs", "--json"]).as_array().unwrap().len() >= 20);
    assert!(success(folder.path(), &["programs", "bfs", "--source"]).contains("func main()"));
}
