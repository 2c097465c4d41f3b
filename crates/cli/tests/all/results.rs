//! Results in every form, and several programs in one command.

use std::path::Path;

use crate::common::{failure, gw, json, success};
use serde_json::Value;

/// Five people; dee knows nobody but is known.
const PEOPLE: &str = "source,target,weight\nann,bob,2\nbob,cem,3\ncem,ann,1\nann,dee,5\neve,ann,1\n";
/// The same edges in the order of the vertices.
const SORTED: &str = "source,target,weight\nann,bob,2\nann,dee,5\nbob,cem,3\ncem,ann,1\neve,ann,1\n";

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("p.csv"), PEOPLE).unwrap();
    folder
}

fn text(at: &Path, name: &str) -> String {
    std::fs::read_to_string(at.join(name)).unwrap()
}

fn notes(at: &Path, args: &[&str]) -> String {
    let output = gw(at, args);
    let notes = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{args:?}: {notes}");
    notes
}

#[test]
fn the_ending_says_the_form() {
    let folder = folder();
    let at = folder.path();
    let run = |out: &str| success(at, &["run", "bfs-levels", "p.csv", "--source", "eve", "--out", out]);
    let records = "[\n{\"vertex\":\"ann\",\"level\":1},\n{\"vertex\":\"bob\",\"level\":2},\n\
                   {\"vertex\":\"cem\",\"level\":3},\n{\"vertex\":\"dee\",\"level\":2},\n\
                   {\"vertex\":\"eve\",\"level\":0}\n]\n";
    run("level=l.json");
    assert_eq!(text(at, "l.json"), records);
    run("level=l.jsonl");
    assert!(text(at, "l.jsonl").starts_with("{\"vertex\":\"ann\",\"level\":1}\n{\"vertex\":\"bob\",\"level\":2}\n"));
    run("level=l.npy");
    let array = std::fs::read(at.join("l.npy")).unwrap();
    assert!(array.starts_with(b"\x93NUMPY") && array.ends_with(&[2, 0, 0, 0, 0, 0, 0, 0]), "{array:?}");
    for name in ["l.arrow", "l.feather"] {
        run(&format!("level={name}"));
        assert!(std::fs::read(at.join(name)).unwrap().ends_with(b"ARROW1"), "{name}");
    }
    run("depth=d.json");
    assert_eq!(text(at, "d.json"), "{\"depth\":3}\n");
    for lines in ["l.txt", "l.lst", "l"] {
        run(&format!("level={lines}"));
        assert_eq!(text(at, lines), "1\n2\n3\n2\n0\n", "{lines}");
    }
    // A graph with the result is a graph again, with the ids and weights it had.
    for name in ["l.graphml", "l.gexf"] {
        run(&format!("level={name}"));
        success(at, &["graph", "convert", name, "back.csv"]);
        assert_eq!(text(at, "back.csv"), SORTED, "{name}");
        assert!(text(at, name).contains("level"), "{name}");
    }
    // An unknown ending is refused before anything runs.
    for out in ["level=x.xlsx", "x.xlsx", "level=x.dat", "level=x.npy.gz"] {
        let refused = failure(at, &["run", "bfs-levels", "missing.csv", "--out", out], 2);
        assert!(refused.contains(".csv, .tsv, .parquet") || refused.contains("leave the ending"), "{refused}");
    }
    assert!(!at.join("x.xlsx").exists());
}

#[test]
fn all_results_are_one_file() {
    let folder = folder();
    let at = folder.path();
    let run = |program: &str, out: &str| notes(at, &["run", program, "p.csv", "--out", out]);
    let told = run("bfs-levels", "all.csv");
    assert!(told.contains("note: all.csv is a table of vertices: `depth` is one number; --out RESULT=FILE"), "{told}");
    assert_eq!(text(at, "all.csv").lines().next(), Some("vertex,level"));
    let told = run("similarity-edges", "edges.jsonl");
    assert!(text(at, "edges.jsonl").starts_with("{\"source\":\"ann\",\"target\":\"bob\",\"common\":"), "{told}");
    run("tc", "numbers.csv");
    assert_eq!(text(at, "numbers.csv"), "triangles\n1\n");
    // GraphML holds values of edges, too.
    run("similarity-edges", "edges.graphml");
    assert!(text(at, "edges.graphml").contains("for=\"edge\" attr.name=\"common\""));
    let refused = failure(at, &["run", "bfs-levels", "p.csv", "--out", "level.txt"], 2);
    assert!(refused.contains("RESULT=FILE") && refused.contains("all.csv"), "{refused}");
    let refused = failure(at, &["run", "bfs-levels", "p.csv", "--out", "depth=d.graphml"], 2);
    assert!(refused.contains("one number"), "{refused}");
}

#[test]
fn several_programs_share_a_table() {
    let folder = folder();
    let at = folder.path();
    let args = ["run", "pagerank,cc,kcore,louvain", "p.csv", "--verify", "--rounds", "30", "--out"];
    let told = notes(at, &[&args[..], &["all.csv", "--out", "cc.label=cc.lst", "--top", "rank:1"]].concat());
    for program in ["pagerank-weighted on cpu", "cc on cpu", "kcore on cpu", "louvain on cpu"] {
        assert!(told.contains(program), "{program}: {told}");
    }
    assert_eq!(told.matches("result verified").count(), 4, "{told}");
    let table = text(at, "all.csv");
    let mut lines = table.lines();
    let header: Vec<&str> = lines.next().unwrap().split(',').collect();
    assert_eq!(header[..3], ["vertex", "rank", "cc.label"], "{table}");
    assert!(header.contains(&"louvain.label") || header.iter().any(|title| title.contains("community")), "{table}");
    assert_eq!(lines.count(), 5);
    // Each result is that of its program alone.
    success(at, &["run", "pagerank", "p.csv", "--rounds", "30", "--out", "rank=rank.csv"]);
    let column = |name: &str, at_column: usize| {
        text(at, name)
            .lines()
            .skip(1)
            .map(|line| line.split(',').rev().nth(at_column).unwrap().to_string())
            .collect::<Vec<_>>()
    };
    let width = header.len();
    assert_eq!(column("all.csv", width - 2), column("rank.csv", 0), "cc sees an undirected graph, pagerank does not");
    assert_eq!(text(at, "cc.lst"), "0\n0\n0\n0\n0\n");
    // As attributes of the graph as it was given, which is directed.
    notes(at, &["run", "cc,pagerank", "p.csv", "--out", "all.graphml"]);
    let document = text(at, "all.graphml");
    assert!(document.contains("edgedefault=\"directed\"") && document.contains("attr.name=\"label\""), "{document}");
    let Value::Array(answers) = json(at, &["run", "cc,pagerank", "p.csv", "--json", "--verify"]) else { panic!() };
    let told = |key: &str| answers.iter().map(|answer| answer[key].clone()).collect::<Vec<_>>();
    assert_eq!(told("program"), ["cc", "pagerank-weighted"]);
    assert_eq!(told("verified"), [true, true]);
    assert!(answers[1]["results"]["rank"]["length"] == 5 && answers[0]["schedule"].is_string(), "{answers:?}");
}

#[test]
fn results_of_several_programs_have_names_of_their_own() {
    let folder = folder();
    let at = folder.path();
    let shown = success(at, &["run", "bfs-levels,bfs", "p.csv", "--source", "eve", "--top", "level:1"]);
    assert!(shown.contains("\nlevel: the 1 greatest of 5\n  cem  3"), "{shown}");
    let error = |args: &[&str]| failure(at, &[&["run"], args].concat(), 2);
    let both = error(&["bfs,bfs-hybrid-none", "p.csv"]);
    assert!(both.contains("bfs-hybrid-none"), "{both}");
    let clash = error(&["cc,cc-fast", "p.csv", "--out", "label=l.csv"]);
    assert!(clash.contains("name the program too, as cc.label or cc-fast.label"), "{clash}");
    assert!(error(&["cc,pagerank", "p.csv", "--top", "dist:3"]).contains("cc has label; pagerank has"), "top");
    assert!(error(&["cc,cc", "p.csv"]).contains("named twice"));
    assert!(error(&["cc,", "p.csv"]).contains("between two commas"));
    assert!(error(&["cc,bfs", "p.csv", "ann"]).contains("only argument by position"));
    assert!(error(&["cc,bfs", "p.csv", "--delta", "3"]).contains("none of cc, bfs has such an argument"));
    assert!(error(&["cc,bfs", "p.csv", "--checkpoint", "c"]).contains("one by one"));
    if gw_testing::mpi::programs().is_some() {
        assert!(error(&["cc,bfs", "p.csv", "--target", "flow", "--processes", "2"]).contains("one by one"));
    }
}

#[test]
fn a_program_that_fails_does_not_cost_the_others() {
    let folder = folder();
    let at = folder.path();
    std::fs::write(at.join("plain.csv"), "source,target\na,b\nb,c\n").unwrap();
    // The graph has no weights.
    let output = gw(at, &["run", "cc,sssp,pagerank", "plain.csv", "--out", "all.csv", "--verify"]);
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(errors.contains("sssp") && errors.ends_with("gw: 1 of 3 programs failed: sssp\n"), "{errors}");
    assert_eq!(text(at, "all.csv").lines().next(), Some("vertex,label,rank"));
    assert!(String::from_utf8(output.stdout).unwrap().contains("rank: 3 entries"));
    let output = gw(at, &["run", "sssp,cc", "plain.csv", "--json"]);
    let answers: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&answers[0]["program"], &answers[1]["program"]), (&"sssp".into(), &"cc".into()));
    assert!(answers[0]["error"].is_string() && output.status.code() == Some(1), "{answers}");
}

#[test]
fn documents_and_missing_cells_are_input() {
    let folder = folder();
    let at = folder.path();
    for name in ["p.graphml", "p.gexf", "p.json"] {
        success(at, &["graph", "convert", "p.csv", name]);
        let shown = success(at, &["run", "pagerank", name, "--top", "rank:1", "--verify"]);
        assert!(shown.contains("\n  ann"), "{shown}");
    }
    std::fs::write(at.join("gaps.csv"), "source,target,weight\nann,bob,2\n,bob,1\nbob,cem,\ncem,ann,3000000000\n")
        .unwrap();
    let refused = failure(at, &["run", "pagerank", "gaps.csv"], 1);
    assert!(
        refused.contains(
            "gaps.csv:3: the column `source` is empty here; fill it in, or leave such lines out with --missing skip"
        ),
        "{refused}"
    );
    let told = notes(
        at,
        &["run", "sssp-real", "gaps.csv", "--missing", "skip", "--source", "cem", "--verify", "--out", "d.csv"],
    );
    let note = "2 edges with a missing source, target or weight were left out, the first in line 3\n";
    assert_eq!(told.matches(note).count(), 1, "{told}");
    assert!(text(at, "d.csv").contains("ann,3000000000\n"), "{}", text(at, "d.csv"));
    let told = success(at, &["graph", "convert", "gaps.csv", "whole.csv", "--missing", "skip"]);
    assert!(told.contains("2 edges with a missing source"), "{told}");
    assert!(failure(at, &["run", "cc", "gaps.csv", "--missing", "maybe"], 2).contains("neither `skip` nor `error`"));
}

#[test]
fn tables_go_to_standard_output() {
    let folder = folder();
    let at = folder.path();
    let table = "vertex,level\nann,0\nbob,1\ncem,2\ndee,1\neve,\n";
    let levels = ["run", "bfs-levels", "p.csv", "--source", "ann", "--out"];
    assert_eq!(success(at, &[&levels[..], &["level=-.csv"]].concat()), table, "eve is not reached");
    assert_eq!(success(at, &[&levels[..], &["-.csv"]].concat()), table);
    assert_eq!(success(at, &[&levels[..], &["level=-.tsv"]].concat()), table.replace(',', "\t"));
    assert!(
        success(at, &[&levels[..], &["level=-.jsonl"]].concat()).ends_with("{\"vertex\":\"eve\",\"level\":null}\n")
    );
    assert_eq!(success(at, &[&levels[..], &["level=-"]].concat()), "0\n1\n2\n1\n-1\n");
    for binary in ["level=-.parquet", "level=-.npy", "-.graphml"] {
        let refused = failure(at, &[&levels[..], &[binary]].concat(), 2);
        assert!(refused.contains("standard output takes lines and -.csv"), "{refused}");
    }
    // Redirected to a file, the file is written where it stands.
    let status = std::process::Command::new("sh")
        .args(["-c", "echo first > o.txt; \"$0\" \"$@\" >> o.txt 2> e.txt", crate::GW])
        .args([&levels[..], &["-.csv"]].concat())
        .current_dir(at)
        .status();
    assert!(status.unwrap().success());
    assert_eq!(text(at, "o.txt"), format!("first\n{table}"));
}

#[test]
fn what_was_not_reached_is_no_result() {
    let folder = folder();
    let at = folder.path();
    for (program, result) in [("sssp", "dist"), ("sssp-real", "dist"), ("bfs-levels", "level")] {
        let top = format!("{result}:2");
        let told = success(at, &["run", program, "p.csv", "--source", "bob", "--top", &top]);
        assert!(told.contains(&format!("{result}: the 2 greatest of 4 that were reached\n  dee")), "{told}");
        let out = format!("{result}=d.csv");
        success(at, &["run", program, "p.csv", "--source", "bob", "--out", &out]);
        assert!(text(at, "d.csv").ends_with("\neve,\n"), "{program}: {}", text(at, "d.csv"));
    }
    // The greatest number of every type of weights means that there is none.
    for kind in ["int64", "double"] {
        let graph = format!("p.csv:as={kind}");
        for (program, target) in [("sssp", "cpu"), ("sssp-delta", "cpu"), ("sssp", "reference"), ("sssp", "flow")] {
            let args = ["run", program, &graph, "--source", "bob", "--target", target, "--out", "dist=-.csv"];
            let table = success(at, &args);
            assert!(table.ends_with("\neve,\n"), "{program} on {target}, {kind}: {table}");
        }
    }
}

#[test]
fn what_weights_lose_is_told() {
    let folder = folder();
    let at = folder.path();
    std::fs::write(at.join("w.csv"), "source,target,weight\nann,bob,0.1\nbob,cem,2.5\n").unwrap();
    let told = notes(at, &["run", "sssp", "w.csv:as=int", "--source", "ann"]);
    assert!(told.contains("note: w.csv:as=int: the weight 0.1 is kept as 0: weights are whole numbers\n"), "{told}");
    assert!(!notes(at, &["run", "sssp", "w.csv:as=double", "--source", "ann"]).contains("is kept as"));
    std::fs::write(at.join("big.csv"), "source,target,weight\nann,bob,3000000000\n").unwrap();
    let told = success(at, &["run", "maxflow", "big.csv", "--source", "ann", "--sink", "bob", "--verify"]);
    assert!(told.contains("value = 3000000000\n"), "{told}");
}

#[cfg(unix)]
#[test]
fn standard_input_is_read_once_and_whatever_it_is() {
    let folder = folder();
    let at = folder.path();
    let piped = |file: &str, words: &str| {
        let script = format!("cat {file} | timeout 60 \"$0\" {words}");
        std::process::Command::new("sh").args(["-c", &script, crate::GW]).current_dir(at).output().unwrap()
    };
    success(at, &["run", "bc-edges", "p.csv", "--out", "e.parquet"]);
    let from_file = success(at, &["run", "cc", "e.parquet", "--out", "label=-.csv"]);
    let from_pipe = piped("e.parquet", "run cc - --out label=-.csv");
    assert_eq!(String::from_utf8_lossy(&from_pipe.stdout), from_file, "{}", String::from_utf8_lossy(&from_pipe.stderr));
    for words in ["run cc -:format=csv --target flow --processes 2", "stream cc -:format=csv -"] {
        let output = piped("p.csv", words);
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && told.contains("standard input"), "{words}: {told}");
    }
}

#[test]
fn what_reading_a_table_decided_is_told() {
    let folder = folder();
    let at = folder.path();
    std::fs::write(at.join("links.csv"), "id,who,whom\n1,ann,bob\n2,bob,cem\n").unwrap();
    let told = notes(at, &["run", "bfs-levels", "links.csv", "--source", "1"]);
    let expected = "note: links.csv: edges lead from the column `id` to `who`, as the first ones; not used is `whom`: ";
    assert_eq!(told.matches(expected).count(), 1, "{told}");
    let named = ["--source-column", "who", "--target-column", "whom"];
    let told = notes(at, &[&["run", "bfs-levels", "links.csv", "--source", "ann"], &named[..]].concat());
    assert!(!told.contains("note: "), "{told}");
    let both = notes(at, &["run", "bfs-levels,cc", "links.csv", "--source", "1"]);
    assert_eq!(both.matches(expected).count(), 1, "{both}");
    assert!(notes(at, &["run", "cc", "p.csv"]).contains("gw: cc does not use the weights\n"));
    // A weight that has to be named.
    std::fs::write(at.join("roads.csv"), "from,to,km\na,b,7\n").unwrap();
    let unweighted = failure(at, &["run", "sssp", "roads.csv", "--source", "a"], 1);
    assert!(unweighted.contains("`roads.csv` has none; name their column with --weight-column"), "{unweighted}");
}
