//! Slow, plain solutions of every standard problem, written from the definitions, to feed the validators with.

use gw_graph::Graph;
use gw_programs::ResultMap;

use crate::plain::{Counted, counted};

pub const INFINITY: i32 = i32::MAX;

/// All edges with their weights, 1 where there are none.
pub fn edges(graph: &Graph) -> Vec<(usize, usize, i32)> {
    let out = graph.out();
    let weight = |e: usize| out.weights().real(e).map_or(1, |weight| weight as i32);
    let list =
        |u: u32| out.neighbours(u).iter().zip(out.range(u)).map(move |(&v, e)| (u as usize, v as usize, weight(e)));
    (0..graph.vertices() as u32).flat_map(list).collect()
}

/// All edges with their weights as reals, 1 where there are none.
fn real_edges(graph: &Graph) -> Vec<(usize, usize, f64)> {
    let out = graph.out();
    let weight = |e: usize| out.weights().real(e).unwrap_or(1.0);
    let list =
        |u: u32| out.neighbours(u).iter().zip(out.range(u)).map(move |(&v, e)| (u as usize, v as usize, weight(e)));
    (0..graph.vertices() as u32).flat_map(list).collect()
}

/// A right result of a program. `args` are `argv[1..]`.
pub fn solve(program: &str, graph: &Graph, args: &[String]) -> ResultMap {
    let n = graph.vertices();
    let arg = |i: usize| args[i - 1].parse::<usize>().unwrap();
    let real = |i: usize| args[i - 1].parse::<f64>().unwrap();
    let results = ResultMap::new();
    match program {
        "bfs" => {
            let level = hops(graph, arg(2));
            let mut parent = vec![-1; n];
            parent[arg(2)] = arg(2) as i32;
            for (u, v, _) in edges(graph) {
                if level[u] >= 0 && level[v] == level[u] + 1 {
                    parent[v] = u as i32;
                }
            }
            results.with_vector("parent", parent)
        }
        "bfs-levels" => {
            let level = hops(graph, arg(2));
            let depth = *level.iter().max().unwrap();
            results.with_vector("level", level).with_scalar("depth", depth)
        }
        "sssp" | "sssp-delta" if !graph.weight_kind().is_real() => {
            let dist = distances(graph, arg(2));
            let results = results.with_scalar("negative_cycle", dist.is_none()).with_scalar("too_long", false);
            results.with_vector("dist", dist.unwrap_or_else(|| vec![0; n]))
        }
        "sssp" | "sssp-delta" | "sssp-real" => {
            let dist = real_distances(graph, arg(2));
            let results = results.with_scalar("negative_cycle", dist.is_none()).with_scalar("too_long", false);
            results.with_vector("dist", dist.unwrap_or_else(|| vec![0.0; n]))
        }
        "ppsp" | "astar" => {
            let dist = distances(graph, arg(2)).unwrap();
            let distance = dist[arg(3)];
            let results = results.with_vector("dist", dist).with_scalar("distance", distance);
            results.with_vector("bound", vec![0; n]).with_scalar("too_long", false)
        }
        "pagerank" | "pagerank-div" | "pagerank-weighted" => {
            let (rank, rounds, change) = ranks(&counted(program, graph), real(4), arg(2), real(3));
            let results = results.with_scalar("rounds", rounds).with_scalar("change", change);
            match program {
                "pagerank-weighted" => results.with_vector("rank", rank),
                _ => results.with_vector("rank", rank.into_iter().map(|r| r as f32).collect::<Vec<f32>>()),
            }
        }
        "pagerank-delta" | "pagerank-gs" => {
            let rank: Vec<f32> =
                ranks(&counted(program, graph), real(3), 200, 0.0).0.into_iter().map(|r| r as f32).collect();
            results.with_vector("rank", rank).with_scalar("rounds", 100).with_scalar("change", 0.0)
        }
        "cc" | "cc-fast" => {
            let mut label: Vec<i32> = (0..n as i32).collect();
            relax(graph, &mut label, |l, _| l);
            results.with_vector("label", label)
        }
        "bc" => betweenness(graph, arg(2), results),
        "closeness" => results.with_vector("closeness", closeness(graph, arg(2).min(n))),
        "eigenvector" | "eigenvector-weighted" => eigenvector(&counted(program, graph), arg(2), real(3), results),
        "tc" => {
            let has = |u: usize, v: usize| graph.out().neighbours(u as u32).contains(&(v as u32));
            let corners =
                |(u, v, _): (usize, usize, i32)| (v + 1..n).filter(|&w| u < v && has(u, w) && has(v, w)).count();
            let triangles: usize = edges(graph).into_iter().map(corners).sum();
            results.with_scalar("triangles", triangles as u64)
        }
        "kcore" | "kcore-unordered" => results.with_vector("core", cores(graph)),
        "cf" => factors(graph, arg(2), results),
        "mis" => {
            let mut state = vec![0; n];
            for v in 0..n {
                let near_member = graph.out().neighbours(v as u32).iter().any(|&u| state[u as usize] == 1);
                state[v] = if near_member { 2 } else { 1 };
            }
            results.with_vector("state", state)
        }
        "setcover" => cover(graph, results),
        "coloring" => {
            let mut color = vec![-1; n];
            for v in 0..n {
                let used: Vec<i32> = graph.out().neighbours(v as u32).iter().map(|&u| color[u as usize]).collect();
                color[v] = (0..).find(|c| !used.contains(c)).unwrap();
            }
            results.with_vector("color", color)
        }
        "spmv" => {
            let x: Vec<f64> = (0..n).map(|v| 1.0 / (1 + v % 16) as f64).collect();
            let mut y = vec![0.0; n];
            real_edges(graph).into_iter().for_each(|(u, v, w)| y[u] += w * x[v]);
            results.with_vector("x", x).with_vector("y", y)
        }
        other => crate::plain::solve(other, graph, args),
    }
}

/// Lowers values along edges until nothing changes; false if that never ends.
fn relax(graph: &Graph, values: &mut [i32], through: impl Fn(i32, i32) -> i32) -> bool {
    for _ in 0..=graph.vertices() {
        let mut changed = false;
        for (u, v, w) in edges(graph) {
            if values[u] != INFINITY && through(values[u], w) < values[v] {
                values[v] = through(values[u], w);
                changed = true;
            }
        }
        if !changed {
            return true;
        }
    }
    false
}

pub fn distances(graph: &Graph, source: usize) -> Option<Vec<i32>> {
    let mut dist = vec![INFINITY; graph.vertices()];
    dist[source] = 0;
    relax(graph, &mut dist, |d, w| d + w).then_some(dist)
}

pub fn hops(graph: &Graph, source: usize) -> Vec<i32> {
    let mut level = vec![INFINITY; graph.vertices()];
    level[source] = 0;
    relax(graph, &mut level, |l, _| l + 1);
    level.into_iter().map(|l| if l == INFINITY { -1 } else { l }).collect()
}

/// Ranks after as many rounds as it takes to change them by less than the tolerance, but not more than the limit; the
/// number of rounds and the last change.
pub fn ranks(graph: &Counted, damping: f64, limit: usize, tolerance: f64) -> (Vec<f64>, i32, f64) {
    let n = graph.vertices;
    let leaving: Vec<f64> = (0..n).map(|v| graph.leaving(v)).collect();
    let (mut rank, mut rounds, mut change) = (vec![1.0 / n as f64; n], 0, 1.0);
    while rounds < limit as i32 && change >= tolerance {
        let dangling: f64 = (0..n).filter(|&v| leaving[v] == 0.0).map(|v| rank[v]).sum();
        let mut next = vec![(1.0 - damping + damping * dangling) / n as f64; n];
        for &(u, v, share) in graph.edges.iter().filter(|edge| edge.2 > 0.0) {
            next[v] += damping * rank[u] * share / leaving[u];
        }
        change = next.iter().zip(&rank).map(|(a, b)| (a - b).abs()).sum();
        rank = next;
        rounds += 1;
    }
    (rank, rounds, change)
}

/// Distances along edges with real weights, as Bellman and Ford have it; `None` if they fall for ever.
fn real_distances(graph: &Graph, source: usize) -> Option<Vec<f64>> {
    let mut dist = vec![f64::INFINITY; graph.vertices()];
    dist[source] = 0.0;
    for _ in 0..=graph.vertices() {
        let before = dist.clone();
        for (u, v, w) in real_edges(graph) {
            dist[v] = dist[v].min(dist[u] + w);
        }
        if dist == before {
            return Some(dist);
        }
    }
    None
}

/// Number of shortest paths between two vertices, by the number of walks of that many hops.
fn count_paths(graph: &Graph, source: usize, level: &[i32]) -> Vec<f64> {
    let mut walks = vec![0.0; graph.vertices()];
    walks[source] = 1.0;
    let mut paths = walks.clone();
    for length in 1..=level.iter().copied().max().unwrap_or(0) {
        let mut next = vec![0.0; graph.vertices()];
        edges(graph).into_iter().for_each(|(u, v, _)| next[v] += walks[u]);
        (0..next.len()).filter(|&v| level[v] == length).for_each(|v| paths[v] = next[v]);
        walks = next;
    }
    paths
}

fn betweenness(graph: &Graph, source: usize, results: ResultMap) -> ResultMap {
    let level = hops(graph, source);
    let paths = count_paths(graph, source, &level);
    let results = results.with_vector("dependency", dependencies(graph, source));
    results.with_vector("level", level).with_vector("paths", paths)
}

/// The part of the shortest paths from a source that pass through each vertex, over all targets.
pub fn dependencies(graph: &Graph, source: usize) -> Vec<f64> {
    let n = graph.vertices();
    let level = hops(graph, source);
    let paths = count_paths(graph, source, &level);
    let mut dependency = vec![0.0; n];
    for v in (0..n).filter(|&v| v != source && level[v] > 0) {
        let onward = hops(graph, v);
        let from_v = count_paths(graph, v, &onward);
        for t in (0..n).filter(|&t| t != v && onward[t] > 0 && level[t] == level[v] + onward[t]) {
            dependency[v] += paths[v] * from_v[t] / paths[t];
        }
    }
    dependency
}

fn closeness(graph: &Graph, pivots: usize) -> Vec<f64> {
    let n = graph.vertices();
    let from: Vec<(usize, Vec<i32>)> = (0..pivots).map(|i| i * n / pivots).map(|p| (p, hops(graph, p))).collect();
    let value = |v: usize| {
        let others: Vec<i32> = from.iter().filter(|(p, _)| *p != v).map(|(_, level)| level[v]).collect();
        let reached: Vec<i32> = others.iter().copied().filter(|&l| l > 0).collect();
        match reached.len() as f64 {
            0.0 => 0.0,
            c => c / f64::from(reached.iter().sum::<i32>()) * c / others.len() as f64,
        }
    };
    (0..n).map(value).collect()
}

fn eigenvector(graph: &Counted, rounds: usize, tolerance: f64, results: ResultMap) -> ResultMap {
    let n = graph.vertices;
    let mut x = vec![1.0 / (n as f64).sqrt(); n];
    let (mut length, mut change) = (1.0f64, 1.0f64);
    for _ in 0..rounds {
        if change < tolerance {
            break;
        }
        let mut next = x.clone();
        graph.edges.iter().for_each(|&(u, v, share)| next[v] += share * x[u]);
        length = next.iter().map(|c| c * c).sum::<f64>().sqrt();
        next.iter_mut().for_each(|c| *c /= length);
        change = next.iter().zip(&x).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
        x = next;
    }
    results.with_vector("centrality", x).with_scalar("lambda", length - 1.0).with_scalar("change", change)
}

fn cores(graph: &Graph) -> Vec<i32> {
    let n = graph.vertices();
    let mut core = vec![0; n];
    for k in 1.. {
        let mut inside = vec![true; n];
        loop {
            let degree = |v: usize| graph.out().neighbours(v as u32).iter().filter(|&&u| inside[u as usize]).count();
            let leaving: Vec<usize> = (0..n).filter(|&v| inside[v] && degree(v) < k).collect();
            if leaving.is_empty() {
                break;
            }
            leaving.into_iter().for_each(|v| inside[v] = false);
        }
        if !inside.contains(&true) {
            break;
        }
        (0..n).filter(|&v| inside[v]).for_each(|v| core[v] = k as i32);
    }
    core
}

fn factors(graph: &Graph, rounds: usize, results: ResultMap) -> ResultMap {
    let n = graph.vertices();
    let edges = edges(graph);
    let scale = f64::from(edges.iter().map(|e| e.2).max().unwrap_or(1).max(1));
    let hash = |i: usize| (i as u32).wrapping_mul(2_654_435_769) / 65536;
    let mut x: Vec<f32> = (0..8 * n).map(|i| (0.2 + f64::from(hash(i)) / 655_360.0) as f32).collect();
    let miss = |x: &[f32], u: usize, v: usize, w: i32| {
        f64::from(w) / scale - (0..8).map(|j| f64::from(x[8 * u + j]) * f64::from(x[8 * v + j])).sum::<f64>()
    };
    let rmse = |x: &[f32]| {
        let total: f64 = edges.iter().map(|&(u, v, w)| miss(x, u, v, w).powi(2)).sum();
        (total / edges.len().max(1) as f64).sqrt()
    };
    let before = rmse(&x);
    for _ in 0..rounds {
        let mut gradient = vec![0.0f32; 8 * n];
        for &(u, v, w) in &edges {
            let miss = miss(&x, u, v, w) as f32;
            (0..8).for_each(|j| gradient[8 * v + j] += miss * x[8 * u + j]);
        }
        for (i, entry) in x.iter_mut().enumerate() {
            let degree = graph.out().degree((i / 8) as u32).max(1) as f32;
            *entry += 0.2 * (gradient[i] / degree - 0.001 * *entry);
        }
    }
    let after = rmse(&x);
    results
        .with_vector("latent", x)
        .with_scalar("scale", scale)
        .with_scalar("rmse_before", before)
        .with_scalar("rmse", after)
}

fn cover(graph: &Graph, results: ResultMap) -> ResultMap {
    let n = graph.vertices();
    let (mut chosen, mut covered) = (vec![false; n], vec![false; n]);
    loop {
        let gain = |v: usize| graph.out().neighbours(v as u32).iter().filter(|&&u| !covered[u as usize]).count();
        let Some(best) = (0..n).max_by_key(|&v| gain(v)).filter(|&v| gain(v) > 0) else {
            break;
        };
        chosen[best] = true;
        graph.out().neighbours(best as u32).iter().for_each(|&u| covered[u as usize] = true);
    }
    results.with_vector("chosen", chosen).with_vector("covered", covered)
}
