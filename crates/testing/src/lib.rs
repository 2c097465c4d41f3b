//! What the tests of all crates agree on: how long a run may take, what happens when a tool is missing, where real
//! graphs are found, and how a text is compared with a recorded one.
//!
//! | variable | meaning |
//! |---|---|
//! | `GW_CI=1` | A missing tool (g++, NVRTC, Chromium, MPI, real graphs) fails the tests that need the tool. |
//! | `GW_CI=A,B` | The same for these tools only. |
//! | `GW_NIGHTLY=1` | Tests try everything they know: all schedules, graphs, kernels, many random inputs. |
//! | `GW_BLESS=1` | Texts that are compared with a recorded file are recorded anew. |
//! | `GW_MPI_HOME` | The installation of an MPI with the standard ABI; without it, one on the path. |
//! | `GW_GRAPHS` | The folder of real graphs; without it, `shared/graphs` in a folder above the repository. |

mod golden;
pub mod mpi;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
pub mod tracer;

use std::ffi::OsStr;
use std::fmt::Display;
use std::path::{Path, PathBuf};

pub use golden::assert_recorded;

/// Whether tests shall try everything they know, at the cost of hours.
pub fn is_nightly() -> bool {
    is_set("GW_NIGHTLY")
}

/// The first value in a usual run, the second in a nightly one.
pub fn usually<T>(usual: T, nightly: T) -> T {
    if is_nightly() { nightly } else { usual }
}

/// A test ends here because a tool is missing. Where the tool must be present (`GW_CI`), that is a failure; elsewhere
/// the test prints what was not tested and passes.
///
/// # Panics
/// With `GW_CI=1`, and where `GW_CI` lists the tool.
#[track_caller]
pub fn left_out(tool: &str, reason: impl Display) {
    let needed = std::env::var("GW_CI").unwrap_or_default();
    assert!(!is_needed(&needed, tool), "{tool} is missing, and GW_CI={needed} needs the tool: {reason}");
    eprintln!("not tested for lack of {tool}: {reason}");
}

/// The folder of real graphs with their index `INDEX.tsv`. Where there is none, the test is [`left_out`].
#[track_caller]
pub fn real_graphs() -> Option<PathBuf> {
    let given = std::env::var_os("GW_GRAPHS").map(PathBuf::from);
    let above = || Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().map(|folder| folder.join("shared/graphs"));
    let found = given.into_iter().chain(above()).find(|folder| folder.join("INDEX.tsv").is_file());
    if found.is_none() {
        left_out(
            "real graphs",
            "neither GW_GRAPHS nor shared/graphs above the repository is a folder with an INDEX.tsv",
        );
    }
    found
}

/// Whether `GW_CI` says that a tool must be present.
fn is_needed(tools: &str, tool: &str) -> bool {
    tools == "1" || tools.split(',').any(|needed| needed.eq_ignore_ascii_case(tool))
}

/// Whether a variable of the environment is set to something else than nothing or 0.
fn is_set(name: &str) -> bool {
    std::env::var_os(name).as_deref().is_some_and(is_on)
}

fn is_on(value: &OsStr) -> bool {
    !value.is_empty() && value != "0"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_and_nothing_are_off() {
        assert!(is_on(OsStr::new("1")) && is_on(OsStr::new("yes")));
        assert!(!is_on(OsStr::new("0")) && !is_on(OsStr::new("")));
    }

    #[test]
    fn all_tools_are_needed_or_those_that_are_listed() {
        assert!(is_needed("1", "g++") && is_needed("g++,nvrtc", "NVRTC"));
        assert!(!is_needed("", "g++") && !is_needed("g++,nvrtc", "Chromium"));
    }

    /// Runs a test of this file again, with another environment.
    fn again(test: &str, variable: &str) -> std::process::Output {
        let mut command = std::process::Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", test, "--ignored"]).env_remove("GW_CI").env_remove("GW_NIGHTLY").env(variable, "1");
        command.output().unwrap()
    }

    #[test]
    fn a_missing_tool_fails_where_all_must_be_present() {
        assert!(again("tests::without_a_tool", "GW_NIGHTLY").status.success());
        let output = again("tests::without_a_tool", "GW_CI");
        assert!(!output.status.success());
        assert!(String::from_utf8_lossy(&output.stdout).contains("a hammer is missing"), "{output:?}");
    }

    #[test]
    #[ignore = "run by another test in an environment of its own"]
    fn without_a_tool() {
        left_out("a hammer", "there is none");
        assert_eq!(usually(1, 2), if is_nightly() { 2 } else { 1 });
    }
}
