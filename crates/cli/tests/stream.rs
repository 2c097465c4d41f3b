//! `gw stream` as a person uses it, and as a power cut ends it.

mod common;

use std::fmt::Write;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use common::gw;

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn told(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Changes that insert and delete edges among 300 vertices.
fn changes(count: u32) -> String {
    let mut text = String::new();
    for i in 0..count {
        let (source, target) = (u64::from(i) * 7919 % 300, u64::from(i) * 104_729 % 293);
        let sign = if i % 3 == 2 { "-" } else { "" };
        let _ = writeln!(text, "{sign}{source} {target}");
    }
    text
}

#[test]
fn results_follow_every_batch() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    // A path grows to a ring, which falls apart.
    std::fs::write(at.join("ring.txt"), "0 1\n1 2\n2 3\n3 0\n-0 1\n- 2 3\n").unwrap();
    let args = ["stream", "cc", "empty:4", "ring.txt", "--undirected", "--batch", "2", "--json", "--verify"];
    let output = gw(at, &args);
    assert!(output.status.success(), "{}", told(&output));
    let lines: Vec<serde_json::Value> = said(&output).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let edges: Vec<u64> = lines.iter().map(|line| line["edges"].as_u64().unwrap()).collect();
    assert_eq!(edges, [4, 8, 4]);
    assert_eq!((lines[2]["inserted"].as_u64(), lines[2]["deleted"].as_u64()), (Some(0), Some(4)));
    assert_eq!(lines[1]["results"]["label"]["max"], lines[1]["results"]["label"]["min"], "one component");
    assert_ne!(lines[2]["results"]["label"]["max"], lines[2]["results"]["label"]["min"], "two components");
}

#[test]
fn old_edges_leave_the_window() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    // The edge 0 1 is inserted again at 9, so that it is still there at 15, when 1 2 is gone.
    std::fs::write(at.join("mails.txt"), "0 1 1\n1 2 2\n0 1 9\n3 4 15\n").unwrap();
    let args =
        ["stream", "cc", "empty:5", "mails.txt", "--timed", "--window", "10", "--batch", "1", "--undirected", "--json"];
    let output = gw(at, &args);
    assert!(output.status.success(), "{}", told(&output));
    let edges: Vec<u64> = said(&output)
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["edges"].as_u64().unwrap())
        .collect();
    assert_eq!(edges, [2, 4, 4, 4]);
}

#[test]
fn mistakes_are_explained() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("bad.txt"), "0 1\n0 one\n").unwrap();
    for (args, message) in [
        (&["stream", "cc", "empty:4", "bad.txt"][..], "line 2: `one` is no vertex"),
        (&["stream", "cc", "empty:x", "bad.txt"], "write it as empty:N"),
        (&["stream", "cc", "empty:4", "missing.txt"], "missing.txt"),
        (&["stream", "nothing", "empty:4", "bad.txt"], "nothing"),
        (&["stream", "cc", "path:4", "bad.txt", "--window", "3"], "--timed"),
        (&["stream", "cc", "path:4", "bad.txt", "--timed", "--window", "NaN"], "a span of time is greater than 0"),
        (&["stream", "cc", "path:4", "/dev/zero"], "is longer than 4096 bytes"),
    ] {
        let output = gw(at, args);
        assert!(!output.status.success() && told(&output).contains(message), "{args:?}: {}", told(&output));
    }
}

/// The stream is killed at many moments; whatever was told is in the store afterwards, and the end is the same.
#[test]
fn kills_lose_nothing_that_was_told() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    // So many batches that most kills fall among them.
    let (kills, batches) = if gw_testing::is_nightly() { (200, 12_000) } else { (8, 900) };
    std::fs::write(at.join("changes.txt"), changes(batches * 100)).unwrap();
    let whole =
        ["stream", "cc", "empty:300", "changes.txt", "--undirected", "--batch", "100", "--every", "40", "--json"];
    let expected = gw(at, &whole);
    assert!(expected.status.success(), "{}", told(&expected));
    let last = said(&expected).lines().last().map(str::to_string).unwrap();
    let last: serde_json::Value = serde_json::from_str(&last).unwrap();

    let stored = [&whole[..], &["--store", "state", "--checkpoint", "7"]].concat();
    let (mut seen, mut cut) = (0, 0);
    for kill in 0..kills {
        let file = std::fs::File::create(at.join("told")).unwrap();
        let mut running = Command::new(env!("CARGO_BIN_EXE_gw"));
        running.args(&stored).current_dir(at).stdout(file).stderr(Stdio::null());
        let mut running = running.spawn().unwrap();
        std::thread::sleep(Duration::from_millis(40 + kill * 37 % 160));
        let _ = running.kill();
        cut += u32::from(!running.wait().unwrap().success());
        let told = std::fs::read_to_string(at.join("told")).unwrap();
        let lines = told.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
        let batches = lines.filter(|line| line["changes"].as_u64() > Some(0));
        for batch in batches.map(|line| line["batch"].as_u64().unwrap()) {
            // A batch that was told is never told again: it was on disk.
            assert!(batch > seen, "batch {batch} after {seen}");
            seen = batch;
        }
    }
    assert!(cut > 0, "no kill fell into a run");
    println!("{cut} of {kills} runs were cut short, {seen} batches told");
    let end = gw(at, &stored);
    assert!(end.status.success(), "{}", told(&end));
    let again = gw(at, &["stream", "cc", "empty:300", "changes.txt", "--undirected", "--store", "state", "--json"]);
    assert!(again.status.success(), "{}", told(&again));
    let passed = format!("the graph after batch {batches}, 0 of them applied again");
    assert!(told(&again).contains(&passed), "{}", told(&again));
    assert!(seen <= batches.into(), "all changes are in so many batches");
    let graph = gw(at, &["stream", "cc", "empty:1", "-", "--undirected", "--store", "state", "--json"]);
    for output in [end, again, graph] {
        let line = said(&output).lines().last().map(str::to_string).unwrap();
        let line: serde_json::Value = serde_json::from_str(&line).unwrap();
        assert_eq!(
            (&line["batch"], &line["edges"], &line["results"]),
            (&last["batch"], &last["edges"], &last["results"])
        );
    }
}
