//! Updates per second against the size of batches, beside building the whole graph anew.
//!
//! `cargo run --release -p gw-dynamic --example updates -- kron:20 [GRAPH...]`

use std::hint::black_box;
use std::time::{Duration, Instant};

use gw_dynamic::{Batch, DynamicGraph, Ends};
use gw_graph::progress::Silent;
use gw_graph::rng::Rng;
use gw_graph::{Graph, GraphSpec, Weights};

/// Seconds of the middle one of several tries, at least three and at least half a second of them.
fn median(mut try_once: impl FnMut() -> Duration) -> f64 {
    let (start, mut times) = (Instant::now(), Vec::new());
    while times.len() < 3 || (start.elapsed() < Duration::from_millis(500) && times.len() < 99) {
        times.push(try_once().as_secs_f64());
    }
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// Edges as the graph has them: sources by degree, so that batches hit hubs as often as edges do.
fn batch(graph: &Graph, size: usize, seed: u64) -> Batch<()> {
    let (out, mut rng, mut batch) = (graph.out(), Rng::new(seed, 0), Batch::new());
    for _ in 0..size {
        let source = out.source_of(rng.below(out.edges() as u64) as usize);
        let target = out.targets()[rng.below(out.edges() as u64) as usize];
        batch.insert(source, target, ());
    }
    batch
}

/// Seconds of one pass over all lists, as a sum of neighbours per vertex.
fn scan(list: impl Fn(u32) -> u64, vertices: usize) -> f64 {
    median(|| {
        let start = Instant::now();
        black_box((0..vertices as u32).map(&list).fold(0u64, u64::wrapping_add));
        start.elapsed()
    })
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for spec in std::env::args().skip(1) {
        let graph = GraphSpec::parse(&spec)?.load(&Silent)?.graph;
        assert!(matches!(graph.out().weights(), Weights::None), "a graph without weights");
        let start = Instant::now();
        let fresh = DynamicGraph::<()>::from_graph(&graph, Ends::Directed)?;
        let memory = fresh.occupancy();
        println!(
            "{spec}: {} vertices, {} edges; taken over in {:.0} ms, {:.2} slots per edge, {:.2} of the bytes of CSR",
            graph.vertices(),
            graph.edges(),
            start.elapsed().as_secs_f64() * 1e3,
            memory.slots as f64 / graph.edges() as f64,
            memory.bytes as f64 / graph.out().bytes() as f64,
        );
        let snapshot = fresh.snapshot();
        let sum = |list: &[u32]| list.iter().map(|&target| u64::from(target)).sum::<u64>();
        let ours = scan(|v| sum(snapshot.neighbours(v)), graph.vertices());
        let plain = scan(|v| sum(graph.out().neighbours(v)), graph.vertices());
        println!("a pass over all lists on one thread: {:.2} of the time of CSR", ours / plain);
        drop(snapshot);
        println!("{:>10} {:>14} {:>14} {:>14}", "batch", "inserts/s", "deletes/s", "with a reader");
        let mut graph_now = fresh;
        for size in [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000] {
            let mut seed = size as u64;
            let (mut inserts, mut deletes) = (Vec::new(), Vec::new());
            let mut pair = |is_read: bool| {
                seed += 1;
                let batch = batch(&graph, size, seed);
                let reader = is_read.then(|| graph_now.snapshot());
                let start = Instant::now();
                let applied = graph_now.apply(&batch).unwrap();
                let inserted = start.elapsed();
                // Exactly the edges that came go again.
                let mut back = Batch::new();
                applied.changes.iter().for_each(|change| {
                    back.delete(change.source, change.target);
                });
                let start = Instant::now();
                graph_now.apply(&back).unwrap();
                drop(reader);
                deletes.push(start.elapsed().as_secs_f64() / back.len().max(1) as f64);
                inserted
            };
            inserts.push(median(|| pair(false)));
            let read = median(|| pair(true));
            deletes.sort_by(f64::total_cmp);
            let per_second = |seconds: f64| size as f64 / seconds;
            println!(
                "{size:>10} {:>14.0} {:>14.0} {:>14.0}",
                per_second(inserts[0]),
                1.0 / deletes[deletes.len() / 2],
                per_second(read)
            );
        }
    }
    Ok(())
}
