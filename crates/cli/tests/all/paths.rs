//! Paths as a person asks for them: `--path`, parents, and several shortest paths.

use crate::common::{failure, gw, json, success};
use serde_json::json;
use std::path::Path;

const TRIPS: &str = "source,target,weight\nalice,carol,3\ncarol,bob,4\nalice,bob,9\ndee,alice,1\n";

fn trips() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("trips.csv"), TRIPS).unwrap();
    folder
}

/// The last line of standard output.
fn last(at: &Path, args: &[&str]) -> String {
    let told = success(at, args);
    told.lines().last().unwrap_or_default().to_string()
}

#[test]
fn paths_are_told_by_names() {
    let folder = trips();
    let at = folder.path();
    let weighted = "path: alice -> carol -> bob, length 7 (2 hops: 3 + 4)";
    for program in ["sssp", "sssp-real", "sssp-delta"] {
        let mut args = vec!["run", program, "trips.csv", "--source", "alice", "--path", "bob", "--verify"];
        if program == "sssp-delta" {
            args.extend(["--delta", "2"]);
        }
        assert_eq!(last(at, &args), weighted, "{program}");
    }
    for program in ["bfs", "bfs-levels"] {
        let args = ["run", program, "trips.csv", "--source", "alice", "--path", "bob", "--verify"];
        assert_eq!(last(at, &args), "path: alice -> bob, length 1 (1 hop)", "hops count, whatever the weights");
    }
    let two = success(at, &["run", "sssp", "trips.csv", "dee", "--path", "carol", "--path", "dee"]);
    assert!(two.ends_with("\npath: dee -> alice -> carol, length 4 (2 hops: 1 + 3)\npath: dee, length 0 (0 hops)\n"));
    // A program with a target tells the path to it in any case.
    let to = ["run", "ppsp", "trips.csv", "--source", "alice", "--to", "bob", "--delta", "2", "--verify"];
    assert_eq!(last(at, &to), weighted);
    assert_eq!(last(at, &[&to[..], &["--path", "bob"]].concat()), weighted);
    let guided = ["run", "astar", "trips.csv", "alice", "bob", "dee", "2", "--verify"];
    assert_eq!(last(at, &guided), weighted);

    let answer = json(at, &["run", "sssp", "trips.csv", "alice", "--path", "bob", "--json", "--verify"]);
    let expected = json!([{ "source": "alice", "target": "bob", "length": 7, "vertices": ["alice", "carol", "bob"],
        "weights": [3, 4] }]);
    assert_eq!((&answer["paths"], &answer["verified"]), (&expected, &json!(true)));
    assert!(json(at, &["run", "sssp", "trips.csv", "alice", "--json"])["paths"].is_null());
}

#[test]
fn weights_with_fractions_add_up_exactly() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("real.csv"), "source,target,weight\na,b,0.1\nb,c,0.2\nc,d,0.3\na,d,5\n").unwrap();
    let answer = json(at, &["run", "sssp", "real.csv", "a", "--path", "d", "--json", "--verify"]);
    assert_eq!((&answer["program"], &answer["verified"]), (&json!("sssp"), &json!(true)));
    assert_eq!(answer["paths"][0]["vertices"], json!(["a", "b", "c", "d"]));
    let weights: Vec<f64> = serde_json::from_value(answer["paths"][0]["weights"].clone()).unwrap();
    assert_eq!(answer["paths"][0]["length"].as_f64(), weights.into_iter().reduce(|a, b| a + b));
}

#[test]
fn there_is_no_path_with_a_word() {
    let folder = trips();
    let at = folder.path();
    let error = failure(at, &["run", "sssp", "trips.csv", "bob", "--path", "dee"], 1);
    assert!(error.contains("there is no path from bob to dee"), "{error}");
    let output =
        gw(at, &["run", "sssp", "trips.csv", "alice", "--path", "dee", "--path", "bob", "--out", "dist=d.csv"]);
    let told = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(told.contains("path: none from alice to dee\npath: alice -> carol -> bob"), "{told}");
    assert!(at.join("d.csv").exists(), "the other results are there");
    let answer = gw(at, &["run", "sssp", "trips.csv", "bob", "--path", "dee", "--json"]);
    let answer: serde_json::Value = serde_json::from_slice(&answer.stdout).unwrap();
    assert_eq!(
        answer["paths"],
        json!([{"source": "bob", "target": "dee", "length": null, "vertices": [], "weights": []}])
    );
    assert_eq!(answer["problem"], "there is no path from bob to dee");
    // More hops than were looked at.
    let told = failure(at, &["run", "khop", "trips.csv", "dee", "1", "--path", "bob"], 1);
    assert!(told.contains("there is no path from dee to bob within 1 hop"), "{told}");
    // Nobody asked for this one: that there is none is a result.
    let to = ["run", "ppsp", "trips.csv", "bob", "dee", "2"];
    assert_eq!(last(at, &to), "path: none from bob to dee");

    let usage = |args: &[&str], part: &str| {
        let error = failure(at, args, 2);
        assert!(error.contains(part), "{error}");
    };
    usage(&["run", "sssp", "trips.csv", "alice", "--path", "eve"], "--path: `eve` is not the id of a vertex");
    usage(
        &["run", "pagerank", "trips.csv", "--path", "bob"],
        "--path: pagerank finds no paths; the programs that do are astar",
    );
    usage(&["run", "ppsp", "trips.csv", "alice", "bob", "2", "--path", "dee"], "to its target bob only, not to dee");
    usage(&["run", "k-shortest-paths", "trips.csv", "alice", "bob", "--path", "bob"], "leave the option out");
    std::fs::write(at.join("cycle.wel"), "0 1 1\n1 0 -2\n1 2 1\n").unwrap();
    let cycle = failure(at, &["run", "sssp", "cycle.wel", "0", "--path", "2"], 1);
    assert!(cycle.contains("negative") || cycle.contains("the cycle"), "{cycle}");
}

#[test]
fn parents_are_written_where_they_are_asked_for() {
    let folder = trips();
    let at = folder.path();
    for (program, more) in [("sssp", &[][..]), ("sssp-delta", &["3"]), ("sssp-real", &[])] {
        success(at, &[&["run", program, "trips.csv", "alice"], more, &["--out", "parent=p.csv"]].concat());
        let table = std::fs::read_to_string(at.join("p.csv")).unwrap();
        assert_eq!(table, "vertex,parent\nalice,alice\ncarol,alice\nbob,carol\ndee,\n", "{program}");
    }
    success(at, &["run", "ppsp", "trips.csv", "alice", "carol", "1", "--out", "parent=p.csv"]);
    let table = std::fs::read_to_string(at.join("p.csv")).unwrap();
    assert_eq!(table, "vertex,parent\nalice,alice\ncarol,alice\nbob,\ndee,\n", "no farther than the target");
    assert!(failure(at, &["run", "pagerank", "trips.csv", "--out", "parent=p.csv"], 2).contains("it has rank"));
}

/// The paths of a run, as JSON.
fn paths(at: &Path, args: &[&str]) -> serde_json::Value {
    json(at, &[&["run"], args, &["--json", "--verify"]].concat())["paths"].clone()
}

#[test]
fn the_path_is_the_same_on_every_machine() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    // Equal weights and weights of 0 make many shortest paths, and tight edges in cycles.
    let cases: &[(&str, &str, &[&str])] = &[
        ("sssp", "grid:9x8:weights=0..1", &["0", "--path", "71", "--path", "40"]),
        ("sssp-delta", "grid:9x8:weights=0..1", &["0", "2", "--path", "71"]),
        ("sssp-real", "grid:9x8:weights=0..1", &["0", "--path", "71"]),
        ("ppsp", "grid:9x8:weights=0..1", &["0", "71", "2"]),
        ("astar", "grid:9x8:weights=0..1", &["0", "71", "5", "2"]),
        ("bfs", "grid:9x8", &["0", "--path", "71"]),
        ("bfs-levels", "kron:7:directed", &["99", "--path", "28"]),
        ("k-shortest-paths", "grid:5x5:weights=0..1", &["0", "24", "6"]),
    ];
    for (program, graph, args) in cases {
        let args = [&[*program, *graph][..], args].concat();
        let right = paths(at, &[&args[..], &["--target", "reference"]].concat());
        assert!(!right[0]["vertices"].as_array().unwrap().is_empty(), "{right}");
        for machine in [&["--target", "cpu"][..], &["--target", "flow", "--workers", "2"], &["--target", "swarm"]] {
            assert_eq!(paths(at, &[&args[..], machine].concat()), right, "{program} {machine:?}");
        }
        if !["ppsp", "astar", "bfs", "k-shortest-paths"].contains(program) {
            assert_eq!(paths(at, &[&args[..], &["--schedule", "order=degree"]].concat()), right, "{program}");
        }
    }
    if gw_testing::mpi::programs().is_none() {
        return;
    }
    let processes = ["sssp", "grid:9x8:weights=0..1", "0", "--path", "71"];
    let right = paths(at, &processes);
    let by_two = [&processes[..], &["--target", "flow", "--processes", "2"]].concat();
    assert_eq!(paths(at, &by_two), right, "the first process tells");
}

#[test]
fn several_shortest_paths_are_told_in_order() {
    let folder = trips();
    let at = folder.path();
    let args = ["run", "k-shortest-paths", "trips.csv", "--source", "alice", "--to", "bob", "--count", "3", "--verify"];
    let told = success(at, &args);
    let expected = "path 1: alice -> carol -> bob, length 7 (2 hops: 3 + 4)\npath 2: alice -> bob, length 9 (1 hop)\n";
    assert!(
        told.starts_with("found = 2\nlength: 2 entries from 7 to 9, first 7 9\n") && told.ends_with(expected),
        "{told}"
    );
    let answer = json(at, &[&args[..], &["--json"]].concat());
    assert_eq!(
        answer["paths"][1],
        json!({ "source": "alice", "target": "bob", "length": 9, "vertices": ["alice", "bob"],
        "weights": [9] })
    );
    success(at, &[&args[..], &["--out", "path=p.csv"]].concat());
    let table = std::fs::read_to_string(at.join("p.csv")).unwrap();
    assert_eq!(table, "index,path\n0,alice\n1,carol\n2,bob\n3,alice\n4,bob\n");
    // Without weights hops count, and without a way there is nothing.
    assert_eq!(
        last(at, &["run", "k-shortest-paths", "cycle:5", "0", "1", "4"]),
        "path 2: 0 -> 4 -> 3 -> 2 -> 1, length 4 (4 hops: 1 + 1 + 1 + 1)"
    );
    let none = ["run", "k-shortest-paths", "trips.csv", "bob", "dee"];
    assert!(success(at, &none).starts_with("found = 0\n"));
    assert_eq!(last(at, &none), "path: none from bob to dee");
    let answer = json(at, &[&none[..], &["--json"]].concat());
    assert_eq!(
        (&answer["paths"][0]["target"], &answer["paths"][0]["length"]),
        (&"dee".into(), &serde_json::Value::Null)
    );
    assert_eq!(last(at, &["run", "k-shortest-paths", "path:3", "1", "1"]), "path 1: 1, length 0 (0 hops)");
    let unasked = success(at, &["run", "k-shortest-paths", "path:3", "0", "2", "0", "--verify"]);
    assert!(unasked.starts_with("found = 0\n") && !unasked.contains("none"), "{unasked}");
}
