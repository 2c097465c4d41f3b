//! Independent set: no two members are neighbours, every other vertex has a member among its neighbours.

use super::{Invalid, Run, ensure, every_vertex, wrong};

pub(crate) fn mis(run: &Run<'_>) -> Result<(), Invalid> {
    run.needs_symmetric()?;
    let state = run.ints("state")?;
    every_vertex(run.graph, |v| {
        let mine = state[v as usize];
        let mut neighbours = run.graph.out().neighbours(v).iter();
        let member = neighbours.find(|&&n| n != v && state[n as usize] == 1);
        match (mine, member) {
            (1, Some(n)) => Err(wrong!(
                "vertices {v} and {n} are both members, but neighbours",
                v = run.graph.shown(v),
                n = run.graph.shown(*n)
            )),
            (2, None) => {
                Err(wrong!("vertex {v}: left out, though none of its neighbours is a member", v = run.graph.shown(v)))
            }
            _ => ensure(mine == 1 || mine == 2, || {
                wrong!("vertex {v}: state {mine} is neither 1 nor 2", v = run.graph.shown(v))
            }),
        }
    })
}
