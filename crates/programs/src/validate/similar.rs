//! Lists of similar vertices: those with a common out-neighbour, compared list by list and sorted.

use std::collections::BTreeSet;

use super::{Invalid, Run, ensure, every_vertex, wrong};
use crate::table::LIST_ROW;

const ROUNDING: f64 = 1e-12;

pub(crate) fn similar(run: &Run<'_>) -> Result<(), Invalid> {
    let most = run.count_arg(2)?;
    let width = run.row_length("similar", most, LIST_ROW)?;
    let (similar, jaccard) = (run.int_rows("similar", width)?, run.double_rows("jaccard", width)?);
    let (out, incoming) = (run.graph.out(), run.graph.load_incoming()?);
    every_vertex(run.graph, |v| {
        let own = out.neighbours(v);
        let others: BTreeSet<u32> = own.iter().flat_map(|&u| incoming.neighbours(u)).copied().collect();
        let mut right: Vec<(f64, u32)> =
            others.into_iter().filter(|&w| w != v).map(|w| (share(own, out.neighbours(w)), w)).collect();
        right.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        for at in 0..width {
            let place = v as usize * width + at;
            let (found, value) = (similar[place], jaccard[place]);
            let (wanted, wanted_value) = match right.get(at).filter(|_| at < most) {
                Some(&(share, w)) => (w as i32, share),
                None => (-1, 0.0),
            };
            ensure(found == wanted, || {
                wrong!(
                    "vertex {v}: entry {at} of its list is {found} instead of {wanted}",
                    v = run.graph.shown(v),
                    found = run.graph.shown(found),
                    wanted = run.graph.shown(wanted)
                )
            })?;
            ensure((value - wanted_value).abs() <= ROUNDING, || {
                wrong!(
                    "vertex {v}: entry {at} of its list has {value} instead of {wanted_value}",
                    v = run.graph.shown(v)
                )
            })?;
        }
        Ok(())
    })
}

/// Common entries of two sorted lists, divided by the entries of either.
fn share(a: &[u32], b: &[u32]) -> f64 {
    let common = a.iter().filter(|u| b.binary_search(u).is_ok()).count();
    common as f64 / (a.len() + b.len() - common) as f64
}
