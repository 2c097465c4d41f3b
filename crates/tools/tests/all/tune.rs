//! `gw tune` as a person uses it, and as a careless one ends it.

use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use crate::common::files;

/// Runs `gw` with a cache of its own.
fn gw(at: &Path, args: &[&str]) -> Output {
    command(at, args).output().expect("gw starts")
}

fn command(at: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(crate::GW);
    command.args(["--threads", "1"]).args(args).current_dir(at).env("GW_CACHE", at.join("cache"));
    command
}

fn told(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

const TUNE: [&str; 6] = ["tune", "sssp-delta", "road:60x60:weights=1..100", "--source=7", "--delta=2", "--budget"];

#[test]
fn a_tuned_schedule_is_a_file_and_an_entry_that_runs_use() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let output = gw(at, &[&TUNE[..], &["800ms", "--out", "road.schedule", "--explain"]].concat());
    let words = told(&output);
    assert!(output.status.success(), "{words}");
    assert!(words.contains("the rule of the machine: ") && words.contains("what mattered"), "{words}");
    let schedule = String::from_utf8(output.stdout).unwrap();
    assert_eq!(std::fs::read_to_string(at.join("road.schedule")).unwrap(), schedule);
    assert!(schedule.contains("s0:s1@"), "{schedule}");
    let run = ["run", "sssp-delta", "road:60x60:weights=1..100", "--source=7", "--delta=2", "--verify", "--schedule"];
    assert!(gw(at, &[&run[..], &["road.schedule"]].concat()).status.success());
    // An entry that cannot be read is passed over with a word; `rule` does not look at it.
    let journal = files(&at.join("cache/schedules")).into_iter().find(|name| name.ends_with(".journal")).unwrap();
    let entry = at.join("cache/schedules").join(journal.replace(".journal", ".json"));
    std::fs::write(&entry, "{}").unwrap();
    let output = gw(at, &[&run[..], &["auto"]].concat());
    assert!(output.status.success() && told(&output).contains("what was tuned cannot be used"), "{}", told(&output));
    let output = gw(at, &[&run[..], &["rule"]].concat());
    assert!(output.status.success() && !told(&output).contains("tuned"), "{}", told(&output));
}

#[test]
fn a_killed_search_loses_nothing_that_was_measured() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    assert!(gw(at, &["lab", "init", "my.lab"]).status.success());
    let mut command = command(at, &[&TUNE[..], &["60s", "--lab", "my.lab"]].concat());
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("gw starts");
    // Until the journal has a measurement: a busy machine takes its time.
    let journal = at.join("cache/schedules");
    let size = || -> u64 {
        let names = if journal.is_dir() { files(&journal) } else { Vec::new() };
        names.iter().filter_map(|name| std::fs::metadata(journal.join(name)).ok()).map(|file| file.len()).sum()
    };
    let wait_for_more_than = |bytes: u64| {
        for _ in 0..600 {
            if size() > bytes {
                break;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    };
    wait_for_more_than(2000);
    // The lab is written with the first measurement after half a second.
    std::thread::sleep(Duration::from_millis(600));
    wait_for_more_than(size());
    std::thread::sleep(Duration::from_millis(600));
    child.kill().unwrap();
    child.wait().unwrap();
    let output = gw(at, &[&TUNE[..], &["500ms", "--lab", "my.lab"]].concat());
    let words = told(&output);
    assert!(output.status.success() && words.contains("measurements of an earlier search were taken up"), "{words}");
    assert!(words.contains("the lab gives "), "{words}");
    let output = gw(at, &[&TUNE[..], &["500ms", "--fresh"]].concat());
    assert!(output.status.success() && !told(&output).contains("earlier search"), "{}", told(&output));
}

#[test]
fn bad_input_is_told_with_its_mend() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let refused = |args: &[&str], code: i32, word: &str| {
        let output = gw(at, args);
        let words = told(&output);
        assert_eq!(output.status.code(), Some(code), "{words}");
        assert!(words.contains(word), "{args:?}: {words}");
    };
    std::fs::write(at.join("text.lab"), "no lab").unwrap();
    refused(&["tune", "bfs", "path:9", "--budget", "soon"], 2, "write 10s, 2m, 500ms");
    refused(&["tune", "bsf", "path:9"], 2, "bfs");
    refused(&["tune", "bfs", "nothing.mtx", "--budget", "1s"], 1, "nothing.mtx");
    refused(&["tune", "bfs", "path:9", "--lab", "gone.lab"], 2, "gw lab init");
    refused(&["tune", "bfs", "path:9", "--lab", "text.lab"], 1, "text.lab");
    refused(&["tune", "bfs", "path:9", "--survey", "5"], 2, "--lab");
    refused(&["tune", "bfs", "path:9", "--objective", "joy"], 2, "possible values");
    refused(&["tune", "bfs", "path:9", "--objective", "energy", "--target", "swarm"], 2, "the machine is simulated");
    assert!(gw(at, &["lab", "init", "my.lab"]).status.success());
    let output = gw(at, &["tune", "bfs", "grid:30x30", "--budget", "300ms", "--lab", "my.lab"]);
    assert!(output.status.success() && told(&output).contains("the lab knows nothing"), "{}", told(&output));
    refused(&["lab", "contribute", "my.lab", "my.lab"], 2, "my.lab");
    let output = gw(at, &["lab", "contribute", "my.lab", "given.lab"]);
    assert!(output.status.success(), "{}", told(&output));
    let output = gw(at, &["lab", "merge", "my.lab", "given.lab"]);
    assert!(String::from_utf8_lossy(&output.stdout).contains("0 trials of tuners"), "{}", told(&output));
}

/// On a computer whose energy can be read the search runs; elsewhere the cause and the mend are told.
#[test]
fn energy_is_tuned_for_or_the_cause_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let output = gw(at, &[&TUNE[..], &["3s", "--objective", "time-energy"]].concat());
    let words = told(&output);
    match output.status.success() {
        true => assert!(words.contains("the product of the joules and the seconds of a run"), "{words}"),
        false => {
            assert_eq!(output.status.code(), Some(2), "{words}");
            assert!(words.contains("--objective time-energy: the energy of cpu cannot be metered"), "{words}");
            assert!(words.contains("run on the computer itself") || words.contains("sudo chmod"), "{words}");
        }
    }
    // Nothing was tuned for energy: the rule runs.
    let run = ["run", "sssp-delta", "road:60x60:weights=1..100", "--source=7", "--delta=2", "--verify", "--schedule"];
    assert!(gw(at, &[&run[..], &["auto:energy"]].concat()).status.success());
    let output = gw(at, &[&run[..], &["auto:joy"]].concat());
    let words = told(&output);
    assert!(output.status.code() == Some(2) && words.contains("known are time, energy, time-energy"), "{words}");
}

#[test]
fn a_file_that_cannot_be_written_is_refused_before_the_work() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let begun = std::time::Instant::now();
    let refused = |args: &[&str], word: &str| {
        let output = gw(at, args);
        let words = told(&output);
        assert!(output.status.code() == Some(2) && words.contains(word), "{words}");
    };
    refused(&[&TUNE[..], &["60s", "--out", "gone/x.schedule"]].concat(), "--out gone/x.schedule: ");
    refused(&["meter", "--out", "."], "--out .: ");
    refused(&["explain", "bfs", "kron:16", "--html", "gone/x.html", "--search", "60"], "--html gone/x.html: ");
    assert!(begun.elapsed() < Duration::from_secs(30));
    // Nothing is left of the attempt, and what is there stays until the end.
    std::fs::write(at.join("old.schedule"), "old").unwrap();
    let mut child = command(at, &[&TUNE[..], &["60s", "--out", "old.schedule"]].concat()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(500));
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(std::fs::read_to_string(at.join("old.schedule")).unwrap(), "old");
}

/// However many schedules are wanted, the budget holds and Ctrl-C ends it with the code of an interrupt.
#[cfg(unix)]
#[test]
fn a_survey_ends_by_its_budget_or_by_ctrl_c() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    assert!(gw(at, &["lab", "init", "my.lab"]).status.success());
    let survey = ["--lab", "my.lab", "--survey", "2000000000"];
    let begun = std::time::Instant::now();
    let output = gw(at, &[&TUNE[..], &["500ms"], &survey[..]].concat());
    assert!(output.status.success(), "{}", told(&output));
    assert!(begun.elapsed() < Duration::from_secs(20));
    let mut command = command(at, &[&TUNE[..], &["100s"], &survey[..]].concat());
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("gw starts");
    std::thread::sleep(Duration::from_millis(2500));
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    let words = told(&output);
    assert!(output.status.code() == Some(130) && words.contains("interrupted after "), "{words}");
}

#[test]
fn the_learned_choice_is_trained_from_surveys_and_used() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    assert!(gw(at, &["lab", "init", "my.lab"]).status.success());
    let choice = ["model", "choice", "my.lab", "-o", "my.json", "--judge"];
    let output = gw(at, &choice);
    assert!(!output.status.success() && told(&output).contains("--survey portfolio"), "{}", told(&output));
    std::fs::write(at.join("graphs"), "# a comment\n\nkron:6\nroad:9x9\nmissing.mtx\nurand:6:4\n").unwrap();
    let survey = ["tune", "cc", "--survey", "portfolio", "--graphs", "graphs", "--budget", "5s", "--lab", "my.lab"];
    let output = gw(at, &survey);
    let words = told(&output);
    assert!(output.status.success() && words.contains("missing.mtx is left out"), "{words}");
    let output = gw(at, &choice);
    let answer = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && answer.contains("1 programs on 3 graphs"), "{answer}{}", told(&output));
    // What was measured on one machine says nothing about another.
    let output = gw(at, &[&choice[..], &["--target", "cuda"]].concat());
    assert!(!output.status.success() && told(&output).contains("with the machine cuda"), "{}", told(&output));
    // A model of one leaf that always promises a gain.
    let text = std::fs::read_to_string(at.join("my.json")).unwrap();
    let mut model: serde_json::Value = serde_json::from_str(&text).unwrap();
    let candidates = serde_json::json!([{"schedule": "pull,par=serial,frontier=bitmap", "trees": ["-1"]}]);
    model["kinds"] = serde_json::json!({"frontier": {"*": candidates}});
    std::fs::write(at.join("sure.json"), model.to_string()).unwrap();
    let run = |schedule: &str, model: &str| {
        let args = ["run", "cc", "kron:6", "--verify", "--explain-schedule", "--schedule", schedule];
        let output = command(at, &args).env("GW_CHOICE_MODEL", model).output().expect("gw starts");
        assert!(output.status.success(), "{}", told(&output));
        told(&output)
    };
    let words = run("auto", "sure.json");
    assert!(words.contains("pull,par=serial") && words.contains("learned from 1 programs on 3 graphs"), "{words}");
    assert!(!run("rule", "sure.json").contains("pull,par=serial,frontier=bitmap\n      learned"));
    std::fs::write(at.join("bad.json"), text.replace("\"version\": 1", "\"version\": 99")).unwrap();
    let words = run("auto", "bad.json");
    assert!(words.contains("cannot be used") && words.contains("version 99"), "{words}");
    assert!(run("auto", "none.json").contains("cannot be used: cannot read none.json"));
}
