//! The builder's promise on memory: at most 2.2 times the finished graph beside the edge list.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use gw_graph::rng::Rng;
use gw_graph::{BuildOptions, EdgeList, Weight, build};

/// The system's allocator, counting.
struct Counting;

static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

fn grow(bytes: usize) {
    PEAK.fetch_max(LIVE.fetch_add(bytes, Relaxed) + bytes, Relaxed);
}

// SAFETY: every call is handed on unchanged to the system's allocator; the counters do not touch memory.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        grow(layout.size());
        // SAFETY: the promise of the caller is handed on.
        unsafe { System.alloc(layout) }
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        grow(layout.size());
        // SAFETY: the promise of the caller is handed on.
        unsafe { System.alloc_zeroed(layout) }
    }
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        LIVE.fetch_sub(layout.size(), Relaxed);
        grow(size);
        // SAFETY: the promise of the caller is handed on.
        unsafe { System.realloc(pointer, layout, size) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Relaxed);
        // SAFETY: the promise of the caller is handed on.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn peak_over_graph<W: Weight>(weight: impl Fn(u32) -> W) -> f64 {
    const VERTICES: u64 = 1 << 17;
    let mut rng = Rng::new(1, 0);
    let mut next = || rng.below(VERTICES) as u32;
    let triples: Vec<_> = (0..16 * VERTICES).map(|_| (next(), next())).map(|(s, t)| (s, t, weight(s ^ t))).collect();
    let edges = EdgeList::from_triples(VERTICES as usize, triples);

    // What lives now is the edge list, which the builder may count on beside its own memory.
    let before = LIVE.load(Relaxed);
    PEAK.store(before, Relaxed);
    let graph = build(edges, &BuildOptions { symmetrise: true, ..Default::default() }).unwrap();
    (PEAK.load(Relaxed) - before) as f64 / graph.bytes() as f64
}

#[test]
fn building_stays_within_its_memory() {
    for (kind, ratio) in [
        ("none", peak_over_graph(|_| ())),
        ("int", peak_over_graph(|w| w as i32)),
        ("float", peak_over_graph(|w| w as f32)),
    ] {
        println!("weights {kind}: the peak is {ratio:.2} times the graph");
        assert!(ratio > 0.9, "the peak cannot be less than the graph: the measurement is broken");
        assert!(ratio <= 2.2, "weights {kind}: {ratio:.2}");
    }
}
