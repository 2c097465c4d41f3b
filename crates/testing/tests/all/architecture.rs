//! The table of imports in ARCHITECTURE.md says what the manifests of the crates say, and imports go only upward in it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// A row of the table: package, folder, and the short names of the crates that it imports.
struct Row {
    package: String,
    folder: String,
    imports: BTreeSet<String>,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The name of a crate in the table: `gw-graph` is `graph` there.
fn short(package: &str) -> String {
    package.strip_prefix("gw-").unwrap_or(package).to_string()
}

/// The rows below the head `| crate | folder | imports |`. What follows a `;` in the last column is a remark.
fn table(text: &str) -> Vec<Row> {
    let lines = text.lines().skip_while(|line| !line.starts_with("| crate | folder | imports |"));
    let row = |line: &str| {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [package, folder, imports] = cells[..] else { panic!("a row has three columns: {line}") };
        let imports = imports.split(';').next().unwrap_or_default();
        let names = imports.split(',').map(str::trim).filter(|name| !matches!(*name, "" | "nothing of ours"));
        Row {
            package: package.trim_matches('`').to_string(),
            folder: folder.trim_matches('`').to_string(),
            imports: names.map(str::to_string).collect(),
        }
    };
    lines.skip(2).take_while(|line| line.starts_with('|')).map(row).collect()
}

/// All crates of the workspace by package, with their folders and the crates of ours in `[dependencies]`.
fn manifests() -> BTreeMap<String, (String, BTreeSet<String>)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(root().join("crates")).unwrap() {
        let folder = entry.unwrap();
        let Ok(text) = std::fs::read_to_string(folder.path().join("Cargo.toml")) else { continue };
        let manifest: toml::Table = text.parse().unwrap_or_else(|e| panic!("{}: {e}", folder.path().display()));
        let package = manifest["package"]["name"].as_str().expect("a package has a name").to_string();
        found.push((package, format!("crates/{}", folder.file_name().display()), manifest));
    }
    let ours: BTreeSet<String> = found.iter().map(|(package, ..)| package.clone()).collect();
    let imports = |manifest: &toml::Table| {
        let dependencies = manifest.get("dependencies").and_then(toml::Value::as_table);
        dependencies
            .into_iter()
            .flat_map(toml::Table::keys)
            .filter(|name| ours.contains(*name))
            .map(|n| short(n))
            .collect()
    };
    found.iter().map(|(package, folder, manifest)| (package.clone(), (folder.clone(), imports(manifest)))).collect()
}

#[test]
fn the_table_of_imports_is_true() {
    let rows = table(&std::fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap());
    let mut manifests = manifests();
    let (mut problems, mut above) = (Vec::new(), BTreeSet::new());
    for row in &rows {
        let Some((folder, imports)) = manifests.remove(&row.package) else {
            problems.push(format!("`{}` stands twice in the table, or is no crate of the workspace", row.package));
            continue;
        };
        if folder != row.folder || imports != row.imports {
            let names: Vec<&str> = imports.iter().map(String::as_str).collect();
            problems.push(format!("by its manifest: | `{}` | `{folder}` | {} |", row.package, names.join(", ")));
        }
        let below: Vec<&String> = imports.iter().filter(|name| !above.contains(*name)).collect();
        if !below.is_empty() {
            problems.push(format!("`{}` imports {below:?}, which do not stand above it", row.package));
        }
        above.insert(short(&row.package));
    }
    problems.extend(manifests.keys().map(|package| format!("`{package}` has no row")));
    assert!(problems.is_empty(), "ARCHITECTURE.md and the manifests disagree:\n{}", problems.join("\n"));
    assert!(rows.len() > 10, "{} rows", rows.len());
}

#[test]
fn rows_are_read() {
    let text = "words\n\n| crate | folder | imports |\n|---|---|---|\n| `gw-a` | `crates/a` | nothing of ours |\n\
                | `gw-b` | `crates/b` | a, c; for tests only |\n\nmore | words |\n";
    let rows = table(text);
    let read: Vec<(&str, &str, Vec<&str>)> = rows
        .iter()
        .map(|row| (row.package.as_str(), row.folder.as_str(), row.imports.iter().map(String::as_str).collect()))
        .collect();
    assert_eq!(read, [("gw-a", "crates/a", vec![]), ("gw-b", "crates/b", vec!["a", "c"])]);
}
