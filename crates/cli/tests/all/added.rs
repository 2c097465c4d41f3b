//! Commands that other programs add: found beside `gw` and on the `PATH`, and told where they are missing.
#![cfg(unix)]

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A copy of `gw` in a folder of its own, with nothing beside it.
fn alone(folder: &Path) -> PathBuf {
    let own = folder.join("gw");
    std::fs::hard_link(crate::GW, &own).or_else(|_| std::fs::copy(crate::GW, &own).map(drop)).unwrap();
    own
}

/// A program that prints its name and its arguments, and ends with code 7.
fn script(file: &Path) {
    std::fs::write(file, "#!/bin/sh\necho \"$(basename \"$0\"): $*\"\nexit 7\n").unwrap();
    std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o755)).unwrap();
}

fn run(program: &Path, path: &Path, line: &str) -> Output {
    let path = format!("{}:/usr/bin:/bin", path.display());
    Command::new(program).args(line.split(' ')).env("PATH", path).output().unwrap()
}

#[test]
fn a_missing_program_is_told_with_the_command_that_builds_it() {
    let folder = tempfile::tempdir().unwrap();
    let gw = alone(folder.path());
    for line in ["lab init my.lab", "--threads 2 tune bfs kron:5", "bench --help", "help mine", "completions bash"] {
        let output = run(&gw, folder.path(), line);
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{line}: {errors}");
        assert!(errors.contains("`cargo build --release --bin gw-tools` builds it"), "{line}: {errors}");
    }
    // A word that is no command anywhere is wrong as ever.
    let output = run(&gw, folder.path(), "graff info kron:5");
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{errors}");
    assert!(errors.contains("unrecognized subcommand 'graff'") && errors.contains("'graph'"), "{errors}");
}

#[test]
fn the_help_lists_what_other_programs_add() {
    let folder = tempfile::tempdir().unwrap();
    let help = String::from_utf8(run(&alone(folder.path()), folder.path(), "--help").stdout).unwrap();
    for (name, about) in gw_cli::added::TOOLS {
        let row = help.lines().find(|line| line.trim_start().starts_with(&format!("{name} ")));
        let start: String = about.chars().take(30).collect();
        assert!(row.is_some_and(|row| row.contains(&start)), "{name}: {help}");
    }
}

#[test]
fn programs_are_found_beside_gw_and_on_the_path() {
    let (own, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let gw = alone(own.path());
    let says = |line: &str| {
        let output = run(&gw, other.path(), line);
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(7), "{line}: {errors}");
        String::from_utf8(output.stdout).unwrap()
    };
    script(&other.path().join("gw-tools"));
    script(&other.path().join("gw-paint"));
    assert_eq!(says("--threads 2 lab run my.lab --help"), "gw-tools: --threads 2 lab run my.lab --help\n");
    assert_eq!(says("help lab"), "gw-tools: help lab\n");
    assert_eq!(says("--threads 2 paint red --by hand"), "gw-paint: red --by hand\n");
    // What stands beside `gw` comes first.
    script(&own.path().join("gw-tools"));
    std::fs::remove_file(other.path().join("gw-tools")).unwrap();
    assert_eq!(says("mine --stop never trace.csv"), "gw-tools: mine --stop never trace.csv\n");
}
