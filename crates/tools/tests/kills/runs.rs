//! `gw run` with checkpoints and results in files, and `gw tune` with its journal and its cache.

use crate::drill::{Drill, End, files, names, old_or_new};

#[test]
fn a_run_goes_on_from_its_checkpoint() {
    let run =
        ["run", "pagerank", "kron:7", "30", "0", "--threads", "1", "--out", "rank=r.txt", "--checkpoint", "saved"];
    for (name, more) in [
        ("run: checkpoints", &["--every", "7"][..]),
        ("run: --resume=if-there", &["--every", "7", "--resume=if-there"]),
    ] {
        Drill::new(name, &[&run[..], more].concat()).run();
    }
}

#[test]
fn workers_go_on_from_their_checkpoint() {
    let args = ["run", "pagerank", "kron:7", "12", "0", "--target", "flow", "--workers", "2", "--out", "rank=r.txt"];
    let saving = ["--checkpoint", "saved", "--every", "5", "--resume=if-there"];
    Drill::new("run: checkpoints of workers", &[&args[..], &saving].concat()).kills(3).run();
}

#[test]
fn results_appear_whole() {
    let args = ["run", "bfs-levels", "kron:8", "0", "--out", "level=level.csv"];
    Drill::new("run: a table", &args).file("level.csv", "old").killed(old_or_new(&[("level.csv", "old")])).run();
    if gw_testing::is_nightly() {
        for ending in ["txt", "tsv", "csv.gz", "csv.zst", "parquet", "arrow", "json", "jsonl", "npy"] {
            let out = format!("level=level.{ending}");
            let args = ["run", "bfs-levels", "kron:8", "0", "--out", &out];
            Drill::new(&format!("run: {ending}"), &args).killed(old_or_new(&[])).run();
        }
        for ending in ["csv", "graphml", "gexf"] {
            let all = format!("all.{ending}");
            let args = ["run", "bfs-levels,cc", "kron:8", "--out", &all];
            Drill::new(&format!("run: programs, {ending}"), &args).killed(old_or_new(&[])).run();
        }
    }
}

/// Schedules that were found differ from run to run; where the rule of the machine is as good, the cache has no entry.
fn tuned(end: &End<'_>) -> String {
    let schedule = std::fs::read_to_string(end.folder.join("s.txt")).expect("a schedule");
    assert!(schedule.ends_with('\n') && schedule.len() > 1, "{schedule:?}");
    let is_entry = |name: &str| name.starts_with("cache/schedules/") && name.ends_with(".json");
    for (name, entry) in files(end.folder).into_iter().filter(|(name, _)| is_entry(name)) {
        assert!(serde_json::from_slice::<serde_json::Value>(&entry).is_ok(), "{name} is no entry");
    }
    names(end.folder).lines().filter(|name| !is_entry(name)).map(|name| format!("{name}\n")).collect()
}

#[test]
fn a_search_goes_on() {
    let args = ["tune", "bfs", "kron:6", "0", "--budget", "100ms", "--out", "s.txt"];
    Drill::new("tune: journal, cache, file", &args).state(tuned).kills(4).run();
    if gw_testing::is_nightly() {
        let args = [&args[..], &["--lab", "my.lab"]].concat();
        Drill::new("tune: with a lab", &args).after(&["lab", "init", "my.lab"]).state(tuned).run();
    }
}

#[test]
fn a_sheet_is_kept_whole() {
    if gw_testing::is_nightly() {
        let drill = Drill::new("meter: sheet", &["meter", "--quick"]).state(|end| names(end.folder));
        let whole = |end: &End<'_>, _: &End<'_>| {
            if let Ok(text) = std::fs::read(end.folder.join("cache/meter-cpu.json")) {
                serde_json::from_slice::<serde_json::Value>(&text).expect("a whole sheet");
            }
        };
        drill.killed(whole).run();
    }
}
