//! PageRank: the ranks are compared with one step of the fixed-point equation in double precision.
//!
//! One step x -> F(x) shrinks distances (sum of absolute differences) by 0.85, so a small residual |F(x) - x| proves
//! that x is near the one solution: at most residual / 0.15 away from it. A run that stopped at its limit of rounds
//! before that must agree with as many steps from the even start.

use rayon::prelude::*;

use gw_graph::Graph;

use super::{Invalid, Run, ensure, every_vertex, wrong};

const DAMPING: f64 = 0.85;
/// The residual at which the programs stop, and what single precision may add to it.
const LIMIT: f64 = 1e-4 + 2e-5;

pub(crate) fn pagerank(run: &Run<'_>) -> Result<(), Invalid> {
    let rounds = run.count_arg(2)?;
    let residual = residual(run)?;
    if residual.total <= LIMIT {
        return Ok(());
    }
    let n = run.graph.vertices();
    let mut x = vec![1.0 / n as f64; n];
    for _ in 0..rounds {
        let next = step(run.graph, &x);
        let change: f64 = difference(&next, &x).sum();
        x = next;
        if change < 1e-4 {
            return Err(residual.sentence());
        }
    }
    let rank = run.floats("rank")?;
    let off: f64 = rank.par_iter().zip(&x).map(|(&r, &x)| (f64::from(r) - x).abs()).sum();
    ensure(off <= LIMIT, || wrong!("the ranks are {off:.2e} in all away from {rounds} rounds of power iteration"))
}

pub(crate) fn pagerank_delta(run: &Run<'_>) -> Result<(), Invalid> {
    let residual = residual(run)?;
    ensure(residual.total <= LIMIT, || residual.sentence())
}

/// By how much ranks miss the equation.
#[derive(Default)]
struct Residual {
    total: f64,
    worst: f64,
    vertex: usize,
    rank: f64,
}

impl Residual {
    fn sentence(&self) -> Invalid {
        wrong!(
            "the ranks miss the PageRank equation by {:.2e} in all, more than {LIMIT:.1e}; \
             worst at vertex {} with rank {:.3e}, by {:.2e}",
            self.total,
            self.vertex,
            self.rank,
            self.worst
        )
    }
}

fn residual(run: &Run<'_>) -> Result<Residual, Invalid> {
    let rank = run.floats("rank")?;
    if rank.is_empty() {
        return Ok(Residual::default());
    }
    every_vertex(run.graph, |v| {
        let r = rank[v as usize];
        ensure(r.is_finite() && r >= 0.0, || wrong!("vertex {v}: rank {r} is not a probability"))
    })?;
    let x: Vec<f64> = rank.par_iter().map(|&r| f64::from(r)).collect();
    let sum: f64 = x.par_iter().sum();
    ensure((sum - 1.0).abs() < 1e-3, || wrong!("the ranks add up to {sum:.6} instead of 1"))?;
    let next = step(run.graph, &x);
    let total = difference(&next, &x).sum();
    let (worst, vertex) =
        difference(&next, &x).zip(0..x.len()).reduce(|| (0.0, 0), |a, b| if b.0 > a.0 { b } else { a });
    Ok(Residual { total, worst, vertex, rank: x[vertex] })
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
