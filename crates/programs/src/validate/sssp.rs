//! Shortest paths: distances are right exactly if no edge can shorten one and tight edges reach every finite one.
//!
//! The first makes each distance at most the true one, the second makes it the length of a real path. Both are linear
//! and hold for negative weights too. Tightness of single edges would not do: a cycle of weight 0 out of reach supports
//! itself.

use std::fmt::Display;
use std::ops::Add;

use gw_graph::{Graph, VertexId};

use super::{Invalid, Run, ensure, every_vertex, int_weight, real_weight, wrong};
use crate::registry::Remark;
use crate::results::Values;

/// The distance that stands for "out of reach".
pub(crate) const INFINITY: i32 = i32::MAX;

pub(crate) fn sssp(run: &Run<'_>) -> Result<(), Invalid> {
    let source = run.vertex_arg(2)?;
    if run.integer("negative_cycle")? != 0 {
        return match run.graph.weight_kind().is_real() {
            true => reported(run.graph, real(run.graph, source), source),
            false => reported(run.graph, whole(run.graph, source), source),
        };
    }
    either_too_long_or_right(run, source)
}

/// The distances are right, or the report that they do not fit their type is.
fn either_too_long_or_right(run: &Run<'_>, source: VertexId) -> Result<(), Invalid> {
    let is_too_long = run.integer("too_long")? != 0;
    match run.results.vector("dist").ok_or(Invalid::Missing("dist"))? {
        Values::Double(_) if is_too_long => {
            let fits = |d: &Option<f64>| d.is_none_or(f64::is_finite);
            let found = real(run.graph, source);
            ensure(found.is_err() || found.is_ok_and(|dist| !dist.iter().all(fits)), || {
                wrong!("all distances from {source} fit the type double", source = run.graph.shown(source))
            })
        }
        Values::Double(_) => real_distances(run, source),
        Values::Int64(dist) => {
            run.one_per_vertex("dist", dist.len())?;
            if is_too_long {
                too_long(run, source, i64::MIN, i64::MAX)
            } else {
                distances(run, source, &dist, i64::MAX)
            }
        }
        _ if is_too_long => {
            run.ints("dist")?;
            too_long(run, source, i32::MIN.into(), INFINITY.into())
        }
        _ => distances(run, source, &run.ints("dist")?, INFINITY),
    }
}

/// The report that distances do not fit the type is right.
fn too_long(run: &Run<'_>, source: VertexId, least: i64, infinity: i64) -> Result<(), Invalid> {
    let fits = |d: &Option<i128>| d.is_none_or(|d| (i128::from(least)..i128::from(infinity)).contains(&d));
    match whole(run.graph, source) {
        Ok(dist) => ensure(!dist.iter().all(fits), || {
            wrong!("all distances from {source} fit their type", source = run.graph.shown(source))
        }),
        Err(_) => Ok(()),
    }
}

fn real_distances(run: &Run<'_>, source: VertexId) -> Result<(), Invalid> {
    let dist = run.doubles("dist")?;
    let found = dist[source as usize];
    ensure(found == 0.0, || {
        wrong!("source {source}: distance {found} instead of 0", source = run.graph.shown(source))
    })?;
    let out = run.graph.out();
    every_vertex(run.graph, |u| {
        let from = dist[u as usize];
        ensure(!from.is_nan() && from != f64::NEG_INFINITY, || {
            wrong!("vertex {u}: distance {from}", u = run.graph.shown(u))
        })?;
        if from == f64::INFINITY {
            return Ok(());
        }
        for (&v, edge) in out.neighbours(u).iter().zip(out.range(u)) {
            let weight = real_weight(out.weights(), edge);
            let to = dist[v as usize];
            // The same sum as in the program, rounded in the same way: no tolerance is needed.
            ensure(to <= from + weight, || {
                let length = from + weight;
                wrong!(
                    "vertex {v}: distance {to}, but {length} by the edge of weight {weight} from {u} at distance {from}",
                    v = run.graph.shown(v),
                    u = run.graph.shown(u)
                )
            })?;
        }
        Ok(())
    })?;
    let tight =
        |u: VertexId, v: VertexId, edge: usize| dist[u as usize] + real_weight(out.weights(), edge) == dist[v as usize];
    let reached = reach(run.graph, source, tight);
    every_vertex(run.graph, |v| {
        let d = dist[v as usize];
        let good = d == f64::INFINITY || reached[v as usize];
        ensure(good, || wrong!("vertex {v}: distance {d}, but no path has that length", v = run.graph.shown(v)))
    })
}

/// Told when there are no distances: because of a negative cycle, or because they do not fit the type.
pub(crate) fn no_distances(run: &Run<'_>) -> Option<Remark> {
    let source = run.vertex_arg(2).ok()?;
    let is_set = |name| run.integer(name).is_ok_and(|value| value != 0);
    if is_set("negative_cycle") || is_set("too_long") {
        let cycle = cycle_in_words(run.graph, source);
        let source = run.graph.shown(source);
        if let Some(cycle) = cycle {
            return Some(Remark::NoResult(format!("there are no shortest paths from {source}: {cycle}")));
        }
        let why = match is_set("negative_cycle") {
            true => "the program reports a negative cycle",
            false => match run.results.vector("dist") {
                Some(Values::Double(_)) => "a length is beyond the greatest real of 64 bits",
                Some(Values::Int64(_)) => {
                    "a length does not fit the type int_64; `sssp-real` has distances of type double"
                }
                _ => {
                    "a length is beyond 2147483646 and does not fit the type int; `sssp-real` has distances of type \
                     double"
                }
            },
        };
        return Some(Remark::NoResult(format!("there are no distances from {source}: {why}")));
    }
    None
}

/// The report of a negative cycle is right.
fn reported<N>(graph: &Graph, found: Result<Vec<Option<N>>, Vec<VertexId>>, source: VertexId) -> Result<(), Invalid> {
    ensure(found.is_err(), || {
        wrong!("a negative cycle is reported, but none can be reached from {source}", source = graph.shown(source))
    })
}

pub(crate) fn sssp_delta(run: &Run<'_>) -> Result<(), Invalid> {
    either_too_long_or_right(run, run.vertex_arg(2)?)
}

fn distances<D: Copy + Into<i128> + PartialEq + Display + Sync>(
    run: &Run<'_>,
    source: VertexId,
    dist: &[D],
    infinity: D,
) -> Result<(), Invalid> {
    let out = run.graph.out();
    let found = dist[source as usize];
    ensure(found.into() == 0, || {
        wrong!("source {source}: distance {found} instead of 0", source = run.graph.shown(source))
    })?;
    every_vertex(run.graph, |u| {
        let from = dist[u as usize];
        if from == infinity {
            return Ok(());
        }
        for (&v, edge) in out.neighbours(u).iter().zip(out.range(u)) {
            let weight = int_weight(out.weights(), edge);
            let (length, to) = (from.into() + i128::from(weight), dist[v as usize]);
            // A length that does not fit is no excuse: the vertex can be reached.
            if to != infinity && to.into() <= length {
                continue;
            }
            return Err(if to == infinity {
                wrong!(
                    "vertex {v}: out of reach, though there is an edge of weight {weight} from {u} at distance {from}",
                    v = run.graph.shown(v),
                    u = run.graph.shown(u)
                )
            } else {
                wrong!(
                    "vertex {v}: distance {to}, but {length} by the edge of weight {weight} from {u} at distance {from}",
                    v = run.graph.shown(v),
                    u = run.graph.shown(u)
                )
            });
        }
        Ok(())
    })?;

    let tight = |u: VertexId, v: VertexId, edge: usize| {
        dist[u as usize].into() + i128::from(int_weight(out.weights(), edge)) == dist[v as usize].into()
    };
    let reached = reach(run.graph, source, tight);
    every_vertex(run.graph, |v| {
        let d = dist[v as usize];
        ensure(d == infinity || reached[v as usize], || {
            wrong!("vertex {v}: distance {d}, but no path has that length", v = run.graph.shown(v))
        })
    })
}

/// Vertices that edges of a kind reach from the source.
fn reach(graph: &Graph, source: VertexId, edge_counts: impl Fn(VertexId, VertexId, usize) -> bool) -> Vec<bool> {
    let out = graph.out();
    let mut reached = vec![false; graph.vertices()];
    reached[source as usize] = true;
    let mut stack = vec![source];
    while let Some(u) = stack.pop() {
        for (&v, edge) in out.neighbours(u).iter().zip(out.range(u)) {
            if !reached[v as usize] && edge_counts(u, v, edge) {
                reached[v as usize] = true;
                stack.push(v);
            }
        }
    }
    reached
}

/// Distances with whole weights, or a negative cycle.
fn whole(graph: &Graph, source: VertexId) -> Result<Vec<Option<i128>>, Vec<VertexId>> {
    bellman_ford(graph, source, 0, |edge| int_weight(graph.out().weights(), edge).into())
}

/// Distances with real weights, or a negative cycle.
fn real(graph: &Graph, source: VertexId) -> Result<Vec<Option<f64>>, Vec<VertexId>> {
    bellman_ford(graph, source, 0.0, |edge| real_weight(graph.out().weights(), edge))
}

/// `the cycle 1 -> 2 -> 1 has the length -2`, for a negative cycle that can be reached from the source.
fn cycle_in_words(graph: &Graph, source: VertexId) -> Option<String> {
    let out = graph.out();
    let is_real = out.weight_kind().is_real();
    let mut cycle = if is_real { real(graph, source).err()? } else { whole(graph, source).err()? };
    cycle.push(*cycle.first()?);
    let edge = |u: VertexId, v: VertexId| out.neighbours(u).binary_search(&v).ok().map(|at| out.range(u).start + at);
    let length: f64 =
        cycle.windows(2).filter_map(|pair| edge(pair[0], pair[1])).map(|e| real_weight(out.weights(), e)).sum();
    let shown = |part: &[VertexId]| part.iter().map(|&v| graph.shown(v).to_string()).collect::<Vec<_>>();
    let names = match cycle.len() {
        0..=12 => shown(&cycle),
        n => {
            let dots = format!("... ({} more) ...", n - 10);
            [shown(&cycle[..6]), vec![dots], shown(&cycle[n - 4..])].concat()
        }
    };
    Some(format!("the cycle {} has the length {length}", names.join(" -> ")))
}

/// Bellman-Ford that looks for a cycle among its predecessors after every round, and returns it in the order of its
/// edges.
fn bellman_ford<N: Copy + PartialOrd + Add<Output = N>>(
    graph: &Graph,
    source: VertexId,
    zero: N,
    weight: impl Fn(usize) -> N,
) -> Result<Vec<Option<N>>, Vec<VertexId>> {
    let out = graph.out();
    let mut dist: Vec<Option<N>> = vec![None; graph.vertices()];
    let mut before = vec![VertexId::MAX; graph.vertices()];
    dist[source as usize] = Some(zero);
    let mut active = vec![source];
    while !active.is_empty() {
        let mut next = Vec::new();
        for &u in &active {
            let Some(from) = dist[u as usize] else { continue };
            for (&v, edge) in out.neighbours(u).iter().zip(out.range(u)) {
                let length = from + weight(edge);
                if dist[v as usize].is_none_or(|known| length < known) {
                    dist[v as usize] = Some(length);
                    before[v as usize] = u;
                    next.push(v);
                }
            }
        }
        if let Some(cycle) = cycle(&before) {
            return Err(cycle);
        }
        next.sort_unstable();
        next.dedup();
        active = next;
    }
    Ok(dist)
}

/// A cycle that following predecessors runs into, in forward order.
fn cycle(before: &[VertexId]) -> Option<Vec<VertexId>> {
    let mut walk = vec![0u32; before.len()];
    for start in 0..before.len() {
        let mark = start as u32 + 1;
        let mut v = start;
        while walk[v] == 0 {
            walk[v] = mark;
            match before[v] {
                VertexId::MAX => break,
                previous => v = previous as usize,
            }
            if walk[v] == mark {
                let mut cycle = vec![v as VertexId];
                let mut u = before[v];
                while u as usize != v {
                    cycle.push(u);
                    u = before[u as usize];
                }
                cycle.reverse();
                return Some(cycle);
            }
        }
    }
    None
}
