//! Paths between two vertices: Dijkstra with a binary heap gives the length, up to the target only.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use gw_graph::{Graph, VertexId};

use super::sssp::INFINITY;
use super::{Invalid, Run, ensure, every_vertex, int_weight, wrong};
use crate::registry::Remark;

/// Told when the length does not fit the type.
pub(crate) fn too_long(run: &Run<'_>) -> Option<Remark> {
    let (source, target) = (run.vertex_arg(2).ok()?, run.vertex_arg(3).ok()?);
    (run.integer("too_long").ok()? != 0).then(|| {
        let (source, target) = (run.graph.shown(source), run.graph.shown(target));
        Remark::NoResult(format!(
            "the shortest path from {source} to {target} is longer than 2147483646 and does not fit the type int; \
             `sssp-real` has distances of type double"
        ))
    })
}

pub(crate) fn ppsp(run: &Run<'_>) -> Result<(), Invalid> {
    let (source, target) = (run.vertex_arg(2)?, run.vertex_arg(3)?);
    let dist = run.ints("dist")?;
    let found = run.integer("distance")?;
    if run.integer("too_long")? != 0 {
        let length = dijkstra(run.graph, source, target)?;
        return ensure(length.is_some_and(|length| length >= INFINITY as u64), || {
            wrong!(
                "the path to {target} is said not to fit the type int, but its length is {length:?}",
                target = run.graph.shown(target)
            )
        });
    }
    supported(run.graph, &dist, source)?;
    let at_target = dist[target as usize];
    ensure(found == i128::from(at_target), || {
        wrong!(
            "distance is {found}, but the vector says {at_target} at the target {target}",
            target = run.graph.shown(target)
        )
    })?;
    match dijkstra(run.graph, source, target)? {
        None => ensure(at_target == INFINITY, || {
            wrong!("target {target}: distance {found}, but no path leads there", target = run.graph.shown(target))
        }),
        Some(length) if length >= INFINITY as u64 => Err(wrong!(
            "target {target}: its distance {length} does not fit the type int",
            target = run.graph.shown(target)
        )),
        Some(length) => ensure(found == i128::from(length), || {
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
    // Bounds that start from 0 at the target and fall by at most its weight along each edge are never too great.
    let bound = run.ints("bound")?;
    let target = run.vertex_arg(3)?;
    let at_target = bound[target as usize];
    ensure(at_target == 0, || {
        wrong!("target {target}: bound {at_target} instead of 0", target = run.graph.shown(target))
    })?;
    let out = run.graph.out();
    every_vertex(run.graph, |u| {
        ensure(bound[u as usize] >= 0, || {
            wrong!("vertex {u}: the bound {} is negative", bound[u as usize], u = run.graph.shown(u))
        })?;
        for (&v, edge) in out.neighbours(u).iter().zip(out.range(u)) {
            let weight = int_weight(out.weights(), edge);
            let (from, to) = (bound[u as usize], bound[v as usize]);
            ensure(i64::from(from) <= weight + i64::from(to), || {
                wrong!(
                    "vertex {u}: bound {from}, but {v} behind an edge of weight {weight} has bound {to}",
                    v = run.graph.shown(v),
                    u = run.graph.shown(u)
                )
            })?;
        }
        Ok(())
    })
}

/// Every finite entry is an upper bound on the distance from the source: edges along which entries grow by no less
/// than the weight lead from the source to the vertex, and so does a path that is no longer than the entry.
fn supported(graph: &Graph, dist: &[i32], source: VertexId) -> Result<(), Invalid> {
    let found = dist[source as usize];
    ensure(found == 0, || wrong!("source {source}: distance {found} instead of 0", source = graph.shown(source)))?;
    let out = graph.out();
    let mut reached = vec![false; graph.vertices()];
    reached[source as usize] = true;
    let mut stack = vec![source];
    while let Some(u) = stack.pop() {
        for (&v, edge) in out.neighbours(u).iter().zip(out.range(u)) {
            let length = i64::from(dist[u as usize]) + int_weight(out.weights(), edge);
            if !reached[v as usize] && dist[v as usize] != INFINITY && length <= i64::from(dist[v as usize]) {
                reached[v as usize] = true;
                stack.push(v);
            }
        }
    }
    every_vertex(graph, |v| {
        let d = dist[v as usize];
        ensure(d == INFINITY || reached[v as usize], || {
            wrong!("vertex {v}: distance {d}, but no path is that short", v = graph.shown(v))
        })
    })
}

fn dijkstra(graph: &Graph, source: VertexId, target: VertexId) -> Result<Option<u64>, Invalid> {
    let out = graph.out();
    let mut dist = vec![u64::MAX; graph.vertices()];
    let mut heap = BinaryHeap::from([Reverse((0u64, source))]);
    dist[source as usize] = 0;
    while let Some(Reverse((length, u))) = heap.pop() {
        if u == target {
            return Ok(Some(length));
        }
        if length > dist[u as usize] {
            continue;
        }
        for (&v, edge) in out.neighbours(u).iter().zip(out.range(u)) {
            let weight = u64::try_from(int_weight(out.weights(), edge)).map_err(|_| Invalid::Argument {
                index: 1,
                problem: format!("the edge from {} to {} has a negative weight", graph.shown(u), graph.shown(v)),
            })?;
            let through = length + weight;
            if through < dist[v as usize] {
                dist[v as usize] = through;
                heap.push(Reverse((through, v)));
            }
        }
    }
    Ok(None)
}
