//! `gw explain`, run as a person would: the tables of model and measurement from measuring to fitted constants.

use crate::common;
use crate::common::{failure, json, success};

#[test]
fn cells_are_measured_traced_fitted_and_printed() {
    let folder = tempfile::tempdir().unwrap();
    let gw = |args: &[&str]| success(folder.path(), args);
    let few = ["--scale", "9", "--runs", "2", "--only", "bfs/rmat,topology"];
    gw(&[&["--threads", "1", "explain", "--measure-table", "cells.json"], &few[..]].concat());
    let training = ["--threads", "1", "explain", "--measure-table", "training.json", "--training"];
    gw(&[&training[..], &few[..]].concat());
    let table = gw(&["explain", "--table", "cells.json", "--traced", "traced.json"]);
    assert!(table.contains("| bfs queue | rmat |") && table.contains("| bfs topology-driven | road |"), "{table}");
    // Counts that were kept give the same table, without tracing.
    assert_eq!(gw(&["explain", "--table", "traced.json"]), table);
    let fitted = gw(&["explain", "--table", "training.json", "--fit"]);
    assert!(fitted.contains("mean error of the logarithms") && fitted.contains("own_filter"), "{fitted}");
    // Constants of the training cells give another table of the same cells.
    let refitted = gw(&["explain", "--table", "traced.json", "--fit-on", "training.json"]);
    assert_ne!(refitted, table);
    assert_eq!(refitted.lines().count(), table.lines().count());
}

#[test]
fn schedules_are_ranked_and_wrong_files_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let measure = ["--threads", "1", "explain", "--measure-table", "cells.json", "--schedules", "4", "--scale", "9"];
    success(folder.path(), &[&measure[..], &["--only", "bfs/rmat", "--runs", "2", "--cell-seconds", "0"]].concat());
    let table = success(folder.path(), &["explain", "--table", "cells.json"]);
    assert!(table.contains("| bfs | rmat | 4 |") && table.contains("Regret of the model's choice"), "{table}");
    let rows = json(folder.path(), &["explain", "--table", "cells.json", "--part", "1/2", "--json"]);
    assert_eq!(rows.as_array().map(Vec::len), Some(2), "{rows}");
    std::fs::write(folder.path().join("other.json"), "[{}]").unwrap();
    let error = failure(folder.path(), &["explain", "--table", "other.json"], 2);
    assert!(error.contains("other.json: not written by --measure-table"), "{error}");
    let error = failure(folder.path(), &["explain", "--table", "cells.json", "--part", "3/2"], 2);
    assert!(error.contains("I/N with 1 <= I <= N is wanted"), "{error}");
}

/// What is not looked at is refused, and what the model leaves out is told.
#[test]
fn options_that_would_be_ignored_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    for args in [
        &["explain", "bfs", "path:9", "--only", "bfs"][..],
        &["explain", "bfs", "path:9", "--part", "1/2"],
        &["explain", "bfs", "path:9", "--scale", "9"],
        &["explain", "bfs", "path:9", "--cell-seconds", "1"],
        &["explain", "bfs", "path:9", "--training"],
        &["explain", "bfs", "path:9", "--fit"],
        &["explain", "--table", "cells.json", "--scale", "9"],
        &["explain", "--table", "cells.json", "--fit", "--json"],
        &["explain", "--table", "cells.json", "--schedule", "auto"],
        &["explain", "--measure-table", "cells.json", "--sheet", "x.json"],
    ] {
        let told = failure(at, args, 2);
        assert!(told.contains("required") || told.contains("cannot be used with"), "{args:?}: {told}");
    }
    let told = failure(at, &["explain", "bfs", "path:9", "--ncu", "x.csv"], 2);
    assert!(told.contains("--target cuda") && told.contains("gw criteria"), "{told}");
}

#[test]
fn the_tuned_schedule_is_explained_as_it_is_run() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let gw = |args: &[&str]| {
        let mut command = std::process::Command::new(crate::GW);
        command.args(["--threads", "1"]).args(args).current_dir(at).env("GW_CACHE", at.join("cache"));
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let subject = ["sssp-delta", "road:40x40:weights=1..100", "--source=7", "--delta=2"];
    gw(&[&["tune"], &subject[..], &["--budget", "500ms"]].concat());
    // Whatever was found stands for a schedule that nobody would choose.
    let folder = at.join("cache/schedules");
    let journal = common::files(&folder).into_iter().find(|name| name.ends_with(".journal")).unwrap();
    let file = folder.join(journal.replace(".journal", ".json"));
    let entry = |machine: &str, program: &str, graph: &str| {
        serde_json::json!({"version": 1, "name": "sssp-delta", "program": program, "graph": graph, "target": "cpu",
            "machine": machine, "schedule": "s0:s1@push,par=serial,update=lazy,delta=77", "objective": "time",
            "share": 0.5, "seconds": 0.001, "tuned": "2026-01-01T00:00:00Z"})
    };
    let head: serde_json::Value =
        serde_json::from_str(std::fs::read_to_string(folder.join(&journal)).unwrap().lines().next().unwrap()).unwrap();
    let word = |name: &str| head[name].as_str().unwrap().to_string();
    std::fs::write(&file, entry(&word("machine"), &word("program"), &word("graph")).to_string()).unwrap();
    let few = ["--runs", "1", "--suggestions", "0", "--no-energy", "--schedule"];
    let told = gw(&[&["explain"], &subject[..], &few[..], &["auto"]].concat());
    assert!(told.contains("delta=77") && told.contains("found by `gw tune`"), "{told}");
    for other in ["rule", "auto:energy"] {
        let told = gw(&[&["explain"], &subject[..], &few[..], &[other]].concat());
        assert!(!told.contains("delta=77"), "{told}");
    }
}

/// Without a cache there is no sheet either; a random walk asks for neighbours that nobody counts.
#[test]
fn what_the_model_leaves_out_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = std::process::Command::new(crate::GW);
    command.args(["explain", "walks", "kron:8", "--runs", "1", "--suggestions", "0", "--no-energy"]);
    let output = command.current_dir(folder.path()).env("GW_CACHE", "").output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && told.contains("typical figures"), "{told}");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("the function wander looks up neighbours on its own"), "{text}");
    let plain =
        success(folder.path(), &["explain", "bfs", "kron:8", "--runs", "1", "--suggestions", "0", "--no-energy"]);
    assert!(!plain.contains("on its own"), "{plain}");
}

/// A sheet of another processor is used, with a word.
#[test]
fn a_sheet_of_another_processor_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let sheets = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/sheets");
    let text = std::fs::read_to_string(sheets.join("xeon-2cores.json")).unwrap();
    let mut other: serde_json::Value = serde_json::from_str(&text).unwrap();
    other["machine"] = "Another Processor 9000".into();
    std::fs::write(folder.path().join("other.json"), other.to_string()).unwrap();
    let mut command = std::process::Command::new(crate::GW);
    command.args(["explain", "bfs", "kron:8", "--runs", "1", "--suggestions", "0", "--no-energy"]);
    let output = command.args(["--sheet", "other.json"]).current_dir(folder.path()).output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}");
    assert!(told.contains("warning: the sheet is about Another Processor 9000"), "{told}");
}

/// Counts are those of one machine's caches.
#[test]
fn counts_of_other_caches_are_not_used() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let sheets = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/sheets");
    let text = std::fs::read_to_string(sheets.join("xeon-2cores.json")).unwrap();
    let mut small: serde_json::Value = serde_json::from_str(&text).unwrap();
    *small.pointer_mut("/cpu/caches/0/bytes").unwrap() = 4096.into();
    std::fs::write(at.join("a.json"), &text).unwrap();
    std::fs::write(at.join("b.json"), small.to_string()).unwrap();
    let measure = ["--threads", "1", "explain", "--measure-table", "cells.json", "--scale", "8", "--runs", "1"];
    success(at, &[&measure[..], &["--only", "bfs/rmat"]].concat());
    let table = ["explain", "--table", "cells.json", "--sheet", "a.json", "--traced", "traced.json"];
    success(at, &table);
    success(at, &["explain", "--table", "traced.json", "--sheet", "a.json"]);
    let told = failure(at, &["explain", "--table", "traced.json", "--sheet", "b.json"], 2);
    assert!(told.contains("counted for a processor with caches"), "{told}");
}
