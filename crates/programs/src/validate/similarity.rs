//! Similarity to one vertex: the out-neighbours of the source are marked and counted in the list of every vertex.

use super::{Invalid, Run, ensure, every_vertex, wrong};

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
        ensure(i64::from(count) == both as i64, || wrong!("vertex {v}: {count} common neighbours instead of {both}"))?;
        let (own, other, both) = (out.degree(source) as f64, out.degree(v) as f64, both as f64);
        let divisors = [own + other - both, own.min(other), (own * other).sqrt()];
        for ((name, divisor), found) in ["jaccard", "overlap", "cosine"].into_iter().zip(divisors).zip(&found) {
            let right = if both == 0.0 { 0.0 } else { both / divisor };
            let found = found[v as usize];
            ensure((found - right).abs() <= 1e-12, || wrong!("vertex {v}: {name} {found} instead of {right}"))?;
        }
        Ok(())
    })
}

/// Similarity of the ends of every edge: the longer list is searched for every entry of the shorter one.
pub(crate) fn similarity_edges(run: &Run<'_>) -> Result<(), Invalid> {
    let common = run.edge_ints("common")?;
    let found = [run.edge_doubles("jaccard")?, run.edge_doubles("overlap")?, run.edge_doubles("cosine")?];
    let out = run.graph.out();
    every_vertex(run.graph, |v| {
        for (edge, &u) in out.range(v).zip(out.neighbours(v)) {
            let (mut shorter, mut longer) = (out.neighbours(v), out.neighbours(u));
            if longer.len() < shorter.len() {
                std::mem::swap(&mut shorter, &mut longer);
            }
            let both = shorter.iter().filter(|w| longer.binary_search(w).is_ok()).count();
            let count = common[edge];
            ensure(i64::from(count) == both as i64, || {
                wrong!("the ends of the edge from {v} to {u} have {both} common neighbours, not {count}")
            })?;
            let (own, other, both) = (out.degree(v) as f64, out.degree(u) as f64, both as f64);
            let divisors = [own + other - both, own.min(other), (own * other).sqrt()];
            for ((name, divisor), found) in ["jaccard", "overlap", "cosine"].into_iter().zip(divisors).zip(&found) {
                let right = if both == 0.0 { 0.0 } else { both / divisor };
                let found = found[edge];
                ensure((found - right).abs() <= 1e-12, || {
                    wrong!("the edge from {v} to {u}: {name} {found} instead of {right}")
                })?;
            }
        }
        Ok(())
    })
}
