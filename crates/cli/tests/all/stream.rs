//! `gw stream` as a person uses it, and as a power cut ends it.

use crate::common;
use std::fmt::Write;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use crate::common::gw;
use serde_json::Value as Json;

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
    for (program, args) in [("cc", &[][..]), ("bfs-levels", &["0"]), ("tc", &[]), ("kcore", &[]), ("leiden", &[])] {
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
            // Of communities several are right.
            assert!(program == "leiden" || one["results"]["label"] == other["results"]["label"]);
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
    ] {
        let output = gw(at, args);
        assert!(!output.status.success() && told(&output).contains(message), "{args:?}: {}", told(&output));
    }
}

/// A graph that a program cannot take has no result after this batch, and one again when the loop is gone.
#[test]
fn a_loop_is_told_and_the_stream_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("loop.txt"), "0 1\n1 2\n3 3\n2 0\n-3 3\n2 3\n").unwrap();
    std::fs::write(at.join("names.txt"), "ann bob\nbob eve\ndan dan\neve ann\n-dan dan\neve dan\n").unwrap();
    for (graph, file, vertex) in [("empty:9", "loop.txt", "3"), ("empty:names", "names.txt", "`dan`")] {
        for more in [&[][..], &["--incremental"], &["--store", "state"]] {
            let args = ["stream", "tc", graph, file, "--undirected", "--batch", "2", "--json", "--verify"];
            let output = gw(at, &[&args[..], more].concat());
            assert!(output.status.success(), "{}", told(&output));
            let lines: Vec<serde_json::Value> =
                said(&output).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
            let why = lines[1]["no_result"].as_str().unwrap();
            let expected = format!("but the graph after batch 2 of {file} has a loop at vertex {vertex}; take such");
            assert!(why.contains(&expected), "{why}");
            assert_eq!((&lines[1]["verified"], &lines[1]["run_seconds"]), (&Json::Null, &Json::Null));
            assert_eq!((&lines[2]["results"]["triangles"], &lines[2]["verified"]), (&1.into(), &true.into()));
            let _ = std::fs::remove_dir_all(at.join("state"));
        }
    }
    // A store that holds a loop can be gone on with; in words the batch says why it has no result.
    std::fs::write(at.join("only.txt"), "0 1\n3 3\n").unwrap();
    let args = ["stream", "tc", "empty:9", "only.txt", "--undirected", "--store", "looped", "--out", "triangles=t.txt"];
    for _ in 0..2 {
        let output = gw(at, &args);
        assert_eq!(output.status.code(), Some(1), "--out has nothing to write");
        assert!(said(&output).contains("  no result: tc needs a graph without loops"), "{}", said(&output));
        assert!(told(&output).contains("--out triangles=t.txt: the last batch has no result"), "{}", told(&output));
        assert!(!at.join("t.txt").exists());
    }
}

/// Lines that are no changes are left out where that is asked for, with their numbers; a restart passes them over.
#[test]
fn bad_lines_are_left_out_on_request() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let bad = "0 1 5\n1 x 5\n1 2\n2 -3 4\n3 4 5\n-9 99999999999\n4 5 6\n5 0 6 7\n";
    std::fs::write(at.join("bad.txt"), bad).unwrap();
    let args = ["stream", "sssp", "empty:6:int", "bad.txt", "0", "--batch", "2", "--json"];
    let error = told(&gw(at, &args));
    assert!(error.contains("bad.txt, line 2: `x` is no vertex"), "{error}");
    let args = [&args[..], &["--bad-lines", "skip", "--store", "state"]].concat();
    let output = gw(at, &args);
    assert!(output.status.success(), "{}", told(&output));
    let lines: Vec<Json> = said(&output).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let counts: Vec<u64> = lines.iter().map(|line| line["bad_lines"]["count"].as_u64().unwrap()).collect();
    assert_eq!((counts, lines.last().unwrap()["edges"].as_u64()), (vec![3, 2], Some(3)));
    let first = &lines[0]["bad_lines"]["first"];
    let numbers: Vec<u64> = first.as_array().unwrap().iter().map(|line| line["line"].as_u64().unwrap()).collect();
    assert_eq!(numbers, [2, 3, 4]);
    assert_eq!(first[1]["problem"], "the weight is missing");
    assert!(told(&output).contains("left out: bad.txt, line 4: `-3` is no vertex"), "{}", told(&output));
    assert!(told(&output).contains("gw: 5 bad lines of bad.txt were left out"), "{}", told(&output));
    let again = gw(at, &args);
    assert!(told(&again).contains("changes are passed over: the store has seen them"), "{}", told(&again));
    // Times that fall, and bad lines alone at the end, behind a batch that was told.
    std::fs::write(at.join("times.txt"), "0 1 10\n1 2 9\n1 2 11\n2 3 1\n2 3 two\n").unwrap();
    let args = ["stream", "cc", "empty:4", "times.txt", "--timed", "--bad-lines", "skip", "--batch", "1", "--json"];
    let lines: Vec<Json> = said(&gw(at, &args)).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let counts: Vec<u64> = lines.iter().map(|line| line["bad_lines"]["count"].as_u64().unwrap()).collect();
    assert_eq!((counts, &lines[2]["batch"], &lines[2]["run_seconds"]), (vec![0, 1, 2], &2.into(), &Json::Null));
}

/// One wild number must not cost gigabytes without a word.
#[test]
fn a_vertex_far_beyond_the_graph_is_refused_or_told() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("wild.txt"), "0 1\n1 100000000\n1 2\n").unwrap();
    let output = gw(at, &["stream", "cc", "empty:4", "wild.txt"]);
    let expected = "wild.txt, line 2: the vertex `100000000` is beyond the limit of 16777216 vertices; --max-vertices \
                    100000001 allows it";
    assert!(output.status.code() == Some(1) && told(&output).contains(expected), "{}", told(&output));
    let output = gw(at, &["stream", "cc", "empty:4", "wild.txt", "--bad-lines", "skip", "--json"]);
    let line: Json = serde_json::from_str(said(&output).trim()).unwrap();
    assert_eq!((&line["vertices"], &line["edges"], &line["bad_lines"]["count"]), (&4.into(), &2.into(), &1.into()));
    std::fs::write(at.join("large.txt"), "0 1\n1 2000000\n").unwrap();
    let output = gw(at, &["stream", "cc", "empty:4", "large.txt", "--json"]);
    let expected = "batch 1 makes the graph grow from 4 to 2,000,001 vertices, since line 2 of large.txt names vertex \
                    2000000";
    assert!(output.status.success() && told(&output).contains(expected), "{}", told(&output));
    for (most, message) in
        [("1000", "line 2: the vertex `2000000` is beyond the limit of 1000"), ("3", "has 4 vertices")]
    {
        let output = gw(at, &["stream", "cc", "empty:4", "large.txt", "--max-vertices", most]);
        assert!(!output.status.success() && told(&output).contains(message), "{}", told(&output));
    }
}

/// `--verify` says in the line of the batch what it found, and a wrong result ends the stream.
#[test]
fn verified_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("path.txt"), "0 1\n1 2\n2 3\n3 4\n").unwrap();
    // An update that does nothing.
    let wrong = "element Vertex end\nelement Edge end\nelement Change end\n\
                 const edges : edgeset{Edge}(Vertex,Vertex) = load(argv[1]);\n\
                 const vertices : vertexset{Vertex} = edges.getVertices();\n\
                 const inserted : edgeset{Change}(Vertex,Vertex);\n\
                 const label : vector{Vertex}(int);\nfunc main()\nend\n";
    std::fs::write(at.join("wrong.gt"), wrong).unwrap();
    let args = ["stream", "cc", "empty:5", "path.txt", "--undirected", "--batch", "2", "--verify"];
    let args = [&args[..], &["--incremental=wrong.gt"]].concat();
    let output = gw(at, &[&args[..], &["--json"]].concat());
    let lines: Vec<Json> = said(&output).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((output.status.code(), lines.len()), (Some(1), 2), "{}", told(&output));
    assert_eq!((&lines[0]["verified"], &lines[0]["problem"]), (&true.into(), &Json::Null));
    assert_eq!((&lines[1]["verified"], lines[1]["problem"].is_string()), (&false.into(), true), "{}", lines[1]);
    assert!(told(&output).contains("the result is wrong"), "{}", told(&output));
    let words = gw(at, &args);
    assert!(
        said(&words).contains(", verified\n") && said(&words).contains("; the result is wrong\n"),
        "{}",
        said(&words)
    );
    let output = gw(at, &["stream", "wrong.gt", "empty:5", "path.txt", "--verify"]);
    assert!(told(&output).contains("only standard programs have a validator"), "{}", told(&output));
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

/// What a kill of an earlier version left of a store that it was making: the graph without its log.
#[test]
fn a_store_without_its_first_log_is_completed() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("nothing.txt"), "").unwrap();
    std::fs::write(at.join("changes.txt"), changes(300)).unwrap();
    let run = |updates: &str, store: &str| {
        gw(at, &["stream", "cc", "empty:300", updates, "--undirected", "--batch", "100", "--store", store, "--json"])
    };
    let whole = run("changes.txt", "whole");
    let begun = run("nothing.txt", "half");
    assert!(begun.status.success(), "{}", told(&begun));
    std::fs::remove_file(at.join("half/log-0")).unwrap();
    let output = run("changes.txt", "half");
    assert!(output.status.success(), "{}", told(&output));
    let said_of_it = "half: a store that was being made when its process was killed is completed";
    assert!(told(&output).contains(said_of_it), "{}", told(&output));
    let end = |output: &Output| {
        let line: serde_json::Value = serde_json::from_str(said(output).lines().last().unwrap()).unwrap();
        (line["batch"].clone(), line["edges"].clone(), line["results"].clone())
    };
    assert_eq!(end(&output), end(&whole));
    assert!(!told(&run("changes.txt", "half")).contains("completed"));
}

/// A batch without its end was never told; of one whose bytes are wrong nobody knows.
#[test]
fn a_damaged_last_batch_is_called_what_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let graph = gw_dynamic::DynamicGraph::<()>::new(9, gw_dynamic::Ends::Directed).unwrap();
    let mut store = gw_dynamic::Store::create(&at.join("state"), &graph).unwrap();
    store.append(9, gw_dynamic::Batch::new().insert(3, 7, ()), gw_dynamic::Place::default()).unwrap();
    drop(store);
    std::fs::write(at.join("changes.txt"), "0 1\n").unwrap();
    let log = at.join("state/log-0");
    let whole = std::fs::read(&log).unwrap();
    let end = whole.len() - 1;
    let flipped = [&whole[..end], &[whole[end] ^ 1]].concat();
    let warning = "gw: warning: the last batch of the log is damaged, or a power cut came before it was on disk: its 54 \
                   bytes are left out\ngw: its changes are applied again where changes.txt has them\n";
    for (bytes, expected) in
        [(&whole[..end], "53 bytes of a batch that was not written to its end are left out\n"), (&flipped, warning)]
    {
        std::fs::write(&log, bytes).unwrap();
        std::fs::copy(&log, at.join("kept")).unwrap();
        let checkpoint = std::fs::read(at.join("state/checkpoint-0.gwg")).unwrap();
        let output = gw(at, &["stream", "cc", "empty:9", "changes.txt", "--store", "state"]);
        assert!(output.status.success() && told(&output).contains(expected), "{}", told(&output));
        assert!(!told(&output).contains("acknowledged"), "{}", told(&output));
        // As it was before.
        common::files(&at.join("state"))
            .iter()
            .for_each(|name| std::fs::remove_file(at.join("state").join(name)).unwrap());
        std::fs::write(at.join("state/checkpoint-0.gwg"), checkpoint).unwrap();
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
        let mut running = Command::new(crate::GW);
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
    let passed = format!("state: the graph after batch {batches}\n");
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

/// On several workers of one process an update has the results before to itself on each of them: these streams gave
/// wrong results, ranks that were no numbers, or did not end.
#[test]
fn updates_on_workers_are_right() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("bfs.txt"), "0 1\n1 2\n2 3\n").unwrap();
    let shuffled: Vec<String> = (0..40u32).map(|i| format!("{} {}", i * 7 % 20, (i * 13 + 5) % 19)).collect();
    std::fs::write(at.join("ranks.txt"), shuffled.join("\n")).unwrap();
    std::fs::write(at.join("cc.txt"), "2 3\n4 0\n-2 3\n-4 0\n2 4\n1 4\n3 4\n-3 4\n-1 4\n0 3\n-0 3\n1 2\n").unwrap();
    std::fs::write(at.join("sssp.txt"), "0 2 6\n2 1 3\n3 1 3\n0 1 9\n3 1 6\n3 0 1\n2 4 9\n").unwrap();
    for (program, graph, file, args) in [
        ("bfs", "empty:4", "bfs.txt", &["0"][..]),
        ("cc", "empty:5", "cc.txt", &[]),
        ("sssp", "empty:5:int", "sssp.txt", &["0"]),
        ("pagerank-delta", "empty:20", "ranks.txt", &[]),
        ("leiden", "empty:20", "ranks.txt", &[]),
    ] {
        let mut command = vec!["stream", program, graph, file];
        command.extend(args);
        command.extend(["--batch", "1", "--undirected", "--incremental", "--target", "flow", "--verify", "--json"]);
        let output = gw(at, &command);
        assert!(output.status.success(), "{command:?}: {}", told(&output));
        let how = |line: &str| serde_json::from_str::<Json>(line).unwrap()["how"].clone();
        let updates = said(&output).lines().filter(|line| how(line) == "updated").count();
        assert!(updates >= 2, "{program}: {}", said(&output));
    }
}
