//! Small files of every format, with all the oddities their formats allow, and what they mean.

use crate::format_support;

use format_support::{Folder, edges, load_file, write_file};
use gw_graph::format::{Content, Format, ReadOptions, WriteOptions, load, read, write};
use gw_graph::progress::Silent;
use gw_graph::{BuildOptions, EdgeList, Graph, Names, Numbering, Reorder, WeightKind, build};

/// Vertices, symmetric or not, and the edges of a file.
fn described(graph: &Graph) -> (usize, bool, Vec<(u32, u32, f64)>) {
    (graph.vertices(), graph.is_symmetric(), edges(graph))
}

fn unweighted(pairs: &[(u32, u32)]) -> Vec<(u32, u32, f64)> {
    pairs.iter().map(|&(s, t)| (s, t, 0.0)).collect()
}

#[test]
fn edge_lists() {
    let folder = Folder::new();
    // Comments, blank lines, tabs, CRLF, a loop, parallel edges and no line end at the end.
    let graph = folder.load("a.el", "# c\n% d\n\n 0 1\r\n1\t2 \n2 2\n0   1\n3 0").unwrap();
    assert_eq!(described(&graph), (4, false, unweighted(&[(0, 1), (1, 2), (3, 0)])));

    let graph = folder.load("a.wel", "0 1 5\n0 1 -3\r\n1 0 +7\n").unwrap();
    assert_eq!(described(&graph), (2, false, vec![(0, 1, -3.0), (1, 0, 7.0)]));
    assert_eq!(graph.weight_kind(), WeightKind::Int);

    let graph = folder.load("b.wel", "0 1 5\n1 0 2.5e-1\n").unwrap();
    assert_eq!(described(&graph), (2, false, vec![(0, 1, 5.0), (1, 0, 0.25)]));
    assert_eq!(graph.weight_kind(), WeightKind::Float);
}

#[test]
fn snap() {
    let folder = Folder::new();
    let text = "# Directed graph\n# FromNodeId\tToNodeId\n7\t1000000\n1000000\t3\n7\t3\n3 7\n18446744073709551614 3\n";
    let path = folder.file("s.txt", text);
    let loaded = load_file(&path).unwrap();
    let expected = unweighted(&[(0, 1), (1, 0), (1, 2), (2, 0), (3, 0)]);
    assert_eq!(described(&loaded.graph), (4, false, expected));
    let names = Names::from_unsigned(vec![3, 7, 1_000_000, u64::MAX - 1]);
    assert_eq!(loaded.graph.names().map(|names| &**names), Some(&names));
    let numbering = loaded.graph.numbering().map(ToString::to_string);
    assert_eq!(numbering.as_deref(), Some("4 ids between 3 and 18446744073709551614 were renumbered 0 to 3"));
    let dense = folder.load("d.txt", "0 2\n2 1\n").unwrap();
    assert_eq!((dense.numbering(), dense.names()), (None, None));

    let graph = folder.load("w.txt", "#x\n10 20 4\n20 10 4\n").unwrap();
    assert_eq!(described(&graph), (2, true, vec![(0, 1, 4.0), (1, 0, 4.0)]));
}

#[test]
fn matrix_market() {
    let folder = Folder::new();
    let graph = folder
        .load("p.mtx", "%%MatrixMarket MATRIX Coordinate pattern General\n% c\n\n  4 4 3 \n1 2\n % c\n3 3\n2 1\n")
        .unwrap();
    assert_eq!(described(&graph), (4, true, unweighted(&[(0, 1), (1, 0)])));

    let graph =
        folder.load("s.mtx", "%%MatrixMarket matrix coordinate integer symmetric\n3 3 2\n2 1 -4\n3 1 9\n").unwrap();
    assert_eq!(described(&graph), (3, true, vec![(0, 1, -4.0), (0, 2, 9.0), (1, 0, -4.0), (2, 0, 9.0)]));
    assert_eq!(graph.weight_kind(), WeightKind::Int);

    let graph = folder.load("r.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 2 1e3\n2 1 7\n").unwrap();
    assert_eq!(described(&graph), (2, false, vec![(0, 1, 1000.0), (1, 0, 7.0)]));
    assert_eq!(graph.weight_kind(), WeightKind::Float);

    let graph =
        folder.load("k.mtx", "%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 2\n2 1 1.5\n3 2 -2\n").unwrap();
    let expected = vec![(0, 1, -1.5), (1, 0, 1.5), (1, 2, 2.0), (2, 1, -2.0)];
    assert_eq!(described(&graph), (3, false, expected));
}

#[test]
fn dimacs_keeps_ids() {
    let folder = Folder::new();
    let graph = folder.load("g.gr", "c comment\np sp 4 3\nc more\na 1 2 10\na 2 1 10\na 1 3 -5\n").unwrap();
    assert_eq!(described(&graph), (5, false, vec![(1, 2, 10.0), (1, 3, -5.0), (2, 1, 10.0)]));
    assert_eq!(graph.numbering(), Some(&Numbering::FromOne));
    let graph = folder.load("z.gr", "p sp 3 1\na  0 2 1\n").unwrap();
    assert_eq!((described(&graph), graph.numbering()), ((3, false, vec![(0, 2, 1.0)]), None));
}

#[test]
fn metis() {
    let folder = Folder::new();
    let graph = folder.load("g.graph", "% c\n4 2\n2 3\n1\n% c\n 1 \n\n").unwrap();
    assert_eq!(described(&graph), (4, true, unweighted(&[(0, 1), (0, 2), (1, 0), (2, 0)])));
    // Edge weights, vertex sizes and two weights per vertex.
    let graph = folder.load("w.graph", "3 2 111 2\n9 1 1 2 5 3 6\n9 1 1 1 5\n9 1 1 1 6").unwrap();
    assert_eq!(described(&graph), (3, true, vec![(0, 1, 5.0), (0, 2, 6.0), (1, 0, 5.0), (2, 0, 6.0)]));
    let graph = folder.load("v.metis", "2 1 10\n7 2\n7 1\n").unwrap();
    assert_eq!(described(&graph), (2, true, unweighted(&[(0, 1), (1, 0)])));
}

#[test]
fn konect() {
    let folder = Folder::new();
    let graph = folder.load("out.friends", "% sym unweighted\n% 2 4 4\n1 2 1 1082040961\n2\t3\n").unwrap();
    assert_eq!(described(&graph), (4, true, unweighted(&[(0, 1), (1, 0), (1, 2), (2, 1)])));
    let graph = folder.load("out.votes", "% asym signed\n1 2 -1 77\n3 2 1 78\n").unwrap();
    assert_eq!(described(&graph), (3, false, vec![(0, 1, -1.0), (2, 1, 1.0)]));
    let graph = folder.load("out.films", "% bip weighted\n% 2 2 3\n1 1 4.5\n2 3 1\n").unwrap();
    assert_eq!(described(&graph), (5, true, vec![(0, 2, 4.5), (1, 4, 1.0), (2, 0, 4.5), (4, 1, 1.0)]));
    let graph = folder.load("out.films2", "% bip positive\n1 1\n2 3\n").unwrap();
    assert_eq!(described(&graph), (5, true, unweighted(&[(0, 2), (1, 4), (2, 0), (4, 1)])));
}

#[test]
fn adjacency_graphs() {
    let folder = Folder::new();
    let graph = folder.load("g.adj", "AdjacencyGraph\n3\n4\n0\n2\n3\n2\n1\n0\n1\n").unwrap();
    assert_eq!(described(&graph), (3, false, unweighted(&[(0, 1), (0, 2), (1, 0), (2, 1)])));
    // Without a suffix the first word tells; a vertex in the middle and the last have no edges; all on one line.
    let graph = folder.load("noname", "WeightedAdjacencyGraph 4 2 0 1 1 2 3 0 7 -8").unwrap();
    assert_eq!(described(&graph), (4, false, vec![(0, 3, 7.0), (2, 0, -8.0)]));
}

fn gapbs(directed: u8, n: i64, offsets: &[i64], neighbours: &[i32], incoming: Option<(&[i64], &[i32])>) -> Vec<u8> {
    let m = *offsets.last().unwrap();
    let mut bytes = vec![directed];
    bytes.extend(m.to_le_bytes());
    bytes.extend(n.to_le_bytes());
    for (offsets, neighbours) in [(offsets, neighbours)].into_iter().chain(incoming) {
        bytes.extend(offsets.iter().flat_map(|o| o.to_le_bytes()));
        bytes.extend(neighbours.iter().flat_map(|o| o.to_le_bytes()));
    }
    bytes
}

#[test]
fn gapbs_is_taken_as_it_is() {
    let folder = Folder::new();
    // Unsorted, with a loop and a parallel edge.
    let bytes = gapbs(0, 3, &[0, 3, 5, 6], &[2, 1, 1, 0, 0, 0], None);
    let graph = folder.load("u.sg", bytes).unwrap();
    let expected = unweighted(&[(0, 1), (0, 1), (0, 2), (1, 0), (1, 0), (2, 0)]);
    assert_eq!(described(&graph), (3, true, expected));

    let bytes = gapbs(1, 2, &[0, 2, 2], &[0, 1], Some((&[0, 1, 2], &[0, 0])));
    let graph = folder.load("d.sg", bytes).unwrap();
    assert_eq!(described(&graph), (2, false, unweighted(&[(0, 0), (0, 1)])));
    assert!(graph.has_incoming());
    assert_eq!(graph.incoming().neighbours(1), [0]);

    let bytes = gapbs(0, 2, &[0, 1, 2], &[1, 33, 0, 33], None);
    let graph = folder.load("w.wsg", bytes).unwrap();
    assert_eq!(described(&graph), (2, true, vec![(0, 1, 33.0), (1, 0, 33.0)]));
}

#[test]
fn astar() {
    let folder = Folder::new();
    let mut bytes = Vec::new();
    bytes.extend(0x1508_42A7u32.to_le_bytes());
    bytes.extend(2u32.to_le_bytes());
    for (target, distance) in [(1u32, 1.5e-6f64), (0, 2.0)] {
        bytes.extend(48.2f64.to_le_bytes());
        bytes.extend(16.4f64.to_le_bytes());
        bytes.extend(1u32.to_le_bytes());
        bytes.extend(target.to_le_bytes());
        bytes.extend(distance.to_le_bytes());
    }
    let graph = folder.load("v.bin", &bytes).unwrap();
    assert_eq!(described(&graph), (2, false, vec![(0, 1, 955.0), (1, 0, 1_274_200_000.0)]));
    let graph = read_as(&folder, "anything", &bytes, Format::AStar);
    assert_eq!(graph.edges(), 2);
}

fn read_as(folder: &Folder, name: &str, bytes: &[u8], format: Format) -> Graph {
    let options = ReadOptions { format: Some(format), ..Default::default() };
    load(&folder.file(name, bytes), &options, &BuildOptions::default(), &Silent).unwrap().graph
}

#[test]
fn options_reach_graphs_that_are_stored_built() {
    let folder = Folder::new();
    let graph = folder.load("a.el", "0 1\n0 2\n0 3\n1 0\n").unwrap();
    let path = folder.path("a.gwg");
    write_file(&graph, &path).unwrap();
    let options = BuildOptions { symmetrise: true, reorder: Some(Reorder::DegreeAscending), ..Default::default() };
    let loaded = load(&path, &ReadOptions::default(), &options, &Silent).unwrap().graph;
    // Vertices 2, 3, 1, 0 by degree.
    let expected = unweighted(&[(0, 3), (1, 3), (2, 3), (3, 0), (3, 1), (3, 2)]);
    assert_eq!(described(&loaded), (4, true, expected));
}

#[test]
fn reading_says_what_the_file_says() {
    let folder = Folder::new();
    let path = folder.file("s.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n2 2\n");
    let loaded = read(&path, &ReadOptions::default(), &Silent).unwrap();
    assert_eq!((loaded.format, loaded.bytes), (Format::Mtx, path.metadata().unwrap().len()));
    let Content::Edges(file) = loaded.content else { panic!("not edges") };
    assert_eq!((file.edges.len(), file.edges.vertices(), file.symmetrise), (2, 3, true));
}

#[test]
fn what_is_written_is_what_the_formats_ask_for() {
    let folder = Folder::new();
    let triples = [(0u32, 1u32, 5), (1, 2, -6)];
    let options = BuildOptions { symmetrise: true, ..Default::default() };
    let weighted = build(EdgeList::from_triples(4, triples), &options).unwrap();
    let plain = build(EdgeList::from_pairs(4, vec![(0, 1), (1, 2)]), &options).unwrap();
    /// The real of 32 bits next to 0.1, exactly: a reader that has 64 bits finds the same one.
    const TENTH: &str = "0.10000000149011612";
    let directed = build(EdgeList::from_triples(4, [(0u32, 1u32, 0.1f32), (2, 1, 3.0)]), &Default::default()).unwrap();
    let text = |graph: &Graph, name: &str| {
        let path = folder.path(name);
        let written = write_file(graph, &path).unwrap();
        (std::fs::read_to_string(path).unwrap(), written.notes)
    };
    let lost = "the last 1 vertices have no edges and are not in the file";
    assert_eq!(text(&plain, "a.el"), ("0 1\n1 0\n1 2\n2 1\n".into(), vec![lost.into()]));
    assert_eq!(text(&directed, "a.wel"), (format!("0 1 {TENTH}\n2 1 3.0\n"), vec![lost.into()]));
    let (snap, notes) = text(&directed, "a.txt");
    let head = "# Directed graph\n# Nodes: 4 Edges: 2\n# FromNodeId\tToNodeId\tWeight\n";
    assert_eq!(snap, format!("{head}0\t1\t{TENTH}\n2\t1\t3.0\n"));
    assert_eq!(notes, ["1 vertices without edges are not in the file; reading it back renumbers the rest"]);
    let mtx = "%%MatrixMarket matrix coordinate integer symmetric\n4 4 2\n2 1 5\n3 2 -6\n";
    assert_eq!(text(&weighted, "a.mtx"), (mtx.into(), vec![]));
    let mtx = format!("%%MatrixMarket matrix coordinate real general\n4 4 2\n1 2 {TENTH}\n3 2 3.0\n");
    assert_eq!(text(&directed, "a.mtx").0, mtx);
    let gr = "c written by Graphwright\np sp 4 4\na 0 1 5\na 1 0 5\na 1 2 -6\na 2 1 -6\n";
    let (found, notes) = text(&weighted, "a.gr");
    assert_eq!(found, gr);
    assert_eq!(notes, ["vertex 0 has edges: ids are kept as they are, but proper `.gr` ids start at 1"]);
    assert_eq!(text(&weighted, "a.graph").0, "4 2 001\n2 5\n1 5 3 -6\n2 -6\n\n");
    assert_eq!(text(&plain, "a.graph").0, "4 2\n2\n1 3\n2\n\n");
    assert_eq!(text(&weighted, "out.a").0, "% sym weighted\n% 2 4 4\n2 1 5\n3 2 -6\n");
    assert_eq!(text(&plain, "a.adj").0, "AdjacencyGraph\n4\n4\n0\n1\n3\n4\n1\n0\n2\n1\n");

    let (found, notes) = text(&plain, "b.wel");
    assert_eq!(found, "0 1 1\n1 0 1\n1 2 1\n2 1 1\n");
    assert!(notes.contains(&"the graph has no weights: every edge is written with weight 1".to_string()), "{notes:?}");

    let options = WriteOptions { format: Some(Format::El), ..Default::default() };
    write(&plain, &folder.path("odd name"), &options, &Silent).unwrap();
    assert_eq!(std::fs::read_to_string(folder.path("odd name")).unwrap(), "0 1\n1 0\n1 2\n2 1\n");
}
