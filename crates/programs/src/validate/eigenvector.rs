//! Eigenvector centrality: the same power iteration again, ended by the same rule.

use rayon::prelude::*;

use gw_graph::Graph;

use super::{Invalid, Run, ensure, every_vertex, wrong};
use crate::registry::Remark;

/// The length of a step at which the rounds end.
const TOLERANCE: f64 = 1e-6;
/// What another order of summation may change.
const ROUNDING: f64 = 1e-8;

pub(crate) fn eigenvector(run: &Run<'_>) -> Result<(), Invalid> {
    let x = run.doubles("centrality")?;
    let (lambda, change) = (run.real("lambda")?, run.real("change")?);
    if x.is_empty() {
        return Ok(());
    }
    every_vertex(run.graph, |v| {
        let c = x[v as usize];
        ensure(c.is_finite() && c >= 0.0, || wrong!("vertex {v}: centrality {c} is negative or not a number"))
    })?;
    let length = norm(&x);
    ensure((length - 1.0).abs() < ROUNDING, || wrong!("the vector has length {length} instead of 1"))?;
    let right = iterate(run.graph, run.count_arg(2)?, change);
    let (mut off, mut vertex) = (0.0, 0);
    for (v, (found, right)) in x.iter().zip(&right.x).enumerate() {
        if (found - right).abs() > off {
            (off, vertex) = ((found - right).abs(), v);
        }
    }
    ensure(off <= ROUNDING, || {
        let (found, right) = (x[vertex], right.x[vertex]);
        wrong!("vertex {vertex}: centrality {found:.9} instead of {right:.9}, off by {off:.1e}")
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
    let change = run.real("change").ok().filter(|&change| change >= TOLERANCE)?;
    let rounds = run.count_arg(2).ok()?;
    Some(Remark::Rough(format!(
        "not converged: the last of {rounds} rounds moved the vector by {change:.1e}, more than {TOLERANCE:e}"
    )))
}

struct State {
    x: Vec<f64>,
    lambda: f64,
    change: f64,
}

/// Power iteration from the even start. A change so near the tolerance that rounding decides ends the rounds if the
/// run says that it ended there.
fn iterate(graph: &Graph, limit: usize, said: f64) -> State {
    let n = graph.vertices();
    let mut state = State { x: vec![1.0 / (n as f64).sqrt(); n], lambda: 0.0, change: 1.0 };
    let incoming = graph.incoming();
    for _ in 0..limit {
        let near = (state.change - TOLERANCE).abs() <= ROUNDING * TOLERANCE;
        if if near { (said - state.change).abs() <= ROUNDING } else { state.change < TOLERANCE } {
            break;
        }
        let x = &state.x;
        let arriving = |v: u32| incoming.neighbours(v).iter().map(|&u| x[u as usize]).sum::<f64>();
        let mut next: Vec<f64> = (0..n as u32).into_par_iter().map(|v| x[v as usize] + arriving(v)).collect();
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
