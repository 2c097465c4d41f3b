//! Eccentricities: a search from every vertex. Time grows with vertices times edges, unlike that of other validators.

use rayon::prelude::*;

use super::{Invalid, Run, ensure, every_vertex, levels, wrong};
use crate::registry::Remark;

pub(crate) fn eccentricity(run: &Run<'_>) -> Result<(), Invalid> {
    run.needs_symmetric()?;
    let limit = run.count_arg(2)? as i128;
    let (lower, upper) = (run.ints("eccentricity")?, run.ints("upper")?);
    let (open, searches) = (run.integer("open")?, run.integer("searches")?);
    let (out, n) = (run.graph.out(), lower.len());
    let most = limit.min(n as i128);
    ensure((0..=most).contains(&searches), || wrong!("{searches} searches, but {most} are the most there can be"))?;
    let right: Vec<i32> =
        (0..n as u32).into_par_iter().map(|v| levels(out, v).into_iter().max().unwrap_or(0)).collect();
    every_vertex(run.graph, |v| {
        let (lower, right, upper) = (lower[v as usize], right[v as usize], upper[v as usize]);
        let between = lower <= right && right <= upper && lower >= 0;
        ensure(between, || {
            wrong!(
                "vertex {v}: eccentricity {right} is not between the bounds {lower} and {upper}",
                v = run.graph.shown(v)
            )
        })
    })?;
    let apart = (0..n).filter(|&v| lower[v] != upper[v]).count();
    ensure(open == apart as i128, || wrong!("the bounds of {apart} vertices differ, not of {open}"))?;
    ensure(apart == 0 || searches == limit, || {
        wrong!("the bounds of {apart} vertices differ, but only {searches} of {limit} searches were done")
    })?;
    let diameter = lower.iter().copied().max().unwrap_or(0);
    let joined = (0..n).filter(|&v| out.degree(v as u32) > 0).map(|v| upper[v]).min();
    for (name, right) in [("diameter", diameter), ("radius", joined.unwrap_or(0))] {
        let found = run.integer(name)?;
        ensure(found == i128::from(right), || wrong!("{name} {found} instead of {right}"))?;
    }
    Ok(())
}

/// Told when the searches ended before all bounds met.
pub(crate) fn open_bounds(run: &Run<'_>) -> Option<Remark> {
    let (open, searches) = (run.integer("open").ok()?, run.integer("searches").ok()?);
    (open > 0).then(|| {
        Remark::Rough(format!(
            "bounds only: after {searches} searches the eccentricities of {open} vertices are not known exactly"
        ))
    })
}
