//! Triangles: a count over vertices ordered by degree, with a mark per neighbour instead of merged lists.

use rayon::prelude::*;

use gw_graph::{Graph, VertexId};

use super::{Invalid, Run, ensure, wrong};

pub(crate) fn triangles(run: &Run<'_>) -> Result<(), Invalid> {
    run.needs_symmetric()?;
    let found = run.integer("triangles")?;
    let right = count(run.graph);
    ensure(found == i128::from(right), || wrong!("{found} triangles instead of {right}"))
}

fn count(graph: &Graph) -> u64 {
    let out = graph.out();
    let rank = |v: VertexId| (out.degree(v), v);
    // Edges from lower to higher rank: few per vertex, however skewed the degrees.
    let upward: Vec<Vec<VertexId>> = (0..graph.vertices() as VertexId)
        .into_par_iter()
        .map(|v| out.neighbours(v).iter().copied().filter(|&n| rank(n) > rank(v)).collect())
        .collect();
    upward
        .par_iter()
        .map_init(
            || vec![false; graph.vertices()],
            |marked, list| {
                list.iter().for_each(|&n| marked[n as usize] = true);
                let closed = |&n: &VertexId| upward[n as usize].iter().filter(|&&m| marked[m as usize]).count() as u64;
                let triangles: u64 = list.iter().map(closed).sum();
                list.iter().for_each(|&n| marked[n as usize] = false);
                triangles
            },
        )
        .sum()
}
