//! `gw stream --store`: a store that is made, opened, written to, and rolled over to a new checkpoint.

use serde_json::Value;

use crate::drill::{Drill, End, contents, old_or_new};

/// Lines of changes of a graph of 60 vertices.
fn changes(lines: std::ops::Range<u32>, weight: &str) -> String {
    let line = |i: u32| match i % 5 {
        4 => format!("-{} {}\n", i * 7 % 60, i * i % 59),
        _ => format!("{} {}{weight}\n", i * 7 % 60, (i * i + i / 3) % 60),
    };
    lines.map(line).collect()
}

fn lines(said: &str) -> Vec<Value> {
    said.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// All files, and the result of the last batch.
fn state(end: &End<'_>) -> String {
    let all = lines(end.said);
    let last = all.last().expect("a batch is told");
    format!("{}{} {}", contents(end.folder), last["edges"], last["results"])
}

/// A batch that was told was on disk, and is not told again.
fn never_twice(killed: &str, again: &str) {
    let batches = |said: &str| -> Vec<u64> {
        let of_changes = lines(said).into_iter().filter(|line| line["changes"].as_u64() > Some(0));
        of_changes.map(|line| line["batch"].as_u64().expect("a number")).collect()
    };
    let told = batches(killed).last().copied().unwrap_or(0);
    assert!(batches(again).iter().all(|&batch| batch > told), "batch {told} was told: {again}");
}

fn stream(name: &str, graph: &str, more: &[&str]) -> Drill {
    let args =
        ["stream", "cc", graph, "changes.txt", "--batch", "40", "--checkpoint", "2", "--store", "state", "--json"];
    Drill::new(name, &[&args[..], more].concat()).state(state).said(never_twice)
}

#[test]
fn a_store_is_made() {
    stream("store: made", "empty:60", &["--undirected"]).file("changes.txt", changes(0..200, "")).kills(20).run();
}

#[test]
fn a_store_is_made_of_a_graph_with_weights() {
    let drill = stream("store: made, with weights", "graph.wel", &[]).file("changes.txt", changes(0..90, " 7"));
    drill.file("graph.wel", "0 1 4\n1 2 5\n7 3 1\n").kills(8).run();
}

#[test]
fn a_store_of_names_is_made_and_results_are_written() {
    let rows: String = (0..200).map(|i| format!("n{},n{}\n", i * 7 % 60, (i * i + i / 3) % 60)).collect();
    let args = ["stream", "cc", "empty:names", "rows.csv", "--undirected", "--batch", "40", "--checkpoint", "2"];
    let kept = ["--store", "state", "--json", "--out", "label=labels.csv"];
    let drill = Drill::new("store: names, results", &[&args[..], &kept].concat()).state(state).said(never_twice);
    drill.file("rows.csv", format!("source,target\n{rows}")).kills(12).run();
}

#[test]
fn a_store_goes_on() {
    let drill = stream("store: goes on", "empty:60:int", &[]).file("changes.txt", changes(0..130, " 3"));
    let drill = drill.after(&["stream", "cc", "empty:60:int", "changes.txt", "--batch", "40", "--store", "state"]);
    drill.file("changes.txt", changes(0..300, " 3")).kills(12).run();
}

#[test]
fn results_of_every_batch_are_whole() {
    let args = ["stream", "pagerank", "empty:60", "changes.txt", "--batch", "40", "--json"];
    let endings = ["csv", "parquet", "arrow", "jsonl", "npy", "graphml", "gexf", "txt"];
    for ending in endings.iter().take(gw_testing::usually(1, endings.len())) {
        let out = format!("rank=ranks/{{batch}}.{ending}");
        let args = [&args[..], &["--out", &out, "--out", "rank=last.csv"]].concat();
        let drill = Drill::new(&format!("stream: results, {ending}"), &args).state(|end| contents(end.folder));
        let drill = drill.file("changes.txt", changes(0..100, "")).killed(old_or_new(&[]));
        drill.kills(3).run();
    }
}
