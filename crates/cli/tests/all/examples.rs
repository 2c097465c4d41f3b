//! `docs/programs-by-example.md` is true: its commands print what the page shows, on the tables of `docs/examples`, and
//! every standard program is among them. `GW_UPDATE=1` writes the outputs anew, for a review of the difference.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

const PAGE: &str = "docs/programs-by-example.md";

/// A command of the page with what it prints.
struct Example {
    /// The number of the line.
    line: usize,
    command: String,
    output: String,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The text of the page in pieces: what stands between commands, and the commands.
fn pieces(page: &str) -> Vec<Result<Example, String>> {
    let mut pieces: Vec<Result<Example, String>> = Vec::new();
    let mut is_open = false;
    for (number, line) in page.lines().enumerate() {
        let fence = line.strip_prefix("```");
        is_open = fence.map_or(is_open, |info| info == "console");
        let text = format!("{line}\n");
        match (line.strip_prefix("$ "), pieces.last_mut()) {
            (Some(command), _) if is_open => {
                pieces.push(Ok(Example { line: number + 1, command: command.to_string(), output: String::new() }));
            }
            (_, Some(Ok(example))) if is_open => example.output += &text,
            (_, Some(Err(between))) => *between += &text,
            _ => pieces.push(Err(text)),
        }
    }
    pieces
}

/// What a command prints in a folder with the tables, standard error included. Times differ from run to run.
fn run(folder: &Path, command: &str) -> String {
    let gw = Path::new(crate::GW).parent().unwrap();
    let path = std::env::join_paths(
        std::iter::once(gw.to_path_buf()).chain(std::env::split_paths(&std::env::var_os("PATH").unwrap())),
    );
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(format!("exec 2>&1; {command}")).current_dir(folder);
    let output = shell.env("PATH", path.unwrap()).env("GW_CACHE", folder.join(".cache")).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let is_time = |line: &&str| line.contains(" on cpu: ") || line.contains(" in all: ");
    text.lines().filter(|line| !is_time(line)).map(|line| line.to_string() + "\n").collect()
}

#[test]
fn the_page_shows_what_the_commands_print() {
    let folder = tempfile::tempdir().unwrap();
    for table in std::fs::read_dir(root().join("docs/examples")).unwrap().map(Result::unwrap) {
        std::fs::copy(table.path(), folder.path().join(table.file_name())).unwrap();
    }
    let page = std::fs::read_to_string(root().join(PAGE)).unwrap();
    let (mut anew, mut wrong) = (String::new(), String::new());
    for piece in pieces(&page) {
        match piece {
            Err(between) => anew += &between,
            Ok(Example { line, command, output }) => {
                let printed = run(folder.path(), &command);
                anew += &format!("$ {command}\n{printed}");
                if printed != output {
                    wrong += &format!("{PAGE}:{line}: $ {command}\n{printed}instead of\n{output}\n");
                }
            }
        }
    }
    if std::env::var_os("GW_UPDATE").is_some() {
        std::fs::write(root().join(PAGE), anew).unwrap();
        return;
    }
    assert!(wrong.is_empty(), "{wrong}GW_UPDATE=1 writes the page anew");
}

#[test]
fn every_program_has_an_example() {
    let page = std::fs::read_to_string(root().join(PAGE)).unwrap();
    let examples: Vec<Example> = pieces(&page).into_iter().filter_map(Result::ok).collect();
    let named = |example: &Example| -> Vec<String> {
        let words: Vec<&str> = example.command.split_whitespace().collect();
        let run = words.windows(3).find(|words| words[..2] == ["gw", "run"]);
        run.map_or(Vec::new(), |words| words[2].split(',').map(str::to_string).collect())
    };
    let shown: BTreeSet<String> = examples.iter().flat_map(named).collect();
    let missing: Vec<&str> =
        gw_programs::programs().iter().map(|program| program.name).filter(|name| !shown.contains(*name)).collect();
    assert!(missing.is_empty(), "{PAGE} has no example of {missing:?}");
}
