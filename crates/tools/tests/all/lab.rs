//! `gw lab` as a person uses it, and as a careless one ends it.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::common::{failure, files, gw, success};
use gw_lab::{Field, Lab, TableQuery};

/// A lab with two schedules of BFS on three graphs.
fn prepare(at: &Path, roots: u32, repeats: u32) {
    success(at, &["lab", "init", "my.lab"]);
    let graphs = ["lab", "add", "graphs", "my.lab", "kron:8:seed=3", "grid=grid:16x16", "star:200:directed"];
    assert!(success(at, &[&graphs[..], &["--dataset", "made", "--source", "generators"]].concat()).contains("added 3"));
    success(at, &["lab", "add", "variants", "my.lab", "--algorithm", "bfs", "--roots", &roots.to_string()]);
    let schedules = ["push=s0:s1@push,par=dynamic", "s0:s1@pull,par=dynamic"];
    let named =
        ["lab", "add", "schedules", "my.lab", "--algorithm", "bfs", "--program", "bfs-levels", "--target", "cpu"];
    success(at, &[&named[..], &schedules[..]].concat());
    let repeats = repeats.to_string();
    let config = ["--threads", "1", "lab", "add", "run-config", "my.lab", "--algorithm", "bfs", "--target", "cpu"];
    success(at, &[&config[..], &["--dataset", "made", "--repeats", &repeats, "--platform", "here"]].concat());
}

const RUN: [&str; 4] = ["--threads", "1", "lab", "run"];

fn start(at: &Path) -> Child {
    let mut command = Command::new(crate::GW);
    command.args(RUN).arg("my.lab").current_dir(at).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().expect("gw starts")
}

fn number(lab: &Lab, sql: &str) -> i64 {
    match lab.query(sql, None).unwrap().rows[0][0] {
        Field::Integer(number) => number,
        ref other => panic!("{sql}: {other:?}"),
    }
}

/// SQLite and the foreign keys are content, and every run has all its timers.
fn assert_whole(at: &Path) -> i64 {
    let lab = Lab::open(at.join("my.lab")).unwrap();
    assert_eq!(lab.check_integrity().unwrap(), Vec::<String>::new());
    let bare = "SELECT COUNT(*) FROM Run r JOIN Variant v ON v.id = r.variantId WHERE v.propsStored = 0 \
                OR (SELECT COUNT(*) FROM StepTimer t WHERE t.runId = r.id) <> v.maxStepId + 1 \
                OR (SELECT COUNT(*) FROM TotalTimer t WHERE t.runId = r.id) <> 2";
    assert_eq!(number(&lab, bare), 0, "a run is half-written");
    let half = "SELECT COUNT(*) FROM Variant v WHERE v.propsStored = 1 \
                AND (SELECT COUNT(*) FROM StepPropValue p WHERE p.variantId = v.id) <> 2 * (v.maxStepId + 1)";
    assert_eq!(number(&lab, half), 0, "properties are half-written");
    number(&lab, "SELECT COUNT(*) FROM Run")
}

/// Everything that was asked for is there, once.
fn assert_complete(at: &Path, runs: i64) {
    assert_eq!(assert_whole(at), runs);
    let lab = Lab::open(at.join("my.lab")).unwrap();
    let keys = "SELECT COUNT(*) FROM (SELECT DISTINCT runConfigId, variantId, implId FROM Run)";
    assert_eq!(number(&lab, keys), runs);
    assert_eq!(number(&lab, "SELECT COUNT(*) FROM Run WHERE validated = 1"), runs);
    assert_eq!(number(&lab, "SELECT COUNT(*) FROM Claim"), 0, "nobody works any more");
    assert_eq!(number(&lab, "SELECT COUNT(*) FROM Failure"), 0);
    let query = TableQuery { algorithm: "bfs".into(), complete: true, ..TableQuery::default() };
    assert_eq!(lab.step_table(&query).unwrap().variants.len() as i64 * 2, runs);
}

#[test]
fn a_lab_survives_kills_at_any_moment() {
    let kills: u64 = gw_testing::usually(5, 100);
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    // Enough work that most kills meet some.
    let roots = 8 * kills as u32;
    prepare(at, roots, 100);
    let all = i64::from(roots) * 3 * 2;
    let mut random = gw_graph::rng::Rng::new(7, 0);
    let (mut amid, mut last) = (0, 0);
    let mut counts = Vec::new();
    for _ in 0..kills {
        let mut child = start(at);
        std::thread::sleep(Duration::from_millis(5 + random.below(300)));
        amid += u64::from(child.try_wait().unwrap().is_none());
        // SIGKILL: the process has no chance to tidy up.
        child.kill().unwrap();
        child.wait().unwrap();
        let runs = assert_whole(at);
        assert!(runs >= last, "a finished run is gone: {runs} after {last}");
        last = runs;
        counts.push(runs);
    }
    eprintln!("{kills} kills, {amid} of them amid work; runs after each: {counts:?} of {all}");
    assert!(2 * amid > kills, "most kills came too late: {amid} of {kills} met a process at work");
    success(at, &[&RUN[..], &["my.lab"]].concat());
    assert_complete(at, all);
    assert!(success(at, &[&RUN[..], &["my.lab"]].concat()).contains("measured 0 runs"));
}

#[test]
fn two_processes_share_the_work() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    prepare(at, 12, 20);
    let mut both = [start(at), start(at)];
    let begin = Instant::now();
    for child in &mut both {
        assert!(child.wait().unwrap().success());
    }
    assert!(begin.elapsed() < Duration::from_secs(300));
    // A process may end while the other still works on the rest; together they leave nothing.
    assert_complete(at, 72);
}

#[test]
fn from_graphs_to_answers() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    prepare(at, 2, 3);
    let said = success(at, &[&RUN[..], &["my.lab"]].concat());
    assert!(said.contains("measured 12 runs"), "{said}");
    let graphs = success(at, &["lab", "list", "my.lab", "graphs"]);
    assert!(graphs.contains("grid:16x16") && graphs.contains("star-like") && graphs.contains("generators"), "{graphs}");
    let runs = success(at, &["lab", "query", "my.lab", "SELECT COUNT(*) AS runs FROM Run WHERE validated"]);
    assert!(runs.contains("runs") && runs.contains("12"), "{runs}");
    let past = success(at, &["lab", "list", "my.lab", "runs", "--as-of", "2020-01-01"]);
    assert_eq!(past.lines().filter(|line| line.contains("push")).count(), 0, "{past}");
    assert!(
        success(at, &["--threads", "1", "lab", "validate", "my.lab", "--target", "cpu"])
            .contains("0 runs found right; 0 not")
    );
    assert!(success(at, &["lab", "vacuum", "my.lab"]).contains("now"));
    for file in ["steps.csv", "steps.tex", "steps.md", "steps.parquet"] {
        assert!(success(at, &["lab", "export", "my.lab", "--what", "steps", "-o", file]).contains("rows"));
    }
    let csv = std::fs::read_to_string(at.join("steps.csv")).unwrap();
    let header = csv.lines().next().unwrap();
    assert!(header.contains("frontier_edges") && header.contains("implementation"), "{header}");
    assert!(csv.lines().filter(|line| line.contains("star:200:directed")).count() >= 2 * 2, "{csv}");
    assert!(std::fs::read_to_string(at.join("steps.tex")).unwrap().contains("tabular"));
    assert_eq!(&std::fs::read(at.join("steps.parquet")).unwrap()[..4], b"PAR1");
    failure(at, &["lab", "export", "my.lab", "--what", "steps", "-o", "steps.xyz"], 2);
    std::fs::write(at.join("other.csv"), "system,graph,config,seconds\nfast,grid,root #0 of seed 1,0.5\n").unwrap();
    let import = ["lab", "import", "my.lab", "other.csv", "--algorithm", "bfs", "--platform", "here"];
    assert!(success(at, &import).contains("1 timings of 1 systems"));
    success(at, &["lab", "init", "sum.lab"]);
    assert!(success(at, &["lab", "merge", "sum.lab", "my.lab"]).contains("12 runs"));
    assert!(success(at, &["lab", "merge", "sum.lab", "my.lab"]).contains("0 runs"));
    let named = ["lab", "add", "schedules", "sum.lab", "--algorithm", "bfs", "--target", "cpu", "--named", "--program"];
    assert!(!gw(at, &[&named[..], &["bfs-levels"]].concat()).stdout.is_empty());
}

#[test]
fn mistakes_are_explained_and_nothing_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    assert!(failure(at, &["lab", "list", "gone.lab", "graphs"], 2).contains("gw lab init"));
    success(at, &["lab", "init", "my.lab"]);
    assert!(failure(at, &["lab", "init", "my.lab"], 2).contains("there already"));
    assert!(failure(at, &["lab", "list", "my.lab", "graph"], 2).contains("did you mean `graphs`"));
    assert!(failure(at, &["lab", "add", "graphs", "my.lab", "korn:5"], 2).contains("kron"));
    assert!(failure(at, &["lab", "add", "variants", "my.lab", "--algorithm", "bfs"], 2).contains("--roots"));
    let schedules = ["lab", "add", "schedules", "my.lab", "--algorithm", "bfs", "--target", "cpu", "--program"];
    let add = |program: &str, text: &str| failure(at, &[&schedules[..], &[program, text]].concat(), 2);
    assert!(add("bsf-levels", "s0:s1@push").contains("bfs-levels"));
    let unknown = failure(at, &[&schedules[..], &["bfs-levels", "s0:s7@push"]].concat(), 1);
    assert!(unknown.contains("s0:s1"), "{unknown}");
    let named = ["lab", "add", "schedules", "my.lab", "--algorithm", "sorting", "--target", "cpu", "--named"];
    assert!(failure(at, &named, 2).contains("no named schedules"));
    let config = ["lab", "add", "run-config", "my.lab", "--algorithm", "bfs", "--target", "cpu", "--dataset", "made"];
    assert!(failure(at, &config, 2).contains("algorithm bfs"));
    assert!(failure(at, &["lab", "run", "my.lab"], 2).contains("add run-config"));
    assert!(failure(at, &["lab", "query", "my.lab", "DROP TABLE Run"], 2).contains("only look"));
    assert!(failure(at, &["lab", "merge", "my.lab", "my.lab"], 2).contains("same lab"));
    let export = ["lab", "export", "my.lab", "--what", "graphs", "-o", "gone/graphs.csv"];
    assert!(failure(at, &export, 1).contains("gone"));
    std::fs::write(at.join("words.lab"), "these are words and not a database, whatever its name says").unwrap();
    assert!(failure(at, &["lab", "list", "words.lab", "graphs"], 1).contains("not a lab"));
    assert_eq!(files(at), ["my.lab", "words.lab"]);
    assert!(success(at, &["lab", "list", "my.lab", "datasets"]).lines().count() <= 1);
}

#[cfg(unix)]
#[test]
fn graphs_that_cannot_be_read_again_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    success(at, &["lab", "init", "l.lab"]);
    assert!(std::process::Command::new("mkfifo").arg(at.join("pipe.el")).status().unwrap().success());
    for (graph, why) in [("/dev/zero", "is a device"), ("z=/dev/zero", "is a device"), ("pipe.el", "is a pipe")] {
        let error = failure(at, &["lab", "add", "graphs", "l.lab", graph], 1);
        assert!(error.contains(why), "{graph}: {error}");
    }
}
