//! Real graphs: every file of the collection is read and compared with its index; small ones go through all formats.

use crate::format_support;

use std::path::Path;

use format_support::{Folder, can_hold, file_name, load_file, write_file};
use gw_graph::format::Format;
use gw_graph::validate;

struct Entry {
    name: String,
    file: String,
    directed: bool,
    weighted: bool,
    vertices: usize,
    /// An undirected edge counts once.
    edges: usize,
    bytes: u64,
}

fn index(folder: &Path) -> Vec<Entry> {
    let text = std::fs::read_to_string(folder.join("INDEX.tsv")).unwrap();
    let rows = text.lines().skip(1).map(|line| line.split('\t').collect::<Vec<_>>());
    rows.map(|row| Entry {
        name: row[0].into(),
        file: row[1].into(),
        directed: row[3] == "1",
        weighted: row[4] == "1",
        vertices: row[5].parse().unwrap(),
        edges: row[6].parse().unwrap(),
        bytes: row[9].parse().unwrap(),
    })
    .collect()
}

#[test]
fn real_graphs_match_their_index_and_come_back_from_every_format() {
    let Some(folder) = gw_testing::real_graphs() else { return };
    let scratch = Folder::new();
    let (mut graphs, mut stored, mut trips) = (0, 0, 0);
    for entry in index(&folder) {
        let loaded = load_file(&folder.join(&entry.file)).unwrap_or_else(|e| panic!("{}: {e}", entry.name));
        let graph = &loaded.graph;
        let listed = if entry.directed { graph.edges() } else { graph.edges() / 2 };
        assert_eq!((graph.vertices(), listed), (entry.vertices, entry.edges), "{}", entry.name);
        assert_eq!((graph.is_weighted(), loaded.bytes), (entry.weighted, entry.bytes), "{}", entry.name);
        assert!(entry.directed || graph.is_symmetric(), "{}", entry.name);
        graphs += 1;
        stored += listed;

        // Each graph goes through every format, one compression each in turn: all pairs meet many times.
        if entry.bytes > 200_000 {
            continue;
        }
        for (i, format) in Format::ALL.into_iter().filter(|&f| can_hold(f, graph)).enumerate() {
            let path = scratch.path(&file_name(format, ["", ".gz", ".zst"][(i + graphs) % 3]));
            write_file(graph, &path).unwrap();
            let back = load_file(&path).unwrap_or_else(|e| panic!("{} as {format}: {e}", entry.name)).graph;
            assert!(back == *graph, "{} as {format}", entry.name);
            validate(&back).unwrap();
            trips += 1;
        }
    }
    println!("{graphs} real graphs with {stored} edges read; {trips} round trips");
    assert!(graphs > 0 && trips > 0);
}
