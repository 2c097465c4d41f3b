//! Derived forms hold exactly the edges of their graph, in the promised order, and are built once.

use std::collections::BTreeMap;
use std::sync::Arc;

use gw_graph::derived::{CooOrder, CsrM, Marked};
use gw_graph::progress::Silent;
use gw_graph::{BuildOptions, EdgeList, Graph, GraphSpec, Reorder, Weights, build};
use proptest::prelude::*;

type Edge = (u32, u32, i32);

fn edges(graph: &Graph) -> Vec<Edge> {
    let out = graph.out();
    let weights = weights(out.weights());
    (0..graph.vertices() as u32)
        .flat_map(|s| out.range(s).map(move |e| (s, e)))
        .map(|(s, e)| (s, out.targets()[e], weights[e]))
        .collect()
}

fn weights(weights: &Weights) -> &[i32] {
    match weights {
        Weights::Int(w) => w,
        other => panic!("integer weights expected, found {:?}", other.kind()),
    }
}

fn by_destination(mut edges: Vec<Edge>) -> Vec<Edge> {
    edges.sort_by_key(|&(s, t, _)| (t, s));
    edges
}

fn reversed(edges: Vec<Edge>) -> Vec<Edge> {
    let mut reversed: Vec<_> = edges.into_iter().map(|(s, t, w)| (t, s, w)).collect();
    reversed.sort_unstable();
    reversed
}

prop_compose! {
    fn graphs()(
        n in 1u32..40,
        edges in prop::collection::vec((0u32..1000, 0u32..1000, -9i32..9), 0..200),
        symmetrise in any::<bool>(),
    ) -> Graph {
        let edges = edges.into_iter().map(|(s, t, w)| (s % n, t % n, w));
        let options = BuildOptions { symmetrise, keep_loops: true, ..Default::default() };
        build(EdgeList::from_triples(n as usize, edges), &options).expect("ids are in range")
    }
}

proptest! {
    #[test]
    fn incoming_is_the_transpose(graph in graphs()) {
        let transposed = graph.transpose();
        prop_assert_eq!(edges(&transposed), reversed(edges(&graph)));
        prop_assert_eq!(edges(&transposed.transpose()), edges(&graph));
        if graph.is_symmetric() {
            prop_assert!(std::ptr::eq(graph.out(), graph.incoming()));
        }
    }

    #[test]
    fn symmetry_is_found_exactly(graph in graphs()) {
        prop_assert_eq!(graph.is_symmetric(), reversed(edges(&graph)) == edges(&graph));
    }

    #[test]
    fn coo_holds_all_edges_in_order(graph in graphs()) {
        for (order, expected) in [
            (CooOrder::Source, edges(&graph)),
            (CooOrder::Destination, by_destination(edges(&graph))),
        ] {
            let coo = graph.coo(order).unwrap();
            let found: Vec<_> = (0..coo.sources.len())
                .map(|e| (coo.sources[e], coo.destinations[e], weights(&coo.weights)[e]))
                .collect();
            prop_assert_eq!(&found, &expected);
            let pairs = graph.coo_pairs(order).unwrap();
            let found: Vec<_> =
                pairs.edges.iter().zip(weights(&pairs.weights)).map(|(&[s, t], &w)| (s, t, w)).collect();
            prop_assert_eq!(&found, &expected);
        }
    }

    #[test]
    fn blocks_partition_the_edges(graph in graphs(), block in 1u32..12) {
        let blocked = graph.blocked(CooOrder::Destination, block).unwrap();
        let mut found = Vec::new();
        for b in 0..blocked.blocks() {
            let range = blocked.starts[b] as usize..blocked.starts[b + 1] as usize;
            let mut sources = Vec::new();
            for e in range {
                let destination = blocked.edges.destinations[e];
                prop_assert_eq!((destination / block) as usize, b);
                sources.push(blocked.edges.sources[e]);
                found.push((blocked.edges.sources[e], destination, weights(&blocked.edges.weights)[e]));
            }
            prop_assert!(sources.is_sorted());
        }
        found.sort_unstable();
        prop_assert_eq!(found, edges(&graph));
    }

    #[test]
    fn csr_m_repeats_the_offsets(graph in graphs()) {
        for (pairs, adjacency) in [(graph.csr_m().unwrap(), graph.out()), (graph.csr_m_in().unwrap(), graph.incoming())] {
            let CsrM::Narrow(pairs) = &*pairs else { panic!("a small graph is narrow") };
            prop_assert_eq!(pairs.len(), graph.vertices());
            for v in 0..graph.vertices() as u32 {
                let range = adjacency.range(v);
                prop_assert_eq!(pairs[v as usize], [range.start as u32, range.end as u32]);
            }
        }
    }

    #[test]
    fn marks_tell_the_class_of_every_edge(graph in graphs(), with_in_edges: bool) {
        // In-degrees come from the in-edges where these are at hand, and are counted otherwise.
        if with_in_edges {
            graph.incoming();
        }
        let marked = graph.marked().unwrap().expect("a small graph has room for marks");
        let in_degrees = graph.in_degrees().unwrap();
        prop_assert_eq!(marked.targets().len(), graph.edges());
        for (&mark, &v) in marked.targets().iter().zip(graph.out().targets()) {
            prop_assert_eq!(mark & Marked::VERTEX, v);
            prop_assert_eq!(mark & Marked::ONLY != 0, in_degrees[v as usize] == 1);
            prop_assert_eq!(mark & Marked::LEAF != 0, graph.out().degree(v) == 0);
        }
    }

    #[test]
    fn reordering_renames_and_nothing_else(graph in graphs(), which in 0usize..4, seed: u64) {
        let order =
            [Reorder::DegreeDescending, Reorder::DegreeAscending, Reorder::Random { seed }, Reorder::Pessimal][which];
        let new_id = graph.new_ids(&order);
        let mut renamed: Vec<_> =
            edges(&graph).into_iter().map(|(s, t, w)| (new_id[s as usize], new_id[t as usize], w)).collect();
        renamed.sort_unstable();
        let reordered = graph.reordered(&order);
        prop_assert_eq!(edges(&reordered), renamed);
        prop_assert_eq!(reordered.is_symmetric(), graph.is_symmetric());
        let degree = |v: u32| reordered.out().degree(v) + reordered.incoming().degree(v);
        let degrees: Vec<_> = (0..reordered.vertices() as u32).map(degree).collect();
        match order {
            Reorder::DegreeDescending => prop_assert!(degrees.is_sorted_by(|a, b| a >= b)),
            Reorder::DegreeAscending => prop_assert!(degrees.is_sorted()),
            _ => {}
        }
    }
}

#[test]
fn a_form_is_built_once_and_its_cost_is_told() {
    let graph = build(EdgeList::from_pairs(4, vec![(0, 1), (1, 2), (3, 1)]), &BuildOptions::default()).unwrap();
    assert!(!graph.has_incoming());
    assert!(graph.derived().is_empty());
    assert!(Arc::ptr_eq(&graph.coo(CooOrder::Source).unwrap(), &graph.coo(CooOrder::Source).unwrap()));
    assert_eq!(*graph.in_degrees().unwrap(), vec![0, 2, 1, 0]);
    assert_eq!(*graph.out_degrees().unwrap(), vec![1, 1, 0, 1]);
    graph.incoming();
    let built: BTreeMap<_, _> = graph.derived().into_iter().map(|d| (d.name, d.bytes)).collect();
    let names: Vec<_> = built.keys().map(String::as_str).collect();
    assert_eq!(names, ["coo by source", "in-adjacency", "in-degrees", "out-degrees"]);
    assert_eq!(built["coo by source"], 3 * 8);
    assert_eq!(graph.bytes(), graph.out().bytes() + graph.incoming().bytes() + 24 + 16 + 16);
}

#[test]
fn ids_out_of_range_are_refused() {
    let error = build(EdgeList::from_pairs(2, vec![(0, 2)]), &BuildOptions::default()).unwrap_err();
    assert_eq!(error.to_string(), "vertex 2 is out of range: the graph has 2 vertices");
}

#[test]
fn numbers_by_falling_degree_are_made_once_and_lists_when_read() {
    for spec in ["kron:9", "kron:9:weights=1..9", "road:9x7", "kron:7:directed"] {
        let graph = GraphSpec::parse(spec).unwrap().load(&Silent).unwrap().graph;
        let renumbered = graph.by_falling_degree().unwrap();
        assert!(Arc::ptr_eq(&renumbered, &graph.by_falling_degree().unwrap()));
        let out = renumbered.graph.out();
        assert!(out.renumbering().is_some(), "nobody has read them");
        assert_eq!(out.edges(), graph.edges());
        assert_eq!(renumbered.graph.weight_kind(), graph.weight_kind());
        assert!(out.renumbering().is_some(), "still nobody");
        assert_eq!(*renumbered.graph, graph.reordered(&Reorder::DegreeDescending));
        assert!(out.renumbering().is_none());
        let (new, old) = (renumbered.permutation.new_ids(), renumbered.permutation.old_ids());
        assert!(old.iter().enumerate().all(|(at, &v)| new[v as usize] as usize == at));
    }
}

/// Lists under other numbers are made at the first look, which may come from within a loop over all threads. The thread
/// that makes them must not take up another task of that loop: it would wait for itself. (Seen on 16 cores as a
/// PageRank on a directed graph numbered by degree that never began.)
#[test]
fn first_looks_from_parallel_loops_come_to_an_end() {
    use rayon::prelude::*;
    let (ended, end) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(8).build().unwrap();
        for seed in 0..20 {
            let spec = GraphSpec::parse(&format!("kron:13:directed:seed={seed}")).unwrap();
            let graph = spec.load(&Silent).unwrap().graph;
            let (edges, found) = pool.install(|| {
                let renumbered = graph.by_falling_degree().unwrap().graph.clone();
                let in_edges = |v: u32| renumbered.incoming().neighbours(v).len();
                (renumbered.edges(), (0..graph.vertices() as u32).into_par_iter().map(in_edges).sum::<usize>())
            });
            assert_eq!(edges, found);
        }
        ended.send(()).unwrap();
    });
    end.recv_timeout(std::time::Duration::from_secs(100)).expect("the loops end");
}
