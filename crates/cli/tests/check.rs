//! `gw check` as a person uses it.

mod common;

use common::{failure, files, gw, json, success};

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
