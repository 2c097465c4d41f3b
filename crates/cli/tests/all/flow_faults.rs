//! `gw run --target flow` when something goes wrong: ranks that are killed, stand still, fail or disagree. All ranks
//! end soon, one of them says why, and no result is half-written.

#![cfg(target_os = "linux")]

use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use crate::common::{self, failure_of, gw, ranks, text};

/// Within this time all processes must have ended.
const LIMIT: Duration = Duration::from_secs(10);

/// Starts a command in a group of its own.
fn start(folder: &Path, args: &[&str]) -> Child {
    let mut command = common::command(folder, args);
    command.process_group(0).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
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

/// Processes that a process has started.
fn children(process: &str) -> Vec<String> {
    let path = format!("/proc/{process}/task/{process}/children");
    std::fs::read_to_string(path).unwrap_or_default().split_whitespace().map(str::to_string).collect()
}

/// The ranks that a launcher has started, once all are there. MPICH has a process of its own in between.
fn ranks_of(launcher: &Child, count: usize) -> Vec<String> {
    let since = Instant::now();
    loop {
        let between = children(&launcher.id().to_string());
        let found: Vec<String> = between.iter().flat_map(|process| children(process)).collect();
        if found.len() == count || since.elapsed() > LIMIT {
            return found;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn is_alive(process: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with('Z'))
}

/// Whether all of these processes end, if a moment later than their launcher.
fn all_end(processes: &[String]) -> bool {
    let since = Instant::now();
    while processes.iter().any(|process| is_alive(process)) {
        if since.elapsed() > LIMIT {
            return false;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    true
}

fn signal(which: &str, process: &str) {
    assert!(Command::new("kill").args([which, "--", process]).stderr(Stdio::null()).status().is_ok());
}

#[test]
fn processes_start_by_themselves_and_what_all_find_is_told_once() {
    if gw_testing::mpi::programs().is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let alone = ["run", "cc", "kron:8", "--target", "reference", "--out", "label=alone.txt"];
    assert!(gw(folder.path(), &alone).status.success());
    let wanted = std::fs::read_to_string(folder.path().join("alone.txt")).unwrap();
    for (processes, workers) in [("1", "1"), ("2", "2"), ("3", "1")] {
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
        (&["run", "bfs", "none", "--target", "flow", "--processes", "3"][..], 2, "there is no file"),
        (&["run", "cdlp", "parts", "5", "--target", "flow", "--processes", "2"], 1, "as one file"),
        (&["run", "none.gt", "kron:5", "--target", "flow", "--processes", "2"], 1, "none.gt"),
    ] {
        let error = failure_of(gw(folder.path(), args), code);
        assert_eq!(error.matches(word).count(), 1, "{args:?}: {error}");
    }
    let args = ["run", "bfs", "kron:7", "--target", "flow", "--processes", "3"];
    let Some(output) = ranks(folder.path(), 2, &args) else { return };
    let error = failure_of(output, 2);
    assert_eq!(error.matches("--processes 3, but 2 ranks were started").count(), 1, "{error}");
}

/// What one rank finds is told by this one, with the line of the program; it ends the others.
#[test]
fn a_fault_of_one_rank_ends_all() {
    let folder = tempfile::tempdir().unwrap();
    let program = "element V end
element E end
const edges : edgeset{E}(V,V) = load(argv[1]);
const vertices : vertexset{V} = edges.getVertices();
const y : vector{V}(int) = 0;
func f(v : V) y[v + 1] = 3; end
func main()
    vertices.apply(f);
    print y.sum();
end
";
    std::fs::write(folder.path().join("fault.gt"), program).unwrap();
    let Some(output) = ranks(folder.path(), 3, &["run", "fault.gt", "path:9", "--target", "flow"]) else { return };
    let error = failure_of(output, 1);
    assert_eq!(error.matches("is out of range").count(), 1, "{error}");
    assert!(error.contains("process 2 of 3 failed") && error.contains("fault.gt:6:"), "{error}");
}

/// A program whose own schedule the workers cannot share gets the choice of the machine, and one line says so; so does
/// one about an operator that runs on one worker.
#[test]
fn schedules_and_operators_that_do_not_fit_are_told_of_once() {
    if gw_testing::mpi::programs().is_none() {
        return;
    }
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

/// Kills a random rank at a random moment: 5 times, or 100 with GW_NIGHTLY=1.
#[test]
fn when_a_rank_is_killed_nobody_stays_behind() {
    if gw_testing::mpi::programs().is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let result = folder.path().join("rank.txt");
    let kills = gw_testing::usually(5, 100);
    let mut random = 0x9e37_79b9_7f4a_7c15u64;
    let mut next = |below: u64| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) % below
    };
    let mut ended = 0;
    for kill in 0..kills {
        let (count, workers) = (2 + next(2), (1 + next(2)).to_string());
        let processes = count.to_string();
        let args = ["run", "pagerank", "kron:11", "3000", "0", "--target", "flow", "--out", "rank=rank.txt"];
        let args = [&args[..], &["--processes", &processes, "--workers", &workers]].concat();
        let launcher = start(folder.path(), &args);
        let started = ranks_of(&launcher, count as usize);
        std::thread::sleep(Duration::from_millis(next(1200)));
        let victim = next(started.len() as u64) as usize;
        signal("-9", &started[victim]);
        let output = end(launcher);
        let said = text(&output);
        let case = format!("kill {kill}: rank {victim} of {processes} x {workers}: {said}");
        assert!(!said.contains("panicked"), "{case}");
        match output.status.code() {
            Some(0) => assert_eq!(std::fs::read_to_string(&result).unwrap().lines().count(), 2048, "{case}"),
            Some(9) => {
                assert!(said.contains("signal 9"), "{case}");
                assert!(!result.exists(), "{case}");
                ended += 1;
            }
            // A rank that dies while the launcher talks to it: some launchers fail over that with a code of their own.
            Some(_) => assert!(!result.exists() && said.contains("proxy"), "{case}"),
            None => panic!("{case}"),
        }
        assert!(all_end(&started), "{case}");
        let _ = std::fs::remove_file(&result);
    }
    assert!(ended > 0, "all {kills} kills came too late");
}

#[test]
fn ctrl_c_ends_all_ranks() {
    if gw_testing::mpi::programs().is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let args = ["run", "pagerank", "kron:11", "1000000", "0", "--target", "flow", "--processes", "2"];
    for (which, code) in [("-INT", 130), ("-TERM", 143)] {
        let launcher = start(folder.path(), &args);
        let started = ranks_of(&launcher, 2);
        std::thread::sleep(Duration::from_millis(1500));
        signal(which, &launcher.id().to_string());
        let output = end(launcher);
        assert_eq!(output.status.code(), Some(code), "{which}: {}", text(&output));
        assert_eq!(text(&output).matches("the run was cancelled").count(), 1, "{which}: {}", text(&output));
        assert!(all_end(&started), "{which}: {}", text(&output));
    }
}

/// A rank that stands still answers nobody; the time limit of the others ends all.
#[test]
fn the_time_limit_ends_ranks_that_wait() {
    if gw_testing::mpi::programs().is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let args = ["run", "pagerank", "kron:11", "1000000", "0", "--target", "flow", "--processes", "2", "--timeout", "3"];
    for stands_still in [false, true] {
        let launcher = start(folder.path(), &args);
        let started = ranks_of(&launcher, 2);
        std::thread::sleep(Duration::from_millis(1200));
        if stands_still {
            signal("-STOP", &started[1]);
        }
        let output = end(launcher);
        assert_eq!(output.status.code(), Some(1), "{}", text(&output));
        assert_eq!(text(&output).matches("time limit of 3 s").count(), 1, "{}", text(&output));
        assert!(all_end(&started), "{}", text(&output));
    }
}

/// A run that was killed goes on from its last checkpoint and ends with the result of one that was not.
#[test]
fn a_killed_run_resumes_from_its_checkpoint() {
    if gw_testing::mpi::programs().is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let args = ["run", "pagerank", "kron:11", "600", "0", "--target", "flow", "--processes", "2", "--out"];
    let saving = ["--checkpoint", "saved", "--every", "20"];
    let whole = gw(folder.path(), &[&args[..], &["rank=whole.txt"]].concat());
    assert!(whole.status.success(), "{}", text(&whole));
    let none = gw(folder.path(), &[&args[..], &["rank=out.txt", "--resume"], &saving].concat());
    assert_eq!(none.status.code(), Some(1), "{}", text(&none));
    assert!(text(&none).contains("the checkpoint saved/checkpoint.gwc is not there"), "{}", text(&none));
    let launcher = start(folder.path(), &[&args[..], &["rank=out.txt"], &saving].concat());
    let started = ranks_of(&launcher, 2);
    let since = Instant::now();
    while !folder.path().join("saved/checkpoint.gwc").exists() && since.elapsed() < LIMIT {
        std::thread::sleep(Duration::from_millis(2));
    }
    signal("-9", &started[1]);
    assert_eq!(end(launcher).status.code(), Some(9));
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

/// Two ranks, each with arguments of its own, and a folder of its own where these are given.
fn two(folder: &Path, each: [(&str, &[&str]); 2]) -> Option<Output> {
    let mut command = Command::new(gw_testing::mpi::programs()?.join("mpiexec"));
    for (at, (place, args)) in each.into_iter().enumerate() {
        if at > 0 {
            command.arg(":");
        }
        command.args(["-n", "1", "-wdir"]).arg(folder.join(place)).arg(crate::GW).args(args);
        command.args(["--target", "flow"]);
    }
    command.process_group(0).stdout(Stdio::piped()).stderr(Stdio::piped());
    Some(end(command.spawn().unwrap()))
}

#[test]
fn ranks_that_disagree_refuse_to_run() {
    let folder = tempfile::tempdir().unwrap();
    let bfs = ["run", "bfs", "kron:8", "1"];
    let Some(both) = two(folder.path(), [("", &bfs), ("", &bfs)]) else { return };
    assert!(both.status.success(), "{}", text(&both));
    for (second, word) in [
        (&["run", "bfs", "kron:8:seed=9", "1"][..], "process 1 has another graph than process 0"),
        (&["run", "bfs", "kron:9", "1"], "512 vertices"),
        (&["run", "bfs", "kron:8", "2"], "process 1 runs with other arguments"),
        (&["run", "cc", "kron:8"], "process 1 runs another program"),
    ] {
        let Some(output) = two(folder.path(), [("", &bfs), ("", second)]) else { return };
        let error = failure_of(output, 1);
        assert_eq!(error.matches(word).count(), 1, "{second:?}: {error}");
    }
}

/// The same name, another content: arguments do not tell.
#[test]
fn files_of_values_must_be_the_same_everywhere() {
    let folder = tempfile::tempdir().unwrap();
    for place in ["0", "1"] {
        std::fs::create_dir(folder.path().join(place)).unwrap();
        std::fs::write(folder.path().join(place).join("seeds.txt"), format!("1 1\n2 {place}.5\n")).unwrap();
    }
    let args = ["run", "ppr", "kron:8", "@seeds.txt"];
    let Some(output) = two(folder.path(), [("0", &args), ("1", &args)]) else { return };
    let error = failure_of(output, 1);
    assert_eq!(error.matches("process 1 runs with other values of vertices").count(), 1, "{error}");
}
