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

/// A source that nobody gave is that of the first run; what has no result says so.
#[test]
fn the_source_stays_and_a_missing_result_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("hub.txt"), "0 1\n5 6\n5 7\n5 8\n").unwrap();
    let args = ["stream", "bfs-levels", "empty:10", "hub.txt", "--undirected", "--batch", "1", "--json", "--verify"];
    let output = gw(at, &args);
    assert!(output.status.success(), "{}", told(&output));
    assert_eq!(told(&output).matches("no source is given: taken is 0").count(), 1, "{}", told(&output));
    let lines: Vec<serde_json::Value> = said(&output).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 4);
    assert!(lines.iter().all(|line| line["results"]["depth"] == lines[0]["results"]["depth"]), "{lines:?}");

    std::fs::write(at.join("cycle.txt"), "0 1 5\n1 0 -7\n").unwrap();
    let output = gw(at, &["stream", "sssp", "empty:2:int", "cycle.txt", "0", "--batch", "1"]);
    let said = said(&output);
    assert!(output.status.success(), "{}", told(&output));
    assert!(said.contains("batch 2") && said.matches("no result: ").count() == 1, "{said}");
}

/// Results that are brought up to date are those of runs from scratch, also where several batches pass between.
#[test]
fn results_are_brought_up_to_date() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let is_loop = |line: &&str| {
        let ends: Vec<&str> = line.trim_start_matches('-').split(' ').collect();
        ends[0] == ends[1]
    };
    let lines: Vec<String> = changes(400).lines().filter(|line| !is_loop(line)).map(str::to_string).collect();
    std::fs::write(at.join("changes.txt"), lines.join("\n")).unwrap();
    std::fs::write(at.join("loop.txt"), "0 1\n1 2\n3 3\n").unwrap();
    for (program, args) in [("cc", &[][..]), ("bfs-levels", &["0"]), ("tc", &[]), ("kcore", &[])] {
        let mut command = vec!["stream", program, "empty:250", "changes.txt"];
        command.extend(args);
        command.extend(["--undirected", "--batch", "30", "--every", "2", "--json", "--verify"]);
        let read = |command: &[&str]| -> Vec<serde_json::Value> {
            let output = gw(at, command);
            assert!(output.status.success(), "{command:?}: {}", told(&output));
            said(&output).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
        };
        let scratch = read(&command);
        command.push("--incremental");
        let updated = read(&command);
        assert_eq!(scratch.len(), updated.len());
        for (one, other) in scratch.iter().zip(&updated) {
            assert_eq!(one["results"]["core"], other["results"]["core"]);
            assert_eq!(one["results"]["label"], other["results"]["label"]);
            assert_eq!(one["results"]["level"], other["results"]["level"]);
            assert_eq!(one["results"]["triangles"], other["results"]["triangles"]);
        }
        assert_eq!(updated[1]["how"], "first");
        assert!(updated.iter().any(|line| line["how"] == "updated"), "{program}");
    }
    for (args, message) in [
        (&["stream", "cc", "empty:9", "changes.txt", "--incremental"][..], "give --undirected"),
        (&["stream", "louvain", "empty:9", "changes.txt", "--undirected", "--incremental"], "comes without an update"),
        (&["stream", "scc", "empty:9", "changes.txt", "--incremental=none.gt"], "none.gt"),
        (
            &["stream", "tc", "empty:9", "loop.txt", "--undirected", "--batch", "2", "--incremental"],
            "tc needs a graph without",
        ),
    ] {
        let output = gw(at, args);
        assert!(!output.status.success() && told(&output).contains(message), "{args:?}: {}", told(&output));
    }
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

/// Lists of which few are to move are packed anew, and then more have to; weights of 0 and -0 are two; both made stores
/// that could not be opened again.
#[test]
fn a_store_can_be_opened_again() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let (count, batch) = (4096, 22_000);
    let mut text = String::new();
    let mut fill = |lines: Vec<String>, line: &str| {
        let missing = batch - lines.len();
        lines.iter().map(String::as_str).chain(std::iter::repeat_n(line, missing)).for_each(|line| {
            let _ = writeln!(text, "{line}");
        });
    };
    fill((0..count).flat_map(|v| (1..=5).map(move |i| format!("{v} {}", v + i))).collect(), "0 1");
    fill((0..count).map(|v| format!("-{v} {}", v + 5)).collect(), "-0 9999");
    let again = (0..count).map(|v| format!("{v} {}", v + 5));
    fill(again.chain((0..17_700).map(|t| format!("{count} {t}"))).collect(), "0 1");
    std::fs::write(at.join("packed.el"), text).unwrap();
    std::fs::write(at.join("zero.el"), "0 1 0.0\n2 3 1\n0 1 -0.0\n0 2 1\n").unwrap();
    let packed = ["stream", "cc", "empty:20000", "packed.el", "--batch", "22000", "--store", "packed"];
    let zero = ["stream", "cc", "empty:5:float", "zero.el", "--undirected", "--batch", "2", "--store", "zero"];
    for args in [&packed[..], &zero] {
        for _ in 0..2 {
            let output = gw(at, args);
            assert!(output.status.success(), "{args:?}: {}", told(&output));
        }
    }
}

/// A store passes over what it has seen of a file, and nothing of another file or of standard input; a command that
/// cannot run keeps nothing.
#[test]
fn a_store_knows_what_it_has_seen() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let stream = |file: &str, more: &[&str]| {
        let args = ["stream", "sssp", "empty:2:int", file, "0", "--on-repeat", "sum", "--store", "state", "--json"];
        gw(at, &[&args[..], more].concat())
    };
    let weight = |output: &Output| {
        assert!(output.status.success(), "{}", told(output));
        let line = said(output).lines().last().map(str::to_string).unwrap();
        serde_json::from_str::<serde_json::Value>(&line).unwrap()["results"]["dist"]["max"].as_i64().unwrap()
    };
    std::fs::write(at.join("monday"), "0 1 5\n1 0 100\n").unwrap();
    std::fs::write(at.join("tuesday"), "0 1 7\n").unwrap();
    assert!(!stream("monday", &["--schedule", "bogus"]).status.success());
    assert_eq!(weight(&stream("monday", &[])), 5);
    assert_eq!(weight(&stream("monday", &[])), 5, "seen");
    let another = stream("tuesday", &[]);
    assert_eq!(weight(&another), 12);
    assert!(told(&another).contains("tuesday is another file than the store has seen"), "{}", told(&another));
    std::fs::write(at.join("tuesday"), "0 1 7\n0 1 8\n").unwrap();
    assert_eq!(weight(&stream("tuesday", &[])), 20, "a file that grows");
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
