//! The door: the public names of the crate, kept in `door.txt` so that a change of the door is seen in review; and
//! every type that a public signature names can be named by a user of the crate.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The statements of a file that begin at the left margin with `pub`, each in one line.
fn statements(text: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    let mut is_open = false;
    for line in text.lines() {
        if line.starts_with("pub ") {
            all.push(line.to_string());
            is_open = true;
        } else if let Some(last) = all.last_mut().filter(|_| is_open) {
            *last += line.trim();
        }
        is_open &= !line.contains(';') && !line.ends_with('{') && !line.ends_with('}');
    }
    all
}

/// The names that a file adds to the door, and those of its public modules.
fn names(file: &Path, prefix: &str, found: &mut BTreeSet<String>) {
    for statement in statements(&read(file)) {
        let words: Vec<&str> = statement.trim_start_matches("pub ").split([' ', '(', '<', ':', ';', '{']).collect();
        match words[0] {
            "mod" => {
                let name = words[1];
                found.insert(format!("{prefix}{name}::"));
                let inner = [format!("{name}.rs"), format!("{name}/mod.rs")].map(|path| source().join(path));
                let file = inner.iter().find(|path| path.exists()).unwrap_or_else(|| panic!("no file of {name}"));
                names(file, &format!("{prefix}{name}::"), found);
            }
            "use" => {
                let path = statement.trim_start_matches("pub use ").trim_end_matches(';');
                let list = path.split_once('{').map_or_else(
                    || path.rsplit("::").next().unwrap_or_default(),
                    |(_, list)| list.trim_end_matches('}'),
                );
                let shown = |name: &str| name.rsplit(" as ").next().unwrap_or_default().trim().to_string();
                let all = list.split(',').map(shown).filter(|name| !name.is_empty());
                found.extend(all.map(|name| format!("{prefix}{name}")));
            }
            "struct" | "enum" | "trait" | "fn" | "const" | "static" | "type" => {
                found.insert(format!("{prefix}{}", words[1]));
            }
            other => panic!("{}: `pub {other}` is not understood", file.display()),
        }
    }
}

fn door() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    names(&source().join("lib.rs"), "", &mut found);
    found
}

#[test]
fn the_public_names_are_those_of_the_golden_file() {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/all/door.txt");
    let found: String = door().into_iter().map(|name| name + "\n").collect();
    assert!(
        read(&golden) == found,
        "the public names of graphwright have changed; if that is meant, {} becomes:\n{found}",
        golden.display()
    );
    let root = found.lines().filter(|name| !name.contains("::")).count();
    assert!(root <= 25, "{root} names at the root: a module may be their place");
}

/// Names of the standard library and of sized numbers that signatures use.
const STANDARD: &[&str] = &[
    "Arc",
    "AtomicBool",
    "Box",
    "Copy",
    "Cow",
    "Default",
    "Display",
    "Duration",
    "Fn",
    "From",
    "FnMut",
    "FromIterator",
    "FromStr",
    "Instant",
    "Into",
    "IntoIterator",
    "Item",
    "Iterator",
    "Mutex",
    "Option",
    "Path",
    "PathBuf",
    "Result",
    "Self",
    "Send",
    "Sized",
    "Some",
    "String",
    "Sync",
    "Vec",
    "Write",
    "None",
];

#[test]
fn every_type_of_a_public_signature_can_be_named() {
    let known: BTreeSet<String> =
        door().iter().map(|name| name.rsplit("::").next().unwrap_or_default().to_string()).collect();
    let mut unknown = BTreeSet::new();
    let mut folders = vec![source()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()) {
            match entry.is_dir() {
                true => folders.push(entry),
                false => signatures(&read(&entry), |signature| {
                    for word in signature.split(|c: char| !c.is_alphanumeric() && c != '_') {
                        let is_type = word.starts_with(char::is_uppercase) && word.chars().any(char::is_lowercase);
                        if is_type && !known.contains(word) && !STANDARD.contains(&word) {
                            unknown.insert(format!("{word} in {}: {}", entry.display(), signature.trim()));
                        }
                    }
                }),
            }
        }
    }
    assert!(unknown.is_empty(), "types that no user of the crate can name:\n{unknown:#?}");
}

/// The signatures of public functions and fields in a text.
fn signatures(text: &str, mut hear: impl FnMut(&str)) {
    let mut open = String::new();
    for line in text.lines().take_while(|line| !line.starts_with("#[cfg(test)]")) {
        let is_item = ["pub struct ", "pub const ", "pub use "].iter().any(|word| line.trim_start().starts_with(word));
        if open.is_empty() && !line.trim_start().starts_with("pub ") || is_item {
            continue;
        }
        open += line.split("//").next().unwrap_or_default();
        if line.ends_with(['{', ';', ',', '}']) && open.matches('(').count() == open.matches(')').count() {
            hear(&open);
            open.clear();
        }
    }
}
