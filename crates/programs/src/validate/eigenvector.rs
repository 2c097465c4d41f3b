//! Eigenvector centrality: the same power iteration again, ended by the same rule.

use rayon::prelude::*;

use gw_graph::Graph;

use super::counting::Counting;
use super::{Invalid, Run, ensure, every_vertex, wrong};
use crate::registry::Remark;

/// What another order of summation may change.
const ROUNDING: f64 = 1e-8;

pub(crate) fn eigenvector(run: &Run<'_>) -> Result<(), Invalid> {
    iterated(run, Counting::Alike)
}

pub(crate) fn weighted_eigenvector(run: &Run<'_>) -> Result<(), Invalid> {
    iterated(run, Counting::ByWeight)
}

fn iterated(run: &Run<'_>, counting: Counting) -> Result<(), Invalid> {
    run.graph.load_incoming()?;
    let x = run.doubles("centrality")?;
    let (lambda, change) = (run.real("lambda")?, run.real("change")?);
    if x.is_empty() {
        return Ok(());
    }
    every_vertex(run.graph, |v| {
        let c = x[v as usize];
        ensure(c.is_finite() && c >= 0.0, || {
            wrong!("vertex {v}: centrality {c} is negative or not a number", v = run.graph.shown(v))
        })
    })?;
    let length = norm(&x);
    ensure((length - 1.0).abs() < ROUNDING, || wrong!("the vector has length {length} instead of 1"))?;
    let right = iterate(run.graph, counting, run.count_arg(2)?, run.real_arg(3)?, change);
    let (mut off, mut vertex) = (0.0, 0);
    for (v, (found, right)) in x.iter().zip(&right.x).enumerate() {
        if (found - right).abs() > off {
            (off, vertex) = ((found - right).abs(), v);
        }
    }
    ensure(off <= ROUNDING, || {
        let (found, right) = (x[vertex], right.x[vertex]);
        wrong!(
            "vertex {vertex}: centrality {found:.9} instead of {right:.9}, off by {off:.1e}",
            vertex = run.graph.shown(vertex)
        )
    })?;
    ensure((change - right.change).abs() <= ROUNDING, || {
        wrong!("change is {change:.3e} instead of {:.3e}", right.change)
    })?;
    ensure((lambda - right.lambda).abs() <= ROUNDING * (1.0 + right.lambda.abs()), || {
        wrong!("lambda is {lambda} instead of {}", right.lambda)
    })
}

/// Told when the rounds ended before the steps were short enough.
pub(crate) fn unfinished_eigenvector(run: &Run<'_>) -> Option<Remark> {
    let (rounds, tolerance) = (run.count_arg(2).ok()?, run.real_arg(3).ok()?);
    // Without a tolerance the rounds are what was asked for, and nothing else.
    let change = run.real("change").ok().filter(|&change| change >= tolerance && tolerance > 0.0)?;
    Some(Remark::Rough(format!(
        "not converged: the last of {rounds} rounds moved the vector by {change:.1e}, more than {tolerance:e}"
    )))
}

struct State {
    x: Vec<f64>,
    lambda: f64,
    change: f64,
}

/// Power iteration from the even start. A change so near the tolerance that rounding decides ends the rounds if the
/// run says that it ended there.
fn iterate(graph: &Graph, counting: Counting, limit: usize, tolerance: f64, said: f64) -> State {
    let n = graph.vertices();
    let mut state = State { x: vec![1.0 / (n as f64).sqrt(); n], lambda: 0.0, change: 1.0 };
    let incoming = graph.incoming();
    for _ in 0..limit {
        let near = (state.change - tolerance).abs() <= ROUNDING * tolerance;
        if if near { (said - state.change).abs() <= ROUNDING } else { state.change < tolerance } {
            break;
        }
        let x = &state.x;
        let mut next = counting.sums(incoming, |u| x[u]);
        next.par_iter_mut().zip(x).for_each(|(next, x)| *next += x);
        let length = norm(&next);
        next.par_iter_mut().for_each(|c| *c /= length);
        let change = next.par_iter().zip(x).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
        state = State { x: next, lambda: length - 1.0, change };
    }
    state
}

fn norm(x: &[f64]) -> f64 {
    x.par_iter().map(|&c| c * c).sum::<f64>().sqrt()
}
