//! Comments and documents are no wider than a screen.

use std::path::{Path, PathBuf};

const WIDTH: usize = 120;

/// Files below a folder with one of these endings; build outputs and hidden folders left out.
fn files(folder: &Path, endings: &[&str], found: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    for entry in entries.flatten() {
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().into_owned();
        if path.is_dir() && !name.starts_with('.') && name != "target" {
            files(&path, endings, found);
        } else if endings.iter().any(|ending| name.ends_with(ending)) {
            found.push(path);
        }
    }
}

/// Rows of tables and addresses cannot be broken.
fn may_be_long(line: &str) -> bool {
    line.trim_start_matches(['/', '!', ' ']).starts_with('|') || line.contains("https://")
}

fn long_lines(endings: &[&str], is_checked: impl Fn(&str) -> bool) -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut found = Vec::new();
    for folder in ["crates", "docs"] {
        files(&root.join(folder), endings, &mut found);
    }
    found.extend(["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"].map(|name| root.join(name)));
    let mut long = Vec::new();
    for path in found.iter().filter(|path| endings.iter().any(|ending| path.to_string_lossy().ends_with(ending))) {
        let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let mut is_code = false;
        for (number, line) in text.lines().enumerate() {
            // Commands and what they print are shown as they are.
            is_code ^= line.trim_start().starts_with("```");
            let is_long = line.chars().count() > WIDTH && !may_be_long(line);
            if is_long && !is_code && is_checked(line) {
                long.push(format!("{}:{}", path.display(), number + 1));
            }
        }
    }
    long
}

#[test]
fn comments_fit_the_screen() {
    let long = long_lines(&[".rs", ".cuh", ".hpp", ".cpp", ".js"], |line| {
        // A line that goes on is part of a string.
        line.trim_start().starts_with("//") && !line.ends_with('\\')
    });
    assert!(long.is_empty(), "comments of more than {WIDTH} characters:\n{}", long.join("\n"));
}

#[test]
fn documents_fit_the_screen() {
    let long = long_lines(&[".md"], |_| true);
    assert!(long.is_empty(), "lines of more than {WIDTH} characters:\n{}", long.join("\n"));
}
