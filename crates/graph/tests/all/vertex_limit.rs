//! Graphs of more vertices than programs can number are refused, whatever their file says.

use gw_graph::{BuildOptions, EdgeList, GraphError, build};

use crate::format_support::{Folder, write_file};

const REFUSAL: &str = "2147483648 vertices are too many: a graph has at most 2147483647";
const BEYOND: u64 = 1 << 31;

#[test]
fn edge_lists_are_refused() {
    let error = build(EdgeList::from_pairs(BEYOND as usize, vec![]), &BuildOptions::default()).unwrap_err();
    assert!(matches!(error, GraphError::TooManyVertices(BEYOND)), "{error}");
    assert_eq!(error.to_string(), REFUSAL);
}

#[test]
fn forged_headers_are_refused() {
    let folder = Folder::new();
    let small = build(EdgeList::from_pairs(3, vec![(0, 1), (1, 2)]), &BuildOptions::default()).unwrap();
    for (name, vertices, header_crc) in [("g.gwg", 16, Some(60)), ("g.sg", 9, None)] {
        let path = folder.path(name);
        write_file(&small, &path).unwrap();
        let mut bytes = std::fs::read(&path).unwrap();
        bytes[vertices..vertices + 8].copy_from_slice(&BEYOND.to_le_bytes());
        if let Some(at) = header_crc {
            // The checksum of the header page is taken with zeros in its own place.
            bytes[at..at + 4].fill(0);
            let sum = crc32fast::hash(&bytes[..4096]);
            bytes[at..at + 4].copy_from_slice(&sum.to_le_bytes());
        }
        assert_eq!(folder.refusal(name, &bytes), format!("{name}: at byte {vertices}: {REFUSAL}"));
    }
    for (name, text) in [
        ("g.mtx", format!("%%MatrixMarket matrix coordinate pattern general\n{BEYOND} {BEYOND} 1\n1 2\n")),
        ("g.adj", format!("AdjacencyGraph\n{BEYOND}\n0\n")),
        ("g.el", format!("0 {}\n", BEYOND - 1)),
        ("g.gr", format!("p sp {BEYOND} 1\na 1 2 5\n")),
    ] {
        assert!(folder.refusal(name, text).contains("vertices"), "{name}");
    }
}

#[test]
fn generators_are_refused() {
    let spec = gw_graph::GraphSpec::parse("path:2147483648").unwrap();
    let error = spec.load(&gw_graph::progress::Silent).unwrap_err().to_string();
    assert!(error.ends_with(REFUSAL), "{error}");
}
