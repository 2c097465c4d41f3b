//! Katz centrality: the equation x = alpha A'x + 1 itself. Scaling keeps x - alpha A'x the same at all vertices.

use super::counting::Counting;
use super::{Invalid, Run, ensure, every_vertex, wrong};
use crate::registry::Remark;

pub(crate) fn katz(run: &Run<'_>) -> Result<(), Invalid> {
    iterated(run, Counting::Alike)
}

pub(crate) fn weighted_katz(run: &Run<'_>) -> Result<(), Invalid> {
    iterated(run, Counting::ByWeight)
}

fn iterated(run: &Run<'_>, counting: Counting) -> Result<(), Invalid> {
    let (wanted, limit, tolerance) = (run.real_arg(2)?, run.count_arg(3)?, run.real_arg(4)?);
    let (x, alpha) = (run.doubles("centrality")?, run.real("alpha")?);
    let (rounds, change) = (run.integer("rounds")?, run.real("change")?);
    ensure((0..=limit as i128).contains(&rounds), || wrong!("{rounds} rounds were done, but {limit} asked for"))?;
    if x.is_empty() {
        return Ok(());
    }
    let incoming = run.graph.load_incoming()?;
    let most = counting.totals(incoming).into_iter().fold(0.0, f64::max);
    let right = match wanted {
        0.0 => 0.85 / if most > 0.0 { most } else { 1.0 },
        wanted => wanted,
    };
    ensure((alpha - right).abs() <= 1e-12 * right.max(1.0), || wrong!("alpha {alpha} instead of {right}"))?;
    // The rounds once more, as gathers: they may end before the equation is solved, and need not lead there at all.
    let mut y = vec![0.0; x.len()];
    let (mut before, mut last) = (1.0, 1.0);
    for _ in 0..rounds {
        let next: Vec<f64> = counting.sums(incoming, |u| y[u]).into_iter().map(|sum| alpha * sum + 1.0).collect();
        let moved: f64 = next.iter().zip(&y).map(|(a, b)| (a - b).abs()).sum();
        (before, last) = (last, moved / x.len() as f64);
        y = next;
    }
    let length = y.iter().map(|c| c * c).sum::<f64>().sqrt();
    every_vertex(run.graph, |v| {
        let found = x[v as usize];
        let right = if length > 0.0 { y[v as usize] / length } else { 0.0 };
        let near = (found - right).abs() <= 1e-9 || (found.is_nan() && right.is_nan());
        ensure(near, || wrong!("vertex {v}: centrality {found} instead of {right}", v = run.graph.shown(v)))
    })?;
    super::ended(rounds, limit, change, last, before, tolerance, 1e-9 * (1.0 + last.abs()))
}

/// Told when the rounds ended before the change fell below the tolerance, or when they run away.
pub(crate) fn unfinished_katz(run: &Run<'_>) -> Option<Remark> {
    let (rounds, change, tolerance) = (run.integer("rounds").ok()?, run.real("change").ok()?, run.real_arg(4).ok()?);
    let alpha = run.real("alpha").ok()?;
    if change < tolerance || tolerance <= 0.0 {
        return None;
    }
    // Values start at 1 and grow by less in every round where there is a solution.
    let runs_away = !change.is_finite() || change > 1.0;
    let why = if runs_away { "alpha is too large, there is no solution" } else { "not converged" };
    Some(Remark::Rough(format!(
        "{why}: alpha {alpha}, {rounds} rounds, the last of which changed the values by {change:.1e} in the mean, more \
         than the tolerance {tolerance:e}"
    )))
}
