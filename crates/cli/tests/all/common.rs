//! Running the program under test.
#![allow(dead_code)]

use std::path::Path;
use std::process::{Command, Output};

/// Runs `gw` in a folder.
pub fn gw(folder: &Path, args: &[&str]) -> Output {
    Command::new(crate::GW).args(args).current_dir(folder).output().expect("gw starts")
}

/// Standard output of a run that must succeed.
pub fn success(folder: &Path, args: &[&str]) -> String {
    let output = gw(folder, args);
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "gw {args:?} failed: {errors}");
    String::from_utf8(output.stdout).expect("gw prints UTF-8")
}

/// Standard error of a run that must fail with `code`.
pub fn failure(folder: &Path, args: &[&str], code: i32) -> String {
    let output = gw(folder, args);
    let errors = String::from_utf8(output.stderr).expect("gw prints UTF-8");
    assert_eq!(output.status.code(), Some(code), "gw {args:?}: {errors}");
    assert!(!errors.contains("panicked"), "{errors}");
    errors
}

/// Standard output of a run as JSON.
pub fn json(folder: &Path, args: &[&str]) -> serde_json::Value {
    serde_json::from_str(&success(folder, args)).expect("gw prints JSON")
}

/// Names of the files in a folder, hidden ones included.
pub fn files(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("the folder is there");
    let mut names: Vec<_> = entries.map(|e| e.expect("readable").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}
