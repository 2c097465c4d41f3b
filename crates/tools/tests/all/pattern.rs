//! `gw match` and `gw mine` as a person uses them.

use crate::common::{failure, gw, json, success};

const TARGET: &str = "v a red\nv b green\nv c blue\nv d red\nv e green\ne a b\ne b c\ne c a\ne c d\ne d e\n";
const TRIANGLE: &str = "v x green\nv y blue\nv z red\ne x y\ne y z\ne z x\n";
const TRACE: &str = "busy,start,ready,x,y,name\n1,1,1,1,2,n\n0,1,0,3,6,n\n0,0,1,5,10,n\n0,0,0,0.5,1,n\n";

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [("t.lg", TARGET), ("q.lg", TRIANGLE), ("trace.csv", TRACE)] {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

#[test]
fn a_triangle_is_found_approximately_and_exactly() {
    let folder = folder();
    let at = folder.path();
    let told = success(at, &["match", "q.lg", "t.lg", "--top", "1", "--svg", "m.svg"]);
    assert!(told.contains("match 1: cost 0.000") && told.contains("  x -> b (green)"), "{told}");
    assert!(std::fs::read_to_string(at.join("m.svg")).unwrap().starts_with("<svg"));
    let exact = json(at, &["match", "q.lg", "t.lg", "--exact", "--json"]);
    assert_eq!((&exact["is_complete"], exact["matches"].as_array().map(Vec::len)), (&true.into(), Some(1)));
    assert_eq!(exact["matches"][0]["pairs"][2]["target"], "a");
    let matches =
        |threads: &str| json(at, &["match", "q.lg", "t.lg", "--json", "--threads", threads])["matches"].clone();
    assert_eq!(matches("1"), matches("2"));
}

#[test]
fn a_folder_of_queries_gives_a_table() {
    let folder = folder();
    let at = folder.path();
    std::fs::create_dir(at.join("queries")).unwrap();
    std::fs::copy(at.join("q.lg"), at.join("queries/q.lg")).unwrap();
    let told = success(at, &["match", "queries", "t.lg", "--against", "thesis", "-k", "20"]);
    assert!(told.contains("1 queries (released)") && told.contains("thesis: mean cost"), "{told}");
    assert!(failure(at, &["match", "queries", "t.lg", "--svg", "m.svg"], 2).contains("--svg is for one query"));
}

#[test]
fn graphs_of_other_formats_take_labels_from_a_file() {
    let folder = folder();
    let at = folder.path();
    std::fs::write(at.join("l.txt"), "0 green\n1 blue\n2 green\n").unwrap();
    let told =
        success(at, &["match", "path:3", "path:3", "--query-labels", "l.txt", "--target-labels", "l.txt", "--exact"]);
    assert!(told.contains("2 matches of 3 nodes and 2 edges"), "{told}");
}

#[test]
fn wrong_use_of_match_is_explained() {
    let folder = folder();
    let at = folder.path();
    std::fs::write(at.join("bad.gfu"), "#n\n2\nA\nB\n1\n0 9\n").unwrap();
    assert!(failure(at, &["match", "bad.gfu", "t.lg"], 1).contains("bad.gfu:6: node 9 does not exist"));
    assert!(failure(at, &["match", "q.lg", "web.mtx"], 2).contains("needs a file of labels"));
    assert!(failure(at, &["match", "q.lg", "t.lg", "--scoring", "best"], 2).contains("there is no scoring `best`"));
    assert!(failure(at, &["match", "q.lg", "none.lg"], 1).contains("cannot read none.lg"));
    assert!(failure(at, &["match", "q.lg", "t.lg", "-k", "0"], 2).contains("at least one solution"));
}

#[test]
fn invariants_are_told_as_text_json_and_assertions() {
    let folder = folder();
    let at = folder.path();
    let output = gw(at, &["mine", "trace.csv"]);
    let (told, notes) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert!(told.contains("busy = start AND ready\n") && told.contains("y = 2 * x\n"), "{told}");
    assert!(
        notes.contains("column `name` is left out: line 2") && notes.contains("invariants of 3 Booleans"),
        "{notes}"
    );
    assert_eq!(success(at, &["mine", "trace.csv", "--stream"]), told);
    let minimal = success(at, &["mine", "trace.csv", "--templates", "1", "--minimal"]);
    assert_eq!(minimal, "x < y\n");
    let data = json(at, &["mine", "trace.csv", "--templates", "1", "--json"]);
    assert_eq!((&data["count"], &data["checked"]), (&3.into(), &1.into()));
    let python = success(at, &["mine", "trace.csv", "--assertions", "python"]);
    assert!(python.starts_with("import math\n") && python.contains("assert busy == (start and ready)\n"), "{python}");
    std::fs::write(at.join("alike.csv"), "x-1,x_1\n1,2\n2,4\n").unwrap();
    let alike = success(at, &["mine", "alike.csv", "--templates", "1", "--minimal", "--assertions", "python"]);
    assert_eq!(alike, "import math\n# x_1_2 is the variable \"x-1\"\nassert x_1_2 < x_1\n");
    let bounded = success(at, &["mine", "trace.csv", "--arity", "1", "--constant", "< 11"]);
    assert_eq!(bounded, "x < 11\ny < 11\n");
}

#[test]
fn wrong_use_of_mine_is_explained() {
    let folder = folder();
    let at = folder.path();
    std::fs::write(at.join("bad.csv"), "a,b\n1,2\n3\n").unwrap();
    assert!(failure(at, &["mine", "bad.csv"], 1).contains("bad.csv:3: 1 values stand here, 2 are expected"));
    assert!(failure(at, &["mine", "t.lg"], 1).contains("traces are files named .csv"));
    assert!(failure(at, &["mine", "trace.csv", "--constant", "> 3"], 2).contains("`> 3` is no template"));
    assert!(failure(at, &["mine", "trace.csv", "--clock", "clk"], 2).contains("only a VCD has clocks"));
    assert!(failure(at, &["mine", "trace.csv", "--generate", "T1"], 2).contains("cannot be used with"));
    assert!(failure(at, &["mine"], 2).contains("<TRACE"));
}

/// Traces of the thesis' shapes are made, and times are told instead of invariants.
#[test]
fn traces_are_made_and_timed() {
    let folder = folder();
    let at = folder.path();
    let found = success(at, &["mine", "--generate", "T2", "--instants", "3000", "--templates", "1"]);
    assert!(found.contains("n0 < n1\n"), "{found}");
    let times = success(at, &["mine", "--generate", "T1", "--instants", "3000", "--repeat", "2"]);
    assert!(times.lines().count() == 4 && times.contains("best "), "{times}");
    let data =
        json(at, &["mine", "--generate", "T2", "--instants", "3000", "--templates", "1", "--repeat", "1", "--json"]);
    assert_eq!(data[0]["invariants"], found.lines().count());
}

/// Without a GPU `--target cuda` says so, names the way out, and reads nothing.
#[test]
fn a_missing_gpu_is_explained() {
    let folder = folder();
    let at = folder.path();
    assert!(failure(at, &["match", "q.lg", "t.lg", "--target", "cuda", "--exact"], 2).contains("cannot be used with"));
    if gw_cuda_is_there(at) {
        return;
    }
    for arguments in [&["mine", "none.csv", "--target", "cuda"][..], &["match", "q.lg", "t.lg", "--target", "cuda"]] {
        let told = failure(at, arguments, 1);
        assert!(told.contains("--target cuda: ") && told.contains("--target cpu needs no GPU"), "{told}");
    }
}

fn gw_cuda_is_there(at: &std::path::Path) -> bool {
    json(at, &["devices", "--json"])["gpus"].as_array().is_some_and(|gpus| !gpus.is_empty())
}

/// Graphwright mines its own runs: the steps of a lab are a trace.
#[test]
fn steps_of_a_lab_are_a_trace() {
    let folder = folder();
    let at = folder.path();
    for arguments in [
        &["lab", "init", "my.lab"][..],
        &["lab", "add", "graphs", "my.lab", "road:8x8", "kron:6", "--dataset", "made"],
        &["lab", "add", "variants", "my.lab", "--algorithm", "bfs", "--roots", "2"],
        &["lab", "add", "schedules", "my.lab", "--algorithm", "bfs", "--target", "cpu", "--named"],
        &["lab", "add", "run-config", "my.lab", "--algorithm", "bfs", "--target", "cpu", "--dataset", "made"],
        &["lab", "run", "my.lab", "--target", "cpu"],
        &["lab", "export", "my.lab", "--what", "steps", "-o", "steps.csv"],
    ] {
        success(at, arguments);
    }
    let found = success(at, &["mine", "steps.csv", "--templates", "1"]);
    assert!(found.contains("min <= mean\n") && found.contains("mean <= max\n"), "{found}");
    assert!(found.contains("validated is true\n"), "{found}");
    // The lab itself is the same trace.
    assert_eq!(success(at, &["mine", "my.lab", "--templates", "1"]), found);
    assert!(failure(at, &["mine", "my.lab", "--stream"], 2).contains("--stream is for files; `gw lab export"));
    assert!(failure(at, &["mine", "my.lab", "--clock", "c"], 2).contains("only a VCD has clocks"));
    success(at, &["lab", "init", "empty.lab"]);
    assert!(failure(at, &["mine", "empty.lab"], 2).contains("empty.lab: the lab has no measured steps"));
}

/// More matches or candidates than there is memory for end with a sentence that names the mend.
#[cfg(unix)]
#[test]
fn memory_is_asked_for_before_it_is_taken() {
    let folder = folder();
    let at = folder.path();
    let complete = |nodes: u32| {
        let edges: Vec<String> = (0..nodes).flat_map(|u| (0..u).map(move |v| format!("{u} {v}\n"))).collect();
        format!("#k\n{nodes}\n{}{}\n{}", "A\n".repeat(nodes as usize), edges.len(), edges.concat())
    };
    std::fs::write(at.join("k6.gfu"), complete(6)).unwrap();
    std::fs::write(at.join("k60.gfu"), complete(60)).unwrap();
    let names: Vec<String> = (0..500).map(|v| format!("c{v}")).collect();
    let row = |from: u32| (0..500).map(|v| format!("{}", from + v * 3)).collect::<Vec<_>>().join(",");
    let rows: String = (0..70).map(|from| row(from) + "\n").collect();
    std::fs::write(at.join("wide.csv"), format!("{}\n{rows}", names.join(","))).unwrap();
    let refused = |arguments: &str| {
        let line = format!("ulimit -v 900000; exec $GW {arguments} --threads 2");
        let mut command = std::process::Command::new("sh");
        command.args(["-c", &line]).env("GW", crate::GW).current_dir(at);
        let output = command.output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{arguments}: {told}");
        told
    };
    let told = refused("match k6.gfu k60.gfu --exact -k 10000000000");
    assert!(told.contains("exact matches, and these alone need") && told.contains("--solutions"), "{told}");
    let told = refused("mine wide.csv");
    assert!(told.contains(" of 500 variables are to be kept") && told.contains("--arity 2"), "{told}");
    // What is there in a few is found, whatever the limit is.
    let told = success(at, &["match", "q.lg", "t.lg", "--exact", "-k", "10000000000"]);
    assert!(told.contains("there are no other exact matches"), "{told}");
}

/// Pipes and folders under the names of files, and options that mean nothing together.
#[cfg(unix)]
#[test]
fn pipes_and_idle_options_are_refused() {
    let folder = folder();
    let at = folder.path();
    let made = std::process::Command::new("mkfifo").args(["p.csv", "p.lg"]).current_dir(at).status().unwrap();
    assert!(made.success());
    assert!(failure(at, &["mine", "p.csv"], 1).contains("p.csv: this is a pipe, and a trace is read more than once"));
    assert!(failure(at, &["match", "p.lg", "t.lg"], 2).contains("p.lg: this is a pipe or a device"));
    std::fs::create_dir(at.join("queries")).unwrap();
    std::fs::create_dir(at.join("queries/old.gfu")).unwrap();
    std::fs::copy(at.join("q.lg"), at.join("queries/q.lg")).unwrap();
    let output = gw(at, &["match", "queries", "t.lg", "-k", "5"]);
    let notes = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && notes.contains("old.gfu is left out: it is a folder"), "{notes}");
    assert!(
        failure(at, &["match", "q.lg", "t.lg", "--exact", "--seed", "2"], 2).contains("an exact search draws nothing")
    );
    success(at, &["match", "q.lg", "t.lg", "--exact", "--perturb", "1", "--seed", "2"]);
}

/// Constants without end are numbers of every language, and texts in JSON.
#[test]
fn infinite_constants_are_told() {
    let folder = folder();
    let at = folder.path();
    let common = ["mine", "trace.csv", "--arity", "1", "--constant", "< inf", "--constant", "!= -inf"];
    let with = |more: &[&'static str]| success(at, &[&common[..], more].concat());
    assert!(with(&["--assertions", "python"]).contains("assert x < math.inf\n"));
    assert!(with(&["--assertions", "c"]).contains("assert((double)x != -INFINITY);\n"));
    assert!(with(&["--assertions", "systemverilog"]).contains("real'(x) < $bitstoreal(64'h7ff0000000000000)"));
    let data: serde_json::Value = serde_json::from_str(&with(&["--json"])).unwrap();
    assert_eq!(data["invariants"][0]["template"]["constant"]["less"], "inf");
}
