//! Slow, plain solutions of problems on networks of lengths and capacities: betweenness over all pairs of vertices, and
//! flow by one path after the other.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use gw_graph::Graph;
use gw_programs::{Number, ResultMap, Results, Values};

use crate::oracle::{INFINITY, distances, edges, hops};

/// A right result of a program. `args` are `argv[1..]`.
pub fn solve(program: &str, graph: &Graph, args: &[String]) -> ResultMap {
    let arg = |i: usize| args[i - 1].parse::<usize>().unwrap();
    let results = ResultMap::new();
    match program {
        "bc-edges" => {
            let all: Vec<_> = edges(graph).into_iter().map(|(u, v, _)| (u, v, 1)).collect();
            let far = |l: i32| if l < 0 { INFINITY } else { l };
            let from = |v: usize| hops(graph, v).into_iter().map(far).collect();
            results.with_vector("centrality", between(graph, &all, from, arg(2)).1)
        }
        "bc-weighted" => {
            let from = |v: usize| distances(graph, v).unwrap();
            let (vertices, on_edges) = between(graph, &edges(graph), from, arg(2));
            let results = results.with_scalar("too_long", false).with_scalar("too_short", false);
            results.with_vector("centrality", vertices).with_vector("edge_centrality", on_edges)
        }
        "maxflow" => {
            let (value, flow, side) = augmented(graph, arg(2), arg(3));
            let results = results.with_vector("flow", flow).with_vector("source_side", side);
            results.with_scalar("value", Number::Integer(value.into())).with_scalar("too_long", false)
        }
        "k-shortest-paths" => {
            let paths = several(graph, arg(2), arg(3), arg(4));
            let begin = (0..paths.len()).map(|at| paths[..at].iter().map(|path| path.1.len() as i32).sum::<i32>());
            results
                .with_scalar("found", paths.len() as i32)
                .with_scalar("too_long", false)
                .with_vector("begin", begin.collect::<Vec<i32>>())
                .with_vector("length", paths.iter().map(|path| path.0).collect::<Vec<i32>>())
                .with_vector("path", paths.into_iter().flat_map(|path| path.1).collect::<Vec<i32>>())
        }
        other => panic!("no oracle for {other}"),
    }
}

/// The first paths without repeats by length, number of edges and vertices: beginnings of paths are continued in the
/// order of the least length and number of edges that they can come to.
fn several(graph: &Graph, source: usize, target: usize, count: usize) -> Vec<(i32, Vec<i32>)> {
    let edges = edges(graph);
    let mut rest: Vec<Option<(i32, i32)>> = vec![None; graph.vertices()];
    rest[target] = Some((0, 0));
    let mut changed = true;
    while changed {
        changed = false;
        for &(u, v, w) in &edges {
            let through = rest[v].map(|(length, hops)| (length + w, hops + 1));
            if through.is_some() && (rest[u].is_none() || through < rest[u]) {
                (rest[u], changed) = (through, true);
            }
        }
    }
    let whole = |(length, hops): (i32, i32), v: usize| rest[v].map(|(a, b)| (length + a, hops + b));
    let first = whole((0, 0), source).map(|bound| Reverse((bound, vec![source as i32], (0, 0))));
    let mut open: BinaryHeap<_> = first.into_iter().collect();
    let mut found = Vec::new();
    while let Some(Reverse((_, path, (length, hops)))) = open.pop().filter(|_| found.len() < count) {
        let end = path[path.len() - 1];
        if end as usize == target {
            found.push((length, path));
            continue;
        }
        for &(_, v, w) in edges.iter().filter(|edge| edge.0 == end as usize && !path.contains(&(edge.1 as i32))) {
            if let Some(bound) = whole((length + w, hops + 1), v) {
                let longer = path.iter().copied().chain([v as i32]).collect();
                open.push(Reverse((bound, longer, (length + w, hops + 1))));
            }
        }
    }
    found
}

/// For every vertex and every edge, the part of the shortest paths between all pairs that go there.
fn between(
    graph: &Graph,
    all: &[(usize, usize, i32)],
    from: impl Fn(usize) -> Vec<i32>,
    sources: usize,
) -> (Vec<f64>, Vec<f64>) {
    let n = graph.vertices();
    let dist: Vec<Vec<i32>> = (0..n).map(from).collect();
    let paths: Vec<Vec<f64>> = dist.iter().enumerate().map(|(s, dist)| count(all, s, dist)).collect();
    let (mut vertices, mut on_edges) = (vec![0.0; n], vec![0.0; all.len()]);
    let sources = sources.min(n);
    let factor = n as f64 / sources as f64;
    for s in (0..sources).map(|i| i * n / sources) {
        for t in (0..n).filter(|&t| t != s && dist[s][t] != INFINITY) {
            let near = |v: usize| dist[s][v] != INFINITY && dist[v][t] != INFINITY;
            for v in (0..n).filter(|&v| v != s && v != t && near(v) && dist[s][v] + dist[v][t] == dist[s][t]) {
                vertices[v] += factor * paths[s][v] * paths[v][t] / paths[s][t];
            }
            for (e, &(u, v, w)) in all.iter().enumerate() {
                if near(u) && near(v) && dist[s][u] + w + dist[v][t] == dist[s][t] {
                    on_edges[e] += factor * paths[s][u] * paths[v][t] / paths[s][t];
                }
            }
        }
    }
    (vertices, on_edges)
}

/// Number of shortest paths from s: those to vertices farther away are sums of those before.
fn count(all: &[(usize, usize, i32)], s: usize, dist: &[i32]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..dist.len()).filter(|&v| dist[v] != INFINITY).collect();
    order.sort_by_key(|&v| dist[v]);
    let mut paths = vec![0.0; dist.len()];
    paths[s] = 1.0;
    for v in order.into_iter().filter(|&v| v != s) {
        let tight = all.iter().filter(|e| e.1 == v && dist[e.0] != INFINITY && dist[e.0] + e.2 == dist[v]);
        paths[v] = tight.map(|e| paths[e.0]).sum();
    }
    paths
}

/// Paths with room are filled as long as there is one: the value, the flow, and what can be reached at the end.
fn augmented(graph: &Graph, source: usize, sink: usize) -> (i64, Vec<i32>, Vec<bool>) {
    let (all, n) = (edges(graph), graph.vertices());
    let (mut value, mut flow) = (0, vec![0; all.len()]);
    loop {
        // The edge by which a vertex was reached, and whether along it or against.
        let (mut by, mut reached) = (vec![None; n], vec![false; n]);
        reached[source] = source != sink;
        let mut grows = reached[source];
        while grows {
            grows = false;
            for (e, &(u, v, w)) in all.iter().enumerate() {
                for (from, to, room, along) in [(u, v, w - flow[e], true), (v, u, flow[e], false)] {
                    if reached[from] && !reached[to] && room > 0 {
                        (reached[to], by[to], grows) = (true, Some((e, from, room, along)), true);
                    }
                }
            }
        }
        if source == sink || !reached[sink] {
            return (value, flow, reached);
        }
        let way = |from: usize| std::iter::successors(by[from], |step| by[step.1]);
        let room = way(sink).map(|step| step.2).min().unwrap();
        for (e, _, _, along) in way(sink) {
            flow[e] += if along { room } else { -room };
        }
        value += i64::from(room);
    }
}

/// Whether a flow is one, has the greatest value, and the cut its capacity.
pub fn is_greatest_flow(graph: &Graph, found: &ResultMap, (source, sink): (usize, usize), greatest: i64) -> bool {
    let (Some(Values::Int(flow)), Some(Values::Bool(side))) = (found.vector("flow"), found.vector("source_side"))
    else {
        return false;
    };
    let all = edges(graph);
    let sum = |wanted: &dyn Fn(usize, usize) -> bool, of: &dyn Fn(usize) -> i32| -> i64 {
        let chosen = (0..all.len()).filter(|&e| wanted(all[e].0, all[e].1));
        chosen.map(|e| i64::from(of(e))).sum()
    };
    let leaves = |v: usize| sum(&|from, _| from == v, &|e| flow[e]) - sum(&|_, to| to == v, &|e| flow[e]);
    let right = |v: usize| greatest * (i64::from(v == source) - i64::from(v == sink));
    let cut = sum(&|from, to| side[from] && !side[to], &|e| all[e].2);
    let ends = match source == sink {
        true => !side.contains(&true) && flow.iter().all(|&flow| flow == 0),
        false => side[source] && !side[sink],
    };
    let fits = flow.iter().zip(&all).all(|(&flow, edge)| (0..=edge.2).contains(&flow));
    let told = found.scalar("value") == Some(Number::Integer(greatest.into()));
    fits && told && ends && cut == greatest && (0..graph.vertices()).all(|v| leaves(v) == right(v))
}
