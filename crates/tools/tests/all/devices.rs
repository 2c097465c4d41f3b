//! `gw devices`, and targets that need a GPU, where there is none.

use crate::common;
use std::path::Path;
use std::process::{Command, Output};

/// Runs `gw` as on a computer without GPU and compiler, whatever this one has.
fn gw(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(crate::GW);
    command.args(args).current_dir(folder).env("CUDA_VISIBLE_DEVICES", "").env("GW_CACHE", "kernels");
    command.env("GW_NVRTC", "missing/libnvrtc.so").env_remove("GW_DEVICE");
    command.output().expect("gw starts")
}

fn texts(output: &Output) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("gw prints UTF-8");
    (text(&output.stdout), text(&output.stderr))
}

#[test]
fn what_is_missing_is_said_and_is_no_failure() {
    let folder = tempfile::tempdir().unwrap();
    let output = gw(folder.path(), &["devices"]);
    let (told, errors) = texts(&output);
    assert_eq!((output.status.code(), errors.as_str()), (Some(0), ""));
    let line = |head: &str| {
        let lines: Vec<&str> = told.lines().filter(|line| line.starts_with(head)).collect();
        assert_eq!(lines.len(), 1, "{told}");
        lines[0]
    };
    assert!(line("CPU ").contains(" core"), "{told}");
    assert!(line("GPU ").contains("none: "), "{told}");
    assert!(line("compiler ").contains("none: ") && line("compiler ").contains("GW_NVRTC"), "{told}");
    assert!(told.contains("missing/libnvrtc.so"), "the file that did not load is named: {told}");
    assert!(line("cache ").contains("kernels, 0 kernels, 0 B"), "{told}");
    assert!(common::files(folder.path()).is_empty(), "looking leaves nothing behind");
}

#[test]
fn devices_as_json() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("kernels")).unwrap();
    std::fs::write(folder.path().join("kernels/1.cubin"), "12345").unwrap();
    std::fs::write(folder.path().join("kernels/other"), "not counted").unwrap();
    let (told, _) = texts(&gw(folder.path(), &["devices", "--json"]));
    let found: serde_json::Value = serde_json::from_str(&told).expect("gw prints JSON");
    assert!(found["cpu"]["cores"].as_u64().is_some_and(|cores| cores > 0), "{found}");
    assert_eq!((&found["gpus"], &found["compiler"]), (&serde_json::json!([]), &serde_json::Value::Null));
    assert!(found["no_gpu"].is_string() && found["no_compiler"].is_string(), "{found}");
    assert_eq!((&found["cache"]["kernels"], &found["cache"]["bytes"]), (&1.into(), &5.into()));
}

#[test]
fn a_gpu_that_is_asked_for_and_missing_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    for args in [&["run", "bfs", "path:9", "0", "--target", "cuda"][..], &["bench", "smoke", "--target", "cuda"]] {
        let output = gw(folder.path(), args);
        let (_, errors) = texts(&output);
        assert_eq!(output.status.code(), Some(1), "{errors}");
        assert!(errors.lines().any(|line| line.starts_with("gw: the machine cuda cannot be used: ")), "{errors}");
        assert!(errors.contains("gw devices") && errors.contains("the machine `cpu`"), "{errors}");
        assert!(!errors.contains("panicked"), "{errors}");
    }
}

#[test]
fn auto_is_the_cpu_where_there_is_no_gpu() {
    let folder = tempfile::tempdir().unwrap();
    let output = gw(folder.path(), &["run", "bfs", "path:9", "0", "--target", "auto", "--verify"]);
    let (_, errors) = texts(&output);
    assert!(output.status.success(), "{errors}");
    assert!(errors.starts_with("bfs on cpu: ") && errors.contains("result verified"), "{errors}");
}
