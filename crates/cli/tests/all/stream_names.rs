//! `gw stream` on graphs with ids of their own: names in changes, arguments, results, files and stores.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::common::{failure, gw, success};
use serde_json::Value as Json;

/// The lines that `--json` prints.
fn lines(at: &Path, args: &[&str]) -> Vec<Json> {
    success(at, args).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn told(at: &Path, args: &[&str]) -> String {
    String::from_utf8_lossy(&gw(at, args).stderr).into_owned()
}

const FOLLOWS: &str = "follower,followee\nann,bob\ncarol,bob\n";
/// Two batches of three, with a name that has a comma, a deletion and new names.
const NEW: &str = "change,follower,followee\n+,dave,ann\n+,ann,\"smith, eve\"\n+,\"smith, eve\",bob\n\
                   -,carol,bob\n+,bob,ann\n+,dave,\"smith, eve\"\n";
/// The same table of edges at the end.
const AFTER: &str = "follower,followee\nann,bob\ncarol,carol\ndave,ann\nann,\"smith, eve\"\n\"smith, eve\",bob\nbob,ann\ndave,\"smith, eve\"\n";

fn write_tables(at: &Path) {
    std::fs::write(at.join("follows.csv"), FOLLOWS).unwrap();
    std::fs::write(at.join("new.csv"), NEW).unwrap();
    std::fs::write(at.join("after.csv"), AFTER).unwrap();
}

/// The table that `--out` wrote, by name, with as many digits as do not depend on the order of sums.
fn table(path: &Path) -> Vec<(String, String)> {
    let text = std::fs::read_to_string(path).unwrap();
    let digits = |value: &str| format!("{:.4}", value.parse::<f64>().unwrap());
    let row = |line: &str| line.rsplit_once(',').map(|(id, value)| (id.to_string(), digits(value))).unwrap();
    let mut rows: Vec<_> = text.lines().skip(1).map(row).collect();
    rows.sort();
    rows
}

#[test]
fn names_go_in_and_come_out_on_every_machine() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    write_tables(at);
    for target in ["reference", "cpu", "swarm", "flow"] {
        let args = ["stream", "pagerank", "follows.csv", "new.csv", "--batch", "3", "--target", target, "--json"];
        let more = ["--verify", "--top", "rank:2", "--out", "rank=ranks/{batch}.csv", "--out", "rank=last.csv"];
        let lines = lines(at, &[&args[..], &more].concat());
        let vertices: Vec<u64> = lines.iter().map(|line| line["vertices"].as_u64().unwrap()).collect();
        assert_eq!(vertices, [5, 5], "{target}");
        assert!(lines.iter().all(|line| line["verified"] == true), "{target}: {lines:?}");
        // The same edges as a table: names count, not the order in which they came.
        success(at, &["run", "pagerank", "after.csv", "--target", target, "--out", "rank=run.csv"]);
        assert_eq!(table(&at.join("ranks/2.csv")), table(&at.join("run.csv")), "{target}");
        assert_eq!(table(&at.join("last.csv")), table(&at.join("run.csv")), "{target}");
        let ranks = table(&at.join("ranks/1.csv"));
        let names: Vec<&str> = ranks.iter().map(|(name, _)| &**name).collect();
        assert_eq!(names, ["\"smith, eve\"", "ann", "bob", "carol", "dave"], "{target}");
        assert_eq!(lines[0]["top"][0]["entries"][0]["vertex"], "bob", "{target}: {}", lines[0]);
        std::fs::remove_dir_all(at.join("ranks")).unwrap();
    }
}

#[test]
fn lines_name_vertices_too() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    write_tables(at);
    // Blanks separate names, or tabs where there are some; ids of a SNAP file are numbers with gaps.
    std::fs::write(at.join("new.txt"), "dave ann\nann\tsmith, eve\nsmith, eve\tbob\n-carol bob\n").unwrap();
    let args = ["stream", "cc", "follows.csv", "new.txt", "--json", "--top", "label:9"];
    let line = &lines(at, &args)[0];
    assert_eq!(
        (&line["vertices"], &line["inserted"], &line["deleted"]),
        (&Json::from(5), &Json::from(3), &Json::from(1))
    );
    let alone = line["top"][0]["entries"].as_array().unwrap().iter().find(|entry| entry["vertex"] == "carol").unwrap();
    assert_eq!(alone["value"], "carol", "labels are vertices by their names");
    std::fs::write(at.join("web.snap"), "1000 2000\n2000 70000\n").unwrap();
    std::fs::write(at.join("more.txt"), "70000 5\n-1000 2000\n").unwrap();
    let levels =
        lines(at, &["stream", "bfs-levels", "web.snap", "more.txt", "2000", "--json", "--top", "level:9:least"]);
    let entries = levels[0]["top"][0]["entries"].as_array().unwrap();
    let level = |id: u64| entries.iter().find(|entry| entry["vertex"] == id).and_then(|entry| entry["value"].as_i64());
    assert_eq!([level(2000), level(70000), level(5), level(1000)], [Some(0), Some(1), Some(2), None]);
    std::fs::write(at.join("word.txt"), "70000 5\n5 five\n").unwrap();
    let error = failure(at, &["stream", "cc", "web.snap", "word.txt"], 1);
    assert!(
        error.contains("word.txt, line 2: `five` is no vertex: the ids of this graph are whole numbers"),
        "{error}"
    );
}

/// A source is named by its id at first and stays the same vertex; one that is not there yet is waited for.
#[test]
fn a_source_is_named_and_results_are_brought_up_to_date() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("links.txt"), "b c\nc d\na b\nd e\n-b c\ne b\n").unwrap();
    for more in [&[][..], &["--incremental"]] {
        let args = ["stream", "bfs-levels", "empty:names", "links.txt", "a", "--undirected", "--batch", "2", "--json"];
        let lines = lines(at, &[&args[..], &["--top", "level:9", "--verify"], more].concat());
        let missing = lines[0]["no_result"].as_str().unwrap();
        assert!(missing.contains("`a` is not the id of a vertex: the graph has 3, such as b, c, d"), "{missing}");
        let best = |line: &Json| line["top"][0]["entries"][0].clone();
        assert_eq!(best(&lines[1])["vertex"], "e");
        assert_eq!((&best(&lines[1])["value"], &best(&lines[2])["value"]), (&Json::from(4), &Json::from(4)));
        assert_eq!(best(&lines[2])["vertex"], "c", "now by way of e and d");
        if !more.is_empty() {
            // So much of a small graph moves that the program runs again, from the same source.
            assert_eq!((&lines[1]["how"], &lines[2]["how"]), (&Json::from("first"), &Json::from("again")));
        }
    }
    // A source that was chosen at the first run stays, also where the update gives up and the program runs again.
    std::fs::write(at.join("hub.txt"), "x y\nh i\nh j\nh k\n-h i\n-h j\n").unwrap();
    for more in [&[][..], &["--incremental"]] {
        let args = ["stream", "bfs-levels", "empty:names", "hub.txt", "--batch", "1", "--undirected", "--json"];
        let args = [&args[..], &["--top", "level:1:least", "--verify"], more].concat();
        assert_eq!(told(at, &args).matches("no source is given: taken is `x`").count(), 1, "{}", told(at, &args));
        for line in lines(at, &args) {
            let entries = line["top"][0]["entries"].as_array().unwrap();
            assert!(entries.iter().all(|entry| entry["value"] != 0 || entry["vertex"] == "x"), "{line}");
        }
    }
}

/// A store keeps names; the stream goes on after a restart, and every command takes the store as a graph.
#[test]
fn a_store_with_names_is_a_graph() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    write_tables(at);
    let half: String = NEW.lines().take(4).flat_map(|line| [line, "\n"]).collect();
    std::fs::write(at.join("grows.csv"), half).unwrap();
    let args = ["stream", "pagerank", "follows.csv", "grows.csv", "--batch", "2", "--store", "state", "--json"];
    let first = lines(at, &[&args[..], &["--checkpoint", "1"]].concat());
    std::fs::write(at.join("grows.csv"), NEW).unwrap();
    let second = lines(at, &[&args[..], &["--out", "rank=stream.csv"]].concat());
    assert_eq!((first.len(), second.len(), &second[0]["batch"]), (2, 2, &Json::from(3)));
    success(at, &["run", "pagerank", "after.csv", "--out", "rank=table.csv"]);
    success(at, &["run", "pagerank", "state", "--verify", "--out", "rank=store.csv"]);
    assert_eq!(table(&at.join("store.csv")), table(&at.join("table.csv")));
    assert_eq!(table(&at.join("stream.csv")), table(&at.join("table.csv")));
    let info: Json = serde_json::from_str(&success(at, &["graph", "info", "state", "--json"])).unwrap();
    assert_eq!((&info["vertices"], &info["edges"]), (&Json::from(5), &Json::from(6)));
    success(at, &["graph", "convert", "state", "copy.csv"]);
    assert!(std::fs::read_to_string(at.join("copy.csv")).unwrap().contains("ann,\"smith, eve\""));
    success(at, &["graph", "validate", "state"]);
    let found = success(at, &["run", "bfs-levels", "state:sym", "--source", "smith, eve", "--top", "level:9"]);
    assert!(found.contains("smith, eve"), "{found}");
    let error = failure(at, &["run", "cc", "state:format=el"], 2);
    assert!(error.contains("neither a format nor columns"), "{error}");
    // A store as the beginning of another stream.
    std::fs::write(at.join("one.txt"), "zoe ann\n").unwrap();
    assert_eq!(lines(at, &["stream", "cc", "state", "one.txt", "--json"])[0]["vertices"], 6);
    // Names in the log alone.
    std::fs::write(at.join("few.txt"), "a b\nb c\n").unwrap();
    std::fs::create_dir(at.join("none")).unwrap();
    let error = failure(at, &["run", "cc", "none"], 2);
    assert!(error.contains("there is no file and no generator `none`"), "{error}");
}

/// A store is read while another process writes to it.
#[test]
fn a_store_is_read_beside_its_writer() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let mut writer = Command::new(crate::GW);
    writer.args(["stream", "cc", "empty:names", "-", "--batch", "2", "--store", "live", "--checkpoint", "3", "--json"]);
    let mut writer = writer.current_dir(at).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let (mut changes, mut batches) =
        (writer.stdin.take().unwrap(), BufReader::new(writer.stdout.take().unwrap()).lines());
    for batch in 0..8 {
        writeln!(changes, "v{batch} w{batch}\nv{batch} v{}", batch + 1).unwrap();
        changes.flush().unwrap();
        let told: Json = serde_json::from_str(&batches.next().unwrap().unwrap()).unwrap();
        let read: Json = serde_json::from_str(&success(at, &["graph", "info", "live", "--json"])).unwrap();
        assert_eq!((&read["vertices"], &read["edges"]), (&told["vertices"], &told["edges"]), "batch {batch}");
    }
    let error = failure(at, &["stream", "cc", "empty:names", "-", "--store", "live"], 1);
    assert!(error.contains("is in use by another process"), "{error}");
    drop(changes);
    assert!(writer.wait().unwrap().success());
    // Readers that run while checkpoints come and go see one batch or another, and never fail.
    std::fs::write(at.join("many.txt"), (0..1500).map(|i| format!("p{} q{i}\n", i / 7)).collect::<String>()).unwrap();
    let args = ["stream", "cc", "empty:names", "many.txt", "--batch", "10", "--every", "1000", "--checkpoint", "1"];
    let mut writer = Command::new(crate::GW);
    let mut writer = writer.args(args).args(["--store", "busy"]).current_dir(at).stdout(Stdio::null()).spawn().unwrap();
    let (mut reads, mut last) = (0, 0);
    while writer.try_wait().unwrap().is_none() || reads == 0 {
        // Before the first checkpoint appears there is no store to read.
        let mut files = std::fs::read_dir(at.join("busy")).into_iter().flatten().flatten();
        if !files.any(|file| file.file_name().to_string_lossy().starts_with("checkpoint-")) {
            continue;
        }
        let read: Json = serde_json::from_str(&success(at, &["graph", "info", "busy", "--quick", "--json"])).unwrap();
        let edges = read["edges"].as_u64().unwrap();
        assert!(edges >= last && edges.is_multiple_of(10), "{edges} edges after {last}");
        (reads, last) = (reads + 1, edges);
    }
    assert!(writer.wait().unwrap().success());
    println!("{reads} reads beside a writer");
}

#[test]
fn mistakes_with_names_are_explained() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    write_tables(at);
    std::fs::write(at.join("plain.txt"), "0 1\nalice 1\n").unwrap();
    std::fs::write(at.join("fine.txt"), "0 1\n").unwrap();
    std::fs::write(at.join("x.csv.gz"), "x").unwrap();
    std::fs::write(at.join("x.parquet"), "x").unwrap();
    for (args, code, message) in [
        (&["stream", "cc", "empty:4", "plain.txt"][..], 1, "plain.txt, line 2: `alice` is no vertex"),
        (&["stream", "cc", "empty:names:triple", "plain.txt"], 2, "write it as empty:N or empty:names"),
        (&["stream", "cc", "follows.csv", "new.csv", "--source-column", "who"], 1, "there is no column `who`"),
        (
            &["stream", "cc", "path:3", "plain.txt", "--source-column", "who"],
            2,
            "neither the graph nor UPDATES is a table",
        ),
        (&["stream", "cc", "path:3", "plain.txt", "--change-column", "c"], 2, "are for tables, but UPDATES is none"),
        (&["stream", "cc", "follows.csv", "new.csv", "--weight-column", "change"], 1, "column `change`"),
        (&["stream", "cc", "empty:names", "new.csv", "--weight-column", "change"], 2, "the graph has no weights"),
        (&["stream", "cc", "empty:names", "x.csv.gz"], 2, "changes are read unpacked"),
        (&["stream", "cc", "empty:names", "x.parquet"], 2, "changes are not read from Parquet"),
        (
            &["stream", "cc", "empty:names", "new.csv", "--top", "rank:3"],
            2,
            "the program has no vector of numbers `rank`",
        ),
        (
            &["stream", "cc", "empty:names", "new.csv", "--out", "rank=x.csv"],
            2,
            "the program has no vector or scalar `rank`",
        ),
        (
            &["stream", "cc", "empty:names", "new.csv", "--out", "label=-"],
            2,
            "standard output has the lines of the batches",
        ),
        (&["stream", "bfs", "path:3", "fine.txt", "7"], 2, "`7` is not a vertex"),
    ] {
        let error = failure(at, args, code);
        assert!(error.contains(message), "{args:?}: {error}");
    }
}

#[test]
fn arguments_have_names() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    write_tables(at);
    let by_place = success(at, &["stream", "bfs", "follows.csv", "new.csv", "dave", "--top", "parent:9"]);
    assert!(by_place.contains("  bob         ann\n"), "{by_place}");
    let by_name = success(at, &["stream", "bfs", "follows.csv", "new.csv", "--source", "dave", "--top", "parent:9"]);
    let without_times = |text: &str| text.lines().filter(|line| !line.contains(" in ")).collect::<Vec<_>>().join("\n");
    assert_eq!(without_times(&by_name), without_times(&by_place));
    let ranks = ["stream", "pagerank", "follows.csv", "new.csv", "--damping", "0.5", "--out", "rank=half.csv"];
    success(at, &ranks);
    success(at, &["run", "pagerank", "after.csv", "--damping", "0.5", "--out", "rank=run.csv"]);
    assert_eq!(table(&at.join("half.csv")), table(&at.join("run.csv")));
    let unknown = failure(at, &["stream", "bfs", "follows.csv", "new.csv", "--damping", "0.5"], 2);
    assert!(unknown.contains("--damping: bfs has no such argument; it has --source"), "{unknown}");
    let missing = failure(at, &["stream", "ppsp", "follows.csv", "new.csv", "--source", "ann"], 2);
    assert!(missing.contains("missing argument TARGET, or --to: vertex to reach"), "{missing}");
    let several = failure(at, &["stream", "bfs,cc", "follows.csv", "new.csv"], 2);
    assert!(several.contains("`bfs,cc`: a stream runs one program"), "{several}");
    // A source that the first run chose stays, and is told once.
    let chosen = gw(at, &["stream", "bfs", "follows.csv", "new.csv", "--batch", "1", "--incremental"]);
    assert!(chosen.status.success());
    assert_eq!(String::from_utf8_lossy(&chosen.stderr).matches("no source is given: taken is `ann`").count(), 1);
}

#[test]
fn weights_count_as_in_a_run() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("paid.csv"), "source,target,weight\nann,bob,9\nann,cem,1\nbob,ann,2\n").unwrap();
    std::fs::write(at.join("more.txt"), "cem dee 5\nann dee 3\n").unwrap();
    std::fs::write(at.join("all.csv"), "source,target,weight\nann,bob,9\nann,cem,1\nbob,ann,2\ncem,dee,5\nann,dee,3\n")
        .unwrap();
    let line = "gw: pagerank counts edges by their weights; `--weights ignore` counts all alike\n";
    let stream = ["stream", "pagerank", "paid.csv", "more.txt", "--batch", "1", "--verify", "--out", "rank=s.csv"];
    assert_eq!(told(at, &stream).matches(line).count(), 1);
    success(at, &["run", "pagerank", "all.csv", "--out", "rank=r.csv"]);
    assert_eq!(table(&at.join("s.csv")), table(&at.join("r.csv")));
    let ignored = [&stream[..], &["--weights", "ignore"]].concat();
    assert!(!told(at, &ignored).contains("by their weights"));
    success(at, &["run", "pagerank", "all.csv", "--weights", "ignore", "--out", "rank=r.csv"]);
    assert_eq!(table(&at.join("s.csv")), table(&at.join("r.csv")));
    // A store has the weights that were put in.
    success(at, &["stream", "cc", "paid.csv", "more.txt", "--store", "state"]);
    assert!(told(at, &["stream", "pagerank", "paid.csv", "more.txt", "--store", "state"]).contains(line));
    std::fs::write(at.join("numbers.txt"), "1 2 5\n").unwrap();
    let random = told(at, &["stream", "pagerank", "path:4:weights=1..9", "numbers.txt"]);
    assert!(!random.contains("by their weights"), "{random}");
}

#[test]
fn a_directed_graph_is_taken_as_undirected_where_that_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    write_tables(at);
    let args = ["stream", "cc", "follows.csv", "new.csv", "--undirected", "--incremental", "--verify"];
    let note = "gw: `follows.csv` is directed: taken as undirected for --undirected\n";
    assert!(told(at, &args).contains(note), "{}", told(at, &args));
    assert!(success(at, &args).contains("label: 5 entries from 0 to 2"), "carol is alone");
    // The pieces of a line at fault and of a result that is not there say what to do.
    std::fs::write(at.join("bad.csv"), "change,follower,followee\n?,a,b\n").unwrap();
    let bad = failure(at, &["stream", "cc", "follows.csv", "bad.csv"], 1);
    assert!(bad.contains("bad.csv, line 2: ") && bad.ends_with("; --bad-lines skip leaves such lines out\n"), "{bad}");
    let none = failure(at, &["stream", "pagerank", "follows.csv", "new.csv", "--top", "ranks:3"], 2);
    assert!(none.contains("the program has no vector of numbers `ranks`; it has rank\n"), "{none}");
}

#[test]
fn weights_of_changes_lose_no_digit() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("g.csv"), "source,target,weight\na,b,0.5\n").unwrap();
    std::fs::write(at.join("u.csv"), "source,target,weight\nb,c,0.1\na,d,16777217\n").unwrap();
    for target in ["cpu", "reference", "flow", "swarm"] {
        let run = ["stream", "sssp", "g.csv", "u.csv", "--source", "a", "--target", target, "--out", "dist=d.csv"];
        success(at, &run);
        let table = std::fs::read_to_string(at.join("d.csv")).unwrap();
        assert_eq!(table, "vertex,dist\na,0\nb,0.5\nc,0.6\nd,16777217\n", "{target}");
    }
    // What no real of 64 bits holds is refused; where 32 bits are asked for, weights are rounded.
    std::fs::write(at.join("w.csv"), "source,target,weight\nb,c,9007199254740993\n").unwrap();
    let refused = failure(at, &["stream", "sssp", "g.csv", "w.csv", "--source", "a"], 1);
    assert!(refused.contains("is no weight of this graph, which has 64-bit real weights"), "{refused}");
    success(at, &["stream", "sssp", "g.csv:as=float", "u.csv", "--source", "a", "--out", "dist=f.csv"]);
    assert!(std::fs::read_to_string(at.join("f.csv")).unwrap().contains("\nd,16777216\n"));
}
