//! `gw bench` as a person uses it.

use crate::common::{failure, files, gw, json, success};

#[test]
fn the_smoke_suite_gives_the_promised_rows() {
    let folder = tempfile::tempdir().unwrap();
    let rows = json(folder.path(), &["--threads", "2", "bench", "smoke", "--json", "--out", "rows.json"]);
    let rows = rows.as_array().unwrap();
    assert_eq!(rows.len(), 9);
    for row in rows {
        for key in ["program", "graph", "target", "schedule", "utc"] {
            assert!(row[key].is_string(), "{key}: {row}");
        }
        for key in [
            "median_seconds",
            "min_seconds",
            "spread",
            "edges_per_second",
            "bandwidth",
            "peak_bandwidth",
            "startup_seconds",
            "first_seconds",
        ] {
            assert!(row[key].as_f64().is_some_and(|n| n >= 0.0), "{key}: {row}");
        }
        assert_eq!(row["verified"], true, "{row}");
        assert_eq!(row["target"], "cpu");
        assert_eq!(row["threads"], 2);
        assert_eq!(row["trials"].as_u64(), row["seconds"].as_array().map(|s| s.len() as u64));
        assert!(row["provenance"]["machine"]["cores"].as_u64() >= Some(1));
    }
    let file: serde_json::Value =
        serde_json::from_slice(&std::fs::read(folder.path().join("rows.json")).unwrap()).unwrap();
    assert_eq!(file.as_array(), Some(rows));
}

#[test]
fn the_table_has_a_line_per_row() {
    let folder = tempfile::tempdir().unwrap();
    let args = ["bench", "smoke", "--graphs", "kron", "--programs", "bfs", "--scale", "6", "--target", "reference"];
    let table = success(folder.path(), &args);
    let rows: Vec<&str> = table.lines().filter(|line| line.starts_with("bfs")).collect();
    assert_eq!(rows.len(), 2, "{table}");
    assert!(rows[0].contains("default") && rows[0].contains("4x2") && rows[0].ends_with("4/8"), "{table}");
    assert!(rows[1].contains("pull"));
    assert!(success(folder.path(), &["bench", "--list"]).contains("gap"));
}

#[test]
fn the_machine_chooses_per_graph() {
    let folder = tempfile::tempdir().unwrap();
    let args = ["bench", "smoke", "--programs", "bfs", "--schedule", "auto", "--schedule", "default", "--json"];
    let rows = json(folder.path(), &args);
    let schedule = |graph: &str, name: &str| {
        let rows = rows.as_array().unwrap();
        let row = rows.iter().find(|r| r["graph"] == graph && r["schedule_name"] == name).unwrap();
        assert_eq!(row["verified"], true, "{row}");
        row["schedule"].as_str().unwrap().to_string()
    };
    assert!(schedule("kron", "auto").contains("hybrid"));
    assert!(!schedule("road", "auto").contains("hybrid"));
    assert_eq!(schedule("kron", "default"), schedule("road", "default"));
}

#[test]
fn mistakes_are_explained_and_nothing_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    assert!(failure(at, &["bench", "gpa"], 2).contains("did you mean `gap`"));
    assert!(failure(at, &["bench"], 2).contains("SUITE"));
    assert!(failure(at, &["bench", "smoke", "--graphs", "korn"], 2).contains("kron"));
    assert!(failure(at, &["bench", "smoke", "--programs", "nothing"], 2).contains("pagerank"));
    assert!(failure(at, &["bench", "smoke", "--trials", "0"], 2).contains("trials"));
    assert!(failure(at, &["bench", "smoke", "--graph", "real"], 2).contains("NAME=VALUE"));
    assert!(failure(at, &["bench", "smoke", "--schedule", "s0:s7@pull"], 1).contains("s0:s1"));
    let missing = failure(at, &["bench", "smoke", "--graph", "real=gone.mtx", "--out", "rows.json"], 1);
    assert!(missing.contains("real") && missing.contains("gone.mtx"), "{missing}");
    assert!(failure(at, &["bench", "smoke", "--out", "gone/rows.json"], 2).contains("no folder gone"));
    std::fs::write(at.join("bad.toml"), "name = 'bad'\ntrials = 'x'\n").unwrap();
    assert!(failure(at, &["bench", "bad.toml"], 1).contains("line 2"));
    assert_eq!(files(at), ["bad.toml"]);
}

#[test]
fn a_failed_row_fails_the_command_but_not_the_others() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("wide.wel"), "0 1 2000000000\n1 2 2000000000\n").unwrap();
    let args =
        ["bench", "smoke", "--programs", "bfs,sssp-delta", "--graph", "kron=wide.wel", "--graphs", "kron", "--json"];
    let output = gw(folder.path(), &args);
    assert_eq!(output.status.code(), Some(1));
    let rows: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let rows = rows.as_array().unwrap();
    assert_eq!(rows.len(), 3);
    assert_eq!((&rows[0]["verified"], &rows[1]["verified"]), (&true.into(), &true.into()));
    assert!(rows[2]["error"].as_str().is_some_and(|e| e.contains("does not fit the type int")), "{}", rows[2]);
    assert!(rows[2]["median_seconds"].is_null());
}
