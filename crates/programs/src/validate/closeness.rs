//! Closeness: the defining sums, from one plain search per pivot.

use rayon::prelude::*;

use super::{Invalid, Run, ensure, every_vertex, levels, wrong};

pub(crate) fn closeness(run: &Run<'_>) -> Result<(), Invalid> {
    let found = run.doubles("closeness")?;
    let vertices = run.graph.vertices();
    let pivots = run.count_arg(2)?.min(vertices);
    let place = |i: usize| (i as u128 * vertices as u128 / pivots as u128) as u32;
    let add = |(mut count, mut hops): (Vec<u32>, Vec<u64>), pivot: u32| {
        for (v, &level) in levels(run.graph.out(), pivot).iter().enumerate() {
            if level > 0 {
                count[v] += 1;
                hops[v] += level as u64;
            }
        }
        (count, hops)
    };
    let zero = || (vec![0u32; vertices], vec![0u64; vertices]);
    let merge = |mut a: (Vec<u32>, Vec<u64>), b: (Vec<u32>, Vec<u64>)| {
        a.0.iter_mut().zip(b.0).for_each(|(a, b)| *a += b);
        a.1.iter_mut().zip(b.1).for_each(|(a, b)| *a += b);
        a
    };
    let (count, hops) = (0..pivots).into_par_iter().map(place).fold(zero, add).reduce(zero, merge);
    let mut is_pivot = vec![false; vertices];
    (0..pivots).for_each(|i| is_pivot[place(i) as usize] = true);

    every_vertex(run.graph, |v| {
        let i = v as usize;
        let reached = f64::from(count[i]);
        let others = (pivots - usize::from(is_pivot[i])) as f64;
        let right = if count[i] == 0 { 0.0 } else { reached / hops[i] as f64 * (reached / others) };
        let found = found[i];
        ensure((found - right).abs() <= 1e-9, || {
            wrong!("vertex {v}: closeness {found} instead of {right}", v = run.graph.shown(v))
        })
    })
}
