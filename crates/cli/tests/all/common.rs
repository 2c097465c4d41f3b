//! Running the program under test.
#![allow(dead_code)]

use std::path::Path;
use std::process::{Command, Output};

/// A command that runs `gw` in a folder; `--processes` finds the MPI of the tests.
pub fn command(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(crate::GW);
    command.args(args).current_dir(folder);
    if args.contains(&"--processes")
        && let Some(programs) = gw_testing::mpi::programs()
    {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders = std::iter::once(programs).chain(std::env::split_paths(&path));
        command.env("PATH", std::env::join_paths(folders).expect("folders without colons"));
    }
    command
}

/// Runs `gw` in a folder.
pub fn gw(folder: &Path, args: &[&str]) -> Output {
    command(folder, args).output().expect("gw starts")
}

/// Runs `gw` as so many ranks of an MPI, where one is installed.
#[track_caller]
pub fn ranks(folder: &Path, count: usize, args: &[&str]) -> Option<Output> {
    let mut command = gw_testing::mpi::ranks(count, Path::new(crate::GW))?;
    Some(command.args(args).current_dir(folder).output().expect("mpiexec starts"))
}

/// All that was printed.
pub fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// All that was printed by a run that must have succeeded.
#[track_caller]
pub fn success_of(output: Output) -> String {
    assert!(output.status.success(), "{}", text(&output));
    text(&output)
}

/// Standard error of a run that must have failed with `code`.
#[track_caller]
pub fn failure_of(output: Output, code: i32) -> String {
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{errors}");
    assert!(!errors.contains("panicked"), "{errors}");
    errors
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
