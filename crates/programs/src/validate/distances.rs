//! Distances from many pivots: a breadth-first search from each.

use super::{Invalid, Run, ensure, levels, wrong};

const WIDTH: usize = 64;

pub(crate) fn msbfs(run: &Run<'_>) -> Result<(), Invalid> {
    let n = run.graph.vertices();
    let pivots = run.count_arg(2)?.min(n).min(WIDTH);
    let hops = run.int_rows("hops", WIDTH)?;
    for i in 0..WIDTH {
        let right = match i < pivots {
            true => levels(run.graph.out(), (i * n / pivots) as u32),
            false => vec![-1; n],
        };
        for (v, &right) in right.iter().enumerate() {
            let found = hops[v * WIDTH + i];
            ensure(found == right, || wrong!("vertex {v}: {found} hops from pivot {i} instead of {right}"))?;
        }
    }
    Ok(())
}
