//! Every format gives back the graph that was written, plain and compressed.

use crate::format_support;

use format_support::{Folder, can_hold, file_name, graphs, load_file, write_file};
use gw_graph::format::{Format, WriteOptions, open_gwg, verify_gwg, write};
use gw_graph::progress::Silent;
use gw_graph::{BuildOptions, EdgeList, Graph, WeightKind, build, validate};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_format_gives_the_graph_back(graph in graphs()) {
        let folder = Folder::new();
        for format in Format::ALL {
            for compression in ["", ".gz", ".zst"] {
                let path = folder.path(&file_name(format, compression));
                let written = write_file(&graph, &path);
                if can_hold(format, &graph) {
                    let written = written.unwrap();
                    prop_assert_eq!(written.bytes, std::fs::metadata(&path).unwrap().len());
                    let loaded = load_file(&path).unwrap();
                    prop_assert_eq!(&loaded.graph, &graph, "{} {}", format, compression);
                    prop_assert_eq!(loaded.format, format);
                    validate(&loaded.graph).unwrap();
                } else {
                    // Either refused, or the loss is told.
                    prop_assert!(written.is_err() || !written.unwrap().notes.is_empty(), "{}", format);
                }
            }
        }
        prop_assert!(folder.names().iter().all(|name| !name.ends_with(".partial")));
    }

    #[test]
    fn the_in_adjacency_travels_in_gwg_when_asked(graph in graphs()) {
        let folder = Folder::new();
        let path = folder.path("g.gwg");
        write(&graph, &path, &WriteOptions { incoming: true, ..Default::default() }, &Silent).unwrap();
        let opened = open_gwg(&path).unwrap();
        prop_assert!(opened.has_incoming());
        prop_assert_eq!(opened.incoming(), graph.incoming());
        prop_assert_eq!(&opened, &graph);
        verify_gwg(&path).unwrap();
    }
}

/// Large enough for many blocks of text and several checksums.
fn large(kind: WeightKind, symmetrise: bool) -> Graph {
    let n = 20_000u32;
    let pairs =
        (0..130_000u32).map(|i| (i.wrapping_mul(2_654_435_761) % n, i.wrapping_mul(40_503).wrapping_add(i >> 3) % n));
    let options = BuildOptions { symmetrise, ..Default::default() };
    // Every vertex has an edge, so that no format loses one.
    let pairs = pairs.chain((0..n).map(move |v| (v, (v + 1) % n)));
    let graph = match kind {
        WeightKind::None => build(EdgeList::from_pairs(n as usize, pairs.collect()), &options),
        WeightKind::Int => {
            let triples = pairs.enumerate().map(|(i, (s, t))| (s, t, (i as i32).wrapping_mul(7919)));
            build(EdgeList::from_triples(n as usize, triples), &options)
        }
        WeightKind::Float => {
            let triples = pairs.enumerate().map(|(i, (s, t))| (s, t, i as f32 * 0.37 - 1e3));
            build(EdgeList::from_triples(n as usize, triples), &options)
        }
        WeightKind::Int64 => {
            let triples = pairs.enumerate().map(|(i, (s, t))| (s, t, (i as i64).wrapping_mul(0x1_2345_6789_abcd)));
            build(EdgeList::from_triples(n as usize, triples), &options)
        }
        WeightKind::Double => {
            let triples = pairs.enumerate().map(|(i, (s, t))| (s, t, i as f64 * 0.37 - 1e3));
            build(EdgeList::from_triples(n as usize, triples), &options)
        }
    };
    graph.unwrap()
}

#[test]
fn graphs_of_many_blocks_come_back() {
    let folder = Folder::new();
    let mut tried = 0;
    for kind in WeightKind::TYPES.into_iter().chain([WeightKind::None]) {
        for symmetrise in [false, true] {
            let graph = large(kind, symmetrise);
            for format in Format::ALL.into_iter().filter(|&f| can_hold(f, &graph)) {
                for compression in ["", ".gz", ".zst"] {
                    let path = folder.path(&file_name(format, compression));
                    write_file(&graph, &path).unwrap();
                    assert!(load_file(&path).unwrap().graph == graph, "{format} {compression} {kind:?} {symmetrise}");
                    tried += 1;
                }
            }
        }
    }
    assert!(tried > 150, "{tried}");
}

#[test]
fn bytes_do_not_depend_on_the_number_of_threads() {
    let folder = Folder::new();
    let graph = large(WeightKind::Int, true);
    for format in Format::ALL.into_iter().filter(|&f| can_hold(f, &graph)) {
        for compression in ["", ".gz"] {
            let bytes = |threads: usize| {
                let path = folder.path(&file_name(format, compression));
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| write_file(&graph, &path)).unwrap();
                let loaded = pool.install(|| load_file(&path)).unwrap();
                assert!(loaded.graph == graph);
                std::fs::read(&path).unwrap()
            };
            assert!(bytes(1) == bytes(5), "{format}{compression}");
        }
    }
}

#[test]
fn a_gwg_is_used_in_place() {
    let folder = Folder::new();
    let graph = large(WeightKind::Float, false);
    let path = folder.path("g.gwg");
    write_file(&graph, &path).unwrap();
    let opened = open_gwg(&path).unwrap();
    let gw_graph::Offsets::Narrow(offsets) = opened.out().offsets() else { panic!("wide offsets") };
    let gw_graph::Weights::Float(weights) = opened.out().weights() else { panic!("no floats") };
    assert!(offsets.is_mapped() && weights.is_mapped());
    // The name may go, the content stays.
    std::fs::remove_file(&path).unwrap();
    assert!(opened == graph);
}
