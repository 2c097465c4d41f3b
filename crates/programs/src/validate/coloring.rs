//! Coloring: neighbours differ, and no more colors than one above the greatest degree.

use super::{Invalid, Run, ensure, every_vertex, wrong};

pub(crate) fn coloring(run: &Run<'_>) -> Result<(), Invalid> {
    run.needs_symmetric()?;
    let color = run.ints("color")?;
    let out = run.graph.out();
    let most = (0..run.graph.vertices() as u32).map(|v| out.degree(v)).max().unwrap_or(0);
    every_vertex(run.graph, |v| {
        let mine = color[v as usize];
        ensure(mine >= 0, || wrong!("vertex {v}: it has no color", v = run.graph.shown(v)))?;
        ensure(mine as usize <= most, || {
            wrong!(
                "vertex {v}: color {mine}, but {} colors suffice for degrees up to {most}",
                most + 1,
                v = run.graph.shown(v)
            )
        })?;
        let same = out.neighbours(v).iter().find(|&&n| n != v && color[n as usize] == mine);
        same.map_or(Ok(()), |n| {
            Err(wrong!(
                "vertices {v} and {n} are neighbours, but both have color {mine}",
                v = run.graph.shown(v),
                n = run.graph.shown(*n)
            ))
        })
    })
}
