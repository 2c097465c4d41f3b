//! HITS: as many rounds of power iteration as the run says, gathered over out-edges and in-edges.

use gw_graph::Adjacency;

use super::counting::Counting;
use super::{Invalid, Run, ended, ensure, wrong};

/// What another order of additions may change.
const ROUNDING: f64 = 1e-9;

pub(crate) fn hits(run: &Run<'_>) -> Result<(), Invalid> {
    iterated(run, Counting::Alike)
}

pub(crate) fn weighted_hits(run: &Run<'_>) -> Result<(), Invalid> {
    iterated(run, Counting::ByWeight)
}

fn iterated(run: &Run<'_>, counting: Counting) -> Result<(), Invalid> {
    let (limit, tolerance) = (run.count_arg(2)?, run.real_arg(3)?);
    let (hub, authority) = (run.doubles("hub")?, run.doubles("authority")?);
    let (rounds, change) = (run.integer("rounds")?, run.real("change")?);
    ensure((0..=limit as i128).contains(&rounds), || wrong!("{rounds} rounds were done, but {limit} asked for"))?;
    let n = hub.len();
    let (mut hubs, mut authorities) = (vec![1.0 / n as f64; n], vec![0.0; n]);
    // Before the first round the program has 1 as change.
    let (mut before, mut last) = (1.0, 1.0);
    for _ in 0..rounds {
        authorities = scaled(counting, run.graph.load_incoming()?, &hubs);
        let next = scaled(counting, run.graph.out(), &authorities);
        // Where no edge counts nothing changes.
        let next = if authorities.iter().all(|&a| a == 0.0) { hubs.clone() } else { next };
        (before, last) = (last, next.iter().zip(&hubs).map(|(a, b)| (a - b).abs()).sum());
        hubs = next;
    }
    for v in 0..n {
        for (what, found, right) in [("hub", hub[v], hubs[v]), ("authority", authority[v], authorities[v])] {
            ensure((found - right).abs() <= ROUNDING, || {
                wrong!("vertex {v}: {what} {found:e} instead of {right:e}", v = run.graph.shown(v))
            })?;
        }
    }
    ended(rounds, limit, change, last, before, tolerance, ROUNDING)
}

/// The sums of `x` over the lists, scaled to sum 1 if there is anything.
fn scaled(counting: Counting, lists: &Adjacency, x: &[f64]) -> Vec<f64> {
    let sums = counting.sums(lists, |u| x[u]);
    let total: f64 = sums.iter().sum();
    if total > 0.0 { sums.into_iter().map(|s| s / total).collect() } else { sums }
}
