//! `gw model` as a person uses it: from a lab to a model that runs.

use std::path::Path;

use crate::common::{failure, json, success};

/// A lab with breadth-first search measured on small graphs.
fn lab(folder: &Path) {
    for args in [
        &["lab", "init", "my.lab"][..],
        &["lab", "add", "graphs", "my.lab", "kron:8", "grid:20x20", "path:200", "star:300", "--dataset", "made"],
        &["lab", "add", "variants", "my.lab", "--algorithm", "bfs", "--roots", "2"],
        &[
            "lab",
            "add",
            "schedules",
            "my.lab",
            "--algorithm",
            "bfs",
            "--program",
            "bfs-levels",
            "--target",
            "cpu",
            "s0:s1@push,par=dynamic",
            "s0:s1@pull,par=dynamic,frontier=bitmap",
            "s0:s1@push,par=serial",
        ],
        &[
            "lab",
            "add",
            "run-config",
            "my.lab",
            "--algorithm",
            "bfs",
            "--target",
            "cpu",
            "--dataset",
            "made",
            "--repeats",
            "2",
        ],
        &["lab", "run", "my.lab", "--target", "cpu"],
    ] {
        success(folder, args);
    }
}

#[test]
fn from_a_lab_to_a_model_that_runs() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    lab(folder);

    let table = success(folder, &["model", "compare", "my.lab", "--algorithm", "bfs"]);
    assert!(table.contains("Best Non-switching") && table.contains("8 variants compared"), "{table}");
    let comparison = json(folder, &["model", "compare", "my.lab", "--algorithm", "bfs", "--json"]);
    assert_eq!(comparison["rows"].as_array().map(Vec::len), Some(5), "{comparison}");
    let latex = success(folder, &["model", "compare", "my.lab", "--algorithm", "bfs", "--latex"]);
    assert!(latex.contains("\\begin{tabular}"), "{latex}");

    let train = |more: &[&str]| -> Vec<String> {
        let base = ["model", "train", "my.lab", "--algorithm", "bfs", "--name", "bfs-test"];
        base.iter().chain(more).map(|word| word.to_string()).collect()
    };
    let run = |args: Vec<String>| success(folder, &args.iter().map(String::as_str).collect::<Vec<_>>());
    let told = run(train(&["-o", "m.json", "--store", "--train-graphs", "0.75", "--description", "a test"]));
    assert!(told.contains("of 3 graphs") && told.contains("0 ") && told.contains("(safe)"), "{told}");
    let listed = success(folder, &["model", "list", "my.lab"]);
    assert!(listed.contains("bfs-test") && listed.contains("a test"), "{listed}");

    // The file and the lab hold the same model.
    let queried = success(folder, &["model", "query", "bfs-test", "--lab", "my.lab"]);
    assert!(queried.contains("held out: ") && queried.contains("criterion: Spread"), "{queried}");
    let by_name = json(folder, &["model", "query", "bfs-test", "--lab", "my.lab", "--json"]);
    assert_eq!(by_name, json(folder, &["model", "query", "m.json", "--json"]));
    assert_eq!(by_name["program"], "bfs-levels");

    let evaluation = json(folder, &["model", "evaluate", "my.lab", "bfs-test", "--json"]);
    assert_eq!(evaluation["comparison"]["variants"], 2, "{evaluation}");
    let by_graph = success(folder, &["model", "evaluate", "my.lab", "m.json", "--all", "--by-graph"]);
    assert_eq!(by_graph.lines().count(), 5, "{by_graph}");
    let accuracy = json(folder, &["model", "validate", "my.lab", "bfs-test", "--json"]);
    assert!(accuracy["all"]["right"].as_u64() > Some(0) && accuracy["held_out"].is_object(), "{accuracy}");
    let folds = success(folder, &["model", "cross-validate", "my.lab", "--algorithm", "bfs", "--folds", "2"]);
    assert!(folds.contains("2 folds by graph") && folds.contains("model (guarded)"), "{folds}");
    let curve = json(folder, &["model", "curve", "my.lab", "--algorithm", "bfs", "--percent", "50,100", "--json"]);
    assert_eq!(curve.as_array().map(Vec::len), Some(6));
    assert!(success(folder, &["model", "importance", "m.json"]).contains("frontier"));
    for (form, part) in
        [("rust", "pub fn decide("), ("cuda", "gw_decide("), ("json", "\"nodes\""), ("model", "\"format\"")]
    {
        assert!(success(folder, &["model", "export", "m.json", "--as", form]).contains(part));
    }

    // What switching costs.
    let nothing = success(folder, &["model", "switching", "my.lab", "--algorithm", "bfs"]);
    assert!(nothing.contains("switching counts as free"), "{nothing}");
    let added = success(folder, &["model", "alternate", "my.lab", "--algorithm", "bfs"]);
    assert!(added.starts_with("added 3 implementations") || added.starts_with("added 1 implementation"), "{added}");
    success(folder, &["lab", "run", "my.lab", "--target", "cpu"]);
    let costs = json(folder, &["model", "switching", "my.lab", "--algorithm", "bfs", "--json"]);
    assert!(costs.as_array().is_some_and(|rows| rows.len() >= 2 && rows[0]["steps"].as_u64() >= Some(10)), "{costs}");
    let folds = success(folder, &["model", "cross-validate", "my.lab", "--algorithm", "bfs", "--folds", "2"]);
    assert!(folds.contains("model (switching free)"), "{folds}");
    let one = failure(folder, &["model", "alternate", "my.lab", "--algorithm", "bfs", "s0:s1@push,par=serial"], 2);
    assert!(one.contains("two implementations or more"), "{one}");
    let renamed = ["model", "evaluate", "my.lab", "bfs-test", "--as", "nobody=somebody"];
    assert!(failure(folder, &renamed, 1).contains("it has no candidate `nobody`"));

    // Mistakes.
    let again = failure(folder, &train(&["--store"]).iter().map(String::as_str).collect::<Vec<_>>(), 2);
    assert!(again.contains("the lab has a model of this name"), "{again}");
    let no_variant = failure(folder, &["model", "show", "my.lab", "bfs-test", "nowhere", "root 0"], 2);
    assert!(no_variant.contains("graphs: "), "{no_variant}");
    let bad = failure(folder, &["model", "train", "my.lab", "--algorithm", "bfs", "--name", "a b", "-o", "x"], 2);
    assert!(bad.contains("--name: `a b` is not a name"), "{bad}");
    let share = ["model", "train", "my.lab", "--algorithm", "bfs", "--name", "x", "-o", "x", "--train-graphs", "7"];
    assert!(failure(folder, &share, 2).contains("--train-graphs: 7 is no share"));
    std::fs::write(folder.join("broken.json"), "{}").unwrap();
    assert!(failure(folder, &["model", "importance", "broken.json"], 1).contains("broken.json is not a model"));
    assert!(failure(folder, &["model", "importance", "none.json"], 1).contains("cannot read the model none.json"));
    assert!(!folder.join("x").exists());
}
