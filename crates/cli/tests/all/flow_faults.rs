//! `gw run --target flow` when something goes wrong: processes that are killed, missing, strange or disagree. Every
//! process ends soon, with one message that names the culprit, and no result is half-written.

#![cfg(target_os = "linux")]

use std::net::TcpListener;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use crate::common::gw;

/// Within this time all processes must have ended.
const LIMIT: Duration = Duration::from_secs(10);

fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

fn start(folder: &Path, args: &[&str], environment: &[(&str, &str)]) -> Child {
    let mut command = Command::new(crate::GW);
    command.args(args).envs(environment.iter().copied()).current_dir(folder).process_group(0);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Waits for a process, which must end in time.
fn end(mut child: Child) -> Output {
    let since = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if since.elapsed() > LIMIT {
            child.kill().unwrap();
            panic!("still running after {LIMIT:?}: {}", text(&child.wait_with_output().unwrap()));
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    child.wait_with_output().unwrap()
}

fn children(process: u32) -> Vec<String> {
    let path = format!("/proc/{process}/task/{process}/children");
    std::fs::read_to_string(path).unwrap_or_default().split_whitespace().map(str::to_string).collect()
}

fn is_alive(process: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with('Z'))
}

fn signal(which: &str, process: &str) {
    assert!(Command::new("kill").args([which, "--", process]).stderr(Stdio::null()).status().is_ok());
}

/// Addresses on this host where nobody listens.
fn hosts(folder: &Path, name: &str, count: usize) -> Vec<String> {
    let listeners: Vec<TcpListener> = (0..count).map(|_| TcpListener::bind("127.0.0.1:0").unwrap()).collect();
    let addresses: Vec<String> = listeners.iter().map(|l| l.local_addr().unwrap().to_string()).collect();
    std::fs::write(folder.join(name), addresses.join("\n")).unwrap();
    addresses
}

#[test]
fn processes_start_by_themselves_and_agree_with_the_reference_machine() {
    let folder = tempfile::tempdir().unwrap();
    let alone = ["run", "cc", "kron:8", "--target", "reference", "--out", "label=alone.txt"];
    assert!(gw(folder.path(), &alone).status.success());
    let wanted = std::fs::read_to_string(folder.path().join("alone.txt")).unwrap();
    for (processes, workers) in [("1", "1"), ("2", "2"), ("4", "1"), ("3", "2")] {
        let args = ["run", "cc", "kron:8", "--target", "flow", "--processes", processes, "--workers", workers];
        let output = gw(folder.path(), &[&args[..], &["--verify", "--out", "label=out.txt"]].concat());
        assert!(output.status.success(), "{processes}: {}", text(&output));
        assert_eq!(text(&output).matches("cc on flow:").count(), 1, "{}", text(&output));
        assert!(std::fs::read_to_string(folder.path().join("out.txt")).unwrap() == wanted, "{processes} {workers}");
        std::fs::remove_file(folder.path().join("out.txt")).unwrap();
    }
    // More workers than vertices, and a graph without edges.
    std::fs::write(folder.path().join("none.el"), "# no edges\n0 0\n").unwrap();
    for graph in ["path:3", "none.el"] {
        let args = ["run", "cc", graph, "--target", "flow", "--processes", "3", "--workers", "2", "--verify"];
        let output = gw(folder.path(), &args);
        assert!(output.status.success(), "{graph}: {}", text(&output));
    }
    assert!(gw(folder.path(), &["graph", "partition", "kron:7", "2", "parts"]).status.success());
    for (args, code, word) in [
        (&["run", "bfs", "kron:7", "--target", "flow", "--processes", "0"][..], 2, "1 to 64 processes"),
        (&["run", "bfs", "kron:7", "--processes", "2"], 2, "go with --target flow"),
        (&["run", "bfs", "kron:7", "--target", "flow", "--processes", "40", "--workers", "40"], 2, "1 to 1024 workers"),
        (&["run", "bfs", "none", "--target", "flow", "--processes", "3"], 2, "there is no file"),
        (&["run", "cdlp", "parts", "5", "--target", "flow", "--processes", "2"], 1, "give it as one file"),
    ] {
        let output = gw(folder.path(), args);
        assert_eq!(output.status.code(), Some(code), "{args:?}: {}", text(&output));
        assert_eq!(text(&output).matches(word).count(), 1, "{args:?}: {}", text(&output));
    }
}

/// A program whose own schedule the workers cannot share gets the choice of the machine, and one line says so; so does
/// one about an operator that runs on one worker.
#[test]
fn schedules_and_operators_that_do_not_fit_are_told_of_once() {
    let folder = tempfile::tempdir().unwrap();
    let flow = ["--target", "flow", "--processes", "2", "--workers", "2", "--verify"];
    for (program, more, word) in [
        ("kcore", &[][..], "gw: flow chooses the schedule, since with the program's own line 27 runs on one of"),
        ("sssp-delta", &["4", "3"], "gw: flow chooses the schedule, since it cannot run the program's own: "),
        ("kcore", &["--schedule", "s0:s1@push"], "gw: line 27 runs on one of the workers while the others wait: line "),
        ("similar", &[], "assigns entries of `common` that other workers may assign as well"),
        ("pagerank", &[], "pagerank on flow"),
    ] {
        let output = gw(folder.path(), &[&["run", program, "kron:7:weights=1..9"], more, &flow].concat());
        assert!(output.status.success(), "{program}: {}", text(&output));
        assert_eq!(text(&output).matches(word).count(), 1, "{program}: {}", text(&output));
    }
}

/// Kills a random process at a random moment: 5 times, or 100 with GW_NIGHTLY=1.
#[test]
fn whoever_is_killed_is_named_and_nobody_stays_behind() {
    let folder = tempfile::tempdir().unwrap();
    let result = folder.path().join("rank.txt");
    let kills = gw_testing::usually(5, 100);
    let mut random = 0x9e37_79b9_7f4a_7c15u64;
    let mut next = |below: u64| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) % below
    };
    let mut named = 0;
    for kill in 0..kills {
        let (processes, workers) = ((2 + next(3)).to_string(), (1 + next(2)).to_string());
        let args = ["run", "pagerank", "kron:11", "3000", "0", "--target", "flow", "--out", "rank=rank.txt"];
        let args = [&args[..], &["--processes", &processes, "--workers", &workers]].concat();
        let launcher = start(folder.path(), &args, &[]);
        let since = Instant::now();
        while children(launcher.id()).len().to_string() != processes && since.elapsed() < LIMIT {
            std::thread::sleep(Duration::from_millis(1));
        }
        let started = children(launcher.id());
        std::thread::sleep(Duration::from_millis(next(1200)));
        let victim = next(started.len() as u64) as usize;
        signal("-9", &started[victim]);
        let output = end(launcher);
        let said = text(&output);
        let case = format!("kill {kill}: process {victim} of {processes} x {workers}: {said}");
        assert!(!said.contains("panicked"), "{case}");
        match output.status.code() {
            Some(0) => assert_eq!(std::fs::read_to_string(&result).unwrap().lines().count(), 2048, "{case}"),
            Some(1) => {
                let wanted = format!("gw: process {victim} was ended by signal 9");
                assert!(said.contains(&wanted) && said.lines().count() == 1, "{case}");
                assert!(!result.exists(), "{case}");
                named += 1;
            }
            _ => panic!("{case}"),
        }
        assert!(!started.iter().any(|process| is_alive(process)), "{case}");
        let _ = std::fs::remove_file(&result);
    }
    assert!(named > 0, "all {kills} kills came too late");
}

#[test]
fn ctrl_c_ends_all_processes() {
    let folder = tempfile::tempdir().unwrap();
    let args = ["run", "pagerank", "kron:11", "1000000", "0", "--target", "flow", "--processes", "3"];
    for (to_group, which, code) in
        [(true, "-INT", 130), (false, "-INT", 130), (false, "-TERM", 143), (true, "-HUP", 129)]
    {
        let launcher = start(folder.path(), &args, &[]);
        std::thread::sleep(Duration::from_millis(1500));
        let (process, started) = (launcher.id().to_string(), children(launcher.id()));
        assert_eq!(started.len(), 3);
        signal(which, &if to_group { format!("-{process}") } else { process });
        let output = end(launcher);
        assert_eq!(output.status.code(), Some(code), "{which}: {}", text(&output));
        assert_eq!(text(&output).matches("the run was cancelled").count(), 1, "{which}: {}", text(&output));
        assert!(!started.iter().any(|process| is_alive(process)), "{which}: {}", text(&output));
    }
}

/// A process that stands still answers nobody: it is killed when the run is to end, and named.
#[test]
fn processes_that_stand_still_do_not_stay() {
    let folder = tempfile::tempdir().unwrap();
    let args = ["run", "pagerank", "kron:11", "1000000", "0", "--target", "flow", "--processes", "3", "--timeout", "3"];
    for (which, code, limit) in [("-INT", Some(130), 4000), ("", Some(1), 5000), ("-KILL", None, 4000)] {
        let since = Instant::now();
        let launcher = start(folder.path(), &args, &[]);
        std::thread::sleep(Duration::from_millis(1200));
        let (process, started) = (launcher.id().to_string(), children(launcher.id()));
        assert_eq!(started.len(), 3);
        signal("-STOP", &started[1]);
        if !which.is_empty() {
            signal(which, &process);
        }
        let output = end(launcher);
        let took = since.elapsed();
        let case = format!("{which}: {took:?}: {}", text(&output));
        assert!(output.status.code() == code && took < Duration::from_millis(limit), "{case}");
        if code.is_some() {
            assert_eq!(text(&output).matches("gw: process 1 did not answer and was killed").count(), 1, "{case}");
        }
        // Without a launcher they find out by themselves.
        while started.iter().any(|process| is_alive(process)) {
            assert!(since.elapsed() < LIMIT, "somebody stayed behind: {case}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

/// A run that was killed goes on from its last checkpoint and ends with the result of one that was not.
#[test]
fn a_killed_run_resumes_from_its_checkpoint() {
    let folder = tempfile::tempdir().unwrap();
    let args = ["run", "pagerank", "kron:11", "600", "0", "--target", "flow", "--processes", "2", "--out"];
    let saving = ["--checkpoint", "saved", "--every", "20"];
    let whole = gw(folder.path(), &[&args[..], &["rank=whole.txt"]].concat());
    assert!(whole.status.success(), "{}", text(&whole));
    let none = gw(folder.path(), &[&args[..], &["rank=out.txt", "--resume"], &saving].concat());
    assert_eq!(none.status.code(), Some(1), "{}", text(&none));
    assert!(text(&none).contains("the checkpoint saved/checkpoint.gwc is not there"), "{}", text(&none));
    let launcher = start(folder.path(), &[&args[..], &["rank=out.txt"], &saving].concat(), &[]);
    let since = Instant::now();
    while !folder.path().join("saved/checkpoint.gwc").exists() && since.elapsed() < LIMIT {
        std::thread::sleep(Duration::from_millis(2));
    }
    signal("-9", &children(launcher.id())[1]);
    assert_eq!(end(launcher).status.code(), Some(1));
    assert!(!folder.path().join("out.txt").exists());
    let resumed = gw(folder.path(), &[&args[..], &["rank=out.txt", "--resume"], &saving].concat());
    assert!(resumed.status.success(), "{}", text(&resumed));
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    assert!(read("out.txt") == read("whole.txt"));
    // Another graph of the same name is noticed.
    let other = args.map(|arg| if arg == "kron:11" { "kron:10" } else { arg });
    let refused = gw(folder.path(), &[&other[..], &["rank=out.txt", "--resume"], &saving].concat());
    assert!(text(&refused).contains("belongs to a run with another graph"), "{}", text(&refused));
}

#[test]
fn what_cannot_be_saved_is_told_before_the_first_round() {
    let folder = tempfile::tempdir().unwrap();
    let queue = ["run", "kcore", "kron:8", "--checkpoint", "saved", "--every", "1000000"];
    let output = gw(folder.path(), &queue);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    assert!(text(&output).contains("a checkpoint cannot hold a priority queue"), "{}", text(&output));
    std::fs::write(folder.path().join("file"), "").unwrap();
    let nowhere = ["run", "pagerank", "kron:8", "--checkpoint", "file/saved", "--every", "1000000"];
    let output = gw(folder.path(), &nowhere);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    assert!(text(&output).contains("file/saved cannot be made"), "{}", text(&output));
}

/// Two processes with the same hosts file and other arguments each; what both said.
fn two(folder: &Path, first: &[&str], second: &[&str], tokens: [&str; 2]) -> [Output; 2] {
    hosts(folder, "hosts", 2);
    let started = [("0", first), ("1", second)].map(|(process, args)| {
        let token = tokens[if process == "0" { 0 } else { 1 }];
        let args = [args, &["--target", "flow", "--hosts", "hosts", "--process", process, "--wait", "4"]].concat();
        start(folder, &args, &[("GW_FLOW_TOKEN", token)])
    });
    started.map(end)
}

#[test]
fn processes_that_disagree_refuse_to_run() {
    let folder = tempfile::tempdir().unwrap();
    let bfs = ["run", "bfs", "kron:8", "1"];
    let both = two(folder.path(), &bfs, &bfs, ["word", "word"]);
    assert!(both.iter().all(|output| output.status.success()), "{}{}", text(&both[0]), text(&both[1]));
    for (first, second, tokens, word) in [
        (&bfs[..], &["run", "bfs", "kron:8:seed=9", "1"][..], ["", ""], "process 1 has another graph than process 0"),
        (&bfs, &["run", "bfs", "kron:9", "1"], ["", ""], "512 vertices"),
        (&bfs, &["run", "bfs", "kron:8", "2"], ["", ""], "process 1 runs with other arguments"),
        (&bfs, &["run", "cc", "kron:8"], ["", ""], "process 1 runs another program"),
        (&bfs, &["run", "bfs", "kron:8", "1", "--workers", "2"], ["", ""], "workers, this one"),
        (&bfs, &bfs, ["word", "another"], "does not have the token of this run"),
    ] {
        for output in two(folder.path(), first, second, tokens) {
            assert_eq!(output.status.code(), Some(1), "{second:?}: {}", text(&output));
            assert!(text(&output).contains(word), "{second:?}: {}", text(&output));
        }
    }
}

/// The same name, another content: arguments do not tell.
#[test]
fn files_of_values_must_be_the_same_everywhere() {
    let folder = tempfile::tempdir().unwrap();
    hosts(folder.path(), "hosts", 2);
    let started = ["0", "1"].map(|process| {
        let own = folder.path().join(process);
        std::fs::create_dir(&own).unwrap();
        std::fs::write(own.join("seeds.txt"), format!("1 1\n2 {process}.5\n")).unwrap();
        let flow = ["--target", "flow", "--hosts", "../hosts", "--process", process, "--wait", "4"];
        start(&own, &[&["run", "ppr", "kron:8", "@seeds.txt"], &flow[..]].concat(), &[])
    });
    for output in started.map(end) {
        assert_eq!(output.status.code(), Some(1), "{}", text(&output));
        assert!(text(&output).contains("process 1 runs with other values of vertices"), "{}", text(&output));
    }
}

#[test]
fn hosts_that_are_missing_or_lost_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let args = ["run", "pagerank", "kron:11", "1000000", "0", "--target", "flow", "--hosts", "hosts"];
    let process = |number: &str| start(folder.path(), &[&args[..], &["--process", number]].concat(), &[]);
    // One of three never comes.
    let addresses = hosts(folder.path(), "hosts", 3);
    for output in [process("0"), process("1")].map(end) {
        assert_eq!(output.status.code(), Some(1));
        let wanted = format!("process 2 at {} did not answer within 8 s", addresses[2]);
        assert!(text(&output).contains(&wanted), "{}", text(&output));
    }
    // One of three is killed.
    let addresses = hosts(folder.path(), "hosts", 3);
    let [first, second, third] = ["0", "1", "2"].map(process);
    std::thread::sleep(Duration::from_millis(1500));
    signal("-9", &second.id().to_string());
    for output in [end(first), end(third)] {
        assert_eq!(output.status.code(), Some(1));
        let wanted = format!("process 1 at {} has closed its connection", addresses[1]);
        assert!(text(&output).contains(&wanted) && !text(&output).contains("panicked"), "{}", text(&output));
    }
    end(second);
    // The same number twice: the second cannot listen.
    hosts(folder.path(), "hosts", 2);
    let first = process("0");
    std::thread::sleep(Duration::from_millis(500));
    let twice = end(process("0"));
    assert_eq!(twice.status.code(), Some(1));
    assert!(text(&twice).contains("process 0 cannot listen at 127.0.0.1"), "{}", text(&twice));
    signal("-9", &first.id().to_string());
    end(first);
}

/// A process that stands still is noticed by its silence, which takes six seconds.
#[test]
fn a_process_that_stands_still_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    hosts(folder.path(), "hosts", 2);
    let args = ["run", "pagerank", "kron:11", "1000000", "0", "--target", "flow", "--hosts", "hosts"];
    let [first, second] =
        ["0", "1"].map(|number| start(folder.path(), &[&args[..], &["--process", number]].concat(), &[]));
    std::thread::sleep(Duration::from_millis(1500));
    signal("-STOP", &second.id().to_string());
    let output = end(first);
    signal("-9", &second.id().to_string());
    end(second);
    assert!(text(&output).contains("has not been heard of for 6 s"), "{}", text(&output));
}
