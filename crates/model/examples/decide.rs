//! How long a choice takes: `cargo run --release -p gw-model --example decide`.

use std::hint::black_box;
use std::time::Instant;

use gw_schedule::{Feature, StepSizes, Tree};

/// A full tree that asks for all features in turn.
fn full(depth: usize, place: usize) -> String {
    if depth == 0 {
        return (place % 8).to_string();
    }
    let feature = Feature::ALL[place * 7 % Feature::COUNT];
    let threshold = [0.01, 5.0, 400.0, 30_000.0][place % 4];
    format!("({feature}<={threshold}?{}:{})", full(depth - 1, 2 * place), full(depth - 1, 2 * place + 1))
}

fn main() {
    for depth in [1, 4, 8, 12] {
        let tree: Tree = full(depth, 1).parse().expect("the text is a tree");
        // Many different steps, so that the processor cannot learn the way.
        let steps: Vec<StepSizes> = (0..4096u64)
            .map(|i| {
                let random = i.wrapping_mul(0x9e37_79b9_7f4a_7c15);
                let mut step = StepSizes::first(1 << 20, 1 << 24);
                step.frontier = 1 + (random >> (44 + random % 16));
                step.frontier_edges = step.frontier * (1 + random % 40);
                step.explored_edges = random >> 42;
                step
            })
            .collect();
        // The best of many rounds: others may want the processor too.
        let round = || {
            let start = Instant::now();
            for step in &steps {
                black_box(tree.decide(|feature| step.feature(feature).unwrap_or(16.0)));
            }
            start.elapsed().as_nanos() as f64 / steps.len() as f64
        };
        let each = (0..200).map(|_| round()).fold(f64::INFINITY, f64::min);
        println!("{} nodes, depth {depth}: {each:.0} ns a choice", tree.nodes().len());
    }
}
