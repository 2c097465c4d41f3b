//! Strongly connected components: Tarjan's depth-first search, with a stack of its own instead of recursion.

use gw_graph::{Graph, VertexId};

use super::{Invalid, Run, ensure, every_vertex, wrong};

pub(crate) fn scc(run: &Run<'_>) -> Result<(), Invalid> {
    let (found, count) = (run.ints("component")?, run.integer("components")?);
    let least = least_vertices(run.graph);
    every_vertex(run.graph, |v| {
        let (found, right) = (found[v as usize], least[v as usize]);
        ensure(i64::from(found) == i64::from(right), || {
            wrong!(
                "vertex {v}: component {found}, but the least vertex of its component is {right}",
                v = run.graph.shown(v),
                found = run.graph.shown(found),
                right = run.graph.shown(right)
            )
        })
    })?;
    let right = least.iter().zip(0..).filter(|&(&least, v)| least == v).count();
    ensure(count == right as i128, || wrong!("{count} components instead of {right}"))
}

/// A vertex on the path of the search and how many of its edges were followed.
type Step = (VertexId, usize);

/// The least vertex of each vertex's strongly connected component.
fn least_vertices(graph: &Graph) -> Vec<VertexId> {
    const UNSEEN: u32 = u32::MAX;
    let (out, n) = (graph.out(), graph.vertices());
    // When a vertex was met; the earliest vertex on the stack that is reached from it; its component.
    let (mut met, mut low, mut least) = (vec![UNSEEN; n], vec![0u32; n], vec![UNSEEN; n]);
    let (mut path, mut stack): (Vec<Step>, Vec<VertexId>) = (Vec::new(), Vec::new());
    let mut clock = 0;
    for root in 0..n as VertexId {
        if met[root as usize] != UNSEEN {
            continue;
        }
        path.push((root, 0));
        while let Some((v, followed)) = path.pop() {
            let i = v as usize;
            if followed == 0 {
                (met[i], low[i]) = (clock, clock);
                clock += 1;
                stack.push(v);
            } else {
                let child = out.neighbours(v)[followed - 1] as usize;
                low[i] = low[i].min(low[child]);
            }
            let mut next = None;
            for (at, &u) in out.neighbours(v).iter().enumerate().skip(followed) {
                if met[u as usize] == UNSEEN {
                    next = Some((at, u));
                    break;
                }
                // Vertices whose component is known are no longer on the stack.
                if least[u as usize] == UNSEEN {
                    low[i] = low[i].min(met[u as usize]);
                }
            }
            if let Some((at, u)) = next {
                path.push((v, at + 1));
                path.push((u, 0));
            } else if low[i] == met[i] {
                let first = stack.iter().rposition(|&u| u == v).unwrap_or(0);
                let members = stack.split_off(first);
                let name = members.iter().copied().min().unwrap_or(v);
                members.into_iter().for_each(|u| least[u as usize] = name);
                // A finished component must not lower that of the vertex before.
                low[i] = UNSEEN;
            }
        }
    }
    least
}
