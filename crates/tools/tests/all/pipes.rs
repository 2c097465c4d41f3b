//! Whoever reads the output of `gw` may go away: what belongs into files is written, and notes are nobody's business.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::common::{failure, success};

/// The exit code of `gw` in a folder, with nobody who reads its standard output or its standard error.
fn unread(folder: &Path, args: &[&str], which: &str) -> Option<i32> {
    let mut command = Command::new(crate::GW);
    command.args(args).current_dir(folder).stdout(Stdio::null()).stderr(Stdio::null());
    match which {
        "stdout" => command.stdout(Stdio::piped()),
        _ => command.stderr(Stdio::piped()),
    };
    let mut child = command.spawn().expect("gw starts");
    drop((child.stdout.take(), child.stderr.take()));
    child.wait().expect("gw ends").code()
}

#[test]
fn results_reach_their_files_without_a_reader_of_the_output() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    unread(at, &["run", "pagerank", "kron:6", "--out", "rank=rank.csv"], "stdout");
    assert_eq!(std::fs::read_to_string(at.join("rank.csv")).unwrap().lines().count(), 65);
    let bench = ["bench", "smoke", "--graphs", "kron", "--programs", "bfs", "--scale", "6", "--target", "reference"];
    unread(at, &[&bench[..], &["--out", "rows.json"]].concat(), "stdout");
    let rows: serde_json::Value = serde_json::from_slice(&std::fs::read(at.join("rows.json")).unwrap()).unwrap();
    assert_eq!(rows.as_array().map(Vec::len), Some(2));
}

#[test]
fn notes_without_a_reader_end_no_run() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(unread(folder.path(), &["run", "bfs", "kron:6"], "stderr"), Some(0));
    assert_eq!(unread(folder.path(), &["run", "bfs", "nothing-there"], "stderr"), Some(2));
}

#[test]
fn options_that_would_be_ignored_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let words = failure(folder.path(), &["run", "bfs", "kron:6", "--estimate", "--explain-schedule"], 2);
    assert!(words.contains("cannot be used with"), "{words}");
    let words = failure(folder.path(), &["compile", "bfs", "--schedule", "helix"], 2);
    assert!(words.contains("--schedule helix --explain-schedule` shows"), "{words}");
    assert!(success(folder.path(), &["swarm", "--help"]).contains("weights=1..64 0 4 --cores"));
    success(folder.path(), &["swarm", "sssp-delta", "kron:6:weights=1..64", "0", "4", "--cores", "1,4"]);
}
