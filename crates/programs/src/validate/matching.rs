//! Matchings: pairs are mutual and joined by edges, and no edge is left that should have been taken.

use gw_graph::VertexId;

use super::{Invalid, Run, ensure, every_vertex, real_weight, wrong};

/// Nothing can be added.
pub(crate) fn matching(run: &Run<'_>) -> Result<(), Invalid> {
    dominant(run, |_| 1.0).map(|_| ())
}

/// Every edge has an end with a pair at least as heavy. Each pair answers for no more than two edges of the best
/// matching, so the pairs weigh at least half of that.
pub(crate) fn matching_weighted(run: &Run<'_>) -> Result<(), Invalid> {
    let right = dominant(run, |edge| real_weight(run.graph.out().weights(), edge))?;
    let weight = run.real("weight")?;
    ensure((weight - right).abs() <= 1e-9 * (1.0 + right), || wrong!("weight {weight} instead of {right}"))
}

/// Checks the pairs with these weights of edges; the weight in all.
fn dominant(run: &Run<'_>, weight: impl Fn(usize) -> f64 + Sync) -> Result<f64, Invalid> {
    run.needs_symmetric()?;
    let (mate, pairs) = (run.ints("mate")?, run.integer("pairs")?);
    let out = run.graph.out();
    let mut held = vec![f64::NEG_INFINITY; mate.len()];
    let (mut total, mut ends) = (0.0, 0);
    for v in 0..mate.len() {
        let other = mate[v];
        if other == -1 {
            continue;
        }
        let edge = VertexId::try_from(other).ok().and_then(|o| out.neighbours(v as VertexId).binary_search(&o).ok());
        let edge = edge.ok_or_else(|| {
            wrong!(
                "vertex {v}: its mate is {other}, but there is no edge to that",
                v = run.graph.shown(v),
                other = run.graph.shown(other)
            )
        })?;
        let back = mate[other as usize];
        ensure(back == v as i32, || {
            wrong!(
                "vertex {v}: its mate is {other}, whose mate is {back}",
                v = run.graph.shown(v),
                other = run.graph.shown(other),
                back = run.graph.shown(back)
            )
        })?;
        held[v] = weight(out.range(v as VertexId).start + edge);
        (total, ends) = (total + held[v], ends + 1);
    }
    ensure(pairs * 2 == ends, || wrong!("{pairs} pairs, but {ends} vertices have a mate"))?;
    every_vertex(run.graph, |u| {
        for (&v, edge) in out.neighbours(u).iter().zip(out.range(u)) {
            let here = weight(edge);
            let beaten = held[u as usize] >= here || held[v as usize] >= here;
            ensure(beaten, || {
                wrong!(
                    "the edge {u} - {v} of weight {here} is heavier than what its ends have",
                    v = run.graph.shown(v),
                    u = run.graph.shown(u)
                )
            })?;
        }
        Ok(())
    })?;
    Ok(total / 2.0)
}
