//! Betweenness of edges, and of vertices by the lengths of paths: Brandes' algorithm behind Dijkstra's, in double
//! precision, one search per thread.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use gw_graph::{Graph, VertexId};
use rayon::prelude::*;

use super::length::{At, Length, are_real};
use super::{Invalid, Run, ensure, every_vertex, wrong};
use crate::registry::Remark;

/// Every edge has the length 1.
pub(crate) fn edge_betweenness(run: &Run<'_>) -> Result<(), Invalid> {
    let found = run.edge_doubles("centrality")?;
    let right = sums::<i128>(run, |_| 1)?;
    check_edges(run.graph, &found, &right.of_edges)
}

/// Edges are as long as their weights say.
pub(crate) fn weighted_betweenness(run: &Run<'_>) -> Result<(), Invalid> {
    let least = run.graph.least_weight();
    ensure(least.is_none_or(|least| least > 0.0), || Invalid::Argument {
        index: 1,
        problem: "the graph has weights that are not greater than 0".into(),
    })?;
    let weights = run.graph.out().weights();
    let right = match are_real(run.graph) {
        true => sums(run, |edge| f64::of_edge(weights, edge))?,
        false => sums(run, |edge| i128::of_edge(weights, edge))?,
    };
    let is_set = |name| run.integer(name).map(|value| value != 0);
    let (too_long, too_short) = (is_set("too_long")?, is_set("too_short")?);
    ensure(!too_long || right.are_beyond, || wrong!("too_long is set, but all lengths fit their type"))?;
    ensure(!too_short || right.are_lost, || wrong!("too_short is set, but every edge makes paths longer"))?;
    if too_long || too_short {
        return Ok(());
    }
    ensure(!right.are_beyond, || wrong!("a length does not fit its type, but too_long is not set"))?;
    ensure(!right.are_lost, || wrong!("an edge does not make a path longer, but too_short is not set"))?;
    let (found, on_edges) = (run.doubles("centrality")?, run.edge_doubles("edge_centrality")?);
    every_vertex(run.graph, |v| {
        let (found, right) = (found[v as usize], right.of_vertices[v as usize]);
        ensure(is_near(found, right), || {
            wrong!("vertex {v}: betweenness {found} instead of {right}", v = run.graph.shown(v))
        })
    })?;
    check_edges(run.graph, &on_edges, &right.of_edges)
}

/// Told when there are no values.
pub(crate) fn no_betweenness(run: &Run<'_>) -> Option<Remark> {
    let is_set = |name| run.integer(name).is_ok_and(|value| value != 0);
    let why = match (is_set("too_long"), are_real(run.graph)) {
        (true, true) => "a length is beyond the greatest real of 64 bits",
        (true, false) => "a length is beyond 9223372036854775806 and does not fit the type int_64",
        _ if is_set("too_short") => {
            "an edge is so short beside the path before it that the sum of their lengths is rounded to that of the path"
        }
        _ => return None,
    };
    Some(Remark::NoResult(format!("there is no betweenness: {why}; change the weights")))
}

fn is_near(found: f64, right: f64) -> bool {
    (found - right).abs() <= 1e-6 * right.abs() + 1e-9
}

fn check_edges(graph: &Graph, found: &[f64], right: &[f64]) -> Result<(), Invalid> {
    let out = graph.out();
    every_vertex(graph, |v| {
        for (edge, &u) in out.range(v).zip(out.neighbours(v)) {
            let (found, right) = (found[edge], right[edge]);
            ensure(is_near(found, right), || {
                wrong!(
                    "the edge from {v} to {u}: betweenness {found} instead of {right}",
                    v = graph.shown(v),
                    u = graph.shown(u)
                )
            })?;
        }
        Ok(())
    })
}

/// What depends on each vertex and each edge.
struct Dependencies {
    of_vertices: Vec<f64>,
    of_edges: Vec<f64>,
    /// A distance does not fit 64 bits.
    are_beyond: bool,
    /// An edge on a shortest path ends at the distance where it begins.
    are_lost: bool,
}

impl Dependencies {
    fn none(graph: &Graph) -> Self {
        let (of_vertices, of_edges) = (vec![0.0; graph.vertices()], vec![0.0; graph.edges()]);
        Dependencies { of_vertices, of_edges, are_beyond: false, are_lost: false }
    }

    fn plus(mut self, other: &Dependencies) -> Self {
        self.of_vertices.iter_mut().zip(&other.of_vertices).for_each(|(a, b)| *a += b);
        self.of_edges.iter_mut().zip(&other.of_edges).for_each(|(a, b)| *a += b);
        self.are_beyond |= other.are_beyond;
        self.are_lost |= other.are_lost;
        self
    }
}

/// Of all pairs, as the sum over the sources of the run.
fn sums<L: Length>(run: &Run<'_>, length: impl Fn(usize) -> L + Sync) -> Result<Dependencies, Invalid> {
    let (graph, vertices) = (run.graph, run.graph.vertices());
    let sources = run.count_arg(2)?.min(vertices);
    let place = |i: usize| (i as u128 * vertices as u128 / sources as u128) as VertexId;
    let zero = || Dependencies::none(graph);
    let mut all = (0..sources)
        .into_par_iter()
        .fold(zero, |sum, i| add_source(graph, place(i), &length, sum))
        .reduce(zero, |a, b| a.plus(&b));
    let factor = vertices as f64 / sources.max(1) as f64;
    all.of_vertices.iter_mut().chain(&mut all.of_edges).for_each(|value| *value *= factor);
    Ok(all)
}

/// Adds what depends on the paths from one source.
fn add_source<L: Length>(
    graph: &Graph,
    source: VertexId,
    length: &impl Fn(usize) -> L,
    mut sum: Dependencies,
) -> Dependencies {
    let out = graph.out();
    let (dist, order) = dijkstra(graph, source, length);
    let ahead = |u: VertexId| {
        let dist = &dist;
        let edges = out.range(u).zip(out.neighbours(u).iter().map(|&v| v as usize));
        edges.filter(move |&(edge, v)| dist[u as usize] + length(edge) == dist[v])
    };
    for &u in &order {
        sum.are_beyond |= dist[u as usize] > L::GREATEST;
        sum.are_beyond |= out.neighbours(u).iter().any(|&v| dist[v as usize] == L::FAR);
        sum.are_lost |= ahead(u).any(|(_, v)| dist[v] == dist[u as usize]);
    }
    let mut paths = vec![0.0; graph.vertices()];
    paths[source as usize] = 1.0;
    for &u in &order {
        ahead(u).for_each(|(_, v)| paths[v] += paths[u as usize]);
    }
    let mut dependency = vec![0.0; graph.vertices()];
    for &u in order.iter().rev() {
        for (edge, v) in ahead(u) {
            let part = paths[u as usize] / paths[v] * (1.0 + dependency[v]);
            dependency[u as usize] += part;
            sum.of_edges[edge] += part;
        }
        if u != source {
            sum.of_vertices[u as usize] += dependency[u as usize];
        }
    }
    sum
}

/// Distances, the greatest number out of reach, and the vertices in reach by rising distance.
fn dijkstra<L: Length>(graph: &Graph, source: VertexId, length: &impl Fn(usize) -> L) -> (Vec<L>, Vec<VertexId>) {
    let out = graph.out();
    let (mut dist, mut order) = (vec![L::FAR; graph.vertices()], Vec::new());
    dist[source as usize] = L::ZERO;
    let mut waiting = BinaryHeap::from([Reverse(At(L::ZERO, source))]);
    while let Some(Reverse(At(at, u))) = waiting.pop() {
        if at > dist[u as usize] {
            continue;
        }
        order.push(u);
        for (edge, &v) in out.range(u).zip(out.neighbours(u)) {
            let there = at + length(edge);
            if there < dist[v as usize] {
                dist[v as usize] = there;
                waiting.push(Reverse(At(there, v)));
            }
        }
    }
    (dist, order)
}
