//! A long life of one graph: operations of every kind and batches of every size, against a set of edges.

use std::collections::BTreeMap;

use gw_dynamic::{Applied, Batch, Change, ChangedEdge, DynamicGraph, Ends, OnRepeat, Snapshot};
use gw_graph::rng::Rng;

type Edges = BTreeMap<(u32, u32), i32>;

const REPEATS: [OnRepeat; 4] = [OnRepeat::Keep, OnRepeat::Replace, OnRepeat::Least, OnRepeat::Sum];
/// The greatest batch is 2^14: from 2^13 on batches are sorted by all threads.
const LARGEST: u64 = 14;

/// Changes one edge of the model, and notes what it was before the batch.
fn change(edges: &mut Edges, before: &mut BTreeMap<(u32, u32), Option<i32>>, way: (u32, u32), new: Option<i32>) {
    let old = match new {
        Some(weight) => edges.insert(way, weight),
        None => edges.remove(&way),
    };
    before.entry(way).or_insert(old);
}

/// Applies a batch to the model; the edges that it changed.
fn expected(edges: &mut Edges, batch: &Batch<i32>, ends: Ends) -> Vec<ChangedEdge<i32>> {
    let mut before = BTreeMap::new();
    for &(source, target, what) in batch.changes() {
        let new = |old: Option<i32>| match (what, old, batch.repeats()) {
            (Change::Delete, ..) => None,
            (Change::Insert(new), None, _) | (Change::Insert(new), _, OnRepeat::Replace) => Some(new),
            (Change::Insert(_), Some(old), OnRepeat::Keep) => Some(old),
            (Change::Insert(new), Some(old), OnRepeat::Least) => Some(old.min(new)),
            (Change::Insert(new), Some(old), OnRepeat::Sum) => Some(old.saturating_add(new)),
        };
        let now = new(edges.get(&(source, target)).copied());
        change(edges, &mut before, (source, target), now);
        if ends == Ends::Undirected && source != target {
            change(edges, &mut before, (target, source), now);
        }
    }
    let changed = |((source, target), old): ((u32, u32), Option<i32>)| {
        let new = edges.get(&(source, target)).copied();
        (old != new).then_some(ChangedEdge { source, target, old, new })
    };
    before.into_iter().filter_map(changed).collect()
}

fn same(snapshot: &Snapshot<i32>, edges: &Edges) {
    assert_eq!(snapshot.edges(), edges.len());
    let mut at = edges.iter();
    for v in 0..snapshot.vertices() as u32 {
        for (&target, &weight) in snapshot.neighbours(v).iter().zip(snapshot.weights(v)) {
            assert_eq!(at.next(), Some((&(v, target), &weight)));
        }
    }
    if snapshot.sources(0).is_some() {
        let mut sources = vec![Vec::new(); snapshot.vertices()];
        edges.keys().for_each(|&(source, target)| sources[target as usize].push(source));
        for (v, expected) in sources.iter().enumerate() {
            assert_eq!(snapshot.sources(v as u32), Some(&expected[..]), "sources of {v}");
        }
    }
}

fn check(applied: &Applied<i32>, changes: &[ChangedEdge<i32>]) {
    assert_eq!(applied.changes, changes);
    assert_eq!(applied.inserted, changes.iter().filter(|change| change.old.is_none()).count());
    assert_eq!(applied.deleted, changes.iter().filter(|change| change.new.is_none()).count());
}

fn live(ends: Ends, operations: usize, seed: u64) {
    let mut rng = Rng::new(seed, 0);
    let mut graph = DynamicGraph::<i32>::new(100, ends).unwrap();
    let (mut edges, mut kept): (Edges, Vec<(Snapshot<i32>, Edges)>) = (Edges::new(), Vec::new());
    let (mut changes, mut largest) = (0, 0);
    for operation in 0..operations {
        let vertices = graph.vertices() as u64;
        match rng.below(100) {
            0..4 if kept.len() < 4 => kept.push((graph.snapshot(), edges.clone())),
            4..8 if !kept.is_empty() => {
                let (snapshot, then) = kept.swap_remove(rng.below(kept.len() as u64) as usize);
                same(&snapshot, &then);
            }
            8..10 => {
                let vertex = rng.below(vertices) as u32;
                let mut batch = Batch::new();
                let touched = edges.keys().filter(|way| way.0 == vertex || way.1 == vertex);
                for &(source, target) in touched {
                    batch.delete(source, target);
                }
                check(&graph.isolate(vertex).unwrap(), &expected(&mut edges, &batch, ends));
            }
            10 if vertices < 6000 => graph.grow(vertices as usize + rng.below(40) as usize).unwrap(),
            _ => {
                // Small batches are most frequent, and all sizes occur.
                let exponent = (0..3).fold(LARGEST, |most, _| rng.below(1 + most));
                let size = 1 + rng.below(1 << exponent);
                // The graph grows and shrinks by turns.
                let deletes = if operation / 500 % 2 == 0 { 35 } else { 75 };
                let mut batch = Batch::new();
                batch.on_repeat(REPEATS[rng.below(4) as usize]);
                for _ in 0..size {
                    // Some vertices have many edges, and half of all changes are near each other.
                    let vertex = |rng: &mut Rng| (rng.below(vertices) * rng.below(100) / 100) as u32;
                    let (source, target) = (vertex(&mut rng), vertex(&mut rng));
                    let source = if rng.below(2) == 0 { source % 50 } else { source };
                    match rng.below(100) < deletes {
                        true => batch.delete(source, target),
                        false => batch.insert(source, target, rng.below(9) as i32 - 4),
                    };
                }
                (changes, largest) = (changes + batch.len(), largest.max(batch.len()));
                check(&graph.apply(&batch).unwrap(), &expected(&mut edges, &batch, ends));
            }
        }
        if operation % 250 == 249 {
            same(&graph.snapshot(), &edges);
            kept.iter().for_each(|(snapshot, then)| same(snapshot, then));
            let memory = graph.occupancy();
            assert!(memory.slots <= 2 * memory.edges + 6 * graph.vertices(), "{memory:?}");
        }
    }
    kept.clear();
    // Blocks of versions that nobody reads any more come back with the next batch.
    graph.apply(&Batch::new()).unwrap();
    same(&graph.snapshot(), &edges);
    let memory = graph.occupancy();
    let sides = if ends == Ends::DirectedBoth { 2 } else { 1 };
    assert!(memory.touched <= 4 * memory.slots + (sides << 16), "{memory:?}");
    println!("{ends:?}: {operations} operations, {changes} changes in batches of up to {largest}: {memory:?}");
}

#[test]
fn a_long_life() {
    let operations = if gw_testing::is_nightly() { 100_000 } else { 1_500 };
    for (ends, seed) in [(Ends::Undirected, 1), (Ends::Directed, 2), (Ends::DirectedBoth, 3)] {
        live(ends, operations, seed);
    }
}
