//! BFS: parents are checked as Graph500 does, against levels from a plain serial search.

use gw_graph::{Adjacency, VertexId};

use super::{Invalid, Run, ensure, every_vertex, wrong};

/// Hops from `root` by a plain queue; -1 out of reach.
pub(crate) fn levels(out: &Adjacency, root: VertexId) -> Vec<i32> {
    let mut levels = vec![-1; out.vertices()];
    if levels.is_empty() {
        return levels;
    }
    levels[root as usize] = 0;
    let mut queue = vec![root];
    let mut head = 0;
    while let Some(&v) = queue.get(head) {
        head += 1;
        for &next in out.neighbours(v) {
            if levels[next as usize] == -1 {
                levels[next as usize] = levels[v as usize] + 1;
                queue.push(next);
            }
        }
    }
    levels
}

pub(crate) fn bfs(run: &Run<'_>) -> Result<(), Invalid> {
    let parents = run.ints("parent")?;
    let root = run.vertex_arg(2)?;
    let levels = levels(run.graph.out(), root);
    every_vertex(run.graph, |v| {
        let (parent, level) = (parents[v as usize], levels[v as usize]);
        if v == root {
            return ensure(parent == v as i32, || {
                wrong!(
                    "root {v}: its parent is {parent} instead of itself",
                    v = run.graph.shown(v),
                    parent = run.graph.shown(parent)
                )
            });
        }
        match (parent, level) {
            (-1, -1) => return Ok(()),
            (-1, _) => {
                return Err(wrong!(
                    "vertex {v}: not reached, though it is {level} hops from the root",
                    v = run.graph.shown(v)
                ));
            }
            (_, -1) => {
                return Err(wrong!(
                    "vertex {v}: its parent is {parent}, but it is out of reach",
                    v = run.graph.shown(v),
                    parent = run.graph.shown(parent)
                ));
            }
            _ => {}
        }
        let Some(&parent_level) = usize::try_from(parent).ok().and_then(|p| levels.get(p)) else {
            return Err(wrong!(
                "vertex {v}: its parent {parent} is not a vertex",
                v = run.graph.shown(v),
                parent = run.graph.shown(parent)
            ));
        };
        let edge = run.graph.out().neighbours(parent as VertexId).binary_search(&v).is_ok();
        ensure(edge, || {
            wrong!(
                "vertex {v}: its parent is {parent}, but there is no edge from {parent} to {v}",
                v = run.graph.shown(v),
                parent = run.graph.shown(parent)
            )
        })?;
        ensure(parent_level + 1 == level, || {
            wrong!(
                "vertex {v}: level {level}, but its parent {parent} has level {parent_level}",
                v = run.graph.shown(v),
                parent = run.graph.shown(parent)
            )
        })
    })
}

pub(crate) fn bfs_levels(run: &Run<'_>) -> Result<(), Invalid> {
    let found = run.ints("level")?;
    let depth = run.integer("depth")?;
    let levels = levels(run.graph.out(), run.vertex_arg(2)?);
    every_vertex(run.graph, |v| {
        let (found, level) = (found[v as usize], levels[v as usize]);
        ensure(found == level, || wrong!("vertex {v}: level {found} instead of {level}", v = run.graph.shown(v)))
    })?;
    let deepest = levels.iter().copied().max().unwrap_or(0);
    ensure(depth == i128::from(deepest), || wrong!("depth {depth} instead of {deepest}"))
}

pub(crate) fn khop(run: &Run<'_>) -> Result<(), Invalid> {
    let (found, reached, most) = (run.ints("level")?, run.integer("reached")?, run.count_arg(3)?);
    let levels = levels(run.graph.out(), run.vertex_arg(2)?);
    let inside = |level: i32| usize::try_from(level).is_ok_and(|level| level <= most);
    every_vertex(run.graph, |v| {
        let level = levels[v as usize];
        let (found, right) = (found[v as usize], if inside(level) { level } else { -1 });
        ensure(found == right, || wrong!("vertex {v}: level {found} instead of {right}", v = run.graph.shown(v)))
    })?;
    let right = levels.iter().filter(|&&level| inside(level)).count();
    ensure(reached == right as i128, || wrong!("{reached} vertices reached instead of {right}"))
}
