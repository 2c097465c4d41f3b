//! `gw completions` and `gw man`: made from all commands.

use crate::common::{failure, success};

#[test]
fn shells_and_man_are_served() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = success(at, &["completions", shell]);
        assert!(script.contains("pagerank") || script.contains("--top") || script.contains("top"), "{shell}");
        assert!(script.contains("source-column") && script.contains("schedules"), "{shell}");
    }
    let page = success(at, &["man"]);
    assert!(page.contains(".TH gw 1") && page.contains("completions"), "{page}");
    success(at, &["man", "--folder", "."]);
    let run = std::fs::read_to_string(at.join("gw-run.1")).unwrap();
    assert!(run.contains("weight\\-column") && at.join("gw-graph-convert.1").exists());
    assert!(at.join("gw-lab-run.1").exists());
    assert!(failure(at, &["man", "--folder", "gw-run.1/below"], 2).contains("gw-run.1/below"));
    success(at, &["man", "--folder", "new/folder"]);
    assert!(at.join("new/folder/gw.1").is_file());
}
