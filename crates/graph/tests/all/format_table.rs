//! Tables of edges: columns, quotes, ids of every kind, and errors with their lines.

use gw_graph::format::{ReadOptions, TableColumns, load};
use gw_graph::progress::Silent;
use gw_graph::{BuildOptions, Graph, GraphSpec, Names, Reorder, WeightKind};
use proptest::prelude::*;

use crate::format_support::{Folder, edges, load_file, write_file};

fn names(graph: &Graph) -> Vec<String> {
    graph.names().map_or_else(Vec::new, |names| names.iter().map(|name| name.to_string()).collect())
}

/// All edges with the original ids.
fn named(graph: &Graph) -> Vec<(String, String, f64)> {
    let names = names(graph);
    let name = |v: u32| names.get(v as usize).cloned().unwrap_or_else(|| v.to_string());
    edges(graph).into_iter().map(|(s, t, w)| (name(s), name(t), w)).collect()
}

#[test]
fn names_are_numbered_as_they_appear() {
    let folder = Folder::new();
    let graph = folder.load("f.csv", "follower,followee,since\ncarol,alice,2001\nbob,carol,1999\n").unwrap();
    assert_eq!(names(&graph), ["carol", "alice", "bob"]);
    assert_eq!(edges(&graph), [(0, 1, 0.0), (2, 0, 0.0)]);
    assert_eq!(graph.weight_kind(), WeightKind::None, "a third column is no weight unless it is called so");
    let numbering = graph.numbering().map(ToString::to_string);
    assert_eq!(numbering.as_deref(), Some("3 ids were numbered 0 to 2 in the order in which they first appear"));
}

#[test]
fn everything_that_spreadsheets_write_is_read() {
    let folder = Folder::new();
    let text = "\u{feff}# made by hand\r\n\r\nweight;\"to\" ; from\r\n\
                2;\"x; y\";\"say \"\"hi\"\"\"\r\n\r\n  \r\n0.5; #b ;\"two\nlines\"";
    let graph = folder.load("f.csv", text).unwrap();
    let expected = [("say \"hi\"", "x; y", 2.0), ("two\nlines", "#b", 0.5)].map(|(s, t, w)| (s.into(), t.into(), w));
    assert_eq!(named(&graph), expected);
    assert_eq!(graph.weight_kind(), WeightKind::Float);
    let tabs = folder.load("f.tsv", "src\tdst\tw\na, b\tc\t3\n").unwrap();
    assert_eq!((named(&tabs), tabs.weight_kind()), (vec![("a, b".into(), "c".into(), 3.0)], WeightKind::Int));
}

#[test]
fn whole_numbers_ascend_and_stay_when_they_are_dense() {
    let folder = Folder::new();
    let dense = folder.load("d.csv", "source,target\n2,0\n0,1\n").unwrap();
    assert_eq!((dense.names(), edges(&dense)), (None, vec![(0, 1, 0.0), (2, 0, 0.0)]));
    let wide = folder.load("w.csv", "source,target\n9000000000000000000,-3\n-3,12\n").unwrap();
    assert_eq!(wide.names().map(|n| &**n), Some(&Names::from_signed(vec![-3, 12, 9_000_000_000_000_000_000])));
    assert_eq!(edges(&wide), [(0, 1, 0.0), (2, 0, 0.0)]);
    let largest = folder.load("u.csv", "source,target\n18446744073709551615,7\n").unwrap();
    assert_eq!(largest.names().map(|n| &**n), Some(&Names::from_unsigned(vec![7, u64::MAX])));
    // Numbers of both kinds, and what would not read back as it is written, are texts.
    for text in [
        "source,target\n1,2\n2,-5\n18446744073709551615,1\n",
        "source,target\n1,2\n007,1\n",
        "source,target\n1,2\n2,x\n",
    ] {
        let mixed = folder.load("m.csv", text).unwrap();
        assert!(mixed.names().is_some_and(|names| names.is_text()), "{text}");
        assert_eq!(names(&mixed)[..2], ["1", "2"], "{text}");
    }
}

#[test]
fn tables_without_a_header_are_noticed_or_announced() {
    let folder = Folder::new();
    let numbers = folder.load("n.csv", "10,20\n20,30\n").unwrap();
    assert_eq!(names(&numbers), ["10", "20", "30"]);
    let path = folder.file("t.csv", "ann,bob,5\nbob,cem,6\n");
    let weighed = TableColumns { weight: Some("3".into()), ..Default::default() };
    let options = ReadOptions { columns: weighed, ..Default::default() };
    let graph = load(&path, &options, &BuildOptions::default(), &Silent).unwrap().graph;
    assert_eq!((names(&graph), graph.weight_kind()), (vec!["ann".into(), "bob".into(), "cem".into()], WeightKind::Int));
    let path = folder.file("s.csv", "ann,bob\nbob,cem\n");
    assert_eq!(load_file(&path).unwrap().graph.edges(), 1, "the first line is taken for the header");
    let spec = format!("{}:noheader", path.display());
    assert_eq!(GraphSpec::parse(&spec).unwrap().load(&Silent).unwrap().graph.edges(), 2);
}

#[test]
fn specs_name_columns() {
    let folder = Folder::new();
    let path = folder.file("f.csv", "when,who,a:b\n3,x,y\n4,y,x\n");
    let spec = format!("{}:source=a%3Ab:target=who:weight=when", path.display());
    let graph = GraphSpec::parse(&spec).unwrap().load(&Silent).unwrap().graph;
    assert_eq!(named(&graph), [("y".into(), "x".into(), 3.0), ("x".into(), "y".into(), 4.0)]);
    let error = |options: &str| match GraphSpec::parse(&format!("{}:{options}", path.display())) {
        Ok(spec) => folder.message(&spec.load(&Silent).unwrap_err()),
        Err(error) => folder.message(&error),
    };
    assert_eq!(
        error("source=b"),
        "f.csv:1: there is no column `b` for the source; the columns are `when`, `who`, `a:b`"
    );
    assert!(error("weight=when:weights=1..5").ends_with("contradict each other"));
    assert!(error("source").contains("`source` needs a value"));
    let plain = folder.file("f.el", "0 1\n");
    let refused = GraphSpec::parse(&format!("{}:source=a", plain.display())).unwrap().load(&Silent).unwrap_err();
    assert!(refused.is_usage() && refused.to_string().contains("the format el has no named columns"), "{refused}");
    assert!(GraphSpec::parse("kron:4:source=a").unwrap_err().to_string().contains("this is a generator"));
}

#[test]
fn mistakes_are_told_with_their_line() {
    let folder = Folder::new();
    for (text, message) in [
        ("source,target\na,b\n\n c \n", "4: 1 field, but the column `target` is number 2"),
        ("source,target\na,b,c\n", "2: 3 fields for 2 columns; put quotes around a field that holds a separator"),
        (
            "source,target\n\"a\nb\",c\nx,\n",
            "4: the column `target` is empty here; fill it in, or leave such lines out with --missing skip",
        ),
        (
            "source,target,weight\na,b,1\na,c,\n",
            "3: the column `weight` is empty here; fill it in, or leave such lines out with --missing skip",
        ),
        ("source,target,weight\na,b,1\na,c,much\n", "3: column `weight`: expected a number, found `much`"),
        ("source,target\na,\"b\n", "2: a quote is opened here and never closed; write a quote inside a field twice"),
        (
            "source,target\na,\"b\" c\n",
            "2: a quoted field goes on after its closing quote; write a quote inside a field twice",
        ),
        ("people\nann\n", "1: an edge needs two columns, but the table has `people` only"),
    ] {
        assert_eq!(folder.refusal("f.csv", text), format!("f.csv:{message}"), "{text:?}");
    }
    assert_eq!(folder.refusal("f.csv", "source,target\n"), "f.csv: there is no edge in the table");
    assert_eq!(folder.refusal("f.csv", "# nothing\n\n"), "f.csv: there is no table in the file");
    assert_eq!(folder.refusal("f.csv", b"\xff\xfes\0"), "f.csv: the text is UTF-16; save it as UTF-8");
    let latin = folder.refusal("f.csv", b"source,target\nM\xfcller,b\n");
    assert!(latin.starts_with("f.csv:2: an id is not UTF-8; convert the file"), "{latin}");
}

#[test]
fn ids_follow_their_vertices() {
    let folder = Folder::new();
    let path = folder.file("f.csv", "source,target,weight\na,hub,1\nb,hub,2\nc,hub,3\n");
    let load =
        |options: &str| GraphSpec::parse(&format!("{}{options}", path.display())).unwrap().load(&Silent).unwrap().graph;
    let mut expected = named(&load(""));
    expected.sort_by(|a, b| a.0.cmp(&b.0));
    let graph = load(":reorder=degree");
    assert_eq!(names(&graph)[0], "hub");
    let mut found = named(&graph);
    found.sort_by(|a, b| a.0.cmp(&b.0));
    assert_eq!(found, expected);
    for graph in [
        load(":sym"),
        load("").symmetrised().unwrap(),
        load("").transpose(),
        load("").reordered(&Reorder::Random { seed: 3 }),
    ] {
        let mut names = names(&graph);
        names.sort();
        assert_eq!(names, ["a", "b", "c", "hub"]);
        assert!(named(&graph).iter().any(|(s, t, _)| s == "hub" || t == "hub"));
    }
    let weighed = GraphSpec::parse(&format!("{}:weights=1..9", path.display())).unwrap().load(&Silent).unwrap().graph;
    assert_eq!(names(&weighed), ["a", "hub", "b", "c"]);
}

#[test]
fn rows_with_missing_cells_are_left_out_and_counted() {
    let folder = Folder::new();
    let load = |text: &str, options: &str| {
        let path = folder.file("f.csv", text);
        let spec = GraphSpec::parse(&format!("{}{options}", path.display()));
        spec.and_then(|spec| spec.load(&Silent)).map(|loaded| loaded.graph)
    };
    // The first row lacks an id: the others are numbers still.
    let text = "source,target,weight\n,9,1\n7,8,2\n8,\"\",3\n\n9,7,\n9,8, 4\n";
    let graph = load(text, ":missing=skip").unwrap();
    assert_eq!(named(&graph), [("7".into(), "8".into(), 2.0), ("9".into(), "8".into(), 4.0)]);
    let skipped = graph.skipped_edges().unwrap();
    assert_eq!((skipped.count, skipped.first), (3, 2));
    let told = "3 edges with a missing source, target or weight were left out, the first in line 2";
    assert_eq!(skipped.to_string(), told);
    // Neither random weights nor another order of the vertices loses the count.
    let graph = load("source,target\na,b\n,b\n", ":missing=skip:weights=1..5:reorder=degree").unwrap();
    let told = "1 edge with a missing source, target or weight was left out, in line 3";
    assert_eq!(graph.skipped_edges().unwrap().to_string(), told);
    // A cell that no edge needs may be empty.
    assert_eq!(load("source,target,note\na,b,\n", "").unwrap().skipped_edges(), None);
    assert_eq!(load("source,target\na,b\n", ":missing=skip").unwrap().skipped_edges(), None);
    let refused = load("source,target\na,\n,b\n", ":missing=skip").unwrap_err();
    let none = "f.csv: there is no edge in the table: 2 edges with a missing source, target or weight were left out, \
                the first in line 2";
    assert_eq!(folder.message(&refused), none);
    // A row that is too short is no row with a missing cell.
    let short = load("source,target\na,b\nc\n", ":missing=skip").unwrap_err();
    assert_eq!(folder.message(&short), "f.csv:3: 1 field, but the column `target` is number 2");
    assert!(load(text, ":missing=maybe").is_err_and(|error| error.to_string().contains("neither `skip` nor `error`")));
    // In blocks on several threads.
    let rows = |i: u32| if i % 10 == 3 { format!(",{i}\n") } else { format!("{},{}\n", i % 5000, i % 4999) };
    let text = "source,target\n".to_string() + &(0..60_000).map(rows).collect::<String>();
    for threads in [1, 4] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let skipped = pool.install(|| load(&text, ":missing=skip")).unwrap().skipped_edges().cloned().unwrap();
        assert_eq!((skipped.count, skipped.first), (6000, 5));
    }
}

#[test]
fn wide_whole_weights_are_kept() {
    let folder = Folder::new();
    for text in ["3000000000", "3e9", "3000000000.0"] {
        let graph = folder.load("f.csv", format!("source,target,w\na,b,{text}\nb,a,7\n")).unwrap();
        assert_eq!(named(&graph), [("a".into(), "b".into(), 3e9), ("b".into(), "a".into(), 7.0)], "{text}");
        assert!(graph.rounded_weight().is_none(), "{text}");
    }
    let graph = folder.load("f.wel", "0 1 1152921504606846977\n").unwrap();
    assert!(matches!(graph.out().weights(), gw_graph::Weights::Int64(w) if **w == [1152921504606846977]));
    let graph = folder.load("f.wel", "0 1 1152921504606846977.0\n").unwrap();
    let rounded =
        "the weight 1152921504606846977.0 in line 1 is kept as 1152921504606846976: weights are reals of 64 bits";
    assert_eq!(graph.rounded_weight().unwrap().to_string(), rounded);
}

/// A table large enough for many blocks, with names that need quotes.
fn large() -> String {
    let name = |i: u32| match i % 7 {
        0 => format!("\"name, {i}\nof two lines\""),
        1 => format!("\"5\"\" disk {i}\""),
        _ => format!("name{i}"),
    };
    let row = |i: u32| format!("{},{},{}\n", name(i.wrapping_mul(2_654_435_761) % 9_001), name(i % 7_919), i % 100);
    "source,target,weight\n".to_string() + &(0..60_000).map(row).collect::<String>()
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let folder = Folder::new();
    let path = folder.file("f.csv", large());
    let read = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| load_file(&path).unwrap().graph)
    };
    let one = read(1);
    assert!(one.vertices() > 8_000);
    for threads in [2, 5] {
        let many = read(threads);
        assert!(one == many && one.names() == many.names(), "{threads} threads");
    }
}

#[test]
fn a_stray_quote_shifts_nothing() {
    let folder = Folder::new();
    // The one quote makes every later guess about quotes wrong.
    let text = large().replacen("name2,", "na\"me2,", 1);
    let graph = folder.load("f.csv", &text).unwrap();
    let clean = folder.load("g.csv", large()).unwrap();
    assert_eq!(graph.edges(), clean.edges());
    // A fault far behind it has the right line.
    let lines = text.lines().count();
    assert!(folder.refusal("f.csv", text + "a,b\n").starts_with(&format!("f.csv:{}: 2 fields", lines + 1)));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn written_tables_read_back(
        rows in prop::collection::vec(("[ -~äé\n]{1,5}", "[a-c\", #]{1,3}"), 1..30),
        tabs: bool,
    ) {
        let quote = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
        let rows: Vec<_> = rows.into_iter().filter(|(s, t)| s != t).collect();
        prop_assume!(!rows.is_empty());
        let text: String = rows.iter().map(|(s, t)| format!("{},{}\n", quote(s), quote(t))).collect();
        let folder = Folder::new();
        let graph = folder.load("a.csv", format!("source,target\n{text}")).unwrap();
        let mut expected: Vec<_> = rows.iter().map(|(s, t)| (s.clone(), t.clone(), 0.0)).collect();
        expected.sort_by(|a, b| a.partial_cmp(b).unwrap());
        expected.dedup();
        let sorted = |graph: &Graph| {
            let mut edges = named(graph);
            edges.sort_by(|a, b| a.partial_cmp(b).unwrap());
            edges
        };
        prop_assert_eq!(sorted(&graph), expected.clone());
        let path = folder.path(if tabs { "b.tsv" } else { "b.csv.gz" });
        write_file(&graph, &path).unwrap();
        prop_assert_eq!(sorted(&load_file(&path).unwrap().graph), expected);
    }
}

#[cfg(not(feature = "parquet"))]
#[test]
fn without_the_feature_parquet_is_refused_in_words() {
    let folder = Folder::new();
    let message = folder.refusal("f.parquet", include_bytes!("../data/follows.parquet"));
    assert!(message.contains("built without Parquet"), "{message}");
}

/// 64 row groups of edges from every vertex to one other: threads must not take each other's bytes.
#[cfg(feature = "parquet")]
#[test]
fn row_groups_are_read_beside_each_other() {
    const VERTICES: u32 = 4096;
    let folder = Folder::new();
    let path = folder.file("g.parquet", include_bytes!("../data/groups.parquet"));
    let spec = GraphSpec::parse(&path.display().to_string()).unwrap();
    let threads = rayon::ThreadPoolBuilder::new().num_threads(4).build().unwrap();
    for _ in 0..20 {
        let graph = threads.install(|| spec.load(&Silent)).unwrap().graph;
        let expected: Vec<_> = (0..VERTICES).map(|v| (v, (v * 7 + 1) % VERTICES)).collect();
        let found: Vec<_> = edges(&graph).into_iter().map(|(source, target, _)| (source, target)).collect();
        assert_eq!(found, expected);
    }
}

#[cfg(feature = "parquet")]
#[test]
fn parquet_tables_are_read() {
    let folder = Folder::new();
    let path = folder.file("f.parquet", include_bytes!("../data/follows.parquet"));
    let spec = format!("{}:source=follower:target=followee", path.display());
    let graph = GraphSpec::parse(&spec).unwrap().load(&Silent).unwrap().graph;
    assert_eq!(
        (names(&graph), graph.weight_kind()),
        (vec!["ann".into(), "bob".into(), "cem".into()], WeightKind::Float)
    );
    assert_eq!(edges(&graph), [(0, 1, 1.5), (0, 2, 0.5), (1, 2, 2.0), (2, 0, 4.0)]);
    let graph = folder.load("n.parquet", include_bytes!("../data/numbers.parquet")).unwrap();
    assert_eq!(names(&graph), ["-5", "7", "1099511627776"]);
    assert_eq!(
        (edges(&graph), graph.weight_kind()),
        (vec![(0, 1, 1.0), (1, 0, 2.0), (1, 2, 3.0), (2, 1, 4.0)], WeightKind::Int)
    );
    let message = folder.refusal("m.parquet", include_bytes!("../data/missing.parquet"));
    assert_eq!(
        message,
        "m.parquet: row 2: the column `dst` is empty; fill it in, or leave such rows out with --missing skip"
    );
    let spec = GraphSpec::parse(&format!("{}:source=x", path.display())).unwrap();
    let message = folder.message(&spec.load(&Silent).unwrap_err());
    assert!(message.ends_with("the columns are `since`, `follower`, `followee`, `weight`"), "{message}");
}

/// A Parquet file with the columns `source`, `target` and `weight`, the latter of doubles or of whole numbers.
#[cfg(feature = "parquet")]
fn parquet_file(
    compression: parquet::basic::Compression,
    rows: &[(Option<&str>, Option<&str>, Option<f64>)],
    whole: bool,
) -> Vec<u8> {
    use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
    use parquet::file::properties::WriterProperties;
    use parquet::file::writer::SerializedFileWriter;
    use std::sync::Arc;
    let weight = if whole { "INT64" } else { "DOUBLE" };
    let schema = format!(
        "message edges {{ optional binary source (UTF8); optional binary target (UTF8); optional {weight} weight; }}"
    );
    let schema = Arc::new(parquet::schema::parser::parse_message_type(&schema).unwrap());
    let properties = Arc::new(WriterProperties::builder().set_compression(compression).build());
    let mut writer = SerializedFileWriter::new(Vec::new(), schema, properties).unwrap();
    for rows in rows.chunks(rows.len().div_ceil(2)) {
        let mut group = writer.next_row_group().unwrap();
        for end in 0..2 {
            let ends: Vec<Option<&str>> = rows.iter().map(|row| if end == 0 { row.0 } else { row.1 }).collect();
            let levels: Vec<i16> = ends.iter().map(|end| i16::from(end.is_some())).collect();
            let texts: Vec<ByteArray> =
                ends.iter().flatten().map(|text| ByteArray::from(text.as_bytes().to_vec())).collect();
            let mut column = group.next_column().unwrap().unwrap();
            column.typed::<ByteArrayType>().write_batch(&texts, Some(&levels), None).unwrap();
            column.close().unwrap();
        }
        let levels: Vec<i16> = rows.iter().map(|row| i16::from(row.2.is_some())).collect();
        let weights: Vec<f64> = rows.iter().filter_map(|row| row.2).collect();
        let mut column = group.next_column().unwrap().unwrap();
        if whole {
            let weights: Vec<i64> = weights.iter().map(|&weight| weight as i64).collect();
            column.typed::<Int64Type>().write_batch(&weights, Some(&levels), None).unwrap();
        } else {
            column.typed::<DoubleType>().write_batch(&weights, Some(&levels), None).unwrap();
        }
        column.close().unwrap();
        group.close().unwrap();
    }
    writer.into_inner().unwrap()
}

#[cfg(feature = "parquet")]
#[test]
fn every_codec_of_parquet_is_read() {
    use parquet::basic::{BrotliLevel, Compression, GzipLevel, ZstdLevel};
    let folder = Folder::new();
    let rows: Vec<(String, String)> =
        (0..500).map(|i| (format!("vertex {}", i % 40), format!("vertex {}", i % 37))).collect();
    let rows: Vec<_> = rows.iter().map(|(s, t)| (Some(s.as_str()), Some(t.as_str()), Some(0.5))).collect();
    let plain = folder.load("p.parquet", parquet_file(Compression::UNCOMPRESSED, &rows, false)).unwrap();
    for codec in [
        Compression::BROTLI(BrotliLevel::default()),
        Compression::LZ4,
        Compression::LZ4_RAW,
        Compression::SNAPPY,
        Compression::GZIP(GzipLevel::default()),
        Compression::ZSTD(ZstdLevel::default()),
    ] {
        let file = parquet_file(codec, &rows, false);
        let graph = folder.load("c.parquet", &file).unwrap_or_else(|error| panic!("{codec}: {error}"));
        assert!(graph == plain && graph.names() == plain.names(), "{codec}");
    }
}

#[cfg(feature = "parquet")]
#[test]
fn missing_and_wide_cells_of_parquet() {
    use parquet::basic::Compression;
    let folder = Folder::new();
    let rows = [
        (Some("a"), Some("b"), Some(3e9)),
        (None, Some("b"), Some(1.0)),
        (Some("b"), Some("c"), None),
        (Some("c"), Some(""), Some(2.0)),
        (Some("c"), Some("a"), Some(f64::NAN)),
        (Some("b"), Some("a"), Some(5.0)),
    ];
    let path = folder.file("m.parquet", parquet_file(Compression::SNAPPY, &rows, false));
    let load = |options: &str| {
        let spec = GraphSpec::parse(&format!("{}{options}", path.display())).unwrap();
        spec.load(&Silent).map(|loaded| loaded.graph)
    };
    let graph = load(":missing=skip").unwrap();
    assert_eq!(named(&graph), [("a".into(), "b".into(), 3e9), ("b".into(), "a".into(), 5.0)]);
    let told = "4 edges with a missing source, target or weight were left out, the first in row 2";
    assert_eq!(graph.skipped_edges().unwrap().to_string(), told);
    let refused = folder.message(&load("").unwrap_err());
    let mend = "fill it in, or leave such rows out with --missing skip";
    assert_eq!(refused, format!("m.parquet: row 2: the column `source` is empty; {mend}"));
    // Whole numbers of 64 bits as weights.
    let wide = [(Some("a"), Some("b"), Some(3e9)), (Some("b"), Some("c"), Some(7.0))];
    let graph = folder.load("w.parquet", parquet_file(Compression::SNAPPY, &wide, true)).unwrap();
    assert_eq!(named(&graph), [("a".into(), "b".into(), 3e9), ("b".into(), "c".into(), 7.0)]);
    assert!(graph.rounded_weight().is_none());
    let rounded = [(Some("a"), Some("b"), Some(3_000_000_001.0)), (Some("b"), Some("c"), Some(7.0))];
    let graph = folder.load("w.parquet", parquet_file(Compression::SNAPPY, &rounded, true)).unwrap();
    assert_eq!(named(&graph), [("a".into(), "b".into(), 3_000_000_001.0), ("b".into(), "c".into(), 7.0)]);
    assert_eq!((graph.weight_kind(), graph.rounded_weight()), (WeightKind::Int64, None));
}
