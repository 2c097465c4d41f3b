//! Paths between two vertices: Dijkstra with a binary heap gives the length, up to the target only.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use gw_graph::{Graph, VertexId};

use super::length::{At, Length, are_real, real_instead};
use super::{Invalid, Run, ensure, every_vertex, wrong};
use crate::registry::Remark;

/// Told when the length does not fit the type.
pub(crate) fn too_long(run: &Run<'_>) -> Option<Remark> {
    let (source, target) = (run.vertex_arg(2).ok()?, run.vertex_arg(3).ok()?);
    (run.integer("too_long").ok()? != 0).then(|| {
        let (source, target) = (run.graph.shown(source), run.graph.shown(target));
        let ty = run.type_of("dist");
        Remark::NoResult(format!(
            "the shortest path from {source} to {target} is {beyond} and does not fit the type {ty}{instead}",
            beyond = beyond(ty),
            instead = real_instead(ty)
        ))
    })
}

/// What a length is that does not fit a type.
pub(super) fn beyond(ty: &str) -> &'static str {
    match ty {
        "int" => "longer than 2147483646",
        "int_64" => "longer than 9223372036854775806",
        _ => "longer than the greatest real of 64 bits",
    }
}

pub(crate) fn ppsp(run: &Run<'_>) -> Result<(), Invalid> {
    if are_real(run.graph) { path::<f64>(run) } else { path::<i128>(run) }
}

fn path<L: Length>(run: &Run<'_>) -> Result<(), Invalid> {
    let (source, target) = (run.vertex_arg(2)?, run.vertex_arg(3)?);
    let (dist, far) = run.lengths::<L>("dist")?;
    let found = run.length::<L>("distance")?;
    let length = dijkstra::<L>(run.graph, source, target)?;
    if run.integer("too_long")? != 0 {
        return ensure(length.is_some_and(|length| length >= far), || {
            wrong!(
                "the path to {target} is said not to fit its type, but its length is {length:?}",
                target = run.graph.shown(target)
            )
        });
    }
    supported(run.graph, &dist, far, source)?;
    let at_target = dist[target as usize];
    ensure(found == at_target, || {
        wrong!(
            "distance is {found}, but the vector says {at_target} at the target {target}",
            target = run.graph.shown(target)
        )
    })?;
    match length {
        None => ensure(at_target == far, || {
            wrong!("target {target}: distance {found}, but no path leads there", target = run.graph.shown(target))
        }),
        Some(length) if length >= far => Err(wrong!(
            "target {target}: its distance {length} does not fit the type of `dist`",
            target = run.graph.shown(target)
        )),
        // Sums of reals are those of the program, added up from the source as well.
        Some(length) => ensure(found == length, || {
            wrong!(
                "target {target}: distance {found} instead of {length} from {source}",
                target = run.graph.shown(target),
                source = run.graph.shown(source)
            )
        }),
    }
}

pub(crate) fn astar(run: &Run<'_>) -> Result<(), Invalid> {
    ppsp(run)?;
    if are_real(run.graph) { bounds::<f64>(run) } else { bounds::<i128>(run) }
}

/// Bounds that start from 0 at the target and fall by at most its weight along each edge are never too great.
fn bounds<L: Length>(run: &Run<'_>) -> Result<(), Invalid> {
    let (bound, _) = run.lengths::<L>("bound")?;
    let target = run.vertex_arg(3)?;
    let at_target = bound[target as usize];
    ensure(at_target == L::ZERO, || {
        wrong!("target {target}: bound {at_target} instead of 0", target = run.graph.shown(target))
    })?;
    // Bounds are differences of the distances of a landmark, of which the greatest bound is one.
    let size = bound.iter().map(|bound| bound.real()).fold(0.0, f64::max);
    let out = run.graph.out();
    every_vertex(run.graph, |u| {
        let from = bound[u as usize];
        ensure(from >= L::ZERO, || wrong!("vertex {u}: the bound {from} is negative", u = run.graph.shown(u)))?;
        for (&v, edge) in out.neighbours(u).iter().zip(out.range(u)) {
            let weight = L::of_edge(out.weights(), edge);
            let through = weight + bound[v as usize];
            ensure(from <= through || from.is_near(through, size), || {
                wrong!(
                    "vertex {u}: bound {from}, but {v} behind an edge of weight {weight} has bound {to}",
                    v = run.graph.shown(v),
                    u = run.graph.shown(u),
                    to = bound[v as usize]
                )
            })?;
        }
        Ok(())
    })
}

/// Every finite entry is an upper bound on the distance from the source: edges along which entries grow by no less
/// than the weight lead from the source to the vertex, and so does a path that is no longer than the entry.
fn supported<L: Length>(graph: &Graph, dist: &[L], far: L, source: VertexId) -> Result<(), Invalid> {
    let found = dist[source as usize];
    ensure(found == L::ZERO, || {
        wrong!("source {source}: distance {found} instead of 0", source = graph.shown(source))
    })?;
    let out = graph.out();
    let mut reached = vec![false; graph.vertices()];
    reached[source as usize] = true;
    let mut stack = vec![source];
    while let Some(u) = stack.pop() {
        for (&v, edge) in out.neighbours(u).iter().zip(out.range(u)) {
            let length = dist[u as usize] + L::of_edge(out.weights(), edge);
            if !reached[v as usize] && dist[v as usize] != far && length <= dist[v as usize] {
                reached[v as usize] = true;
                stack.push(v);
            }
        }
    }
    every_vertex(graph, |v| {
        let d = dist[v as usize];
        ensure(d == far || reached[v as usize], || {
            wrong!("vertex {v}: distance {d}, but no path is that short", v = graph.shown(v))
        })
    })
}

fn dijkstra<L: Length>(graph: &Graph, source: VertexId, target: VertexId) -> Result<Option<L>, Invalid> {
    let out = graph.out();
    // Reals beyond the type are lengths, too.
    let mut dist: Vec<Option<L>> = vec![None; graph.vertices()];
    let mut heap = BinaryHeap::from([Reverse(At(L::ZERO, source))]);
    dist[source as usize] = Some(L::ZERO);
    while let Some(Reverse(At(length, u))) = heap.pop() {
        if u == target {
            return Ok(Some(length));
        }
        if dist[u as usize].is_some_and(|known| length > known) {
            continue;
        }
        for (&v, edge) in out.neighbours(u).iter().zip(out.range(u)) {
            let weight = L::of_edge(out.weights(), edge);
            ensure(weight >= L::ZERO, || Invalid::Argument {
                index: 1,
                problem: format!("the edge from {} to {} has a negative weight", graph.shown(u), graph.shown(v)),
            })?;
            let through = length + weight;
            if dist[v as usize].is_none_or(|known| through < known) {
                dist[v as usize] = Some(through);
                heap.push(Reverse(At(through, v)));
            }
        }
    }
    Ok(None)
}
