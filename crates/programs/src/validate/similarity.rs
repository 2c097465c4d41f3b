//! Similarity by common neighbours, to one vertex and of the ends of every edge.

use gw_graph::VertexId;

use super::{Invalid, Run, ensure, every_vertex, wrong};

const NAMES: [&str; 3] = ["jaccard", "overlap", "cosine"];

/// What the measures of [`NAMES`] are for two vertices with these degrees and common neighbours.
fn measures(own: usize, other: usize, both: usize) -> [f64; 3] {
    let (own, other, both) = (own as f64, other as f64, both as f64);
    let divisors = [own + other - both, own.min(other), (own * other).sqrt()];
    divisors.map(|divisor| if both == 0.0 { 0.0 } else { both / divisor })
}

/// The out-neighbours of the source are marked and counted in the list of every vertex.
pub(crate) fn similarity(run: &Run<'_>) -> Result<(), Invalid> {
    let source = run.vertex_arg(2)?;
    let common = run.ints("common")?;
    let found = [run.doubles("jaccard")?, run.doubles("overlap")?, run.doubles("cosine")?];
    let out = run.graph.out();
    let mut marked = vec![false; run.graph.vertices()];
    out.neighbours(source).iter().for_each(|&u| marked[u as usize] = true);
    every_vertex(run.graph, |v| {
        let both = out.neighbours(v).iter().filter(|&&u| marked[u as usize]).count();
        let count = common[v as usize];
        ensure(i64::from(count) == both as i64, || {
            wrong!("vertex {v}: {count} common neighbours instead of {both}", v = run.graph.shown(v))
        })?;
        let right = measures(out.degree(source), out.degree(v), both);
        for ((name, right), found) in NAMES.into_iter().zip(right).zip(&found) {
            let found = found[v as usize];
            ensure((found - right).abs() <= 1e-12, || {
                wrong!("vertex {v}: {name} {found} instead of {right}", v = run.graph.shown(v))
            })?;
        }
        Ok(())
    })
}

/// The lists of both ends are merged.
pub(crate) fn similarity_edges(run: &Run<'_>) -> Result<(), Invalid> {
    let common = run.edge_ints("common")?;
    let found = [run.edge_doubles("jaccard")?, run.edge_doubles("overlap")?, run.edge_doubles("cosine")?];
    let out = run.graph.out();
    every_vertex(run.graph, |v| {
        for (edge, &u) in out.range(v).zip(out.neighbours(v)) {
            let both = common_entries(out.neighbours(v), out.neighbours(u));
            let count = common[edge];
            ensure(i64::from(count) == both as i64, || {
                wrong!(
                    "the ends of the edge from {v} to {u} have {both} common neighbours, not {count}",
                    v = run.graph.shown(v),
                    u = run.graph.shown(u)
                )
            })?;
            let right = measures(out.degree(v), out.degree(u), both);
            for ((name, right), found) in NAMES.into_iter().zip(right).zip(&found) {
                let found = found[edge];
                ensure((found - right).abs() <= 1e-12, || {
                    wrong!(
                        "the edge from {v} to {u}: {name} {found} instead of {right}",
                        v = run.graph.shown(v),
                        u = run.graph.shown(u)
                    )
                })?;
            }
        }
        Ok(())
    })
}

/// How many entries two sorted lists without repeats have in common.
fn common_entries(mut a: &[VertexId], mut b: &[VertexId]) -> usize {
    let mut count = 0;
    while let (Some(&x), Some(&y)) = (a.first(), b.first()) {
        count += usize::from(x == y);
        a = &a[usize::from(x <= y)..];
        b = &b[usize::from(y <= x)..];
    }
    count
}
