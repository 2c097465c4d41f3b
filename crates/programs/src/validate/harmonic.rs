//! Harmonic centrality: the defining sums, from one plain search per pivot.

use super::{Invalid, Run, ensure, every_vertex, levels, wrong};

pub(crate) fn harmonic(run: &Run<'_>) -> Result<(), Invalid> {
    let found = run.doubles("harmonic")?;
    let vertices = run.graph.vertices();
    let pivots = run.count_arg(2)?.min(vertices);
    let mut sums = vec![0.0; vertices];
    for i in 0..pivots {
        let pivot = (i as u128 * vertices as u128 / pivots as u128) as u32;
        for (sum, &level) in sums.iter_mut().zip(&levels(run.graph.out(), pivot)) {
            *sum += if level > 0 { 1.0 / f64::from(level) } else { 0.0 };
        }
    }
    every_vertex(run.graph, |v| {
        let right = sums[v as usize] * vertices as f64 / pivots.max(1) as f64;
        let found = found[v as usize];
        let near = (found - right).abs() <= 1e-9 * (1.0 + right);
        ensure(near, || wrong!("vertex {v}: harmonic centrality {found} instead of {right}", v = run.graph.shown(v)))
    })
}
