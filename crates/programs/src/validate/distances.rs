//! Distances from many pivots: a breadth-first search from each.

use super::{Invalid, Run, ensure, levels, wrong};
use crate::table::PIVOT_ROW;

pub(crate) fn msbfs(run: &Run<'_>) -> Result<(), Invalid> {
    let n = run.graph.vertices();
    let wanted = run.count_arg(2)?;
    let width = run.row_length("hops", wanted, PIVOT_ROW)?;
    let hops = run.int_rows("hops", width)?;
    let pivots = wanted.min(n);
    for i in 0..width {
        let right = match i < pivots {
            true => levels(run.graph.out(), (i * n / pivots) as u32),
            false => vec![-1; n],
        };
        for (v, &right) in right.iter().enumerate() {
            let found = hops[v * width + i];
            ensure(found == right, || {
                wrong!("vertex {v}: {found} hops from pivot {i} instead of {right}", v = run.graph.shown(v))
            })?;
        }
    }
    Ok(())
}
