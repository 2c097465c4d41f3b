//! A command that would write over a file that it reads is refused before it reads anything.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::common::{failure, files, gw, success};

/// Runs a command that must be refused, and looks whether all files are as they were.
fn refused(folder: &Path, args: &[&str], first: &str, second: &str) {
    let contents = || -> Vec<(String, Vec<u8>)> {
        let names = files(folder).into_iter().filter(|name| folder.join(name).is_file());
        names.map(|name| (name.clone(), std::fs::read(folder.join(name)).expect("readable"))).collect()
    };
    let before = contents();
    let said = failure(folder, args, 2);
    assert!(said.contains(first) && said.contains(second), "gw {args:?}: {said}");
    assert!(said.contains("which the command reads") || said.contains("is the same file"), "gw {args:?}: {said}");
    assert!(contents() == before, "gw {args:?} changed files");
}

const TABLE: &str = "from,to,when\nx,y,1\ny,z,2\ny,z,3\nz,z,4\n";

#[cfg(unix)]
#[test]
fn a_graph_is_not_converted_onto_itself() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("b.csv"), TABLE).unwrap();
    std::os::unix::fs::symlink("b.csv", at.join("link.csv")).unwrap();
    std::fs::hard_link(at.join("b.csv"), at.join("hard.csv")).unwrap();
    std::fs::create_dir(at.join("sub")).unwrap();
    let absolute = at.join("b.csv").display().to_string();
    for (input, output) in [
        ("b.csv", "b.csv"),
        ("b.csv", "./b.csv"),
        ("b.csv", "sub/../b.csv"),
        ("b.csv:sym", &absolute),
        ("b.csv", "link.csv"),
        ("link.csv", "b.csv"),
        ("b.csv", "hard.csv"),
    ] {
        refused(at, &["graph", "convert", input, output], input.trim_end_matches(":sym"), output);
    }
    refused(at, &["graph", "convert", "b.csv", "c.el", "--id-map", "b.csv"], "--id-map b.csv", "the file b.csv");
    refused(at, &["graph", "convert", "b.csv", "c.el", "--id-map", "./c.el"], "--id-map ./c.el", "the output c.el");
    refused(at, &["graph", "generate", "b.csv:sym", "-o", "./b.csv"], "--output ./b.csv", "the file b.csv");
    success(at, &["graph", "convert", "b.csv", "c.csv"]);
}

/// Standard output may lead to the file that is read.
#[cfg(unix)]
#[test]
fn results_do_not_follow_what_they_are_made_of() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("a.el"), "0 1\n1 2\n").unwrap();
    let mut command = Command::new(crate::GW);
    let file = std::fs::File::options().append(true).open(at.join("a.el")).unwrap();
    command.args(["run", "cc", "a.el", "--out", "label=-"]).current_dir(at).stdout(file).stderr(Stdio::piped());
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("--out /dev/stdout: this is the file a.el"), "{said}");
    assert_eq!(std::fs::read(at.join("a.el")).unwrap(), b"0 1\n1 2\n");
    // What is no file is no danger.
    let both = gw(at, &["graph", "convert", "/dev/null:format=el", "/dev/null", "--format", "el"]);
    assert!(!String::from_utf8_lossy(&both.stderr).contains("which the command reads"));
}

#[cfg(unix)]
#[test]
fn no_command_writes_over_what_it_reads() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("a.el"), "0 1\n1 2\n").unwrap();
    std::fs::write(at.join("a.csv"), "0,1\n1,2\n").unwrap();
    std::fs::write(at.join("q.lg"), "v 0 a\nv 1 b\ne 0 1\n").unwrap();
    std::fs::write(at.join("p.gt"), "func main()\nend\n").unwrap();
    std::fs::write(
        at.join("s.toml"),
        "name = \"s\"\n[[graph]]\nname = \"g\"\nspec = \"a.el\"\n[[entry]]\nprogram = \"cc\"\n",
    )
    .unwrap();
    success(at, &["lab", "init", "my.lab"]);
    let graph = "the file a.el";
    refused(at, &["run", "cc", "a.csv", "--out", "label=./a.csv"], "--out ./a.csv", "the file a.csv");
    refused(at, &["run", "cc", "a.csv", "--out", "./a.csv"], "--out ./a.csv", "the file a.csv");
    std::os::unix::fs::symlink("p.gt", at.join("p.txt")).unwrap();
    refused(at, &["run", "cc,p.gt", "a.el", "--out", "x=p.txt"], "--out p.txt", "the file p.gt");
    refused(at, &["run", "pagerank", "kron:5", "--out", "rank=x", "--out", "error=./x"], "--out ./x", "--out x");
    std::fs::write(at.join("b12.csv"), "0,1\n1,2\n").unwrap();
    let stream = ["stream", "cc", "a.csv", "b12.csv", "--out"];
    for (out, file) in [("label=a.csv", "a.csv"), ("label=./b12.csv", "b12.csv"), ("b{batch}.csv", "b12.csv")] {
        refused(at, &[&stream[..], &[out]].concat(), "--out", &format!("the file {file}"));
    }
    refused(at, &["tune", "bfs", "a.el", "--out", "a.el"], "--out a.el", graph);
    refused(at, &["tune", "bfs", "kron:5", "--lab", "my.lab", "--out", "my.lab"], "--out my.lab", "the file my.lab");
    refused(at, &["swarm", "bfs", "a.el", "0", "--page", "a.el"], "--page a.el", graph);
    refused(at, &["match", "q.lg", "./q.lg", "--svg", "q.lg"], "--svg q.lg", "q.lg");
    refused(at, &["bench", "s.toml", "--out", "s.toml"], "--out s.toml", "the file s.toml");
    refused(at, &["bench", "s.toml", "--out", "a.el"], "--out a.el", "a.el");
    refused(at, &["explain", "bfs", "a.el", "--html", "a.el"], "--html a.el", graph);
    refused(at, &["meter", "--lab", "my.lab", "--out", "my.lab"], "--out my.lab", "the file my.lab");
    refused(at, &["meter", "show", "--lab", "my.lab", "--html", "my.lab"], "--html my.lab", "the file my.lab");
    let export = ["lab", "export", "my.lab", "--what", "graphs", "--format", "csv", "--out", "my.lab"];
    refused(at, &export, "--out my.lab", "the file my.lab");
    refused(at, &["lab", "report", "my.lab", "--out", "./my.lab"], "--out ./my.lab", "the file my.lab");
    let train = ["model", "train", "my.lab", "--algorithm", "bfs", "--name", "m", "--out", "my.lab"];
    refused(at, &train, "--out my.lab", "the file my.lab");
    refused(at, &["model", "export", "a.el", "--out", "a.el"], "--out a.el", graph);
    refused(at, &["model", "choice", "my.lab", "--output", "my.lab"], "--output my.lab", "the file my.lab");
    refused(at, &["model", "choice", "my.lab", "--rows", "my.lab"], "--rows my.lab", "the file my.lab");
}

#[test]
fn folders_do_not_take_in_what_is_read_from_them() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("u.el"), "0 1\n").unwrap();
    for name in ["state", "parts", "saved"] {
        std::fs::create_dir(at.join(name)).unwrap();
    }
    success(at, &["graph", "generate", "path:9", "-o", "parts/part-1.out.gwg"]);
    refused(
        at,
        &["graph", "partition", "parts/part-1.out.gwg", "2", "parts"],
        "the file parts/part-1.out.gwg",
        "reads",
    );
    std::fs::rename(at.join("parts/part-1.out.gwg"), at.join("state/checkpoint-7.gwg")).unwrap();
    let stream = ["stream", "cc", "state/checkpoint-7.gwg", "u.el", "--store", "state"];
    refused(at, &stream, "--store state/checkpoint-7.gwg", "the file state/checkpoint-7.gwg");
    success(at, &["graph", "partition", "path:9", "2", "parts"]);
    let run = ["run", "cc", "parts", "--out", "label=parts/parts.txt"];
    refused(at, &run, "--out parts/parts.txt", "the file parts/parts.txt");
    std::fs::create_dir(at.join("graph")).unwrap();
    success(at, &["stream", "cc", "empty:5", "u.el", "--store", "graph"]);
    let log = files(&at.join("graph")).into_iter().find(|name| name.starts_with("log-")).unwrap();
    let log = format!("graph/{log}");
    refused(at, &["graph", "convert", "graph:sym", &log, "--format", "el"], &log, "which the command reads");
    // A store goes on, whatever is named as its beginning.
    success(at, &["stream", "cc", "graph", "u.el", "--store", "graph"]);
    std::fs::write(at.join("saved/checkpoint.gwc"), "0 1\n").unwrap();
    let run = ["run", "pagerank", "saved/checkpoint.gwc:format=el", "--checkpoint", "saved"];
    refused(at, &run, "--checkpoint saved/checkpoint.gwc", "the file saved/checkpoint.gwc");
}
