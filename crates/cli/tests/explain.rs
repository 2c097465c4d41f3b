//! `gw explain`, run as a person would: the tables of model and measurement from measuring to fitted constants.

mod common;

use common::{failure, json, success};

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
