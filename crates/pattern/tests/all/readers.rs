//! Readers survive any text: an error with its line, never a panic. And pictures are well formed.

use gw_pattern::format::{gf, list, matrix, node_labels, terms};
use gw_pattern::plant::{connected_part, random_graph};
use gw_pattern::{Labels, Options, PatternError, find, picture};
use proptest::prelude::*;

const GFU: &str = "#net\n4\nA\nB\nA\nC c\n4\n0 1\n1 2\n2 3\n3 0\n";
const LIST: &str = "# x\nv a red\nv b blue\nv c red\ne a b\ne b c\n";

/// A text with some bytes replaced, removed or repeated.
fn mutated(text: &'static str) -> impl Strategy<Value = String> {
    let edit = (0..text.len(), 0..3_u8, prop::sample::select(b"0123456789 \n\t#-.ve,\xc3\xff".to_vec()));
    prop::collection::vec(edit, 0..12).prop_map(move |edits| {
        let mut bytes = text.as_bytes().to_vec();
        for (at, kind, byte) in edits {
            let at = at % bytes.len().max(1);
            match kind {
                0 if at < bytes.len() => bytes[at] = byte,
                1 if at < bytes.len() => drop(bytes.remove(at)),
                _ => bytes.insert(at.min(bytes.len()), byte),
            }
        }
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// An error has a line of the text, or speaks of the whole.
fn is_clear(error: &PatternError, text: &str) -> bool {
    match error {
        PatternError::Text { line, message } => *line <= text.lines().count() + 1 && message.len() > 10,
        PatternError::Argument(message) => message.len() > 10,
        _ => false,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(gw_testing::usually(400, 50_000)))]

    #[test]
    fn graphs_survive_mutation(gfu in mutated(GFU), lg in mutated(LIST)) {
        if let Err(error) = gf::parse(&gfu, &mut Labels::default()) {
            prop_assert!(is_clear(&error, &gfu), "{error:?}");
        }
        let mut labels = Labels::default();
        match list::parse(&lg, &mut labels) {
            Ok(graph) => prop_assert_eq!(list::parse(&list::print(&graph, &labels), &mut labels).unwrap(), graph),
            Err(error) => prop_assert!(is_clear(&error, &lg), "{error:?}"),
        }
    }

    #[test]
    fn companions_of_graphs_survive_mutation(numbers in mutated("0 0.5 1\n1 0.25 0\n"), pairs in mutated("0 a\n1 b\n2 c\n")) {
        if let Err(error) = matrix::parse(&numbers, 2, 3) {
            prop_assert!(is_clear(&error, &numbers), "{error:?}");
        }
        let spec = gw_graph::GraphSpec::parse("path:3").unwrap();
        let graph = spec.load(&gw_graph::progress::Silent).unwrap().graph;
        if let Err(error) = node_labels::parse(&pairs, &graph, &mut Labels::default()) {
            prop_assert!(is_clear(&error, &pairs), "{error:?}");
        }
        let target = random_graph(3, 3, 1, 1);
        if let Err(error) = terms::parse(&pairs, &target, &mut Labels::default()) {
            prop_assert!(is_clear(&error, &pairs), "{error:?}");
        }
    }
}

#[test]
fn files_are_read_by_their_suffix() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let mut labels = Labels::default();
    let mut read = |path: &std::path::Path| gw_pattern::format::read(path, &mut labels);
    assert_eq!(read(&write("a.gfd", GFU.as_bytes())).unwrap().edges(), 4);
    assert_eq!(read(&write("a.LG", LIST.as_bytes())).unwrap().edges(), 2);
    let shown = |error: PatternError| error.to_string();
    assert!(shown(read(&write("a.txt", b"")).unwrap_err()).contains("named .gfu, .gfd or .lg"));
    assert!(shown(read(&write("b.gfu", b"#n\n2\nA\n")).unwrap_err()).contains("b.gfu:4: the text ends where"));
    assert!(shown(read(&write("c.gfu", b"#n\n\xff\n")).unwrap_err()).contains("c.gfu:2: this is no text"));
    assert!(shown(read(folder.path().join("none.gfu").as_path()).unwrap_err()).starts_with("cannot read "));
}

#[test]
fn a_picture_has_a_mark_for_every_node_and_edge() {
    let target = random_graph(60, 150, 4, 1);
    let query = connected_part(&target, 6, 2).unwrap();
    let mut labels = Labels::default();
    for text in ["<a>", "b & c", "\"d\"", "e\u{1}"] {
        labels.intern(text);
    }
    let found = find(&query, &target, None, &Options { solutions: 20, ..Options::default() }).unwrap();
    let shown = &found.matches[..2];
    let svg = picture(&query, &target, &labels, shown).unwrap();
    assert_eq!(svg.matches("<circle").count(), 6 * 3);
    assert_eq!(svg.matches("<line").count(), query.edges() * 3);
    let missing: usize = shown.iter().map(|found| found.cost.missing_edges).sum();
    assert_eq!(svg.matches("stroke-dasharray").count(), missing);
    assert!(!svg.contains("<a>") && !svg.contains('\u{1}') && svg.contains("&lt;a&gt;"));
}

/// Names of nodes are looked up in a table: ten times as many lines take about ten times as long.
#[test]
fn terms_and_labels_of_many_named_nodes_are_read_in_linear_time() {
    let seconds = |nodes: u32| {
        let graph: String = (0..nodes).map(|v| format!("v protein{v} A\n")).collect();
        let pairs: String = (0..nodes).map(|v| format!("protein{v} t{}\n", v % 7)).collect();
        let target = list::parse(&graph, &mut Labels::default()).unwrap();
        let start = std::time::Instant::now();
        let read = terms::parse(&pairs, &target, &mut Labels::default()).unwrap();
        assert_eq!((read.nodes(), read.of(nodes - 1).len()), (nodes as usize, 1));
        start.elapsed().as_secs_f64()
    };
    let least = |nodes: u32| (0..3).map(|_| seconds(nodes)).fold(f64::INFINITY, f64::min);
    let (short, long) = (least(5_000), least(50_000));
    assert!(long < 45.0 * short.max(1e-3), "{short} s and {long} s");
}

/// A folder may hold anything; what only looks like a graph by its name is left out, with a note.
#[test]
fn folders_with_odd_names_are_read() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("old.gfu")).unwrap();
    let refused = gw_pattern::format::labelled_files(folder.path()).unwrap_err().to_string();
    assert!(refused.contains("has no file named .gfu"), "{refused}");
    for name in ["b.lg", "a.lg", "old.gfd", "note.txt"] {
        std::fs::write(folder.path().join(name), LIST).unwrap();
    }
    let found = gw_pattern::format::labelled_files(folder.path()).unwrap();
    let names: Vec<_> = found.files.iter().map(|path| path.file_name().unwrap().to_string_lossy()).collect();
    assert_eq!(names, ["a.lg", "b.lg", "old.gfd"]);
    assert!(found.notes.len() == 1 && found.notes[0].ends_with("old.gfu is left out: it is a folder"), "{found:?}");
    let error = gw_pattern::format::read(&folder.path().join("old.gfu"), &mut Labels::default()).unwrap_err();
    assert!(error.to_string().ends_with("this is a folder, not a labelled graph"), "{error}");
}
