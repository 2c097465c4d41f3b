//! Betweenness: Brandes' algorithm, serial, in double precision.

use gw_graph::{Graph, VertexId};
use rayon::prelude::*;

use super::{Invalid, Run, ensure, every_vertex, levels, wrong};

pub(crate) fn bc(run: &Run<'_>) -> Result<(), Invalid> {
    let source = run.vertex_arg(2)?;
    let (level, paths, dependency) = (run.ints("level")?, run.doubles("paths")?, run.doubles("dependency")?);
    let oracle = brandes(run.graph, source);
    if let Some(v) = oracle.paths.iter().position(|p| !p.is_finite()) {
        return Err(wrong!(
            "vertex {v}: more shortest paths lead there than the type double can count",
            v = run.graph.shown(v)
        ));
    }
    every_vertex(run.graph, |v| {
        let i = v as usize;
        let (found, right) = (level[i], oracle.level[i]);
        ensure(found == right, || wrong!("vertex {v}: level {found} instead of {right}", v = run.graph.shown(v)))?;
        for (what, found, right) in
            [("shortest paths", paths[i], oracle.paths[i]), ("dependency", dependency[i], oracle.dependency[i])]
        {
            let near = (found - right).abs() <= 1e-6 * right.abs() + 1e-9;
            ensure(near, || wrong!("vertex {v}: {what} {found} instead of {right}", v = run.graph.shown(v)))?;
        }
        Ok(())
    })
}

/// Of all vertices, as the sum over the sources.
pub(crate) fn betweenness(run: &Run<'_>) -> Result<(), Invalid> {
    let found = run.doubles("centrality")?;
    let vertices = run.graph.vertices();
    let sources = run.count_arg(2)?.min(vertices);
    let place = |i: usize| (i as u128 * vertices as u128 / sources as u128) as VertexId;
    let dependencies = (0..sources).into_par_iter().map(|i| brandes(run.graph, place(i)).dependency);
    let add = |mut a: Vec<f64>, b: Vec<f64>| {
        a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
        a
    };
    let zero = || vec![0.0; vertices];
    let sums = dependencies.fold(zero, add).reduce(zero, add);
    every_vertex(run.graph, |v| {
        let right = sums[v as usize] * vertices as f64 / sources.max(1) as f64;
        let found = found[v as usize];
        let near = (found - right).abs() <= 1e-6 * right.abs() + 1e-9;
        ensure(near, || wrong!("vertex {v}: betweenness {found} instead of {right}", v = run.graph.shown(v)))
    })
}

struct Brandes {
    level: Vec<i32>,
    paths: Vec<f64>,
    dependency: Vec<f64>,
}

fn brandes(graph: &Graph, source: VertexId) -> Brandes {
    let out = graph.out();
    let level = levels(out, source);
    let mut order: Vec<u32> = (0..graph.vertices() as u32).filter(|&v| level[v as usize] >= 0).collect();
    order.sort_by_key(|&v| level[v as usize]);
    let mut paths = vec![0.0; graph.vertices()];
    let mut dependency = vec![0.0; graph.vertices()];
    paths[source as usize] = 1.0;
    let below = |u: u32| {
        let level = &level;
        out.neighbours(u).iter().map(|&v| v as usize).filter(move |&v| level[v] == level[u as usize] + 1)
    };
    for &u in &order {
        for v in below(u) {
            paths[v] += paths[u as usize];
        }
    }
    for &u in order.iter().rev() {
        dependency[u as usize] = below(u).map(|v| paths[u as usize] / paths[v] * (1.0 + dependency[v])).sum();
    }
    dependency[source as usize] = 0.0;
    Brandes { level, paths, dependency }
}
