//! Each kind of bad input gives one clear error with the place at fault, and leaves nothing behind.

use crate::format_support;

use format_support::{Folder, load_file, write_file};
use gw_graph::format::{ReadOptions, load, open_gwg, verify_gwg, write};
use gw_graph::progress::Silent;
use gw_graph::{BuildOptions, EdgeList, Graph, GraphError, build};

const MTX: &str = "%%MatrixMarket matrix coordinate";

#[test]
fn malformed_text_is_refused_with_its_line() {
    let folder = Folder::new();
    let cases = [
        (
            "a.el",
            "0 1\n1 x\n",
            "a.el:2: expected a vertex id, found `x`; names of vertices stand in tables, .csv or .tsv",
        ),
        ("a.el", "0 1\n\n2\n", "a.el:3: expected a vertex id, found the end of the line"),
        ("a.el", "0 1\n1 -2\n", "a.el:2: vertex id `-2` is negative"),
        ("a.el", "0 1\n0 1 7\n", "a.el:2: unexpected `7` after two columns"),
        ("a.el", "0 1.5\n", "a.el:1: expected a vertex id, found `1.5`"),
        ("a.el", "0 4294967295\n", "a.el:1: vertex id `4294967295` is too large"),
        ("a.el", "0 99999999999999999999999\n", "a.el:1: vertex id `99999999999999999999999` is too large"),
        ("a.el", "# nothing\n", "a.el: there is no edge in the file"),
        (
            "a.el",
            "0 4294967290\n",
            "a.el: 4294967291 vertices for 1 edges: more than 16777216 would waste memory; if the ids are sparse, \
             read the file as `snap`, which makes them dense",
        ),
        ("a.wel", "0 1 2\n1 0\n", "a.wel:2: expected a number, found the end of the line"),
        ("a.wel", "0 1 nan\n", "a.wel:1: weight `nan` is not a finite number"),
        ("a.wel", "0 1 2\n0 1 -inf\n", "a.wel:2: weight `-inf` is not a finite number"),
        ("a.wel", "0 1 heavy\n", "a.wel:1: expected a number, found `heavy`"),
        ("a.wel", "0 1 1e999\n", "a.wel:1: weight `1e999` is out of range for 64-bit reals"),
        ("a.wel", "0 1 2 3\n", "a.wel:1: unexpected `3` after three columns"),
        ("a.txt", "# only\n# comments\n", "a.txt: there is no edge in the file"),
        ("a.txt", "1 2\n3 -4\n", "a.txt:2: vertex id `-4` is negative"),
        ("a.txt", "1 2\n3 18446744073709551615\n", "a.txt:2: vertex id `18446744073709551615` is too large"),
        ("a.gr", "c no header\n", "a.gr:2: the line `p sp VERTICES ARCS` is missing"),
        ("a.gr", "a 1 2 3\n", "a.gr:1: expected `p sp VERTICES ARCS`, found `a 1 2 3`"),
        ("a.gr", "p sp 2 2\na 1 2 3\n", "a.gr:1: the header promises 2 arcs, the file holds 1"),
        ("a.gr", "p sp 2 1\na 1 3 3\n", "a.gr:2: vertex id `3` is out of range: the header allows 0..=2"),
        ("a.gr", "p sp 2 1\na 1 2 3.5\n", "a.gr:2: expected an integer weight, found `3.5`"),
        ("a.gr", "p sp 2 1\ne 1 2\n", "a.gr:2: expected a line `a u v w`, found `e`"),
        (
            "a.gr",
            "p sp 4000000000 1\na 1 2 3\n",
            "a.gr: 4000000001 vertices for 1 edges: more than 16777216 would waste memory; the header seems wrong",
        ),
        ("a.graph", "% c\n", "a.graph:2: the header `VERTICES EDGES` is missing"),
        ("a.graph", "3\n", "a.graph:1: expected a header `VERTICES EDGES [FORMAT [CONSTRAINTS]]`, found `3`"),
        ("a.graph", "2 1 7\n2\n1\n", "a.graph:1: format `7` is unknown: it is made of three digits 0 or 1"),
        ("a.graph", "3 1\n2\n1\n", "a.graph:1: the header promises 3 vertices, the file holds 2 lines for them"),
        ("a.graph", "1 1\n1\n1\n", "a.graph:1: the header promises 1 vertices, the file holds more lines"),
        ("a.graph", "2 1\n2\n3\n", "a.graph:3: vertex id `3` is out of range: the header allows 1..=2"),
        ("a.graph", "2 1\n2\n0\n", "a.graph:3: vertex id `0` is out of range: the header allows 1..=2"),
        (
            "a.graph",
            "2 2\n2\n1\n",
            "a.graph:1: the header promises 2 edges, each listed at both ends, but 2 neighbours are listed",
        ),
        (
            "a.graph",
            "3 1\n2\n3\n\n",
            "a.graph: an edge is listed at one end only, or with another weight at the other end; this format lists every edge at both",
        ),
        ("a.graph", "2 1 1\n2\n1 4\n", "a.graph:2: expected an integer weight, found the end of the line"),
        (
            "a.graph",
            "1000000000000 1\n",
            "a.graph:1: the header promises 1000000000000 vertices, the file holds 0 lines for them",
        ),
        ("out.a", "1 2\n", "out.a:1: expected `% FORMAT WEIGHTS`, such as `% sym unweighted`"),
        ("out.a", "% tri weighted\n1 2\n", "out.a:1: format `tri` is unknown: use sym, asym or bip"),
        ("out.a", "% sym unweighted\n% 5 2 2\n1 2\n", "out.a:2: the header promises 5 edges, the file holds 1"),
        ("out.a", "% sym unweighted\n0 2\n", "out.a:2: vertex id 0 is out of range: ids start at 1 in this format"),
        (
            "out.a",
            "% bip unweighted\n% 1 1 3\n2 1\n",
            "out.a: ids reach 2 and 1, but the header allows 1 left and 3 right",
        ),
        (
            "a.adj",
            "Adjacency\n0\n0\n",
            "a.adj:1: expected `AdjacencyGraph` or `WeightedAdjacencyGraph`, found `Adjacency`",
        ),
        ("a.adj", "AdjacencyGraph\n2\n-1\n", "a.adj:3: expected the number of edges, found `-1`"),
        (
            "a.adj",
            "AdjacencyGraph\n1\n1000000000000\n0\n",
            "a.adj:3: the header promises 1000000000001 numbers (1 vertices, 1000000000000 edges), the file holds 1",
        ),
        ("a.adj", "AdjacencyGraph\n2\n1\n0\n1\n2\n", "a.adj:6: vertex id `2` is out of range 0..2"),
        ("a.adj", "AdjacencyGraph\n2\n1\n1\n0\n1\n", "a.adj: the offsets do not ascend from 0 to the number of edges"),
        ("a.adj", "WeightedAdjacencyGraph\n1\n1\n0\n0\nx\n", "a.adj:6: expected a number, found `x`"),
    ];
    for (name, text, message) in cases {
        assert_eq!(folder.refusal(name, text), message, "{text:?}");
    }
}

#[test]
fn matrix_market_of_other_kinds_is_refused() {
    let folder = Folder::new();
    let cases = [
        ("2 2 1\n1 2\n".to_string(), "m.mtx:1: expected `%%MatrixMarket matrix coordinate FIELD SYMMETRY`"),
        (
            "%%MatrixMarket matrix array real general\n2 2\n".into(),
            "m.mtx:1: `matrix array` is not supported: a graph is a `matrix coordinate`",
        ),
        (
            format!("{MTX} complex general\n2 2 1\n1 2 3 4\n"),
            "m.mtx:1: field `complex` is not supported: use pattern, integer or real",
        ),
        (
            format!("{MTX} real hermitian\n2 2 1\n1 2 3\n"),
            "m.mtx:1: symmetry `hermitian` is not supported: use general, symmetric or skew-symmetric",
        ),
        (format!("{MTX} pattern skew-symmetric\n2 2 1\n1 2\n"), "m.mtx:1: a skew-symmetric matrix needs values"),
        (format!("{MTX} real general\n"), "m.mtx:2: the line with the size is missing"),
        (format!("{MTX} real general\n2 3 1\n1 2 1\n"), "m.mtx:2: a 2 x 3 matrix is no graph: it must be square"),
        (
            format!("{MTX} real general\n2 2\n"),
            "m.mtx:2: expected a line `ROWS COLUMNS ENTRIES`, found the end of the line",
        ),
        (
            format!("{MTX} pattern general\n2 2 1000000000000\n1 2\n"),
            "m.mtx:2: the header promises 1000000000000 entries, the file holds 1",
        ),
        (
            format!("{MTX} pattern general\n2 2 1\n1 2\n2 1\n"),
            "m.mtx:2: the header promises 1 entries, the file holds 2",
        ),
        (
            format!("{MTX} pattern general\n% c\n2 2 1\n1 3\n"),
            "m.mtx:4: vertex id `3` is out of range: the header allows 1..=2",
        ),
        (
            format!("{MTX} pattern general\n2 2 1\n0 1\n"),
            "m.mtx:3: vertex id 0 is out of range: ids start at 1 in this format",
        ),
        (format!("{MTX} integer general\n2 2 1\n2 1 1.5\n"), "m.mtx:3: expected an integer weight, found `1.5`"),
        (
            format!("{MTX} integer general\n2 2 1\n2 1 9999999999999999999\n"),
            "m.mtx:3: integer weight `9999999999999999999` is out of range: weights are at most 64 bits wide",
        ),
        (format!("{MTX} real general\n2 2 1\n2 1 NaN\n"), "m.mtx:3: weight `NaN` is not a finite number"),
        (
            format!("{MTX} integer skew-symmetric\n2 2 1\n2 1 -2147483648\n"),
            "m.mtx: the least integer of its width has no mirror: its negation is wider",
        ),
        (
            format!("{MTX} pattern general\n4000000000 4000000000 1\n2 1\n"),
            "m.mtx: 4000000000 vertices for 1 edges: more than 16777216 would waste memory; the header seems wrong",
        ),
    ];
    for (text, message) in cases {
        assert_eq!(folder.refusal("m.mtx", &text), message, "{text:?}");
    }
}

#[test]
fn line_numbers_hold_across_blocks_and_compression() {
    let folder = Folder::new();
    let mut text = "# c\n".repeat(3);
    for i in 0..500_000 {
        text += if i == 400_000 { "oops\n" } else { "12 34\n" };
    }
    let expected = "400004: expected a vertex id, found `oops`; names of vertices stand in tables, .csv or .tsv";
    assert_eq!(folder.refusal("a.el", &text), format!("a.el:{expected}"));
    let packed = zstd::encode_all(text.as_bytes(), 1).unwrap();
    assert_eq!(folder.refusal("a.el.zst", packed), format!("a.el.zst:{expected}"));
}

#[test]
fn files_that_are_no_files() {
    let folder = Folder::new();
    for name in ["e.el", "e.gwg", "e.mtx.gz", "e.sg"] {
        assert_eq!(folder.refusal(name, ""), format!("{name}: the file is empty"));
    }
    let empty_gz = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    assert_eq!(folder.refusal("e.el.gz", empty_gz), "e.el.gz: the file is empty");
    assert_eq!(folder.refusal("e.sg.gz", empty_gz), "e.sg.gz: the file is empty");
    let message = folder.refusal("x.foo", "0 1\n");
    assert!(
        message.starts_with(
            "x.foo: the name does not tell the format; name the format, or use one of .gwg .csv .tsv .parquet .pq \
             .graphml .gexf .json .el"
        ),
        "{message}"
    );

    std::fs::create_dir(folder.path("d.el")).unwrap();
    let error = load_file(&folder.path("d.el")).unwrap_err();
    assert_eq!(folder.message(&error), "d.el: is a directory, not a graph file");
    let error = load_file(&folder.path("missing.el")).unwrap_err();
    assert!(folder.message(&error).starts_with("cannot read missing.el: No such file"), "{error}");
    assert!(matches!(error, GraphError::Io { .. }));
}

#[test]
fn damaged_compression_is_told_with_its_offset() {
    let folder = Folder::new();
    let text =
        (0..100_000u32).map(|i| format!("{} {}\n", i, i.wrapping_mul(2_654_435_761) % 100_000)).collect::<String>();
    let graph = folder.load("a.el", &text).unwrap();
    for (suffix, kind) in [("gz", "gzip"), ("zst", "zstd")] {
        for name in [format!("a.el.{suffix}"), format!("a.gwg.{suffix}")] {
            let path = folder.path(&name);
            write_file(&graph, &path).unwrap();
            let bytes = std::fs::read(&path).unwrap();
            let message = folder.refusal(&name, &bytes[..bytes.len() - 9]);
            let expected = format!(": the {kind} data are damaged or cut short: ");
            assert!(message.starts_with(&format!("{name}: at byte ")) && message.contains(&expected), "{message}");
            let mut flipped = bytes.clone();
            flipped[bytes.len() / 2] ^= 0x55;
            folder.refusal(&name, &flipped);
        }
        let message = folder.refusal(&format!("b.el.{suffix}"), "0 1\n1 2\n");
        assert!(message.contains(&format!("the {kind} data are damaged")), "{message}");
    }
}

fn small(weighted: bool) -> Graph {
    let options = BuildOptions { symmetrise: true, ..Default::default() };
    let pairs = (0..120u32).map(|i| (i, i.wrapping_mul(2_654_435_761) % 120));
    match weighted {
        true => build(EdgeList::from_triples(120, pairs.map(|(s, t)| (s, t, 1 + (s ^ t) as i32))), &options).unwrap(),
        false => build(EdgeList::from_pairs(120, pairs.collect()), &options).unwrap(),
    }
}

#[test]
fn every_cut_and_every_flipped_byte_of_a_gwg_is_noticed() {
    let folder = Folder::new();
    let path = folder.path("g.gwg");
    let directed = folder.load("d.wel", "0 1 5\n2 1 6\n").unwrap();
    for graph in [&small(false), &small(true), &directed] {
        let options = gw_graph::format::WriteOptions { incoming: true, ..Default::default() };
        write(graph, &path, &options, &Silent).unwrap();
        let good = std::fs::read(&path).unwrap();
        assert!(verify_gwg(&path).is_ok());
        for at in (0..good.len()).step_by(7).chain(good.len() - 8..good.len()) {
            let mut bad = good.clone();
            bad[at] ^= 1 << (at % 8);
            let message = folder.refusal("g.gwg", &bad);
            assert!(message.starts_with("g.gwg: at byte "), "{message}");
        }
        for length in (1..good.len()).step_by(13).chain([good.len() - 1]) {
            let message = folder.refusal("g.gwg", &good[..length]);
            assert!(message.starts_with("g.gwg: at byte "), "{message}");
        }
        let longer: Vec<u8> = good.iter().copied().chain([0]).collect();
        assert!(folder.refusal("g.gwg", longer).contains("the file holds"));
    }
}

#[test]
fn damage_in_gwg_content_is_placed_and_can_be_trusted_away() {
    let folder = Folder::new();
    let path = folder.path("g.gwg");
    let n = 600_000u32;
    let graph =
        build(EdgeList::from_pairs(n as usize, (0..n).map(|v| (v, (v + 1) % n)).collect()), &Default::default());
    write_file(&graph.unwrap(), &path).unwrap();
    let mut bytes = std::fs::read(&path).unwrap();
    let at = 4096 + (3 << 20) + 77;
    bytes[at] ^= 1;
    let message = folder.refusal("g.gwg", &bytes);
    let expected = "g.gwg: at byte 3149824: the content is damaged: the checksum of the 1 MiB block here does not fit";
    assert_eq!(message, expected);
    assert_eq!(folder.message(&verify_gwg(&path).unwrap_err()), expected);
    assert!(open_gwg(&path).is_ok());
    let trusting = ReadOptions { trust: true, ..Default::default() };
    assert!(load(&path, &trusting, &BuildOptions::default(), &Silent).is_ok());
}

#[test]
fn cut_and_flipped_gapbs_files_are_noticed() {
    let folder = Folder::new();
    let directed = folder.load("d.el", "0 1\n2 1\n3 0\n").unwrap();
    let directed_weighted = folder.load("d.wel", "0 1 7\n2 1 8\n3 0 9\n").unwrap();
    let (plain, weighted) = (small(false), small(true));
    for (graph, name) in [(&plain, "g.sg"), (&weighted, "g.wsg"), (&directed, "d.sg"), (&directed_weighted, "d.wsg")] {
        let path = folder.path(name);
        write_file(graph, &path).unwrap();
        let good = std::fs::read(&path).unwrap();
        for bit in (0..8 * good.len()).step_by(3) {
            let mut bad = good.clone();
            bad[bit / 8] ^= 1 << (bit % 8);
            folder.refusal(name, &bad);
        }
        for length in (1..good.len()).step_by(5) {
            let message = folder.refusal(name, &good[..length]);
            assert!(message.contains("but the file holds") || message.contains("ends inside the header"), "{message}");
        }
    }
    let mut wild = vec![0];
    wild.extend(1_000_000_000_000i64.to_le_bytes());
    wild.extend(5i64.to_le_bytes());
    let expected =
        "w.sg: at byte 1: 5 vertices and 1000000000000 edges take 4000000000065 bytes, but the file holds 1024";
    wild.resize(1024, 0);
    assert_eq!(folder.refusal("w.sg", &wild), expected);
}

#[test]
fn bad_astar_files() {
    let folder = Folder::new();
    assert_eq!(
        folder.refusal("a.bin", [1, 2, 3, 4, 5, 6, 7, 8]),
        "a.bin: at byte 0: not an A* graph: the magic number 0x150842A7 is missing"
    );
    let mut bytes = 0x1508_42A7u32.to_le_bytes().to_vec();
    bytes.extend(u32::MAX.to_le_bytes());
    bytes.extend([0; 16]);
    bytes.extend(u32::MAX.to_le_bytes());
    assert_eq!(folder.refusal("a.bin", &bytes), "a.bin: at byte 28: the file ends in the middle of neighbours");
}

#[test]
fn what_a_format_cannot_hold_is_refused_and_nothing_is_written() {
    let folder = Folder::new();
    let int = small(true);
    let plain = small(false);
    let float = build(EdgeList::from_triples(3, [(0u32, 1u32, 0.5f32), (1, 0, 0.5)]), &Default::default()).unwrap();
    let directed = build(EdgeList::from_pairs(3, vec![(0, 1)]), &Default::default()).unwrap();
    let empty = build(EdgeList::from_pairs(3, vec![]), &Default::default()).unwrap();
    let looped = BuildOptions { keep_loops: true, ..Default::default() };
    let looped = build(EdgeList::from_pairs(3, vec![(0, 0)]), &looped).unwrap();
    let cases = [
        (&int, "a.el", "a.el: `.el` holds no weights; write `.wel`, or drop the weights first"),
        (&int, "a.sg", "a.sg: `.sg` holds no weights; write `.wsg`, or drop the weights first"),
        (&float, "a.wsg", "a.wsg: GAPBS files hold integer weights only, and these are real"),
        (&float, "a.gr", "a.gr: `.gr` holds integer weights only, and these are real"),
        (&float, "a.graph", "a.graph: METIS holds integer weights only, and these are real"),
        (&directed, "a.graph", "a.graph: METIS holds undirected graphs only; symmetrise the graph first"),
        (&looped, "a.graph", "a.graph: METIS has no edges from a vertex to itself; drop them first"),
        (&empty, "a.el", "a.el: the graph has no edges, and this format holds nothing else"),
        (&empty, "a.txt", "a.txt: the graph has no edges, and this format holds nothing else"),
        (&plain, "a.bin", "a.bin: `.bin` needs coordinates, which graphs do not carry: it is read only"),
        (&plain, "", ": is a directory: name the file to write"),
    ];
    for (graph, name, message) in cases {
        let options = gw_graph::format::WriteOptions {
            format: name.is_empty().then_some(gw_graph::format::Format::El),
            ..Default::default()
        };
        let error = write(graph, &folder.path(name), &options, &Silent).unwrap_err();
        assert_eq!(folder.message(&error).trim_start_matches(&format!("{}", folder.0.path().display())), message);
    }
    let error = write_file(&plain, &folder.path("no/such/folder.el")).unwrap_err();
    assert!(folder.message(&error).starts_with("cannot write no/such/folder.el: No such file"), "{error}");
    assert_eq!(folder.names(), Vec::<String>::new());
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let full = std::path::Path::new("/dev/full");
    if !full.exists() {
        return gw_testing::left_out("/dev/full", "a write to a full disk cannot be tried");
    }
    let options = gw_graph::format::WriteOptions { format: Some(gw_graph::format::Format::El), ..Default::default() };
    let error = write(&small(false), full, &options, &Silent).unwrap_err();
    assert!(error.to_string().starts_with("cannot write /dev/full: No space left on device"), "{error}");
    assert!(full.exists());
}

#[test]
fn a_refused_write_keeps_the_old_file() {
    let folder = Folder::new();
    let path = folder.file("a.el", "0 1\n");
    assert!(write_file(&small(true), &path).is_err());
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "0 1\n");
}
