//! Graphs, tables and pages in files: a file is the old one or the new one at every moment.

use gw_graph::format::Format;

use crate::drill::{Drill, End, files, names, old_or_new};

#[test]
fn graphs_of_all_formats_appear_whole() {
    let formats: Vec<&str> = Format::ALL.iter().map(|format| format.name()).collect();
    let usual = ["gwg", "csv"];
    let mut tried = 0;
    for format in formats.iter().filter(|format| gw_testing::is_nightly() || usual.contains(format)) {
        if ["parquet", "astar"].contains(format) {
            continue;
        }
        let is_without_weights = ["el", "snap", "sg"].contains(format);
        let spec = if is_without_weights { "kron:11" } else { "kron:11:weights=1..9" };
        let args = ["graph", "generate", spec, "-o", "graph.x", "--format", format];
        let drill = Drill::new(&format!("generate: {format}"), &args).file("graph.x", "old");
        drill.killed(old_or_new(&[("graph.x", "old")])).kills(4).run();
        tried += 1;
    }
    assert!(tried >= gw_testing::usually(2, 12), "{tried} formats");
}

#[test]
fn a_converted_graph_appears_whole() {
    for (name, output) in [("convert: gz and ids", "b.el.gz"), ("convert: zst and ids", "b.el.zst")] {
        let args = ["graph", "convert", "a.csv", output, "--id-map", "ids.txt"];
        let drill = Drill::new(name, &args).file("a.csv", "source,target\nx,y\ny,z\n").file("ids.txt", "old");
        let before = &[("ids.txt", "old"), ("a.csv", "source,target\nx,y\ny,z\n")];
        drill.killed(old_or_new(before)).kills(3).run();
        if !gw_testing::is_nightly() {
            return;
        }
    }
}

#[test]
fn a_graph_in_parts_appears_whole() {
    let args = ["graph", "partition", "kron:8", "3", "parts"];
    let drill = Drill::new("partition", &args).done("there is a graph in parts already").kills(6);
    let list_comes_last = |killed: &End<'_>, whole: &End<'_>| {
        let (found, all) = (files(killed.folder), files(whole.folder));
        let is_whole = all.iter().all(|(name, bytes)| found.get(name) == Some(bytes));
        assert!(is_whole || !found.contains_key("parts/parts.txt"), "{:?}", found.keys());
    };
    drill.killed(list_comes_last).run();
}

/// Pages and tables with times in them: as long as in a whole run, up to their last bytes.
fn old_or_whole(old: &'static str) -> impl Fn(&End<'_>, &End<'_>) {
    move |killed, whole| {
        let new = files(whole.folder);
        for (name, bytes) in files(killed.folder).into_iter().filter(|(name, _)| name.starts_with("out.")) {
            let end = &new[&name][new[&name].len() - 4..];
            assert!(bytes == old.as_bytes() || bytes.ends_with(end), "{name} is cut off");
        }
    }
}

#[test]
fn pages_and_tables_appear_whole() {
    let cases: [(&str, &str, &[&str]); 7] = [
        ("swarm: page", "out.html", &["swarm", "bfs", "grid:4x4", "0", "--cores", "1", "--page"]),
        ("match: picture", "out.svg", &["match", "q.lg", "q.lg", "--svg"]),
        ("bench: rows", "out.json", &["bench", "s.toml", "--out"]),
        (
            "explain: page",
            "out.html",
            &["explain", "bfs", "kron:6", "0", "--runs", "1", "--suggestions", "0", "--html"],
        ),
        ("lab export", "out.csv", &["lab", "export", "my.lab", "--what", "graphs", "--out"]),
        ("lab export: parquet", "out.parquet", &["lab", "export", "my.lab", "--what", "graphs", "--out"]),
        ("lab report", "out.html", &["lab", "report", "my.lab", "--out"]),
    ];
    let suite = "name = \"s\"\ntrials = 1\n[[graph]]\nname = \"g\"\nspec = \"path:9\"\n[[entry]]\nprogram = \"cc\"\n";
    for (name, out, args) in cases.iter().take(gw_testing::usually(2, cases.len())) {
        let drill = Drill::new(name, &[args, &[*out][..]].concat()).file(out, "old").state(|end| names(end.folder));
        let drill = drill.file("q.lg", "v 0 a\nv 1 b\ne 0 1\n").file("s.toml", suite);
        let drill = crate::labs::COMMANDS.iter().fold(drill, |drill, command| drill.after(command));
        drill.killed(old_or_whole("old")).kills(3).run();
    }
}

/// Models and sheets, made again by the same command: in files and in labs.
#[test]
fn models_and_sheets_appear_whole() {
    if !gw_testing::is_nightly() {
        return;
    }
    let train = ["model", "train", "my.lab", "--algorithm", "bfs", "--name", "m", "--out"];
    let with_lab = |name: &str, args: &[&str]| {
        let other = ["lab", "add", "schedules", "my.lab", "--algorithm", "bfs", "--target", "cpu", "b=pull"];
        let drill = Drill::new(name, args).state(|end| names(end.folder));
        let (last, before) = crate::labs::COMMANDS.split_last().expect("commands");
        before.iter().fold(drill, |drill, command| drill.after(command)).after(&other).after(last)
    };
    let kept = with_lab("model train: in the lab", &[&train[..], &["m.model", "--store"]].concat());
    kept.done("has a model").killed(old_or_whole("old")).run();
    let exported = ["model", "export", "m.model", "--as", "rust", "-o", "out.rs"];
    let export = with_lab("model export", &exported).after(&[&train[..], &["m.model"]].concat());
    export.file("out.rs", "old").killed(old_or_whole("old")).run();
    let sheet = ["meter", "--quick", "--out", "out.json", "--lab", "my.lab"];
    with_lab("meter: a lab and a file", &sheet).file("out.json", "old").killed(old_or_whole("old")).run();
    let page = ["meter", "show", "sheet.json", "--html", "out.html"];
    let drawn = Drill::new("meter show: page", &page).after(&["meter", "--quick", "--out", "sheet.json"]);
    drawn.file("out.html", "old").killed(old_or_whole("old")).state(|end| names(end.folder)).run();
    Drill::new("man: pages", &["man", "--folder", "pages"]).run();
}
