//! `gw lab report` and `gw model workload` as a person uses them.

use std::path::Path;

use crate::common::{failure, json, success};

fn add(folder: &Path, what: &str, rest: &[&str]) {
    success(folder, &[&["lab", "add", what, "my.lab"], rest].concat());
}

/// A lab with breadth-first search measured on two small graphs.
fn lab(folder: &Path) {
    success(folder, &["lab", "init", "my.lab"]);
    add(folder, "graphs", &["kron:8", "grid:20x20", "--dataset", "made"]);
    add(folder, "variants", &["--algorithm", "bfs", "--roots", "2"]);
    let schedules = ["s0:s1@push,par=serial", "s0:s1@pull,par=serial,frontier=bitmap"];
    let choice = ["--algorithm", "bfs", "--program", "bfs-levels", "--target", "cpu"];
    add(folder, "schedules", &[&choice[..], &schedules[..]].concat());
    let choice = ["--algorithm", "bfs", "--target", "cpu", "--dataset", "made", "--repeats", "1"];
    add(folder, "run-config", &choice);
}

#[test]
fn a_lab_becomes_a_page_and_tables() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    lab(folder);
    let nothing = failure(folder, &["lab", "report", "my.lab"], 2);
    assert!(nothing.contains("no validated runs; `gw lab run` measures"), "{nothing}");

    success(folder, &["lab", "run", "my.lab", "--target", "cpu"]);
    let tables = success(folder, &["lab", "report", "my.lab"]);
    for part in
        ["comparison over 4 variants", "Best Non-switching", "GeoMean", "variants worth a look", "least kurtosis"]
    {
        assert!(tables.contains(part), "{part}: {tables}");
    }
    let written = success(folder, &["lab", "report", "my.lab", "-o", "report.html", "--title", "Mine & yours"]);
    assert!(written.starts_with("wrote report.html, "), "{written}");
    let page = std::fs::read_to_string(folder.join("report.html")).unwrap();
    assert!(page.contains("<h1>Mine &amp; yours</h1>") && page.contains("\"dataset\":\"made\""));

    let other = failure(folder, &["lab", "report", "my.lab", "--algorithm", "pagerank"], 2);
    assert!(other.contains("no validated runs of the algorithm pagerank"), "{other}");
    let before = failure(folder, &["lab", "report", "my.lab", "--as-of", "2001-01-01", "-o", "old.html"], 2);
    assert!(before.contains("no validated runs") && !folder.join("old.html").exists(), "{before}");
    failure(folder, &["lab", "report", "my.lab", "--title", "no page"], 2);
    failure(folder, &["lab", "report", "nowhere.lab"], 2);
}

#[test]
fn workload_of_a_graph_and_of_sizes() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let sizes = ["model", "workload", "--vertices", "3200", "--edges", "100000"];
    let text = success(folder, &sizes);
    assert!(text.starts_with("one round of PageRank on 3,200 vertices and 100,000 edges\n"), "{text}");
    let answer = json(folder, &[&sizes[..], &["--json", "--detail", "concrete"]].concat());
    let rows = answer["rows"].as_array().unwrap();
    let pull = rows.iter().find(|row| row["kernel"] == "pull, whole round").unwrap();
    assert_eq!((rows.len(), pull["reads"].as_u64()), (10, Some(7 * 3_200 + 3 * 100_000)));
    assert!(success(folder, &[&sizes[..], &["--latex"]].concat()).contains("\\toprule"));
    let grid = json(folder, &["model", "workload", "grid:3x3", "--json"]);
    assert_eq!((grid["vertices"].as_u64(), grid["edges"].as_u64()), (Some(9), Some(24)));
    for wrong in [&["model", "workload"][..], &sizes[..4], &["model", "workload", "grid:3x3", "--edges", "3"]] {
        failure(folder, wrong, 2);
    }
}
