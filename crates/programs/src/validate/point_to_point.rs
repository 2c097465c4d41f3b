//! Paths between two vertices: Dijkstra with a binary heap gives the length, up to the target only.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use gw_graph::{Graph, VertexId};

use super::sssp::INFINITY;
use super::{Invalid, Run, ensure, every_vertex, int_weight, wrong};

pub(crate) fn ppsp(run: &Run<'_>) -> Result<(), Invalid> {
    let (source, target) = (run.vertex_arg(2)?, run.vertex_arg(3)?);
    let dist = run.ints("dist")?;
    let found = run.integer("distance")?;
    let at_target = dist[target as usize];
    ensure(found == i128::from(at_target), || {
        wrong!("distance is {found}, but the vector says {at_target} at the target {target}")
    })?;
    match dijkstra(run.graph, source, target)? {
        None => ensure(at_target == INFINITY, || wrong!("target {target}: distance {found}, but no path leads there")),
        Some(length) if length >= INFINITY as u64 => {
            Err(wrong!("target {target}: its distance {length} does not fit the type int"))
        }
        Some(length) => ensure(found == i128::from(length), || {
            wrong!("target {target}: distance {found} instead of {length} from {source}")
        }),
    }
}

pub(crate) fn astar(run: &Run<'_>) -> Result<(), Invalid> {
    ppsp(run)?;
    // Bounds that start from 0 at the target and fall by at most its weight along each edge are never too great.
    let bound = run.ints("bound")?;
    let target = run.vertex_arg(3)?;
    let at_target = bound[target as usize];
    ensure(at_target == 0, || wrong!("target {target}: bound {at_target} instead of 0"))?;
    let out = run.graph.out();
    every_vertex(run.graph, |u| {
        for (&v, edge) in out.neighbours(u).iter().zip(out.range(u)) {
            let weight = int_weight(out.weights(), edge);
            let (from, to) = (bound[u as usize], bound[v as usize]);
            ensure(i64::from(from) <= weight + i64::from(to), || {
                wrong!("vertex {u}: bound {from}, but {v} behind an edge of weight {weight} has bound {to}")
            })?;
        }
        Ok(())
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
                problem: format!("the edge from {u} to {v} has a negative weight"),
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
