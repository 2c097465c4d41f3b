//! `gw graph` as a person uses it.

use crate::common::{failure, files, gw, json, success};

#[test]
fn a_generated_graph_is_the_same_for_any_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    for threads in ["1", "2", "5"] {
        let file = format!("k{threads}.gwg");
        success(folder.path(), &["--threads", threads, "graph", "generate", "kron:12:weights=1..9", "-o", &file]);
    }
    let read = |threads: &str| std::fs::read(folder.path().join(format!("k{threads}.gwg"))).unwrap();
    assert!(read("1") == read("2"));
    assert!(read("1") == read("5"));
}

#[test]
fn info_tells_the_promised_keys() {
    let folder = tempfile::tempdir().unwrap();
    success(folder.path(), &["graph", "generate", "kron:10", "-o", "k.gwg"]);
    let info = json(folder.path(), &["graph", "info", "k.gwg", "--json"]);
    assert_eq!(info["vertices"], 1024);
    assert_eq!(info["symmetric"], true);
    assert_eq!(info["weighted"], false);
    assert!(info["edges"].as_u64().unwrap() > 10_000);
    assert!(info["max_degree"].as_u64().unwrap() > 100);
    let text = success(folder.path(), &["graph", "info", "k.gwg"]);
    assert!(text.contains("power-law"), "{text}");
}

#[test]
fn every_format_leads_back_to_the_same_graph() {
    let folder = tempfile::tempdir().unwrap();
    success(folder.path(), &["graph", "generate", "road:12x9:weights=1..50", "-o", "a.gwg"]);
    let mut last = "a.gwg".to_string();
    for next in ["b.wel", "c.wel.gz", "d.mtx", "e.mtx.zst", "f.gr", "g.wsg", "out.h", "i.adj", "j.gwg"] {
        success(folder.path(), &["graph", "convert", &last, next]);
        last = next.to_string();
    }
    let first = success(folder.path(), &["graph", "convert", "a.gwg", "first.wel", "--json"]);
    assert!(first.contains("\"symmetric\": true"));
    success(folder.path(), &["graph", "convert", "j.gwg", "last.wel"]);
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    assert_eq!(read("first.wel"), read("last.wel"));
}

#[test]
fn original_ids_are_kept_on_request() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("soc.txt"), "# a comment\n900 17\n17 4000000000\n").unwrap();
    success(folder.path(), &["graph", "convert", "soc.txt", "soc.gwg", "--id-map", "ids.txt"]);
    assert_eq!(std::fs::read_to_string(folder.path().join("ids.txt")).unwrap(), "17\n900\n4000000000\n");
}

#[test]
fn errors_name_the_place_and_leave_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("bad.el", "0 1\n1 x\n");
    write("neg.el", "0 1\n-1 2\n");
    write("nan.wel", "0 1 nan\n");
    write("empty.mtx", "");
    write("huge.mtx", "%%MatrixMarket matrix coordinate pattern general\n1000 1000 1000000000000\n1 2\n");
    write("complex.mtx", "%%MatrixMarket matrix coordinate complex general\n2 2 1\n1 2 0 1\n");
    let before = files(folder.path());
    for (file, place) in [
        ("bad.el", "bad.el:2:"),
        ("neg.el", "neg.el:2:"),
        ("nan.wel", "nan.wel:1:"),
        ("empty.mtx", "empty.mtx"),
        ("huge.mtx", "huge.mtx"),
        ("complex.mtx", "complex.mtx:1:"),
        ("missing.el", "missing.el"),
    ] {
        let error = failure(folder.path(), &["graph", "convert", file, "out.gwg"], 1);
        assert!(error.contains(place), "{file}: {error}");
        assert_eq!(error.trim_end().lines().count(), 1, "{file}: {error}");
    }
    assert_eq!(files(folder.path()), before);
    let error = failure(folder.path(), &["graph", "info", "krn:10"], 2);
    assert!(error.contains("kron"), "{error}");
    failure(folder.path(), &["graph", "generate", "kron:60", "-o", "x.gwg"], 2);
    failure(folder.path(), &["graph", "generate", "kron:10"], 2);
    let error = failure(folder.path(), &["graph", "generate", "path:5", "-o", "p.el", "--incoming"], 2);
    assert!(error.contains("gwg"), "{error}");
}

#[test]
fn damaged_binaries_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    success(folder.path(), &["graph", "generate", "urand:8", "-o", "u.gwg"]);
    let good = std::fs::read(folder.path().join("u.gwg")).unwrap();
    for at in [0, 9, 40, good.len() / 2, good.len() - 1] {
        let mut bad = good.clone();
        bad[at] ^= 4;
        std::fs::write(folder.path().join("bad.gwg"), &bad).unwrap();
        let error = failure(folder.path(), &["graph", "validate", "bad.gwg"], 1);
        assert!(error.contains("bad.gwg"), "byte {at}: {error}");
    }
    std::fs::write(folder.path().join("short.gwg"), &good[..good.len() - 5]).unwrap();
    failure(folder.path(), &["graph", "info", "short.gwg"], 1);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let error = failure(folder.path(), &["graph", "generate", "grid:30x30", "--format", "el", "-o", "/dev/full"], 1);
    assert!(error.contains("/dev/full"), "{error}");
}

#[cfg(unix)]
#[test]
fn interrupting_leaves_no_half_written_file() {
    use std::process::{Command, Stdio};
    let folder = tempfile::tempdir().unwrap();
    let mut writing = Command::new(crate::GW)
        .args(["graph", "generate", "grid:1500x1500", "-o", "g.mtx.gz"])
        .current_dir(folder.path())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // Wait until the file beside the target is there, then interrupt.
    let start = std::time::Instant::now();
    while files(folder.path()).is_empty() && start.elapsed().as_secs() < 60 {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    let interrupted = Command::new("kill").args(["-INT", &writing.id().to_string()]).status().unwrap();
    assert!(interrupted.success());
    let status = writing.wait().unwrap();
    let left = files(folder.path());
    match status.success() {
        // It was faster than the signal.
        true => assert_eq!(left, ["g.mtx.gz"]),
        false => {
            assert_eq!(status.code(), Some(130));
            assert!(left.is_empty(), "left behind: {left:?}");
        }
    }
}

#[test]
fn help_and_version_answer() {
    let folder = tempfile::tempdir().unwrap();
    assert!(success(folder.path(), &["--version"]).starts_with("gw "));
    assert!(success(folder.path(), &["help", "graph", "info"]).contains("Print statistics"));
    assert!(success(folder.path(), &["graph", "generate", "--list"]).contains("kron:SCALE"));
    assert!(success(folder.path(), &["graph", "convert", "--list"]).contains("Matrix Market"));
    assert_eq!(gw(folder.path(), &["graph"]).status.code(), Some(2));
}
