//! PageRank: as many rounds of power iteration as the run says, in double precision, and the rule by which rounds end.
//!
//! The programs that do not go by such rounds are compared with one step of the fixed-point equation. One step x ->
//! F(x) shrinks distances (sum of absolute differences) by the damping, 0.85 say, so a small residual |F(x) - x| proves
//! that x is near the one solution: at most residual / (1 - damping) away from it.

use gw_graph::Graph;
use rayon::prelude::*;

use super::counting::Counting;
use super::{Invalid, Run, ensure, every_vertex, wrong};
use crate::registry::Remark;
use crate::results::Values;

/// Rounds after which [`pagerank_gs`] ends in any case.
const MOST_ROUNDS: i128 = 200;

pub(crate) fn pagerank(run: &Run<'_>) -> Result<(), Invalid> {
    iterated(run, Counting::Alike)
}

pub(crate) fn weighted_pagerank(run: &Run<'_>) -> Result<(), Invalid> {
    iterated(run, Counting::ByWeight)
}

fn iterated(run: &Run<'_>, counting: Counting) -> Result<(), Invalid> {
    run.graph.load_incoming()?;
    let (limit, tolerance) = (run.count_arg(2)?, run.real_arg(3)?);
    let walk = Walk::new(run, 4, counting)?;
    let rounding = walk.rounding();
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
        let next = walk.step(&x);
        (before, last) = (last, difference(&next, &x).sum());
        x = next;
    }
    let off: f64 = difference(&rank, &x).sum();
    ensure(off <= rounding, || {
        let (by, vertex) = worst(&rank, &x);
        wrong!(
            "the ranks are {off:.2e} in all away from {rounds} rounds of power iteration; \
             worst at vertex {vertex} with rank {:.3e}, by {by:.2e}",
            rank[vertex],
            vertex = run.graph.shown(vertex)
        )
    })?;
    ensure((change - last).abs() <= 2.0 * rounding, || wrong!("change is {change:.3e} instead of {last:.3e}"))?;
    ensure(rounds == limit as i128 || change < tolerance, || {
        wrong!(
            "the rounds ended after {rounds} of {limit} with the change {change:.2e}, the tolerance being {tolerance:e}"
        )
    })?;
    ensure(rounds == 0 || before >= tolerance - 2.0 * rounding, || {
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
    (change >= tolerance && tolerance > 0.0).then(|| not_converged(rounds, change, tolerance))
}

fn not_converged(rounds: i128, change: f64, tolerance: f64) -> Remark {
    Remark::Rough(format!(
        "not converged: {rounds} rounds, the last of which changed the ranks by {change:.1e} in all, \
         more than the tolerance {tolerance:e}"
    ))
}

pub(crate) fn pagerank_delta(run: &Run<'_>) -> Result<(), Invalid> {
    let rounds = run.integer("rounds")?;
    ensure(rounds >= 0, || wrong!("{rounds} rounds were done"))?;
    // What is held back is at most the tolerance in all; the ranks are then scaled, by less than 1 / (1 - damping).
    let walk = Walk::new(run, 3, Counting::Alike)?;
    near_solution(run, &walk, 1.05 / (1.0 - walk.damping) * run.real_arg(2)?)
}

pub(crate) fn pagerank_gs(run: &Run<'_>) -> Result<(), Invalid> {
    let tolerance = run.real_arg(2)?;
    let (rounds, change) = (run.integer("rounds")?, run.real("change")?);
    ensure((0..=MOST_ROUNDS).contains(&rounds), || wrong!("{rounds} rounds were done, the limit being {MOST_ROUNDS}"))?;
    let ended = change >= 0.0 && (change < tolerance || rounds == MOST_ROUNDS || run.graph.vertices() == 0);
    ensure(ended, || {
        wrong!("the rounds ended after {rounds} with the change {change:.2e}, the tolerance being {tolerance:e}")
    })?;
    let walk = Walk::new(run, 3, Counting::Alike)?;
    // Ranks that were not there yet when the rounds ended at their limit: they add up to 1 - damping at least.
    let rough = if rounds == MOST_ROUNDS { change / (1.0 - walk.damping) } else { 0.0 };
    near_solution(run, &walk, 2.0 * tolerance.max(rough))
}

/// Told when the rounds of `pagerank-gs` ended at their limit. A change is compared with the sum of the ranks before
/// they are scaled, which is less than 1.
pub(crate) fn unfinished_in_place(run: &Run<'_>) -> Option<Remark> {
    let (rounds, change, tolerance) = (run.integer("rounds").ok()?, run.real("change").ok()?, run.real_arg(2).ok()?);
    (rounds >= MOST_ROUNDS && change >= tolerance).then(|| not_converged(rounds, change, tolerance))
}

/// The ranks in double precision, each a probability, all together one.
fn probabilities(run: &Run<'_>) -> Result<Vec<f64>, Invalid> {
    let rank: Vec<f64> = match run.results.vector("rank") {
        // Where edges count by their weights, ranks are reals of 64 bits.
        Some(Values::Double(_)) => run.doubles("rank")?.into_owned(),
        _ => run.floats("rank")?.iter().map(|&r| f64::from(r)).collect(),
    };
    every_vertex(run.graph, |v| {
        let r = rank[v as usize];
        ensure(r.is_finite() && r >= 0.0, || {
            wrong!("vertex {v}: rank {r} is not a probability", v = run.graph.shown(v))
        })
    })?;
    let sum: f64 = rank.par_iter().sum();
    ensure(rank.is_empty() || (sum - 1.0).abs() < 1e-5, || wrong!("the ranks add up to {sum:.7} instead of 1"))?;
    Ok(rank)
}

/// The ranks miss the equation of PageRank by no more than this in all, rounding aside.
fn near_solution(run: &Run<'_>, walk: &Walk<'_>, limit: f64) -> Result<(), Invalid> {
    run.graph.load_incoming()?;
    let rank = probabilities(run)?;
    if rank.is_empty() {
        return Ok(());
    }
    let limit = limit + walk.rounding();
    let next = walk.step(&rank);
    let total: f64 = difference(&next, &rank).sum();
    ensure(total <= limit, || {
        let (by, vertex) = worst(&next, &rank);
        wrong!(
            "the ranks miss the PageRank equation by {total:.2e} in all, more than {limit:.1e}; \
             worst at vertex {vertex} with rank {:.3e}, by {by:.2e}",
            rank[vertex],
            vertex = run.graph.shown(vertex)
        )
    })
}

fn worst(a: &[f64], b: &[f64]) -> (f64, usize) {
    difference(a, b).zip(0..a.len()).reduce(|| (0.0, 0), |a, b| if b.0 > a.0 { b } else { a })
}

fn difference<'a>(a: &'a [f64], b: &'a [f64]) -> impl IndexedParallelIterator<Item = f64> + 'a {
    a.par_iter().zip(b).map(|(a, b)| (a - b).abs())
}

/// The walk whose stationary distribution the ranks are.
struct Walk<'a> {
    graph: &'a Graph,
    counting: Counting,
    /// The probability of a step along an edge.
    damping: f64,
    /// What the out-edges of each vertex count for together; 0 where the walk goes on anywhere.
    leaving: Vec<f64>,
}

impl<'a> Walk<'a> {
    /// The walk of a run whose damping is the argument at this place.
    fn new(run: &Run<'a>, index: usize, counting: Counting) -> Result<Walk<'a>, Invalid> {
        Ok(Walk {
            graph: run.graph,
            counting,
            damping: run.real_arg(index)?,
            leaving: counting.totals(run.graph.out()),
        })
    }

    /// What ranks in single precision may add to a sum of differences: about 2^-23 in a round, and 1 / (1 - damping)
    /// rounds of that.
    fn rounding(&self) -> f64 {
        3e-7 / (1.0 - self.damping)
    }

    /// One step of power iteration; vertices that nothing leaves spread their rank over all.
    fn step(&self, x: &[f64]) -> Vec<f64> {
        let nowhere = x.par_iter().zip(&self.leaving).filter(|(_, leaving)| **leaving == 0.0);
        let dangling: f64 = nowhere.map(|(x, _)| x).sum();
        let base = (1.0 - self.damping + self.damping * dangling) / x.len() as f64;
        let share = |u: usize| if self.leaving[u] == 0.0 { 0.0 } else { x[u] / self.leaving[u] };
        let arriving = self.counting.sums(self.graph.incoming(), share);
        arriving.into_iter().map(|arriving| base + self.damping * arriving).collect()
    }
}
