//! Shortest paths: distances are right exactly if no edge can shorten one and tight edges reach every finite one.
//!
//! The first makes each distance at most the true one, the second makes it the length of a real path. Both are linear
//! and hold for negative weights too. Tightness of single edges would not do: a cycle of weight 0 out of reach supports
//! itself.

use gw_graph::{Graph, VertexId};

use super::{Invalid, Run, ensure, every_vertex, int_weight, wrong};

/// The distance that stands for "out of reach".
pub(crate) const INFINITY: i32 = i32::MAX;

pub(crate) fn sssp(run: &Run<'_>) -> Result<(), Invalid> {
    let source = run.vertex_arg(2)?;
    if run.integer("negative_cycle")? != 0 {
        run.ints("dist")?;
        return ensure(reaches_negative_cycle(run.graph, source), || {
            wrong!("a negative cycle is reported, but none can be reached from {source}")
        });
    }
    distances(run, source)
}

pub(crate) fn sssp_delta(run: &Run<'_>) -> Result<(), Invalid> {
    distances(run, run.vertex_arg(2)?)
}

fn distances(run: &Run<'_>, source: VertexId) -> Result<(), Invalid> {
    let dist = run.ints("dist")?;
    let out = run.graph.out();
    let found = dist[source as usize];
    ensure(found == 0, || wrong!("source {source}: distance {found} instead of 0"))?;
    every_vertex(run.graph, |u| {
        let from = dist[u as usize];
        if from == INFINITY {
            return Ok(());
        }
        for (&v, edge) in out.neighbours(u).iter().zip(out.range(u)) {
            let weight = int_weight(out.weights(), edge);
            let (length, to) = (i64::from(from) + weight, dist[v as usize]);
            if i64::from(to) <= length {
                continue;
            }
            return Err(if to == INFINITY {
                wrong!(
                    "vertex {v}: out of reach, though there is an edge of weight {weight} from {u} at distance {from}"
                )
            } else {
                wrong!(
                    "vertex {v}: distance {to}, but {length} by the edge of weight {weight} from {u} at distance {from}"
                )
            });
        }
        Ok(())
    })?;

    let reached = tight_reach(run.graph, &dist, source);
    every_vertex(run.graph, |v| {
        let d = dist[v as usize];
        ensure(d == INFINITY || reached[v as usize], || wrong!("vertex {v}: distance {d}, but no path has that length"))
    })
}

/// Vertices that edges with `dist[u] + w == dist[v]` reach from the source.
fn tight_reach(graph: &Graph, dist: &[i32], source: VertexId) -> Vec<bool> {
    let out = graph.out();
    let mut reached = vec![false; graph.vertices()];
    reached[source as usize] = true;
    let mut stack = vec![source];
    while let Some(u) = stack.pop() {
        for (&v, edge) in out.neighbours(u).iter().zip(out.range(u)) {
            let length = i64::from(dist[u as usize]) + int_weight(out.weights(), edge);
            if !reached[v as usize] && length == i64::from(dist[v as usize]) {
                reached[v as usize] = true;
                stack.push(v);
            }
        }
    }
    reached
}

/// Bellman-Ford that looks for a cycle among its predecessors after every round.
fn reaches_negative_cycle(graph: &Graph, source: VertexId) -> bool {
    let out = graph.out();
    let mut dist = vec![i64::MAX; graph.vertices()];
    let mut before = vec![VertexId::MAX; graph.vertices()];
    dist[source as usize] = 0;
    let mut active = vec![source];
    while !active.is_empty() {
        let mut next = Vec::new();
        for &u in &active {
            for (&v, edge) in out.neighbours(u).iter().zip(out.range(u)) {
                let length = dist[u as usize] + int_weight(out.weights(), edge);
                if length < dist[v as usize] {
                    dist[v as usize] = length;
                    before[v as usize] = u;
                    next.push(v);
                }
            }
        }
        if has_cycle(&before) {
            return true;
        }
        next.sort_unstable();
        next.dedup();
        active = next;
    }
    false
}

/// Whether following predecessors ever comes round.
fn has_cycle(before: &[VertexId]) -> bool {
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
                return true;
            }
        }
    }
    false
}
