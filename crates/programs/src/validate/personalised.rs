//! Personalised PageRank: as many rounds of power iteration as the run says, one edge at a time, and
//! the rule by which rounds end.

use gw_graph::Graph;

use super::counting::Counting;
use super::{Invalid, Run, ensure, wrong};
use crate::sources;

/// What another order of additions may change in all.
const ROUNDING: f64 = 1e-9;

pub(crate) fn ppr(run: &Run<'_>) -> Result<(), Invalid> {
    iterated(run, Counting::Alike)
}

pub(crate) fn weighted_ppr(run: &Run<'_>) -> Result<(), Invalid> {
    iterated(run, Counting::ByWeight)
}

fn iterated(run: &Run<'_>, counting: Counting) -> Result<(), Invalid> {
    let (limit, tolerance, damping) = (run.count_arg(3)?, run.real_arg(4)?, run.real_arg(5)?);
    let text = run.args.get(1).ok_or_else(|| argument("it is missing".to_string()))?;
    let weights = sources::weights(text, run.graph).map_err(|error| argument(error.to_string()))?;
    let total: f64 = weights.iter().sum();
    ensure(total > 0.0, || argument("no vertex has a weight above 0".to_string()))?;
    let home: Vec<f64> = weights.iter().map(|weight| weight / total).collect();
    let rank = run.doubles("rank")?;
    let (rounds, change) = (run.integer("rounds")?, run.real("change")?);
    ensure((0..=limit as i128).contains(&rounds), || wrong!("{rounds} rounds were done, but {limit} asked for"))?;
    let mut x = home.clone();
    // Before the first round the program has 1 as change.
    let (mut before, mut last) = (1.0, 1.0);
    for _ in 0..rounds {
        let next = step(run.graph, counting, damping, &home, &x);
        (before, last) = (last, next.iter().zip(&x).map(|(a, b)| (a - b).abs()).sum());
        x = next;
    }
    for (v, (found, right)) in rank.iter().zip(&x).enumerate() {
        ensure((found - right).abs() <= ROUNDING, || {
            wrong!("vertex {v}: rank {found:e} instead of {right:e}", v = run.graph.shown(v))
        })?;
    }
    super::ended(rounds, limit, change, last, before, tolerance, ROUNDING)
}

fn argument(problem: String) -> Invalid {
    Invalid::Argument { index: 2, problem }
}

/// One step of the walker: along an out-edge with the probability `damping`, else and from dead ends back to a source,
/// drawn by weight.
fn step(graph: &Graph, counting: Counting, damping: f64, home: &[f64], x: &[f64]) -> Vec<f64> {
    let mut next = vec![0.0; x.len()];
    let mut returning = 0.0;
    for u in 0..graph.vertices() as u32 {
        let here = x[u as usize];
        let total: f64 = counting.edges(graph.out(), u).map(|(_, share)| share).sum();
        returning += if total == 0.0 { here } else { (1.0 - damping) * here };
        if total > 0.0 {
            counting.edges(graph.out(), u).for_each(|(v, share)| next[v as usize] += damping * here * share / total);
        }
    }
    next.iter_mut().zip(home).for_each(|(next, home)| *next += returning * home);
    next
}
