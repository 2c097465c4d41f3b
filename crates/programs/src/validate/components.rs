//! Components: labels against union-find with the least vertex as representative.

use gw_graph::Graph;

use super::{Invalid, Run, ensure, every_vertex, wrong};

pub(crate) fn components(run: &Run<'_>) -> Result<(), Invalid> {
    run.needs_symmetric()?;
    let labels = run.ints("label")?;
    every_vertex(run.graph, |u| {
        let differs = run.graph.out().neighbours(u).iter().find(|&&v| labels[v as usize] != labels[u as usize]);
        differs.map_or(Ok(()), |&v| {
            let (a, b) = (labels[u as usize], labels[v as usize]);
            Err(wrong!(
                "vertices {u} and {v} are neighbours, but have the labels {a} and {b}",
                u = run.graph.shown(u),
                v = run.graph.shown(v),
                a = run.graph.shown(a),
                b = run.graph.shown(b)
            ))
        })
    })?;
    let least = least_vertices(run.graph);
    every_vertex(run.graph, |v| {
        let (label, least) = (labels[v as usize], least[v as usize]);
        ensure(i64::from(label) == i64::from(least), || {
            wrong!(
                "vertex {v}: label {label}, but the least vertex of its component is {least}",
                v = run.graph.shown(v),
                label = run.graph.shown(label),
                least = run.graph.shown(least)
            )
        })
    })
}

/// The least vertex of each vertex's component.
fn least_vertices(graph: &Graph) -> Vec<u32> {
    let mut parent: Vec<u32> = (0..graph.vertices() as u32).collect();
    let root = |parent: &mut [u32], mut v: u32| {
        while parent[v as usize] != v {
            let above = parent[parent[v as usize] as usize];
            parent[v as usize] = above;
            v = above;
        }
        v
    };
    for u in 0..graph.vertices() as u32 {
        for &v in graph.out().neighbours(u) {
            let (a, b) = (root(&mut parent, u), root(&mut parent, v));
            parent[a.max(b) as usize] = a.min(b);
        }
    }
    // Parents are never greater than their children, so one pass in order settles all.
    for v in 0..parent.len() {
        parent[v] = parent[parent[v] as usize];
    }
    parent
}
