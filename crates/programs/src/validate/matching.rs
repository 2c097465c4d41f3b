//! Matchings: pairs are mutual and joined by edges, and no edge is left that should have been taken.

use gw_graph::VertexId;

use super::length::{Length, are_real};
use super::{Invalid, Run, ensure, every_vertex, wrong};
use crate::registry::Remark;

/// Nothing can be added.
pub(crate) fn matching(run: &Run<'_>) -> Result<(), Invalid> {
    dominant::<i128>(run, |_| 1).map(|_| ())
}

/// Every edge has an end with a pair at least as heavy. Each pair answers for no more than two edges of the best
/// matching, so the pairs weigh at least half of that.
pub(crate) fn matching_weighted(run: &Run<'_>) -> Result<(), Invalid> {
    if are_real(run.graph) { weighted::<f64>(run) } else { weighted::<i128>(run) }
}

fn weighted<L: Length>(run: &Run<'_>) -> Result<(), Invalid> {
    let right = dominant(run, |edge| L::of_edge(run.graph.out().weights(), edge))?;
    sum_in_all(run, right, right.real())
}

/// The result `weight` is this sum, or does not fit its type and is said not to. `size` is the sum of the sizes of the
/// terms.
pub(super) fn sum_in_all<L: Length>(run: &Run<'_>, right: L, size: f64) -> Result<(), Invalid> {
    if run.integer("too_long")? != 0 {
        return ensure(size >= 0.99 * L::GREATEST.real(), || wrong!("the weight {right} fits its type"));
    }
    let weight = run.length::<L>("weight")?;
    ensure(weight.is_near(right, size), || wrong!("weight {weight} instead of {right}"))
}

/// Told when the weight of all edges does not fit its type.
pub(crate) fn no_weight(run: &Run<'_>) -> Option<Remark> {
    let ty = if are_real(run.graph) { "double" } else { "int_64" };
    let why = format!("the edges are right, but their weight in all does not fit the type {ty}; change their unit");
    run.integer("too_long").is_ok_and(|value| value != 0).then_some(Remark::Rough(why))
}

/// Checks the pairs with these weights of edges; the weight in all.
fn dominant<L: Length>(run: &Run<'_>, weight: impl Fn(usize) -> L + Sync) -> Result<L, Invalid> {
    run.needs_symmetric()?;
    let (mate, pairs) = (run.ints("mate")?, run.integer("pairs")?);
    let out = run.graph.out();
    let mut held = vec![None; mate.len()];
    let (mut total, mut ends) = (L::ZERO, 0);
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
        let weight = weight(out.range(v as VertexId).start + edge);
        held[v] = Some(weight);
        // The edge counts once, at its lesser end.
        total = if (v as i32) < other { total + weight } else { total };
        ends += 1;
    }
    ensure(pairs * 2 == ends, || wrong!("{pairs} pairs, but {ends} vertices have a mate"))?;
    every_vertex(run.graph, |u| {
        for (&v, edge) in out.neighbours(u).iter().zip(out.range(u)) {
            let here = weight(edge);
            let beaten = [u, v].iter().any(|&end| held[end as usize].is_some_and(|held| held >= here));
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
    Ok(total)
}
