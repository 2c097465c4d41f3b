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
    // On a symmetric graph steps never grow. On directed ones they may for a while, but not by much.
    let limit = 1e-6 + change.abs() * if run.graph.is_symmetric() { 1.01 } else { 2.0 };
    ensure(moved <= limit, || {
        wrong!(
            "one more step moves the vector by {moved:.2e}, though the last one is said to have moved it by {change:.2e}"
        )
    })?;
    // The estimate belongs to the step before, so it may be off by what that step changed.
    let estimate = scale - 1.0;
    let off = (estimate - lambda).abs();
    ensure(off <= 1e-6 * scale + 2.0 * change.abs() * scale, || {
        wrong!("lambda is {lambda} instead of about {estimate}")
    })
}
