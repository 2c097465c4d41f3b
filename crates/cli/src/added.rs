//! Commands that other programs add to `gw`, found as git and cargo find theirs: beside `gw`, else on the `PATH`.
//!
//! `gw lab ...` is `gw-tools lab ...` for the commands of [`TOOLS`], which need more of the libraries than the main
//! jobs: `gw` is built without these. Any other unknown word is looked for as a program of its own: `gw NAME ...` is
//! `gw-NAME ...`.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, ArgMatches, Command};

use crate::error::CliError;

/// The program that has the commands of [`TOOLS`].
const PROGRAM: &str = "gw-tools";

/// The commands of `gw-tools` that `gw` has not, and what they do. A test of the crate `gw-tools` compares this with
/// that program.
pub const TOOLS: [(&str, &str); 12] = [
    ("explain", "Tell why a run is this fast, what limits it, and which schedule would help"),
    ("bench", "Measure a suite of programs on graphs"),
    ("check", "Check that a machine computes right: programs x schedules x small graphs"),
    ("tune", "Search for the fastest schedule of a program on a graph, and keep it for later runs"),
    ("meter", "Measure what this machine's memory, units and power reach"),
    ("criteria", "Tell from a profiler's table how well GPU kernels use the device, and what would help"),
    ("lab", "Measure programs under many schedules, and keep everything in one file"),
    ("model", "Train, judge and export models that pick schedules; models of workload"),
    ("match", "Find where a small labelled graph occurs in a large one, approximately or exactly"),
    ("mine", "Find what holds at every instant of a trace: likely invariants"),
    ("completions", "Print a script that completes commands and options in a shell"),
    ("man", "Print the manual page, or write a page per command into a folder"),
];

/// `gw` with the commands of [`TOOLS`] in its help. What comes behind such a command is not looked at.
pub fn listed_in(command: Command) -> Command {
    command.subcommands(TOOLS.map(|(name, about)| {
        let words = Arg::new("words").num_args(0..).allow_hyphen_values(true).trailing_var_arg(true).hide(true);
        Command::new(name).about(about).disable_help_flag(true).disable_version_flag(true).arg(words)
    }))
}

/// Becomes the program that a line is for, where that is another one. Returns where the line is for `gw` itself, or is
/// wrong for it.
pub fn hand_on(found: &Result<ArgMatches, clap::Error>, words: &[OsString]) -> Result<(), CliError> {
    let is_added = |word: &str| TOOLS.iter().any(|(name, _)| *name == word);
    match found {
        Ok(matches) if matches.subcommand_name().is_some_and(is_added) => tools(matches.subcommand_name(), words),
        Ok(_) => Ok(()),
        Err(error) => match (error.kind(), error.get(ContextKind::InvalidSubcommand)) {
            // `gw help lab`.
            (ErrorKind::DisplayHelp, _) => match words {
                [_, help, name] if help == "help" && name.to_str().is_some_and(is_added) => tools(name.to_str(), words),
                _ => Ok(()),
            },
            (ErrorKind::InvalidSubcommand, Some(ContextValue::String(name))) => other(name, words),
            _ => Ok(()),
        },
    }
}

/// Becomes `gw-tools`, with the same words.
fn tools(name: Option<&str>, words: &[OsString]) -> Result<(), CliError> {
    match find(OsStr::new(PROGRAM)) {
        Some(program) => run(&program, words.get(1..).unwrap_or_default()),
        None => Err(CliError::NoResult(format!(
            "`gw {}` needs the program {PROGRAM}, which is neither beside gw nor on the PATH; `cargo build --release \
             --bin {PROGRAM}` builds it",
            name.unwrap_or_default()
        ))),
    }
}

/// Becomes `gw-NAME` with the words behind the name, where there is such a program.
fn other(name: &str, words: &[OsString]) -> Result<(), CliError> {
    let is_name = name.chars().all(|letter| letter.is_alphanumeric() || letter == '-' || letter == '_');
    let Some(at) = words.iter().position(|word| word == name).filter(|_| is_name) else { return Ok(()) };
    match find(OsStr::new(&format!("gw-{name}"))) {
        Some(program) => run(&program, &words[at + 1..]),
        None => Ok(()),
    }
}

/// A program beside this one, else on the `PATH`.
fn find(program: &OsStr) -> Option<PathBuf> {
    let beside = std::env::current_exe().ok().and_then(|own| own.parent().map(Path::to_path_buf));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = beside.into_iter().chain(std::env::split_paths(&path));
    folders
        .map(|folder| folder.join(program).with_extension(std::env::consts::EXE_EXTENSION))
        .find(|file| is_program(file))
}

#[cfg(unix)]
fn is_program(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(file).is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(file: &Path) -> bool {
    file.is_file()
}

/// Becomes another program; returns only where it cannot be started.
#[cfg(unix)]
fn run(program: &Path, words: &[OsString]) -> Result<(), CliError> {
    use std::os::unix::process::CommandExt;
    Err(not_started(program, &std::process::Command::new(program).args(words).exec()))
}

/// Runs another program, and ends with its code; returns only where it cannot be started.
#[cfg(not(unix))]
fn run(program: &Path, words: &[OsString]) -> Result<(), CliError> {
    match std::process::Command::new(program).args(words).status() {
        Ok(status) => std::process::exit(status.code().unwrap_or(1)),
        Err(error) => Err(not_started(program, &error)),
    }
}

fn not_started(program: &Path, error: &std::io::Error) -> CliError {
    CliError::NoResult(format!("{} cannot be started: {error}", program.display()))
}
