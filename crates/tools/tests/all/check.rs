//! `gw check` as a person uses it.

use crate::common::{failure, files, gw, json, success};

#[test]
fn the_table_has_a_line_per_program_and_a_column_per_class() {
    let folder = tempfile::tempdir().unwrap();
    let args = ["--threads", "2", "check", "--quick", "--program", "bfs", "--program", "sssp_delta"];
    let table = success(folder.path(), &args);
    let lines: Vec<&str> = table.lines().collect();
    assert!(lines[0].starts_with("program") && lines[0].ends_with("weights"), "{table}");
    assert!(lines[1].starts_with("bfs ") && lines[1].ends_with('-'), "{table}");
    assert!(lines[2].starts_with("sssp-delta "), "{table}");
    assert!(table.contains("cpu: ") && table.contains(" passed, 0 failed, 0 refused; 2 programs"), "{table}");
    assert!(files(folder.path()).is_empty());
}

#[test]
fn numbers_for_machines() {
    let folder = tempfile::tempdir().unwrap();
    let args = ["check", "--target", "cpu", "--program", "tc", "--schedules", "3", "--seed", "5", "--json"];
    let report = json(folder.path(), &args);
    assert_eq!((&report["target"], &report["seed"], &report["quick"]), (&"cpu".into(), &5.into(), &false.into()));
    let row = &report["programs"][0];
    assert_eq!(row["program"], "tc");
    // Its own, none, three more, and what the machine chooses.
    assert!(row["schedules"].as_u64() >= Some(6), "{row}");
    assert!(row["classes"]["skewed"]["passed"].as_u64() >= Some(18), "{row}");
    assert!(row["classes"].get("directed").is_none(), "{row}");
    assert_eq!(report["failures"].as_array().map(Vec::len), Some(0));
    assert!(report["total"]["passed"].as_u64() > Some(100) && report["seconds"].as_f64() > Some(0.0));
}

#[test]
fn mistakes_are_explained() {
    let folder = tempfile::tempdir().unwrap();
    assert!(failure(folder.path(), &["check", "--program", "bsf"], 2).contains("did you mean `bfs`"));
    assert!(failure(folder.path(), &["check", "--target", "abacus"], 2).contains("reference"));
    assert!(failure(folder.path(), &["check", "--seed", "x"], 2).contains("--seed"));
}

/// The commands that repeat a run are taken by `gw run` as they are printed.
#[test]
fn schedules_are_printed_as_run_takes_them() {
    let folder = tempfile::tempdir().unwrap();
    for schedule in ["default", "auto", "par=dynamic,grain=64;s0@loop=host;s0:s1@pull,par=static"] {
        let output = gw(folder.path(), &["run", "bc", "kron:6", "1", "--schedule", schedule, "--verify"]);
        assert!(output.status.success(), "{schedule}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

/// Sequences of runs stand below the matrix, and one of them can be repeated alone.
#[test]
fn sequences_of_runs_are_told_and_repeated() {
    let folder = tempfile::tempdir().unwrap();
    let args = ["check", "--target", "flow", "--quick", "--program", "cc", "--schedules", "1", "--sequences", "16"];
    let table = success(folder.path(), &args);
    assert!(table.contains("\nrun after run      right  wrong  refused  results judged\n"), "{table}");
    for name in ["flow:1 stream", "flow:2 repeat", "flow:3 resume", "flow:4 mixed"] {
        assert!(table.contains(name), "{table}");
    }
    let text = "cc flow:3 schedule=own undirected n=4 0-1 | update | change +1-2 +2-3 | update | change -1-2 | update";
    assert_eq!(success(folder.path(), &["check", "--sequence", text]), "3 results are right\n");
    let played = json(folder.path(), &["check", "--json", "--sequence", text]);
    assert_eq!((&played["ending"], &played["judged"]), (&"right".into(), &3.into()));
    let mistake = failure(folder.path(), &["check", "--sequence", "cc cpu schedule=own n=3 | runs 0"], 2);
    assert!(mistake.contains("--sequence: `runs 0` in the sequence is not a step"), "{mistake}");
    let unknown = failure(folder.path(), &["check", "--sequence", "cc abacus schedule=own n=3 | run 0"], 2);
    assert!(unknown.contains("there is no machine `abacus` for sequences; machines: reference"), "{unknown}");
}
