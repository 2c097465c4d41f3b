//! Topological levels, by their definition at each vertex. A vertex with a level has one more than the greatest of its
//! in-neighbours, all of which have one: levels rise along edges, so no such vertex lies on a cycle. A vertex without
//! a level has an in-neighbour without one: going back from there never ends, so there is a cycle on the way.

use super::{Invalid, Run, ensure, every_vertex, wrong};

pub(crate) fn topo(run: &Run<'_>) -> Result<(), Invalid> {
    let (level, levels, acyclic) = (run.ints("level")?, run.integer("levels")?, run.integer("acyclic")?);
    let incoming = run.graph.load_incoming()?;
    every_vertex(run.graph, |v| {
        let before = incoming.neighbours(v).iter().map(|&u| level[u as usize]);
        let right = match before.clone().min() {
            None => 0,
            Some(-1) => -1,
            Some(_) => before.max().unwrap_or(-1) + 1,
        };
        let found = level[v as usize];
        ensure(found == right, || {
            wrong!("vertex {v}: level {found}, but its in-neighbours make it {right}", v = run.graph.shown(v))
        })
    })?;
    let deepest = level.iter().copied().max().unwrap_or(-1);
    ensure(levels == i128::from(deepest) + 1, || wrong!("{levels} levels, but the greatest is {deepest}"))?;
    let right = !level.contains(&-1);
    ensure(acyclic == i128::from(right), || wrong!("acyclic is {acyclic}, but {right} by the levels"))
}
