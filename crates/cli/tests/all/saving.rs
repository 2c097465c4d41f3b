//! Runs that are saved: where they go on, and what killed processes left in the folder.

use crate::common;
use crate::common::{failure, files, gw, success};

const RUN: [&str; 9] = ["run", "pagerank", "kron:7", "30", "0", "--checkpoint", "saved", "--every", "7"];

#[test]
fn a_run_goes_on_where_there_is_a_checkpoint() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let run = |more: &[&'static str]| [&RUN[..], &["--json"], more].concat();
    let steps = |more: &[&'static str]| common::json(at, &run(more))["steps"].as_u64().unwrap();
    let none = failure(at, &run(&["--resume"]), 1);
    assert!(none.contains("the checkpoint saved/checkpoint.gwc is not there: begin without --resume"), "{none}");
    let whole = steps(&["--resume=if-there", "--out", "rank=anew.txt"]);
    assert_eq!(files(&at.join("saved")), ["checkpoint.gwc"]);
    let rest = steps(&["--resume=if-there", "--out", "rank=on.txt"]);
    assert!(rest < whole, "{rest} of {whole} steps");
    assert_eq!(steps(&["--resume"]), rest);
    assert_eq!(steps(&[]), whole);
    assert_eq!(std::fs::read(at.join("anew.txt")).unwrap(), std::fs::read(at.join("on.txt")).unwrap());
    // A checkpoint that cannot be used is none that is not there.
    let mut bytes = std::fs::read(at.join("saved/checkpoint.gwc")).unwrap();
    bytes[40] ^= 1;
    std::fs::write(at.join("saved/checkpoint.gwc"), bytes).unwrap();
    let damaged = failure(at, &run(&["--resume=if-there"]), 1);
    assert!(damaged.contains("is damaged"), "{damaged}");
    let unknown = failure(at, &run(&["--resume=maybe"]), 2);
    assert!(unknown.contains("if-there"), "{unknown}");
}

/// Files of processes that are gone are removed by the next run, whatever version they were of. Those of processes that
/// are alive stay, and so does what only looks like them.
#[cfg(target_os = "linux")]
#[test]
fn leftovers_of_killed_processes_go() {
    let folder = tempfile::tempdir().unwrap();
    let saved = folder.path().join("saved");
    std::fs::create_dir(&saved).unwrap();
    // Numbers of processes end at 2^22.
    let alive = format!("checkpoint.gwc.{}", std::process::id());
    for name in [&*alive, "checkpoint.gwc.99999999", ".checkpoint.gwc.Ab12Cd.partial", ".r.txt.gw-Ab12Cd.partial"] {
        std::fs::write(saved.join(name), "").unwrap();
    }
    std::fs::write(saved.join("checkpoint.gwc.88888888"), "a copy that somebody made").unwrap();
    let written = std::fs::File::create(saved.join(".r.txt.gw-alive0.partial")).unwrap();
    written.lock().unwrap();
    let output = gw(folder.path(), &RUN);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut expected = [".r.txt.gw-alive0.partial", "checkpoint.gwc", "checkpoint.gwc.88888888", &*alive];
    expected.sort();
    assert_eq!(files(&saved), expected);
    drop(written);
    success(folder.path(), &RUN);
    assert!(!files(&saved).contains(&".r.txt.gw-alive0.partial".to_string()));
}
