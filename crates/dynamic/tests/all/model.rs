//! Random batches against a set of edges: the same lists, counts and changes, in bounded memory.

use std::collections::BTreeMap;

use gw_dynamic::{Batch, Change, ChangedEdge, DynamicGraph, EdgeWeight, Ends, OnRepeat, Snapshot};
use gw_graph::Weight;
use proptest::prelude::*;

type Edges<W> = BTreeMap<(u32, u32), W>;

/// What a batch does, one change after the other.
fn expected<W: EdgeWeight>(edges: &Edges<W>, batch: &Batch<W>, ends: Ends) -> Edges<W> {
    let mut edges = edges.clone();
    for &(source, target, change) in batch.changes() {
        let ways =
            if ends == Ends::Undirected { vec![(source, target), (target, source)] } else { vec![(source, target)] };
        let ways = if source == target { &ways[..1] } else { &ways[..] };
        for &way in ways {
            let old = edges.get(&way).copied();
            let new = match (change, old, batch.repeats()) {
                (Change::Delete, ..) => None,
                (Change::Insert(new), None, _) | (Change::Insert(new), _, OnRepeat::Replace) => Some(new),
                (Change::Insert(_), old, OnRepeat::Keep) => old,
                (Change::Insert(new), Some(old), OnRepeat::Least) => Some(old.least(new)),
                (Change::Insert(new), Some(old), OnRepeat::Sum) => Some(old.sum(new)),
            };
            match new {
                Some(weight) => edges.insert(way, weight),
                None => edges.remove(&way),
            };
        }
    }
    edges
}

fn differences<W: EdgeWeight>(before: &Edges<W>, after: &Edges<W>) -> Vec<ChangedEdge<W>> {
    let mut all: Vec<_> = before.keys().chain(after.keys()).copied().collect();
    all.sort_unstable();
    all.dedup();
    let change = |key: (u32, u32)| {
        let (old, new) = (before.get(&key).copied(), after.get(&key).copied());
        (old != new).then_some(ChangedEdge { source: key.0, target: key.1, old, new })
    };
    all.into_iter().filter_map(change).collect()
}

fn same<W: EdgeWeight>(snapshot: &Snapshot<W>, edges: &Edges<W>) {
    assert_eq!(snapshot.edges(), edges.len());
    let mut at = edges.iter();
    for v in 0..snapshot.vertices() as u32 {
        for (&target, &weight) in snapshot.neighbours(v).iter().zip(snapshot.weights(v)) {
            assert_eq!(at.next(), Some((&(v, target), &weight)));
        }
        if let Some(sources) = snapshot.sources(v) {
            let expected: Vec<u32> = edges.keys().filter(|key| key.1 == v).map(|key| key.0).collect();
            assert_eq!(sources, expected, "sources of {v}");
        }
    }
    let graph = snapshot.to_graph().unwrap();
    assert_eq!(graph.edges(), edges.len());
    assert_eq!(graph.vertices(), snapshot.vertices());
}

/// Applies batches, and keeps snapshots at some of them.
fn walk<W: EdgeWeight>(vertices: u32, ends: Ends, batches: &[(Batch<W>, bool)]) {
    let mut graph = DynamicGraph::<W>::new(vertices as usize, ends).unwrap();
    let (mut edges, mut kept) = (Edges::new(), Vec::new());
    for (batch, keep) in batches {
        if *keep {
            kept.push((graph.snapshot(), edges.clone()));
        } else if kept.len() > 2 {
            kept.remove(0);
        }
        let after = expected(&edges, batch, ends);
        let applied = graph.apply(batch).unwrap();
        assert_eq!(applied.changes, differences(&edges, &after));
        edges = after;
        same(&graph.snapshot(), &edges);
        kept.iter().for_each(|(snapshot, edges)| same(snapshot, edges));
        let memory = graph.occupancy();
        assert!(memory.slots <= 2 * memory.edges + 6 * vertices as usize, "{memory:?}");
    }
}

fn change<W: Weight>(weight: impl Strategy<Value = W>) -> impl Strategy<Value = Change<W>> {
    (any::<bool>(), weight).prop_map(|(insert, weight)| if insert { Change::Insert(weight) } else { Change::Delete })
}

/// Few vertices, so that batches meet the same edges again and again, and a hub.
fn batches<W: EdgeWeight>(
    vertices: u32,
    weight: impl Strategy<Value = W> + Clone,
) -> impl Strategy<Value = Vec<(Batch<W>, bool)>> {
    let vertex = prop_oneof![1 => Just(0), 3 => 0..vertices];
    let changes = proptest::collection::vec((vertex.clone(), vertex, change(weight)), 0..120);
    let repeats =
        prop_oneof![Just(OnRepeat::Keep), Just(OnRepeat::Replace), Just(OnRepeat::Least), Just(OnRepeat::Sum)];
    let batch = (changes, repeats, any::<bool>()).prop_map(|(changes, repeats, keep)| {
        let mut batch = Batch::new();
        batch.on_repeat(repeats);
        for (source, target, change) in changes {
            batch.push(source, target, change);
        }
        (batch, keep)
    });
    proptest::collection::vec(batch, 1..12)
}

fn ends() -> impl Strategy<Value = Ends> {
    prop_oneof![Just(Ends::Directed), Just(Ends::DirectedBoth), Just(Ends::Undirected)]
}

fn cases() -> ProptestConfig {
    ProptestConfig::with_cases(if gw_testing::is_nightly() { 5000 } else { 60 })
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn without_weights(ends in ends(), batches in batches(40, Just(()))) {
        walk(40, ends, &batches);
    }

    #[test]
    fn with_integers(ends in ends(), batches in batches(20, -9i32..9)) {
        walk(20, ends, &batches);
    }

    #[test]
    fn with_fractions(ends in ends(), batches in batches(9000, (-9i8..9).prop_map(|w| f32::from(w) / 4.0))) {
        // Fewer batches: every vertex is looked at after each of them, and these are many.
        walk(9000, ends, &batches[..batches.len().min(2)]);
    }
}

/// Large batches take the parallel way; hubs grow and shrink; blocks are used again.
#[test]
fn a_hub_grows_and_shrinks_in_bounded_memory() {
    let n = 20_000u32;
    let mut graph = DynamicGraph::<i32>::new(n as usize, Ends::Undirected).unwrap();
    let mut batch = Batch::new();
    for v in 1..n {
        batch.insert(0, v, v as i32);
    }
    assert_eq!(graph.apply(&batch).unwrap().inserted, 2 * (n as usize - 1));
    let full = graph.snapshot();
    assert_eq!((full.degree(0), full.edge(7, 0), full.edge(0, 19_999)), (n as usize - 1, Some(7), Some(19_999)));
    for round in 0..20 {
        batch.clear();
        for v in (1..n).filter(|v| v % 20 != round) {
            batch.delete(v, 0);
        }
        graph.apply(&batch).unwrap();
        assert_eq!(graph.snapshot().degree(0), (1..n).filter(|v| v % 20 == round).count());
        batch.clear();
        for v in 1..n {
            batch.insert(v, 0, v as i32);
        }
        graph.apply(&batch).unwrap();
    }
    assert_eq!(graph.snapshot().neighbours(0), full.neighbours(0));
    drop(full);
    graph.apply(&Batch::new()).unwrap();
    let memory = graph.occupancy();
    assert!(memory.slots <= 2 * memory.edges + 6 * n as usize, "{memory:?}");
    assert!(memory.touched <= 4 * memory.slots + (1 << 16), "{memory:?}");
    assert_eq!(graph.isolate(0).unwrap().deleted, 2 * (n as usize - 1));
    assert_eq!(graph.edges(), 0);
}

/// Readers in other threads see the version they took, while batches are applied.
#[test]
fn readers_keep_their_version() {
    let n = 500u32;
    let mut graph = DynamicGraph::<i32>::new(n as usize, Ends::DirectedBoth).unwrap();
    let (send, receive) = std::sync::mpsc::sync_channel::<(Snapshot<i32>, i32)>(4);
    let receive = std::sync::Mutex::new(receive);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let next = receive.lock().unwrap().recv();
                    let Ok((snapshot, round)) = next else { return };
                    for _ in 0..5 {
                        // In every version all edges have the same weight.
                        let weights = (0..n).flat_map(|v| snapshot.weights(v));
                        assert!(weights.clone().all(|&weight| weight == round));
                        assert_eq!(weights.count(), snapshot.edges());
                    }
                }
            });
        }
        for round in 0..60 {
            let mut batch = Batch::new();
            for v in 0..n {
                for &target in graph.snapshot().neighbours(v) {
                    batch.delete(v, target);
                }
                for i in 0..8 {
                    batch.insert(v, (v * 7 + i * (round as u32 + 1)) % n, round);
                }
            }
            graph.apply(&batch).unwrap();
            if send.send((graph.snapshot(), round)).is_err() {
                break;
            }
        }
        drop(send);
    });
}
