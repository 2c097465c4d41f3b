//! Triangles and clustering coefficients: the neighbours of a vertex are marked, and the lists of the neighbours are
//! looked through for marks.

use gw_graph::{Graph, VertexId};
use rayon::prelude::*;

use super::{Invalid, Run, ensure, wrong};

/// The neighbours of a vertex, and the edges between them, counted with their direction.
#[derive(Clone, Copy)]
struct Around {
    neighbours: u64,
    links: u64,
}

impl Around {
    fn coefficient(self) -> f64 {
        let could_be = self.neighbours * self.neighbours.saturating_sub(1);
        if could_be == 0 { 0.0 } else { self.links as f64 / could_be as f64 }
    }
}

pub(crate) fn lcc(run: &Run<'_>) -> Result<(), Invalid> {
    run.graph.load_incoming()?;
    coefficients(run, &around(run.graph))
}

pub(crate) fn triangles_per_vertex(run: &Run<'_>) -> Result<(), Invalid> {
    run.graph.load_incoming()?;
    run.needs_symmetric()?;
    let found = run.uint64s("triangles")?;
    let around = around(run.graph);
    for (v, (found, around)) in found.iter().zip(&around).enumerate() {
        let right = around.links / 2;
        ensure(*found == right, || wrong!("vertex {v}: {found} triangles instead of {right}", v = run.graph.shown(v)))?;
    }
    coefficients(run, &around)?;
    let total = run.integer("total")?;
    let corners: u64 = around.iter().map(|a| a.links / 2).sum();
    ensure(total * 3 == i128::from(corners), || wrong!("{total} triangles in all instead of {}", corners / 3))?;
    let n = around.len().max(1) as f64;
    let mean = around.iter().map(|a| a.coefficient()).sum::<f64>() / n;
    let pairs: u64 = around.iter().map(|a| a.neighbours * a.neighbours.saturating_sub(1) / 2).sum();
    let closed = if pairs == 0 { 0.0 } else { corners as f64 / pairs as f64 };
    for (name, right) in [("average", mean), ("transitivity", closed)] {
        let found = run.real(name)?;
        ensure((found - right).abs() <= 1e-9, || wrong!("{name} {found} instead of {right}"))?;
    }
    Ok(())
}

fn coefficients(run: &Run<'_>, around: &[Around]) -> Result<(), Invalid> {
    let found = run.doubles("clustering")?;
    for (v, (found, around)) in found.iter().zip(around).enumerate() {
        let right = around.coefficient();
        let near = (found - right).abs() <= 1e-12;
        ensure(near, || {
            wrong!("vertex {v}: clustering coefficient {found} instead of {right}", v = run.graph.shown(v))
        })?;
    }
    Ok(())
}

fn around(graph: &Graph) -> Vec<Around> {
    let (out, incoming) = (graph.out(), graph.incoming());
    let vertices = (0..graph.vertices() as VertexId).into_par_iter();
    let look = |marked: &mut Vec<bool>, v: VertexId| {
        let mut near = Vec::new();
        for &u in out.neighbours(v).iter().chain(incoming.neighbours(v)) {
            if !std::mem::replace(&mut marked[u as usize], true) {
                near.push(u);
            }
        }
        let links = |&u: &VertexId| out.neighbours(u).iter().filter(|&&w| marked[w as usize]).count() as u64;
        let around = Around { neighbours: near.len() as u64, links: near.iter().map(links).sum() };
        near.into_iter().for_each(|u| marked[u as usize] = false);
        around
    };
    vertices.map_init(|| vec![false; graph.vertices()], look).collect()
}
