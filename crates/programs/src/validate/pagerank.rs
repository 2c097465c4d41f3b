//! PageRank: as many rounds of power iteration as the run says, in double precision, and the rule by which rounds end.
//!
//! The programs that do not go by such rounds are compared with one step of the fixed-point equation. One step x ->
//! F(x) shrinks distances (sum of absolute differences) by 0.85, so a small residual |F(x) - x| proves that x is near
//! the one solution: at most residual / 0.15 away from it.

use rayon::prelude::*;

use gw_graph::Graph;

use super::{Invalid, Run, ensure, every_vertex, wrong};
use crate::registry::Remark;

const DAMPING: f64 = 0.85;
/// What ranks in single precision may add to a sum of differences: about 2^-23 in a round, and 1 / 0.15 rounds of that.
const ROUNDING: f64 = 2e-6;

pub(crate) fn pagerank(run: &Run<'_>) -> Result<(), Invalid> {
    let (limit, tolerance) = (run.count_arg(2)?, run.real_arg(3)?);
    let rank = probabilities(run)?;
    let (rounds, change) = (run.integer("rounds")?, run.real("change")?);
    ensure((0..=limit as i128).contains(&rounds), || wrong!("{rounds} rounds were done, but {limit} asked for"))?;
    let n = rank.len();
    if n == 0 {
        return Ok(());
    }
    let mut x = vec![1.0 / n as f64; n];
    // Before the first round the programs have 1 as change.
    let (mut before, mut last) = (1.0, 1.0);
    for _ in 0..rounds {
        let next = step(run.graph, &x);
        (before, last) = (last, difference(&next, &x).sum());
        x = next;
    }
    let off: f64 = difference(&rank, &x).sum();
    ensure(off <= ROUNDING, || {
        let (by, vertex) = worst(&rank, &x);
        wrong!(
            "the ranks are {off:.2e} in all away from {rounds} rounds of power iteration; \
             worst at vertex {vertex} with rank {:.3e}, by {by:.2e}",
            rank[vertex]
        )
    })?;
    ensure((change - last).abs() <= 2.0 * ROUNDING, || wrong!("change is {change:.3e} instead of {last:.3e}"))?;
    ensure(rounds == limit as i128 || change < tolerance, || {
        wrong!(
            "the rounds ended after {rounds} of {limit} with the change {change:.2e}, the tolerance being {tolerance:e}"
        )
    })?;
    ensure(rounds == 0 || before >= tolerance - 2.0 * ROUNDING, || {
        wrong!("round {rounds} was done after a change of {before:.2e}, less than the tolerance {tolerance:e}")
    })
}

/// Told when the rounds ended before the change fell below the tolerance.
pub(crate) fn unfinished_ranks(run: &Run<'_>) -> Option<Remark> {
    unfinished(run, 3)
}

/// The same for programs whose tolerance is their fourth argument.
pub(crate) fn unfinished_walk(run: &Run<'_>) -> Option<Remark> {
    unfinished(run, 4)
}

fn unfinished(run: &Run<'_>, index: usize) -> Option<Remark> {
    let (rounds, change, tolerance) =
        (run.integer("rounds").ok()?, run.real("change").ok()?, run.real_arg(index).ok()?);
    // Without a tolerance the rounds are what was asked for, and nothing else.
    (change >= tolerance && tolerance > 0.0).then(|| {
        Remark::Rough(format!(
            "not converged: {rounds} rounds, the last of which changed the ranks by {change:.1e} in all, \
             more than the tolerance {tolerance:e}"
        ))
    })
}

pub(crate) fn pagerank_delta(run: &Run<'_>) -> Result<(), Invalid> {
    let rounds = run.integer("rounds")?;
    ensure(rounds >= 0, || wrong!("{rounds} rounds were done"))?;
    // What is held back is at most the tolerance in all; the ranks are then scaled, by less than 1 / 0.15.
    near_solution(run, 7.0 * run.real_arg(2)?)
}

pub(crate) fn pagerank_gs(run: &Run<'_>) -> Result<(), Invalid> {
    let tolerance = run.real_arg(2)?;
    let (rounds, change) = (run.integer("rounds")?, run.real("change")?);
    ensure((0..=200).contains(&rounds), || wrong!("{rounds} rounds were done, the limit being 200"))?;
    let ended = change >= 0.0 && (change < tolerance || rounds == 200 || run.graph.vertices() == 0);
    ensure(ended, || {
        wrong!("the rounds ended after {rounds} with the change {change:.2e}, the tolerance being {tolerance:e}")
    })?;
    near_solution(run, 2.0 * tolerance)
}

/// The ranks in double precision, each a probability, all together one.
fn probabilities(run: &Run<'_>) -> Result<Vec<f64>, Invalid> {
    let rank = run.floats("rank")?;
    every_vertex(run.graph, |v| {
        let r = rank[v as usize];
        ensure(r.is_finite() && r >= 0.0, || wrong!("vertex {v}: rank {r} is not a probability"))
    })?;
    let rank: Vec<f64> = rank.par_iter().map(|&r| f64::from(r)).collect();
    let sum: f64 = rank.par_iter().sum();
    ensure(rank.is_empty() || (sum - 1.0).abs() < 1e-5, || wrong!("the ranks add up to {sum:.7} instead of 1"))?;
    Ok(rank)
}

/// The ranks miss the equation of PageRank by no more than this in all, rounding aside.
fn near_solution(run: &Run<'_>, limit: f64) -> Result<(), Invalid> {
    let rank = probabilities(run)?;
    if rank.is_empty() {
        return Ok(());
    }
    let limit = limit + ROUNDING;
    let next = step(run.graph, &rank);
    let total: f64 = difference(&next, &rank).sum();
    ensure(total <= limit, || {
        let (by, vertex) = worst(&next, &rank);
        wrong!(
            "the ranks miss the PageRank equation by {total:.2e} in all, more than {limit:.1e}; \
             worst at vertex {vertex} with rank {:.3e}, by {by:.2e}",
            rank[vertex]
        )
    })
}

fn worst(a: &[f64], b: &[f64]) -> (f64, usize) {
    difference(a, b).zip(0..a.len()).reduce(|| (0.0, 0), |a, b| if b.0 > a.0 { b } else { a })
}

fn difference<'a>(a: &'a [f64], b: &'a [f64]) -> impl IndexedParallelIterator<Item = f64> + 'a {
    a.par_iter().zip(b).map(|(a, b)| (a - b).abs())
}

/// One step of power iteration; vertices without out-edges spread their rank over all.
fn step(graph: &Graph, x: &[f64]) -> Vec<f64> {
    let (out, incoming) = (graph.out(), graph.incoming());
    let vertices = 0..graph.vertices() as u32;
    let share: Vec<f64> =
        vertices.clone().into_par_iter().map(|v| x[v as usize] / out.degree(v).max(1) as f64).collect();
    let dangling: f64 = vertices.clone().into_par_iter().filter(|&v| out.degree(v) == 0).map(|v| x[v as usize]).sum();
    let base = (1.0 - DAMPING + DAMPING * dangling) / x.len() as f64;
    let arriving = |v: u32| incoming.neighbours(v).iter().map(|&u| share[u as usize]).sum::<f64>();
    vertices.into_par_iter().with_min_len(256).map(|v| base + DAMPING * arriving(v)).collect()
}
