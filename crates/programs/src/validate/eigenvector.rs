//! Eigenvector centrality: one exact step of the iteration must not move the vector much more than the last one did.

use rayon::prelude::*;

use super::{Invalid, Run, ensure, every_vertex, wrong};

pub(crate) fn eigenvector(run: &Run<'_>) -> Result<(), Invalid> {
    let x = run.doubles("centrality")?;
    let (lambda, change) = (run.real("lambda")?, run.real("change")?);
    if x.is_empty() || run.count_arg(2)? == 0 {
        return Ok(());
    }
    every_vertex(run.graph, |v| {
        let c = x[v as usize];
        ensure(c.is_finite() && c >= 0.0, || wrong!("vertex {v}: centrality {c} is negative or not a number"))
    })?;
    let norm = |x: &[f64]| x.par_iter().map(|&c| c * c).sum::<f64>().sqrt();
    let length = norm(&x);
    ensure((length - 1.0).abs() < 1e-6, || wrong!("the vector has length {length} instead of 1"))?;

    let incoming = run.graph.incoming();
    let step: Vec<f64> = (0..x.len() as u32)
        .into_par_iter()
        .map(|v| x[v as usize] + incoming.neighbours(v).iter().map(|&u| x[u as usize]).sum::<f64>())
        .collect();
    let scale = norm(&step);
    let moved = step.par_iter().zip(x.par_iter()).map(|(s, c)| (s / scale - c).powi(2)).sum::<f64>().sqrt();
    // Steps shrink in the long run; for a while they may grow, but not by much.
    let limit = 1e-6 + 3.0 * change.abs();
    ensure(moved <= limit, || {
        wrong!(
            "one more step moves the vector by {moved:.2e}, though the last one is said to have moved it by {change:.2e}"
        )
    })?;
    // The estimate belongs to the step before: it may be off by what the matrix makes of that step.
    let (out, estimate) = (run.graph.out(), scale - 1.0);
    let most = |degree: &dyn Fn(u32) -> usize| (0..x.len() as u32).map(degree).max().unwrap_or(0) as f64;
    let matrix_norm = 1.0 + (most(&|v| out.degree(v)) * most(&|v| incoming.degree(v))).sqrt();
    ensure((estimate - lambda).abs() <= 1e-6 * scale + matrix_norm * change.abs(), || {
        wrong!("lambda is {lambda} instead of about {estimate}")
    })
}
